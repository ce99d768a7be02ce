// SPDX-License-Identifier: Apache-2.0
// Blocks enough that a debugger passes over most of them: front_passing_test.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ float scale = 0.5f;

__global__ void work(const float *in, float *out, int bad, int endless)
{
    float sum = 0;
    for (int k = 0; k < 1500; k++)
        sum += in[(threadIdx.x + k) % 1024] * scale;
    if (blockIdx.x == bad && threadIdx.x == 3)
        out = nullptr;
    while (blockIdx.x == endless && sum >= 0)
        sum = sum + 1 > 1e6f ? 0 : sum + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// What it comes to is in the order of warps.
__global__ void race(unsigned *all, unsigned *out)
{
    __shared__ unsigned s[32];
    for (int k = 0; k < 1500; k++)
        s[threadIdx.x % 32] = s[threadIdx.x % 32] * 31 + threadIdx.x + k;
    *all = *all * 3 + s[threadIdx.x % 32];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x % 32];
}

__device__ float larger(float a, float b)
{
    if (a > b)
        return a;
    return b;
}

// Lanes leave one after the other, by returns and at the end of ifs, some warps whole.
__global__ void leaving(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (threadIdx.x % 64 < 3)
        return;
    for (int k = 0; k < 1500; k++) {
        sum += in[(threadIdx.x + k) % 1024];
        if (k == 1000 && threadIdx.x >= 128)
            return;
    }
    switch (threadIdx.x % 5) {
    case 0: out[i] = sum; break;
    case 1: out[i] = -sum; return;
    case 4: return;
    }
    if (threadIdx.x < 100 && sum > 0)
        out[i] = larger(out[i], __shfl_sync(__activemask(), sum, 0));
}

__global__ void few(int *out)
{
    out[blockIdx.y * gridDim.x + blockIdx.x] = threadIdx.x;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    float *in, *out;
    cudaMalloc(&in, 1024 * sizeof(float));
    cudaMalloc(&out, 64 * 256 * sizeof(float));
    float *h = (float *)malloc(64 * 256 * sizeof(float));
    for (int k = 0; k < 1024; k++)
        h[k] = (float)(k % 7);
    cudaMemcpy(in, h, 1024 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 64 * 256 * sizeof(float));
    if (!strcmp(what, "race"))
        race<<<64, 256>>>((unsigned *)in, (unsigned *)out);
    else if (!strcmp(what, "leaving"))
        leaving<<<64, 256>>>(in, out);
    else if (!strcmp(what, "few"))
        few<<<dim3(3, 2), dim3(8, 8)>>>((int *)out);
    else
        work<<<64, 256>>>(in, out, !strcmp(what, "bad") ? 55 : -1,
                          !strcmp(what, "endless") ? 50 : -1);
    cudaError_t e = cudaMemcpy(h, out, 64 * 256 * sizeof(float), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int k = 0; k < 64 * 256 && e == cudaSuccess; k++) {
        unsigned bits;
        memcpy(&bits, &h[k], sizeof bits);
        sum = sum * 31 + bits;
    }
    printf("sum %u\n", sum);
    return e != cudaSuccess;
}
