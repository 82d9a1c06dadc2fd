/* SPDX-License-Identifier: MIT
 * Energy of a memory: so much per command, so much per bit on the pins, so much per second.
 *
 * The model is the one of O'Connor et al. (MICRO-50, 2017, doi:10.1145/3123939.3124545): a row activation, the
 * movement of a burst between the row buffer and the edge of the die, and the bits on the pins are paid
 * separately, so that locality and width change energy on their own; refresh and standby come on top.  Every
 * part is linear in a counter, hence energy is never negative, never falls, and its parts sum to the total. */
#include "dram/spec.h"
#include <string.h>

enum { PART_ACTIVATE, PART_READ, PART_WRITE, PART_REFRESH, PART_BACKGROUND, PART_IO };

const char *const dram_energy_names[8] = {
    [PART_ACTIVATE] = "activate",     [PART_READ] = "read",
    [PART_WRITE] = "write",           [PART_REFRESH] = "refresh",
    [PART_BACKGROUND] = "background", [PART_IO] = "io",
};

/* An all-bank refresh does all banks of a rank; a per-bank one does one of them, DDR5's same-bank refresh one in
 * every bank group. */
static double per_bank_share(const dram_param_t *p)
{
    return 1.0 / (double)(p->standard == DRAM_DDR5 ? p->banks_per_group
                                                   : p->banks_per_group * p->bank_groups);
}

double dram_energy_pj(const dram_spec_t *s, const dram_stats_t *st, ps_t elapsed, double part[8])
{
    const dram_param_t *p = &s->p;
    double bits = 8.0 * (double)s->burst_bytes * (double)(st->read_bursts + st->write_bursts);
    double refreshes = (double)st->ref_ab + (double)st->ref_pb * per_bank_share(p);
    memset(part, 0, 8 * sizeof part[0]);
    part[PART_ACTIVATE] = (double)st->act * p->act_energy;
    part[PART_READ] = (double)st->read_bursts * p->rd_energy;
    part[PART_WRITE] = (double)st->write_bursts * p->wr_energy;
    part[PART_REFRESH] = refreshes * p->ref_energy;
    part[PART_BACKGROUND] = p->background_power * (double)elapsed; /* W x ps = pJ */
    part[PART_IO] = bits * p->io_energy_per_bit;
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    return sum;
}
