// SPDX-License-Identifier: Apache-2.0
// block: 64
// Four functions of some 700 instructions each, called by name, through pointers that differ from
// lane to lane, and by each other; and one that is short.
template <int SEED> static __device__ __noinline__ int mixed(const int *in, int x, int depth)
{
    int sum = x + SEED;
#pragma unroll
    for (int k = 0; k < 90; k++)
        sum = (sum ^ in[(sum + k * SEED) & 1023]) * (2 * k + SEED | 1) + (sum >> (k & 7));
    return depth && sum & 1 ? mixed<SEED>(in, sum, depth - 1) : sum;
}

static __device__ __noinline__ int alone(const int *in, int x, int depth)
{
    return depth && x & 1 ? alone(in, in[x & 1023] + x, depth - 1) : x;
}

typedef int function(const int *, int, int);
static __device__ function *const table[4] = {mixed<3>, mixed<5>, mixed<7>, mixed<9>};

extern "C" __global__ void fires(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = mixed<5>(in, i, 3);
    if (i % 3)
        x ^= table[(i * n + x) & 3](in, x, 2);
    out[i] = x + mixed<7>(in, x, 1);
}

extern "C" __global__ void silent(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = alone(in, in[i] * n, 4);
}
