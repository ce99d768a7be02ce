/* SPDX-License-Identifier: Apache-2.0
 *
 * dap: the Debug Adapter Protocol on standard input and output, or on a port, over the same session
 * as the command line: `lockstep debug --dap` for editors.
 *
 *   dap_port.c       a process for each editor that comes to the port
 *   dap.c            the loop, and requests that begin, let the program go on, and end
 *   dap_stops.c      where it is to stop, and why it has
 *   dap_data.c       requests about threads, frames, variables
 *   dap_code.c       about instructions, sources and memory
 *   dap_wire.c       messages, and what the program prints
 */
#ifndef LOCKSTEP_CLI_DAP_H
#define LOCKSTEP_CLI_DAP_H

#include "cli/debug/session.h"

#include <jansson.h>
#include <pthread.h>

struct cli_common;

/* Until the editor disconnects, whose messages come `from' there and go `to' there. The exit
 * status. */
int dap_run(const struct cli_common *common, int from, int to);
/* The same for each editor that comes to this port of the machine's own address, until a signal
 * ends it; "0": a free one. It says which on stdout. */
int dap_listen(const struct cli_common *common, const char *port);

/* -- inside ------------------------------------------------------------------------------------ */

struct dap_frame {
    struct debug_thread thread;
    uint32_t number; /* 0: the innermost */
    struct debug_frame at;
    bool host; /* of the host's code that made the launch: it has no variables for us */
};
/* Of exceptions; dap_stops.c has their names. */
enum dap_filter { DAP_FAULT, DAP_TRAP, DAP_ASSERT, DAP_FINDING, DAP_FILTERS };
enum dap_what { DAP_LOCALS, DAP_ARGUMENTS, DAP_SHARED, DAP_REGISTERS, DAP_THREAD, DAP_VALUE };
struct dap_reference { /* of a scope, or of a value with parts */
    enum dap_what what;
    uint32_t frame; /* index in frames */
    struct value value;
};

struct dap {
    struct session s;
    const struct cli_common *common;
    struct arena arena; /* paths, arguments */
    char *said;         /* what the session prints */
    size_t said_size;
    VEC(struct dap_frame) frames;         /* ids are these' indexes + 1, since the last stop */
    VEC(struct dap_reference) references; /* likewise */
    bool ignored[DAP_FILTERS];            /* failures of launches that do not stop */
    bool stop_on_entry, launched, configured, over;
    bool ended;           /* the editor has been told */
    bool moved;           /* a command has: the editor is told of the stop behind its answer */
    struct debug_go next; /* how it goes on when the request is answered, */
    bool has_next;        /*   if it does */
    int64_t sequence;
    pthread_mutex_t lock; /* of what is written, and of the queue */
    pthread_cond_t came;
    VEC(json_t *) queue; /* messages that have come */
    bool input_over, running, drained;
    int from;                 /* the editor */
    FILE *to;                 /* likewise */
    int output[2], errors[2]; /* what the program prints, and says on stderr */
    pthread_t reader, printer, complainer;
};

/* dap_wire.c */
bool dap_begin(struct dap *d, int from, int to); /* threads that read */
void dap_drain(struct dap *d);                   /* all that the program has printed is told */
json_t *dap_next(struct dap *d);                 /* the next message; NULL: none will come */
void dap_send(struct dap *d, json_t *message);   /* takes it */
void dap_event(struct dap *d, const char *name, json_t *body); /* takes it; NULL: none */
void dap_output(struct dap *d, const char *category, const char *text, size_t n);
/* What the session has said since, as a string to be freed by free(). */
char *dap_said(struct dap *d);

/* Each request fills in *body, or fails with *err. */
typedef bool dap_request(struct dap *d, json_t *arguments, json_t **body, struct ls_error *err);

/* dap_stops.c */
dap_request dap_set_breakpoints, dap_set_function_breakpoints, dap_set_instruction_breakpoints,
    dap_set_exception_breakpoints, dap_set_data_breakpoints, dap_data_breakpoint_info,
    dap_exception_info;
json_t *dap_filters(void); /* exceptionBreakpointFilters */
const char *dap_reason(const struct dap *d);
json_t *dap_stop_text(const struct dap *d); /* of an exception; NULL */
/* The launch has failed, in a way that nobody wants to be told of. */
bool dap_is_ignored(struct dap *d);

/* dap_data.c */
dap_request dap_threads, dap_stack_trace, dap_scopes, dap_variables, dap_evaluate, dap_set_variable,
    dap_set_expression;
/* The same for a thread as long as its launch lasts. */
json_int_t dap_thread_id(const struct dap *d, const struct debug_thread *thread);
bool dap_thread(const struct dap *d, json_int_t id, struct debug_thread *out);
void dap_forget(struct dap *d); /* ids of the last stop */
/* What a dataBreakpointInfo names: a part of a reference, or an expression in a frame. */
bool dap_named(struct dap *d, json_t *a, struct world *w, struct value *out, struct ls_error *err);
/* Source and line of an instruction. */
void dap_add_place(struct dap *d, json_t *j, uint32_t place);

/* dap.c: a command of the debugger, for those who ask it of `evaluate'. */
bool dap_command(struct dap *d, const char *line, json_t **body, struct ls_error *err);

/* dap_code.c */
dap_request dap_disassemble, dap_source, dap_read_memory, dap_write_memory, dap_loaded_sources;

static inline const char *
dap_text(json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static inline json_int_t
dap_number(json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

#endif
