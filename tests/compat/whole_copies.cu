/* SPDX-License-Identifier: Apache-2.0
 *
 * whole_copies.cu: structures of all kinds, copied whole, onto themselves, and with one member
 * changed: the bytes are the host's. Members of several sizes, pointers, unions, bits, padding,
 * arrays, more alignment than members need.
 */
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

struct mixed { int a; short b, c; float d; int e; };
struct __align__(16) mixed16 { int a; short b, c; float d; int e; };
struct __align__(16) pointed { const char *p; int n, m; };
struct __align__(16) both { float x; int n; double y; };
struct __align__(16) nested { float4 row[3]; };
struct __align__(16) outer { int2 a; uchar4 b; bool c, d; short e; };
struct __align__(8) bits { unsigned a : 3, b : 29; short c, d; };
union __align__(16) either { float4 f; double2 d; unsigned char c[16]; };
struct __align__(16) lone { long long one; long long two; };
struct __align__(4) bytes { unsigned char r, g, b, a; };
struct __align__(8) halves { half h[4]; };
struct __align__(16) large { int v[20]; };

#define KINDS(KIND)                                                                                \
    KIND(mixed)                                                                                    \
    KIND(mixed16) KIND(pointed) KIND(both) KIND(nested) KIND(outer) KIND(bits) KIND(either)        \
        KIND(lone) KIND(bytes) KIND(halves) KIND(large) KIND(float4) KIND(int3) KIND(double2)      \
            KIND(short4)

template <class T> struct first_byte {
    static __host__ __device__ void change(T &t)
    {
        reinterpret_cast<unsigned char *>(&t)[sizeof(T) / 2] ^= 0x5a;
    }
};

template <class T>
__device__ T
passed(T by_value)
{
    first_byte<T>::change(by_value);
    return by_value;
}

template <class T> __global__ void
copies(T *whole, T *changed, T *itself, T *shifted, const T *from, int n)
{
    __shared__ T kept[64];
    int t = threadIdx.x;
    kept[t] = from[t];
    whole[t] = from[t];
    itself[t] = itself[t];
    __syncthreads();
    T one = kept[n - 1 - t];
    changed[t] = passed(one);
    T several[3] = {from[t], kept[t], one};
    shifted[t] = several[(t + n) % 3];
}

template <class T> bool
right(const char *name)
{
    const int n = 64;
    static T from[n], got[4][n], want[4][n];
    T *device[5];
    for (size_t i = 0; i < sizeof from; i++)
        reinterpret_cast<unsigned char *>(from)[i] =
            (unsigned char)((i * 37 + i / 5) & (strcmp(name, "outer") ? 255 : 1));
    for (int t = 0; t < n; t++) {
        want[0][t] = want[2][t] = from[t];
        want[1][t] = from[n - 1 - t];
        first_byte<T>::change(want[1][t]);
        T several[3] = {from[t], from[t], from[n - 1 - t]};
        want[3][t] = several[(t + n) % 3];
    }
    for (int i = 0; i < 5; i++) {
        cudaMalloc(&device[i], sizeof from);
        cudaMemcpy(device[i], from, sizeof from, cudaMemcpyHostToDevice);
    }
    copies<<<1, n>>>(device[0], device[1], device[2], device[3], device[4], n);
    for (int i = 0; i < 4; i++)
        cudaMemcpy(got[i], device[i], sizeof from, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        if (memcmp(got[i], want[i], sizeof from)) {
            printf("%s: copy %d differs\n", name, i);
            return false;
        }
    return true;
}

int main()
{
    bool ok = true;
#define TRY(kind) ok &= right<kind>(#kind);
    KINDS(TRY)
    puts(ok && cudaDeviceSynchronize() == cudaSuccess ? "ok" : "failed");
    return !ok;
}
