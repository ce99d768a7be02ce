#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the next blocks will load is fetched ahead (memory/fetch.c): nobody may notice. Blocks in rising, falling and
# jumping order, rows of 16 threads, elements of 1 to 16 bytes, blocks that end in the middle of memory with
# nothing behind it; each result beside the host's. And that it is done where it should be, and only there.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/fetch.cu" <<'CU'
#include <cstdio>
#include <cstring>
#include <vector>

template <class T, int ORDER> __global__ void
shared_sum(const T *in, T *out, int n)
{
    __shared__ T s[256 + 2];
    int block = ORDER == 0 ? blockIdx.x : ORDER == 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x * 37 % gridDim.x;
    int i = block * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    if (i < n)
        s[t] = in[i];
    if (threadIdx.x == 0)
        s[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1 || i == n - 1)
        s[t + 1] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i < n)
        out[i] = s[t - 1] + s[t] + s[t + 1];
}

__global__ void
rows_of_16(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = in[y * w + x] * 3 + in[(h - 1 - y) * w + x];
}

__global__ void
fours(const int4 *in, int4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_int4(in[i].w, in[i].z, in[i].y, in[n - 1 - i].x);
}

static int value(int i) { return i * 77 + i / 1000; }

template <class T, int ORDER> static int
sums(int n, int threads)
{
    T *in, *out;
    int bad = 0;
    std::vector<T> from(n), to(n);
    for (int i = 0; i < n; i++)
        from[i] = (T)value(i);
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    shared_sum<T, ORDER><<<(n + threads - 1) / threads, threads>>>(in, out, n);
    if (cudaMemcpy(to.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < n; i++)
        bad += to[i] != (T)((i > 0 ? from[i - 1] : 0) + from[i] + (i + 1 < n ? from[i + 1] : 0));
    if (bad)
        printf("FAIL %zu bytes, order %d, %d of %d with %d threads: %d wrong\n", sizeof(T), ORDER, n, n, threads, bad);
    cudaFree(in);
    cudaFree(out);
    return bad;
}

static int
others(int w, int h)
{
    int *in, *out, n = w * h, bad = 0;
    std::vector<int> from(n), to(n);
    for (int i = 0; i < n; i++)
        from[i] = value(i);
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMemcpy(in, from.data(), n * 4, cudaMemcpyHostToDevice);
    rows_of_16<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(in, out, w, h);
    if (cudaMemcpy(to.data(), out, n * 4, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            bad += to[y * w + x] != from[y * w + x] * 3 + from[(h - 1 - y) * w + x];
    n /= 4;
    fours<<<(n + 127) / 128, 128>>>((const int4 *)in, (int4 *)out, n);
    if (cudaMemcpy(to.data(), out, n * 16, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < n; i++)
        bad += to[4 * i] != from[4 * i + 3] || to[4 * i + 1] != from[4 * i + 2] || to[4 * i + 2] != from[4 * i + 1] ||
               to[4 * i + 3] != from[4 * (n - 1 - i)];
    if (bad)
        printf("FAIL %d x %d: %d wrong\n", w, h, bad);
    return bad;
}

int
main()
{
    int bad = 0;
    for (int n : {1, 255, 4096, 70001, 1 << 18})
        for (int threads : {32, 64, 256})
            bad += sums<int, 0>(n, threads) + sums<int, 1>(n, threads) + sums<int, 2>(n, threads) +
                   sums<unsigned char, 0>(n, threads) + sums<double, 1>(n, threads) + sums<short, 2>(n, threads);
    return bad + others(512, 128) + others(1000, 33) != 0;
}
CU
bad=0
"$LOCKSTEP" cc -O2 "$work/fetch.cu" -o "$work/fetch" || exit 1
LOCKSTEP_WORKERS=2 timeout 300 "$work/fetch" || { echo "FAIL results"; bad=1; }
case ",$LOCKSTEP_JIT," in # where the pass is off, or one that it needs
*,-prefetch-blocks,* | *,-barrier-regions,* | *,-all,*) exit $bad ;;
esac
cat >"$work/where.cu" <<'CU'
extern "C" __global__ void once(const float *in, float *out) { out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; }
extern "C" __global__ void same(const float *in, float *out) { out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x]; }
CU
"$LOCKSTEP" cc -ptx "$work/where.cu" -o "$work/where.ptx" || exit 1
for which in once same; do
    "$LOCKSTEP" launch "$work/where.ptx" -k $which --grid 4 --block 256 -a buffer:4096 -a buffer:4096 --dump-stage llvm \
        >"$work/$which.ll" || bad=1
done
grep -q llvm.prefetch "$work/once.ll" || { echo "FAIL nothing is fetched for a stream"; bad=1; }
grep -q 'call.*llvm.prefetch' "$work/same.ll" && { echo "FAIL fetched for a word that all lanes read"; bad=1; }
exit $bad
