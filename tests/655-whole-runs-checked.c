/* SPDX-License-Identifier: MIT
 * The scheduler under the eyes of the legality checker: random requests, every standard, every policy. */
#include "dram_bins.h"
#include "dram_drive.h"

#define REQUESTS 100000

static void run(dram_param_t p, unsigned write_pct, unsigned rows, unsigned silence,
                const char *what)
{
    drive_opt_t o = {.requests = REQUESTS,
                     .seed = 7,
                     .write_pct = write_pct,
                     .rows = rows,
                     .silence = silence,
                     .check = true};
    drive_result_t r = drive_run(&p, &o);
    ck_assert_msg(r.cls == MS_OK, "%s %s: %s", bin_name(p.standard), what, r.msg);
    ck_assert_msg(r.done == REQUESTS, "%s %s: %llu of %d requests done", bin_name(p.standard), what,
                  (unsigned long long)r.done, REQUESTS);
}

START_TEST(every_standard_all_bank_refresh)
{
    dram_param_t p = bin_of(_i);
    p.refresh = BIN_REFRESH_ALL;
    run(p, 0, p.rows, 0, "reads, rows at random");
    run(p, 33, 4, 0, "reads and writes, four hot rows a bank");
    run(p, 50, p.rows, 1000, "half writes, with silences");
}
END_TEST

START_TEST(every_standard_per_bank_refresh)
{
    dram_param_t p = bin_of(_i);
    p.refresh = BIN_REFRESH_PER_BANK;
    run(p, 33, p.rows, 0, "reads and writes, rows at random");
    run(p, 33, 2, 500, "two hot rows, with silences");
}
END_TEST

START_TEST(every_standard_other_policies)
{
    dram_param_t p = bin_of(_i);
    p.refresh = BIN_REFRESH_ALL;
    p.page = 1;
    run(p, 33, 3, 0, "closed pages");
    p.page = 0;
    p.row_hit_cap = 4;
    run(p, 33, 3, 0, "row-hit cap");
    p.scheduler = 1;
    run(p, 33, 3, 2000, "FCFS");
    p.scheduler = 0;
    p.refresh = BIN_REFRESH_NONE;
    run(p, 33, 3, 0, "no refresh");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("whole-runs-checked");
    TCase *tc = tcase_create("whole-runs-checked");
    tcase_set_timeout(tc, TEST_TIMEOUT_S);
    tcase_add_loop_test(tc, every_standard_all_bank_refresh, 0, DRAM_STANDARDS);
    tcase_add_loop_test(tc, every_standard_per_bank_refresh, 0, DRAM_STANDARDS);
    tcase_add_loop_test(tc, every_standard_other_policies, 0, DRAM_STANDARDS);
    suite_add_tcase(s, tc);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int bad = srunner_ntests_failed(sr);
    srunner_free(sr);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
