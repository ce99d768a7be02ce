/* SPDX-License-Identifier: Apache-2.0
 *
 * check: a tool (struct jit_tool) that judges every access and every barrier of the kernels it
 * watches, and the calls of the host: out of bounds, uninitialised, races, barriers, leaks.
 *
 *     struct jit_tool *t = check_open(profile, "only=race,bounds", &err);
 *     ... launches with exec_request.tool = t ...
 *     char *json = check_write(t, true);
 *     free(json);
 *     check_close(t);
 *
 * The files, each of which calls those further down only (tests/repository/structure_test.py):
 *
 *   check.c         the tool: its options, launches
 *   block.c         a block begins and ends
 *   access.c        an access: where it goes, bounds
 *   barriers.c      barriers, operations of a warp
 *   async.c         copies in the background, mbarriers
 *   mbarriers.c     what mbarriers ask of programs
 *   maps.c          tensor maps that kernels change
 *   warpgroup.c     wgmma, tensor_memory.c: tcgen05; in_flight.c: their registers
 *   peers.c         shared memory of other blocks of a cluster
 *   notes.c         loads of shared memory looked at late
 *   region.c        phases that go as remembered
 *   counters.c      atomics on few words
 *   runs.c          lanes side by side
 *   global.c        accesses to device memory
 *   seen.c          reads there, and who has seen a strong write
 *   shared.c        to shared memory; shared_patterns.c, shared_quick.c: many cells at once
 *   read_shared.c   memory that only is read
 *   read_only.c     memory that nobody writes
 *   strong.c        the log of a word's strong accesses
 *   memo.c          one lane's judgement, for further lanes
 *   race.c          does an access race with a mark
 *   local.c         a thread's local memory
 *   race_reports.c  the findings about two accesses
 *   copies.c        copies of what nobody wrote
 *   moves.c         the same of bulk copies
 *   nested.c        launches from kernels
 *   flags.c         flags, locks, counters
 *   order.c         who happens before whom
 *   transfers.c     which copies are over
 *   host.c          calls: memory, copies, waits, errors
 *   flight.c        copies that are under way
 *   host_races.c    the host against kernels
 *   ranges.c        copies, fills, new memory
 *   shadow.c        shadow of device memory, by chunks
 *   lines.c         by 32 words (lines.h)
 *   shapes.c        patterns of lanes
 *   gates.c         loads that go unseen
 *   work.c          streams, events, graphs: what is over
 *   padding.c       holes in structures
 *   constants.c     constant memory that nobody has set
 *   visit.c         one instruction of one warp
 *   places.c        a kernel's instructions
 *   roots.c         where addresses come from
 *   findings.c      what was found, once
 *   result.c        JSON of `check --json`
 *   journal.c       what outlives the process
 *
 * findings.def has one row per kind of finding.
 */
#ifndef LOCKSTEP_CHECK_H
#define LOCKSTEP_CHECK_H

#include "jit/tool.h"
#include "memory/memory.h"
#include "model/model.h"

enum check_group {
    CHECK_RACE = 1,
    CHECK_BOUNDS = 2,
    CHECK_INIT = 4,
    CHECK_SYNC = 8,
    CHECK_LEAK = 16,
    CHECK_API = 32,
    CHECK_ALL = 63
};

/* "race,sync" to a set of enum check_group. */
bool check_parse_groups(const char *text, uint32_t *out, struct ls_error *err);

/* options: "key=value;...": only=GROUP,GROUP,...; kernel=TEXT (kernels whose name contains it);
 * skip=N, count=N (launches); memory=MIB (most for shadow memory). NULL and the reason on anything
 * else. */
struct jit_tool *check_open(const struct device_profile *d, const char *options,
                            struct ls_error *err);
/* JSON text, to be freed by free(). May be called while launches run. */
char *check_write(struct jit_tool *t, bool complete);
void check_close(struct jit_tool *t);

/* From now on findings are kept in a file, too, as they occur; it stays what it is when the process
 * ends in any way. path: must not exist (LS_ERR_INPUT where it does). */
bool check_journal_begin(struct jit_tool *t, const char *path, struct ls_error *err);
/* The process has come to its end: nothing more is to be looked for. */
void check_journal_end(struct jit_tool *t);
/* The result that a journal file holds, as check_write writes it; NULL: the file is no journal. To
 * be freed by free(). */
char *check_journal_read(const char *path);

/* -- what the host does; t NULL: nothing ------------------------------------------------------- */

/* Functions of the program's own code with file and line, the innermost first; NULL and 0: not
 * known. */
enum { HOST_FRAMES = 8 };
struct host_frame {
    const char *function, *file;
    uint32_t line;
};
struct host_place {
    uint32_t count;
    struct host_frame frame[HOST_FRAMES];
};
/* Who knows where host code is: here() has a number for where the calling thread is (0: not known),
 * place() what the number stands for, which lives for ever. */
void check_host(struct jit_tool *t, uint32_t (*here)(void),
                const struct host_place *(*place)(uint32_t number));

