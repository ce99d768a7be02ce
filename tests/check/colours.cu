/* SPDX-License-Identifier: Apache-2.0
 *
 * A colouring of a graph that is racy on purpose: vertices take the least colour that no neighbour
 * has at that moment; of two neighbours with one colour one tries again. What it ends with depends
 * on the order of blocks; what check finds does not.
 */
#include <stdio.h>
#include <stdlib.h>

enum { VERTICES = 3000, DEGREE = 6, THREADS = 64 };

__global__ void
colour(const int *neighbour, int *colours, const int *todo, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    int v = todo[k];
    unsigned int used = 0;
    for (int n = 0; n < DEGREE; n++) {
        int c = colours[neighbour[v * DEGREE + n]];
        if (c >= 0)
            used |= 1u << c;
    }
    colours[v] = __ffs((int)~used) - 1;
}

__global__ void
conflicts(const int *neighbour, const int *colours, const int *todo, int count, int *next,
          int *next_count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    int v = todo[k];
    for (int n = 0; n < DEGREE; n++) {
        int u = neighbour[v * DEGREE + n];
        if (u < v && colours[u] == colours[v]) {
            next[atomicAdd(next_count, 1)] = v;
            return;
        }
    }
}

int
main()
{
    static int neighbour[VERTICES * DEGREE], all[VERTICES];
    srand(7);
    for (int v = 0; v < VERTICES; v++) {
        all[v] = v;
        for (int n = 0; n < DEGREE; n++)
            neighbour[v * DEGREE + n] = rand() % VERTICES;
    }
    int *of, *colours, *todo, *next, *next_count, left = VERTICES;
    cudaMalloc(&of, sizeof neighbour);
    cudaMalloc(&colours, sizeof all);
    cudaMalloc(&todo, sizeof all);
    cudaMalloc(&next, sizeof all);
    cudaMalloc(&next_count, sizeof *next_count);
    cudaMemcpy(of, neighbour, sizeof neighbour, cudaMemcpyHostToDevice);
    cudaMemcpy(todo, all, sizeof all, cudaMemcpyHostToDevice);
    cudaMemset(colours, -1, sizeof all);
    for (int round = 0; left && round < 100; round++) {
        int blocks = (left + THREADS - 1) / THREADS, *done = todo;
        cudaMemset(next_count, 0, sizeof *next_count);
        colour<<<blocks, THREADS>>>(of, colours, todo, left);
        conflicts<<<blocks, THREADS>>>(of, colours, todo, left, next, next_count);
        cudaMemcpy(&left, next_count, sizeof left, cudaMemcpyDeviceToHost);
        todo = next;
        next = done;
    }
    int *given[] = {of, colours, todo, next, next_count};
    for (int *p : given)
        cudaFree(p);
    return left != 0;
}
