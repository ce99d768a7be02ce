/* SPDX-License-Identifier: Apache-2.0
 *
 * What LLVM's code generator gets wrong is rewritten before it (src/jit/post/defects.c). Whether
 * the results are right is for programs to show: exec/splits fails without this on a processor with
 * AVX2.
 */
#include "jit/post/post.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>

#include <stdio.h>
#include <string.h>

#include "common/unit.h"

struct loads {
    unsigned count, widest; /* bits */
};

/* One masked load of so many lanes. */
static struct loads
rewrite(unsigned lanes, const char *type, const char *suffix, bool avx512)
{
    static const char text[] =
        "define <%u x %s> @f(ptr %%a, <%u x %s> %%p, i%u %%m) {\n"
        "  %%k = bitcast i%u %%m to <%u x i1>\n"
        "  %%q = call <%u x %s> @llvm.masked.load.v%u%s.p0(ptr %%a, i32 64, <%u x i1> %%k, "
        "<%u x %s> %%p)\n"
        "  ret <%u x %s> %%q\n}\n"
        "declare <%u x %s> @llvm.masked.load.v%u%s.p0(ptr, i32, <%u x i1>, <%u x %s>)\n";
    char ir[1000], *message = NULL;
    snprintf(ir, sizeof ir, text, lanes, type, lanes, type, lanes, lanes, lanes, lanes, type, lanes,
             suffix, lanes, lanes, type, lanes, type, lanes, type, lanes, suffix, lanes, lanes,
             type);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "ir");
    assert_false(LLVMParseIRInContext(context, buffer, &m, &message));
    jit_avoid_defects(m, avx512);
    assert_false(LLVMVerifyModule(m, LLVMReturnStatusAction, &message));
    LLVMDisposeMessage(message);
    struct loads r = {0, 0};
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(m, "f"));
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v))
        if (calls_intrinsic(v, "llvm.masked.load")) {
            unsigned bits = element_count(LLVMTypeOf(v)) * element_bytes(LLVMTypeOf(v)) * 8;
            r.count++;
            r.widest = bits > r.widest ? bits : r.widest;
        }
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    return r;
}

static void
test_wide_masked_loads_are_split(void **state)
{
#ifndef __x86_64__
    skip();
#endif
    static const struct {
        unsigned lanes;
        const char *type, *suffix;
        unsigned pieces;
    } rows[] = {{16, "i32", "i32", 2},    {32, "i32", "i32", 4},    {32, "float", "f32", 4},
                {8, "i64", "i64", 2},     {32, "double", "f64", 8}, {64, "i32", "i32", 8},
                {128, "float", "f32", 16}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct loads r = rewrite(rows[k].lanes, rows[k].type, rows[k].suffix, false);
        assert_int_equal(r.count, rows[k].pieces);
        assert_int_equal(r.widest, 256);
    }
}

static void
test_others_stay(void **state)
{
    struct loads r = rewrite(32, "i32", "i32", true);
    assert_int_equal(r.count, 1);
    r = rewrite(8, "i32", "i32", false);
    assert_int_equal(r.count, 1);
    r = rewrite(32, "i8", "i8", false); /* bytes are loaded lane by lane there */
    assert_int_equal(r.count, 1);
}

int
main(void)
{
    return UNIT_TESTS(test_wide_masked_loads_are_split, test_others_stay);
}
