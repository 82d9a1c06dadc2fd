/* SPDX-License-Identifier: MIT
 * Terminal, messages and files, as every verb needs them. */
#include "cli/cli.h"
#include "core/version.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

volatile int cli_interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    cli_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_interrupt;
    sa.sa_flags = SA_RESTART | (int)SA_RESETHAND; /* the second Ctrl-C ends the program */
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL); /* batch systems: a partial result is better than none */
}

report_env_t cli_report_env(const cli_t *c, FILE *f)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool tty = isatty(fileno(f)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
    return (report_env_t){memsim_version, memsim_commit, c->verbosity, tty, true};
}

void cli_flush_diag(diag_t *d, bool quiet)
{
    bool fault = d->worst != MS_OK;
    for (size_t i = 0; i < d->n && (fault || !quiet); i++)
        fprintf(stderr, "memsim: %s\n", d->msg[i]);
    if (d->suppressed) fprintf(stderr, "memsim: %zu more messages not shown\n", d->suppressed);
    diag_free(d);
    diag_init(d);
}

static const char *folder_with_scripts(const char *dir, const char *below, arena_t *a)
{
    const char *path = arena_printf(a, "%s%s", dir, below),
               *file = arena_printf(a, "%s/style.gp", path);
    return access(file, R_OK) == 0 ? path : NULL;
}

const char *cli_script_dir(const cli_t *c, arena_t *a)
{
    const char *env = getenv("MEMSIM_PATH"), *found = NULL;
    if (env && *env) found = folder_with_scripts(env, "/plots", a);
    /* argv[0] has a slash unless the shell found the program in PATH; the kernel knows the file either way */
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *self = c->program;
    if (n > 0) {
        exe[n] = '\0';
        self = exe;
    }
    const char *slash = self ? strrchr(self, '/') : NULL;
    if (slash) {
        const char *dir = arena_printf(a, "%.*s", (int)(slash - self), self);
        /* beside the program, in the source tree above build/VARIANT, or installed */
        static const char *const below[] = {"/plots", "/../plots", "/../../plots",
                                            "/../share/memsim/plots"};
        for (size_t i = 0; i < sizeof below / sizeof below[0] && !found; i++)
            found = folder_with_scripts(dir, below[i], a);
    }
    return found ? found : folder_with_scripts(".", "/plots", a);
}
