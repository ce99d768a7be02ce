/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory between two barriers: what a thread does to its own words is in order, what lanes
 * of a warp do to each other's is not; lanes whose addresses are no pattern; atomics beside plain
 * accesses.
 */
enum { THREADS = 256, BLOCKS = 4 };

__global__ void
good_own_words(int *out)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 0; k < 20; k++) {
        s[t] += k;
        if (t >> k & 1)
            s[t] ^= 1;
    }
    __syncthreads();
    out[blockIdx.x * THREADS + t] = s[(t + 40) % THREADS];
}
__global__ void
bad_neighbours_word(int *out)
{
    __shared__ volatile int turn;
    __shared__ int s[THREADS + 1];
    int t = threadIdx.x;
    s[t] = t;
    if (t == 0)
        s[THREADS] = 0, turn = 0;
    __syncthreads();
    s[t] += s[t + 1];
    __syncthreads();
    out[blockIdx.x * THREADS + t] = s[t] + turn;
}
/* Lane 0 reads its own word, the others its. */
template <bool ORDERED>
__device__ int
hand_out(int *s)
{
    int t = threadIdx.x;
    if (t % 32 == 0)
        s[t / 32] = t;
    if (ORDERED)
        __syncwarp();
    return s[t / 32];
}
__global__ void
bad_hand_out(int *out)
{
    __shared__ int s[THREADS / 32];
    out[blockIdx.x * THREADS + threadIdx.x] = hand_out<false>(s);
}
__global__ void
good_hand_out(int *out)
{
    __shared__ int s[THREADS / 32];
    out[blockIdx.x * THREADS + threadIdx.x] = hand_out<true>(s);
}

/* Another lane read the word before the lanes met, this one after it: it may write it. */
template <bool ORDERED>
__device__ int
swap(int *s)
{
    int t = threadIdx.x, sum;
    s[t] = t;
    __syncthreads();
    sum = s[t];
    if (ORDERED)
        __syncwarp();
    sum += s[t ^ 1];
    s[t ^ 1] = sum;
    __syncthreads();
    return s[t];
}
__global__ void
good_swap(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = swap<true>(s);
}
__global__ void
bad_swap(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = swap<false>(s);
}
/* Runs of lanes that meet in a word: row after row of 20, the rows 19 apart. */
template <bool STORES>
__device__ int
rows(int *s)
{
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int at = t / 20 * 19 + t % 20, sum = s[at];
    if (STORES)
        __syncthreads(), s[at] = sum + t;
    __syncthreads();
    return sum + s[t];
}
__global__ void
good_rows(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = rows<false>(s);
}
__global__ void
bad_rows(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = rows<true>(s);
}

/* A permutation of the block's words. */
__device__ int
spread(int t)
{
    return (t * 37 + 11) % THREADS;
}
template <int READ, int WRITE>
__device__ int
scatter(int *s, int words)
{
    int t = threadIdx.x;
    if (spread(t) < words)
        s[spread(t)] = t;
    __syncthreads();
    int sum = s[spread(t + 1) + (t == 77 ? READ : 0)] + 1;
    __syncthreads();
    s[t == 99 ? spread(100 + WRITE) : spread(t)] = sum;
    __syncthreads();
    return s[t];
}
__global__ void
good_scatter(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = scatter<0, -1>(s, THREADS);
}
__global__ void
bad_gather_bounds(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = scatter<2 * THREADS, -1>(s, THREADS);
}
__global__ void
bad_gather_unset(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = scatter<0, -1>(s, THREADS - 3);
}
__global__ void
bad_scatter_same(int *out) /* two lanes of a warp, one word */
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = scatter<0, 1>(s, THREADS);
}
template <bool ORDERED, bool CLEARED>
__device__ int
histogram(int *s, const int *in)
{
    int t = threadIdx.x;
    if (CLEARED)
        s[t] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        atomicAdd(&s[in[(t + k) % THREADS] & 63], 1);
    if (ORDERED)
        __syncthreads();
    return s[spread(t)];
}
__global__ void
good_histogram(const int *in, int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = histogram<true, true>(s, in);
}
__global__ void
bad_histogram_order(const int *in, int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = histogram<false, true>(s, in);
}
__global__ void
bad_histogram_unset(const int *in, int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = histogram<true, false>(s, in);
}
/* A tree whose last steps lack the barrier. */
template <int LAST>
__device__ int
tree(int *s)
{
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        if (step > LAST)
            __syncthreads();
    }
    return t ? 0 : s[0];
}
__global__ void
good_tree(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = tree<0>(s);
}
__global__ void
bad_tree(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = tree<8>(s);
}

int
main()
{
    int *in, *out;
    cudaMalloc(&in, sizeof(int) * THREADS);
    cudaMalloc(&out, sizeof(int) * THREADS * BLOCKS);
    cudaMemset(in, 5, sizeof(int) * THREADS);
    good_own_words<<<BLOCKS, THREADS>>>(out);
    bad_neighbours_word<<<BLOCKS, THREADS>>>(out);
    bad_hand_out<<<BLOCKS, THREADS>>>(out);
    good_hand_out<<<BLOCKS, THREADS>>>(out);
    good_swap<<<BLOCKS, THREADS>>>(out);
    bad_swap<<<BLOCKS, THREADS>>>(out);
    good_rows<<<BLOCKS, THREADS>>>(out);
    bad_rows<<<BLOCKS, THREADS>>>(out);
    good_scatter<<<BLOCKS, THREADS>>>(out);
    bad_gather_bounds<<<BLOCKS, THREADS>>>(out);
    bad_gather_unset<<<BLOCKS, THREADS>>>(out);
    bad_scatter_same<<<BLOCKS, THREADS>>>(out);
    good_histogram<<<BLOCKS, THREADS>>>(in, out);
    bad_histogram_order<<<BLOCKS, THREADS>>>(in, out);
    bad_histogram_unset<<<BLOCKS, THREADS>>>(in, out);
    good_tree<<<BLOCKS, THREADS>>>(out);
    bad_tree<<<BLOCKS, THREADS>>>(out);
    cudaDeviceSynchronize();
    cudaFree(in), cudaFree(out);
    return 0;
}
