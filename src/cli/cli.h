/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands. Each is int cli_NAME(int argc, char **argv), argv[0] being the command's own name;
 * the result is lockstep's exit status. cli_commands.def lists them; main.c dispatches.
 */
#ifndef LOCKSTEP_CLI_H
#define LOCKSTEP_CLI_H

#include "base/base.h"

#define COMMAND(name, function, help) int function(int argc, char **argv);
#include "cli/cli_commands.def"
#undef COMMAND

/* Exit statuses of our own. */
enum { CLI_OK = 0, CLI_FINDINGS = 1, CLI_USAGE = 2, CLI_NOTHING = 3, CLI_INTERNAL = 70 };

#endif
