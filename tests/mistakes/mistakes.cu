// SPDX-License-Identifier: Apache-2.0
// Typical mistakes of students, each beside what they meant: `mistakes NAME` makes it, `mistakes
// NAME right` does not. A case is what stands below its line "// -- NAME"; docs/mistakes.md has the
// table, mistakes_test.py runs it.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const int N = 256;

static int *ints(int n, bool set = true)
{
    int *at = NULL;
    cudaMalloc(&at, n * sizeof *at);
    if (set)
        cudaMemset(at, 0, n * sizeof *at);
    return at;
}

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}

static void show(int *at, int n = 1)
{
    std::vector<int> host(n);
    cudaMemcpy(host.data(), at, n * sizeof *at, cudaMemcpyDeviceToHost);
    printf("%d\n", host[n - 1]);
}

// -- threads
static void threads(bool right)
{
    int *a = ints(2048);
    fill<<<right ? 2 : 1, right ? 1024 : 2048>>>(a, 2048);
    show(a);
    cudaFree(a);
}

// -- no_blocks
static void no_blocks(bool right)
{
    int n = 100, *a = ints(n);
    fill<<<right ? (n + 255) / 256 : n / 256, 256>>>(a, n);
    show(a, n);
    cudaFree(a);
}

// -- lost_printf
__global__ void speak() { printf("hello from the device\n"); }
static void lost_printf(bool right)
{
    speak<<<1, 1>>>();
    if (right)
        cudaDeviceSynchronize();
}

// -- host_reads_device
static void host_reads_device(bool right)
{
    int *a = ints(N), one;
    fill<<<1, N>>>(a, N);
    cudaDeviceSynchronize();
    if (right)
        cudaMemcpy(&one, a, sizeof one, cudaMemcpyDeviceToHost);
    else
        one = a[0];
    printf("%d\n", one);
    cudaFree(a);
}

// -- kernel_reads_host
static void kernel_reads_host(bool right)
{
    int *host = (int *)malloc(N * sizeof *host), *a = ints(N);
    fill<<<1, N>>>(right ? a : host, N);
    cudaDeviceSynchronize();
    free(host);
    cudaFree(a);
}

