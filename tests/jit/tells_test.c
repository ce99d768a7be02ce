/* SPDX-License-Identifier: Apache-2.0
 *
 * What tools are told of each instruction (tools_tell), written beside the instructions, in the
 * files of tests/jit/tells, as the warp IR shows it. A file's first line names the tool: "//
 * check",
 * "// profile", "// replay" or "// turns"; "-pass" behind it: that one is off. UPDATE=1
 * test_jit_tells writes the files anew with what is found; read the difference.
 */
#include "common/unit.h"

#include "common/expectations.h"
#include "common/wir_of.h"
#include "jit/tools/tools.h"

#include <stdio.h>
#include <string.h>

static uint32_t
events_of(const char *tool)
{
    static const struct {
        const char *name;
        uint32_t events;
    } rows[] = {{"check", JIT_EVENT_ACCESS | JIT_EVENT_SYNC | JIT_EVENT_GUARD},
                {"profile", JIT_EVENT_COUNT | JIT_EVENT_ACCESS | JIT_EVENT_SEEN},
                {"replay", JIT_EVENT_ACCESS},
                {"turns", JIT_EVENT_TURNS}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, tool))
            return rows[k].events;
    fail_msg("\"%s\" is no tool", tool);
    return 0;
}

/* Behind "told: " in the lines of the text that stand for the instructions of a line. */
struct told {
    const struct wir *f;
    struct text text; /* a line each instruction of the kernel, in its order */
};

static void
number(void *context, uint32_t n, struct text *out)
{
    (void)context;
    text_add(out, "%u", n);
}

static void
line_text(void *context, uint32_t line, struct text *out)
{
    const struct told *t = context;
    char key[32];
    for (uint32_t n = 0; n < t->f->insn_count; n++) {
        const struct wir_insn *i = &t->f->insns[n];
        if (i->i.line != line || !i->tells)
            continue;
        snprintf(key, sizeof key, "// %u; told: ", n);
        const char *at = strstr(t->text.at, key);
        if (!at) /* a branch, which stands there without a comment */
            continue;
        at += strlen(key);
        text_add(out, "%.*s", (int)strcspn(at, "\n"), at);
    }
}

static unsigned
check_file(const char *path, void *context)
{
    struct ls_error err = {0};
    struct jit_request r = {0};
    char tool[20], passes[80] = "";
    uint64_t off = 0;
    (void)context;
    struct wir_file file = wir_file_read(path);
    struct wir *f = file.wir;
    assert_true(sscanf(file.text, "// %19s%79[^\n]", tool, passes) >= 1);
    assert_true(jit_passes_off(passes, &off, &err));
    r.events = events_of(tool);
    tools_tell(f, &r, off | jit_passes_barred(tools_code(&r)), NULL);
    if (!wir_verify(f, &err))
        fail_msg("%s", err.text);
    struct told t = {.f = f};
    wir_print(f, &(struct wir_notes){.insn = number}, &t.text);
    struct expectations x = {
        .path = path, .column = 44, .every = true, .found = line_text, .context = &t};
    unsigned wrong = expectations_check(&x, file.text);
    text_free(&t.text);
    wir_file_free(&file);
    return wrong;
}

static void
files(void **state)
{
    (void)state;
    expectations_folder("jit/tells", 5, check_file, NULL);
}

int
main(void)
{
    return UNIT_TESTS(files);
}
