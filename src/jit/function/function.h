/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/function: a whole warp function, block after block.
 */
#ifndef LOCKSTEP_JIT_FUNCTION_H
#define LOCKSTEP_JIT_FUNCTION_H

#include "jit/values/values.h"

/* -- function.c -------------------------------------------------------------------------------- */

/* Emits `name` into e.module; fills frame_bytes. c->form.called: as a function that others call. */
bool core_function(struct core *c, const char *name);

#endif
