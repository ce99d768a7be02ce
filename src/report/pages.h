/* SPDX-License-Identifier: Apache-2.0
 *
 * What pages show inside of others: a kernel's section, a finding's. Each is a part that folds
 * away.
 */
#ifndef LOCKSTEP_REPORT_PAGES_H
#define LOCKSTEP_REPORT_PAGES_H

#include "report/html.h"
#include "report/report.h"

/* A kernel and the device that it was profiled for. */
struct page_run {
    const struct device_profile *device;
    const json_t *kernel;
};
/* One element of a result's "kernels"; `beside` has the kernels that its roofline shows too;
 * before: the same kernel of an earlier result, NULL: none. */
void page_kernel(struct text *t, const json_t *result, const json_t *kernel, const json_t *beside,
                 const struct page_run *before, const char *id, const char *title, bool open);
/* What changed since: time, peaks, advice, counters. */
void page_change(struct text *t, const struct page_run *before, const struct page_run *now);
/* Writes one element of the JSON array "findings" as HTML. */
void page_finding(struct text *t, const json_t *finding, const char *id, bool open);

#endif
