/* SPDX-License-Identifier: Apache-2.0
 *
 * debug, inside: what its files share. A file calls those below it.
 *
 *   debug.c    the tool: opened, launches begin and end, where the program stops
 *   faults.c   kernels that fail
 *   interrupt.c  the user's signal
 *   serve.c    the program stands: what the debugger asks, until it goes on
 *   past.c     going back: which snapshot, and what is looked for from there
 *   last.c     who wrote a byte last
 *   polls.c    what threads wait for in loops
 *   snapshot.c snapshots: processes that wait; the first process when it is no longer the program
 *   passing.c  blocks in which nothing can stop the launch
 *   catches.c  places where one thread stops
 *   watch.c    watches on memory and registers, and what accesses are told for
 *   edits.c    what the debugger has changed, once more when the launch passes there again
 *   memory.c   memory of all spaces
 *   stand.c    where each lane is: warps, frames, lines
 *   known.c    which registers may hold a value
 *   wire.c     messages
 */
#ifndef LOCKSTEP_DEBUG_PRIV_H
#define LOCKSTEP_DEBUG_PRIV_H

#include "debug/debug.h"
#include "jit/tool.h"
#include "jit/code_map.h"
#include "memory/memory.h"
#include "wir/wir.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* -- what is known of modules ------------------------------------------------------------------ */

struct debug_map {
    struct jit_code_map *code;
    uint64_t **known; /* known.c; NULL: not asked for yet */
};

enum debug_flag { FLAG_BREAK = 1, FLAG_CATCH = 2 };

struct debug_code { /* of one module */
    const struct ptx_module *ptx;
    uint32_t number, places;
    struct debug_map **map; /* per function; NULL: not needed so far */
    uint32_t *line;         /* per place: DEBUG_BREAK and a line's number (shared memory); */
    uint8_t *flags;         /*   of enum debug_flag (likewise); */
    uint8_t *all, *none;    /*   1, and 0, everywhere */
};

/* -- a launch ---------------------------------------------------------------------------------- */

struct debug_run {
    struct debug_run *outer; /* a launch from a kernel: the one that made it */
    struct debug *debug;
    struct jit_tool_launch of;
    struct debug_code *code;
    VEC(struct jit_block *) blocks; /* in flight, in the order in which they began */
};

/* Where one lane is. */
struct debug_stand {
    const struct debug_map *map;
    const struct jit_activation *at; /* NULL: its warp has not begun */
    uint32_t site;                   /* number of the instruction that comes next */
    bool exited;
};

/* A register of one lane, as long as the function runs that it is of. */
struct debug_register {
    uint64_t frame; /* the address of its struct jit_activation; 0: it is no register */
    uint32_t function, reg, warp, lane;
    bool predicate; /* the lane's bit of the word at its home */
};
struct debug_watching {
    struct debug_watch watch;
    uint64_t low, high, block; /* addresses; block UINT64_MAX: of no block in particular */
    struct debug_register reg;
};

/* An access that watches, or who asks for the last write, may care about: looked at once it is
 * made. */
struct debug_hit {
    uint32_t watch; /* number; UINT32_MAX: the question for the last write */
    uint32_t lane, place, warp, depth, at[3];
    uint64_t position, address, bytes;
    bool read, write;
    uint8_t before[16];
};

/* -- the tool ---------------------------------------------------------------------------------- */

enum debug_mode {
    MODE_GO,     /* as debug.go says */
    MODE_TARGET, /* to debug.target, for debug.why */
    MODE_SEARCH, /* to debug.target, noting where it would have stopped */
    MODE_LAST,   /* to debug.target, noting who writes */
};

enum { SNAPSHOTS = 16, NO_PLACE = UINT32_MAX };

struct debug_snapshot {
    pid_t pid; /* 0: free */
    uint64_t position;
    _Atomic uint32_t command; /* not 0: wake up; a futex */
};

/* MODE_TARGET: what follows where the block begins that could not be passed over. */
enum debug_resume { RESUME_NOT, RESUME_ON, RESUME_INTERRUPT };

/* What the process that holds the program's state hands to the snapshot that takes its place. */
struct debug_order {
    enum debug_mode mode;
    enum debug_why why;
    enum debug_resume resume;
    struct debug_go go;
    uint64_t begin, target;   /* begin: SEARCH: the snapshot's position; */
    uint64_t found;           /*   where it would have stopped last, UINT64_MAX: nowhere, */
    enum debug_why found_why; /*   and why; */
    /* the first position of a line of the focus of which it is not known whether the line begins
     * there, UINT64_MAX: none: in what is searched now, and in what came behind it */
    struct debug_line_start {
        uint64_t position;
        uint32_t line, depth;
    } first, later;
    bool polls;                /* LAST: no question for the last write, but polls.c's, from the */
                               /*   position `low` on; */
    uint64_t low, high, block; /*   addresses, as in struct debug_watching; */
    struct debug_register reg; /*   likewise; */
    struct debug_write write;  /*   what was found */
};

