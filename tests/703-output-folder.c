/* SPDX-License-Identifier: MIT
 * The folder of -o: refused when it holds files, untouched by a run that fails, complete after one that does
 * not. */
#include "fake_result.h"
#include "report/outdir.h"
#include "report/plots.h"
#include "test.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[64];

static const char *in(const char *name)
{
    static char path[4][256];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%s", base, name);
    return path[k];
}

static int entries(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return -1;
    int n = 0;
    while (readdir(dir)) n++;
    closedir(dir);
    return n - 2;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void make_base(void)
{
    snprintf(base, sizeof base, "/tmp/memsim-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
}

static void clean_base(void)
{
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", base);
    ck_assert_int_eq(system(cmd), 0);
}

static void touch(const char *path)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("x\n", f);
    fclose(f);
}

/* A folder to write to and a result to write. */
static void make_result(fake_t *f, diag_t *d)
{
    make_base();
    diag_init(d);
    fake_make(f);
}

START_TEST(files_appear_only_at_commit)
{
    make_base();
    static outdir_t o;
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(outdir_open(&o, in("new"), false, &d), MS_OK);
    FILE *f = outdir_begin(&o, "plots/a.dat", &d);
    ck_assert_ptr_nonnull(f);
    fputs("1 2\n", f);
    ck_assert(!exists(in("new/plots/a.dat")));
    ck_assert_int_eq(outdir_end(&o, f, &d), MS_OK);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    ck_assert(exists(in("new/plots/a.dat")));
    ck_assert_int_eq(entries(in("new")), 1); /* no staging folder left */
    diag_free(&d);
    clean_base();
}
END_TEST

START_TEST(abandoned_folder_leaves_no_trace)
{
    make_base();
    static outdir_t o;
    diag_t d;
    diag_init(&d);
    ck_assert_int_eq(outdir_open(&o, in("new"), false, &d), MS_OK);
    FILE *f = outdir_begin(&o, "result.json", &d);
    ck_assert_ptr_nonnull(f);
    outdir_end(&o, f, &d);
    outdir_abandon(&o);
    ck_assert(!exists(in("new")));
    mkdir(in("old"), 0777);
    ck_assert_int_eq(outdir_open(&o, in("old"), false, &d), MS_OK);
    outdir_abandon(&o);
    ck_assert_int_eq(entries(in("old")), 0);
    diag_free(&d);
    clean_base();
}
END_TEST

START_TEST(folder_with_files_needs_force_and_keeps_others)
{
    make_base();
    static outdir_t o;
    diag_t d;
    diag_init(&d);
    mkdir(in("full"), 0777);
    touch(in("full/mine"));
    ck_assert_int_eq(outdir_open(&o, in("full"), false, &d), MS_USAGE);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "not empty"));
    ck_assert_int_eq(entries(in("full")), 1);
    ck_assert_int_eq(outdir_open(&o, in("full"), true, &d), MS_OK);
    FILE *f = outdir_begin(&o, "summary.txt", &d);
    outdir_end(&o, f, &d);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    ck_assert(exists(in("full/mine")) && exists(in("full/summary.txt")));
    diag_free(&d);
    clean_base();
}
END_TEST

START_TEST(file_or_missing_parent_or_read_only_folder_is_refused)
{
    make_base();
    static outdir_t o;
    diag_t d;
    diag_init(&d);
    touch(in("file"));
    ck_assert_int_eq(outdir_open(&o, in("file"), true, &d), MS_USAGE);
    ck_assert_int_eq(outdir_open(&o, in("no/such/parent"), false, &d), MS_USAGE);
    ck_assert_int_eq(outdir_open(&o, "/proc/memsim", false, &d),
                     MS_USAGE); /* read-only to everyone */
    ck_assert_int_eq(outdir_open(&o, "", false, &d), MS_USAGE);
    ck_assert_uint_eq(d.n, 4);
    diag_free(&d);
    clean_base();
}
END_TEST

START_TEST(plots_leave_data_scripts_and_pictures)
{
    static outdir_t o;
    static fake_t f;
    diag_t d;
    make_result(&f, &d);
    const report_load_point_t p[3] = {
        {10, 300, 40, 39, 60}, {50, 1500, 50, 45, 90}, {90, 2900, 120, 100, 400}};
    ck_assert_int_eq(outdir_open(&o, in("out"), false, &d), MS_OK);
    ck_assert_int_eq(report_plots(&o, &f.r, p, 3, "plots", &d), MS_OK);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    static const char *const plot[] = {"bandwidth", "latency", "roofline", "loss", "load"};
    bool have_gnuplot = system("command -v gnuplot >/dev/null 2>&1") == 0;
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        static const char *const ext[] = {"dat", "gp", "svg"};
        for (int e = 0; e < 2 + have_gnuplot; e++) {
            snprintf(name, sizeof name, "out/plots/%s.%s", plot[i], ext[e]);
            ck_assert_msg(exists(in(name)), "%s is missing", name);
        }
    }
    ck_assert(exists(in("out/plots/style.gp")) && exists(in("out/plots/about.gp")));
    if (have_gnuplot) ck_assert_uint_eq(d.n, 0);
    diag_free(&d);
    clean_base();
}
END_TEST

