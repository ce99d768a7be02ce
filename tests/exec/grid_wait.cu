/* SPDX-License-Identifier: Apache-2.0
 *
 * grid_wait.cu: a grid waits for itself in a cooperative launch, and traps in an ordinary one; a
 * cluster of one block; this_grid().is_valid().
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <utility>
namespace cg = cooperative_groups;

enum { BLOCKS = 4, THREADS = 64 };

__global__ void
turn(int *x, int *valid)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i == 0)
        *valid = grid.is_valid();
    x[i] = i;
    grid.sync();
    int other = x[BLOCKS * THREADS - 1 - i];
    grid.sync();
    x[i] = other;
}

/* Its own trap, in a module that waits for its grid elsewhere; and both in one kernel. */
__global__ void
own(int *x)
{
    if (x[threadIdx.x] != 7)
        __trap();
}

__global__ void
both(int *x)
{
    if (x[threadIdx.x] != 7)
        __trap();
    x[0] = 1;
    cg::this_grid().sync();
}

/* Without sync() an ordinary launch may ask. */
__global__ void
ask(int *valid)
{
    *valid = cg::this_grid().is_valid();
}

__global__ void
cluster(int *x)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    s[c.thread_rank()] = threadIdx.x;
    c.sync();
    int *there = c.map_shared_rank(s, c.block_rank());
    bool fine = c.num_blocks() == 1 && c.block_rank() == 0 && c.num_threads() == THREADS &&
                c.size() == THREADS && c.dim_blocks().x == 1 && c.block_index().x == 0 &&
                c.dim_threads().x == THREADS && c.thread_index().x == threadIdx.x &&
                c.query_shared_rank(s) == 0;
    x[blockIdx.x * THREADS + threadIdx.x] = fine ? there[THREADS - 1 - threadIdx.x] : -1;
    auto token = c.barrier_arrive();
    c.barrier_wait(std::move(token));
}

/* Threads read what others stored between the barrier's halves. */
__global__ void
half_a_barrier(int *x)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    c.barrier_arrive();
    x[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
    c.barrier_wait();
}

int
main(int argc, char **argv)
{
    int *x, *valid, host[BLOCKS * THREADS], yes = -1;
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&valid, sizeof *valid);
    void *args[] = {&x, &valid};
    if (!strcmp(what, "cooperative")) {
        cudaLaunchCooperativeKernel((void *)turn, dim3(BLOCKS), dim3(THREADS), args, 0, 0);
    } else if (!strcmp(what, "ordinary")) {
        turn<<<BLOCKS, THREADS>>>(x, valid);
    } else if (!strcmp(what, "one-block")) { /* the group is as invalid */
        turn<<<1, THREADS>>>(x, valid);
    } else if (!strcmp(what, "own")) {
        own<<<1, 1>>>(x);
    } else if (!strcmp(what, "both")) {
        both<<<1, 1>>>(x);
    } else if (!strcmp(what, "ask")) {
        ask<<<1, 1>>>(valid);
    } else if (!strcmp(what, "cluster")) {
        cluster<<<BLOCKS, THREADS>>>(x);
    } else if (!strcmp(what, "half")) {
        half_a_barrier<<<1, THREADS>>>(x);
    }
    cudaError_t e = cudaDeviceSynchronize();
    int wrong = 0;
    if (e == cudaSuccess && (!strcmp(what, "cooperative") || !strcmp(what, "cluster"))) {
        cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
        for (int k = 0; k < BLOCKS * THREADS; k++)
            wrong += host[k] != (*what == 'c' && what[1] == 'l' ? THREADS - 1 - k % THREADS
                                                                : BLOCKS * THREADS - 1 - k);
    }
    if (e == cudaSuccess && (!strcmp(what, "cooperative") || !strcmp(what, "ask")))
        cudaMemcpy(&yes, valid, sizeof yes, cudaMemcpyDeviceToHost);
    printf("%s %d %d\n", cudaGetErrorName(e), yes, wrong);
    cudaFree(x);
    cudaFree(valid);
    return 0;
}
