/* SPDX-License-Identifier: MIT
 * Plots: data files beside the gnuplot scripts that draw them.  The scripts are the ones in plots/, copied so
 * that the folder can be sent to someone and redrawn by hand. */
#ifndef MEMSIM_REPORT_PLOTS_H
#define MEMSIM_REPORT_PLOTS_H
#include "report/outdir.h"
#include "report/report.h"

/* Write plots/NAME.dat and about.gp (titles and peaks) for every plot the result has data for, copy the scripts
 * from `script_dir`, draw them.  Without gnuplot or scripts the data are kept and a note says so; that is no
 * failure.  script_dir may be NULL. */
int report_plots(outdir_t *o, const result_t *r, const report_load_point_t *p, size_t n_points,
                 const char *script_dir, diag_t *d);
#endif
