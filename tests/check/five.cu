/* SPDX-License-Identifier: Apache-2.0
 *
 * Five typical mistakes: the user guide (docs/checks.md) shows these kernels and what check says of
 * them; guide_test.py keeps the two in step. A comment in front of a kernel gives its name in the
 * guide.
 */
enum { BLOCK = 64 };

/* guide: sum3 */
__global__ void
sum3(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t - 1] + s[t] + s[t + 1];
}

/* guide: reverse */
__global__ void
reverse(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}

/* guide: smooth */
__global__ void
smooth(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mean = i > 0 && i < n - 1 ? (x[i - 1] + x[i] + x[i + 1]) / 3 : 0;
    __syncthreads();
    x[i] = mean;
}

/* guide: count */
__global__ void
count(const int *in, int *out)
{
    __shared__ int sum;
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

/* guide: halve */
__global__ void
halve(int *x, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    x[i] /= 2;
    __syncthreads();
}

int
main(void)
{
    int *in, *out;
    float *x;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    cudaMalloc(&x, 4096);
    cudaMemset(in, 0, 4096);
    cudaMemset(x, 0, 4096);
    sum3<<<4, BLOCK>>>(in, out);
    reverse<<<1, BLOCK>>>(in, out);
    smooth<<<16, BLOCK>>>(x, 1024);
    count<<<1, BLOCK>>>(in, out);
    halve<<<1, BLOCK>>>(in, 40);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    cudaFree(x);
}
