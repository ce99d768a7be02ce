// SPDX-License-Identifier: Apache-2.0
// Blocks of one warp, whole and in part: their barriers wait for nobody (versions/regions.c,
// core_barriers_pass), and everything that they order is ordered all the same. Blocks a little
// larger beside them. The answers are computed on the host, thread by thread.
#include <cstdio>
#include <vector>

enum { MOST = 96, GRID = 5, STEPS = 19 };

static int bad;

static void same(const char *what, int size, long got, long wanted)
{
    if (got != wanted && bad++ < 20)
        printf("FAIL %s, blocks of %d: %ld, expected %ld\n", what, size, got, wanted);
}

__global__ void scan(int *out) // of what the threads hold, in shared memory
{
    __shared__ int s[2][MOST];
    int t = threadIdx.x, from = 0;
    s[0][t] = (t * 7 + blockIdx.x) % 11;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        s[!from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = !from;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[from][t];
}

__global__ void diagonals(int *out) // as in an alignment: more and more threads, then fewer
{
    __shared__ int s[33][33];
    int t = threadIdx.x, n = blockDim.x;
    s[0][t + 1] = -t - 1;
    s[t + 1][0] = -t - 1;
    if (t == 0)
        s[0][0] = blockIdx.x;
    __syncthreads();
    for (int m = 0; m < 2 * n - 1; m++) {
        int y = m - t;
        if (y >= 0 && y < n)
            s[y + 1][t + 1] = max(s[y][t] + (t * y) % 5, max(s[y + 1][t], s[y][t + 1]) - 1);
        __syncthreads();
    }
    for (int y = 0; y < n; y++)
        out[(blockIdx.x * n + y) * n + t] = s[y + 1][t + 1];
}

__global__ void leaving(int *out) // thread t is gone after t rounds; the others go on without it
{
    __shared__ int s[MOST];
    int t = threadIdx.x, n = blockDim.x;
    s[t] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (t < k)
            return;
        s[t] += k;
        __syncthreads();
        if (t == n - 1)
            out[blockIdx.x * n + k] = s[k];
        __syncthreads();
    }
}

__global__ void votes(int *out) // barriers that give something back
{
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < STEPS; k++) {
        sum += __syncthreads_count((t + k) % 3 == 0);
        sum += 100 * __syncthreads_and(t < 40 + k) + 1000 * __syncthreads_or(t == k);
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

__global__ void sides(int *out) // the same barrier in two places
{
    __shared__ int s[MOST];
    int t = threadIdx.x, n = blockDim.x;
    if (t % 2) {
        s[t] = t;
        __syncthreads();
    } else {
        s[t] = -t;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = s[(t + 1) % n];
}

__global__ void through_memory(int *data) // what one lane stores to global memory another loads
{
    int t = threadIdx.x, n = blockDim.x, *own = data + blockIdx.x * n;
    for (int k = 0; k < STEPS; k++) {
        int v = own[(t + 1) % n];
        __syncthreads();
        own[t] = v * 3 + k;
        __syncthreads();
    }
}

template <class K>
static std::vector<int> run(K kernel, int size, int words)
{
    std::vector<int> out(GRID * words);
    int *d;
    for (size_t i = 0; i < out.size(); i++)
        out[i] = (int)i;
    cudaMalloc(&d, out.size() * sizeof(int));
    cudaMemcpy(d, out.data(), out.size() * sizeof(int), cudaMemcpyHostToDevice);
    kernel<<<GRID, size>>>(d);
    if (cudaMemcpy(out.data(), d, out.size() * sizeof(int), cudaMemcpyDeviceToHost))
        bad++;
    cudaFree(d);
    return out;
}

static void check_scans(int n)
{
    auto a = run(scan, n, n), v = run(votes, n, n), l = run(leaving, n, n), s = run(sides, n, n);
    auto m = run(through_memory, n, n);
    int voted = 0;
    for (int k = 0; k < STEPS; k++) {
        for (int t = 0; t < n; t++)
            voted += (t + k) % 3 == 0;
        voted += 100 * (n <= 40 + k) + 1000 * (k < n);
    }
    for (int b = 0; b < GRID; b++) {
        int sum = 0;
        std::vector<int> own(n);
        for (int t = 0; t < n; t++)
            own[t] = b * n + t;
        for (int k = 0; k < STEPS; k++) {
            auto before = own;
            for (int t = 0; t < n; t++)
                own[t] = before[(t + 1) % n] * 3 + k;
        }
        for (int t = 0; t < n; t++) {
            int other = (t + 1) % n;
            sum += (t * 7 + b) % 11;
            same("scan", n, a[b * n + t], sum);
            same("votes", n, v[b * n + t], voted);
            same("leaving", n, l[b * n + t], t * (t + 1) / 2);
            same("sides", n, s[b * n + t], other % 2 ? other : -other);
            same("through memory", n, m[b * n + t], own[t]);
        }
    }
}

static void check_diagonals(int n)
{
    auto d = run(diagonals, n, n * n);
    for (int b = 0; b < GRID; b++) {
        int s[33][33];
        for (int k = 0; k <= n; k++)
            s[0][k] = s[k][0] = -k;
        s[0][0] = b;
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int side = s[y + 1][x] > s[y][x + 1] ? s[y + 1][x] : s[y][x + 1];
                int corner = s[y][x] + (x * y) % 5;
                s[y + 1][x + 1] = corner > side - 1 ? corner : side - 1;
                same("diagonals", n, d[(b * n + y) * n + x], s[y + 1][x + 1]);
            }
    }
}

int main()
{
    for (int n : {1, 2, 7, 16, 20, 31, 32, 33, 48, 64, 96}) {
        check_scans(n);
        if (n <= 32)
            check_diagonals(n);
    }
    if (!bad)
        puts("PASS");
    return bad != 0;
}
