/* SPDX-License-Identifier: MIT
 * Which memsim this is.  The Makefile writes the definitions into an object of their own, so that a commit
 * relinks the program and rebuilds nothing. */
#ifndef MEMSIM_CORE_VERSION_H
#define MEMSIM_CORE_VERSION_H
extern const char memsim_version[]; /* "0.1.0" */
extern const char memsim_commit[];  /* first 12 hex digits, or "unknown" outside a repository */
#endif
