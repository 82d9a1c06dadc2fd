/* SPDX-License-Identifier: MIT
 * Drawing the progress bar, ten times a second at most. */
#include "cli/progress.h"
#include "report/fmt.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_COLUMNS 30

static double host_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_start(progress_t *p, bool wanted)
{
    const char *term = getenv("TERM");
    memset(p, 0, sizeof *p);
    p->on = wanted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    p->start_s = host_s();
    p->next_draw_s = p->start_s + 0.3; /* a short run shows no bar at all */
}

void progress_show(void *ctx, const sim_progress_t *s)
{
    progress_t *p = ctx;
    if (!p->on) return;
    double now = host_s();
    if (now < p->next_draw_s) return;
    p->next_draw_s = now + 0.1;
    double done = s->done < 0 ? 0 : s->done > 1 ? 1 : s->done;
    int full = (int)(done * BAR_COLUMNS);
    fputs("\r\033[K[", stderr);
    for (int i = 0; i < BAR_COLUMNS; i++) fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%  %s simulated  %s", done * 100, fmt_ns(s->sim_ns).s,
            fmt_si(s->requests_per_s, "req/s").s);
    if (done > 0.02) {
        double left = (now - p->start_s) * (1 - done) / done;
        fprintf(stderr, "  %d:%02d left", (int)left / 60, (int)left % 60);
    }
    if (s->what) fprintf(stderr, "  %.24s", s->what);
    fflush(stderr);
    p->drawn = true;
}

void progress_end(progress_t *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
}
