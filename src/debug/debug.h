/* SPDX-License-Identifier: Apache-2.0
 *
 * debug: the tool behind `lockstep debug`, and how it and the debugger talk.
 *
 * The program runs in a process of its own, watched by the tool `debug` (LOCKSTEP_TOOL=debug,
 * LOCKSTEP_DEBUG_FD: a socket of AF_UNIX, SOCK_STREAM). The debugger
 * (src/cli/debug) owns breakpoints, names, expressions and what the user sees; the tool owns the
 * running launch: it stops it, shows and changes its state, and takes it back.
 *
 * Time. A launch under `debug` runs on one thread in a fixed schedule. Its *position* counts the
 * instructions that warps were about to execute since the launch began, 0 before the first: each
 * is one number, the same in every run of the launch. A launch that stands at a position has
 * executed exactly the instructions before it.
 *
 * Going back. Device memory and everything else are the process's own pages, so that fork() is a
 * snapshot: at a launch's begin (where something could stop it) and now and then within it a child
 * is made that waits. To go back to position p the latest child at or before p goes on as the
 * program, up to p. Output that was shown once is not shown again. Back means within the launch.
 *
 * Messages. Each begins with a struct debug_head and goes one way at a time: the debugger asks
 * (enum debug_ask) only while the launch stands, after an event; each ask is answered by one
 * message of the same number (DEBUG_A_GO and DEBUG_A_KILL: by the next event; but a DEBUG_A_GO that
 * cannot be done is answered by a message of its number with status 1, and the launch stands where
 * it stood). Both sides are one machine's and one build's: structs go as they are.
 *
 * Signals. SIGINT or SIGURG to the program's first process, or its group, stops a launch that runs;
 * outside of launches they are the program's. The program's first process lives until the program
 * ends, and ends as it does.
 */
#ifndef LOCKSTEP_DEBUG_H
#define LOCKSTEP_DEBUG_H

#include "jit/jit.h"

struct debug_head {
    uint32_t what;   /* enum debug_event or enum debug_ask */
    uint32_t status; /* answers: 0, or 1: the payload is the reason as text */
    uint64_t bytes;  /* that follow */
};

/* -- the tool tells ---------------------------------------------------------------------------- */

enum debug_event {
    DEBUG_E_MODULE = 1, /* before the first launch of a module's kernels: struct debug_module, then
                           its PTX text (not ended by 0). Breakpoints are set now: asks may follow,
                           the last of them is DEBUG_A_GO with how == DEBUG_GO_ON */
    DEBUG_E_STOP,       /* struct debug_stop, then its text */
    DEBUG_E_EXIT,       /* the program ends: int32_t status, below 0: by that signal; no asks
                           follow. A signal may end it without that: waitpid() knows */
};
struct debug_module {
    uint32_t number; /* 0, 1, ... */
    uint32_t unused;
};

enum debug_why {
    DEBUG_WHY_BREAK,    /* flag DEBUG_BREAK of the place that comes next, or a struct debug_catch */
    DEBUG_WHY_STEP,     /* what DEBUG_A_GO asked for */
    DEBUG_WHY_POSITION, /* the position that was asked for is reached */
    DEBUG_WHY_WATCH,    /* text: "number of watch"; the access has just been made: the position is
                           the one after it; place: the access's */
    DEBUG_WHY_LAUNCH,   /* a launch begins (asked for by debug_go.launches) */
    DEBUG_WHY_LEFT,     /* the thread in focus has exited while it was stepped */
    DEBUG_WHY_END,      /* the launch is over, all its threads have exited; memory still reads. Only
                           of launches that have stopped before, or while a thread is stepped */
    DEBUG_WHY_BEGIN,    /* going back came to the launch's begin */
    DEBUG_WHY_FAULT,    /* the launch failed: text is exec_report.text; the last state still reads
                           where place says so. position: that of the instruction that failed,
                           which has not been executed; a deadlock: as usual */
    DEBUG_WHY_INTERRUPT, /* SIGINT */
};
struct debug_thread {
    uint32_t block[3], thread[3];
};
struct debug_stop {
    uint32_t why;    /* enum debug_why */
    uint32_t module; /* debug_module.number */
    uint32_t kernel; /* ptx_func.index in it */
    uint32_t place;  /* jit place of the instruction that comes next (WATCH, FAULT: that did it);
                        UINT32_MAX: none */
    uint64_t launch; /* number, from 1 */
    uint64_t position;
    uint32_t grid[3], block[3];
    uint32_t at[3];                /* the block that stands there, */
    uint32_t warp;                 /*   the warp in it, */
    uint32_t lanes;                /*   and those of its lanes that execute the instruction */
    uint32_t depth;                /* calls that the warp is in: 0 in the kernel's own text */
    uint32_t watch;                /* WATCH: the watch's number */
    uint32_t watch_lane;           /* WATCH: the lane that accessed */
    uint64_t address;              /* WATCH, FAULT */
    uint8_t before[16], after[16]; /* WATCH: the watched bytes, the first 16 */
    uint32_t text;                 /* bytes of text that follow */
    uint32_t phase;                /* barriers that have been complete in the block */
    uint64_t passed;               /* blocks of the launch that were passed over */
};

