/* SPDX-License-Identifier: MIT
 * What every test program starts from.  One file, one suite, one executable:
 *
 *   #include "test.h"
 *   START_TEST(edge_of_1593MHz_never_drifts) { ... } END_TEST
 *   TEST_MAIN("clock", edge_of_1593MHz_never_drifts, ...)
 *
 * Under sanitizers and valgrind set CK_FORK=no; tests/scripts/run-all.sh does. */
#ifndef MEMSIM_TESTS_TEST_H
#define MEMSIM_TESTS_TEST_H
#include <check.h>
#include <stdlib.h>

/* Seconds a single test function may take; Check's own default is 4. */
#define TEST_TIMEOUT_S 240

static inline int test_run(const char *suite, const TTest *const *tests, size_t n)
{
    Suite *s = suite_create(suite);
    TCase *tc = tcase_create(suite);
    tcase_set_timeout(tc, TEST_TIMEOUT_S);
    for (size_t i = 0; i < n; i++) tcase_add_test(tc, tests[i]);
    suite_add_tcase(s, tc);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int bad = srunner_ntests_failed(sr);
    int ran = srunner_ntests_run(sr);
    srunner_free(sr);
    return bad || !ran ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST_MAIN(suite, ...)                                          \
    int main(void)                                                     \
    {                                                                  \
        const TTest *const tests[] = {__VA_ARGS__};                    \
        return test_run(suite, tests, sizeof tests / sizeof tests[0]); \
    }
#endif
