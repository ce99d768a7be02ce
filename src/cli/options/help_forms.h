/* SPDX-License-Identifier: Apache-2.0
 *
 * How a command describes itself, from the table of its options: --help, its manual page, its part
 * of docs/commands.md, completions of shells. A command asked for --help=FORM answers in that form,
 * which is how the pages are built.
 */
#ifndef LOCKSTEP_CLI_HELP_FORMS_H
#define LOCKSTEP_CLI_HELP_FORMS_H

#include "cli/cli.h"

/* Prints the command's description; form: "text", "man", "markdown", "bash", "zsh",
 * "fish"; "common": the shared rows alone. rows: those that it
 * shares with others. False: no such form. */
bool help_print(const struct cli_usage *usage, const struct option_row *rows, size_t count,
                const char *form);
/* "FORM" of --help=FORM, the only word; else NULL. */
const char *help_form(int argc, char **argv);

/* Text for a manual page: lines that begin with two blanks stay as
 * they are, the others are filled. */
void help_man_text(struct text *out, const char *text);

#endif
