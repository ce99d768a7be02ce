/* SPDX-License-Identifier: Apache-2.0
 *
 * constants.h: variables of constant memory without an initial value, of which the host has to
 * write something before a kernel reads them.
 */
#ifndef LOCKSTEP_CHECK_CONSTANTS_H
#define LOCKSTEP_CHECK_CONSTANTS_H

#include "check/check_priv.h"

struct constants *constants_new(void);
void constants_free(struct constants *s);
/* A copy or fill writes to the range, or was meant to. */
void constants_written(struct constants *s, uint64_t address, uint64_t size);
/* A kernel reads constant memory: a warning, where nothing has ever been written to the variable.
 */
void constants_read(const struct visit *v);

#endif
