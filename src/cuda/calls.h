/* SPDX-License-Identifier: Apache-2.0
 *
 * calls: what api.c and calls.c say to each other. Apart from driver.h, because calls.c must not
 * see the API's prototypes.
 */
#ifndef LOCKSTEP_CUDA_CALLS_H
#define LOCKSTEP_CUDA_CALLS_H

#include <stdbool.h>

/* Callers cast what they get to the type of the call they asked for. */
typedef void (*cu_call)(void);
/* The newest form of the call that the version (CUDA_VERSION) knows; symbol may be an exported
 * name too. NULL: none, *known: but a newer version has it. */
cu_call cu_find_call(const char *symbol, int version, bool *known);
/* Ends a refused call. */
int cu_refused(const char *call, const char *why);

#endif
