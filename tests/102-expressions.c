/* SPDX-License-Identifier: MIT
 * Expressions of a running warp: sums of products, the stack program, and every input gives a value. */
#include "core/access.h"
#include "core/expr.h"
#include "core/req.h"
#include "core/rng.h"
#include "test.h"

static int64_t two(xop_t op, int64_t a, int64_t b)
{
    const xins_t code[] = {{XOP_CONST, a}, {XOP_CONST, b}, {op, 0}};
    return expr_run(code, 3, NULL);
}

START_TEST(division_rounds_down_and_remainders_have_the_divisors_sign)
{
    ck_assert_int_eq(two(XOP_DIV, 7, 2), 3);
    ck_assert_int_eq(two(XOP_DIV, -7, 2), -4);
    ck_assert_int_eq(two(XOP_DIV, 7, -2), -4);
    ck_assert_int_eq(two(XOP_MOD, -7, 2), 1);
    ck_assert_int_eq(two(XOP_MOD, 7, -2), -1);
    for (int64_t a = -50; a <= 50; a++)
        for (int64_t b = -9; b <= 9; b++)
            if (b) ck_assert_int_eq(two(XOP_DIV, a, b) * b + two(XOP_MOD, a, b), a);
}
END_TEST

START_TEST(nothing_is_undefined)
{
    ck_assert_int_eq(two(XOP_DIV, 1, 0), 0);
    ck_assert_int_eq(two(XOP_MOD, 1, 0), 0);
    ck_assert_int_eq(two(XOP_DIV, INT64_MIN, -1), INT64_MIN);
    ck_assert_int_eq(two(XOP_MOD, INT64_MIN, -1), 0);
    ck_assert_int_eq(two(XOP_ADD, INT64_MAX, 1), INT64_MIN);
    ck_assert_int_eq(two(XOP_SUB, INT64_MIN, 1), INT64_MAX);
    ck_assert_int_eq(two(XOP_MUL, INT64_MAX, 2), -2);
    ck_assert_int_eq(two(XOP_SHL, 1, 64), 0);
    ck_assert_int_eq(two(XOP_SHL, 1, -1), 0);
    ck_assert_int_eq(two(XOP_SHR, -5, 1), -3);
    ck_assert_int_eq(two(XOP_SHR, -5, 999), -1);
    ck_assert_int_eq(two(XOP_SHR, 5, 999), 0);
    ck_assert_int_eq(two(XOP_MIX, 5, 0), 0);
    const xins_t neg[] = {{XOP_CONST, INT64_MIN}, {XOP_NEG, 0}};
    ck_assert_int_eq(expr_run(neg, 2, NULL), INT64_MIN);
}
END_TEST

START_TEST(the_rest_of_the_operators)
{
    ck_assert_int_eq(two(XOP_MIN, 3, -4), -4);
    ck_assert_int_eq(two(XOP_MAX, 3, -4), 3);
    ck_assert_int_eq(two(XOP_LT, 3, 3), 0);
    ck_assert_int_eq(two(XOP_LE, 3, 3), 1);
    ck_assert_int_eq(two(XOP_EQ, 3, 3), 1);
    ck_assert_int_eq(two(XOP_NE, 3, 3), 0);
    ck_assert_int_eq(two(XOP_AND, 12, 10), 8);
    ck_assert_int_eq(two(XOP_XOR, 12, 10), 6);
    ck_assert_int_eq(two(XOP_SHL, 3, 4), 48);
    for (int64_t i = 0; i < 100; i++) {
        int64_t x = two(XOP_MIX, i, 7);
        ck_assert(x >= 0 && x < 7);
        ck_assert_int_eq(x, (int64_t)(mix64((uint64_t)i) % 7));
    }
    const xins_t select[] = {{XOP_VAR, V_WARP}, {XOP_CONST, 11}, {XOP_CONST, 22}, {XOP_SELECT, 0}};
    int64_t v[V_COUNT] = {0};
    ck_assert_int_eq(expr_run(select, 4, v), 22);
    v[V_WARP] = -1;
    ck_assert_int_eq(expr_run(select, 4, v), 11);
}
END_TEST

START_TEST(affine_and_program_agree_and_know_their_variables)
{
    int64_t v[V_COUNT] = {0};
    v[V_CTA_X] = 5;
    v[V_I0] = 7;
    expr_t affine = {.c0 = 3, .coef = {100, -2}, .var = {V_CTA_X, V_I0}, .n = 2};
    const xins_t code[] = {{XOP_CONST, 3}, {XOP_VAR, V_CTA_X}, {XOP_CONST, 100},
                           {XOP_MUL, 0},   {XOP_ADD, 0},       {XOP_VAR, V_I0},
                           {XOP_CONST, 2}, {XOP_MUL, 0},       {XOP_SUB, 0}};
    expr_t program = {.ncode = 9, .code = code};
    ck_assert_int_eq(expr_eval(&affine, v), 489);
    ck_assert_int_eq(expr_eval(&program, v), 489);
    for (unsigned i = 0; i < V_COUNT; i++) {
        bool used = i == V_CTA_X || i == V_I0;
        ck_assert(expr_uses(&affine, i) == used);
        ck_assert(expr_uses(&program, i) == used);
    }
    expr_t k = expr_const(9);
    ck_assert(expr_is_const(&k) && !expr_is_const(&affine) && !expr_is_const(&program));
}
END_TEST

START_TEST(every_unit_and_stage_has_a_name)
{
    for (unsigned i = 0; i < UNIT_COUNT; i++) ck_assert_ptr_nonnull(unit_names[i]);
    for (unsigned i = 0; i < ST_COUNT; i++) ck_assert_ptr_nonnull(stage_names[i]);
    ck_assert_str_eq(unit_names[UNIT_TENSOR_FP16], "tensor_fp16");
    ck_assert_str_eq(stage_names[ST_DRAM_CAS], "dram_cas");
}
END_TEST

TEST_MAIN("expressions", division_rounds_down_and_remainders_have_the_divisors_sign,
          nothing_is_undefined, the_rest_of_the_operators,
          affine_and_program_agree_and_know_their_variables, every_unit_and_stage_has_a_name)
