/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter split over GPUs: each has its share of the array and EACH elements more on
 * either side. After a pass of up to EACH iterations those are no longer right, and their owners
 * copy them over: 2 EACH words a pass and neighbour, however long the shares are. A device waits
 * for its neighbours' copies only.
 *
 * systems: B7, A9
 * title: averaging filter over several GPUs, halos copied after each pass
 * since: 3.0 shuffles
 * rung: 2
 * sizes: 1 17 100 1000 100003
 * check: 1000
 * bench: 100003
 * gpu: 268435456 --iterations 64
 */
#include "../average/passes.h"

#include "devices.h"

struct part {
    float *start, *work[2]; /* halo, share, halo: as it was, and two to take turns */
    float *from, *to;       /* of this pass */
    int first, count;       /* of the whole array; with halos */
    cudaStream_t stream;
    cudaEvent_t filtered, sent;
};

struct split {
    int n, devices, iterations;
    struct part part[MOST_DEVICES];
};

static int
share(int n, int d, int devices)
{
    int each = suite_div_up(suite_div_up(n, devices), 4) * 4, begin = d * each;
    return begin < n ? begin : n;
}

/* Every share has the words that its neighbours need. */
static bool
fits(int n, int devices)
{
    return devices == 1 || n - share(n, devices - 1, devices) >= EACH;
}

/* What device d computes and device e lacks: the EACH elements on d's side of their border. */
static void
send(struct split *w, int d, int e)
{
    struct part *p = &w->part[d], *q = &w->part[e];
    int border = share(w->n, d < e ? e : d, w->devices), begin = d < e ? border - EACH : border;
    if (begin < q->first || begin + EACH > q->first + q->count || begin < p->first)
        return;
    CHECK(cudaMemcpyPeerAsync(q->to + begin - q->first, e, p->to + begin - p->first, d,
                              EACH * sizeof(float), p->stream));
}

static int
one_pass(struct split *w, int left)
{
    int done = 0;
    for (int d = 0; d < w->devices; d++) {
        struct part *p = &w->part[d];
        CHECK(cudaSetDevice(d));
        done = pass<EACH>(p->to, p->from, p->count, left, p->stream);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(p->filtered, p->stream));
    }
    for (int d = 0; d < w->devices; d++) /* into arrays that their owners have written by now */
        for (int e = d - 1; e <= d + 1; e += 2)
            if (e >= 0 && e < w->devices) {
                CHECK(cudaSetDevice(d));
                CHECK(cudaStreamWaitEvent(w->part[d].stream, w->part[e].filtered, 0));
                send(w, d, e);
            }
    for (int d = 0; d < w->devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaEventRecord(w->part[d].sent, w->part[d].stream));
    }
    for (int d = 0; d < w->devices; d++)
        for (int e = d - 1; e <= d + 1; e += 2)
            if (e >= 0 && e < w->devices)
                CHECK(cudaStreamWaitEvent(w->part[d].stream, w->part[e].sent, 0));
    return done;
}

static void
run(void *work, int devices)
{
    struct split *w = (struct split *)work;
    for (int done = 0, turn = 0; done < w->iterations; turn ^= 1) {
        for (int d = 0; d < devices; d++) {
            struct part *p = &w->part[d];
            p->from = done ? p->work[turn ^ 1] : p->start;
            p->to = p->work[turn];
        }
        done += one_pass(w, w->iterations - done);
    }
}

static void
begin(struct split *w, const float *host)
{
    for (int d = 0; d < w->devices; d++) {
        struct part *p = &w->part[d];
        int from = share(w->n, d, w->devices) - EACH, to = share(w->n, d + 1, w->devices) + EACH;
        CHECK(cudaSetDevice(d));
        p->first = d == 0 ? 0 : from;
        p->count = (to < w->n ? to : w->n) - p->first;
        p->start = suite_upload(host + p->first, p->count);
        p->work[0] = suite_device<float>(p->count);
        p->work[1] = suite_device<float>(p->count);
        CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&p->filtered, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&p->sent, cudaEventDisableTiming));
    }
}

static void
end(struct split *w, float *found)
{
    for (int d = 0; d < w->devices; d++) {
        struct part *p = &w->part[d];
        int at = share(w->n, d, w->devices), count = share(w->n, d + 1, w->devices) - at;
        CHECK(cudaSetDevice(d));
        suite_download(found + at, p->to + at - p->first, count);
        suite_free_device(p->start, p->work[0], p->work[1]);
        CHECK(cudaStreamDestroy(p->stream));
        CHECK(cudaEventDestroy(p->filtered));
        CHECK(cudaEventDestroy(p->sent));
    }
}

int
main(int argc, char **argv)
{
    int iterations = 40;
    const struct suite_extra extra = {"--iterations",         &iterations, 1, 1024,
                                      "how often it filters", NULL};
    struct suite s =
        suite_begin("devices/filter", "filter over several GPUs", 1000, &extra, 1, argc, argv);
    struct split w = {s.size[0], 1, iterations, {}};
    float *host = suite_host<float>(w.n), *found = suite_host<float>(w.n);
    double *right = suite_host<double>(w.n), one = 0;
    suite_fill(host, w.n, 1);
    for (int i = 0; s.verify && i < w.n; i++)
        right[i] = host[i];
    if (s.verify)
        average_reference(right, w.n, iterations);
    int most = devices_count();
    devices_connect(most);
    for (; w.devices <= most && fits(w.n, w.devices); w.devices *= 2) {
        begin(&w, host);
        double ms = devices_time(&s, w.devices, run, &w);
        one = w.devices == 1 ? ms : one;
        memset(found, 0xff, w.n * sizeof *found);
        end(&w, found);
        suite_compare_floats(&s, "result", found, right, w.n, 1e-6);
        devices_report(&s, w.devices, ms, one);
    }
    suite_free_host(host, found, right);
    return suite_end(&s);
}
