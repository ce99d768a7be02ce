/* SPDX-License-Identifier: Apache-2.0
 *
 * What --help, `lockstep help TOPIC`, the manual pages and the completions of shells say. All of it is
 * made from the tables: cli_commands.def, each command's options, help_topics.def, environment.def. A
 * command asked for --help=FORM describes itself in that form, which is how the pages are built.
 */
#ifndef LOCKSTEP_CLI_HELP_H
#define LOCKSTEP_CLI_HELP_H

#include "cli/cli.h"

/* Prints the command's description; form: "text", "man", "markdown", "bash", "zsh",
 * "fish"; "common": the shared rows alone. rows: those that it
 * shares with others. False: no such form. */
bool help_print(const struct cli_usage *usage, const struct option_row *rows, size_t count,
                const char *form);
/* "FORM" of --help=FORM, the only word; else NULL. */
const char *help_form(int argc, char **argv);

/* `lockstep help [TOPIC]`; also --man [COMMAND] and --completion SHELL, for the build,
 * and --markdown, for docs/commands.md. */
int help_main(int argc, char **argv);

/* Text for a manual page: lines that begin with two blanks stay as they are, the others are filled. */
void help_man_text(struct text *out, const char *text);

/* The function of a command of the table; NULL: there is none of that name. */
int (*help_command(const char *name))(int argc, char **argv);
/* "no command X; did you mean Y?" */
int help_unknown(const char *word);

#endif
