/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of findings, as check.c makes and ends it; the rest is in check_priv.h.
 */
#ifndef LOCKSTEP_CHECK_FINDINGS_H
#define LOCKSTEP_CHECK_FINDINGS_H

#include "check/check_priv.h"

struct findings *findings_new(void);
void findings_free(struct findings *f);

#endif
