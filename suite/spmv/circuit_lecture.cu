/* SPDX-License-Identifier: Apache-2.0
 *
 * The circuit as the slide solves it: i = inverse(Z) (-v). From Z i = v follows i = inverse(Z) v:
 * all currents have the wrong sign. No check sees that.
 *
 * systems: B5
 * title: listing: the voltages' sign is wrong
 * rung: 31
 * sizes: 3 1 2 17 200
 * check: 3 17
 * bench: 200
 * result: wrong
 */
#include "circuit.h"

int
main(int argc, char **argv)
{
    return circuit_main("spmv/circuit_lecture", "loop currents, wrong sign", -1, argc, argv);
}