/* -- the debugger asks ------------------------------------------------------------------------- */

enum debug_ask {
    DEBUG_A_GO = 100, /* struct debug_go; answered by an event */
    DEBUG_A_FLAGS,    /* struct debug_flags, then for each place of the module one uint32_t:
                         DEBUG_BREAK in bit 31, below it the number of the line that it belongs to,
                         0: none. They hold for all launches to come */
    DEBUG_A_WATCH,    /* struct debug_watch: adds it (bytes 0: removes number) */
    DEBUG_A_READ,     /* struct debug_memory; answer: the bytes */
    DEBUG_A_WRITE,    /* struct debug_memory, the bytes; answer: nothing. What comes later is no
                         longer what was recorded: snapshots after this position are dropped, and
                         the write is repeated whenever the launch passes it again */
    DEBUG_A_WARPS,    /* nothing; answer: uint32_t count, 0, then struct debug_warp of every warp of
                         every block that has begun and not ended */
    DEBUG_A_FRAMES,   /* struct debug_who; answer: struct debug_frame of that thread, the innermost
                         first */
    DEBUG_A_REGISTERS, /* struct debug_who, frame in .frame; answer: for each register of the
                          frame's function in order (ptx_func.regs) a uint64_t value[2]; registers
                          that hold nothing known: DEBUG_NO_VALUE in a leading uint8_t per register
                        */
    DEBUG_A_SYMBOL,    /* struct debug_who, then a name as text: a variable of the frame's function
                          (.local, .shared, .param) or of the module; answer: struct debug_symbol */
    DEBUG_A_LAST,      /* struct debug_memory: who last wrote one of these bytes before the position
                          where the launch stands; answer: struct debug_write. The launch stands
                          where it stood */
    DEBUG_A_WHERE,     /* struct debug_memory with an address as kernels hold it for accesses in
                          .space (NONE: a generic one); answer: struct debug_symbol: the space that
                          it lies in (SHARED, LOCAL, GLOBAL), the place there, and how many bytes
                          the block's shared memory has, the thread's local memory, or the
                          allocation. SHARED or LOCAL with .bytes 0: of that as a whole */
    DEBUG_A_HOST,      /* nothing; answer: the functions of host code that made the launch, the
                          innermost first: of each its name, its file and its line, three texts that
                          end in 0. "" and "0" where that is not known */
    DEBUG_A_CATCH, /* struct debug_catch, any number: replaces the catchpoints of earlier requests
                    */
    DEBUG_A_ALLOCATION, /* uint64_t number of an allocation (allocation.number); answer: struct
                           debug_symbol: where it lies, and its size. The number may be one that is
                           no more: the next one that is there; its number: .number */
    DEBUG_A_POLLS,      /* nothing; answer: struct debug_poll, any number: words that threads have
                           read again and again lately, where they have read few others */
    DEBUG_A_FILTERS, /* struct debug_filter, any number, in place of those before: first, if blocks
                        may be passed over, one with the place UINT32_MAX, then one for each place
                        with DEBUG_BREAK, of all modules */
    DEBUG_A_KILL,    /* ends the program; DEBUG_E_EXIT follows */
};

enum { DEBUG_BREAK = 1u << 31 };

enum debug_how {
    DEBUG_GO_ON,   /* to the next breakpoint, watch, fault, or the end */
    DEBUG_GO_STEP, /* also until the thread in focus is about to execute an instruction of another
                      line (not 0) at a depth of at most .depth, or has left the depth */
    DEBUG_GO_INSN, /* also until the thread in focus is about to execute any instruction at a
                      depth of at most .depth */
    DEBUG_GO_POSITION, /* to .position, backwards too; breakpoints do not stop */
    DEBUG_GO_BACK, /* backwards to the latest earlier position at which .back (DEBUG_GO_ON, _STEP,
                      _INSN) would have stopped: BACK of ON is the last breakpoint or watch before
                      here, BACK of STEP the begin of the thread's line before this one */
};
struct debug_go {
    uint32_t how;      /* enum debug_how */
    uint32_t back;     /* DEBUG_GO_BACK: which */
    uint32_t depth;    /* STEP, INSN: UINT32_MAX: any (step into) */
    uint32_t launches; /* not 0: stop where a launch begins */
    struct debug_thread focus;
    uint64_t position;
};
struct debug_flags {
    uint32_t module, count;
};
enum {
    DEBUG_WATCH_READ = 1,
    DEBUG_WATCH_WRITE = 2,
    DEBUG_WATCH_CHANGE = 4 /* writes that change it */
};
/* The launch stops before this thread executes that instruction. */
struct debug_catch {
    uint32_t module, place;
    uint64_t launch; /* number, from 1 */
    struct debug_thread thread;
};
/* Which threads a breakpoint is for, as far as the numbers of blocks and threads say it: a program
 * for a stack of 32-bit numbers; empty: all. Of code[] the upper 8 bits are what is done (enum
 * debug_filter_op), the rest a constant or the number of a variable: 0..2 threadIdx, 3..5 blockIdx,
 * 6..8 blockDim, 9..11 gridDim. What the program leaves is not 0: may stop there. */
