/* SPDX-License-Identifier: Apache-2.0
 *
 * record: one block of the program's first launch, or all of them, step by step, as a page
 * (record.html). A step is what a warp does of one line before it comes to another line, or another
 * warp goes on.
 *
 * The recording is JSON within the page:
 *
 *   {"block":[x,y,z], "warps":n, "alive":[mask of each warp at first],
 *    "first":line, "lines":["text",...],             the kernel's source, and functions it calls
 *    "functions":["name",...],
 *    "shared":{"words":n, "names":[{"name","word"}]},
 *    "end":"what became of the block",
 *    "steps":[{"w":warp, "l":line, "m":lanes, "f":function,
 *              "b":1,                                it comes to a barrier
 *              "k":lanes,                            alive behind it, where that changes
 *              "v":[["name",[32 values or null]]],   variables that the page does not have so yet
 *              "x":[{"op","space","bytes","name","at":[32 addresses or null]}],
 *              "r":[["%r1",[32 values or null] or the value of all]], registers (--registers)
 *              "s":[[word,"value"]]}]}               words of shared memory that it writes
 *
 * or, of a whole launch, {"blocks":[one of these, with "at":[x,y,z]], "missing":"what is not
 * there"}.
 */
#ifndef LOCKSTEP_CLI_RECORD_H
#define LOCKSTEP_CLI_RECORD_H

#include "cli/debug/session.h"

#include <jansson.h>

enum { RECORD_STEPS = 20000 };   /* of all blocks: a page of more is no longer one; */
enum { RECORD_CELLS = 1 << 21 }; /*   the same of values of registers */

struct record_options {
    bool all; /* blocks; else */
    uint32_t block[3];
    bool registers;
};

/* Runs the program, records its first launch, and writes the page. */
bool record_page(struct session *s, const struct record_options *o, const char *path,
                 struct ls_error *err);

/* -- record_state.c: what a page shows of memory ----------------------------------------------- */

struct record {
    struct session *s;
    const struct record_options *o;
    size_t steps_left, cells_left; /* of the page's */
    uint32_t block[3];
    json_t *steps, *names;             /* names: of shared memory */
    json_t *step;                      /* the one that goes on; NULL */
    uint32_t warp, line, lanes, place; /* of it */
    bool stores;                       /* it has stored to shared memory: */
    bool *stored;                      /*   per word */
    uint32_t first, last;              /* lines of the page */
    const char *file;
    uint32_t *alive; /* per warp */
    uint32_t warps;
    json_t *functions;       /* names */
    json_t *known;           /* per warp: variables of each function as the page has them; */
    json_t *known_registers; /* registers */
    uint8_t *shared;
    uint64_t shared_bytes;
    struct type **leaf; /* per word of shared memory: the type of what lies there; NULL */
};

/* Shared memory's variables and what they hold when the block begins. */
bool record_shared_begin(struct record *r, struct ls_error *err);
/* Records the words of shared memory that the step has changed. */
bool record_shared_changes(struct record *r, struct ls_error *err);
/* Variables of the lanes that are about to execute the step. */
void record_values(struct record *r);
/* Registers of the same lanes. */
bool record_registers(struct record *r, struct ls_error *err);
/* The access of the instruction that comes next, if it is one to shared or global memory. */
bool record_access(struct record *r, struct ls_error *err);

#endif
