/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels (generate.h) on random blocks, each compiled twice, as it is and with all events
 * for tools, against their evaluation thread by thread in C. Without arguments a short run that is
 * the same each time; an hour:
 *
 *     build-asan/tests/test_fuzz_kernels --seconds 3600 --seed 1
 *
 * Each kernel is compiled with passes of its own switched off (passes/passes.def); --jit -NAME,...
 * asks for these. A difference is printed with its seed and the kernel; --seed N --count 1 repeats
 * it.
 */
#include "common/ignoring.h"
#include "jit/tool.h"
#include "fuzz/runs.h"

/* A tool that wants to know everything and keeps nothing. */
static void
ignore_sync(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place)
{
}

static bool
run(struct fuzz *z, const struct program *p, const struct ptx_module *m, uint32_t *out,
    struct jit_tool *tool, bool say)
{
    struct exec_report report = {0};
    if (fuzz_run(z, p, m, out, tool, &report))
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

/* The same, compiled as if it were too large. */
static bool
run_small(struct fuzz *z, const struct program *p, const struct ptx_module *m, uint32_t *out,
          bool say)
{
    struct fuzz small = *z;
    small.jit = z->small;
    return run(&small, p, m, out, NULL, say);
}

/* Code for a debugger that wants to stop nowhere, and hears of accesses now and then. */
static void
never_stop(struct jit_warp *w)
{
}

static bool
run_stepped(struct fuzz *z, const struct program *p, const struct ptx_module *m, uint32_t *out,
            bool say)
{
    uint32_t places = 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        places += m->funcs[k]->insn_count;
    uint8_t *flags = calloc(places + 1, 1);
    for (uint32_t k = 0; k < places; k += 7)
        flags[k] = 1;
    struct jit_steps steps = {.stop = UINT64_MAX, .flags = flags, .tell = places % 2};
    struct jit_tool tool = {.events = JIT_EVENT_ACCESS | JIT_EVENT_STEP,
                            .access = ignore_access,
                            .pattern = ignore_pattern,
                            .step = never_stop,
                            .steps = &steps};
    bool fine = run(z, p, m, out, &tool, say);
    free(flags);
    return fine && steps.position > 0;
}

/* As it is, with events, in the smallest form and stepped; say: what differs, and the kernel. */
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
    if (fine) {
        memset(got, 0, words * 4);
        fine = run_small(z, p, m, got, say) && compare(p, want, got, "registers in memory", say);
    }
    if (fine) {
        memset(got, 0, words * 4);
        fine = run_stepped(z, p, m, got, say) && compare(p, want, got, "stepped", say);
    }
    if (say)
        fuzz_show(z, p, m ? "" : err.text, text.at);
    if (m) {
        jit_forget(z->jit, m);
        jit_forget(z->small, m);
    }
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
    bool fine = fuzz_engine(z, seed) && agrees(z, p, false);
    if (!fine && z->jit) {
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
    static const uint64_t found[] = {285, 1203, 1615,
                                     31923}; /* what once was wrong, or never ended */
    struct fuzz z;
    uint64_t done = 0, bad = 0;
    if (!fuzz_open(&z, argc, argv, 40))
        return 1;
    z.passes = argc == 1 ? "" : z.passes; /* they were found with all passes on */
    for (unsigned k = 0; argc == 1 && k < sizeof found / sizeof *found; k++)
        bad += !try_seed(&z, found[k]);
    z.passes = argc == 1 ? NULL : z.passes;
    for (; fuzz_goes_on(&z, done); done++) {
        if (z.seconds && done % 100 == 0)
            fprintf(stderr, "seed %llu\n", (unsigned long long)(z.seed + done));
        bad += !try_seed(&z, z.seed + done);
    }
    return fuzz_close(&z, done, bad);
}
