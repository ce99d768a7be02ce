/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep COMMAND ...: finds the command's row in cli_commands.def and calls it. Called by the
 * name of a compiler driver (nvcc, lockstep-nvcc), the whole command line is the driver's.
 */
#include "cli/cli.h"

#include "cc/cc.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
#define COMMAND(name, function, help) {#name, function, help},
#include "cli/cli_commands.def"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static int
help(void)
{
    printf("usage: lockstep COMMAND [options] [--] PROGRAM [arguments]\n\n"
           "A virtual GPU: runs CUDA C programs on this computer's processor.\n"
           "PROGRAM is a .cu file or a program built by `lockstep cc`.\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-12s%s\n", commands[i].name, commands[i].help);
    printf("\n`lockstep COMMAND --help` says what a command takes; `lockstep --version` the version.\n"
           "Exit codes: 0 fine, 1 findings or failure, 2 usage, 3 nothing done, 70 internal error.\n");
    return CLI_OK;
}

static int
unknown(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    const char *near = ls_nearest(word, names, COMMAND_COUNT);
    fprintf(stderr, "lockstep: %s \"%s\"", word[0] == '-' ? "unknown option" : "no command", word);
    if (near)
        fprintf(stderr, "; did you mean \"%s\"?", near);
    else if (ls_ends_with(word, ".cu"))
        fprintf(stderr, "; to run a program: lockstep run %s", word);
    fprintf(stderr, "\ntry: lockstep --help\n");
    return CLI_USAGE;
}

static const struct command *
find(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int
dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "lockstep: no command given\ntry: lockstep --help\n");
        return CLI_USAGE;
    }
    const char *word = argv[1];
    bool wants_help = strcmp(word, "help") == 0;
    if (strcmp(word, "--version") == 0) {
        printf("lockstep %s\n", LOCKSTEP_VERSION);
        return CLI_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (wants_help && argc == 2))
        return help();
    const struct command *c = find(wants_help ? argv[2] : word);
    if (!c)
        return unknown(wants_help ? argv[2] : word);
    if (wants_help)
        return c->function(2, (char *[]){argv[2], "--help", NULL});
    return c->function(argc - 1, argv + 1);
}

int
main(int argc, char **argv)
{
    if (argc > 0 && cc_is_driver_name(argv[0]))
        return cc_main(argc, argv);
    int status = dispatch(argc, argv);
    /* A full disk or a closed pipe behind stdout shows here at the latest. */
    if (fflush(stdout) != 0 && status == CLI_OK) {
        perror("lockstep: writing the output");
        status = CLI_INTERNAL;
    }
    return status;
}
