// SPDX-License-Identifier: Apache-2.0
// block: 32,8
// Each warp reads a column; four of them, columns side by side.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[32 * 9];
    int t = threadIdx.y * 32 + threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncthreads();
    out[t] = s[threadIdx.x * 9 + threadIdx.y];
}

// Rows are read as they lie.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ float s[32 * 9];
    int t = threadIdx.y * 32 + threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncthreads();
    out[t] = s[threadIdx.y * 33 + threadIdx.x];
}
