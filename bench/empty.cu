/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch costs: an empty kernel, launched many times, waited for each time and only at the
 * end. Prints one line of JSON for bench/run.py.
 */
#include "../suite/common/suite.h"

__global__ void
nothing(void)
{
}

static double
microseconds(int launches, int wait_each)
{
    double start = suite_seconds();
    for (int i = 0; i < launches; i++) {
        nothing<<<1, 32>>>();
        if (wait_each)
            CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    return 1e6 * (suite_seconds() - start) / launches;
}

int
main(void)
{
    enum { LAUNCHES = 2000, ROUNDS = 7 };
    double queued = 1e9, waited = 1e9;
    nothing<<<1, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < ROUNDS; i++) {
        double a = microseconds(LAUNCHES, 0), b = microseconds(LAUNCHES, 1);
        queued = a < queued ? a : queued;
        waited = b < waited ? b : waited;
    }
    printf("{\"queued_us\":%.3f,\"waited_us\":%.3f}\n", queued, waited);
    return 0;
}