struct debug_edit { /* what the debugger has written */
    uint64_t position, address, bytes;
};

enum {
    EDIT_ROOM = 1 << 20,
    WATCHES = 256,
    CATCHES = 1024,
    POLLS = 512,
    FILTERS = 256,
    ENDS = 1 << 22
};
/* Memory that a program's process and its snapshots share. It holds the debugger's wishes
 * (watchpoints, catches, filters) as well: the launch may go on in a snapshot that is older than
 * they are. */
struct debug_shared {
    pid_t first, active;
    _Atomic bool exit_sent;
    struct debug_snapshot snapshot[SNAPSHOTS];
    struct debug_order order;
    _Atomic uint32_t answered; /* LAST: a futex */
    uint32_t watch_count;
    struct debug_watching watch[WATCHES];
    uint32_t poll_count;
    struct debug_poll polls[POLLS];
    uint32_t catch_count;
    struct debug_catch catches[CATCHES];
    uint32_t filter_count;
    struct debug_filter filter[FILTERS];
    bool filters_known;       /* they are all, and blocks may be passed over */
    uint64_t ends_known;      /* debug_passing.ends: so many */
    uint64_t left_block;      /* one that could not be passed over; UINT64_MAX: none */
    uint64_t breaks;          /* places with DEBUG_BREAK, of all modules */
    uint64_t printed;         /* bytes of the launch's text that were shown */
    uint32_t edits_end;       /* of edits[] that are used */
    uint8_t edits[EDIT_ROOM]; /* struct debug_edit, then its bytes, in order of position */
};

/* Of the block that has begun last, where blocks run one after the other. */
struct debug_passing {
    uint64_t number, begin; /* the position */
    bool clean;             /* its local memory began with zeros */
    bool flying;            /* it is being passed over */
    enum debug_resume resume;
    uint64_t interrupted; /* by the user, number + 1; 0: none was */
    timer_t timer;        /* for when it hangs: */
    pid_t timer_of;       /*   the process that has it; 0: none yet */
    uint64_t since;   /* ms: no snapshot of passed blocks since then; 0: there is none to make */
    uint64_t blocks;  /* of the launch that were passed over */
    uint64_t *counts; /* room for its counts, of so many */
    uint32_t places;  /*   places */
    uint64_t *ends;   /* per block the position behind it; by all processes of the program */
};

struct debug {
    struct jit_tool tool; /* first */
    struct jit_steps steps;
    int fd;
    pthread_mutex_t lock; /* one launch at a time */
    pthread_t holder;
    VEC(struct debug_code *) codes;
    VEC(struct debug_hit) hits;
    struct debug_run *run;       /* the innermost; NULL: none runs */
    struct memory *memory;       /* of the device of the last launch */
    const struct jit_warp *runs; /* the warp whose instruction comes next; NULL: none's */
    uint64_t launch;             /* number */
    struct {
        uint32_t (*here)(void); /* debug_host; NULL: nobody knows */
        void (*tell)(uint32_t number, struct text *out);
        struct text text; /* where host code made the launch. Looked up when it begins: a signal's
                             handler, which may stand later, has no stack for that */
    } caller;
    struct debug_go go;
    enum debug_mode mode;
    enum debug_why why; /* MODE_TARGET */
    uint64_t target;
    bool stopped;                 /* in this launch, before */
    bool failed;                  /* it stands at a fault */
    bool left;                    /* the focus' block has ended while it was stepped */
    uint32_t line, depth;         /* where the focus was last; line 0: not known */
    const struct jit_warp *focus; /* its warp, where that has come by */
    uint32_t focus_lane;          /*   as a bit */
    _Atomic bool interrupted;
    uint64_t printed; /* bytes of the launch's text so far */
    struct {
        bool begin;                    /* the launch has one of its begin */
        uint64_t next, interval, made; /* made: how many, in this launch */
        uint64_t forking, opened;      /* ns spent on them; when it all began */
        char cannot[160];              /* why this launch cannot be taken back; "": it can */
    } snapshots;
    struct debug_passing passing;
    struct debug_shared *shared;
    struct {              /* wire.c */
        uint8_t *message; /* the last one that was received, */
        size_t room;      /*   and how large one may be */
    } received;
};

