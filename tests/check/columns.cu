/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of which a line of device memory keeps one record for several warps (lines.c): columns of
 * a matrix, rows of narrow blocks; and stores by whole warps (runs.c). Beside what must be found
 * stands what must not.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 200 };

__device__ void
turn(const int *in, int *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}
__global__ void
good_turn(const int *in, int *out, int n)
{
    turn(in, out, n);
}

/* Block (2, 1)'s thread (3, 5) writes to a word of block (1, 0)'s thread (7, 6). */
__global__ void
bad_turn(const int *in, int *out, int n)
{
    turn(in, out, n);
    if (blockIdx.x == 2 && blockIdx.y == 1 && threadIdx.x == 3 && threadIdx.y == 5)
        out[(blockDim.x + 7) * n + 6] = 1;
}

/* Thread (4, 9) looks at what thread (4, 8), of another warp, has written. */
__global__ void
bad_neighbour(const int *in, int *out, int *to, int n)
{
    turn(in, out, n);
    if (blockIdx.x == 1 && blockIdx.y == 0 && threadIdx.x == 4 && threadIdx.y == 9)
        *to = out[(blockDim.x + 4) * n + 8];
}
__global__ void
good_neighbour(const int *in, int *out, int *to, int n)
{
    turn(in, out, n);
    __syncthreads();
    if (blockIdx.x == 1 && blockIdx.y == 0 && threadIdx.x == 4 && threadIdx.y == 9)
        *to = out[(blockDim.x + 4) * n + 8];
}
/* Its own word, twice, and what it loads in between. */
__global__ void
good_again(const int *in, int *out, int n)
{
    turn(in, out, n);
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = 3 * out[x * n + y];
}

/* Half of each line is written, by columns; the sum of a row takes a word more. */
__global__ void
half_turn(int *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[x * n + y] = x;
}
__global__ void
sum_rows(const int *in, int *to, int n, int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += in[threadIdx.x * n + k];
    to[threadIdx.x] = sum;
}

/* In place, by whole warps, not aligned to lines. */
__global__ void
good_in_place(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] + 1;
}
__global__ void
good_float4(float4 *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = make_float4(i, a[i].x, a[i].y, a[i].z);
}
/* One past its part: the first word of the next block. */
__global__ void
bad_overlap(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    if (threadIdx.x == blockDim.x - 1 && blockIdx.x + 1 < gridDim.x)
        a[i + 1] = 0;
}
/* The second store of a warp hits words of the block's first warp. */
__global__ void
bad_shifted(int *a, int shift)
{
    int i = threadIdx.x;
    a[i] = i;
    if (i >= 32)
        a[i - shift] = -i;
}
__global__ void
bad_past_end(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i;
}

/* One word of each line a launch. */
__global__ void
one_column(int *out, int k)
{
    out[threadIdx.x * 32 + k] = k;
}
__global__ void
look(const int *in, int *to, int k)
{
    to[threadIdx.x] = in[threadIdx.x * 32 + k];
}

/* More launches than a line has records; another stream waits for the sixth of them. */
static void
column_after_event(int *out, int *to, int k)
{
    cudaStream_t a, b;
    cudaEvent_t sixth;
    cudaEventCreate(&sixth);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    for (int n = 0; n < 32; n++) {
        one_column<<<1, 32, 0, a>>>(out, n);
        if (n == 5)
            cudaEventRecord(sixth, a);
    }
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamWaitEvent(b, sixth, 0);
    look<<<1, 32, 0, b>>>(out, to, k);
    cudaDeviceSynchronize();
}

static void
turns(int *in, int *out, int *to, dim3 block)
{
    dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
    for (int k = 0; k < 3; k++) {
        good_turn<<<grid, block>>>(in, out, N);
        good_turn<<<grid, block>>>(out, in, N);
        good_again<<<grid, block>>>(in, out, N);
        good_neighbour<<<grid, block>>>(in, out, to, N);
    }
}

int
main(int argc, char **argv)
{
    dim3 block(32, 32), narrow(16, 16), three(8, 8, 1);
    dim3 grid((N + 31) / 32, (N + 31) / 32), narrow_grid((N + 15) / 16, (N + 15) / 16);
    int *in, *out, *to, *half;
    float4 *four;
    bool other = argc > 1 && !strcmp(argv[1], "1");
    cudaMalloc(&in, N * N * 4);
    cudaMalloc(&out, N * N * 4);
    cudaMalloc(&to, 4 * N);
    cudaMalloc(&half, 32 * 64 * 4);
    cudaMalloc(&four, N * 16);
    if (argc > 2) {
        column_after_event(out, to, atoi(argv[2]));
        return 0;
    }
    cudaMemset(in, 1, N * N * 4);
    cudaMemset(four, 1, N * 16);
    turns(in, out, to, block);
    turns(in, out, to, narrow);
    turns(in, out, to, three);
    turns(in, out, to, dim3(33, 7));
    turns(in, out, to, dim3(256, 4));
    for (int k = 0; k < 3; k++) {
        good_in_place<<<7, 96>>>(in + 5, 600);
        good_float4<<<3, 96>>>(four, N);
    }
    half_turn<<<1, dim3(32, 32)>>>(half, 64);
    if (other) { /* nothing orders the copy after the kernel */
        cudaStream_t a, b;
        cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
        cudaDeviceSynchronize();
        good_turn<<<grid, block, 0, a>>>(in, out, N);
        cudaMemcpyAsync(in, out, N * N * 4, cudaMemcpyDeviceToDevice, b);
        cudaDeviceSynchronize();
        return 0;
    }
    sum_rows<<<1, 32>>>(half, to, 64, 32);
    bad_turn<<<grid, block>>>(in, out, N);
    bad_turn<<<narrow_grid, narrow>>>(out, in, N);
    bad_neighbour<<<grid, block>>>(in, out, to, N);
    bad_neighbour<<<narrow_grid, narrow>>>(in, out, to + 1, N);
    bad_overlap<<<4, 64>>>(out);
    bad_shifted<<<1, 128>>>(out, 32);
    bad_past_end<<<N * N / 64 + 1, 64>>>(out, N * N);
    sum_rows<<<1, 32>>>(half, to, 64, 33);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
