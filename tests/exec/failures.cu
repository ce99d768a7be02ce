/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.cu: a program that allocates, copies, launches and prints; checks every call, and says
 * what failed. The test makes the machine under it fail.
 */
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                             \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void
reverse(int *p, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, b = blockIdx.x * 64;
    s[t] = b + t < n ? p[b + t] : 0;
    __syncthreads();
    if (b + t < n)
        p[b + t] = s[63 - t];
    if (b + t == 5)
        printf("thread %d\n", t);
}

int
main()
{
    int *d, h[1024];
    for (int i = 0; i < 1024; i++)
        h[i] = i;
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    reverse<<<16, 64>>>(d, 1024);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMemsetAsync(d, 0, 64, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < 1024; i++)
        if (h[i] != i / 64 * 64 + 63 - i % 64) {
            printf("wrong at %d\n", i);
            return 1;
        }
    OK(cudaFree(d));
    printf("right\n");
    return 0;
}
