/* SPDX-License-Identifier: Apache-2.0
 *
 * A tool of one's own on the engine's events (struct jit_tool in jit/tool.h): how many lanes, in
 * how many warps, each load and store of a kernel has. The kernel is examples/inc.cu as PTX, with 5
 * blocks of 40 threads for 100 elements; 64 places are enough for it.
 */
#include "exec/exec.h"
#include "jit/tool.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 100, PLACES = 64 };
static _Atomic unsigned warps[PLACES], lanes[PLACES];

static void
access_made(struct jit_warp *w, uint32_t active, const uint64_t *address, uint32_t bytes,
            uint32_t space, uint32_t op, uint32_t place)
{
    (void)w, (void)address, (void)bytes, (void)op;
    if (space == PTX_SPACE_PARAM || place >= PLACES)
        return;
    warps[place]++;
    lanes[place] += (unsigned)__builtin_popcount(active);
}

/* The same with addresses as a base and distances. */
static void
pattern_made(struct jit_warp *w, uint32_t active, uint64_t base, const int32_t *offset,
             uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    (void)base, (void)offset;
    access_made(w, active, NULL, bytes, space, op, place);
}

int
main(int argc, char **argv)
{
    struct ls_error err = {0};
    size_t size;
    char *ptx = argc == 2 ? ls_read_file(argv[1], &size, &err) : NULL;
    struct ptx_module *m = ptx ? ptx_parse(ptx, size, argv[1], &err) : NULL;
    struct jit_engine *jit = jit_new(&(struct jit_options){0}, &err);
    struct exec_pool *pool = exec_new(0, &err);
    if (!m || !jit || !pool)
        return fprintf(stderr, "lanes: %s\n", argc == 2 ? err.text : "one argument: PTX"), 1;

    static int in[N], out[N];
    struct {
        int *in, *out;
        int n;
    } params = {in, out, N};
    struct jit_tool tool = {
        .events = JIT_EVENT_ACCESS, .access = access_made, .pattern = pattern_made};
    struct exec_report report;
    if (!exec_run(pool,
                  &(struct exec_request){.jit = jit,
                                         .module = m,
                                         .kernel = m->funcs[0],
                                         .grid = {5, 1, 1},
                                         .block = {40, 1, 1},
                                         .params = (const uint8_t *)&params,
                                         .symbols = (uint64_t[1]){0},
                                         .tool = &tool},
                  &report))
        return fprintf(stderr, "lanes: %s\n", report.text), 1;

    for (uint32_t place = 0; place < PLACES; place++) {
        char where[256];
        jit_place_text(m, place, where, sizeof where);
        if (warps[place])
            printf("%s: %u lanes in %u warps\n", where, lanes[place], warps[place]);
    }
    exec_free(pool);
    jit_free(jit);
    ptx_free(m);
    free(ptx);
    return 0;
}
