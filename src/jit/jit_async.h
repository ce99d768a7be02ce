/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: asynchronous instructions (jit_async.c).
 */
#ifndef LOCKSTEP_JIT_ASYNC_H
#define LOCKSTEP_JIT_ASYNC_H

#include "jit/jit_core.h"
#include "jit/jit_value.h"

bool async_insn(struct core *c, const struct flow_insn *i);

#endif
