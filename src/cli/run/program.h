/* SPDX-License-Identifier: Apache-2.0
 *
 * PROGRAM, the word that `run`, `check` and `profile` take: finding or compiling it, giving it the
 * options as LOCKSTEP_* variables, and running it under a tool (device/tool.c).
 */
#ifndef LOCKSTEP_CLI_PROGRAM_H
#define LOCKSTEP_CLI_PROGRAM_H

#include "cli/cli.h"

/* The path to execute for the word; a .cu file is compiled first, with `extra` options and files
 * (NULL: none). NULL with the reason. */
const char *program_path(struct arena *a, const char *word, const char *const *extra, size_t count,
                         struct ls_error *err);

/* program_path() for the words of a command, and a note where an argument of the program looks like
 * an option of the command or of the compiler. */
const char *program_of_line(const struct cli_usage *usage, struct cli_line *line,
                            struct ls_error *err);
/* Says so where an argument behind the program at `path` looks like one of the command's options or
 * of the compiler's, and the program does not know it: the program gets it all the same
 * (program_note.c). path: what was built, or where that is not known yet the source itself,
 * line->words[0]. */
void program_note(const struct cli_usage *usage, const struct cli_line *line, const char *path);

/* Common options win over the environment; where they say nothing it stays as it is. */
void program_environment(const struct cli_common *c);

/* Is that what --clock takes? NULL: not given. */
bool program_clock_is(const char *text);

/* The option of run, check, profile and launch; a word that it does not take is an error, NULL and
 * "" are the usual schedule. */
#define PROGRAM_SCHEDULE                                                                           \
    {                                                                                              \
        "--schedule", 0, "LOCKSTEP_SCHEDULE", "ORDER",                                             \
            "in which order warps go on: default, gpu (abreast), random:SEED, adversarial"         \
    }
bool program_schedule(const char *text, struct ls_error *err);

/* A program that could not be executed: the reason from errno. */
int program_failed(const struct cli_usage *usage, const char *word);

struct program_result {
    char *json;      /* what the tool wrote, to be freed by ls_release; NULL: nothing */
    int exit_status; /* of the program; 128 + signal when one ended it */
    int signal;
    double seconds; /* from its start to its end */
};

/* Runs line->words under the tool (NULL: none, and no json) and waits. With stdout taken by --json
 * (no file), what the program prints goes to stderr. False: *status says how to end; a message was
 * printed. */
bool program_watch(const struct cli_usage *usage, struct cli_line *line, const char *tool,
                   const char *options, struct program_result *out, int *status);

#endif
