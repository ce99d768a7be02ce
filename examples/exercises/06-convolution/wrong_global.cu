// SPDX-License-Identifier: Apache-2.0
// Right, but every thread fetches seven elements and seven weights from global memory.
__global__ void filter(const float *in, float *out, int n, const float *weights)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = -3; k <= 3; k++)
        if (i + k >= 0 && i + k < n)
            sum += weights[k + 3] * in[i + k];
    if (i < n)
        out[i] = sum;
}

void convolve(const float *in, float *out, int n, const float *mask)
{
    float *weights;
    cudaMalloc(&weights, 7 * sizeof *weights);
    cudaMemcpy(weights, mask, 7 * sizeof *weights, cudaMemcpyHostToDevice);
    filter<<<(n + 255) / 256, 256>>>(in, out, n, weights);
    cudaFree(weights);
}
