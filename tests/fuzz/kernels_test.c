/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels (generate.h) on random blocks, each compiled twice, as it is and with all events for
 * tools, against their evaluation thread by thread in C. Without arguments a short run that is the
 * same each time; an hour:
 *
 *     build-asan/tests/test_fuzz_kernels --seconds 3600 --seed 1
 *
 * A difference is printed with its seed and the kernel; --seed N --count 1 repeats it.
 */
#include "exec/exec.h"
#include "fuzz/generate.h"

#include <time.h>

struct fuzz {
    struct jit_engine *jit;
    struct exec_pool *pool;
    uint32_t table[TABLE];
};

/* A tool that wants to know everything and keeps nothing. */
static void
ignore_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
              uint32_t space, uint32_t op, uint32_t place)
{
}
static void
ignore_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
               uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
}
static void
ignore_sync(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place)
{
}

static bool
run(struct fuzz *z, const struct program *p, const struct ptx_module *m, uint32_t *out,
    struct jit_tool *tool, bool say)
{
    uint64_t params[3] = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)z->table,
                          (uint64_t)(uintptr_t)(out + program_words(p) - SUMS)},
             symbols[8] = {0};
    struct exec_report report = {0};
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
    if (exec_run(z->pool, &r, &report))
        return true;
    if (say)
        printf("%s\n", report.text);
    return false;
}

static bool
compare(const struct program *p, const uint32_t *want, const uint32_t *got, const char *how,
        bool say)
{
    unsigned threads = p->block[0] * p->block[1] * p->block[2];
    for (size_t k = 0; k < program_words(p); k++) {
        if (want[k] == got[k])
            continue;
        size_t t = k / OUT_WORDS;
        if (say)
            printf("%s: block %zu, thread %zu, word %zu is %#x, not %#x\n", how, t / threads,
                   t % threads, k % OUT_WORDS, got[k], want[k]);
        return false;
    }
    return true;
}

/* As it is and with events; say: what differs, and the kernel. */
static bool
agrees(struct fuzz *z, struct program *p, bool say)
{
    struct text text = {0};
    struct ls_error err = {0};
    struct jit_tool tool = {.events = JIT_EVENT_ACCESS | JIT_EVENT_SYNC,
                            .access = ignore_access,
                            .pattern = ignore_pattern,
                            .sync = ignore_sync};
    program_text(p, &text);
    size_t words = program_words(p);
    uint32_t *want = malloc(words * 4), *got = calloc(words, 4);
    program_run(p, z->table, want);
    struct ptx_module *m = ptx_parse(text.at, text.count, "fuzz.ptx", &err);
    bool fine = m && run(z, p, m, got, NULL, say) && compare(p, want, got, "plain", say);
    if (fine) {
        memset(got, 0, words * 4);
        fine = run(z, p, m, got, &tool, say) && compare(p, want, got, "with events", say);
    }
    if (say)
        printf("block %ux%ux%u, grid %u %s\n%s\n", p->block[0], p->block[1], p->block[2], p->grid,
               m ? "" : err.text, text.at);
    if (m)
        jit_forget(z->jit, m);
    ptx_free(m);
    text_free(&text);
    free(want);
    free(got);
    return fine;
}

/* Takes out what the difference does not need. */
static void
shrink(struct fuzz *z, struct program *p)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (unsigned k = 0; k < p->count; k++) {
            uint8_t kind = p->nodes[k].kind;
            p->nodes[k].kind = NOTHING;
            if (kind == NOTHING || !agrees(z, p, false))
                smaller |= kind != NOTHING;
            else
                p->nodes[k].kind = kind;
        }
    }
}

static bool
try_seed(struct fuzz *z, uint64_t seed)
{
    struct program *p = program_new(seed);
    bool fine = agrees(z, p, false);
    if (!fine) {
        shrink(z, p);
        printf("seed %llu: ", (unsigned long long)seed);
        agrees(z, p, true);
        fflush(stdout);
    }
    free(p);
    return fine;
}

int
main(int argc, char **argv)
{
    static const uint64_t found[] = {285, 1203, 1615, 31923}; /* what once was wrong, or never ended */
    uint64_t seed = 1, count = 40, done = 0, bad = 0;
    double seconds = 0;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--seed"))
            seed = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--count"))
            count = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--seconds"))
            seconds = strtod(argv[k + 1], NULL), count = UINT64_MAX;
    }
    struct fuzz z = {0};
    struct ls_error err = {0};
    z.jit = jit_new(NULL, &err);
    z.pool = exec_new(1, &err);
    if (!z.jit || !z.pool)
        return printf("%s\n", err.text), 1;
    struct program numbers = {.state = 99};
    for (unsigned k = 0; k < TABLE; k++)
        z.table[k] = pick(&numbers, 2) ? pick(&numbers, 40) : pick(&numbers, ~0u);
    time_t end = time(NULL) + (time_t)seconds;
    for (unsigned k = 0; argc == 1 && k < sizeof found / sizeof *found; k++)
        bad += !try_seed(&z, found[k]);
    for (; done < count && (!seconds || time(NULL) < end); done++) {
        if (seconds && done % 100 == 0)
            fprintf(stderr, "seed %llu\n", (unsigned long long)(seed + done));
        bad += !try_seed(&z, seed + done);
    }
    printf("%llu kernels, %llu wrong\n", (unsigned long long)done, (unsigned long long)bad);
    exec_free(z.pool);
    jit_free(z.jit);
    return bad != 0;
}