// -- copy_direction
static void copy_direction(bool right)
{
    int *a = ints(N), host[N];
    cudaMemcpy(host, a, sizeof host, right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    fill<<<1, N>>>(a, N);
    cudaFree(a);
}

// -- copy_too_few_bytes
__global__ void add_one(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1;
}
static void copy_too_few_bytes(bool right)
{
    int *a = ints(N, false), host[N] = {0};
    cudaMemcpy(a, host, right ? N * sizeof(int) : N, cudaMemcpyHostToDevice);
    add_one<<<1, N>>>(a, N);
    show(a, N);
    cudaFree(a);
}

// -- malloc_too_few_bytes
__global__ void write_all(int *a) { a[threadIdx.x] = threadIdx.x; }
static void malloc_too_few_bytes(bool right)
{
    int *a;
    cudaMalloc(&a, right ? N * sizeof(int) : N);
    write_all<<<1, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- memset_size_of_pointer
__global__ void count_up(int *a) { a[threadIdx.x] += 1; }
static void memset_size_of_pointer(bool right)
{
    int *a = ints(N, false);
    cudaMemset(a, 0, right ? N * sizeof *a : sizeof a);
    count_up<<<1, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- double_free
static void double_free(bool right)
{
    int *a = ints(N);
    fill<<<1, N>>>(a, N);
    cudaFree(a);
    if (!right)
        cudaFree(a);
}

// -- use_after_free
__global__ void write_late(int *a) { a[threadIdx.x] = 1; }
static void use_after_free(bool right)
{
    int *a = ints(N);
    if (!right)
        cudaFree(a);
    write_late<<<1, N>>>(a);
    cudaDeviceSynchronize();
    if (right)
        cudaFree(a);
}

// -- leak
static void leak(bool right)
{
    int *a = ints(N);
    fill<<<1, N>>>(a, N);
    cudaDeviceSynchronize();
    if (right)
        cudaFree(a);
}

// -- malloc_of_the_pointer
static void malloc_of_the_pointer(bool right)
{
    int *a = NULL;
    cudaMalloc((void **)(right ? &a : (int **)a), N * sizeof *a);
    fill<<<1, N>>>(a, right ? N : 0);
    cudaFree(a);
}

// -- malloc_too_much
__global__ void write_first(int *a) { *a = 1; }
static void malloc_too_much(bool right)
{
    int *a = NULL;
    cudaMalloc(&a, right ? 1 << 20 : (size_t)1 << 50);
    write_first<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- no_dynamic_shared
__global__ void reverse(int *a)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
static void no_dynamic_shared(bool right)
{
    int *a = ints(N);
    reverse<<<1, N, right ? N * sizeof(int) : 0>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- too_much_dynamic_shared
static void too_much_dynamic_shared(bool right)
{
    int *a = ints(N);
    reverse<<<1, N, right ? 40 << 10 : 100 << 10>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- symbol_too_long
__constant__ float mask[5];
__global__ void use_mask(float *out) { *out = mask[4]; }
static void symbol_too_long(bool right)
{
    float weights[7] = {1, 2, 3, 4, 5, 6, 7}, *out;
    cudaMalloc(&out, sizeof *out);
    cudaMemcpyToSymbol(mask, weights, right ? sizeof mask : sizeof weights);
    use_mask<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}

// -- copy_not_waited_for
static void copy_not_waited_for(bool right)
{
    int *a = ints(N), *b = ints(N), *host;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMallocHost(&host, N * sizeof *host);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(host, a, N * sizeof *host, cudaMemcpyDeviceToHost, s);
    if (right)
        cudaStreamSynchronize(s);
    cudaMemcpyAsync(b, host, N * sizeof *host, cudaMemcpyHostToDevice,
                    t); // reads what the other copy writes
    cudaDeviceSynchronize();
    fill<<<1, N>>>(b, N);
    cudaDeviceSynchronize();
    cudaFreeHost(host);
    cudaFree(a);
    cudaFree(b);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}

// -- streams_not_ordered
static void streams_not_ordered(bool right)
{
    int *a = ints(N);
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    fill<<<1, N, 0, s>>>(a, N);
    add_one<<<1, N, 0, right ? s : t>>>(a, N);
    cudaDeviceSynchronize();
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
}

// -- no_bounds
template <bool RIGHT> __global__ void scale(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!RIGHT || i < n)
        a[i] *= 2;
}
static void no_bounds(bool right)
{
    int n = 1000, *a = ints(n);
    (right ? scale<true> : scale<false>)<<<4, 256>>>(a, n);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- thread_index_alone
template <bool RIGHT> __global__ void number(int *a)
{
    int i = RIGHT ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x;
    a[i] = blockIdx.x;
}
static void thread_index_alone(bool right)
{
    int *a = ints(4 * N);
    (right ? number<true> : number<false>)<<<4, N>>>(a);
    show(a, 4 * N);
    cudaFree(a);
}

// -- index_mixed_up
template <bool RIGHT> __global__ void mixed(int *a)
{
    a[RIGHT ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x * blockDim.x + blockIdx.x] = 1;
}
static void index_mixed_up(bool right)
{
    int *a = ints(4 * N);
    (right ? mixed<true> : mixed<false>)<<<4, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- negative_remainder
template <bool RIGHT> __global__ void around(int *a, int shift)
{
    int i = ((int)threadIdx.x - shift) % N;
    a[RIGHT && i < 0 ? i + N : i] = 1;
}
static void negative_remainder(bool right)
{
    int *a = ints(N);
    (right ? around<true> : around<false>)<<<1, N>>>(a, 3);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- left_neighbour
template <bool RIGHT> __global__ void difference(const int *a, int *out)
{
    int i = threadIdx.x;
    out[i] = a[i] - (RIGHT && i == 0 ? 0 : a[i - 1]);
}
static void left_neighbour(bool right)
{
    int *a = ints(N), *b = ints(N);
    (right ? difference<true> : difference<false>)<<<1, N>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}

// -- columns_as_rows
template <bool RIGHT> __global__ void mirror(int *a, int rows, int columns)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < columns && y < rows)
        a[RIGHT ? y * columns + x : x * columns + y] = x;
}
static void columns_as_rows(bool right)
{
    int *a = ints(8 * 20);
    (right ? mirror<true> : mirror<false>)<<<1, dim3(32, 8)>>>(a, 8, 20);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- misaligned_vector
template <bool RIGHT> __global__ void sum_four(const float *a, float *out)
{
    float4 v = *(const float4 *)(a + (RIGHT ? 4 : 1));
    *out = v.x + v.y + v.z + v.w;
}
static void misaligned_vector(bool right)
{
    float *a = (float *)ints(N), *out = (float *)ints(1);
    (right ? sum_four<true> : sum_four<false>)<<<1, 1>>>(a, out);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(out);
}

// -- no_barrier
template <bool RIGHT> __global__ void turn_round(int *a)
{
    __shared__ int s[N];
    s[threadIdx.x] = a[threadIdx.x];
    if (RIGHT)
        __syncthreads();
    a[threadIdx.x] = s[N - 1 - threadIdx.x];
}
static void no_barrier(bool right)
{
    int *a = ints(N);
    (right ? turn_round<true> : turn_round<false>)<<<1, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- one_barrier_in_the_loop
template <bool RIGHT> __global__ void scan(int *a)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int d = 1; d < N; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        if (RIGHT)
            __syncthreads();
        s[t] += v;
    }
    a[t] = s[t];
}
static void one_barrier_in_the_loop(bool right)
{
    int *a = ints(N);
    (right ? scan<true> : scan<false>)<<<1, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- barrier_in_a_branch
template <bool RIGHT> __global__ void half(int *a)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t < N / 2) {
        if (!RIGHT)
            __syncthreads();
        s[t] += 1;
    }
    if (RIGHT)
        __syncthreads();
    a[t] = s[t];
}
static void barrier_in_a_branch(bool right)
{
    int *a = ints(N);
    (right ? half<true> : half<false>)<<<1, N>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- return_before_the_barrier
template <bool RIGHT> __global__ void leave(int *a, int n)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    if (!RIGHT && t >= n)
        return;
    s[t] = t < n ? a[t] : 0;
    __syncthreads();
    if (t < n)
        a[t] = s[n - 1 - t];
}
static void return_before_the_barrier(bool right)
{
    int *a = ints(N);
    (right ? leave<true> : leave<false>)<<<1, N>>>(a, 200);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- shared_not_set
template <bool RIGHT> __global__ void count_even(const int *a, int *out)
{
    __shared__ int n;
    if (RIGHT && threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (a[threadIdx.x] % 2 == 0)
        atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = n;
}
static void shared_not_set(bool right)
{
    int *a = ints(N), *out = ints(1);
    (right ? count_even<true> : count_even<false>)<<<1, N>>>(a, out);
    show(out);
    cudaFree(a);
    cudaFree(out);
}

// -- shared_too_small
template <bool RIGHT> __global__ void with_halo(int *a)
{
    __shared__ int s[RIGHT ? 66 : 64];
    int t = threadIdx.x;
    s[t + 1] = a[t];
    if (t == 0)
        s[0] = s[blockDim.x + 1] = 0;
    __syncthreads();
    a[t] = s[t] + s[t + 1] + s[t + 2];
}
static void shared_too_small(bool right)
{
    int *a = ints(64);
    (right ? with_halo<true> : with_halo<false>)<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- one_too_many
template <bool RIGHT> __global__ void last_of(const int *a, int *out, int n)
{
    int kept[4];
    for (int i = 0; RIGHT ? i < n : i <= n; i++)
        kept[i] = a[threadIdx.x * 4 + i % 4];
    out[threadIdx.x] = kept[a[threadIdx.x] & 3];
}
static void one_too_many(bool right)
{
    int *a = ints(4 * 32), *out = ints(32);
    (right ? last_of<true> : last_of<false>)<<<1, 32>>>(a, out, 4);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(out);
}

// -- sum_without_atomics
template <bool RIGHT> __global__ void total(const int *a, int *sum)
{
    if (RIGHT)
        atomicAdd(sum, a[blockIdx.x * N + threadIdx.x]);
    else
        *sum += a[blockIdx.x * N + threadIdx.x];
}
static void sum_without_atomics(bool right)
{
    int *a = ints(2 * N), *sum = ints(1);
    (right ? total<true> : total<false>)<<<2, N>>>(a, sum);
    show(sum);
    cudaFree(a);
    cudaFree(sum);
}

// -- filter_in_place
template <bool RIGHT> __global__ void blur(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}
static void filter_in_place(bool right)
{
    int *a = ints(4 * N), *b = ints(4 * N);
    (right ? blur<true> : blur<false>)<<<4, N>>>(a, right ? b : a, 4 * N);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
}

// -- blocks_wait_for_a_flag
template <bool RIGHT> __global__ void last_block(int *done, const int *part, int *sum)
{
    if (RIGHT) {
        if (threadIdx.x == 0 && atomicAdd(done, 1) == (int)gridDim.x - 1)
            *sum = 1;
    } else if (blockIdx.x == 0) {
        while (*(volatile int *)done == 0)
            ; // nobody ever sets it
        *sum = *part;
    }
}
static void blocks_wait_for_a_flag(bool right)
{
    int *done = ints(1), *part = ints(1), *sum = ints(1);
    (right ? last_block<true> : last_block<false>)<<<2, 32>>>(done, part, sum);
    cudaDeviceSynchronize();
    cudaFree(done);
    cudaFree(part);
    cudaFree(sum);
}

// -- warp_sum_without_syncwarp
template <bool RIGHT> __global__ void warp_sum(int *a)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 32] = 0;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int v = s[t + d];
        if (RIGHT)
            __syncwarp();
        s[t] += v;
        if (RIGHT)
            __syncwarp();
    }
    a[t] = s[t];
}
static void warp_sum_without_syncwarp(bool right)
{
    int *a = ints(32);
    (right ? warp_sum<true> : warp_sum<false>)<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- shuffle_mask
template <bool RIGHT> __global__ void lanes(int *a)
{
    int v = a[threadIdx.x];
    if (threadIdx.x < 16)
        v += __shfl_down_sync(RIGHT ? 0xffff : 0xffffffff, v, 8);
    a[threadIdx.x] = v;
}
static void shuffle_mask(bool right)
{
    int *a = ints(32);
    (right ? lanes<true> : lanes<false>)<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- failed_assert
__global__ void must_be_even(const int *a) { assert(a[threadIdx.x] % 2 == 0); }
static void failed_assert(bool right)
{
    int *a = ints(32);
    if (!right)
        fill<<<1, 32>>>(a, 32);
    must_be_even<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- endless_recursion
__device__ __noinline__ int
depth(int n, int most)
{
    volatile int here[64] = {n};
    return n >= most ? here[0] : depth(n + 1, most) + here[1];
}
__global__ void recurse(int *a, int most) { *a = depth(0, most); }
static void endless_recursion(bool right)
{
    int *a = ints(1);
    recurse<<<1, 1>>>(a, right ? 2 : 1 << 30);
    cudaDeviceSynchronize();
    cudaFree(a);
}

// -- stale_struct_of_pointers
struct list { int *data; int n; };
__global__ void walk(const list *l) { l->data[threadIdx.x] = l->n; }
static void stale_struct_of_pointers(bool right)
{
    list here = {right ? ints(32) : (int *)malloc(32 * sizeof(int)), 32}, *there;
    cudaMalloc(&there, sizeof *there);
    cudaMemcpy(there, &here, sizeof here, cudaMemcpyHostToDevice);
    walk<<<1, 32>>>(there);
    cudaDeviceSynchronize();
    if (right)
        cudaFree(here.data);
    else
        free(here.data);
    cudaFree(there);
}

// -- wrong_device
static void wrong_device(bool right)
{
    cudaSetDevice(right ? 0 : 3);
    int *a = ints(N);
    fill<<<1, N>>>(a, N);
    cudaDeviceSynchronize();
    cudaFree(a);
}
// -- end

#define CASE(name) {#name, name}
static const struct { const char *name; void (*run)(bool); } cases[] = {
    CASE(threads), CASE(no_blocks), CASE(lost_printf), CASE(host_reads_device),
    CASE(kernel_reads_host), CASE(copy_direction), CASE(copy_too_few_bytes),
    CASE(malloc_too_few_bytes), CASE(memset_size_of_pointer), CASE(double_free),
    CASE(use_after_free), CASE(leak), CASE(malloc_of_the_pointer), CASE(malloc_too_much),
    CASE(no_dynamic_shared), CASE(too_much_dynamic_shared), CASE(symbol_too_long),
    CASE(copy_not_waited_for), CASE(streams_not_ordered), CASE(no_bounds), CASE(thread_index_alone),
    CASE(index_mixed_up), CASE(negative_remainder), CASE(left_neighbour), CASE(columns_as_rows),
    CASE(misaligned_vector), CASE(no_barrier), CASE(one_barrier_in_the_loop),
    CASE(barrier_in_a_branch), CASE(return_before_the_barrier), CASE(shared_not_set),
    CASE(shared_too_small), CASE(one_too_many), CASE(sum_without_atomics), CASE(filter_in_place),
    CASE(blocks_wait_for_a_flag), CASE(warp_sum_without_syncwarp), CASE(shuffle_mask),
    CASE(failed_assert), CASE(endless_recursion), CASE(stale_struct_of_pointers),
    CASE(wrong_device),
};

int main(int argc, char **argv)
{
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) {
            c.run(argc > 2);
            return 0;
        }
    for (auto &c : cases)
        puts(c.name);
    return 2;
}
