/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, the worked example: 16 elements, four iterations by one block; then one, two,
 * three and four iterations by two blocks of 8 elements, each with as many elements of its
 * neighbour as there are iterations. Prints every block's elements after each iteration, rounded to
 * integers; both ways must agree to the digit.
 *
 * systems: A9
 * title: the worked example: 16 elements, one block and two
 * rung: 20
 * sizes: 16 1 17 100 1000
 * check: 16
 */
#include "average.h"

#define NOT_A_NUMBER __int_as_float(0x7fffffff)

enum { WORK = 8, STEPS = 4, WIDE = WORK + 2 * STEPS };

/* Every iteration's state of every block's tile: trace[block][iteration][k]; NaN: not valid any
 * more or outside the array. */
__global__ void
filter(const float *in, float *out, float *trace, int n, int work, int steps)
{
    extern __shared__ float shared[];
    int wide = work + 2 * steps, first = blockIdx.x * work - steps;
    float *from = shared, *to = shared + wide,
          *own = trace + (size_t)blockIdx.x * (steps + 1) * wide;
    for (int k = threadIdx.x; k < wide; k += blockDim.x) {
        int i = first + k;
        from[k] = own[k] = i >= 0 && i < n ? in[i] : NOT_A_NUMBER;
    }
    __syncthreads();
    for (int j = 1; j <= steps; j++) {
        for (int k = threadIdx.x; k < wide; k += blockDim.x) {
            int i = first + k;
            bool outside = i < 0 || i >= n, edge = i == 0 || i == n - 1;
            bool lost = !edge && (k < j || k >= wide - j);
            to[k] = outside || lost ? NOT_A_NUMBER
                    : edge          ? from[k]
                                    : mean(from[k - 1], from[k], from[k + 1]);
            own[j * wide + k] = to[k];
        }
        __syncthreads();
        float *swap = from;
        from = to;
        to = swap;
    }
    for (int k = threadIdx.x; k < work; k += blockDim.x)
        if (blockIdx.x * work + k < n)
            out[blockIdx.x * work + k] = from[steps + k];
}

static void
print_tile(const struct suite *s, const float *tile, int block, int work, int steps)
{
    int wide = work + 2 * steps, first = block * work - steps;
    suite_say(s, "block %d, %d iteration%s\n     ", block, steps, steps > 1 ? "s" : "");
    for (int k = 0; k < wide; k++)
        if (!isnan(tile[k]))
            suite_say(s, "%4d", first + k);
    for (int j = 0; j <= steps; j++) {
        if (j)
            suite_say(s, "\n  %d  ", j);
        else
            suite_say(s, "\n  in ");
        for (int k = 0; k < wide; k++)
            if (!isnan(tile[k])) {
                float value = tile[j * wide + k];
                if (isnan(value))
                    suite_say(s, "  --");
                else
                    suite_say(s, "%4.0f", value);
            }
    }
    suite_say(s, "\n\n");
}

/* Filters with blocks of `work` elements; compares with right. */
static void
run(struct suite *s, const float *host, int n, int work, int steps)
{
    int blocks = suite_div_up(n, work), wide = work + 2 * steps;
    size_t size = (size_t)blocks * (steps + 1) * wide;
    float *found = suite_host<float>(n), *tiles = suite_host<float>(size);
    double *right = suite_host<double>(n);
    for (int i = 0; i < n; i++)
        right[i] = host[i];
    average_reference(right, n, steps);
    float *in = suite_upload(host, n), *out = suite_device<float>(n),
          *trace = suite_device<float>(size);
    SUITE_TIME(s, filter<<<blocks, 32, 2 * wide * sizeof(float)>>>(in, out, trace, n, work, steps));
    suite_download(found, out, n);
    suite_download(tiles, trace, size);
    suite_compare_floats(s, "result", found, right, n, 1e-6);
    for (int b = 0; b < blocks && n <= 16; b++)
        print_tile(s, tiles + (size_t)b * (steps + 1) * wide, b, work, steps);
    suite_free_device(in, out, trace);
    suite_free_host(found, tiles, right);
}

int
main(int argc, char **argv)
{
    static const float example[16] = {25, 6, 34, 91, 10, 62, 55, 5, 80, 20, 10, 40, 6, 99, 26, 2};
    struct suite s = suite_begin("average/example", "the worked example of the averaging filter",
                                 16, NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n);
    for (int i = 0; i < n; i++)
        host[i] = example[i % 16];
    if (n) {
        run(&s, host, n, n < 1024 ? n : 1024, STEPS);
        for (int steps = 1; steps <= STEPS; steps++)
            run(&s, host, n, WORK, steps);
    }
    free(host);
    return suite_end(&s);
}
