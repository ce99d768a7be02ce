/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of the device, tried: a launch at each limit must work, one beyond it must be refused
 * with an error. Threads a block and in each of its dimensions, blocks in y and z of the grid,
 * shared memory a block, constant memory. Prints the table of what the device says and what was
 * tried.
 *
 * systems: A1
 * title: launches at each limit and one beyond
 * rung: 1
 * sizes: 0 1 17 100 1000
 * check: 17
 */
#include "../common/suite.h"

__global__ void
count(int *out, int n)
{
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int i = block * (blockDim.x * blockDim.y * blockDim.z) + t;
    if (i < n)
        out[i] = i + 1;
}

/* Whether that launch runs; the error of one that does not is taken away. */
static bool
runs(struct suite *s, dim3 grid, dim3 block, size_t shared_bytes, int *out, int n)
{
    count<<<grid, block, shared_bytes>>>(out, n);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    suite_expect(s,
                 error == cudaSuccess || error == cudaErrorInvalidConfiguration ||
                     error == cudaErrorInvalidValue,
                 "a launch runs or is refused");
    return error == cudaSuccess;
}

/* One limit: the launch that reaches it, the one that exceeds it. */
static void
try_limit(struct suite *s, const char *what, size_t limit, bool reached, bool exceeded)
{
    suite_say(s, "%-32s %12zu  %s, %s\n", what, limit, reached ? "runs" : "REFUSED",
              exceeded ? "ONE MORE RUNS" : "one more is refused");
    suite_expect(s, reached, what);
    suite_expect(s, !exceeded, what);
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("limits/edges", "launches at each limit", 1000, NULL, 0, argc, argv);
    const struct cudaDeviceProp *d = &s.device;
    int n = s.size[0], most = d->maxThreadsPerBlock;
    int *out = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    suite_say(&s, "%-32s %12s\n", "limit", d->name);
    try_limit(&s, "threads of a block", most, runs(&s, 1, most, 0, out, n),
              runs(&s, 1, most + 1, 0, out, n));
    for (int axis = 0; axis < 3; axis++) {
        static const char *const names[] = {"threads of a block in x", "threads of a block in y",
                                            "threads of a block in z"};
        unsigned at[3] = {1, 1, 1};
        at[axis] = d->maxThreadsDim[axis];
        bool reached = runs(&s, 1, dim3(at[0], at[1], at[2]), 0, out, n);
        at[axis]++;
        try_limit(&s, names[axis], at[axis] - 1, reached,
                  runs(&s, 1, dim3(at[0], at[1], at[2]), 0, out, n));
    }
    try_limit(&s, "blocks of a grid in y", d->maxGridSize[1],
              runs(&s, dim3(1, d->maxGridSize[1]), 1, 0, out, n),
              runs(&s, dim3(1, d->maxGridSize[1] + 1), 1, 0, out, n));
    try_limit(&s, "blocks of a grid in z", d->maxGridSize[2],
              runs(&s, dim3(1, 1, d->maxGridSize[2]), 1, 0, out, n),
              runs(&s, dim3(1, 1, d->maxGridSize[2] + 1), 1, 0, out, n));
    try_limit(&s, "bytes of shared memory of a block", d->sharedMemPerBlock,
              runs(&s, 1, 32, d->sharedMemPerBlock, out, n),
              runs(&s, 1, 32, d->sharedMemPerBlock + 1, out, n));
    suite_say(&s, "%-32s %12d\n", "blocks of a grid in x", d->maxGridSize[0]);
    suite_say(&s, "%-32s %12d\n", "threads of a warp", d->warpSize);
    suite_say(&s, "%-32s %12zu\n", "bytes of constant memory", d->totalConstMem);
    suite_say(&s, "%-32s %12d\n", "registers of a block", d->regsPerBlock);
    suite_say(&s, "%-32s %12d\n\n", "threads of a multiprocessor", d->maxThreadsPerMultiProcessor);
    for (int i = 0; i < n; i++)
        right[i] = i + 1;
    if (n)
        SUITE_TIME(&s, count<<<suite_div_up(n, most), most>>>(out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "count", found, right, n);
    suite_figure(&s, "threads_per_block", most);
    suite_figure(&s, "grid_x", d->maxGridSize[0]);
    suite_figure(&s, "grid_z", d->maxGridSize[2]);
    suite_figure(&s, "shared_per_block", d->sharedMemPerBlock);
    suite_figure(&s, "threads_per_sm", d->maxThreadsPerMultiProcessor);
    CHECK(cudaFree(out));
    suite_free_host(found, right);
    return suite_end(&s);
}
