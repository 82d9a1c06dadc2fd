/* SPDX-License-Identifier: MIT
 * A scheduler that is one clock too eager is caught: the channel runs with one timing shortened by one clock of CK,
 * its command log is judged with the true value.  The untampered run on the same requests must be clean. */
#include "dram/check.h"
#include "dram_bins.h"
#include "dram_drive.h"
#include <stddef.h>
#include <string.h>

#define REQUESTS 8000

typedef struct tamper {
    int standard;
    const char *rule; /* how the message begins after the channel */
    size_t param;
    unsigned write_pct, rows;
    int refresh;
} tamper_t;
#define OF(field) offsetof(dram_param_t, field)

static const tamper_t tampers[] = {
    {DRAM_HBM2, "tRCDRD", OF(tRCDRD), 0, 65536, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tRCDWR", OF(tRCDWR), 100, 65536, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tRP", OF(tRP), 30, 8, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tRAS", OF(tRAS), 0, 65536, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tCCD_L", OF(tCCD_L), 0, 1, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tRTP", OF(tRTP), 10, 2, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tWR", OF(tWR), 60, 2, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tWTR_S", OF(tWTR_S), 50, 1, BIN_REFRESH_NONE},
    {DRAM_HBM2, "tRFCab", OF(tRFCab), 0, 1, BIN_REFRESH_ALL},
    {DRAM_HBM3, "tFAW", OF(tFAW), 0, 16384, BIN_REFRESH_NONE},
    {DRAM_HBM3, "tRRD_L", OF(tRRD_L), 0, 16384, BIN_REFRESH_NONE},
    {DRAM_HBM3, "tCCD_R", OF(tCCD_R), 0, 1, BIN_REFRESH_NONE},
    {DRAM_HBM3, "tRTW", OF(tRTW), 50, 1, BIN_REFRESH_NONE},
    {DRAM_GDDR6, "tRRD_S", OF(tRRD_S), 0, 16384, BIN_REFRESH_NONE},
    {DRAM_HBM3, "tRC", OF(tRC), 0, 16384, BIN_REFRESH_NONE},
    {DRAM_LPDDR5, "tWR", OF(tWR), 100, 65536, BIN_REFRESH_NONE},
    {DRAM_DDR5, "tCCD_L (write)", OF(tCCD_L_WR), 100, 1, BIN_REFRESH_NONE},
};
#define TAMPERS (sizeof tampers / sizeof tampers[0])

/* Run with `ran`, judge with `truth`; true if something illegal was found, the first message is in `msg`. */
static bool judged(const dram_param_t *ran, const dram_param_t *truth, const tamper_t *t,
                   const char *name, char *msg, size_t n)
{
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    drive_opt_t o = {
        .requests = REQUESTS, .seed = 11, .write_pct = t->write_pct, .rows = t->rows, .log = f};
    drive_result_t r = drive_run(ran, &o);
    ck_assert_msg(r.done == REQUESTS, "%s %s: %s", bin_name(truth->standard), t->rule, r.msg);
    rewind(f);
    diag_t d;
    diag_init(&d);
    int cls = dram_check_file(truth, f, "log", &d);
    ck_assert_msg(cls == MS_OK || cls == MS_INTERNAL, "%s", d.msg[0]);
    msg[0] = '\0';
    for (size_t i = 0; i < d.n; i++)
        if (!msg[0] || strstr(d.msg[i], name)) snprintf(msg, n, "%s", d.msg[i]);
    diag_free(&d);
    fclose(f);
    return cls != MS_OK;
}

START_TEST(caught)
{
    const tamper_t *t = &tampers[_i];
    dram_param_t truth = bin_of(t->standard), ran;
    truth.refresh = t->refresh;
    char msg[640], name[64];
    snprintf(name, sizeof name, "channel 0: %s:", t->rule);
    ck_assert_msg(!judged(&truth, &truth, t, name, msg, sizeof msg), "untampered: %s", msg);
    ran = truth;
    gap_t *g = (gap_t *)(void *)((char *)&ran + t->param);
    ck_assert(g->in_clocks && g->v > 1);
    g->v--;
    ck_assert_msg(judged(&ran, &truth, t, name, msg, sizeof msg),
                  "%s %s one clock early and not caught", bin_name(t->standard), t->rule);
    ck_assert_msg(strstr(msg, name) != NULL, "wants %s, got %s", name, msg);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("early-scheduler-caught");
    TCase *tc = tcase_create("early-scheduler-caught");
    tcase_set_timeout(tc, TEST_TIMEOUT_S);
    tcase_add_loop_test(tc, caught, 0, (int)TAMPERS);
    suite_add_tcase(s, tc);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int bad = srunner_ntests_failed(sr);
    srunner_free(sr);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
