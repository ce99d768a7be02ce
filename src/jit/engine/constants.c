/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/constants.c: device code that writes to a __constant__ variable, which only the host may
 * (CUDA C++ Programming Guide, "__constant__"). LLVM takes such a write away without a word, and
 * hands what was written to the reads behind it; so it is looked for before LLVM optimises.
 *
 * Found are writes through the variable's name, through a local pointer that points into one
 * variable alone, and calls of functions that write through a parameter whenever they are called.
 * What depends on more is left: a function may take a constant it reads and a buffer it writes.
 */
#include "jit/engine/engine.h"

#include <string.h>
#include <unistd.h>

enum { CONSTANT_SPACE = 4, DEEPEST = 8, MOST_STEPS = 1000, KERNEL_CONVENTION = 71 };

/* Where a pointer comes from, through local variables that hold it. */
struct pointer_walk {
    LLVMValueRef open[DEEPEST]; /* variables whose stores are being looked at */
    unsigned count, steps;
};

static LLVMValueRef walk_back(struct pointer_walk *w, LLVMValueRef pointer);

static bool
is_open(const struct pointer_walk *w, LLVMValueRef variable)
{
    bool found = false;
    for (unsigned k = 0; k < w->count; k++)
        found |= w->open[k] == variable;
    return found;
}

/* The one object into which all pointers stored in a local variable point; NULL: there are several,
 * or code that is not seen stores there. */
static LLVMValueRef
walk_back_variable(struct pointer_walk *w, LLVMValueRef variable)
{
    LLVMValueRef root = NULL;
    if (is_open(w, variable))
        return variable; /* p += 1: nothing new */
    if (w->count == DEEPEST)
        return NULL;
    w->open[w->count++] = variable;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), stored;
        if (LLVMIsALoadInst(user) || LLVMIsAIntrinsicInst(user)) /* which say how long it lives */
            continue;
        bool to = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable;
        stored = to ? walk_back(w, LLVMGetOperand(user, 0)) : NULL;
        if (!stored || (root && stored != root && !is_open(w, stored)))
            return NULL;
        root = is_open(w, stored) ? root : stored;
    }
    w->count--;
    return root;
}

static LLVMValueRef
walk_back(struct pointer_walk *w, LLVMValueRef v)
{
    while (w->steps++ < MOST_STEPS) {
        if (LLVMIsAGlobalVariable(v) || LLVMIsAArgument(v))
            return v;
        bool instruction = LLVMIsAInstruction(v);
        if (!instruction && !LLVMIsAConstantExpr(v))
            return NULL;
        LLVMOpcode o = instruction ? LLVMGetInstructionOpcode(v) : LLVMGetConstOpcode(v);
        if (o == LLVMLoad && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)))
            return walk_back_variable(w, LLVMGetOperand(v, 0));
        if (o != LLVMGetElementPtr && o != LLVMAddrSpaceCast && o != LLVMBitCast)
            return NULL;
        v = LLVMGetOperand(v, 0);
    }
    return NULL;
}

/* Whether a pointer points into the parameter's memory; NULL: into a __constant__ variable, which
 * *found gets. */
static bool
points_into(LLVMValueRef pointer, LLVMValueRef parameter, LLVMValueRef *found)
{
    struct pointer_walk w = {0};
    LLVMValueRef root = walk_back(&w, pointer);
    if (!root || parameter)
        return root && root == parameter;
    *found = root;
    return LLVMIsAGlobalVariable(root) &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(root)) == CONSTANT_SPACE;
}

static bool writes_parameter(LLVMValueRef function, unsigned number, unsigned depth);

/* Whether an instruction writes there (points_into), or a function that it calls. */
static bool
writes(LLVMValueRef i, LLVMValueRef parameter, unsigned depth, LLVMValueRef *found)
{
    if (LLVMIsAStoreInst(i))
        return points_into(LLVMGetOperand(i, 1), parameter, found);
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAMemIntrinsic(i))
        return points_into(LLVMGetOperand(i, 0), parameter, found);
    if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
        return false;
    unsigned n = LLVMGetNumArgOperands(i);
    for (unsigned k = 0; k < n; k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMPointerTypeKind &&
            points_into(LLVMGetOperand(i, k), parameter, found) &&
            writes_parameter(LLVMGetCalledValue(i), k, depth + 1))
            return true;
    return false;
}

