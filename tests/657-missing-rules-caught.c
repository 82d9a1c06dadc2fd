/* SPDX-License-Identifier: MIT
 * A rule that is missing from a standard's table is caught: each rule in turn is taken out, the channel runs on random
 * requests, and the legality checker, which never sees the table, must object.  Rules whose absence cannot show,
 * because others are as strict or the scheduler never sends the two commands that close, are told apart by reason. */
#include "dram/timing.h"
#include "dram_bins.h"
#include "dram_drive.h"

static dram_spec_t without(const dram_spec_t *s, size_t i)
{
    dram_spec_t t = *s;
    for (size_t k = i; k + 1 < t.n_rule; k++) t.rule[k] = t.rule[k + 1];
    t.n_rule--;
    for (unsigned c = 0; c <= DRAM_CMDS; c++)
        if (t.first[c] > i) t.first[c]--;
    timing_compile(&t);
    return t;
}

static const drive_opt_t loads[] = {
    {.requests = 2000, .seed = 3, .write_pct = 40, .rows = 2, .check = true},
    {.requests = 6000, .seed = 4, .write_pct = 0, .rows = 4096, .check = true},
    {.requests = 4000, .seed = 5, .write_pct = 60, .rows = 1, .check = true},
    {.requests = 6000, .seed = 6, .write_pct = 30, .rows = 3, .check = true, .silence = 100},
};

static bool caught(const dram_spec_t *s)
{
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        if (drive_spec(s, &s->p, &loads[i]).cls != MS_OK) return true;
    return false;
}

static int64_t ticks_of(const dram_spec_t *s, dram_cmd_t before, dram_cmd_t after,
                        dram_scope_t scope, unsigned nth)
{
    for (size_t i = 0; i < s->n_rule; i++) {
        const dram_rule_t *r = &s->rule[i];
        if (r->before == before && r->after == after && r->scope == scope && r->nth == nth)
            return r->ticks;
    }
    return 0;
}

static bool refresh_or_prea(dram_cmd_t c)
{
    return c == DRAM_REFAB || c == DRAM_REFPB || c == DRAM_PREA;
}

/* Why a run without this rule can be legal all the same; NULL if it cannot. */
static const char *excuse(const dram_spec_t *s, const dram_rule_t *r)
{
    dram_scope_t wide = s->std->stacked ? SC_PC : SC_RANK;
    int64_t ras = ticks_of(s, DRAM_ACT, DRAM_PRE, SC_BANK, 1),
            rp = ticks_of(s, DRAM_PRE, DRAM_ACT, SC_BANK, 1);
    int64_t rrd = ticks_of(s, DRAM_ACT, DRAM_ACT, wide, 1);
    bool refresh = r->after == DRAM_REFAB || r->after == DRAM_REFPB;
    if (r->before == DRAM_ACT && r->scope == SC_BANK && (r->after == DRAM_ACT || refresh) &&
        r->ticks <= ras + rp)
        return "tRAS and tRP together are as long";
    if (r->before == DRAM_ACT && r->after == DRAM_REFAB && r->ticks <= ras + rp)
        return "tRAS and tRP together are as long";
    if (r->nth == 4 && r->ticks <= 4 * rrd) return "four tRRD_S are as long";
    if (r->before == DRAM_ACT && r->scope == SC_GROUP && r->ticks <= rrd)
        return "tRRD_S is as long";
    if (r->before == DRAM_ACT && r->after == DRAM_REFPB && r->scope == wide &&
        r->ticks < ticks_of(s, DRAM_ACT, DRAM_REFPB, SC_RANK, 1))
        return "the rank's own rule is longer";
    if (s->std->same_bank && r->before == DRAM_ACT && r->after == DRAM_REFPB && r->scope == SC_RANK)
        return "two rules of one scope, tRRD_S and tRRD_L";
    if (r->scope == SC_SIBLING && s->p.ranks == 1) return "there is one rank";
    if (r->after == DRAM_PRE && r->ticks <= s->slots[DRAM_PRE])
        return "the command bus is busy as long";
    if (r->before == DRAM_PREA || (refresh_or_prea(r->before) && refresh) ||
        (r->before == DRAM_PRE && r->after == DRAM_REFAB))
        return "one refresh policy at a time never sends the two so close";
    return NULL;
}

START_TEST(each_rule_of_the_table)
{
    arena_t *a = arena_new();
    diag_t d;
    diag_init(&d);
    const dram_spec_t *s[3];
    for (int refresh = 0; refresh < 3; refresh++) {
        dram_param_t p = bin_of(_i);
        p.refresh = refresh;
        ck_assert_int_eq(dram_spec_new(&s[refresh], &p, a, &d), MS_OK);
        ck_assert_msg(!caught(s[refresh]), "%s is not clean with all its rules", bin_name(_i));
    }
    unsigned proved = 0;
    for (size_t i = 0; i < s[0]->n_rule; i++) {
        const dram_rule_t *r = &s[0]->rule[i];
        if (excuse(s[0], r)) continue;
        bool found = false;
        for (int k = 0; k < 3 && !found; k++) {
            int refresh = (k + (r->before == DRAM_REFAB                             ? 1
                                : r->before == DRAM_REFPB || r->after == DRAM_REFPB ? 2
                                                                                    : 0)) %
                          3;
            dram_spec_t t = without(s[refresh], i);
            found = caught(&t);
        }
        ck_assert_msg(found, "%s without %s -> %s (scope %d, nth %d, %d ticks): not caught",
                      bin_name(_i), dram_cmd_names[r->before], dram_cmd_names[r->after],
                      (int)r->scope, r->nth, (int)r->ticks);
        proved++;
    }
    ck_assert_uint_ge(proved, 16);
    diag_free(&d);
    arena_free(a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("missing-rules-caught");
    TCase *tc = tcase_create("missing-rules-caught");
    tcase_set_timeout(tc, TEST_TIMEOUT_S);
    tcase_add_loop_test(tc, each_rule_of_the_table, 0, DRAM_STANDARDS);
    suite_add_tcase(s, tc);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int bad = srunner_ntests_failed(sr);
    srunner_free(sr);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
