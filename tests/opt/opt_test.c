/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes over the warp IR (src/jit/opt) as text: tests/opt/PASS.ptx, and in PASS.wir what the pass
 * makes of each of its kernels. In kernels named fires* it must change something, in those named
 * silent* nothing. UPDATE=1 writes the expectations anew; a person reads the difference.
 */
#include "common/unit.h"

#include "jit/opt/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
all_known(const char *name)
{
    (void)name;
    return true;
}

static void
print_remarks(void *context, uint32_t n, struct text *out)
{
    const struct opt *o = context;
    const struct wir_insn *i = &o->edit.f->insns[n];
    for (size_t k = 0; k < o->remarks->at.count; k++)
        if (o->remarks->at.at[k].place == i->place && !i->added)
            text_add(out, "        // %s: %s\n", o->remarks->at.at[k].fired ? "fired" : "missed",
                     o->remarks->at.at[k].text);
}

/* The kernel after the pass, and that it did what its name says. */
static void
run_kernel(const struct ptx_module *m, const struct ptx_func *kernel, enum jit_pass pass,
           struct text *out)
{
    struct ls_error err = {0};
    struct jit_remarks remarks = {0};
    struct text before = {0}, after = {0}, noted = {0};
    struct wir *f = wir_new(m, kernel, all_known, &err);
    assert_non_null(f);
    wir_print(f, NULL, &before);
    if (!opt_run(f, ~((uint64_t)1 << pass), PASS_NONE, &remarks, &err) || !wir_verify(f, &err))
        fail_msg("%s", err.text);
    wir_print(f, NULL, &after);
    bool changed = strcmp(before.at, after.at) != 0, fires = !strncmp(kernel->name, "fires", 5);
    if (changed != fires)
        fail_msg("%s: the pass changed %s", kernel->name, changed ? "it" : "nothing");
    struct ptx_module *again = ptx_parse(after.at, after.count, kernel->name, &err);
    if (!again)
        fail_msg("%s: is no PTX behind the pass: %s", kernel->name, err.text);
    struct opt o = {.edit = {.f = f}, .remarks = &remarks};
    wir_print(f, &(struct wir_notes){.after = print_remarks, .context = &o}, &noted);
    const char *body = strstr(noted.at, "\n{\n");
    text_add(out, "%s%s\n", kernel->name, body);
    ptx_free(again);
    text_free(&before);
    text_free(&after);
    text_free(&noted);
    jit_remarks_free(&remarks);
    wir_free(f);
}

static void
run_pass(enum jit_pass pass)
{
    const char *source = getenv("SOURCE_DIR"), *name = jit_passes[pass].name;
    char path[4096];
    struct ls_error err = {0};
    struct text out = {0};
    size_t size;
    snprintf(path, sizeof path, "%s/tests/opt/%s.ptx", source ? source : ".", name);
    char *text = ls_read_file(path, &size, &err);
    struct ptx_module *m = text ? ptx_parse(text, size, path, &err) : NULL;
    if (!m)
        fail_msg("%s", err.text);
    bool fires = false, silent = false;
    for (uint32_t k = 0; k < m->func_count; k++) {
        run_kernel(m, m->funcs[k], pass, &out);
        fires |= !strncmp(m->funcs[k]->name, "fires", 5);
        silent |= !strncmp(m->funcs[k]->name, "silent", 6);
    }
    assert_true(fires && silent);
    snprintf(path, sizeof path, "%s/tests/opt/%s.wir", source ? source : ".", name);
    if (getenv("UPDATE"))
        assert_true(ls_write_file(path, out.at, out.count, &err));
    char *expected = ls_read_file(path, &size, &err);
    if (!expected || strcmp(expected, out.at))
        fail_msg("%s: not what is expected; UPDATE=1 writes it anew", path);
    ls_release(expected);
    ls_release(text);
    text_free(&out);
    ptx_free(m);
}

static void
passes(void **state)
{
    unsigned count = 0;
    (void)state;
    for (unsigned k = 0; k < PASS_COUNT; k++)
        if (jit_passes[k].stage == STAGE_WIR) {
            run_pass((enum jit_pass)k);
            count++;
        }
    assert_true(count > 0);
}

int
main(void)
{
    return UNIT_TESTS(passes);
}
