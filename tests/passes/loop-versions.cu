// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[k * 512 + i];
    out[i] = s;
}

// Rows of 16 threads; the second matrix's words are the same in each warp.
// block of fires_rows: 16,16
extern "C" __global__ void fires_rows(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[y * n + k] * in[k * n + x];
    out[y * n + x] = s;
}

// Pointers that move on: nothing is widened, two loads ask whether it is the first iteration.
extern "C" __global__ void silent_moved(const float *in, float *out, int n)
{
    int i = threadIdx.x;
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        s += in[i];
        i += n;
        s = s * 0.5f + in[i + 7];
        out[blockIdx.x * blockDim.x + threadIdx.x] = s;
    }
}

// No loop.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + n] + in[i + 2 * n] + in[i + 3 * n];
}

// Lanes gather.
extern "C" __global__ void silent_gather(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        at = (at * 73 + 11) & 1023;
        s += in[at];
    }
    out[i] = s;
}

// Warps make as many turns as each has.
extern "C" __global__ void silent_apart(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < i; k++)
        s += in[k * 64 + i % 32];
    out[i] = s;
}