/* -- debug.c ----------------------------------------------------------------------------------- */

/* Tells of a stop and serves the debugger until it is to go on. w: the warp that stands there;
 * NULL: none. */
void debug_stop(struct debug *d, const struct jit_warp *w, enum debug_why why, const char *text);

void debug_stop_failed(struct debug *d, const struct jit_fault *f);
/* The lanes that execute the warp's next instruction: active lanes whose guard predicate holds. */
uint32_t debug_lanes(struct debug *d, const struct jit_activation *a);

/* -- faults.c, interrupt.c --------------------------------------------------------------------- */

void debug_on_fault(struct jit_fault *f);
void debug_catch_interrupts(struct debug *d);
void debug_leave_interrupts(void);

/* -- serve.c ----------------------------------------------------------------------------------- */

/* Answers what is asked until the program is to go on: debug.go says how. */
void debug_serve(struct debug *d);

/* -- past.c ------------------------------------------------------------------------------------ */

/* Goes where debug.go asks for, which is back. Returns only with an error. */
void debug_go_back(struct debug *d, struct ls_error *err);
/* MODE_SEARCH: would have stopped here; has come to its end: does not return. */
void debug_note_found(struct debug *d, enum debug_why why);
_Noreturn void debug_search_over(struct debug *d);
/* Why this launch cannot be taken back; "": it can. */
const char *debug_cannot_go_back(struct debug *d);

/* -- last.c ------------------------------------------------------------------------------------ */

bool debug_last(struct debug *d, const struct debug_memory *m, struct debug_write *out,
                struct ls_error *err);
/* MODE_LAST: an access; it has been made; the end has come: does not return. */
_Noreturn void debug_last_over(struct debug *d);

/* -- polls.c ----------------------------------------------------------------------------------- */

/* Adds the answer to DEBUG_A_POLLS. */
bool debug_polls(struct debug *d, struct text *out, struct ls_error *err);
/* MODE_LAST with order.polls: an access. */
void debug_poll_note(struct debug *d, const struct jit_warp *w, uint32_t lanes,
                     const uint64_t *address, uint32_t bytes, uint32_t place);

/* -- snapshot.c -------------------------------------------------------------------------------- */

/* A process that waits from now on. True: this is that process, which goes on: shared.order says
 * how. */
bool debug_snapshot(struct debug *d);
/* When the next is wanted. */
void debug_plan_snapshot(struct debug *d);
/* The latest at or before the position; -1: there is none. */
int debug_snapshot_at(const struct debug *d, uint64_t position);
/* It goes on, and this process waits for its answer. False: it will not come. */
bool debug_ask_snapshot(struct debug *d, int n);
/* It goes on as the program, and this process does not. */
_Noreturn void debug_become(struct debug *d, int n);
/* Those after the position, UINT64_MAX: all, end. */
void debug_drop_snapshots(struct debug *d, uint64_t after);
/* The process ends and with it the program. */
void debug_over(struct debug *d, int32_t status);
/* The debugger is gone, or wants the program to end. */
_Noreturn void debug_abandoned(struct debug *d);
_Noreturn void debug_kill(struct debug *d);
/* Whether snapshots make sense where threads of the program run: "", or why not. */
void debug_look_for_threads(char *out, size_t room);

/* -- passing.c --------------------------------------------------------------------------------- */

bool debug_filters_set(struct debug *d, const struct debug_filter *all, uint32_t count,
                       struct ls_error *err);
/* Whether a breakpoint at the place may be for one of the lanes. */
bool debug_filter_stops(const struct debug *d, const struct jit_warp *w, uint32_t place,
                        uint32_t lanes);
/* Whether the block that comes next is passed over; whether there is to be a snapshot before it;
 * what was decided, and whether one was made. */
bool debug_pass_ask(struct debug *d, const uint32_t block[3], uint64_t number);
bool debug_pass_snapshot(const struct debug *d, bool passes);
void debug_pass_since(struct debug *d, bool passes, bool anew);
/* It begins, ends. */
void debug_pass_begin(struct debug *d, struct jit_block *b);
void debug_pass_end(struct debug *d, const struct jit_block *b);
/* The block that is being passed over is to be executed by instructions. */
_Noreturn void debug_pass_leave(struct debug *d, enum debug_resume how);
/* The user's signal found one; timer: again, as debug_pass_interrupted has asked for. */
void debug_pass_interrupted(struct debug *d, bool timer);

/* -- catches.c --------------------------------------------------------------------------------- */