enum { DEBUG_FILTER_CODE = 29, DEBUG_FILTER_CONSTANT = (1 << 24) - 1 };
struct debug_filter {
    uint32_t module, place, count;
    uint32_t code[DEBUG_FILTER_CODE];
};
enum debug_filter_op {
    DEBUG_F_CONSTANT,
    DEBUG_F_VARIABLE,
    DEBUG_F_UNKNOWN, /* what the tool cannot know */
    DEBUG_F_NOT,
    DEBUG_F_ADD,
    DEBUG_F_SUB,
    DEBUG_F_MUL,
    DEBUG_F_DIV,
    DEBUG_F_MOD,
    DEBUG_F_EQ,
    DEBUG_F_NE,
    DEBUG_F_LT,
    DEBUG_F_LE,
    DEBUG_F_GT,
    DEBUG_F_GE,
    DEBUG_F_AND,
    DEBUG_F_OR,
};
struct debug_poll {
    uint32_t block[3], warp, lanes; /* those that read it last */
    uint32_t place;
    uint64_t address; /* a generic one */
    uint32_t bytes, times;
};
struct debug_who {
    struct debug_thread thread;
    uint32_t frame; /* 0: the innermost */
};
struct debug_memory {
    struct debug_who who; /* whose shared, local, parameter memory */
    uint32_t space;       /* enum ptx_space; PTX_SPACE_GENERIC: address as kernels hold it */
    uint64_t address;     /* shared, local, param: offset from where that begins for this block or
                             thread; global, const, generic: the address; PTX_SPACE_REG: the number
                             of a register of the frame's function (a predicate has one byte) */
    uint64_t bytes;
};
struct debug_watch {
    uint32_t number;        /* the debugger's */
    uint32_t kinds;         /* DEBUG_WATCH_* */
    struct debug_memory at; /* bytes 0: the watch goes */
};
struct debug_warp {
    uint32_t block[3];
    uint32_t warp;
    uint32_t alive;   /* lanes that exist and have not exited */
    uint32_t state;   /* enum debug_warp_state */
    uint32_t barrier; /* DEBUG_W_BARRIER: its number */
    uint32_t unused;
    uint32_t place[32]; /* of each lane the instruction that it executes next; UINT32_MAX: exited */
};
enum debug_warp_state { DEBUG_W_READY, DEBUG_W_RUNS, DEBUG_W_BARRIER, DEBUG_W_WAITS, DEBUG_W_DONE };
struct debug_frame {
    uint32_t function; /* ptx_func.index */
    uint32_t place;    /* next instruction; of outer frames: the call */
};
enum { DEBUG_NO_VALUE = 1, DEBUG_VALUE = 0 };
struct debug_symbol {
    uint32_t space;   /* enum ptx_space of the address */
    uint32_t number;  /* of DEBUG_A_ALLOCATION */
    uint64_t address; /* as debug_memory.address */
    uint64_t bytes;   /* of the variable; 0: not known */
};
struct debug_write {
    uint32_t found; /* 0: nobody in this launch */
    uint32_t place;
    uint64_t position; /* of the instruction that wrote */
    struct debug_thread thread;
    uint64_t address, bytes;       /* of the access */
    uint8_t before[16], after[16]; /* of the asked-for bytes, the first 16 */
};

/* All the bytes, over the socket; false: nobody is there any more (wire.c). */
bool debug_put(int fd, const void *at, size_t n);
bool debug_take(int fd, void *at, size_t n);

/* -- in the program's process ------------------------------------------------------------------ */

struct device_profile;
/* A row of device/tool.c. options: as of every tool; the socket is LOCKSTEP_DEBUG_FD. */
struct jit_tool *debug_open(const struct device_profile *d, const char *options,
                            struct ls_error *err);
char *debug_write_result(struct jit_tool *t, bool complete);
/* Who knows where host code is: here() has a number for where the calling thread is (0: not known),
 * tell() adds what it stands for, as DEBUG_A_HOST answers it. */
void debug_host(struct jit_tool *t, uint32_t (*here)(void),
                void (*tell)(uint32_t number, struct text *out));
/* In a child of the program made by fork. */
void debug_forked(struct jit_tool *t);

#endif
