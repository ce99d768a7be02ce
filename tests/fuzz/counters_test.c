/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels (generate.h) under `profile`, twice: as it mostly is, where generated code counts
 * accesses like those before, one by one or those of a block of code together, and with every
 * access told. Results are those of the evaluation in C, and all counters the same both times.
 * Without arguments a short run that is the same each time; else as kernels_test.c.
 */
#include "fuzz/runs.h"
#include "profile/profile.h"

#include <jansson.h>

/* What profile says of the launch; NULL: it failed, or its results are not `want`. */
static json_t *
profiled(struct fuzz *z, const struct program *p, const struct ptx_module *m, const uint32_t *want,
         uint32_t *out, const struct device_profile *device, const char *options)
{
    struct ls_error err = {0};
    struct jit_tool *tool = profile_open(device, options, &err);
    struct exec_report report = {0};
    memset(out, 0, program_words(p) * 4);
    json_t *all = NULL;
    if (tool && fuzz_run(z, p, m, out, tool, &report) &&
        memcmp(out, want, program_words(p) * 4) == 0) {
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
    json_array_foreach (json_object_get(all, "kernels"), k, kernel)
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
    const struct device_profile *device = model_find_cc(seed % 3   ? "9.0"
                                                        : seed % 2 ? "3.5"
                                                                   : "7.0");
    json_t *told = m ? profiled(z, p, m, want, got, device, "phases=1") : NULL;
    json_t *seen = m ? profiled(z, p, m, want, got, device, "") : NULL;
    bool fine = told && seen && json_equal(told, seen);
    if (!fine) {
        printf("seed %llu: ", (unsigned long long)seed);
        fuzz_show(z, p, m ? "" : err.text, text.at);
        char *a = json_dumps(told, JSON_SORT_KEYS | JSON_INDENT(1)),
             *b = json_dumps(seen, JSON_SORT_KEYS | JSON_INDENT(1));
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
    struct fuzz z;
    uint64_t done = 0, bad = 0;
    if (!fuzz_open(&z, argc, argv, 12))
        return 1;
    for (; fuzz_goes_on(&z, done); done++) {
        struct program *p = program_new(z.seed + done);
        bad += !fuzz_engine(&z, z.seed + done) || !agrees(&z, p, z.seed + done);
        free(p);
    }
    return fuzz_close(&z, done, bad);
}
