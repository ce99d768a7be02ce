// SPDX-License-Identifier: Apache-2.0
// A launch beside another thread of the program: it cannot be taken back.
#include <atomic>
#include <cstdio>
#include <thread>

__global__ void add(int *p)
{
    int a = threadIdx.x;
    a = a + 1;
    p[threadIdx.x] = a;
}

int main()
{
    std::atomic<bool> over{false};
    std::thread other([&] {
        while (!over)
            std::this_thread::yield();
    });
    int *p, h[32];
    cudaMalloc(&p, sizeof h);
    add<<<1, 32>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    over = true;
    other.join();
    printf("%d\n", h[31]);
    cudaFree(p);
}
