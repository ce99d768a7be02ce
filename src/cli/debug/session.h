/* SPDX-License-Identifier: Apache-2.0
 *
 * session: one debugged program as the debugger knows it: its modules, breakpoints, where it
 * stands, the thread in focus. Commands (commands.def) and the adapter stand on this.
 *
 * Files, from the top: cli_debug.c; commands.c and cmd_*.c (a topic each); running.c (goes on,
 * reports stops); breakpoints.c; addresses.c; session.c; sources.c;
 * target.c.
 */
#ifndef LOCKSTEP_CLI_SESSION_H
#define LOCKSTEP_CLI_SESSION_H

#include "cli/debug/target.h"
#include "cli/inspect/value.h"

enum { NO_PLACE = UINT32_MAX };

struct module {
    struct symbols *symbols;
    bool linked;     /* into another module, which takes its place */
    bool loaded;     /* the program has it, as */
    uint32_t number; /* debug_module.number */
};

struct location {
    uint32_t module; /* index in session.modules */
    uint32_t place;
};

enum breakpoint_kind { BREAKPOINT, WATCHPOINT, CATCHPOINT };

struct breakpoint {
    uint32_t number;
    enum breakpoint_kind kind;
    bool enabled, temporary, internal;
    char *spec;      /* "t.cu:12", "kernel"; watch: the expression; catch: which findings */
    char *condition; /* NULL: none */
    char *commands;  /* lines; NULL: none */
    char *log;       /* adapter: says this instead of stopping; NULL */
    uint64_t ignore, hits;
    VEC(struct location) at;
    uint32_t watch_kinds; /* DEBUG_WATCH_* */
    struct debug_memory memory;
    struct type *type;
    bool armed; /* the tool knows of the watch */
};

struct display {
    uint32_t number;
    bool enabled;
    char letter;
    char *text;
};

struct convenience {
    char *name;
    struct value value; /* bytes in session.keep */
};

struct source_file {
    char *name; /* as the compiler knew it */
    char *text;
    VEC(const char *) lines;
};

struct focus {
    bool valid;
    struct debug_thread thread;
    struct debug_frame *frames; /* the innermost first */
    uint32_t frame_count, frame;
};

struct session {
    struct target target;
    const char *path, *name;             /* what is executed; its word on the command line */
    char **words;                        /* argv of the program */
    const struct device_profile *device; /* whose costs `bank' and `sectors' show */
    int program_out[2]; /* for what the program prints, and says on stderr; -1: its own */
    FILE *out;
    struct text said; /* of a line that is not over, where lines are as wide as the terminal */
    bool batch, quit, failed; /* failed: a command has */
    int quit_status;
    bool starting; /* the program runs to its first event */
    struct {
        VEC(struct breakpoint *) all;
        uint32_t last;               /* highest number so far */
        uint32_t hit;                /* number of the one where it has stopped; 0: none */
        struct text after;           /* commands of the one that was hit */
        struct breakpoint *collects; /* lines up to `end` are its commands */
    } breaks;

    VEC(struct module) modules;
    struct {
        VEC(struct display) all;
        uint32_t last; /* highest number so far */
    } shown;
    VEC(struct value) history;
    VEC(struct convenience) variables;
    VEC(struct source_file *) sources;

    struct findings *findings; /* of the program under check; NULL: not asked for */
    struct focus focus;
    struct {
        bool stands;     /* in a launch: target.stop says where */
        bool over;       /*   the launch is over */
        uint32_t module; /* of target.stop: index in modules */
    } launch;
    struct {
        struct debug_write found; /* by `last`, for `last go` */
        uint64_t launch;
    } write;
    bool muted;      /* no breakpoint and watchpoint counts */
    bool all_blocks; /* `set pass-over off': blocks in which nothing can stop are executed by
                        instructions, too */

    uint32_t elements; /* setting */
    struct {
        uint32_t size;    /* setting */
        const char *file; /* where `list` goes on */
        uint32_t next, last_first;
    } list;
    struct {
        struct type *type; /* and where `x` does */
        uint64_t address;
        uint8_t space;
        char letter;
    } x;
    struct arena keep;    /* values of history and variables */
    struct arena scratch; /* of one command */
};

/* -- session.c --------------------------------------------------------------------------------- */

void session_init(struct session *s);
void session_fini(struct session *s);
/* Modules that the executable carries. False: it cannot be read, or libdw is missing. */
bool session_read_executable(struct session *s, struct ls_error *err);
/* The tool has told of a module; its index. UINT32_MAX: *err. */
uint32_t session_take_module(struct session *s, struct ls_error *err);
/* The program has gone, or stands elsewhere. */
void session_forget_stop(struct session *s);

/* The thread in focus, from now on; frame 0. False: it is not there. */
bool session_focus(struct session *s, const struct debug_thread *thread, struct ls_error *err);
bool session_need_focus(const struct session *s, struct ls_error *err);
const struct module *session_module(const struct session *s); /* of the launch; NULL */
/* The frame of the thread: 0 the innermost. */
struct world session_world(struct session *s, const struct debug_thread *thread,
                           const struct debug_frame *frame, uint32_t number);
/* Of the frame in focus; without a thread what can be said before the program runs. */
struct world session_here(struct session *s);
uint32_t session_place(const struct session *s); /* of the frame in focus; NO_PLACE */

struct debug_thread session_thread_of(const struct session *s, const uint32_t block[3],
                                      uint32_t warp, uint32_t lane);