/* Launches of one kernel in one phase are one mark, at its operations over its bytes and over its time. */
START_TEST(a_kernel_has_one_mark_under_the_roofline)
{
    static outdir_t o;
    static fake_t f;
    diag_t d;
    make_result(&f, &d);
    res_kernel_t k[] = {
        {.name = "gemm",
         .phase = "a",
         .count = 2,
         .flops = 3e9,
         .dram_bytes = 1e7,
         .total_ns = 2e4},
        {.name = "add", .phase = "a", .count = 1, .flops = 1e6, .dram_bytes = 4e6, .total_ns = 2e3},
        {.name = "gemm",
         .phase = "a",
         .count = 1,
         .flops = 2e9,
         .dram_bytes = 2e7,
         .total_ns = 2e4},
        {.name = "gemm",
         .phase = "b",
         .count = 1,
         .flops = 1e9,
         .dram_bytes = 1e6,
         .total_ns = 1e4},
        {.name = "copy", .phase = "b", .count = 1, .dram_bytes = 1e6, .total_ns = 1e4},
    };
    for (size_t i = 0; i < 5; i++) k[i].in_summary = true;
    f.r.kernels = k;
    f.r.n_kernels = 5;
    f.r.time_ns = 1e5;
    ck_assert_int_eq(outdir_open(&o, in("out"), false, &d), MS_OK);
    ck_assert_int_eq(report_plots(&o, &f.r, NULL, 0, "plots", &d), MS_OK);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    FILE *dat = fopen(in("out/plots/roofline.dat"), "r");
    ck_assert_ptr_nonnull(dat);
    static const char *const want[] = {
        "# flop_per_dram_byte TFLOP/s share_of_time name\n",
        "200 200 0.4 \"a gemm\"\n", /* 8 GFLOP over 40 MB and 40 us */
        "1000 100 0.1 \"b gemm\"\n",
        "0.25 0.5 0.02 \"a add\"\n",
    };
    char line[200];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, dat));
        ck_assert_str_eq(line, want[i]);
    }
    ck_assert_ptr_null(fgets(line, sizeof line, dat)); /* no operations, no mark */
    fclose(dat);
    diag_free(&d);
    clean_base();
}
END_TEST

static bool file_says(const char *path, const char *text)
{
    static char all[1 << 20];
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    all[fread(all, 1, sizeof all - 1, f)] = '\0';
    fclose(f);
    return strstr(all, text) != NULL;
}

/* Each unit that a kernel is held against has a roof, the highest first, with its name on it. */
START_TEST(a_roof_says_which_unit_it_is)
{
    static outdir_t o;
    static fake_t f;
    diag_t d;
    make_result(&f, &d);
    ck_assert_uint_ge(f.r.n_kernels, 4);
    for (size_t i = 0; i < f.r.n_kernels; i++) {
        f.kernels[i].unit = i == 1 ? "tensor_fp16" : i == 3 ? "" : "fp64";
        f.kernels[i].peak_TFLOPs = i == 1 ? 989 : i == 3 ? (double)NAN : 33.5;
    }
    ck_assert_int_eq(outdir_open(&o, in("out"), false, &d), MS_OK);
    ck_assert_int_eq(report_plots(&o, &f.r, NULL, 0, "plots", &d), MS_OK);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    ck_assert(file_says(in("out/plots/about.gp"),
                        "roof_TFLOPs = '989 33.5'\nroof_units = '\"tensor fp16\" \"fp64\"'\n"));
    if (system("command -v gnuplot >/dev/null 2>&1") == 0) {
        ck_assert(file_says(in("out/plots/roofline.svg"), "989 TFLOP/s tensor fp16"));
        ck_assert(file_says(in("out/plots/roofline.svg"), "33.5 TFLOP/s fp64"));
    }
    diag_free(&d);
    clean_base();
}
END_TEST

START_TEST(without_gnuplot_data_and_scripts_are_kept_with_a_note)
{
    static outdir_t o;
    static fake_t f;
    diag_t d;
    make_result(&f, &d);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", base, 1); /* no programs at all */
    ck_assert_int_eq(outdir_open(&o, in("out"), false, &d), MS_OK);
    ck_assert_int_eq(report_plots(&o, &f.r, NULL, 0, "plots", &d), MS_OK);
    ck_assert_int_eq(outdir_commit(&o, &d), MS_OK);
    setenv("PATH", path, 1);
    free(path);
    ck_assert_uint_eq(d.n, 1);
    ck_assert_ptr_nonnull(strstr(d.msg[0], "gnuplot not found"));
    ck_assert_int_eq(d.worst, MS_OK);
    ck_assert(exists(in("out/plots/loss.dat")) && exists(in("out/plots/loss.gp")) &&
              !exists(in("out/plots/loss.svg")));
    ck_assert(!exists(in("out/plots/load.dat"))); /* no load points: no empty file */
    diag_free(&d);
    clean_base();
}
END_TEST

TEST_MAIN("output-folder", files_appear_only_at_commit, abandoned_folder_leaves_no_trace,
          folder_with_files_needs_force_and_keeps_others,
          file_or_missing_parent_or_read_only_folder_is_refused,
          plots_leave_data_scripts_and_pictures, a_kernel_has_one_mark_under_the_roofline,
          a_roof_says_which_unit_it_is, without_gnuplot_data_and_scripts_are_kept_with_a_note)
