/* SPDX-License-Identifier: Apache-2.0
 *
 * All lanes of a warp make each store, as GCC compiles OpenMP's code outside of SIMD regions
 * (-muniform-simt, told by its variable): one value stored by all is one store. Other values, and
 * other warps, are what they are elsewhere. Without -DUNIFORM no such module.
 */
#ifdef UNIFORM
extern "C" __device__ unsigned __nvptx_uni;
__device__ unsigned __nvptx_uni;
#endif

__global__ void
one_value(int *out)
{
    __shared__ int s[2];
    s[threadIdx.x / 32] = 5;
    out[threadIdx.x / 32] = 7;
    __syncthreads();
    out[2 + threadIdx.x] = s[0];
}

__global__ void
bad_other_values(int *out)
{
    out[threadIdx.x / 32] = threadIdx.x;
}

__global__ void
bad_other_warps(int *out)
{
    __shared__ int s;
    s = threadIdx.x / 32;
    __syncthreads();
    out[threadIdx.x] = s;
}

/* Each warp comes to its own barrier of the block: a mistake in CUDA C; legal in PTX, and how GCC's
 * threads wait. */
__global__ void
bad_barriers(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 0;");
    else
        asm volatile("{ .reg .u32 r; mov.u32 r, 1; bar.sync 0; }");
    out[threadIdx.x] = 1;
}

int
main()
{
    int *out;
    cudaMalloc(&out, 4096);
    one_value<<<1, 64>>>(out);
    bad_other_values<<<1, 64>>>(out);
    bad_other_warps<<<1, 64>>>(out);
    bad_barriers<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
