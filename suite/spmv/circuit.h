/* SPDX-License-Identifier: Apache-2.0
 *
 * circuit.h: loop currents of a network by Kirchhoff's voltage law, Z i = v, solved by conjugate
 * gradients: one sparse product and two inner products a step, all on the device. Z is symmetric
 * and positive definite: its diagonal has the sum of a loop's resistances, the others are what two
 * loops share, negative.
 *
 *     +--1--+--25-+--30-+        loop 1: 1 i1 + 25 (i1 - i2) + 50 (i1 - i3) = 10
 *    10 V i1|     | i2           loop 2: 25 (i2 - i1) + 30 i2 + 1 (i2 - i3) = 0
 *     +-----+--50-+--1--+        loop 3: 50 (i3 - i1) + 1 (i3 - i2) + 55 i3 = 0
 *                  i3, 55
 */
#ifndef CIRCUIT_H
#define CIRCUIT_H

#include "spmv.h"

enum { DOT = 256 };

__global__ void
circuit_multiply(int rows, const float *data, const int *col, const int *row_ptr, const float *x,
                 float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++)
            sum += data[k] * x[col[k]];
        y[row] = sum;
    }
}

/* *out = a b, by one block: the same order of sums every time. */
__global__ void
circuit_dot(const float *a, const float *b, int n, float *out)
{
    __shared__ float sums[DOT];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += DOT)
        sum += a[i] * b[i];
    sums[t] = sum;
    __syncthreads();
    for (int half = DOT / 2; half; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        *out = sums[0];
}

/* y = a x + b y */
__global__ void
circuit_combine(float a, const float *x, float b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + b * y[i];
}

static float
circuit_inner(const float *a, const float *b, int n, float *room)
{
    float value = 0;
    circuit_dot<<<1, DOT>>>(a, b, n, room);
    suite_download(&value, room, 1);
    return value;
}

/* x = inverse(m) v; the number of steps. */
static int
circuit_solve(const struct spmv_device *m, const float *v, float *x)
{
    int n = m->rows, blocks = suite_div_up(n, THREADS), step = 0;
    float *r = suite_device<float>(n), *p = suite_device<float>(n), *q = suite_device<float>(n);
    float *room = suite_device<float>(1);
    CHECK(cudaMemset(x, 0, n * sizeof *x));
    CHECK(cudaMemcpy(r, v, n * sizeof *r, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(p, v, n * sizeof *p, cudaMemcpyDeviceToDevice));
    float rr = circuit_inner(r, r, n, room), wanted = 1e-14f * rr;
    for (; step < 20 * n + 20 && rr > wanted; step++) {
        circuit_multiply<<<blocks, THREADS>>>(n, m->data, m->col, m->row_ptr, p, q);
        float alpha = rr / circuit_inner(p, q, n, room), before = rr;
        circuit_combine<<<blocks, THREADS>>>(alpha, p, 1, x, n);
        circuit_combine<<<blocks, THREADS>>>(-alpha, q, 1, r, n);
        rr = circuit_inner(r, r, n, room);
        circuit_combine<<<blocks, THREADS>>>(1, r, rr / before, p, n);
    }
    suite_free_device(r, p, q, room);
    return step;
}

/* The lecture's three loops. */
static inline struct sparse
circuit_slide(float *v)
{
    static const float z[9] = {76, -25, -50, -25, 56, -1, -50, -1, 106};
    v[0] = 10;
    return sparse_from_dense(z, 3, 3);
}

/* A ladder of n loops, neighbours share a resistor, every tenth has a source. */
static inline struct sparse
circuit_ladder(int n, float *v)
{
    struct sparse m = sparse_new(n, n, 3 * n);
    int at = 0;
    for (int i = 0; i < n; i++) {
        float before = i ? 1 + suite_random(i, 1) % 50 : 0;
        float after = i < n - 1 ? 1 + suite_random(i + 1, 1) % 50 : 0;
        m.row_ptr[i] = at;
        if (i) {
            m.col[at] = i - 1;
            m.data[at++] = -before;
        }
        m.col[at] = i;
        m.data[at++] = before + after + 1 + suite_random(i, 2) % 60;
        if (i < n - 1) {
            m.col[at] = i + 1;
            m.data[at++] = -after;
        }
        v[i] = i % 10 == 0 ? 10 : 0;
    }
    m.row_ptr[n] = m.count = at;
    return m;
}

/* Gauss's elimination in double, rows in order: enough for a matrix that is positive definite. */
static inline void
circuit_reference(const struct sparse *m, const float *v, double *x)
{
    int n = m->rows;
    double *z = suite_host<double>((size_t)n * n);
    for (int i = 0; i < n; i++) {
        x[i] = v[i];
        for (int k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++)
            z[(size_t)i * n + m->col[k]] = m->data[k];
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double factor = z[(size_t)j * n + i] / z[(size_t)i * n + i];
            for (int k = i; factor != 0 && k < n; k++)
                z[(size_t)j * n + k] -= factor * z[(size_t)i * n + k];
            x[j] -= factor * x[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= z[(size_t)i * n + k] * x[k];
        x[i] /= z[(size_t)i * n + i];
    }
    free(z);
}

/* sign: by which the voltages are multiplied; the right one is 1. */
static int
circuit_main(const char *name, const char *title, int sign, int argc, char **argv)
{
    const char *file = NULL;
    const struct suite_extra extra = {
        "--in", NULL, 0, 0, "a Matrix Market file: Z, symmetric, positive definite", &file};
    struct suite s = suite_begin(name, title, 3, &extra, 1, argc, argv);
    struct sparse m = {};
    if (file)
        m = sparse_read(file);
    int n = file ? m.rows : s.size[0], steps = 0;
    if (file && m.rows != m.cols)
        sparse_fail(file, "a circuit has as many equations as loops");
    float *v = suite_host<float>(n), *found = suite_host<float>(n);
    double *right = suite_host<double>(n);
    if (file && n)
        v[0] = 10;
    else if (!file)
        m = n == 3 ? circuit_slide(v) : circuit_ladder(n, v);
    circuit_reference(&m, v, right);
    for (int i = 0; i < n; i++)
        v[i] *= sign;
    struct spmv_device d = spmv_upload(&m);
    float *device_v = suite_upload(v, n), *x = suite_device<float>(n);
    if (n)
        SUITE_TIME(&s, steps = circuit_solve(&d, device_v, x));
    suite_download(found, x, n);
    suite_compare_floats(&s, "current", found, right, n, 1e-5);
    for (int i = 0; i < n && i < 8; i++)
        suite_say(&s, "i%d = %9.6f A\n", i + 1, found[i]);
    suite_say(&s, "\n");
    for (int i = 0; i < n && i < 3; i++) {
        char what[40];
        snprintf(what, sizeof what, "i%d", i + 1);
        suite_figure(&s, what, found[i]);
    }
    suite_figure(&s, "steps", steps);
    spmv_release(&d);
    suite_free_device(device_v, x);
    sparse_free(&m);
    suite_free_host(v, found, right);
    return suite_end(&s);
}

#endif
