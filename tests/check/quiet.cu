/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that no store of a launch may touch is read without a mark (quiet.c). Mistakes beside
 * that: each would go unseen if memory were taken for such too early, too widely or too long. PART
 * says which runs.
 */
#include <cstdio>
#include <cstdlib>

enum { THREADS = 256, BLOCKS = 16, COUNT = THREADS * BLOCKS };

__global__ void
good_sum(const int *in, const int *index, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[(i + k) % COUNT] + in[index[i]];
    out[i] = sum;
}
__global__ void
bad_gather_bounds(const int *in, const int *index, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[index[(i + k) % COUNT] + (i == 1000 && k == 3 ? COUNT : 0)];
    out[i] = sum;
}
__global__ void
bad_run_bounds(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + in[i + 1];
}
__global__ void
bad_gather_align(const char *in, const int *index, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += *(const int *)(in + 4 * index[i] + (i == 2000 && k == 3 ? 2 : 0));
    out[i] = sum;
}
/* The two pointers are one allocation. */
__global__ void
bad_in_place(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[(i + 1) % COUNT];
}
/* Where it stores is not known before it does. */
__global__ void
bad_loaded_pointer(const int *in, int *const *to, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = in[i] + in[(i + THREADS) % COUNT];
    if (i == COUNT - 1)
        to[0][5] = sum;
    out[i] = sum;
}
/* The last word was never written. */
__global__ void
bad_unset_word(const int *in, const int *index, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + in[index[i]];
}
/* New memory where there was memory that had been read. */
__global__ void
bad_new_memory(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + 1;
}
__global__ void
good_copy(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i];
}
/* In comes a copy of what nobody wrote. */
__global__ void
bad_unset_copy(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + 1;
}
/* Two streams, nothing orders them; made before the first launch. */
__global__ void
good_reader(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + in[(i + 1) % COUNT];
}
__global__ void
bad_other_stream(int *in)
{
    in[blockIdx.x * THREADS + threadIdx.x] = 1;
}
__device__ int table[COUNT];
__constant__ int steps[4] = {1, 2, 3, 4};
__global__ void
good_variables(int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++)
        sum += steps[k] * table[(i + k) % COUNT];
    out[i] = sum;
}
__global__ void
bad_constant_bounds(int *out, int most)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    for (int k = 0; k < most; k++)
        sum += steps[k];
    out[i] = sum;
}

static int *
room(bool set)
{
    int *at;
    cudaMalloc(&at, sizeof(int) * COUNT);
    if (set)
        cudaMemset(at, 0, sizeof(int) * COUNT);
    return at;
}

static void
one_stream(void)
{
    static int host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = (i * 37 + 11) % COUNT;
    int *in = room(true), *index = room(true), *out = room(true), *part = room(false), **to;
    cudaMemcpy(index, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMalloc(&to, sizeof *to);
    cudaMemcpy(to, &in, sizeof in, cudaMemcpyHostToDevice);
    for (int turn = 0; turn < 3; turn++) {
        good_sum<<<BLOCKS, THREADS>>>(in, index, out);
        good_copy<<<BLOCKS, THREADS>>>(out, in);
    }
    bad_gather_bounds<<<BLOCKS, THREADS>>>(in, index, out);
    bad_run_bounds<<<BLOCKS, THREADS>>>(in, out);
    bad_gather_align<<<BLOCKS, THREADS>>>((const char *)in, index, out);
    bad_in_place<<<BLOCKS, THREADS>>>(in, in);
    bad_loaded_pointer<<<BLOCKS, THREADS>>>(in, to, out);
    cudaMemset(part, 0, sizeof(int) * (COUNT - 1));
    bad_unset_word<<<BLOCKS, THREADS>>>(part, index, out);
    cudaMemset(part, 0, sizeof(int) * COUNT);
    good_copy<<<BLOCKS, THREADS>>>(part, out);
    cudaFree(part);
    part = room(false);
    bad_new_memory<<<BLOCKS, THREADS>>>(part, out);
    good_sum<<<BLOCKS, THREADS>>>(in, index, out);
    good_copy<<<BLOCKS, THREADS>>>(part, in);
    bad_unset_copy<<<BLOCKS, THREADS>>>(in, out);
    good_variables<<<BLOCKS, THREADS>>>(out);
    bad_constant_bounds<<<BLOCKS, THREADS>>>(out, 5);
    cudaDeviceSynchronize();
    cudaFree(in), cudaFree(index), cudaFree(out), cudaFree(part), cudaFree(to);
}

static void
two_streams(void)
{
    cudaStream_t first, second;
    int *in = room(true), *out = room(true);
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    good_reader<<<BLOCKS, THREADS, 0, first>>>(in, out);
    bad_other_stream<<<BLOCKS, THREADS, 0, second>>>(in);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first), cudaStreamDestroy(second);
    cudaFree(in), cudaFree(out);
}

/* The legacy stream reads, the other one has been made and not used. */
static void
legacy_and_other(void)
{
    cudaStream_t other;
    int *in = room(true), *out = room(true);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    good_reader<<<BLOCKS, THREADS>>>(in, out);
    bad_other_stream<<<BLOCKS, THREADS, 0, other>>>(in);
    cudaDeviceSynchronize();
    cudaStreamDestroy(other);
    cudaFree(in), cudaFree(out);
}

int
main(int argc, char **argv)
{
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: one_stream(); break;
    case 1: two_streams(); break;
    default: legacy_and_other();
    }
    return 0;
}
