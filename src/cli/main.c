/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep COMMAND ...: finds the command in cli_commands.def and calls it.
 */
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"
#include "cli/cli.h"

static const struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, function, help) {#name, help, function},
#include "cli/cli_commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void
usage(FILE *to)
{
    fprintf(to, "usage: lockstep COMMAND [options]\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(to, "\n`lockstep COMMAND --help` tells a command's options.\n");
}

int
main(int argc, char **argv)
{
    const char *names[COMMANDS];
    if (cc_is_driver_name(argv[0])) /* a link to this program called nvcc or lockstep-nvcc */
        return cc_main(argc, argv);
    if (argc < 2) {
        usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return CLI_OK;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    }
    const char *near = ls_nearest(argv[1], names, COMMANDS);
    fprintf(stderr, near ? "lockstep: unknown command '%s' (did you mean %s?)\n"
                         : "lockstep: unknown command '%s' (see lockstep --help)\n",
            argv[1], near);
    return CLI_USAGE;
}
