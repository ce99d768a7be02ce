// SPDX-License-Identifier: Apache-2.0
// 14: kernels that launch kernels: a range is halved until it is small.
#include "course.h"

__global__ void mark(int *a, int first, int last, int depth)
{
    if (last - first <= BLOCK) {
        int i = first + threadIdx.x;
        if (i < last)
            a[i] = depth;
    } else if (threadIdx.x == 0) {
        int middle = (first + last) / 2;
        mark<<<1, BLOCK>>>(a, first, middle, depth + 1);
        mark<<<1, BLOCK>>>(a, middle, last, depth + 1);
    }
}

static void mark_here(std::vector<int> &a, int first, int last, int depth)
{
    int middle = (first + last) / 2;
    if (last - first > BLOCK) {
        mark_here(a, first, middle, depth + 1);
        mark_here(a, middle, last, depth + 1);
    } else {
        for (int i = first; i < last; i++)
            a[i] = depth;
    }
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), *a;
    std::vector<int> expected(n);
    mark_here(expected, 0, n, 0);
    CHECK(cudaMalloc(&a, n * sizeof *a));
    mark<<<1, BLOCK>>>(a, 0, n, 0);
    CHECK(cudaDeviceSynchronize());
    return verified(from_device(a, n), expected);
}
