/* SPDX-License-Identifier: Apache-2.0
 *
 * What `lockstep profile` prints, and the conditions that it tests: all on the JSON that the tool
 * wrote.
 */
#ifndef LOCKSTEP_CLI_PROFILE_VIEW_H
#define LOCKSTEP_CLI_PROFILE_VIEW_H

#include "report/report.h"

struct profile_view {
    const json_t *result;
    const char *kernel; /* only kernels whose name contains it; NULL: all */
    uint64_t lines;     /* hot lines a kernel */
    /* beyond the first screen: */
    bool hot, source, counters, timeline, phases;
};

bool view_wants(const struct profile_view *v, const json_t *kernel);
void view_print(const struct profile_view *v);
/* profile_screen.c: a kernel in at most 15 lines; its advice, all of it and whole. */
void view_screen(const struct device_profile *d, const struct report_summary *k);
void view_all_advice(const struct report_summary *k);
/* profile_phases.c: the table of a small launch, for one element of "kernels". */
void view_phases(const json_t *kernel);
/* Prints the counters and the estimate that changed against an earlier result. */
void view_compare(const struct profile_view *v, const json_t *before);

/* profile_assert.c: "[KERNEL:] COUNTER [/ COUNTER] OP NUMBER". */
struct profile_condition {
    const char *text, *kernel;  /* kernel: NULL: every one */
    const char *counter, *over; /* over: NULL: no ratio */
    const char *op;
    double value;
};
bool condition_parse(const char *text, struct arena *a, struct profile_condition *out,
                     struct ls_error *err);
/* Tests it for every kernel it applies to, with a line in *said for each that fails; how many
 * failed. *tested counts kernels. */
uint32_t condition_test(const struct profile_condition *c, const struct profile_view *v,
                        uint32_t *tested, struct text *said);

#endif
