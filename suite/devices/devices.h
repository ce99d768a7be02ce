/* SPDX-License-Identifier: Apache-2.0
 *
 * devices.h: what the programs that split work over several GPUs share: streams of each, direct
 * access between them, times over 1, 2, 4, ... of those that there are, efficiency (the time on one
 * over the number of devices times the time on them).
 */
#ifndef DEVICES_H
#define DEVICES_H

#include "../common/suite.h"

enum { MOST_DEVICES = 8 };

static inline int
devices_count(void)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    return count < MOST_DEVICES ? count : MOST_DEVICES;
}

/* Copies between two devices then go over their link, without the host's memory. */
static inline void
devices_connect(int count)
{
    for (int d = 0; d < count; d++) {
        CHECK(cudaSetDevice(d));
        for (int e = 0; e < count; e++) {
            int reaches = 0;
            if (e != d)
                CHECK(cudaDeviceCanAccessPeer(&reaches, d, e));
            if (reaches)
                CHECK(cudaDeviceEnablePeerAccess(e, 0));
        }
    }
}

static inline void
devices_wait(int count)
{
    for (int d = 0; d < count; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
    }
}

/* Runs `once` --repeat times after a first one on `count` devices; the median in ms, by the host's
 * clock from the first launch until all devices are done. */
static inline double
devices_time(struct suite *s, int count, void (*once)(void *work, int count), void *work)
{
    for (int i = 0; i <= s->repeat; i++) {
        devices_wait(count);
        double start = suite_seconds();
        once(work, count);
        devices_wait(count);
        suite_timed(s, i, 1e3 * (suite_seconds() - start));
    }
    return s->median_ms;
}

static inline void
devices_report(struct suite *s, int count, double ms, double one)
{
    char name[40];
    snprintf(name, sizeof name, "ms_on_%d", count);
    suite_figure(s, name, ms);
    snprintf(name, sizeof name, "efficiency_on_%d", count);
    suite_figure(s, name, ms > 0 ? one / (count * ms) : 0);
}

#endif
