/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_step.h: one step of an invocation of the driver (cc_main.c), and what its commands are made of
 * (cc_command.c).
 */
#ifndef LOCKSTEP_CC_CC_STEP_H
#define LOCKSTEP_CC_CC_STEP_H

#include "cc/cc_priv.h"

struct step {
    struct cc_args *args;
    const struct cc_tools *tools;
    struct cc_folder *folder;
    struct ls_error err;
    int files; /* numbers intermediate files */
};

/* The path without its folder. */
const char *cc_base_name(const char *path);
/* A file between two steps: in the temporary folder, or where --keep wants it. */
const char *cc_intermediate(struct step *s, const char *path, const char *suffix);
/* What the step makes of the source, where the command line wants it. */
const char *cc_final_name(struct step *s, const char *path, const char *suffix);
/* CC_BY_SUFFIX: an object, an archive, for the linker. */
enum cc_language cc_language_of(const struct cc_args *args, const char *path);
/* The beginning of each command of clang. */
void cc_add_clang(struct step *s, struct words *w);
/* Options of the passes over a .cu file: of both, for the device, for
 * the host; of C and C++ files. */
void cc_add_cuda(struct step *s, struct words *w, const char *path);
void cc_add_unit_id(struct step *s, struct words *w, const char *path, bool device);
void cc_add_ptx_options(struct step *s, struct words *w);
void cc_add_device_options(struct step *s, struct words *w);
void cc_add_host_options(struct step *s, struct words *w);
void cc_add_plain(struct step *s, struct words *w, enum cc_language language);

/* -- cc_mathematics.c: names of <math.h> as arguments of templates
 * --------------------------------- */

/* Whether clang's messages refuse a function of <math.h> because it is the host's, and no intrinsic
 * (__sinf), which host code cannot name in either way. */
bool cc_wants_shared_math(const char *messages);
/* Adds to w the options of a device pass in which each function of <math.h> is one function for
 * host and device. */
void cc_add_shared_math(struct step *s, struct words *w);

/* -- cc_hints.c: the way on behind messages about typical mistakes ----------------------------- */

void cc_tell_hints(const char *messages);

#endif
