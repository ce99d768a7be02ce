/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h: a line for each case of the programs of this folder; `failures` counts those that went
 * wrong.
 */
#include <cstdio>

static int failures;

static void
report(const char *name, bool good)
{
    cudaError_t e = cudaDeviceSynchronize();
    failures += !good || e != cudaSuccess;
    printf("%s %s %s\n", good && e == cudaSuccess ? "PASS" : "FAIL", name, cudaGetErrorName(e));
}
