/* SPDX-License-Identifier: MIT
 * Runs that end badly say why: buffers that do not fit (exit code 5, with the shortfall), and a machine in which
 * nothing can move any more (exit code 3, who waits for what). */
#include "gpu_run.h"
#include "machine/run.h"
#include <stdio.h>

/* ---- capacity: one channel of HBM2, 2 pseudo channels x 16 banks x 65536 rows x 1 KiB ---- */
#define MEMORY_BYTES (UINT64_C(2) << 30)

START_TEST(buffers_that_do_not_fit_are_refused_with_the_shortfall)
{
    gpu_run_t g = gpu_run_try("buffer a size 1 GiB\nbuffer b size 3 GiB\n"
                              "kernel k() { grid 1\nblock 32\nexit }\nlaunch k()\n",
                              NULL, false);
    ck_assert_int_eq(g.rc, MS_CAPACITY);
    ck_assert_uint_eq(g.diag.n, 1);
    /* 4 GiB of 2 GiB: 2147483648 bytes too few */
    ck_assert_ptr_nonnull(strstr(g.diag.msg[0], " 2147483648 bytes"));
    ck_assert_double_eq(g.res->capacity.bytes_needed, 4294967296.0);
    ck_assert_double_eq(g.res->capacity.bytes_available, (double)MEMORY_BYTES);
    gpu_run_close(&g);
}
END_TEST

START_TEST(the_last_byte_of_the_memory_can_be_used)
{
    static const struct {
        const char *size;
        int rc;
    } c[] = {{"2 GiB", MS_OK}, {"2147483649", MS_CAPACITY}};
    for (unsigned i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "buffer a size %s\nkernel k(in x[2 GiB]) { grid 1\nblock 32\n"
                 "load 1 at x + 2147483616 as v\nwait v }\nlaunch k(a)\n",
                 c[i].size);
        gpu_run_t g = gpu_run_try(text, NULL, false);
        ck_assert_int_eq(g.rc, c[i].rc);
        gpu_run_close(&g);
    }
}
END_TEST

START_TEST(an_access_past_the_memory_names_its_line)
{
    gpu_run_t g = gpu_run_try("buffer a size 1 MiB\n"
                              "kernel k(in x[1 MiB]) { grid 1\nblock 32\n"
                              "load 8 at x + 4 GiB as v\nwait v }\nlaunch k(a)\n",
                              NULL, false);
    ck_assert_int_eq(g.rc, MS_INPUT);
    ck_assert_ptr_nonnull(strstr(g.diag.msg[0], ":5: address"));
    ck_assert_ptr_nonnull(strstr(g.diag.msg[0], "0x100000000"));
    gpu_run_close(&g);
}
END_TEST

/* ---- stuck: the language cannot express a wait that nobody ends, so the machine loses something ---- */
static void lose(void *self, req_t *r, ps_t at, ps_t now)
{
    (void)self, (void)r, (void)at, (void)now;
}

typedef struct stuck {
    arena_t *arena;
    diag_t diag;
    device_t dev;
    system_t *sys;
    workload_t *wl;
    sim_opt_t opt;
} stuck_t;

/* Run `trace` on a machine whose L2 loses what it asks memory for. */
static int run_losing(stuck_t *s, const char *trace, const char *refresh)
{
    char path[] = "/tmp/memsim-861-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fprintf(f, "memsim trace 1\n%s", trace);
    ck_assert_int_eq(fclose(f), 0);
    const char *set[] = {refresh};
    *s = (stuck_t){.arena = arena_new()};
    diag_init(&s->diag);
    ck_assert_int_eq(device_load(&s->dev, ROUND_DEVICE, set, 1, s->arena, &s->diag), MS_OK);
    workload_opt_t wo = {.warp_lanes = 32, .seed = 1};
    ck_assert_int_eq(workload_open(&s->wl, path, &wo, &s->diag), MS_OK);
    system_opt_t so = {.seed = 1};
    ck_assert_int_eq(system_new(&s->sys, &s->dev, &so, s->arena, &s->diag), MS_OK);
    s->sys->slice[0].to_memory = (port_t){lose, NULL};
    run_t r = {.sys = s->sys,
               .wl = s->wl,
               .opt = &s->opt,
               .arena = s->arena,
               .diag = &s->diag,
               .exact = true};
    int rc = run_workload(&r);
    unlink(path);
    return rc;
}

static void stuck_close(stuck_t *s)
{
    workload_free(s->wl);
    system_free(s->sys);
    diag_free(&s->diag);
    arena_free(s->arena);
}

