/* SPDX-License-Identifier: MIT
 * Kernels of several streams at the same time.
 *
 * Work of one stream runs in order; work of different streams runs side by side unless events order it.  The host is
 * taken to run ahead of the device: it issues commands in the order of the file, 1,024 of them at most before one is
 * done.  A launch begins a launch gap after what it had to wait for, in its own stream or through an event.
 *
 * Only a group (overlap.h) is played so (streams_play.c); launches that nothing can overlap with go the ordinary way,
 * one by one.  A group is simulated in full, once for all groups like it.  If that is beyond the budget of the run its
 * launches are played one after another, as though they were of one stream, and the result says so. */
#include "machine/streams.h"
#include <stdlib.h>
#include <string.h>

#define GROUP_BUDGET 40 /* all groups together: as many line requests as so many kernels may take */

/* Record of the groups with this sign; n_rec: none. */
static size_t find_group(const run_t *r, const uint64_t sign[2])
{
    size_t i = sign[0] ? 0 : r->n_rec;
    for (; i < r->n_rec; i++) {
        const struct group *g = r->rec[i].group;
        if (g && g->sign[0] == sign[0] && g->sign[1] == sign[1]) break;
    }
    return i;
}

static size_t new_group(run_t *r, const uint64_t sign[2])
{
    static const int64_t none = 0;
    krec_t k = {.def = UINT32_MAX - 1, .arg = &none, .name = "several streams"};
    k.group = arena_alloc(r->arena, sizeof *k.group);
    memcpy(k.group->sign, sign, sizeof k.group->sign);
    return run_new_rec(r, &k);
}

/* Another group like one that was simulated. */
static int repeat(run_t *r, size_t rec, uint32_t last)
{
    const struct group *g = r->rec[rec].group;
    wcmd_t c;
    uint32_t cls;
    for (size_t i = 0; i < g->n_member; i++) r->rec[g->member[i].rec].count += g->member[i].n;
    r->rec[rec].gap_ps += g->idle_ps;
    r->n_grouped += g->launches;
    while (r->n_work < last && ahead_take(r, &c, &cls)) {
        r->n_work += overlap_is_work(&c);
        int rc = overlap_is_work(&c) ? MS_OK : run_command(r, &c);
        if (rc) return rc;
    }
    return MS_OK;
}

/* One after another. */
static int serialize(run_t *r, uint32_t last)
{
    wcmd_t c;
    int rc = MS_OK;
    while (!rc && !r->partial && r->n_work < last && !(rc = streams_next(r, &c))) {
        r->n_work += overlap_is_work(&c);
        if (overlap_is_work(&c)) {
            size_t i = 0, max = sizeof r->serialized_streams / sizeof *r->serialized_streams;
            r->serialized++;
            while (i < r->n_serialized_streams && i < max && r->serialized_streams[i] != c.stream)
                i++;
            if (i == r->n_serialized_streams && i < max)
                r->serialized_streams[r->n_serialized_streams++] = c.stream;
            else if (i == max)
                r->n_serialized_streams = (uint32_t)max + 1; /* and others */
        }
        rc = run_command(r, &c);
    }
    return rc;
}

int streams_play(run_t *r, const wcmd_t *first)
{
    const uint32_t last = r->groups[r->next_group++].last;
    uint64_t sign[2];
    double need;
    bool over, more;
    r->n_work--; /* the first is played like the others */
    if (!r->touch_kept) r->touch_kept = arena_array(r->arena, struct touch, r->cap_touch);
    memcpy(r->touch_kept, r->touch, r->cap_touch * sizeof *r->touch);
    size_t n_touched = r->n_touch;
    int rc = ahead_read(r, first, last, GROUP_BUDGET * (double)r->group_unit_lines, sign, &need,
                        &over, &more);
    if (rc) return rc;
    if (over || more) sign[0] = sign[1] = 0;
    size_t rec = find_group(r, sign);
    bool known = rec < r->n_rec;
    if (!r->exact && !known && (over || more || need > r->group_budget_lines)) {
        memcpy(r->touch, r->touch_kept, r->cap_touch * sizeof *r->touch);
        r->n_touch = n_touched; /* cache classes are found as each comes */
        return serialize(r, last);
    }
    if (!known) rec = new_group(r, sign);
    const gpu_param_t *g = &r->sys->dev->gpu;
    krec_t *k = &r->rec[rec];
    const ps_t gap = !r->n_inst ? 0 : first->graph ? g->launch_gap_graph : g->launch_gap_stream;
    k->gap_ps += (double)gap;
    k->count++;
    run_add_inst(r, rec, gap);
    if (known && !r->exact) {
        levels_repeat(r, &r->rec[rec]);
        rc = repeat(r, rec, last);
    } else {
        r->group_budget_lines -= need;
        if (known) k->group->n_member = k->group->launches = 0;
        rc = streams_simulate(r, rec, last);
    }
    r->traffic +=
        (double)(r->rec[rec].group->all.l2.read_bytes + r->rec[rec].group->all.l2.write_bytes);
    return rc;
}

/* ---- before and beside ---- */
void streams_open(run_t *r)
{
    r->overlap = overlap_new();
    r->group_unit_lines = r->budget_lines; /* --sample changes it from kernel to kernel */
    r->group_budget_lines = GROUP_BUDGET * (double)r->budget_lines;
}

int streams_prescan(run_t *r)
{
    if (workload_is_raw(r->wl)) return MS_OK;
    wcmd_t c;
    for (;;) {
        int rc = workload_next(r->wl, &c, r->diag);
        if (rc) return rc;
        if (c.kind == WC_END) break;
        overlap_add(r->overlap, &c);
        if (c.kind == WC_LAUNCH) r->launches_total++;
    }
    if (!workload_rewind(r->wl))
        return diag_add(r->diag, MS_INPUT, "the workload cannot be read twice");
    return MS_OK;
}

void streams_found(run_t *r)
{
    r->groups = overlap_groups(r->overlap, &r->n_groups);
}

int streams_next(run_t *r, wcmd_t *c)
{
    uint32_t cls;
    return ahead_take(r, c, &cls) ? MS_OK : workload_next(r->wl, c, r->diag);
}

bool streams_begins(run_t *r, const wcmd_t *c)
{
    if (!overlap_is_work(c)) return false;
    r->n_work++;
    return r->next_group < r->n_groups && r->groups[r->next_group].first == r->n_work;
}

void streams_free(run_t *r)
{
    overlap_free(r->overlap);
    r->overlap = NULL;
    if (r->ahead) {
        free(r->ahead->c);
        free(r->ahead->cls);
        *r->ahead = (ahead_t){0};
    }
}
