/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.h: the main program of the ten nearest neighbours: for every point p the ten smallest
 * squared distances to points q, rising; where there are fewer than ten points the rest stays FAR.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include "../common/suite.h"

#define FAR 1e30f

enum { BLOCK = 128, KEPT = 10 };

static inline __host__ __device__ float
distance2(float2 a, float2 b)
{
    float x = a.x - b.x, y = a.y - b.y;
    return x * x + y * y;
}

__global__ void nearest(const float2 *p, int p_count, const float2 *q, int q_count, float *out);

static inline void
nearest_reference(const float2 *p, int p_count, const float2 *q, int q_count, double *out)
{
    for (int i = 0; i < p_count; i++) {
        double *kept = out + (size_t)i * KEPT;
        for (int k = 0; k < KEPT; k++)
            kept[k] = FAR;
        for (int j = 0; j < q_count; j++) {
            double x = (double)p[i].x - q[j].x, y = (double)p[i].y - q[j].y, d = x * x + y * y;
            for (int k = 0; k < KEPT; k++)
                if (d < kept[k]) {
                    double swap = kept[k];
                    kept[k] = d;
                    d = swap;
                }
        }
    }
}

/* --size PxQ: points, candidates. */
static int
nearest_main(const char *name, const char *title, int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 200, NULL, 0, argc, argv);
    int p_count = s.size[0], q_count = s.size[1];
    size_t count = (size_t)p_count * KEPT;
    float2 *host_p = suite_host<float2>(p_count), *host_q = suite_host<float2>(q_count);
    float *found = suite_host<float>(count);
    double *right = suite_host<double>(count);
    suite_fill((float *)host_p, 2 * (size_t)p_count, 1);
    suite_fill((float *)host_q, 2 * (size_t)q_count, 2);
    if (s.verify)
        nearest_reference(host_p, p_count, host_q, q_count, right);
    float2 *p = suite_upload(host_p, p_count), *q = suite_upload(host_q, q_count);
    float *out = suite_device<float>(count);
    struct cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, nearest));
    if (p_count)
        SUITE_TIME(&s,
                   nearest<<<suite_div_up(p_count, BLOCK), BLOCK>>>(p, p_count, q, q_count, out));
    suite_download(found, out, count);
    suite_compare_floats(&s, "distance", found, right, count, 1e-5);
    suite_figure(&s, "registers a thread", a.numRegs);
    suite_figure(&s, "local memory a thread, bytes", a.localSizeBytes);
    suite_figure(&s, "shared memory a block, bytes", a.sharedSizeBytes);
    suite_free_device(p, q, out);
    suite_free_host(host_p, host_q, found, right);
    return suite_end(&s);
}

#endif
