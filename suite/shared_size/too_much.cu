/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch that asks for more shared memory than a block may have does not start. It returns
 * nothing: the error is waiting for whoever asks with cudaGetLastError. The program finds the last
 * size that works and the first one that does not, and shows that the kernel has not run then and
 * that the next launch works.
 * --size: bytes beyond the limit that are asked for.
 *
 * systems: C5
 * title: too much asked for: the runtime's error
 * rung: 5
 * sizes: 1 17 100 1000 4096
 * expect: api-error
 * check: 17
 */
#include "../common/suite.h"

__global__ void
mark(int *at)
{
    extern __shared__ int s[];
    s[0] = 1;
    *at = s[0];
}

/* The error of a launch with that many bytes, and whether the kernel ran. */
static cudaError_t
try_launch(int *at, size_t bytes, int *ran)
{
    CHECK(cudaMemset(at, 0, sizeof *at));
    mark<<<1, 1, bytes>>>(at);
    cudaError_t error = cudaGetLastError();
    CHECK(cudaDeviceSynchronize());
    suite_download(ran, at, 1);
    return error;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("shared_size/too_much", "more shared memory than a block may have",
                                 1, NULL, 0, argc, argv);
    size_t least = sizeof(int), limit = s.device.sharedMemPerBlock, most = limit;
    int ran = 0, *at = suite_device<int>(1);
    /* 1.x takes some bytes of it for parameters: look for the last size that works. */
    while (most > least && try_launch(at, most, &ran) != cudaSuccess)
        most -= 4;
    suite_expect(&s, ran == 1, "the largest size runs");
    cudaError_t error = try_launch(at, limit + s.size[0], &ran);
    suite_expect(&s, error == cudaErrorInvalidValue, "too much is cudaErrorInvalidValue");
    suite_expect(&s, ran == 0, "the kernel has not run");
    suite_say(&s, "%zu bytes: works\n%zu bytes: %s (%s)\n", most, limit + s.size[0],
              cudaGetErrorName(error), cudaGetErrorString(error));
    suite_expect(&s, cudaGetLastError() == cudaSuccess, "the error is told once");
    suite_expect(&s, try_launch(at, least, &ran) == cudaSuccess && ran == 1,
                 "the next launch works");
    suite_figure(&s, "limit of a block", limit);
    suite_figure(&s, "largest size that runs", most);
    suite_figure(&s, "error", error);
    CHECK(cudaFree(at));
    return suite_end(&s);
}
