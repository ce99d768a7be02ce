/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: the commands. One file a command (cli_<name>.c), one row a command in cli_commands.def; this
 * header has what they share: exit codes, the options that all of them take, help and errors.
 * Folders, with the header to begin with; each calls itself and what stands below it (LAYERS):
 *
 *   main/     main(), `help`, `cc`                        main/help.h
 *   grade/    exercises, and the cell they run in         grade/grade.h
 *   tune/     sweeps                                      tune/tune.h
 *   suite/    rungs, claims, figures                      suite/suite.h
 *   access/   patterns of one instruction                 access/access_pattern.h
 *   check/    findings as text                            check/check_view.h
 *   debug/    the debugger: its commands, the program     debug/session.h
 *   launch/   one kernel of a PTX file                    launch/launch_args.h
 *   profile/  counters as text, thresholds                profile/profile_view.h
 *   inspect/  symbols, types, values, expressions of PTX  inspect/value.h
 *   run/      programs: built, started, compared          run/program.h
 *   devices/  devices, occupancy; a model for words       devices/model_cli.h
 *   options/  options, and how commands describe them     options/help_forms.h
 *   text/     lines for a terminal; TOML                  text/console.h
 *
 * A command is a function `int cli_<name>(int argc, char **argv)` with argv[0] = its name; it
 * returns the exit status. It describes itself in a struct cli_usage and calls cli_parse() first.
 * Messages go to stderr, data to stdout.
 */
#ifndef LOCKSTEP_CLI_H
#define LOCKSTEP_CLI_H

#include "base/base.h"

struct device_profile;

/* Exit codes of our own; `run` returns the program's. */
enum cli_exit {
    CLI_OK = 0,
    CLI_FINDINGS = 1, /* findings, a failed verification, a kernel that ended in an error */
    CLI_USAGE = 2,    /* the command line, or a file it names, cannot be used */
    CLI_NOTHING = 3,  /* nothing was done that could be judged */
    CLI_INTERNAL = 70 /* a defect of lockstep, or no memory */
};

struct cli_usage {
    const char *name;              /* "run" */
    const char *synopsis;          /* "[options] [--] PROGRAM [arguments]" */
    const char *text;              /* what it does, a few lines, each ended by a newline */
    const struct option_row *rows; /* its own options; the common ones follow in the help */
    size_t row_count;
    bool words_anywhere; /* options may stand behind words that are none; else the first such
                            word ends them (what follows a program's name is the program's) */
    bool compiles; /* the first word may be a .cu file: the compiler's options are taken before it,
                      and further sources, objects and archives behind it (not where "--" stands
                      before) */
};

/* For the text of a command that has `compiles`. */
#define CLI_COMPILES                                                                               \
    "Before a .cu file the compiler's options are taken, behind it further files for the "         \
    "program:\n"                                                                                   \
    "  lockstep COMMAND -DN=5 -Iinclude -std=c++20 -lm -arch=sm_80 main.cu kernels.cu 1000\n"

/* The common options: values as given or from the environment; NULL or 0 where not. */
struct cli_common {
    const char *cc,
        *gpu;         /* of both the one that counts: the command line's before the environment's */
    const char *json; /* "" and "-": stdout */
    uint32_t devices, workers;
    bool quiet, verbose;
};

struct cli_line {
    struct arena arena; /* freed by cli_line_fini */
    struct cli_common common;
    const char **value; /* per own row: NULL when not given */
    const char **every; /* a row's values when it was given several times: see cli_every */
    size_t *every_row;
    size_t every_count;
    char **words; /* what is no option */
    int word_count;
    const char **compile; /* for the compiler: options, then further files; see struct cli_usage */
    size_t compile_count, compile_options; /* all; those that are options */
    /* an option of the compiler that makes something else; NULL: none */
    const char *not_for_programs;
    bool parted; /* "--" stood before the words */
};

/* Parses argv[1..]. True: go on. False: stop with *exit_status (help was printed, or an error). */
bool cli_parse(const struct cli_usage *usage, int argc, char **argv, struct cli_line *line,
               int *exit_status);
void cli_line_fini(struct cli_line *line);
/* The nth value given on the command line for own row `row`; NULL: not given so often. */
const char *cli_every(const struct cli_line *line, size_t row, size_t nth);
/* Whether the word is the long name of an option of the command, with or without "=value";
 * *takes_value: the value is the next word. */
bool cli_is_option(const struct cli_usage *usage, const char *word, bool *takes_value);
/* The profile that --cc or --gpu choose, else the default one. */
const struct device_profile *cli_device(const struct cli_common *common);
double cli_now(void); /* seconds of a clock that only goes on */
/* Whether the file of an option is stdout: "" or "-"; NULL: not given. */
bool cli_to_stdout(const char *path);
/* Where --json writes: stdout or the file; NULL with *exit_status on failure. */
bool cli_write_json(const struct cli_usage *usage, const char *path, const char *text,
                    int *exit_status);

/* Says on stderr what an exit status that is not 0 means, unless --quiet is given. */
void cli_explain(const struct cli_common *common, const struct cli_usage *usage, int status,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Print "lockstep NAME: text" to stderr and return the exit code. */
int cli_error(const char *name, const struct ls_error *err);
int cli_usage_error(const struct cli_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define COMMAND(name, function, help) int function(int argc, char **argv);
#include "cli/cli_commands.def"
#undef COMMAND

#endif
