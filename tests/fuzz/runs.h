/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs that run random kernels (generate.h) share: their options, the engine, one
 * launch.
 */
#ifndef LOCKSTEP_FUZZ_RUNS_H
#define LOCKSTEP_FUZZ_RUNS_H

#include "exec/exec.h"
#include "fuzz/generate.h"

#include <time.h>

struct fuzz {
    struct jit_engine *jit,
        *small; /* small: all kernels are too large for it, registers stay in memory */
    struct exec_pool *pool;
    uint32_t table[TABLE];
    uint64_t seed, count; /* --seed, --count */
    double seconds;       /* --seconds; 0: no limit */
    time_t end;
    const char *passes; /* --jit: passes that are off for every kernel; NULL: drawn anew for each */
    char drawn[1024];   /* those of the kernel at hand, as --jit takes them */
};

/* False: a message was printed. */
static inline bool
fuzz_open(struct fuzz *z, int argc, char **argv, uint64_t count)
{
    struct ls_error err = {0};
    struct program numbers = {.state = 99};
    *z = (struct fuzz){.seed = 1, .count = count};
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--seed"))
            z->seed = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--count"))
            z->count = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--seconds"))
            z->seconds = strtod(argv[k + 1], NULL), z->count = UINT64_MAX;
        else if (!strcmp(argv[k], "--jit"))
            z->passes = argv[k + 1];
    }
    z->small = jit_new(&(struct jit_options){0}, &err);
    if (z->small)
        jit_set_budget(z->small, 0, UINT64_MAX);
    z->pool = exec_new(1, &err);
    for (unsigned k = 0; k < TABLE; k++)
        z->table[k] = pick(&numbers, 2) ? pick(&numbers, 40) : pick(&numbers, ~0u);
    z->end = time(NULL) + (time_t)z->seconds;
    if (!z->small || !z->pool)
        printf("%s\n", err.text);
    return z->small && z->pool;
}

/* Passes that are off for a kernel: of three kernels one has all passes, one lacks one pass, one
 * lacks half of them. */
static inline void
fuzz_draw_passes(struct fuzz *z, uint64_t seed)
{
    struct program numbers = {.state = seed * 2654435761u + 17};
    unsigned count = 0, how = pick(&numbers, 3);
    while (jit_pass_name(count, NULL))
        count++;
    unsigned one = pick(&numbers, count);
    *z->drawn = 0;
    for (unsigned k = 0; how && k < count; k++) {
        const char *name = jit_pass_name(k, NULL);
        uint64_t off = 0;
        struct ls_error err = {0};
        char word[64];
        snprintf(word, sizeof word, "-%s", name);
        if ((how == 1 ? k == one : pick(&numbers, 2)) && jit_passes_off(word, &off, &err))
            snprintf(z->drawn + strlen(z->drawn), sizeof z->drawn - strlen(z->drawn), "%s%s",
                     *z->drawn ? "," : "", word);
    }
}

/* An engine for the kernel of this seed. False: a message was printed. */
static inline bool
fuzz_engine(struct fuzz *z, uint64_t seed)
{
    struct ls_error err = {0};
    struct jit_options options = {0};
    if (z->passes)
        snprintf(z->drawn, sizeof z->drawn, "%s", z->passes);
    else
        fuzz_draw_passes(z, seed);
    jit_free(z->jit);
    z->jit = jit_passes_off(z->drawn, &options.off, &err) ? jit_new(&options, &err) : NULL;
    if (!z->jit)
        printf("%s\n", err.text);
    return z->jit;
}

static inline bool
fuzz_goes_on(const struct fuzz *z, uint64_t done)
{
    return done < z->count && (!z->seconds || time(NULL) < z->end);
}

/* The exit status. */
static inline int
fuzz_close(struct fuzz *z, uint64_t done, uint64_t bad)
{
    printf("%llu kernels, %llu wrong\n", (unsigned long long)done, (unsigned long long)bad);
    exec_free(z->pool);
    jit_free(z->jit);
    jit_free(z->small);
    return bad != 0;
}

/* out: program_words(p) words. False: the report says why. */
static inline bool
fuzz_run(struct fuzz *z, const struct program *p, const struct ptx_module *m, uint32_t *out,
         struct jit_tool *tool, struct exec_report *report)
{
    uint64_t params[3] = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)z->table,
                          (uint64_t)(uintptr_t)(out + program_words(p) - SUMS)},
             symbols[8] = {0};
    struct exec_request r = {.jit = z->jit,
                             .module = m,
                             .kernel = ptx_find_func(m, "k"),
                             .grid = {p->grid, 1, 1},
                             .block = {p->block[0], p->block[1], p->block[2]},
                             .params = (uint8_t *)params,
                             .symbols = symbols,
                             .sm_count = 4,
                             .resident_blocks = 8,
                             .tool = tool};
    return exec_run(z->pool, &r, report);
}

/* The program, with what is wrong with its text ("": nothing). */
static inline void
fuzz_show(const struct fuzz *z, const struct program *p, const char *wrong, const char *text)
{
    printf("block %ux%ux%u, grid %u, --jit \"%s\" %s\n%s\n", p->block[0], p->block[1], p->block[2],
           p->grid, z->drawn, wrong, text);
}

#endif
