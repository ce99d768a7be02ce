/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of shared memory are 32 bits wide: indices whose 64-bit address is right modulo 2^32
 * alone, in each form in which addresses are known (constants, all lanes alike, lanes apart by
 * constants, each lane its own), loads, stores and atomics. With an argument: one whose 32 bits are
 * outside, too.
 */
#include <cuda_runtime.h>
#include <stdio.h>

struct quad {
    int v[4];
    quad() = default;
    __host__ __device__ quad(int x) : v{x, -x, 7, x * x} {}
    __host__ __device__ bool operator!=(const quad &o) const
    {
        return v[0] != o.v[0] || v[3] != o.v[3];
    }
};

template <class T> __global__ void
wrap(const unsigned *in, T *out, unsigned huge, unsigned *sums)
{
    __shared__ T s[64];
    __shared__ unsigned sum[64];
    extern __shared__ char more[]; /* of other sizes in other launches */
    unsigned t = threadIdx.x;
    T *end = s + 64, *o = out + 384 * blockIdx.x;
    more[t] = 0;
    s[t] = T(t + 1);
    sum[t] = 0;
    __syncthreads();
    o[t] = end[~t];
    o[64 + t] = s[t + huge + 1]; /* huge = 2^32 - 1 */
    o[128 + t] = end[~(in[t] % 64)];
    o[192 + t] = end[~in[0]];
    o[256 + t] = *(s - (huge - t / 2)); /* nearly -2^32 elements */
    atomicAdd(&(sum + 64)[~in[t]], t);
    __syncthreads();
    end[~t] = T(3 * t);
    __syncthreads();
    o[320 + t] = s[t];
    sums[64 * blockIdx.x + t] = sum[t];
}

__global__ void
outside(int *out, unsigned huge)
{
    __shared__ int s[1024];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] =
        (s + 1024)[threadIdx.x + huge + 1 + 64]; /* behind the end, in 32 bits as well */
}

template <class T> static int
test(const char *name, int blocks)
{
    unsigned in[64], *din, *dsums, *sums = new unsigned[64 * blocks];
    T *dout, *out = new T[384 * blocks];
    int bad = 0;
    for (int i = 0; i < 64; i++)
        in[i] = (i * 37 + 5) & 63;
    cudaMalloc(&din, sizeof in);
    cudaMalloc(&dout, 384 * blocks * sizeof(T));
    cudaMalloc(&dsums, 256 * blocks);
    cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice);
    wrap<T><<<blocks, 64, 64 + 1000 * (sizeof(T) & 7)>>>(din, dout, 0xffffffffu, dsums);
    cudaMemcpy(out, dout, 384 * blocks * sizeof(T), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, dsums, 256 * blocks, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < 64; t++) {
            const T *o = out + 384 * b + t;
            bad += o[0] != T(64 - t);
            bad += o[64] != T(t + 1);
            bad += o[128] != T(64 - in[t]);
            bad += o[192] != T(64 - in[0]);
            bad += o[256] != T(t / 2 + 2);
            bad += o[320] != T(3 * (63 - t));
            bad += sums[64 * b + 63 - in[t]] != (unsigned)t;
        }
    cudaError_t e = cudaGetLastError();
    printf("%s: %d wrong, %s\n", name, bad, cudaGetErrorString(e));
    cudaFree(din);
    cudaFree(dout);
    cudaFree(dsums);
    delete[] out;
    delete[] sums;
    return bad || e;
}

int
main(int argc, char **)
{
    if (argc > 1) {
        int *out;
        cudaMalloc(&out, 4096);
        outside<<<1, 1024>>>(out, 0xffffffffu);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    int bad = test<char>("char", 3) + test<short>("short", 3) + test<int>("int", 50) +
              test<double>("double", 3) + test<quad>("quad", 3) + test<float>("float", 3);
    return bad != 0;
}
