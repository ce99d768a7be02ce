// SPDX-License-Identifier: Apache-2.0
// block: 64
// Words at 64-bit places that nothing is known of, with barriers between: so many that registers
// stay in memory and the kernel is compiled quickly first, or few.
template <int TIMES> static __device__ int steps(const int *in, int x, int n)
{
    __shared__ int s[64];
    int r[60], t = threadIdx.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 60; k++)
        r[k] = in[x + k & 1023] * n + in[x * k & 1023] + in[x ^ k];
#pragma unroll
    for (int k = 0; k < TIMES; k++) {
        s[t] = r[k * 7 % 60];
        __syncthreads();
        r[k * 11 % 60] += s[63 - t] * n + in[r[k * 13 % 60] * 0x9e3779b97f4a7c15ull >> 54];
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 60; k++)
        sum = sum * 31 + r[k];
    return sum;
}

extern "C" __global__ void fires(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = steps<200>(in, i, n);
}

extern "C" __global__ void silent(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = steps<4>(in, i, n);
}
