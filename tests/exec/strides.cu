// SPDX-License-Identifier: Apache-2.0
// Loops whose counter is a thread's number and steps that all threads share: several warps ask
// together whether they go on. Counts that end anywhere in a warp, wrap, go down; counters that
// some warps have moved on and others not. Each thread's answer is held against the same function
// on the host.
#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 256, BLOCKS = 3, KINDS = 9 };

struct task {
    unsigned kind, n, stride;
};

// What thread t of block b answers; at: how far its warp has moved on before.
__host__ __device__ inline unsigned
walk(const task &q, unsigned b, unsigned t, const unsigned char *move)
{
    unsigned sum = 0, first = b * N + t, m = move[b * (N / 32) + (t >> 5)];
    switch (q.kind) {
    case 0:
        for (int i = first; i < (int)q.n; i += q.stride)
            sum += i * 3 + 1;
        break;
    case 1:
        for (unsigned i = first; i < q.n; i += q.stride)
            sum = sum * 5 + i;
        break;
    case 2:
        for (int i = (int)q.n - (int)first; i >= 0; i -= q.stride)
            sum += i ^ 7;
        break;
    case 3:
        for (int i = first; i <= (int)q.n; i += q.stride)
            sum += i;
        break;
    case 4:
        for (long long i = first; i < (long long)q.n; i += q.stride)
            sum += (unsigned)i * 9;
        break;
    case 5: { // the counter of some warps is ahead
        unsigned i = first;
        if (m & 1)
            i += 960;
        for (; i < q.n; i += q.stride)
            sum += i;
        break;
    }
    case 6: { // and by how much is decided by a loop
        unsigned i = first;
        for (unsigned k = 0; k < m; k++)
            i += 32;
        sum = i < q.n ? i : 5;
        break;
    }
    case 7:
        for (unsigned i = 4 * first, k = 0; i < q.n && k < 40; i += q.stride, k++)
            sum += i >> 2;
        break;
    default: // wraps
        for (unsigned i = first + 0xffffff00u, k = 0; i > q.n && k < 9; i += q.stride, k++)
            sum += i;
        break;
    }
    return sum;
}

template<unsigned KIND>
__global__ void alone(unsigned n, unsigned stride, const unsigned char *move, unsigned *out)
{
    task q = {KIND, n, stride};
    out[blockIdx.x * N + threadIdx.x] = walk(q, blockIdx.x, threadIdx.x, move);
}

// An addition of which the compiler makes nothing else.
__device__ __forceinline__ void add(unsigned *to, unsigned what)
{
    asm volatile("add.u32 %0, %0, %1;" : "+r"(*to) : "r"(what));
}

// The counter outlives a barrier: what was moved on before it is compared after it.
template<unsigned KIND>
__global__ void across(unsigned n, unsigned stride, const unsigned char *move, unsigned *out)
{
    __shared__ unsigned s[N];
    unsigned first = blockIdx.x * N + threadIdx.x, i = first;
    unsigned m = move[blockIdx.x * (N / 32) +
                      (threadIdx.x >> 5)]; // all lanes of the warp agree, and it is known
    if (KIND == 0)
        for (unsigned k = 0; k < m; k++)
            add(&i, 960);
    if (KIND == 1) { // the counter is written once, but what it is made of was not
        unsigned on = 0;
        for (unsigned k = 0; k < m; k++)
            add(&on, 960);
        i = first + on;
    }
    if (KIND == 2 && m > 1)
        add(&i, 1920);
    s[threadIdx.x] = first;
    __syncthreads();
    unsigned sum = s[threadIdx.x];
    for (; i < n; i += stride)
        sum += i * 3;
    out[first] = sum;
}

static int bad;

static void
compare(const char *what, const task &q, const std::vector<unsigned> &want, const unsigned *d_out)
{
    std::vector<unsigned> out(want.size());
    cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost);
    for (size_t k = 0; k < out.size(); k++)
        if (out[k] != want[k]) {
            printf("%s, kind %u, n %u, stride %u: thread %zu has %u, not %u\n", what, q.kind, q.n,
                   q.stride, k, out[k], want[k]);
            bad = 1;
            return;
        }
}

int main()
{
    std::vector<unsigned char> move(BLOCKS * N / 32);
    for (size_t k = 0; k < move.size(); k++)
        move[k] = k * 7 % 5;
    unsigned char *d_move;
    unsigned *d_out;
    cudaMalloc(&d_move, move.size());
    cudaMalloc(&d_out, BLOCKS * N * 4);
    cudaMemcpy(d_move, move.data(), move.size(), cudaMemcpyHostToDevice);
    for (unsigned n : {0u, 1u, 31u, 32u, 33u, 200u, 256u, 257u, 700u, 768u, 5000u, 6143u})
        for (unsigned stride : {768u, 32u, 100u}) {
            std::vector<unsigned> want(BLOCKS * N);
            for (unsigned kind = 0; kind < KINDS; kind++) {
                task q = {kind, n, kind == 8 ? 0x5000001u * stride : stride};
                for (unsigned k = 0; k < want.size(); k++)
                    want[k] = walk(q, k / N, k % N, move.data());
                cudaMemset(d_out, 0xff, BLOCKS * N * 4);
                switch (kind) {
                case 0: alone<0><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 1: alone<1><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 2: alone<2><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 3: alone<3><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 4: alone<4><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 5: alone<5><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 6: alone<6><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 7: alone<7><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                default: alone<8><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                }
                compare("alone", q, want, d_out);
            }
            for (unsigned kind = 0; kind < 3; kind++) {
                task q = {kind, n, stride};
                for (unsigned k = 0; k < want.size(); k++) {
                    want[k] = k;
                    for (unsigned i = k + (kind < 2           ? move[k / 32] * 960
                                           : move[k / 32] > 1 ? 1920
                                                              : 0);
                         i < n; i += stride)
                        want[k] += i * 3;
                }
                cudaMemset(d_out, 0xff, BLOCKS * N * 4);
                switch (kind) {
                case 0: across<0><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                case 1: across<1><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                default: across<2><<<BLOCKS, N>>>(q.n, q.stride, d_move, d_out); break;
                }
                compare("across", q, want, d_out);
            }
        }
    if (cudaDeviceSynchronize() != cudaSuccess)
        bad = 1;
    return bad;
}
