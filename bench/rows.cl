/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of rows.cu in OpenCL C, word for word where the languages allow it. rows_opencl.c defines
 * the constants on the compiler's command line.
 */

#define GROUP get_group_id(0)
#define THREAD ((int)get_local_id(0))
#define GLOBAL ((int)(get_group_id(0) * BLOCK + get_local_id(0)))

/* -- products -------------------------------------------------------------------------------------- */

kernel void
sgemm_naive(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    float sum = 0;
    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

#define SGEMM_TILED(NAME, T)                                                                       \
    kernel void NAME(global const float *a, global const float *b, global float *c, int n)         \
    {                                                                                              \
        local float ta[T][T], tb[T][T];                                                            \
        int tx = get_local_id(0), ty = get_local_id(1);                                            \
        int x = get_group_id(0) * T + tx, y = get_group_id(1) * T + ty;                            \
        float sum = 0;                                                                             \
        for (int at = 0; at < n; at += T) {                                                        \
            ta[ty][tx] = y < n && at + tx < n ? a[y * n + at + tx] : 0;                            \
            tb[ty][tx] = x < n && at + ty < n ? b[(at + ty) * n + x] : 0;                          \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            for (int k = 0; k < T; k++)                                                            \
                sum += ta[ty][k] * tb[k][tx];                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
        if (x < n && y < n)                                                                        \
            c[y * n + x] = sum;                                                                    \
    }
SGEMM_TILED(sgemm_tiled16, 16)
SGEMM_TILED(sgemm_tiled32, 32)

/* 16 x 16 work-items, R x R elements each, 16 apart (STRIDED) or side by side. */
#define SGEMM_REG(NAME, R, STRIDED)                                                                \
    kernel void NAME(global const float *a, global const float *b, global float *c, int n)         \
    {                                                                                              \
        local float ta[16 * R][17], tb[16][16 * R];                                                \
        int tx = get_local_id(0), ty = get_local_id(1), t = ty * 16 + tx;                          \
        int first_x = get_group_id(0) * 16 * R, first_y = get_group_id(1) * 16 * R;                \
        float sum[R][R];                                                                           \
        for (int i = 0; i < R; i++)                                                                \
            for (int j = 0; j < R; j++)                                                            \
                sum[i][j] = 0;                                                                     \
        for (int at = 0; at < n; at += 16) {                                                       \
            for (int i = t; i < 256 * R; i += 256) {                                               \
                int y = first_y + i / 16, x = at + i % 16;                                         \
                ta[i / 16][i % 16] = y < n && x < n ? a[y * n + x] : 0;                            \
                y = at + i / (16 * R), x = first_x + i % (16 * R);                                 \
                tb[i / (16 * R)][i % (16 * R)] = y < n && x < n ? b[y * n + x] : 0;                \
            }                                                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
            _Pragma("unroll") for (int k = 0; k < 16; k++)                                         \
            {                                                                                      \
                float pa[R], pb[R];                                                                \
                for (int i = 0; i < R; i++) {                                                      \
                    pa[i] = ta[STRIDED ? ty + 16 * i : ty * R + i][k];                             \
                    pb[i] = tb[k][STRIDED ? tx + 16 * i : tx * R + i];                             \
                }                                                                                  \
                for (int i = 0; i < R; i++)                                                        \
                    for (int j = 0; j < R; j++)                                                    \
                        sum[i][j] += pa[i] * pb[j];                                                \
            }                                                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
        for (int i = 0; i < R; i++)                                                                \
            for (int j = 0; j < R; j++) {                                                          \
                int y = first_y + (STRIDED ? ty + 16 * i : ty * R + i);                            \
                int x = first_x + (STRIDED ? tx + 16 * j : tx * R + j);                            \
                if (x < n && y < n)                                                                \
                    c[y * n + x] = sum[i][j];                                                      \
            }                                                                                      \
    }
SGEMM_REG(sgemm_reg4, 4, 0)
SGEMM_REG(sgemm_reg4s, 4, 1)
SGEMM_REG(sgemm_reg8, 8, 1)

/* -- transposes ------------------------------------------------------------------------------------ */

kernel void
transpose_naive(global const float *in, global float *out, int n)
{
    int x = get_group_id(0) * TILE + get_local_id(0), y = get_group_id(1) * TILE + get_local_id(1);
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

#define TRANSPOSE_TILED(NAME, PAD)                                                                 \
    kernel void NAME(global const float *in, global float *out, int n)                             \
    {                                                                                              \
        local float tile[TILE][TILE + PAD];                                                        \
        int tx = get_local_id(0), ty = get_local_id(1), rows = get_local_size(1);                  \
        int x = get_group_id(0) * TILE + tx, y = get_group_id(1) * TILE + ty;                      \
        for (int j = 0; j < TILE; j += rows)                                                       \
            if (x < n && y + j < n)                                                                \
                tile[ty + j][tx] = in[(y + j) * n + x];                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        x = get_group_id(1) * TILE + tx, y = get_group_id(0) * TILE + ty;                          \
        for (int j = 0; j < TILE; j += rows)                                                       \
            if (x < n && y + j < n)                                                                \
                out[(y + j) * n + x] = tile[tx][ty + j];                                           \
    }
TRANSPOSE_TILED(transpose_tiled32, 0)
TRANSPOSE_TILED(transpose_pad33, 1)
TRANSPOSE_TILED(transpose_pad33x8, 1)

/* -- averaging filter, convolutions ------------------------------------------------------------------ */

kernel void
avg_global(global const float *in, global float *out, int n)
{
    int i = GLOBAL;
    if (i < n)
        out[i] = i == 0 || i == n - 1 ? in[i] : (in[i - 1] + in[i] + in[i + 1]) * (1.0f / 3);
}

kernel void
avg_temporal(global const float *in, global float *out, int n)
{
    local float s[2][BLOCK + 2 * STEPS];
    int first = GROUP * BLOCK - STEPS;
    for (int i = THREAD; i < BLOCK + 2 * STEPS; i += BLOCK)
        s[0][i] = first + i >= 0 && first + i < n ? in[first + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int now = 0;
    for (int step = 1; step <= STEPS; step++, now ^= 1) {
        for (int i = THREAD + step; i < BLOCK + 2 * STEPS - step; i += BLOCK) {
            int g = first + i;
            s[now ^ 1][i] = g <= 0 || g >= n - 1 ? s[now][i]
                                                 : (s[now][i - 1] + s[now][i] + s[now][i + 1]) * (1.0f / 3);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int i = GLOBAL;
    if (i < n)
        out[i] = s[now][THREAD + STEPS];
}

kernel void
conv1d_basic(global const float *in, global float *out, constant float *taps, int n)
{
    int i = GLOBAL;
    float sum = 0;
    if (i >= n)
        return;
    for (int k = 0; k < TAPS; k++) {
        int at = i + k - TAPS / 2;
        if (at >= 0 && at < n)
            sum += taps[k] * in[at];
    }
    out[i] = sum;
}

kernel void
conv1d_tiled(global const float *in, global float *out, constant float *taps, int n)
{
    local float s[BLOCK + TAPS - 1];
    int first = GROUP * BLOCK - TAPS / 2;
    for (int i = THREAD; i < BLOCK + TAPS - 1; i += BLOCK)
        s[i] = first + i >= 0 && first + i < n ? in[first + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = GLOBAL;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * s[THREAD + k];
    if (i < n)
        out[i] = sum;
}

kernel void
conv2d_basic(global const float *in, global float *out, constant float *box, int n)
{
    int x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
    float sum = 0;
    if (x >= n || y >= n)
        return;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++) {
            int u = x + i - BOX / 2, v = y + j - BOX / 2;
            if (u >= 0 && u < n && v >= 0 && v < n)
                sum += box[j * BOX + i] * in[v * n + u];
        }
    out[y * n + x] = sum;
}

kernel void
conv2d_tile20(global const float *in, global float *out, constant float *box, int n)
{
    local float s[20][20];
    int tx = get_local_id(0), ty = get_local_id(1);
    int u = get_group_id(0) * 16 + tx - 2, v = get_group_id(1) * 16 + ty - 2;
    s[ty][tx] = u >= 0 && u < n && v >= 0 && v < n ? in[v * n + u] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx >= 16 || ty >= 16)
        return;
    int x = u + 2, y = v + 2;
    float sum = 0;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++)
            sum += box[j * BOX + i] * s[ty + j][tx + i];
    if (x < n && y < n)
        out[y * n + x] = sum;
}

kernel void
conv2d_tile16(global const float *in, global float *out, constant float *box, int n)
{
    local float s[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * 16 + tx, y = get_group_id(1) * 16 + ty;
    s[ty][tx] = x < n && y < n ? in[y * n + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++) {
            int u = x + i - BOX / 2, v = y + j - BOX / 2;
            int tu = tx + i - BOX / 2, tv = ty + j - BOX / 2;
            if (u < 0 || u >= n || v < 0 || v >= n)
                continue;
            sum += box[j * BOX + i] *
                   (tu >= 0 && tu < 16 && tv >= 0 && tv < 16 ? s[tv][tu] : in[v * n + u]);
        }
    if (x < n && y < n)
        out[y * n + x] = sum;
}

/* -- sums of neighbours, differences ------------------------------------------------------------------ */

kernel void
sum3_direct(global const float *in, global float *out, int n)
{
    int i = GLOBAL;
    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];
    else if (i < n)
        out[i] = in[i];
}

kernel void
sum3_local(global const float *in, global float *out, int n)
{
    local float s[BLOCK + 2];
    int i = GLOBAL, t = THREAD + 1;
    if (i < n)
        s[t] = in[i];
    if (THREAD == 0 && i > 0)
        s[0] = in[i - 1];
    if (THREAD == BLOCK - 1 && i + 1 < n)
        s[BLOCK + 1] = in[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 0 && i < n - 1)
        out[i] = s[t - 1] + s[t] + s[t + 1];
    else if (i < n)
        out[i] = s[t];
}

kernel void
fd_direct(global const float *in, global float *out, int n)
{
    int i = GLOBAL;
    if (i < n)
        out[i] = i + 1 < n ? in[i + 1] - in[i] : 0;
}

kernel void
fd_local(global const float *in, global float *out, int n)
{
    local float s[BLOCK + 1];
    int i = GLOBAL;
    if (i < n)
        s[THREAD] = in[i];
    if (THREAD == 0 && i + BLOCK < n)
        s[BLOCK] = in[i + BLOCK];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = i + 1 < n ? s[THREAD + 1] - s[THREAD] : 0;
}

/* -- sparse product, reductions, histograms ------------------------------------------------------------ */

kernel void
spmv_csr(global const int *start, global const int *column, global const float *value,
         global const float *x, global float *y, int rows)
{
    int r = GLOBAL;
    float sum = 0;
    if (r >= rows)
        return;
    for (int k = start[r]; k < start[r + 1]; k++)
        sum += value[k] * x[column[k]];
    y[r] = sum;
}

kernel void
reduce_tree(global const float *in, global float *out, int n)
{
    local float s[BLOCK];
    int i = GLOBAL;
    s[THREAD] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = BLOCK / 2; step; step /= 2) {
        if (THREAD < step)
            s[THREAD] += s[THREAD + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (THREAD == 0)
        out[GROUP] = s[0];
}

kernel void
reduce_treemod(global const float *in, global float *out, int n)
{
    local float s[BLOCK];
    int i = GLOBAL;
    s[THREAD] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < BLOCK; step *= 2) {
        if (THREAD % (2 * step) == 0)
            s[THREAD] += s[THREAD + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (THREAD == 0)
        out[GROUP] = s[0];
}

kernel void
reduce_gridstride(global const float *in, global float *out, int n)
{
    local float s[BLOCK];
    float sum = 0;
    for (int i = GLOBAL; i < n; i += get_global_size(0))
        sum += in[i];
    s[THREAD] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = BLOCK / 2; step; step /= 2) {
        if (THREAD < step)
            s[THREAD] += s[THREAD + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (THREAD == 0)
        out[GROUP] = s[0];
}

/* OpenCL has no addition of floats that is atomic: compare and exchange until it succeeds. */
kernel void
reduce_atomic(global const float *in, volatile global int *out, int n)
{
    float sum = 0;
    for (int i = GLOBAL; i < n; i += get_global_size(0))
        sum += in[i];
    int before = *out, seen;
    while ((seen = atomic_cmpxchg(out, before, as_int(as_float(before) + sum))) != before)
        before = seen;
}

kernel void
hist_local(global const uchar *in, global uint *out, int n)
{
    local uint s[256];
    s[THREAD] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = GLOBAL; i < n; i += get_global_size(0))
        atomic_inc(&s[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[THREAD], s[THREAD]);
}

kernel void
hist_global(global const uchar *in, global uint *out, int n)
{
    for (int i = GLOBAL; i < n; i += get_global_size(0))
        atomic_inc(&out[in[i]]);
}

/* -- costs ---------------------------------------------------------------------------------------------- */

kernel void
empty(void)
{
}

kernel void
barriers(global const float *in, global float *out, int steps)
{
    local float s[BLOCK];
    int i = GLOBAL;
    s[THREAD] = in[i];
    for (int k = 0; k < steps; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float next = s[(THREAD + 1) % BLOCK];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[THREAD] = next;
    }
    out[i] = s[THREAD];
}
