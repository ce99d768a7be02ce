/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each kind of variable lives, found out by the kernel itself: it asks of each variable's
 * address in which space it lies, and tests scope and lifetime. A shared variable is the block's
 * own and is gone after the kernel; a global one is everybody's and stays; a local array is the
 * thread's own; constants are set by the host. (A scalar in a register has no address at all.)
 *
 * systems: A2
 * title: where variables live, who sees them, how long they last
 * rung: 1
 * sizes: 1 2 17 100 1000
 * check: 17
 */
#include "../common/suite.h"

enum { THREADS = 64, LOCAL = 16, SHARED = 1, IS_LOCAL = 2, GLOBAL = 4 };

__constant__ int constant_value = 7;
__device__ int global_launches = 0; /* lasts as long as the program */
__device__ int global_value = 5;

static __device__ int
space_of(const void *at)
{
    return (__isShared(at) ? SHARED : 0) | (__isLocal(at) ? IS_LOCAL : 0) |
           (__isGlobal(at) ? GLOBAL : 0);
}

/* spaces: of a shared, a local, a global variable and of allocated memory. sums: a word a thread.
 */
__global__ void
look(int *spaces, int *sums, const int *order)
{
    __shared__ int shared_words[THREADS];
    int local[LOCAL], t = threadIdx.x, sum = 0;
    for (int i = 0; i < LOCAL; i++) /* indices from memory: the array cannot be kept in registers */
        local[order[i]] = 100 * blockIdx.x + t + i;
    shared_words[t] = blockIdx.x;
    __syncthreads();
    for (int i = 0; i < LOCAL; i++)
        sum += local[order[LOCAL - 1 - i]];
    sums[blockIdx.x * THREADS + t] = sum + shared_words[THREADS - 1 - t] + constant_value;
    if (blockIdx.x == 0 && t == 0) {
        global_launches++;
        spaces[0] = space_of(shared_words);
        spaces[1] = space_of(local);
        spaces[2] = space_of(&global_value);
        spaces[3] = space_of(sums);
    }
}

static void
print(const struct suite *s, const int *spaces)
{
    static const char *const rows[4][4] = {
        {"__shared__ int words[64]", "block", "kernel", "one a block"},
        {"int local[16]", "thread", "kernel", "one a thread"},
        {"__device__ int value", "all grids", "program", "one"},
        {"cudaMalloc", "all grids", "until freed", "one"}};
    suite_say(s, "%-26s %-8s %-10s %-12s %s\n", "variable", "lives in", "scope", "lifetime",
              "instances");
    for (int i = 0; i < 4; i++)
        suite_say(s, "%-26s %-8s %-10s %-12s %s\n", rows[i][0],
                  spaces[i] == SHARED     ? "shared"
                  : spaces[i] == IS_LOCAL ? "local"
                  : spaces[i] == GLOBAL   ? "global"
                                          : "?",
                  rows[i][1], rows[i][2], rows[i][3]);
    suite_say(s, "%-26s %-8s %-10s %-12s %s\n\n", "__constant__ int value", "constant", "all grids",
              "program", "one");
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("spaces/spaces", "memory spaces", 2, NULL, 0, argc, argv);
    int blocks = s.size[0] ? s.size[0] : 1, count = blocks * THREADS, constant = 11, launches = 0;
    int order[LOCAL], spaces[4] = {};
    for (int i = 0; i < LOCAL; i++)
        order[i] = (5 * i + 3) % LOCAL;
    int *device_order = suite_upload(order, LOCAL), *device_spaces = suite_device<int>(4);
    int *sums = suite_device<int>(count), *found = suite_host<int>(count);
    int *right = suite_host<int>(count);
    CHECK(cudaMemcpyToSymbol(constant_value, &constant, sizeof constant));
    SUITE_TIME(&s, look<<<blocks, THREADS>>>(device_spaces, sums, device_order));
    for (int i = 0; i < count; i++) {
        int block = i / THREADS;
        right[i] = LOCAL * (100 * block + i % THREADS) + LOCAL * (LOCAL - 1) / 2 + block + constant;
    }
    suite_download(found, sums, count);
    suite_download(spaces, device_spaces, 4);
    CHECK(cudaMemcpyFromSymbol(&launches, global_launches, sizeof launches));
    suite_compare_equal(&s, "sum", found, right, count);
    suite_expect(&s, spaces[0] == SHARED, "a __shared__ variable lies in shared memory");
    suite_expect(&s, spaces[1] == IS_LOCAL, "an array with computed indices lies in local memory");
    suite_expect(&s, spaces[2] == GLOBAL, "a __device__ variable lies in global memory");
    suite_expect(&s, spaces[3] == GLOBAL, "what cudaMalloc gives lies in global memory");
    suite_expect(&s, launches == s.repeat + 1, "a __device__ variable outlives the launches");
    print(&s, spaces);
    suite_free_device(device_order, device_spaces, sums);
    suite_free_host(found, right);
    return suite_end(&s);
}
