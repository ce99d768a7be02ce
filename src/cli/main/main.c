/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep COMMAND ...: finds the command's row in cli_commands.def and calls it. Called by the
 * name of a compiler driver (nvcc, lockstep-nvcc), the whole command line is the driver's.
 */
#include "cli/cli.h"
#include "cli/text/console.h"
#include "cli/main/help.h"

#include "cc/cc.h"

#include <stdio.h>
#include <string.h>

static int
dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "lockstep: no command given\ntry: lockstep --help\n");
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        printf("lockstep %s\n", LOCKSTEP_VERSION);
        return CLI_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help_main(1, argv);
    if (strcmp(word, "help") == 0)
        return help_main(argc - 1, argv + 1);
    int (*command)(int, char **) = help_command(word);
    return command ? command(argc - 1, argv + 1) : help_unknown(word);
}

int
main(int argc, char **argv)
{
    if (argc > 0 && cc_is_driver_name(argv[0]))
        return cc_main(argc, argv);
    console_fold();
    int status = dispatch(argc, argv);
    /* A full disk or a closed pipe behind stdout shows here at the latest. */
    if (fflush(stdout) != 0 && status == CLI_OK) {
        perror("lockstep: writing the output");
        status = CLI_INTERNAL;
    }
    return status;
}
