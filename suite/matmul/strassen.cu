/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product with seven half-sized products instead of eight (Strassen, "Gaussian elimination
 * is not optimal", 1969): sums of A's and of B's quarters, seven products by the kernel of
 * matmul/pipelined, side by side in streams, and sums of their results. As often as m, k and n are
 * multiples of 8 and at least twice --tile: an eighth of the arithmetic less each time, for some 31
 * quarters of a matrix more to move.
 *
 * The result is not that of eight products rounded: errors are bounded against the largest elements
 * of A and B, not element by element (Higham, "Accuracy and stability of numerical algorithms").
 *
 *     M1 = (A11 + A22)(B11 + B22)   M2 = (A21 + A22)B11   M3 = A11(B12 - B22)   M4 = A22(B21 - B11)
 *     M5 = (A11 + A12)B22   M6 = (A21 - A11)(B11 + B12)   M7 = (A12 - A22)(B21 + B22)
 *     C11 = M1 + M4 - M5 + M7   C12 = M3 + M5   C21 = M2 + M4   C22 = M1 - M2 + M3 + M6
 *
 * systems: A6
 * title: seven half-sized products instead of eight
 * since: 8.0 asynchronous copies
 * rung: 11
 * options: --tile 32
 * sizes: 0 1 17 64 100 128 256x128x192 72x264x136
 * check: 64
 * bench: 512
 * gpu: 4096 --tile 2048; 8192 --tile 2048; 8192 --tile 4096
 */
#include "pipelined.h"

enum { PRODUCTS = 7, MOST_LEVELS = 4, THREADS = 256 };

/* What one level of splitting needs; the quarters lie one behind the other. */
struct level {
    size_t room;
    float *left, *right, *result; /* 7 of each; A11 and A22 are read where they are */
};

static struct level levels[MOST_LEVELS];
static cudaStream_t streams[PRODUCTS];
static struct product_room rooms[PRODUCTS]; /* all launches of a run have the same shape */

static __device__ __forceinline__ float4
add(float4 a, float4 b, float sign)
{
    return make_float4(a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w);
}

/* The sums of a matrix's quarters, rows x cols each (cols in words of 4), that the products take;
 * row: from one row of the matrix to the next. left: A's, else B's. */
template <bool left>
__global__ void
__launch_bounds__(THREADS) sums(const float4 *in, float4 *out, int rows, int cols, int row)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * (THREADS / 32) + threadIdx.x / 32;
    if (x >= cols || y >= rows)
        return;
    const float4 *at = in + (size_t)y * row + x;
    size_t quarter = (size_t)rows * cols;
    float4 q11 = at[0], q12 = at[cols], q21 = at[(size_t)rows * row],
           q22 = at[(size_t)rows * row + cols];
    out += (size_t)y * cols + x;
    out[0] = add(q11, q22, 1);
    if (left) {
        out[1 * quarter] = add(q21, q22, 1);
        out[4 * quarter] = add(q11, q12, 1);
        out[5 * quarter] = add(q21, q11, -1);
        out[6 * quarter] = add(q12, q22, -1);
    } else {
        out[1 * quarter] = q11;
        out[2 * quarter] = add(q12, q22, -1);
        out[3 * quarter] = add(q21, q11, -1);
        out[4 * quarter] = q22;
        out[5 * quarter] = add(q11, q12, 1);
        out[6 * quarter] = add(q21, q22, 1);
    }
}

/* C's quarters out of the seven products. */
__global__ void
__launch_bounds__(THREADS) combine(const float4 *in, float4 *c, int rows, int cols)
{
    int x = blockIdx.x * 32 + threadIdx.x % 32, y = blockIdx.y * (THREADS / 32) + threadIdx.x / 32;
    if (x >= cols || y >= rows)
        return;
    size_t quarter = (size_t)rows * cols;
    const float4 *at = in + (size_t)y * cols + x;
    float4 m1 = at[0], m2 = at[quarter], m3 = at[2 * quarter], m4 = at[3 * quarter],
           m5 = at[4 * quarter], m6 = at[5 * quarter], m7 = at[6 * quarter];
    float4 *to = c + (size_t)y * 2 * cols + x;
    to[0] = add(add(add(m1, m4, 1), m5, -1), m7, 1);
    to[cols] = add(m3, m5, 1);
    to += (size_t)rows * 2 * cols;
    to[0] = add(m2, m4, 1);
    to[cols] = add(add(add(m1, m2, -1), m3, 1), m6, 1);
}

