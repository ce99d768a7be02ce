/* SPDX-License-Identifier: Apache-2.0
 *
 * check --explore: a program in many schedules.
 */
#ifndef LOCKSTEP_CHECK_EXPLORE_H
#define LOCKSTEP_CHECK_EXPLORE_H

#include "cli/run/program.h"

/* As program_watch under the tool `check`, `count` times, in the schedules gpu, adversarial,
 * random:1, random:2, ... The result has what was found in any of them, once, each with the first
 * schedule that showed it, and what differed from the first run: memory after a launch, what the
 * program printed, how it ended. What differs already where the first schedule is run again is not
 * compared. The program's output is shown once; status and time are of the first run. */
bool check_explore(const struct cli_usage *usage, struct cli_line *line, const char *options,
                   uint64_t count, struct program_result *out, int *status);

#endif
