/* SPDX-License-Identifier: Apache-2.0
 *
 * Which warps take a way behind a test of bounds together (versions/speculate.c), and which part:
 * each warp says that it has come and then looks who has. A race, which only the order of the
 * warps decides: those that run together all see the last of them, those that parted see the ones
 * before them and themselves. With passes switched off (LOCKSTEP_JIT) any of them may run alone.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { BLOCK = 256, WARPS = BLOCK / 32, MOST = 8 * BLOCK };

/* No warp has come; the thread's number. */
__device__ static int
begin(int *here)
{
    if (threadIdx.x < WARPS)
        here[threadIdx.x] = 0;
    __syncthreads();
    return blockIdx.x * BLOCK + threadIdx.x;
}

/* How many warps have come when this one looks. */
__device__ static int
come(volatile int *here)
{
    here[threadIdx.x / 32] = 1;
    int sum = 0;
    for (int w = 0; w < WARPS; w++)
        sum += here[w];
    return sum;
}

__global__ void
window(int *out, int n)
{
    __shared__ int here[WARPS];
    int i = begin(here);
    int sum = 0;
    if (i >= 2)
        sum = come(here);
    if (i + 2 < n)
        out[i] = sum;
}

/* What is not the last element is before it. */
__global__ void
unequal(int *out, int n)
{
    __shared__ int here[WARPS];
    int i = begin(here);
    if (i < n) {
        int sum = 0;
        if (i != 0 && i != n - 1)
            sum = come(here);
        out[i] = sum;
    }
}

/* The blocks all of whose threads are inside saw all warps at once; the first and the last did
 * not. */
static bool
together(const char *name, void (*kernel)(int *, int), int *out, int n)
{
    std::vector<int> got(MOST);
    cudaMemset(out, 0, 4 * MOST);
    kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, n);
    cudaMemcpy(got.data(), out, 4 * MOST, cudaMemcpyDeviceToHost);
    for (int i = 4; i < n - 4; i++) {
        bool inside = i / BLOCK > 0 && (i / BLOCK + 1) * BLOCK + 2 < n;
        int before = i % BLOCK / 32 + 1, want = inside ? WARPS : before;
        if (got[i] == want || (getenv("LOCKSTEP_JIT") && got[i] >= before && got[i] <= WARPS))
            continue;
        printf("%s: n %d, out[%d] is %d, not %d\n", name, n, i, got[i], want);
        return false;
    }
    return true;
}

int
main()
{
    int *out;
    bool right = true;
    cudaMalloc(&out, 4 * MOST);
    for (int n : {700, 1023, 1024, 2048}) {
        right &= together("window", window, out, n);
        right &= together("unequal", unequal, out, n);
    }
    printf(right && cudaDeviceSynchronize() == cudaSuccess ? "right\n" : "WRONG\n");
    return !right;
}
