// SPDX-License-Identifier: Apache-2.0
// What tests/debug/record_test.py records: a function, a barrier, a loop, lanes that part, and a
// line that would end the page's script.
#include <cstdio>
#include <cstdlib>

__device__ float half_of(float x)
{
    return x / 2;
}

__global__ void turn(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = half_of(in[i]); // stored </script>
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 2; k++)
        sum += s[(63 - i + 32 * k) % 64]; // loaded
    if (i % 2 && i < n)
        out[i] = sum; // parted
}

int main(int argc, char **argv)
{
    float h[64], *a, *b;
    int n = argc > 1 ? atoi(argv[1]) : 40;
    for (int i = 0; i < 64; i++)
        h[i] = (float)i;
    if (n == 99)
        return 0;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    turn<<<2, 64>>>(n == 65 ? nullptr : a, b, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
    return 0;
}
