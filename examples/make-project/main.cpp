/* SPDX-License-Identifier: Apache-2.0 */
#include "saxpy.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

void report();

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 0;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 100);
        y[i] = (float)(i % 7);
    }
    report();
    if (!saxpy(n, 2.0f, x.data(), y.data()))
        return 2;
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2.0f * (float)(i % 100) + (float)(i % 7);
    printf("%d elements, %d wrong\n", n, wrong);
    return wrong != 0;
}
