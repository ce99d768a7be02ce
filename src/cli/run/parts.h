/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h: a program of several processes under check: each keeps a journal; here they become one
 * result.
 */
#ifndef LOCKSTEP_PARTS_H
#define LOCKSTEP_PARTS_H

#include <jansson.h>
#include <sys/types.h>

/* From the journals in the folder ("PID", and "PID.1" of what that process became by exec), which
 * are removed: findings of the same kind between the same places are one, counted; `first` is the
 * process whose result comes first. NULL: there are none. To be freed by ls_release. */
char *parts_join(const char *folder, pid_t first);
/* Adds the findings and sums of one result to another's. */
void parts_add(json_t *to, const json_t *from);

#endif
