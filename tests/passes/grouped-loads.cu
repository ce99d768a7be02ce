// SPDX-License-Identifier: Apache-2.0
// block: 256
struct four {
    float x, y, z, w;
};

extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = (int)(200 * in[threadIdx.x]) & 255;
    float sum = 0;
    const float *p = in + 3 * i;
    for (int k = 0; k < n % 7; k++, p += 4)
        sum += p[0] * 2 + p[1] * 3 + p[2] * 5;
    out[threadIdx.x] = sum;
}

// One word a lane.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = (int)(200 * in[threadIdx.x]) & 255;
    out[threadIdx.x] = in[i];
}
