// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    float a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[threadIdx.x + k];
    int k = (int)(15 * in[threadIdx.x]) & 15;
    a[k] += 1;
    out[threadIdx.x] = a[(k + n) & 15];
}

__device__ __noinline__ void change(float *p, int k)
{
    if (k > 0)
        change(p + 1, k - 1);
    *p += 1;
}

// A generic pointer to the array is handed to a function that is called.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    float a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[threadIdx.x + k];
    change(a, (int)(15 * in[threadIdx.x]) & 15);
    out[threadIdx.x] = a[n & 15];
}