/* Memory appeared or is about to go. */
void check_allocated(struct jit_tool *t, const struct allocation *a);
/* A variable of constant memory has no initial value. */
void check_constant(struct jit_tool *t, uint64_t base, uint64_t size);
void check_freed(struct jit_tool *t, const struct allocation *a);
/* A free of something that is no allocation. */
void check_bad_free(struct jit_tool *t, const char *call, uint64_t address,
                    const struct allocation *nearest);
/* A kernel ended in an error that exec found: text is its message. */
enum check_end {
    CHECK_END_DEADLOCK,
    CHECK_END_ENDLESS,
    CHECK_END_BARRIER,
    CHECK_END_BOUNDS,
    CHECK_END_ASSERT,
    CHECK_END_OTHER
};
void check_kernel_failed(struct jit_tool *t, enum check_end how, const struct ptx_module *m,
                         const struct ptx_func *kernel, bool has_place, uint32_t place,
                         const uint32_t block[3], const uint32_t thread[3], const char *text);
/* A call returns an error; error: its name, which lives for ever. */
void check_call_failed(struct jit_tool *t, const char *call, const char *error, const char *why);
/* Host code at `at` ("prog+0x12a4"), which is place number `host`, reads or writes an address in
 * this allocation: device memory; or managed or pinned memory, where that counts if work that the
 * host has not waited for touches it, too. True: it was reported. */
enum check_host_op { CHECK_HOST_READ, CHECK_HOST_WRITE, CHECK_HOST_ATOMIC };
bool check_host_access(struct jit_tool *t, const struct allocation *a, uint64_t address,
                       enum check_host_op op, const char *at, uint32_t host);
/* What work that the host has not waited for does with the page, of 4096 bytes. */
enum check_use { CHECK_USE_NONE, CHECK_USE_READ, CHECK_USE_WRITE };
enum check_use check_in_use(struct jit_tool *t, uint64_t page);
/* A host function is the thread's next work: it begins, with all known to it that is ordered before
 * it, or has returned. */
void check_host_function(struct jit_tool *t, bool begins);
/* Whether the host has waited for all work that was given to streams. */
bool check_idle(struct jit_tool *t);
/* At the end: what this kernel, launched at place number `host`, printed would be lost. */
void check_lost_output(struct jit_tool *t, const char *kernel, uint32_t host);
/* At the end: allocations that still live. */
void check_leak(struct jit_tool *t, const struct allocation *a);

/* -- order of work on streams ------------------------------------------------------------------ */

/* Work is about to run on the stream: it knows what the stream and the host know. The next launch
 * of this thread is this work. legacy: the stream that waits for all blocking ones, and they for
 * it. */
/* The program makes a stream. */
void check_stream(struct jit_tool *t);
void check_work(struct jit_tool *t, uint64_t stream, bool legacy, bool blocking);
/* A graph is about to run, as the work announced last (or as the node of another graph): each node
 * is announced with those that it comes after. Its work is ordered by these alone. NULL: nobody
 * watches. */
struct check_graph *check_graph_begin(struct jit_tool *t);
void check_graph_node(struct check_graph *g, const void *node, const void *const *after,
                      size_t count);
void check_graph_end(struct check_graph *g);
/* Rows of bytes; one: pitch does not matter. */
struct check_rows {
    uint64_t at, width, pitch, count;
};
/* What such work, a copy or a fill, does to memory. HOST: of the host, pinned. */
enum check_touch { CHECK_TOUCH_READ = 0, CHECK_TOUCH_WRITE = 1, CHECK_TOUCH_HOST = 2 };
void check_touched(struct jit_tool *t, const struct check_rows *rows, unsigned how,
                   const char *what);
/* cudaMallocAsync has made this memory, in the order of the work announced last. */
void check_ordered(struct jit_tool *t, uint64_t address, uint64_t size);
/* Memory is about to go by the call: in the order of the work announced last; by the host, which
 * has waited for nothing; by the host, which waits where the memory is not cudaMallocAsync's
 * (false: it is). */
enum check_free { CHECK_FREE_ORDERED, CHECK_FREE_AT_ONCE, CHECK_FREE_WAITS };
bool check_freeing(struct jit_tool *t, const char *call, uint64_t address, uint64_t size,
                   enum check_free how);
/* Bytes are about to be filled with the lowest byte of this value. */
void check_filled(struct jit_tool *t, uint32_t value, uint64_t bytes);
/* A range of device memory goes to the host. */
void check_fetched(struct jit_tool *t, const struct allocation *from, uint64_t address,
                   uint64_t size);
/* Such work copies a range inside device memory (check_touched has been told): what nobody has
 * written of it stays unwritten. */
void check_copied(struct jit_tool *t, uint64_t from, uint64_t to, uint64_t size);
void check_record(struct jit_tool *t, uint64_t stream, const void *event);
void check_wait(struct jit_tool *t, uint64_t stream, const void *event);
/* The time between two recorded events was asked for. */
void check_elapsed(struct jit_tool *t, const void *from, const void *to);
/* The host waited: for a stream, for an event, for everything. */
void check_joined_stream(struct jit_tool *t, uint64_t stream);
void check_joined_event(struct jit_tool *t, const void *event);
void check_joined_all(struct jit_tool *t);

#endif
