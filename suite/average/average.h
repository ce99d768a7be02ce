/* SPDX-License-Identifier: Apache-2.0
 *
 * average.h: the main program of the averaging filter's cases. The filter: each inner element
 * becomes the mean of itself and its two neighbours; the first and the last one stay. A case's
 * number has a bit for each answer: 1 same array, 2 many iterations, 4 many blocks, 8 shared
 * memory.
 */
#ifndef AVERAGE_H
#define AVERAGE_H

#include "../common/suite.h"

enum { BLOCK = 128, MOST_ITERATIONS = 64 };

/* What all kernels compute, from wherever the three elements are. */
static __device__ __forceinline__ float
mean(float left, float centre, float right)
{
    return (left + centre + right) / 3.0f;
}

/* One pass over the array in place, chunk by chunk. All threads have read before any writes; the
 * chunk's first thread needs the element before it as it was: the block keeps that one aside. */
static __device__ __forceinline__ void
filter_in_place(float *a, int n)
{
    float before = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x, last = first + blockDim.x - 1;
        bool inner = i > 0 && i < n - 1;
        float value = 0, next = 0;
        if (inner)
            value = mean(threadIdx.x ? a[i - 1] : before, a[i], a[i + 1]);
        if (threadIdx.x == 0 && last < n)
            next = a[last];
        __syncthreads();
        if (inner)
            a[i] = value;
        before = next;
        __syncthreads();
    }
}

/* A block brings its BLOCK elements and `iterations` more from either side. Every iteration makes
 * the outermost ones on both sides invalid; after the last one the inner BLOCK are still right. */
static __device__ __forceinline__ void
filter_tile(float *from, float *to, float *out, int first, int n, int iterations)
{
    int wide = BLOCK + 2 * iterations;
    for (int j = 0; j < iterations; j++) {
        for (int k = threadIdx.x; k < wide; k += blockDim.x) {
            int i = first - iterations + k;
            bool inner = i > 0 && i < n - 1 && k > 0 && k < wide - 1;
            to[k] = inner ? mean(from[k - 1], from[k], from[k + 1]) : from[k];
        }
        __syncthreads();
        float *swap = from;
        from = to;
        to = swap;
    }
    int i = first + threadIdx.x;
    if (i < n)
        out[i] = from[iterations + threadIdx.x];
}

struct average_case {
    const char *name, *title;
    int number;
    int most; /* elements that fit; 0: any number */
    /* Filters a[0..n), n > 0. b has n elements and room for 2 * iterations more a block: the second
     * array, or what must be kept aside. Returns where the result is. */
    float *(*launch)(float *a, float *b, int n, int iterations);
};

static inline void
average_reference(double *at, int n, int iterations)
{
    for (int j = 0; j < iterations; j++) {
        double left = n ? at[0] : 0;
        for (int i = 1; i < n - 1; i++) {
            double mean = (left + at[i] + at[i + 1]) / 3;
            left = at[i];
            at[i] = mean;
        }
    }
}

static inline void
average_explain(const struct suite *s, const struct average_case *c)
{
    suite_say(s, "case %d: %s, %s, %s, %s\n", c->number,
              c->number & 1 ? "the same array" : "different arrays",
              c->number & 2 ? "many iterations" : "one iteration",
              c->number & 4 ? "many blocks" : "one block",
              c->number & 8 ? "shared and global memory" : "global memory only");
}

static int
average_main(const struct average_case *c, int argc, char **argv)
{
    int iterations = c->number & 2 ? 4 : 1;
    const struct suite_extra extra = {
        "--iterations",         &iterations, 1, c->number & 2 ? MOST_ITERATIONS : 1,
        "how often it filters", NULL};
    struct suite s = suite_begin(c->name, c->title, 1000, &extra, 1, argc, argv);
    int n = s.size[0];
    if (c->most && n > c->most) {
        fprintf(stderr, "%s: at most %d elements fit in the shared memory of one block\n", argv[0],
                c->most);
        return 2;
    }
    size_t room = n + 2 * (size_t)iterations * suite_div_up(n + 1, BLOCK);
    float *host = suite_host<float>(n), *found = suite_host<float>(n);
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    for (int i = 0; i < n; i++)
        right[i] = host[i];
    if (s.verify)
        average_reference(right, n, iterations);
    float *start = suite_upload(host, n); /* each launch begins with it again */
    float *a = suite_device<float>(n), *b = suite_device<float>(room), *result = a;
    average_explain(&s, c);
    if (n)
        SUITE_TIME_AFTER(&s, CHECK(cudaMemcpy(a, start, n * sizeof *a, cudaMemcpyDeviceToDevice)),
                         result = c->launch(a, b, n, iterations));
    suite_download(found, result, n);
    suite_compare_floats(&s, "result", found, right, n, 1e-6);
    suite_free_device(start, a, b);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
