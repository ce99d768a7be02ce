// SPDX-License-Identifier: Apache-2.0
//
// Many to one: sums of blocks, of rows, running sums, histograms, with barriers, shuffles and atomics.
#include "shapes.h"

__device__ __forceinline__ float
warp_sum(float v)
{
#pragma unroll
    for (int m = 16; m; m >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, m);
    return v;
}

template <int THREADS>
__device__ __forceinline__ float
block_sum(float v)
{
    __shared__ float part[THREADS / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    v = warp_sum(v);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = lane < THREADS / 32 ? part[lane] : 0.f;
    v = warp_sum(v);
    return __shfl_sync(0xffffffff, v, 0);
}

template <int THREADS>
__global__ void
sum_atomic(float *a, float *y, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float s = block_sum<THREADS>(i < n ? a[i] : 0.f);
    if (threadIdx.x == 0)
        atomicAdd(y, s);
}

template <int THREADS>
__global__ void
sum_quads_atomic(float *a, float *y, int n)
{
    int i = 4 * (blockIdx.x * THREADS + threadIdx.x);
    float4 v = i < n ? *(float4 *)(a + i) : make_float4(0, 0, 0, 0);
    float s = block_sum<THREADS>(v.x + v.y + v.z + v.w);
    if (threadIdx.x == 0)
        atomicAdd(y, s);
}

__global__ void
sum_tree(const float *a, float *y, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    float v = i < n ? a[i] : 0;
    if (i + (int)blockDim.x < n)
        v += a[i + blockDim.x];
    s[t] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

__global__ void
sum_strides(const float *a, float *y, int n)
{
    __shared__ float s[256];
    float v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        v += a[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if ((int)threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = s[0];
}

template <int THREADS>
__global__ void
row_normal(float *x, float *y, float g, float b, int k)
{
    __shared__ float mean, deviation;
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = x[i], s = block_sum<THREADS>(v);
    if (threadIdx.x == 0)
        mean = s / (float)k;
    __syncthreads();
    float d = (v - mean) * (v - mean);
    d = block_sum<THREADS>(d);
    if (threadIdx.x == 0)
        deviation = rsqrtf(d / ((float)k + 1e-5f));
    __syncthreads();
    y[i] = (v - mean) * deviation * g + b;
}

/* A warp a row, its maximum, its sum, three times over. */
__global__ void
row_shares(const float *x, float *y, int rows, int k)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < k; i += 32)
        most = fmaxf(most, x[(size_t)row * k + i]);
#pragma unroll
    for (int m = 16; m; m >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, m));
    for (int i = lane; i < k; i += 32)
        sum += expf(x[(size_t)row * k + i] - most);
    sum = warp_sum(sum);
    for (int i = lane; i < k; i += 32)
        y[(size_t)row * k + i] = expf(x[(size_t)row * k + i] - most) / sum;
}

__global__ void
row_dots(const float *a, const float *x, float *y, int rows, int k)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    float s = 0;
    for (int w = 0; w < k / 32; w++)
        s += a[row * k + w * 32 + lane] * x[w * 32 + lane];
    s = warp_sum(s);
    if (lane == 0)
        y[row] = s;
}

__global__ void
running_sums(const float *a, float *y, int n)
{
    __shared__ float s[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
    s[0][t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int k = 1; k < 512; k *= 2) {
        s[1 - from][t] = t >= k ? s[from][t] + s[from][t - k] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < n)
        y[i] = s[from][t];
}

__global__ void
counts_global(const int *a, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[a[i]], 1);
}

__global__ void
counts_shared(const int *a, int *y, int n, int bins)
{
    extern __shared__ int c[];
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        c[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&c[a[i] % bins], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        atomicAdd(&y[i], c[i]);
}

__global__ void
scatter_sum(const int *a, const float *v, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[a[i]], v[i]);
}

__global__ void
tickets(const int *a, int *list, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] % 3 == 0)
        list[atomicAdd(count, 1)] = i;
}

/* Exchange of pairs far apart in memory. */
__global__ void
exchange(float *data, int j, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i || i >= n)
        return;
    float a = data[i], b = data[other];
    if ((i & k) == 0 ? a > b : a < b) {
        data[i] = b;
        data[other] = a;
    }
}

__global__ void
sort_shared(float *data)
{
    __shared__ float s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = data[blockIdx.x * 1024 + i];
    for (int size = 2; size <= 1024; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (threadIdx.x & (size / 2)) == 0;
            float a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        data[blockIdx.x * 1024 + i] = s[i];
}

int
main(void)
{
    const int most = 1 << 22;
    float *a = numbers<float>(most), *b = numbers<float>(most), *y = numbers<float>(most);
    int *p = numbers<int>(most, 1 << 20), *few = numbers<int>(most, 256), *q = numbers<int>(most, 2);
    for (int n : {1 << 18, 1 << 20, most}) {
        THRICE(sum_atomic<256><<<n / 256, 256>>>(a, y, n));
        THRICE(sum_quads_atomic<256><<<n / 1024, 256>>>(a, y, n));
        THRICE(sum_tree<<<over(n, 512), 256, 1024>>>(a, y, n));
        THRICE(sum_strides<<<132, 256>>>(a, y, n));
        THRICE(row_normal<256><<<n / 256, 256>>>(a, b, 1.f, 0.f, 256));
        THRICE(row_normal<1024><<<n / 1024, 1024>>>(a, b, 1.f, 0.f, 1024));
        THRICE(row_shares<<<over(n / 1024, 4), 128>>>(a, b, n / 1024, 1024));
        THRICE(row_dots<<<over(n / 1024, 4), dim3(32, 4)>>>(a, b, y, n / 1024, 1024));
        THRICE(running_sums<<<over(n, 512), 512>>>(a, b, n));
        THRICE(exchange<<<over(n, 256), 256>>>(b, 1024, 2048, n));
    }
    for (int n : {1 << 18, 1 << 20}) {
        THRICE(counts_global<<<over(n, 256), 256>>>(few, q, n));
        THRICE(counts_global<<<over(n, 256), 256>>>(p, q, n));
        THRICE(counts_shared<<<264, 256, 1024>>>(few, q, n, 256));
        THRICE(scatter_sum<<<over(n, 256), 256>>>(p, a, y, n));
        THRICE(scatter_sum<<<over(n, 256), 256>>>(few, a, y, n));
        THRICE(tickets<<<over(n, 256), 256>>>(few, p, q, n));
        CHECK(cudaMemset(q, 0, 4));
        THRICE(sort_shared<<<n / 1024, 512>>>(b));
        if (n == 1 << 18)
            p = numbers<int>(most, 1 << 20);
    }
    return 0;
}
