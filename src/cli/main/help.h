/* SPDX-License-Identifier: Apache-2.0
 *
 * What `lockstep help` and `lockstep help TOPIC` say, and which commands there are. All of it is
 * made from the tables: cli_commands.def, each command's options (options/help_forms.h),
 * help_topics.def, environment.def.
 */
#ifndef LOCKSTEP_CLI_HELP_H
#define LOCKSTEP_CLI_HELP_H

/* `lockstep help [TOPIC]`; also --man [COMMAND] and --completion SHELL, for the build,
 * and --markdown, for docs/commands.md. */
int help_main(int argc, char **argv);

/* The function of a command of the table; NULL: there is none of that name. */
int (*help_command(const char *name))(int argc, char **argv);
/* "no command X; did you mean Y?" */
int help_unknown(const char *word);

#endif
