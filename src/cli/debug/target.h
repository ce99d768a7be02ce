/* SPDX-License-Identifier: Apache-2.0
 *
 * target: the program that is debugged: its process, and what is asked of the tool in it
 * (debug/debug.h). It knows no commands, names or source; both front ends stand on it.
 */
#ifndef LOCKSTEP_CLI_TARGET_H
#define LOCKSTEP_CLI_TARGET_H

#include "base/base.h"
#include "debug/debug.h"

#include <sys/types.h>

enum target_state {
    TARGET_NONE,   /* no process */
    TARGET_RUNS,   /* until its next event */
    TARGET_STANDS, /* asks are answered */
};

enum target_event {
    TARGET_FAILED, /* the process cannot be talked to: *err */
    TARGET_MODULE, /* target.module, target.payload: its text */
    TARGET_STOP,   /* target.stop, target.payload: text */
    TARGET_EXIT,   /* target.exit_status, target.exit_signal */
};

struct target {
    enum target_state state;
    pid_t pid;
    int fd;
    struct debug_module module;
    struct debug_stop stop;
    struct text payload;
    int exit_status, exit_signal;
    bool exited; /* a process was there and has ended: exit_status */
};

/* Starts the program with the tool in it; it runs until its first event (target_wait). to: file
 * descriptors that take what it prints, and what it says on stderr, or -1. */
bool target_start(struct target *t, const char *path, char *const *words, const int to[2],
                  struct ls_error *err);
enum target_event target_wait(struct target *t, struct ls_error *err);
/* Goes on, and waits for the next event. */
enum target_event target_go(struct target *t, const struct debug_go *go, struct ls_error *err);
/* Ends the program, and what is left of it. */
void target_kill(struct target *t);
void target_fini(struct target *t);
/* Ctrl-C reaches the program itself; these are for a thread that has no terminal: a launch that
 * runs stops, host code goes on; the program is to end. */
void target_interrupt(struct target *t);
void target_terminate(struct target *t, bool at_once);

bool target_read(struct target *t, const struct debug_memory *at, void *out, struct ls_error *err);
bool target_write(struct target *t, const struct debug_memory *at, const void *in,
                  struct ls_error *err);
bool target_symbol(struct target *t, const struct debug_who *who, const char *name,
                   struct debug_symbol *out, struct ls_error *err);
/* Where an address lies that kernels hold (DEBUG_A_WHERE). */
bool target_where(struct target *t, const struct debug_memory *at, struct debug_symbol *out,
                  struct ls_error *err);
/* Of count registers the values, and which are known; arrays of the caller's. */
bool target_registers(struct target *t, const struct debug_who *who, uint32_t count,
                      uint64_t (*values)[2], uint8_t *known, struct ls_error *err);
/* Arrays to be freed by ls_release; NULL: *err. */
struct debug_warp *target_warps(struct target *t, uint32_t *count, struct ls_error *err);
struct debug_frame *target_frames(struct target *t, const struct debug_thread *thread,
                                  uint32_t *count, struct ls_error *err);
/* Functions of host code that made the launch, the innermost first; file "" and line 0: not known.
 */
enum { HOST_MOST = 8 };
struct host_frames {
    struct text text; /* text_free */
    uint32_t count;
    struct {
        const char *function, *file;
        uint32_t line;
    } at[HOST_MOST];
};
bool target_host(struct target *t, struct host_frames *out, struct ls_error *err);
bool target_watch(struct target *t, const struct debug_watch *watch, struct ls_error *err);
bool target_last(struct target *t, const struct debug_memory *at, struct debug_write *out,
                 struct ls_error *err);
struct debug_poll *target_polls(struct target *t, uint32_t *count, struct ls_error *err);
bool target_catch(struct target *t, const struct debug_catch *all, size_t count,
                  struct ls_error *err);
/* Where the allocation of this number lies. */
bool target_allocation(struct target *t, uint64_t number, struct debug_symbol *out,
                       struct ls_error *err);
bool target_filters(struct target *t, const struct debug_filter *all, size_t count,
                    struct ls_error *err);
bool target_flags(struct target *t, uint32_t module, const uint32_t *flags, uint32_t count,
                  struct ls_error *err);

#endif
