/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep cc: the compiler driver of src/cc.
 */
#include "cc/cc.h"
#include "cli/cli.h"
#include "cli/options/help_forms.h"

static bool
described(const char *form)
{
    struct arena a = {0};
    struct cli_usage usage = {
        .name = "cc",
        .synopsis = "[options] FILE...",
        .text = "Compiles CUDA C++ for the virtual GPU, with nvcc's options; lockstep-nvcc is the "
                "same command.\n"
                ".cu files are compiled for device and host by clang; .c .cpp .o .a .so files are "
                "handled as by\n"
                "a C++ compiler. Options that are not listed go to the host compiler.\n",
    };
    usage.rows = cc_option_rows(&a, &usage.row_count);
    bool done = help_print(&usage, NULL, 0, form);
    arena_free(&a);
    return done;
}

int
cli_cc(int argc, char **argv)
{
    const char *form = help_form(argc, argv);
    return form && described(form) ? CLI_OK : cc_main(argc, argv);
}
