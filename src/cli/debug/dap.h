/* SPDX-License-Identifier: Apache-2.0
 *
 * dap: the Debug Adapter Protocol on standard input and output, over the same session as the
 * command line: `lockstep debug --dap` for editors.
 *
 *   dap.c            the loop, and requests that ask for stops and let the program go on
 *   dap_data.c       requests about threads, frames, variables, code
 *   dap_wire.c       messages, and what the program prints
 */
#ifndef LOCKSTEP_CLI_DAP_H
#define LOCKSTEP_CLI_DAP_H

#include "cli/debug/session.h"

#include <jansson.h>
#include <pthread.h>

struct cli_common;

/* Until the editor disconnects. The exit status. */
int dap_run(const struct cli_common *common);

/* -- inside ------------------------------------------------------------------------------------ */

struct dap_frame {
    struct debug_thread thread;
    uint32_t number; /* 0: the innermost */
    struct debug_frame at;
};
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
    VEC(struct debug_thread) threads; /* ids are these' indexes + 1, since the last stop */
    VEC(struct dap_frame) frames;
    VEC(struct dap_reference) references;
    bool stop_on_entry, configured, over;
    struct debug_go next; /* how it goes on when the request is answered, */
    bool has_next;        /*   if it does */
    int64_t sequence;
    pthread_mutex_t lock; /* of what is written, and of the queue */
    pthread_cond_t came;
    VEC(json_t *) queue; /* messages that have come */
    bool input_over, running;
    int output[2]; /* what the program prints */
    pthread_t reader, printer;
};

/* dap_wire.c */
bool dap_begin(struct dap *d); /* threads that read */
void dap_end(struct dap *d);
json_t *dap_next(struct dap *d);               /* the next message; NULL: none will come */
void dap_send(struct dap *d, json_t *message); /* takes it */
void dap_event(struct dap *d, const char *name, json_t *body); /* takes it; NULL: none */
void dap_output(struct dap *d, const char *category, const char *text, size_t n);
/* What the session has said since, as a string to be freed by free(). */
char *dap_said(struct dap *d);

/* dap_data.c: each fills in *body, or fails with *err. */
typedef bool dap_request(struct dap *d, json_t *arguments, json_t **body, struct ls_error *err);
dap_request dap_threads, dap_stack_trace, dap_scopes, dap_variables, dap_evaluate, dap_set_variable,
    dap_disassemble, dap_data_breakpoint_info, dap_source, dap_read_memory;
uint32_t dap_thread_id(struct dap *d, const struct debug_thread *thread);
void dap_forget(struct dap *d); /* ids of the last stop */

#endif
