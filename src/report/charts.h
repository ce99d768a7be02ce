/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawings of a profile: charts.c. Each is a figure of its own in the page.
 */
#ifndef LOCKSTEP_REPORT_CHARTS_H
#define LOCKSTEP_REPORT_CHARTS_H

#include "report/html.h"
#include "report/report.h"

/* 32 lanes by the banks they ask for; a bank that a part of the warp asks for different words is
 * bad. pad bytes are put behind every `row` bytes. */
void chart_banks(struct text *t, const struct device_profile *d, const struct access *a,
                 uint64_t row, uint32_t pad);
/* The sectors of a global access, each filled by how much of it is asked for; before 5.0 with the
 * transactions that they become. */
void chart_sectors(struct text *t, const struct device_profile *d, const struct access *a);
/* The roof, with every one of the kernels that it says something about (by "label", else by name);
 * `marked` stands out, NULL: all are equal. Kernels without floating-point operations are shown by
 * their instructions. False: it says nothing about any of them, nothing was drawn. */
bool chart_roofline(struct text *t, const struct device_profile *d, const json_t *kernels,
                    const json_t *marked);
/* Occupancy over block sizes with the kernel's registers and shared memory. */
void chart_occupancy(struct text *t, const struct device_profile *d, const json_t *kernel);
/* Blocks over SMs and waves. */
void chart_timeline(struct text *t, const struct device_profile *d, const json_t *kernel);
/* How near the kernel comes to each resource's peak. */
void chart_peaks(struct text *t, const struct report_summary *s);
/* Where a warp's time goes: one bar. Nothing where that is not known. */
void chart_states(struct text *t, const struct report_summary *s);
/* From threads by way of shared memory, L1 and L2 to device memory: the traffic of one launch on
 * the arrows. */
void chart_memory(struct text *t, const struct device_profile *d, const json_t *kernel);

#endif