static void says(const stuck_t *s, const char *text)
{
    for (size_t i = 0; i < s->diag.n; i++)
        if (strstr(s->diag.msg[i], text)) return;
    ck_abort_msg("no message says \"%s\": %s", text, s->diag.n ? s->diag.msg[0] : "none at all");
}

START_TEST(a_machine_where_nothing_moves_says_who_waits)
{
    static const char *const refresh[] = {"memory.refresh=none", "memory.refresh=perbank"};
    for (unsigned i = 0; i < 2;
         i++) { /* with refreshes something always happens, but no work is done */
        stuck_t s;
        int rc = run_losing(&s,
                            "buffer a size 1 MiB\nkernel k(in x[1 MiB]) { grid 3\nblock 64\n"
                            "load 4 at x + 4096 * cta + 128 * warp as v\nwait v }\nlaunch k(a)\n",
                            refresh[i]);
        ck_assert_int_eq(rc, MS_DEADLOCK);
        says(&s, "kernel k: no progress");
        says(&s, "3 blocks resident wait for 6 loads, 0 stores, 0 bulk-copy lines");
        says(&s, "6 requests are in memory, 0 wait for an L2 MSHR");
        says(&s, "SM 0, block 0, warp 0 waits for a load");
        stuck_close(&s);
    }
}
END_TEST

START_TEST(barriers_and_copy_groups_are_named)
{
    stuck_t s;
    int rc = run_losing(&s,
                        "buffer a size 1 MiB\nkernel k(in x[1 MiB]) { grid 1\nblock 64\n"
                        "if warp { load 4 at x lanes 8\nload 4 at x lanes 8 as v }\n"
                        "barrier\nif warp { wait v }\nbarrier }\nlaunch k(a)\n",
                        "memory.refresh=none");
    ck_assert_int_eq(rc, MS_DEADLOCK);
    says(&s, "SM 0, block 0, warp 0 waits for a barrier");
    stuck_close(&s);
    rc = run_losing(&s,
                    "buffer a size 1 MiB\nkernel k(in x[1 MiB]) { grid 1\nblock 64\nagent\n"
                    "tile load at x rows 3 of 128 step 4096\ncommit\nwait group 0 }\nlaunch k(a)\n",
                    "memory.refresh=none");
    ck_assert_int_eq(rc, MS_DEADLOCK);
    says(&s, "1 blocks resident wait for 0 loads, 0 stores, 3 bulk-copy lines");
    says(&s, "SM 0, block 0, warp 0 waits for a copy group");
    stuck_close(&s);
}
END_TEST

START_TEST(a_stuck_write_back_says_so)
{
    /* the L2 is full of dirty lines and memory takes none: stores wait at the slice */
    stuck_t s;
    int rc = run_losing(&s,
                        "buffer a size 4 MiB\nkernel k(out x[4 MiB]) { grid 1\nblock 32\n"
                        "for i in 8192 { store 16 at x + 512 * i } }\nlaunch k(a)\n",
                        "memory.refresh=none");
    ck_assert_int_eq(rc, MS_DEADLOCK);
    says(&s, "0 loads");
    says(&s, "32 requests are in memory"); /* l2.writebacks */
    stuck_close(&s);
}
END_TEST

START_TEST(a_loop_that_takes_no_time_can_be_interrupted)
{
    char path[] = "/tmp/memsim-861-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    fprintf(f, "memsim trace 1\nkernel k() { grid 1\nblock 32\n"
               "for i in 1000000000000000 { if i < 0 { exit } } }\nlaunch k()\n");
    ck_assert_int_eq(fclose(f), 0);
    const volatile int interrupted = 1;
    sim_opt_t o = {.seed = 1, .mode = SIM_EXACT, .threads = 1, .interrupted = &interrupted};
    diag_t d;
    sim_t *s;
    const result_t *res;
    diag_init(&d);
    ck_assert_int_eq(sim_new(&s, ROUND_DEVICE, &o, &d), MS_OK);
    ck_assert_int_eq(sim_run(s, path, &res, &d), MS_INTERRUPTED);
    ck_assert(res->partial);
    unlink(path);
    sim_free(s);
    diag_free(&d);
}
END_TEST

TEST_MAIN("refused and stuck runs", buffers_that_do_not_fit_are_refused_with_the_shortfall,
          the_last_byte_of_the_memory_can_be_used, an_access_past_the_memory_names_its_line,
          a_machine_where_nothing_moves_says_who_waits, barriers_and_copy_groups_are_named,
          a_stuck_write_back_says_so, a_loop_that_takes_no_time_can_be_interrupted)