/* Whenever it is called: in its first block. */
static bool
writes_parameter(LLVMValueRef function, unsigned number, unsigned depth)
{
    LLVMValueRef none;
    LLVMBasicBlockRef first =
        LLVMCountBasicBlocks(function) ? LLVMGetFirstBasicBlock(function) : NULL;
    if (!first || depth >= DEEPEST || number >= LLVMCountParams(function))
        return false;
    LLVMValueRef parameter = LLVMGetParam(function, number);
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i))
        if (writes(i, parameter, depth, &none))
            return true;
    return false;
}

/* Named by the list of kernels, or a kernel by its calling convention (LLVM 21 on). */
static bool
is_kernel(LLVMModuleRef m, LLVMValueRef f)
{
    static const char list[] = "nvvm.annotations";
    unsigned n = LLVMGetNamedMetadataNumOperands(m, list);
    LLVMValueRef *rows = ls_alloc((n + 1) * sizeof *rows), parts[8] = {0};
    bool found = LLVMGetFunctionCallConv(f) == KERNEL_CONVENTION;
    LLVMGetNamedMetadataOperands(m, list, rows);
    for (unsigned k = 0; k < n && !found; k++)
        if (LLVMGetMDNodeNumOperands(rows[k]) <= 8) {
            LLVMGetMDNodeOperands(rows[k], parts);
            found = parts[0] == f;
        }
    ls_release(rows);
    return found;
}

static bool
refuse(LLVMValueRef i, LLVMValueRef function, LLVMValueRef variable, struct ls_error *err)
{
    struct arena a = {0};
    size_t name_size, variable_size;
    unsigned path_size = 0, line = LLVMGetDebugLocLine(i);
    const char *path = LLVMGetDebugLocFilename(i, &path_size);
    const char *name = LLVMGetValueName2(function, &name_size);
    const char *what = LLVMGetValueName2(variable, &variable_size);
    /* clang leaves out what the file's folder has in common with the one it ran in */
    unsigned folder_size = 0;
    const char *folder = LLVMGetDebugLocDirectory(i, &folder_size);
    char here[4096];
    bool whole = !path || *path == '/' || !folder || !getcwd(here, sizeof here) ||
                 (strlen(here) == folder_size && !memcmp(here, folder, folder_size));
    const char *place = !path   ? ""
                        : whole ? arena_printf(&a, "%.*s:%u: ", (int)path_size, path, line)
                                : arena_printf(&a, "%.*s/%.*s:%u: ", (int)folder_size, folder,
                                               (int)path_size, path, line);
    ls_fail(err, LS_ERR_INPUT,
            "error: %s\"%s\" writes to the __constant__ variable \"%s\", which device code can "
            "only read: the host writes it (cudaMemcpyToSymbol); what kernels change is __device__",
            place, ls_readable_name(&a, name), ls_readable_name(&a, what));
    arena_free(&a);
    return false;
}

static bool
function_keeps(LLVMValueRef f, struct ls_error *err)
{
    LLVMValueRef variable;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (writes(i, NULL, 0, &variable))
                return refuse(i, f, variable, err);
    return true;
}

bool
jit_constants_kept(LLVMModuleRef m, struct ls_error *err)
{
    bool any = false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g && !any; g = LLVMGetNextGlobal(g))
        any = LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == CONSTANT_SPACE;
    for (LLVMValueRef f = any ? LLVMGetFirstFunction(m) : NULL; f; f = LLVMGetNextFunction(f))
        if ((LLVMGetFirstUse(f) || is_kernel(m, f)) &&
            !function_keeps(f, err)) /* not host code's own */
            return false;
    return true;
}
