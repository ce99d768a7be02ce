/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/clients.md: GCC's OpenACC offloading.
 */
#include <openacc.h>
#include <stdio.h>

enum { N = 1000 };

int
main(void)
{
    static float x[N], y[N];
    int wrong = acc_get_num_devices(acc_device_nvidia) < 1;
    for (int k = 0; k < N; k++) {
        x[k] = (float)k;
        y[k] = 2;
    }
#pragma acc parallel loop copyin(x) copy(y)
    for (int k = 0; k < N; k++)
        y[k] += 3 * x[k];
    for (int k = 0; k < N; k++)
        wrong += y[k] != 2 + 3 * (float)k;
    puts(wrong ? "WRONG" : "right");
    return wrong != 0;
}
