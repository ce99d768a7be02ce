/* SPDX-License-Identifier: Apache-2.0
 *
 * cc: the compiler driver. It takes nvcc's options and drives clang: every .cu file is compiled
 * twice, for the device to PTX and for the host to an object that carries this PTX in a container
 * (struct ptx_container); programs are linked to liblockstep and so run by themselves.
 *
 * Where to start: cc_main.c has the steps, cc_options.def the options, cc_tools.c clang and the
 * paths, cc_process.c child processes and temporary files.
 */
#ifndef LOCKSTEP_CC_CC_H
#define LOCKSTEP_CC_CC_H

#include "base/base.h"

/* `lockstep cc ...`; argv[0] is the name in messages. Returns the exit status. */
int cc_main(int argc, char **argv);

/* The options in the shape of other commands' ones, for their help; in the arena. */
const struct option_row *cc_option_rows(struct arena *a, size_t *count);

/* How many words an option of the compiler takes that says how a program is compiled (-DN=5, "-I"
 * "dir"): 1 or 2; next: the word behind it, NULL: none. 0: no option that the compiler knows; -1:
 * it makes something else than a program, or says where to (-c, -ptx, -o). Options of the host's
 * compiler (-f..., -m..., -W..., -pthread) count as known. */
int cc_option_words(const char *word, const char *next);

/* Whether a program called argv0 ("/usr/bin/nvcc", "lockstep-nvcc") is the driver itself. */
bool cc_is_driver_name(const char *argv0);

/* Compiles a .cu file, with the options and further files of `extra`, to a program in the cache
 * folder and gives its path; reuses the one of an earlier call when sources, every included file,
 * objects and archives named, options, clang and headers are unchanged. Without a cache folder the
 * program lies in a temporary folder that is removed when this process exits. */
bool cc_build(const char *cu_path, const char *const *extra, size_t n, char *out_path, size_t room,
              struct ls_error *err);

/* What the device pass (else the host's) over a .cu file and the files of `extra` reads once macros
 * are replaced. The compiler's messages go to stderr. False: it does not get so far. */
bool cc_text(const char *cu_path, const char *const *extra, size_t n, bool device, struct text *out,
             struct ls_error *err);

#endif
