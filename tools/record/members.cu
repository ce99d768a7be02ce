// SPDX-License-Identifier: Apache-2.0
//
// Structures read, changed and written whole or by members: 32 threads a kernel. How many accesses the
// compiler makes of each is what tests/data/h200_members.csv has of nvcc's code and tests/cc/members_test.py
// compares with ours.
#include <cstdio>

struct pair { float4 a, b; };
struct pointer { int *p; int n; };
struct __align__(16) pointer16 { int *p; int n, m; };

// KERNEL(name, type written, type read, what thread t does)
#define KERNELS(KERNEL) \
    KERNEL(copy_float4, float4, float4, o[t] = i[t];) \
    KERNEL(copy_double2, double2, double2, double2 a = i[t]; o[t] = a;) \
    KERNEL(one_float4, float4, float4, float4 a = i[t]; a.x += 1; o[t] = a;) \
    KERNEL(last_float4, float4, float4, float4 a = i[t]; a.w = 1; o[t] = a;) \
    KERNEL(some_float4, float4, float4, float4 a = i[t]; a.x += a.y; a.z *= 2; a.w -= a.x; o[t] = a;) \
    KERNEL(sum_float4, float4, float4, float4 a = i[t], b = i[t + 1]; o[t] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);) \
    KERNEL(array_float4, float4, float4, float4 r[2]; for (int k = 0; k < 2; k++) r[k] = i[t + k * 32]; for (int k = 0; k < 2; k++) o[t + k * 32] = r[1 - k];) \
    KERNEL(one_float2, float2, float2, float2 a = i[t]; a.x += 1; o[t] = a;) \
    KERNEL(copy_float2, float2, float2, o[t] = i[t];) \
    KERNEL(one_int2, int2, int2, int2 a = i[t]; a.x++; o[t] = a;) \
    KERNEL(one_double2, double2, double2, double2 a = i[t]; a.x += 1; o[t] = a;) \
    KERNEL(one_float3, float3, float3, float3 a = i[t]; a.x += 1; o[t] = a;) \
    KERNEL(copy_float3, float3, float3, o[t] = i[t];) \
    KERNEL(one_uchar4, uchar4, uchar4, uchar4 a = i[t]; a.x += a.y; o[t] = a;) \
    KERNEL(copy_uchar4, uchar4, uchar4, o[t] = i[t];) \
    KERNEL(swap_uchar4, uchar4, uchar4, o[t] = make_uchar4(i[t].z, i[t].y, i[t].x, i[t].w);) \
    KERNEL(one_short4, short4, short4, short4 a = i[t]; a.x++; o[t] = a;) \
    KERNEL(copy_pair, pair, pair, o[t] = i[t];) \
    KERNEL(one_pair, pair, pair, pair q = i[t]; q.a.x += q.b.y; o[t] = q;) \
    KERNEL(read_x, float, float4, float4 a = i[t]; o[t] = a.x;) \
    KERNEL(read_x_z, float, float4, float4 a = i[t]; o[t] = a.x + a.z;) \
    KERNEL(read_x_y, float, float4, float4 a = i[t]; o[t] = a.x + a.y;) \
    KERNEL(read_bytes, float, uchar4, uchar4 a = i[t]; o[t] = a.x + a.y + a.z;) \
    KERNEL(read_grey, float, uchar4, uchar4 a = i[t]; o[t] = a.x * .3f + a.y * .6f + a.z * .1f;) \
    KERNEL(read_float2, float, float2, float2 a = i[t]; o[t] = a.y;) \
    KERNEL(member_y, float, float4, o[t] = i[t].y;) \
    KERNEL(member_y_w, float, float4, o[t] = i[t].y + i[t].w;) \
    KERNEL(member_x_y_z, float, float4, o[t] = i[t].x + i[t].y + i[t].z;) \
    KERNEL(member_k, float, float4, float4 a = i[t]; o[t] = ((float *)&a)[t % 3];) \
    KERNEL(shared_x_y_z, float, float4, __shared__ float4 s[64]; s[t] = i[t]; s[t + 32] = i[t + 32]; __syncthreads(); float4 a = s[t ^ 1], b = s[63 - t]; o[t] = a.x * b.x + a.y * b.y + a.z * b.z;) \
    KERNEL(copy_pointer, pointer, pointer, o[t] = i[t];) \
    KERNEL(copy_pointer16, pointer16, pointer16, o[t] = i[t];) \
    KERNEL(one_pointer16, pointer16, pointer16, pointer16 a = i[t]; a.n++; o[t] = a;) \
    KERNEL(four_floats, float, float, o[t] = i[4 * t] + i[4 * t + 1] + i[4 * t + 2] + i[4 * t + 3];)

#define DEFINE(name, to, from, ...) \
    __global__ void name(to *o, const from *i) { int t = threadIdx.x; __VA_ARGS__ }
KERNELS(DEFINE)

int main() {
    char *to, *from;
    cudaMalloc(&to, 1 << 16);
    cudaMalloc(&from, 1 << 16);
    cudaMemset(from, 0, 1 << 16);
#define LAUNCH(name, to_type, from_type, ...) name<<<1, 32>>>((to_type *)to, (const from_type *)from);
    KERNELS(LAUNCH)
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
