/* SPDX-License-Identifier: Apache-2.0
 *
 * Local arrays of several widths, indexed by what a warp's lanes share and by what they do not. The
 * pointers are volatile, so that every access stays one. Prints "right" when the sums are.
 */
#include <cstdio>
#include <cuda_runtime.h>

enum { THREADS = 96 };

__global__ void
same(double *out, int n)
{
    volatile float word[8];
    volatile double wide[8];
    volatile unsigned char narrow[8];
    int t = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k++) {
        word[k] = t + k;
        wide[k] = 2.0 * t + k;
        narrow[k] = (unsigned char)(t + 3 * k);
    }
    for (int k = 0; k < n; k++)
        sum += word[k] + wide[k] + narrow[k];
    out[t] = sum;
}

__global__ void
own(double *out, int n)
{
    volatile float word[8];
    int t = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k++)
        word[(t + k) % 8] = t + k;
    for (int k = 0; k < n; k++)
        if (t % 2)
            sum += word[(t + k) % 8];
    out[t] = sum;
}

int
main()
{
    double *out, at[2][THREADS];
    bool right = true;
    cudaMalloc(&out, sizeof at[0]);
    same<<<1, THREADS>>>(out, 8);
    cudaMemcpy(at[0], out, sizeof at[0], cudaMemcpyDeviceToHost);
    own<<<1, THREADS>>>(out, 8);
    cudaMemcpy(at[1], out, sizeof at[1], cudaMemcpyDeviceToHost);
    cudaFree(out);
    for (int t = 0; t < THREADS; t++) {
        double sum = 0, odd = 0;
        for (int k = 0; k < 8; k++) {
            sum += t + k + 2.0 * t + k + (unsigned char)(t + 3 * k);
            odd += t % 2 ? t + k : 0;
        }
        right = right && at[0][t] == sum && at[1][t] == odd;
    }
    puts(right ? "right" : "wrong");
    return !right;
}
