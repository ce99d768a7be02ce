/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product split over GPUs: each has its share of A's and C's rows, and its share of B's rows
 * (of k). C's share is the sum over all shares of B: a device begins with its own one and meanwhile
 * copies the next one from the device that has it into one of two buffers. A copy of k n / devices
 * words stands beside m k n / devices^2 multiply-adds, so that from a few hundred rows a device on
 * it hides behind them.
 *
 *     device 0   A0 B0      A0 B1      A0 B2      A0 B3       products, one after the other
 *                copy B1    copy B2    copy B3                at the same time
 *
 * systems: B7
 * title: product over several GPUs, the next part of B copied meanwhile
 * since: 8.0 asynchronous copies
 * rung: 1
 * sizes: 1 17 100 65x300x129 260
 * check: 17
 * bench: 260
 * gpu: 8192; 16384
 */
#include "devices.h"

#include "../matmul/pipelined.h"

struct part {
    float *a, *c;         /* rows first_row .. of both */
    float *own, *next[2]; /* the device's own rows of B; others' ones */
    cudaStream_t compute, copy;
    cudaEvent_t copied[MOST_DEVICES], computed[MOST_DEVICES];
    struct product_room room;
};

struct split {
    int m, k, n, devices;
    struct part part[MOST_DEVICES];
};

/* Where share d of `count` things begins when `devices` have one each; shares of k are multiples of
 * 4, so that their vectors stay aligned. */
static int
share(int count, int d, int devices)
{
    int each = suite_div_up(suite_div_up(count, devices), 4) * 4;
    int begin = d * each;
    return begin < count ? begin : count;
}

template <typename S>
static void
multiply_shape(const struct product &job, struct part *p)
{
    if (job.n % 4 == 0)
        product_launch<S, 4>(job, &p->room, p->compute);
    else
        product_launch<S, 1>(job, &p->room, p->compute);
}

static void
multiply(struct split *w, int d, int step, bool first)
{
    struct part *p = &w->part[d];
    int from = (d + step) % w->devices, begin = share(w->k, from, w->devices);
    int rows = share(w->m, d + 1, w->devices) - share(w->m, d, w->devices);
    int depth = share(w->k, from + 1, w->devices) - begin;
    struct product job = {p->a + begin,
                          step ? p->next[step % 2] : p->own,
                          p->c,
                          NULL,
                          NULL,
                          rows,
                          depth,
                          w->n,
                          w->k,
                          !first,
                          0,
                          0,
                          0,
                          0};
    if (!rows || (!depth && !first))
        return;
    if (product_fits<large>())
        multiply_shape<large>(job, p);
    else
        multiply_shape<least>(job, p);
    CHECK(cudaGetLastError());
}

/* The rows of B for a device's next step, into the buffer that the step before last used. */
static void
bring(struct split *w, int d, int step)
{
    struct part *p = &w->part[d];
    int from = (d + step) % w->devices;
    size_t words =
        (size_t)(share(w->k, from + 1, w->devices) - share(w->k, from, w->devices)) * w->n;
    if (step >= 2)
        CHECK(cudaStreamWaitEvent(p->copy, p->computed[step - 2], 0));
    if (words)
        CHECK(cudaMemcpyPeerAsync(p->next[step % 2], d, w->part[from].own, from,
                                  words * sizeof(float), p->copy));
    CHECK(cudaEventRecord(p->copied[step], p->copy));
}

static void
run(void *work, int devices)
{
    struct split *w = (struct split *)work;
    for (int step = 0; step < devices; step++)
        for (int d = 0; d < devices; d++) {
            struct part *p = &w->part[d];
            CHECK(cudaSetDevice(d));
            if (step + 1 < devices)
                bring(w, d, step + 1);
            if (step)
                CHECK(cudaStreamWaitEvent(p->compute, p->copied[step], 0));
            multiply(w, d, step, step == 0);
            CHECK(cudaEventRecord(p->computed[step], p->compute));
        }
}

static void
begin(struct split *w, const float *a, const float *b)
{
    for (int d = 0; d < w->devices; d++) {
        struct part *p = &w->part[d];
        int row = share(w->m, d, w->devices), rows = share(w->m, d + 1, w->devices) - row;
        int at = share(w->k, d, w->devices), depth = share(w->k, d + 1, w->devices) - at;
        size_t most = (size_t)share(w->k, 1, w->devices) * w->n;
        CHECK(cudaSetDevice(d));
        *p = {};
        p->a = suite_upload(a + (size_t)row * w->k, (size_t)rows * w->k);
        p->c = suite_device<float>((size_t)rows * w->n);
        p->own = suite_upload(b + (size_t)at * w->n, (size_t)depth * w->n);
        p->next[0] = suite_device<float>(most);
        p->next[1] = suite_device<float>(most);
        CHECK(cudaStreamCreateWithFlags(&p->compute, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&p->copy, cudaStreamNonBlocking));
        for (int i = 0; i < w->devices; i++) {
            CHECK(cudaEventCreateWithFlags(&p->copied[i], cudaEventDisableTiming));
            CHECK(cudaEventCreateWithFlags(&p->computed[i], cudaEventDisableTiming));
        }
    }
}

static void
end(struct split *w, float *c)
{
    for (int d = 0; d < w->devices; d++) {
        struct part *p = &w->part[d];
        int row = share(w->m, d, w->devices), rows = share(w->m, d + 1, w->devices) - row;
        CHECK(cudaSetDevice(d));
        suite_download(c + (size_t)row * w->n, p->c, (size_t)rows * w->n);
        suite_free_device(p->a, p->c, p->own, p->next[0], p->next[1]);
        product_release(&p->room);
        CHECK(cudaStreamDestroy(p->compute));
        CHECK(cudaStreamDestroy(p->copy));
        for (int i = 0; i < w->devices; i++) {
            CHECK(cudaEventDestroy(p->copied[i]));
            CHECK(cudaEventDestroy(p->computed[i]));
        }
    }
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("devices/product", "product over several GPUs", 260, NULL, 0, argc, argv);
    struct split w = {s.size[0], s.size[1], s.size[2], 1, {}};
    size_t count_a = (size_t)w.m * w.k, count_b = (size_t)w.k * w.n, count_c = (size_t)w.m * w.n;
    float *a = suite_host<float>(count_a), *b = suite_host<float>(count_b);
    float *c = suite_host<float>(count_c);
    suite_fill(a, count_a, 1);
    suite_fill(b, count_b, 2);
    int most = devices_count();
    double one = 0;
    devices_connect(most);
    for (; w.devices <= most; w.devices *= 2) {
        begin(&w, a, b);
        double ms = devices_time(&s, w.devices, run, &w);
        one = w.devices == 1 ? ms : one;
        memset(c, 0xff, count_c * sizeof *c);
        end(&w, c);
        if (s.verify)
            suite_compare_product(&s, a, b, c, w.m, w.k, w.n);
        devices_report(&s, w.devices, ms, one);
    }
    suite_figure(&s, "gflops", s.median_ms > 0 ? 2e-6 * count_a * w.n / s.median_ms : 0);
    suite_free_host(a, b, c);
    return suite_end(&s);
}
