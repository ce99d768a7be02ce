/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels (generate.h) under `profile`, twice: as it mostly is, where generated code counts accesses
 * like those before, one by one or those of a block of code together, and with every access told. Results are
 * those of the evaluation in C, and all counters the same both times. Without arguments a short run that is
 * the same each time; else as kernels_test.c.
 */
#include "exec/exec.h"
#include "fuzz/generate.h"
#include "profile/profile.h"

#include <jansson.h>
#include <time.h>

struct fuzz {
    struct jit_engine *jit;
    struct exec_pool *pool;
    uint32_t table[TABLE];
};

/* What profile says of the launch; NULL: it failed, or its results are not `want`. */
static json_t *
profiled(struct fuzz *z, const struct program *p, const struct ptx_module *m, const uint32_t *want, uint32_t *out,
         const struct device_profile *device, const char *options)
{
    struct ls_error err = {0};
    struct jit_tool *tool = profile_open(device, options, &err);
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
    memset(out, 0, program_words(p) * 4);
    json_t *all = NULL;
    if (tool && exec_run(z->pool, &r, &report) && memcmp(out, want, program_words(p) * 4) == 0) {
        char *text = profile_write(tool, true);
        all = json_loads(text, 0, NULL);
        free(text);
    } else {
        printf("%s: %s\n", options, tool ? report.text : err.text);
    }
    if (tool)
        profile_close(tool);
    size_t k;
    json_t *kernel;
    json_array_foreach(json_object_get(all, "kernels"), k, kernel)
        json_object_del(kernel, "phases");
    return all;
}

static bool
agrees(struct fuzz *z, struct program *p, uint64_t seed)
{
    struct text text = {0};
    struct ls_error err = {0};
    program_text(p, &text);
    uint32_t *want = malloc(program_words(p) * 4), *got = malloc(program_words(p) * 4);
    program_run(p, z->table, want);
    struct ptx_module *m = ptx_parse(text.at, text.count, "fuzz.ptx", &err);
    const struct device_profile *device = model_find_cc(seed % 3 ? "9.0" : seed % 2 ? "3.5" : "7.0");
    json_t *told = m ? profiled(z, p, m, want, got, device, "phases=1") : NULL;
    json_t *seen = m ? profiled(z, p, m, want, got, device, "") : NULL;
    bool fine = told && seen && json_equal(told, seen);
    if (!fine) {
        printf("seed %llu: block %ux%ux%u, grid %u %s\n%s\n", (unsigned long long)seed, p->block[0], p->block[1],
               p->block[2], p->grid, m ? "" : err.text, text.at);
        char *a = json_dumps(told, JSON_SORT_KEYS | JSON_INDENT(1)), *b = json_dumps(seen, JSON_SORT_KEYS | JSON_INDENT(1));
        printf("told: %s\nseen: %s\n", a ? a : "", b ? b : "");
        free(a);
        free(b);
    }
    json_decref(told);
    json_decref(seen);
    if (m)
        jit_forget(z->jit, m);
    ptx_free(m);
    text_free(&text);
    free(want);
    free(got);
    return fine;
}

int
main(int argc, char **argv)
{
    uint64_t seed = 1, count = 12, done = 0, bad = 0;
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
    for (; done < count && (!seconds || time(NULL) < end); done++) {
        struct program *p = program_new(seed + done);
        bad += !agrees(&z, p, seed + done);
        free(p);
    }
    printf("%llu kernels, %llu wrong\n", (unsigned long long)done, (unsigned long long)bad);
    exec_free(z.pool);
    jit_free(z.jit);
    return bad != 0;
}
