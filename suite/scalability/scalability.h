/* SPDX-License-Identifier: Apache-2.0
 *
 * scalability.h: which block ran where: every block writes down its multiprocessor and its clock
 * when it begins and when it ends; the picture has a line for each multiprocessor with its blocks
 * in the order in which they began.
 */
#ifndef SCALABILITY_H
#define SCALABILITY_H

#include "../common/suite.h"

enum { THREADS = 64 };

struct stay {
    int sm;
    long long begin, end;
};

static __device__ __forceinline__ int
scalability_sm(void)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return (int)sm;
}

/* Work that takes a while; its result is known: value + 3 * turns. */
static __device__ __forceinline__ int
scalability_work(int value, int turns)
{
    for (int i = 0; i < turns; i++)
        value += 1 + (i & 2);
    return value;
}

static inline void
scalability_picture(const struct suite *s, const struct stay *stays, int blocks, int sms)
{
    int *order = suite_host<int>(blocks), shown = sms < 16 ? sms : 16;
    for (int i = 0; i < blocks; i++) { /* by beginning; blocks are few where this is shown */
        int at = i;
        for (; at > 0 && stays[order[at - 1]].begin > stays[i].begin; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    suite_say(s, "blocks of each multiprocessor, in the order in which they began\n");
    for (int sm = 0; sm < shown; sm++) {
        suite_say(s, "  SM %3d |", sm);
        for (int i = 0; i < blocks; i++)
            if (stays[order[i]].sm == sm)
                suite_say(s, " %3d", order[i]);
        suite_say(s, "\n");
    }
    suite_say(s, shown < sms ? "  ... %d more\n\n" : "\n", sms - shown);
    free(order);
}

static inline void
scalability_figures(struct suite *s, const struct stay *stays, int blocks, int sms)
{
    int *count = suite_host<int>(sms), used = 0, most = 0;
    for (int i = 0; i < blocks; i++) {
        suite_expect(s, stays[i].sm >= 0 && stays[i].sm < sms, "a block ran on a multiprocessor");
        suite_expect(s, stays[i].end >= stays[i].begin, "a block ended after it began");
        if (stays[i].sm >= 0 && stays[i].sm < sms)
            count[stays[i].sm]++;
    }
    for (int i = 0; i < sms; i++) {
        used += count[i] > 0;
        most = count[i] > most ? count[i] : most;
    }
    suite_figure(s, "multiprocessors", sms);
    suite_figure(s, "multiprocessors_used", used);
    suite_figure(s, "most_blocks_of_one", most);
    free(count);
}

#endif
