/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/dump.c: one stage of a kernel's compile as text.
 */
#include "jit/engine/engine.h"
#include "jit/tools/tools.h"

#include <string.h>

static bool
dump_code(struct unit *u, struct text *out)
{
    LLVMMemoryBufferRef text = NULL;
    if (!jit_unit_generate(u, LLVMAssemblyFile, &text))
        return false;
    text_add_bytes(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return true;
}

static void
dump_module(const struct unit *u, struct text *out)
{
    char *text = LLVMPrintModuleToString(u->module);
    text_add_bytes(out, text, strlen(text));
    LLVMDisposeMessage(text);
}

enum dump {
    DUMP_CLASSES,
    DUMP_WIR,
    DUMP_PLANS,
    DUMP_AFTER,
    DUMP_LLVM,
    DUMP_ASM,
    DUMP_REMARKS,
    DUMP_NONE
};

static enum dump
dump_named(const char *stage)
{
    static const char *const names[DUMP_NONE] = {
        "classes", "wir", "plans", "after:", "llvm", "asm", "remarks"};
    unsigned k = 0;
    while (k < DUMP_NONE && strcmp(stage, names[k]) &&
           (k != DUMP_AFTER || strncmp(stage, names[k], strlen(names[k]))))
        k++;
    return (enum dump)k;
}

bool
jit_dump(struct jit_engine *e, const struct jit_request *r, const char *stage, struct text *out,
         struct ls_error *err)
{
    struct jit_image image = {0};
    struct jit_remarks remarks = {0};
    enum dump what = dump_named(stage);
    struct unit u = {.engine = e,
                     .request = r,
                     .image = &image,
                     .err = err,
                     .last = PASS_NONE,
                     .remarks = &remarks};
    if (what == DUMP_NONE)
        return ls_fail(err, LS_ERR_USAGE,
                       "%s is no stage: classes, wir, plans, after:PASS, llvm, asm, remarks",
                       stage);
    if (what == DUMP_AFTER && (u.last = jit_pass_named(stage + strlen("after:"))) == PASS_NONE)
        return ls_fail(err, LS_ERR_USAGE, "%s: no such pass; docs/passes.md lists them", stage);
    bool plan = what == DUMP_AFTER && jit_passes[u.last].stage != STAGE_LLVM;
    if (what == DUMP_CLASSES)
        u.classes = out;
    if (what == DUMP_PLANS)
        u.first = u.last = PASS_ACCESS_PLAN;
    if (what == DUMP_WIR || what == DUMP_PLANS || plan)
        u.graph = out;
    bool ok = jit_unit_begin(&u, "kernel");
    if (ok && (what == DUMP_LLVM || (what == DUMP_AFTER && !plan)))
        dump_module(&u, out);
    if (ok && what == DUMP_REMARKS) {
        jit_remarks_sort(&remarks);
        jit_remarks_print(&remarks, r->module, r->kernel->name, e->off, tools_code(r), out);
    }
    if (ok && what == DUMP_ASM)
        ok = dump_code(&u, out);
    jit_unit_end(&u);
    jit_remarks_free(&remarks);
    VEC_FREE(&image.functions);
    return ok;
}