static void
plain(const float *a, int lda, const float *b, float *c, int m, int k, int n, int which)
{
    struct product p = {a, b, c, NULL, NULL, m, k, n, lda, 0, 0, 0, 0, 0};
    product_launch_any(p, &rooms[which], streams[which]);
}

static void
reserve(struct level *l, size_t left, size_t right, size_t result)
{
    size_t all = PRODUCTS * (left + right + result);
    if (all > l->room) {
        CHECK(cudaFree(l->left));
        l->left = suite_device<float>(all);
        l->room = all;
    }
    l->right = l->left + PRODUCTS * left;
    l->result = l->right + PRODUCTS * right;
}

static bool
can_split(int m, int k, int n, int least)
{
    return m % 8 == 0 && k % 8 == 0 && n % 8 == 0 && m >= 2 * least && k >= 2 * least &&
           n >= 2 * least;
}

/* C = A B with A's rows lda apart; stream 0 and the others wait for each other. */
static void
multiply(const float *a, int lda, const float *b, float *c, int m, int k, int n, int least,
         int depth)
{
    if (depth == MOST_LEVELS || !can_split(m, k, n, least)) {
        plain(a, lda, b, c, m, k, n, 0);
        return;
    }
    struct level *l = &levels[depth];
    int hm = m / 2, hk = k / 2, hn = n / 2;
    size_t left = (size_t)hm * hk, right = (size_t)hk * hn, result = (size_t)hm * hn;
    bool deeper = depth + 1 < MOST_LEVELS && can_split(hm, hk, hn, least);
    reserve(l, left, right, result);
    dim3 grid_a(suite_div_up(hk / 4, 32), suite_div_up(hm, THREADS / 32));
    dim3 grid_b(suite_div_up(hn / 4, 32), suite_div_up(hk, THREADS / 32));
    dim3 grid_c(suite_div_up(hn / 4, 32), suite_div_up(hm, THREADS / 32));
    sums<true><<<grid_a, THREADS>>>((const float4 *)a, (float4 *)l->left, hm, hk / 4, lda / 4);
    sums<false><<<grid_b, THREADS>>>((const float4 *)b, (float4 *)l->right, hk, hn / 4, n / 4);
    for (int i = 0; i < PRODUCTS; i++) {
        const float *own = i == 2   ? a                                /* A11 */
                           : i == 3 ? a + (size_t)hm * lda + hk        /* A22 */
                                    : l->left + i * left;
        int rows_apart = i == 2 || i == 3 ? lda : hk;
        if (deeper)
            multiply(own, rows_apart, l->right + i * right, l->result + i * result, hm, hk, hn,
                     least, depth + 1);
        else
            plain(own, rows_apart, l->right + i * right, l->result + i * result, hm, hk, hn, i);
    }
    combine<<<grid_c, THREADS>>>((const float4 *)l->result, (float4 *)c, hm, hn / 4);
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    /* Ordinary streams: they wait for stream 0, and it for them. */
    for (int i = 0; i < PRODUCTS; i++)
        if (!streams[i])
            CHECK(cudaStreamCreate(&streams[i]));
    multiply(a, k, b, c, m, k, n, tile, 0);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/strassen", "product by seven halves", 2048, 1 << 20,
                                    launch};
    int status = suite_product_main(&p, argc, argv);
    for (int i = 0; i < PRODUCTS; i++) {
        product_release(&rooms[i]);
        if (streams[i])
            CHECK(cudaStreamDestroy(streams[i]));
    }
    for (int i = 0; i < MOST_LEVELS; i++)
        CHECK(cudaFree(levels[i].left));
    return status;
}
