/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of more kinds than values.cu has: classes, bfloat16, pointers by space, handles. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

class Counter
{
  public:
    __device__ Counter(int n) : count(n), step{1, 2}
    {
    }
    __device__ int next()
    {
        return count += step[0];
    }
    virtual __device__ int twice()
    {
        return count * 2;
    }

  private:
    int count;
    short step[2];
};
template <typename T> struct Pair {
    T first;
    T second;
};
struct Point {
    float2 at;
    uchar4 color;
};
__constant__ Point points[2] = {{{1, 2}, {3, 4, 5, 6}}, {{7, 8}, {9, 10, 11, 12}}};
__device__ Pair<double> pair = {0.5, -0.5};
__device__ __half halves[2];
__managed__ int managed = 17;

__device__ int
square(int x)
{
    return x * x;
}

__global__ void
kinds(int *out, cudaTextureObject_t texture, cudaSurfaceObject_t surface)
{
    extern __shared__ float4 wide[];
    __shared__ Pair<int> pairs[3];
    Counter counter(5);
    __nv_bfloat16 b = __float2bfloat16(3.25f);
    __nv_bfloat162 b2 = __floats2bfloat162_rn(1.5f, -2.0f);
    __half2 h2 = __floats2half2_rn(0.5f, 4.0f);
    double2 d2 = make_double2(1e10, -1);
    int3 i3 = make_int3(1, -2, 3);
    dim3 size(4, 5);
    bool yes = true;
    float nan = __int_as_float(0x7fc00000), inf = __int_as_float(0x7f800000);
    int local_array[3] = {7, 8, 9};
    int *to_local = local_array, *to_global = out;
    const Point *to_constant = &points[1];
    Pair<int> *to_shared = &pairs[2];
    float4 *to_dynamic = wide;
    int (*function)(int) = square;
    auto add = [=](int x) { return x + local_array[1]; };
    long long low = -5000000000ll;
    unsigned char *bytes = (unsigned char *)&i3;
    halves[0] = __float2half(9.0f);
    pairs[threadIdx.x % 3] = {1, 2};
    wide[threadIdx.x] = make_float4(1, 2, 3, threadIdx.x);
    out[threadIdx.x] =
        counter.next() + counter.twice() + to_local[2] + function(3) + add(4) + (int)low + bytes[0];
    float4 t = tex1Dfetch<float4>(texture, threadIdx.x);
    out[threadIdx.x] += t.x + surface + yes + i3.x + size.x + to_shared->first + to_dynamic->x +
                        to_constant->at.x + nan + inf + (float)b + (float)b2.x + (float)h2.x +
                        d2.x + to_global[1] + pair.first;
}

int
main()
{
    int *out;
    float4 *data;
    cudaMalloc(&out, 4096);
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = data;
    r.res.linear.desc = cudaCreateChannelDesc<float4>();
    r.res.linear.sizeInBytes = 4096;
    cudaTextureObject_t t;
    printf("%d\n", cudaCreateTextureObject(&t, &r, &d, nullptr));
    kinds<<<1, 32, 32 * sizeof(float4)>>>(out, t, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