uint32_t session_linear(const struct session *s, const struct debug_thread *t); /* in its block */
bool session_same_thread(const struct debug_thread *a, const struct debug_thread *b);
/* Of a thread that stands at the place: where that has no source, but a caller has one, the
 * caller's. */
uint32_t session_seen(struct session *s, const struct debug_thread *t, uint32_t place);
/* The same of a lane of the warp, as "t.cu:12". */
const char *session_where_lane(struct session *s, const struct debug_warp *w, uint32_t lane);
/* "t.cu:12" of a place; "?" */
const char *session_where(struct session *s, const struct module *m, uint32_t place);
/* "(1,0,0)" */
const char *session_triple(struct session *s, const uint32_t at[3]);
/* "kernel k<<<(2,1,1),(64,1,1)>>>" of the launch where it stands. */
const char *session_kernel(struct session *s);
/* Lines as wide as the terminal, where it is one; what ends in no line waits for its end, or
 * session_said. */
void session_said(struct session *s);
void session_say(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- sources.c --------------------------------------------------------------------------------- */

const char *source_base(const char *path);
/* Whether the compiler's path is the one that a person means: "t.cu", "src/t.cu". */
bool source_is(const char *path, const char *meant);
/* The text of a line, from 1; NULL: there is none. */
const char *source_line(struct session *s, const char *file, uint32_t line);
uint32_t source_count(struct session *s, const char *file); /* of lines */
/* "12\t    code"; where the file is not there: "12\tin t.cu". */
void source_show(struct session *s, const char *file, uint32_t line);
/* The file that lines without a file's name mean; NULL. */
const char *source_current(struct session *s);

/* -- addresses.c ------------------------------------------------------------------------------- */

/* Where the access of the instruction that the thread executes next lies: its space (SHARED, LOCAL,
 * GLOBAL, CONST), the place there. The instruction has an address. */
bool address_find(struct session *s, const struct debug_thread *t, const struct source_function *f,
                  const struct ptx_insn *i, struct debug_symbol *out, struct ls_error *err);

/* Bytes that a lane accesses. */
uint32_t address_bytes(const struct ptx_insn *i);
/* The address in the operand, as the kernel holds it, without the space that it is of. */
bool address_raw(struct session *s, const struct debug_thread *t, const struct source_function *f,
                 const struct ptx_insn *i, uint64_t *out, struct ls_error *err);

/* -- findings.c (findings.h has the rest) ------------------------------------------------------ */

void findings_forget(struct session *s);
/* The launch has stopped: whether a finding stands there is asked now. */
void breakpoints_note_findings(struct session *s);
/* Whether it is one that the catchpoint is for; *lane: its thread's. */
bool breakpoints_at_finding(const struct session *s, const struct breakpoint *b, uint32_t *lane);
/* Tells the tool where enabled catchpoints stop. */
bool breakpoints_send_findings(struct session *s, struct ls_error *err);

/* -- filters.c --------------------------------------------------------------------------------- */

/* Tells the tool which blocks and threads the breakpoints are for, as far as their conditions say
 * it by built-in variables and numbers, and whether blocks may be passed over. */
bool breakpoints_send_filters(struct session *s, struct ls_error *err);

/* -- breakpoints.c ----------------------------------------------------------------------------- */

struct place_list {
    struct location *at;
    size_t count, room;
};
/* Where "t.cu:12", "12", "kernel", "*PLACE" or "" (here) is. `slide`: a line without code means the
 * next one that has some. */
bool breakpoints_find(struct session *s, const char *spec, struct place_list *out,
                      struct ls_error *err);
struct breakpoint *breakpoints_add(struct session *s, enum breakpoint_kind kind, const char *spec);
void breakpoints_remove(struct session *s, struct breakpoint *b);
struct breakpoint *breakpoints_number(const struct session *s, uint64_t number);
/* A module has come: breakpoints that are meant for it are put there. */
void breakpoints_resolve(struct session *s, uint32_t module);
/* Tells the tool, if it can be told now. */
bool breakpoints_send(struct session *s, struct ls_error *err);
/* Of the breakpoints where the launch has stopped the first whose condition holds, in `lane` (the
 * first for which it does); NULL: none. Counts hits. */
struct breakpoint *breakpoints_hit(struct session *s, uint32_t *lane);
bool breakpoints_arm(struct session *s, struct breakpoint *b, struct ls_error *err);

/* -- running.c --------------------------------------------------------------------------------- */

/* Starts the program, to its first stop; launches: where the first kernel begins. */
bool running_start(struct session *s, bool launches, struct ls_error *err);
/* running_start without output; *event: see running_quiet. */
bool running_start_quiet(struct session *s, bool launches, enum target_event *event,
                         struct ls_error *err);
/* Goes on as *go says, over stops that nobody wants, and reports where it stands then. */
bool running_go(struct session *s, const struct debug_go *go, struct ls_error *err);
/* running_go without output; *event: how it ended, which running_report prints. */
bool running_quiet(struct session *s, const struct debug_go *go, enum target_event *event,
                   struct ls_error *err);
bool running_to_position(struct session *s, uint64_t position, struct ls_error *err);
/* Line and source of the frame in focus, as after a stop; whole: the function, too. */
void running_show_place(struct session *s, bool whole);
/* "#0  f (a=1) at t.cu:5" without the number. */
void running_show_frame(struct session *s, uint32_t frame, bool with_arguments);
struct debug_go running_plan(const struct session *s, enum debug_how how, uint32_t depth);
uint32_t running_depth(const struct session *s); /* of the frame in focus */

#endif
