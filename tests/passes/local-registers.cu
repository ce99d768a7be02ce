// SPDX-License-Identifier: Apache-2.0
// block: 256
// tool: debug
extern "C" __global__ void fires_loop(const float *in, float *out, unsigned n)
{
    float sum = 0;
    for (unsigned k = 0; k < 400 * n; k++)
        sum += in[(threadIdx.x + k) % 1024] * 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// An array whose elements the kernel chooses
extern "C" __global__ void silent_array(const float *in, float *out, unsigned n)
{
    float sum[4] = {0, 0, 0, 0};
    for (unsigned k = 0; k < 400 * n; k++)
        sum[k % 4] += in[(threadIdx.x + k) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum[n % 4];
}