bool debug_catch_set(struct debug *d, const struct debug_catch *all, uint32_t count,
                     struct ls_error *err);
/* Whether one is of the launch that begins. */
bool debug_catch_launch(const struct debug *d);
/* Whether one is for a lane of the warp, whose instruction at the place comes next. */
bool debug_catch_hit(struct debug *d, const struct jit_warp *w, uint32_t place);

/* -- watch.c ----------------------------------------------------------------------------------- */

bool debug_watch_set(struct debug *d, const struct debug_watch *w, struct ls_error *err);
/* The launch ends: watches on its blocks' memory end, too. */
void debug_watch_forget(struct debug *d);
void debug_on_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                     uint32_t space, uint32_t op, uint32_t place);
void debug_on_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                      uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
/* The warp's next instruction, as far as it accesses registers that are watched or asked about. */
void debug_on_registers(struct debug *d, const struct jit_warp *w);
/* Whether there are such registers: then every instruction asks. */
bool debug_watches_registers(const struct debug *d);
/* After the accesses that were told: the first that a watch stops for goes to *s; false: none. The
 * others are for the next call. */
bool debug_watch_hit(struct debug *d, struct debug_stop *s);

/* -- edits.c ----------------------------------------------------------------------------------- */

/* Writes, and does so again whenever the launch comes by. */
bool debug_edit(struct debug *d, const struct debug_memory *m, const uint8_t *bytes,
                struct ls_error *err);
/* Those of this position once more; the position of the next one, UINT64_MAX: none. */
void debug_edit_again(struct debug *d);
uint64_t debug_edit_next(const struct debug *d);

/* -- stand.c ----------------------------------------------------------------------------------- */

struct debug_map *debug_map_of(struct debug *d, struct debug_code *c, const struct ptx_func *f);
/* A thread's block, warp and lane in the innermost launch; NULL: its block is not in flight. */
struct jit_block *debug_find(const struct debug *d, const struct debug_thread *t, uint32_t *warp,
                             uint32_t *lane);
/* The thread's frame of that number, and where it lies; false and *err: there is none. */
struct debug_place {
    struct jit_block *block;
    uint32_t warp, lane;
    const struct debug_map *map;
    const struct jit_activation *at;
    uint32_t frame; /* in map's wir.frames */
    uint32_t site;  /* of the lane in it */
};
bool debug_locate(struct debug *d, const struct debug_who *who, struct debug_place *out,
                  struct ls_error *err);
uint32_t debug_warps(struct debug *d, struct text *out);
void debug_frames(struct debug *d, const struct debug_place *p, struct text *out);
/* Calls that the warp is in. */
uint32_t debug_depth(struct debug *d, const struct jit_activation *a);
/* Its instruction that comes next. */
const struct wir_insn *debug_next(struct debug *d, const struct jit_activation *a);
/* The line's number of a place; 0: none. */
uint32_t debug_line(const struct debug *d, uint32_t place);
void debug_registers(const struct debug_place *p, struct text *out);
bool debug_symbol(struct debug *d, const struct debug_place *p, const char *name,
                  struct debug_symbol *out, struct ls_error *err);

/* -- known.c ----------------------------------------------------------------------------------- */

/* Whether the register may have been written when the instruction comes. */
bool debug_known(struct debug_map *map, uint32_t reg, uint32_t site);

/* -- memory.c ---------------------------------------------------------------------------------- */

/* Where the bytes lie in this process; NULL and *err: there are none. *block: the number of the
 * block that they belong to, UINT64_MAX: to none. */
uint8_t *debug_memory_at(struct debug *d, const struct debug_memory *m, uint64_t *block,
                         struct ls_error *err);
/* Where a register lies: low, high, block, reg of *out. */
bool debug_register_at(struct debug *d, const struct debug_memory *m, struct debug_watching *out,
                       struct ls_error *err);
/* As DEBUG_A_WHERE. */
bool debug_where(struct debug *d, const struct debug_memory *m, struct debug_symbol *out,
                 struct ls_error *err);
/* Whether it is a predicate: a byte that stands for a bit of the word. */
bool debug_predicate(struct debug *d, const struct debug_memory *m, uint32_t **word,
                     uint32_t *lane);

/* -- wire.c ------------------------------------------------------------------------------------ */

void debug_send(struct debug *d, uint32_t what, uint32_t status, const void *first, size_t n,
                const void *second, size_t m);
/* A message; its payload lives until the next. The debugger is gone: the process ends. */
const uint8_t *debug_receive(struct debug *d, struct debug_head *head);

#endif
