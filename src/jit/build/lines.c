/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c: debug information for gdb: functions by the names that the program has for them, and the
 * line of each instruction. Variables are `lockstep debug's.
 */
#include "jit/build/build.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { DWARF_VERSION = 4 };

struct lines_scope {
    LLVMMetadataRef function, scope;
    uint32_t file;
};

struct lines {
    LLVMDIBuilderRef builder;
    const struct ptx_module *ptx;
    LLVMMetadataRef *file; /* per file of the PTX; then the PTX's own; NULL: not made yet */
    LLVMMetadataRef unit, function, type;
    uint32_t function_file;
    VEC(struct lines_scope) scopes; /* of lines in other files than their function's */
};

static LLVMMetadataRef
file_of(struct lines *l, uint32_t number)
{
    if (l->file[number])
        return l->file[number];
    const char *name = number < l->ptx->file_count ? l->ptx->files[number].name : l->ptx->path;
    return l->file[number] = LLVMDIBuilderCreateFile(l->builder, name ? name : "",
                                                     name ? strlen(name) : 0, "", 0);
}

static void
add_flag(LLVMModuleRef m, const char *name, unsigned value)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(m));
    LLVMAddModuleFlag(m, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(i32, value, false)));
}

struct lines *
lines_new(LLVMModuleRef module, const struct ptx_module *ptx)
{
    struct lines *l = ls_alloc(sizeof *l);
    l->ptx = ptx;
    l->builder = LLVMCreateDIBuilder(module);
    l->file = ls_alloc(sizeof(LLVMMetadataRef) * (ptx->file_count + 1));
    add_flag(module, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(module, "Dwarf Version", DWARF_VERSION);
    l->unit = LLVMDIBuilderCreateCompileUnit(
        l->builder, LLVMDWARFSourceLanguageC_plus_plus, file_of(l, ptx->file_count), "lockstep", 8,
        true, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
    l->type = LLVMDIBuilderCreateSubroutineType(l->builder, file_of(l, ptx->file_count), NULL, 0,
                                                LLVMDIFlagZero);
    return l;
}

void
lines_end(struct lines *l)
{
    if (!l)
        return;
    LLVMDIBuilderFinalize(l->builder);
    LLVMDisposeDIBuilder(l->builder);
    VEC_FREE(&l->scopes);
    ls_release(l->file);
    ls_release(l);
}

/* PTX without lines of a source has its own. */
static uint32_t
line_of(const struct lines *l, const struct ptx_func *f, const struct ptx_insn *i, uint32_t *file)
{
    const struct ptx_loc *at = jit_place_loc(f, i);
    *file = at ? at->file : l->ptx->file_count;
    return at ? at->line : i->line;
}

void
lines_function(struct emit *e, const struct ptx_func *f)
{
    struct lines *l = e->lines;
    struct arena arena = {0};
    if (!l || !f->insn_count)
        return;
    const char *name = ls_readable_name(&arena, f->name);
    uint32_t line = line_of(l, f, &f->insns[0], &l->function_file);
    LLVMMetadataRef file = file_of(l, l->function_file);
    l->function =
        LLVMDIBuilderCreateFunction(l->builder, file, name, strlen(name), "", 0, file, line,
                                    l->type, false, true, line, LLVMDIFlagZero, true);
    LLVMSetSubprogram(e->function, l->function);
    arena_free(&arena);
    lines_at(e, jit_place_of(f, &f->insns[0]));
}

static LLVMMetadataRef
scope_of(struct lines *l, uint32_t file)
{
    if (file == l->function_file)
        return l->function;
    for (size_t k = 0; k < l->scopes.count; k++)
        if (l->scopes.at[k].file == file && l->scopes.at[k].function == l->function)
            return l->scopes.at[k].scope;
    LLVMMetadataRef scope =
        LLVMDIBuilderCreateLexicalBlockFile(l->builder, l->function, file_of(l, file), 0);
    VEC_PUSH(&l->scopes, ((struct lines_scope){l->function, scope, file}));
    return scope;
}

void
lines_at(struct emit *e, uint32_t place)
{
    struct lines *l = e->lines;
    const struct ptx_func *f;
    const struct ptx_insn *i;
    uint32_t file;
    if (!l || !jit_place(l->ptx, place, &f, &i))
        return;
    uint32_t line = line_of(l, f, i, &file);
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(e->context, line, 0, scope_of(l, file), NULL);
    LLVMSetCurrentDebugLocation2(e->b, at);
}
