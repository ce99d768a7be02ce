// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}

// A warp that waits for another one must be able to leave: no region may hold it.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 255)
        ready = 1;
    if (threadIdx.x < 32)
        while (!ready)
            ;
    out[threadIdx.x] = in[threadIdx.x];
}

// The block has a warp of 4 threads.
// block of silent_partial: 100
extern "C" __global__ void silent_partial(const float *in, float *out, int n)
{
    out[threadIdx.x] = in[threadIdx.x];
}
