/* SPDX-License-Identifier: Apache-2.0
 *
 * profile: a tool (struct jit_tool) that counts what every access of a kernel costs on the device
 * in use: requests, wavefronts, sectors, transactions, per kernel and per source line; executed
 * instructions; what simulated caches make of the traffic; and what follows from it: occupancy,
 * roofline, a bound on time.
 *
 *     struct jit_tool *t = profile_open(profile, "", &err);
 *     ... launches with exec_request.tool = t ...
 *     char *json = profile_write(t, true);
 *     free(json);
 *     profile_close(t);
 *
 * Every launch begins with cold caches, as under Nsight Compute. What an access costs is the
 * model's (model_access); it is asked once per pattern of addresses and kept, so that an access
 * costs a few nanoseconds. counters.def has one row per counter.
 *
 *   profile.c  the tool, kernels, what a launch adds up to
 *   sheet.c    what a thread counts into, from launch to launch
 *   replay.c   L1, L2, device memory
 *   verdict.c  one access: from addresses to a kept verdict
 *   sectors.c  what one access costs, by the model
 *   mix.c      instructions to operations        fold.c     those that a GPU merges into others
 *   wide.c     loads of shared memory that are one wide one
 *   products.c  products that tell what they are when they are executed
 *   chain.c    what a block alone waits for      hot.c      atomics that meet on few lines
 *   chain_memory.c  what is found of memory along that way
 *   uneven.c   blocks that do unlike work        slowest.c  warps that do
 *   sampling.c launches of which some blocks are counted
 *   atomics.c  atomics that a warp makes one of  polls.c    loops that wait for other warps
 *   working_set.c  memory that launches touch      arguments.c  names of a kernel's arguments
 *   phases.c   small launches, access by access
 *   play.c     a wave of blocks, through the caches
 *   batch.c    accesses of one block of code
 *   trace.c    what waits for that
 *   lanes.c    questions to 32 addresses
 *   pages.c    numbers of pages, in the order of their use
 *   gather.c   what the caches see next
 *   again.c    steps that need not be looked up
 *   result.c   JSON (cli.md's `profile --json`)
 */
#ifndef LOCKSTEP_PROFILE_H
#define LOCKSTEP_PROFILE_H

#include "jit/jit.h"
#include "model/model.h"

/* options: "key=value,...": caches=0 (no simulated caches), phases=1 (every access of
 * a small launch by itself), ptx=1 (each line's instructions as text), sample=N (of
 * so many blocks of a large grid about one is counted: sampling.c), trace=MIB (memory for the
 * accesses that wait for the caches; 512). NULL and the reason on anything else. */
struct jit_tool *profile_open(const struct device_profile *d, const char *options,
                              struct ls_error *err);
/* JSON text, to be freed by free(). May be called while launches run. */
char *profile_write(struct jit_tool *t, bool complete);
/* What the launch that ended last would take on the device: the estimate (model_time_launch) of its
 * kernel's launches so far, less that of those before it. */
double profile_last_seconds(struct jit_tool *t);
void profile_close(struct jit_tool *t);
/* The option's N (text NULL: 1, all). LS_ERR_USAGE: it is none. */
bool profile_sample(const char *text, uint64_t *every, struct ls_error *err);

#endif
