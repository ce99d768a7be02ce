/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep cc: the compiler driver of src/cc.
 */
#include "cc/cc.h"
#include "cli/cli.h"

int
cli_cc(int argc, char **argv)
{
    return cc_main(argc, argv);
}
