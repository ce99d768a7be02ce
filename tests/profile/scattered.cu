/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose lanes never lie twice alike, for scattered_test.py: by one instruction, whose
 * accesses are soon taken one by one, and the same ones dealt out to so many instructions that each
 * has few.
 */
#include <cstdio>
#include <cuda_runtime.h>

enum { TURNS = 420, CASES = 12 };

__device__ unsigned
scatter(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x * 2654435761u;
}

/* In the first turns of WAYS = 1 the instruction's accesses are still looked up: all kinds are met
 * later, too. */
template <int N, class T>
__device__ __forceinline__ void
access(T *out, const T *in, unsigned at, unsigned to)
{
    T v = T();
    if (at % 7)
        v = in[at];
    out[to] = v;
    if (sizeof(T) == 4 && to % 3)
        atomicAdd((unsigned *)out + at, (unsigned)N);
}

template <int N, int WAYS, class T>
struct dealt {
    static __device__ __forceinline__ void
    go(int way, T *out, const T *in, unsigned at, unsigned to)
    {
        if (way == N) {
            asm volatile("// %0" ::"n"(N)); /* or they would be one again */
            access<N>(out, in, at, to);
        } else {
            dealt<N + 1, WAYS, T>::go(way, out, in, at, to);
        }
    }
};
template <int WAYS, class T>
struct dealt<WAYS, WAYS, T> {
    static __device__ __forceinline__ void
    go(int, T *, const T *, unsigned, unsigned)
    {
    }
};

template <int WAYS, class T>
__global__ void
turns(const T *in, T *out, unsigned span)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < TURNS; k++) {
        unsigned r = scatter(t * 977 + k * 31 + 1);
        dealt<0, WAYS, T>::go(k % WAYS, out, in, r % span, scatter(r) % span);
    }
}

template <class T>
static void
both(char *in, char *out, unsigned span)
{
    turns<1, T><<<1, 56>>>((T *)in + 3, (T *)out + 1, span);
    turns<CASES, T><<<1, 56>>>((T *)in + 3, (T *)out + 1, span);
}

int
main(int argc, char **argv)
{
    enum { BYTES = 1 << 22 };
    char *in, *out;
    unsigned span = argc > 1 ? atoi(argv[1]) : 100;
    cudaMalloc(&in, BYTES);
    cudaMalloc(&out, BYTES);
    cudaMemset(in, 0, BYTES);
    for (int rounds = argc > 2 ? atoi(argv[2]) : 1; rounds; rounds--) {
        both<unsigned char>(in, out, span);
        both<unsigned>(in, out, span);
        both<double>(in, out, span);
    }
    bool fine = cudaDeviceSynchronize() == cudaSuccess;
    puts(fine ? "fine" : "failed");
    return !fine;
}
