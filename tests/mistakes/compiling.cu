// SPDX-License-Identifier: Apache-2.0
// Typical mistakes that the compiler sees: each stands under its name, which -D makes; without any
// the file is right.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ float square(float x) { return x * x; }
__global__ void kernel(float *out, int n) { out[threadIdx.x] = n; }
float factor = 2;

// -- host_calls_device
#ifdef host_calls_device
float here() { return square(2); }
#else
__device__ float here() { return square(2); }
#endif

// -- device_calls_host
#ifdef device_calls_host
__global__ void pick(int *out) { *out = rand(); }
#else
__global__ void pick(int *out) { *out = clock(); }
#endif

// -- kernel_without_launch
#ifdef kernel_without_launch
void start(float *out) { kernel(out, 1); }
#else
void start(float *out) { kernel<<<1, 1>>>(out, 1); }
#endif

// -- kernel_returns
#ifdef kernel_returns
__global__ int answer() { return 42; }
#else
__global__ void answer(int *out) { *out = 42; }
#endif

// -- host_variable_in_kernel
#ifdef host_variable_in_kernel
__global__ void scale(float *a) { a[threadIdx.x] *= factor; }
#else
__global__ void scale(float *a, float by) { a[threadIdx.x] *= by; }
void scale_all(float *a) { scale<<<1, 32>>>(a, factor); }
#endif

// -- no_extern
#ifdef no_extern
__global__ void
dynamic(float *a)
{
    __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[0];
}
#else
__global__ void
dynamic(float *a)
{
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[0];
}
#endif

// -- size_not_constant
#ifdef size_not_constant
__global__ void
tile(float *a, int n)
{
    __shared__ float s[n];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[0];
}
#else
__global__ void
tile(float *a, int n)
{
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[0];
}
#endif

// -- shared_too_large
#ifdef shared_too_large
__global__ void
large(float *a)
{
    __shared__ float s[20000];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[a[1] > 0];
}
#else
__global__ void
large(float *a)
{
    __shared__ float s[2000];
    s[threadIdx.x] = a[threadIdx.x];
    a[0] = s[a[1] > 0];
}
#endif

// -- vector_in_kernel
#ifdef vector_in_kernel
__global__ void grow(int n) { std::vector<int> v; v.push_back(n); }
#else
void grow(int n) { std::vector<int> v; v.push_back(n); }
#endif

// -- barrier_on_host
#ifdef barrier_on_host
void wait() { __syncthreads(); }
#else
void wait() { cudaDeviceSynchronize(); }
#endif

// -- constant_written
#ifdef constant_written
__constant__ int limit[4];
__global__ void raise(int n) { limit[0] = n; }
#else
__device__ int limit[4];
__global__ void raise(int n) { limit[0] = n; }
#endif

// -- arguments_missing
#ifdef arguments_missing
void launch(float *out) { kernel<<<1, 32>>>(out); }
#else
void launch(float *out) { kernel<<<1, 32>>>(out, 32); }
#endif
// -- end

int main() { return 0; }
