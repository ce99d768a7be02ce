/* SPDX-License-Identifier: Apache-2.0
 *
 * device_heap.cu: new and delete in kernels, placement new in code for both sides, and the
 * runtime's calls that kernels may make.
 */
#include <cstdio>

struct pair {
    int a, b;
    __host__ __device__ pair(int x, int y) : a(x), b(y)
    {
    }
};

template <class T>
__host__ __device__ T *
build(void *place, int a, int b)
{
    return new (place) T(a, b);
}

__global__ void
use(int *out)
{
    int *list = new int[4], *more;
    for (int i = 0; i < 4; i++)
        list[i] = i * (int)threadIdx.x;
    pair *p = new pair(list[2], list[3]);
    alignas(pair) char space[sizeof(pair)];
    pair *q = build<pair>(space, p->a, 5);
    bool ok = cudaMalloc(&more, 16) == cudaSuccess;
    cudaMemcpyAsync(more, list, 16, cudaMemcpyDeviceToDevice, 0);
    out[threadIdx.x] = q->a + q->b + p->b + more[3] + (ok && cudaGetLastError() == cudaSuccess);
    cudaFree(more);
    delete p;
    delete[] list;
}

int
main()
{
    int *out, bad = 0;
    char space[sizeof(pair)];
    cudaMallocManaged(&out, 32 * sizeof(int));
    use<<<1, 32>>>(out);
    bad |= cudaDeviceSynchronize() != cudaSuccess || build<pair>(space, 1, 2)->b != 2;
    for (int i = 0; i < 32; i++)
        bad |= out[i] != 8 * i + 6;
    puts(bad ? "wrong" : "ok");
    return bad;
}
