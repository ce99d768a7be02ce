/* SPDX-License-Identifier: Apache-2.0
 *
 * The circuit's loop currents, by conjugate gradients with the sparse product in each step; three
 * loops are the lecture's, other sizes a ladder, --in a Matrix Market file. Compared with Gauss's
 * elimination in double precision.
 *
 * systems: B5
 * title: loop currents of a circuit
 * rung: 5
 * sizes: 3 0 1 2 17 200
 * check: 3 17
 * bench: 200
 */
#include "circuit.h"

int
main(int argc, char **argv)
{
    return circuit_main("spmv/circuit", "loop currents of a circuit", 1, argc, argv);
}
