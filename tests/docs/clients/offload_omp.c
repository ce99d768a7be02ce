/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP's target regions by GCC: doubles an array and adds it up. With an argument the sum is no
 * reduction: a race.
 */
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    enum { N = 1000 };
    int *a = malloc(N * sizeof *a), bad = 0, sum = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
    (void)argv;
    if (argc == 1) {
#pragma omp target teams distribute parallel for map(tofrom : a [0:N]) reduction(+ : sum)
        for (int i = 0; i < N; i++) {
            a[i] = 2 * a[i] + 1;
            sum += a[i];
        }
        bad = sum != N * N;
    } else {
#pragma omp target teams distribute parallel for map(tofrom : a [0:N], sum)
        for (int i = 0; i < N; i++) {
            a[i] = 2 * a[i] + 1;
            sum += a[i];
        }
    }
    for (int i = 0; i < N; i++)
        bad += a[i] != 2 * i + 1;
    printf(bad ? "WRONG\n" : "right\n");
    free(a);
    return bad != 0;
}
