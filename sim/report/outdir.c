/* SPDX-License-Identifier: MIT
 * Staging and renaming of the output folder. */
#include "report/outdir.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* 1: empty, 0: holds something, -1: cannot be read. */
static int is_empty(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return -1;
    int empty = 1;
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) empty = 0;
    closedir(dir);
    return empty;
}

int outdir_open(outdir_t *o, const char *dir, bool force, diag_t *d)
{
    memset(o, 0, sizeof *o);
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/') len--;
    if (!len || len >= sizeof o->dir) return diag_add(d, MS_USAGE, "-o: not a usable folder name");
    memcpy(o->dir, dir, len);
    struct stat st;
    if (stat(o->dir, &st) == 0 && !S_ISDIR(st.st_mode))
        return diag_add(d, MS_USAGE, "-o %s: is a file, not a folder", o->dir);
    if (!is_dir(o->dir)) {
        if (mkdir(o->dir, 0777) != 0)
            return diag_add(d, MS_USAGE, "-o %s: cannot make the folder: %s", o->dir,
                            strerror(errno));
        o->made_dir = true;
    } else {
        int empty = is_empty(o->dir);
        if (empty < 0)
            return diag_add(d, MS_USAGE, "-o %s: cannot read the folder: %s", o->dir,
                            strerror(errno));
        if (!empty && !force)
            return diag_add(d, MS_USAGE, "-o %s: the folder is not empty; --force writes into it",
                            o->dir);
    }
    snprintf(o->staging, sizeof o->staging, "%s/.memsim-XXXXXX", o->dir);
    if (!mkdtemp(o->staging)) {
        int err = errno;
        if (o->made_dir) rmdir(o->dir);
        return diag_add(d, MS_USAGE, "-o %s: cannot write: %s", o->dir, strerror(err));
    }
    o->open = true;
    return MS_OK;
}

/* Full path of a promised file, below `base`; makes its folder.  False if it does not fit or cannot be made. */
static bool path_in(const char *base, const char *name, char *buf, size_t n)
{
    const char *slash = strchr(name, '/');
    if (slash) {
        int k = snprintf(buf, n, "%s/%.*s", base, (int)(slash - name), name);
        if (k < 0 || (size_t)k >= n) return false;
        if (mkdir(buf, 0777) != 0 && !is_dir(buf)) return false;
    }
    int k = snprintf(buf, n, "%s/%s", base, name);
    return k > 0 && (size_t)k < n;
}

void outdir_expect(outdir_t *o, const char *name)
{
    for (size_t i = 0; i < o->n_files; i++)
        if (strcmp(o->file[i], name) == 0) return;
    if (o->n_files == OUTDIR_FILES || strlen(name) >= sizeof o->file[0]) return;
    snprintf(o->file[o->n_files++], sizeof o->file[0], "%s", name);
}

FILE *outdir_begin(outdir_t *o, const char *name, diag_t *d)
{
    char path[OUTDIR_PATH + 160];
    FILE *f = path_in(o->staging, name, path, sizeof path) ? fopen(path, "w") : NULL;
    if (!f) {
        diag_add(d, MS_USAGE, "%s/%s: cannot write: %s", o->dir, name, strerror(errno));
        return NULL;
    }
    outdir_expect(o, name);
    return f;
}

int outdir_end(outdir_t *o, FILE *f, diag_t *d)
{
    bool bad = ferror(f) != 0;
    if (fclose(f) != 0 || bad)
        return diag_add(d, MS_USAGE, "%s: cannot write: %s", o->dir, strerror(errno));
    return MS_OK;
}

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return;
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char sub[OUTDIR_PATH + 512];
        int k = snprintf(sub, sizeof sub, "%s/%s", path, e->d_name);
        if (k < 0 || (size_t)k >= sizeof sub) continue;
        struct stat st;
        if (lstat(sub, &st) == 0 && S_ISDIR(st.st_mode))
            remove_tree(sub);
        else
            unlink(sub);
    }
    closedir(dir);
    rmdir(path);
}

int outdir_commit(outdir_t *o, diag_t *d)
{
    for (size_t i = 0; i < o->n_files; i++) {
        char from[OUTDIR_PATH + 160], to[OUTDIR_PATH + 160];
        bool ok = path_in(o->staging, o->file[i], from, sizeof from);
        if (ok && access(from, F_OK) != 0) continue; /* promised by another program, not written */
        ok = ok && path_in(o->dir, o->file[i], to, sizeof to) && rename(from, to) == 0;
        if (!ok)
            return diag_add(d, MS_USAGE, "%s/%s: cannot write: %s", o->dir, o->file[i],
                            strerror(errno));
    }
    remove_tree(o->staging);
    o->open = false;
    return MS_OK;
}

void outdir_abandon(outdir_t *o)
{
    if (!o->open) return;
    remove_tree(o->staging);
    if (o->made_dir) rmdir(o->dir);
    o->open = false;
}
