/* SPDX-License-Identifier: MIT
 * memsim show: a device, or a memory file alone, with every parameter. */
#include "cli/cli.h"
#include "cli/device_text.h"

/* A file of [memory] or [dram] sections only is what `memsim dram` takes. */
static bool is_memory_alone(const char *path, arena_t *a)
{
    diag_t quiet;
    diag_init(&quiet);
    ini_doc_t *doc = NULL;
    bool alone = ini_doc_load(&doc, path, a, &quiet) == MS_OK && !ini_doc_count(doc, "gpu") &&
                 !ini_doc_count(doc, "device") && !ini_doc_count(doc, "l2");
    diag_free(&quiet);
    return alone;
}

int verb_show(const cli_t *c, arena_t *a, diag_t *d)
{
    if (c->params_markdown) cli_params_markdown(stdout);
    if (c->stats_markdown) cli_stats_markdown(stdout);
    if (c->params_markdown || c->stats_markdown) return MS_OK;
    if (c->n_operand != 1)
        return diag_add(d, MS_USAGE, "show: needs one DEVICE.ini; memsim show --help");
    const char *path = c->operand[0];
    if (is_memory_alone(path, a)) {
        dram_param_t p;
        ini_section_t *s = NULL;
        int rc = device_load_dram(&p, &s, path, c->set, c->n_set, a, d);
        if (rc) return rc;
        printf("%s: a memory system\n", path);
        memory_write_listing(stdout, &p, s, a);
        return MS_OK;
    }
    device_t *dev = arena_array(a, device_t, 1);
    int rc = device_load(dev, path, c->set, c->n_set, a, d);
    if (rc) return rc;
    device_write_listing(stdout, dev, a);
    return MS_OK;
}
