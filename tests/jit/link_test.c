/* SPDX-License-Identifier: Apache-2.0
 *
 * Our linker and LLVM's put the same objects into memory: what they compute is the same, what ours
 * does not know it turns down, and damaged objects do it no harm.
 */
#include "jit/engine/engine.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

#ifdef __x86_64__
enum { LINKS = true };
#else
enum { LINKS = false }; /* LLVM's linker does it all */
#endif

/* Constants of several sizes, a jump table, a table of numbers, calls inside, of ours, of the
 * system. */
static const char program[] =
    "@table = private unnamed_addr constant [5 x i64] [i64 11, i64 22, i64 33, i64 44, i64 55]\n"
    "declare double @fmod(double, double)\n"
    "declare i64 @jit_nanoseconds()\n"
    "define i64 @wide(i64 %k) noinline {\n"
    "  %p = getelementptr [5 x i64], ptr @table, i64 0, i64 %k\n"
    "  %v = load i64, ptr %p\n  ret i64 %v\n}\n"
    "define i64 @choose(i64 %k) {\n"
    "  switch i64 %k, label %z [i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d "
    "i64 4, label %e]\n"
    "a:\n  %v0 = call i64 @wide(i64 3)\n  ret i64 %v0\n"
    "b:\n  %v1 = call double @fmod(double 17.5, double 5.0)\n  %v2 = fmul double %v1, 4.0\n"
    "  %v3 = fptosi double %v2 to i64\n  ret i64 %v3\n"
    "c:\n  %v4 = call i64 @jit_nanoseconds()\n  %v5 = lshr i64 %v4, 60\n  ret i64 %v5\n"
    "d:\n  %v6 = insertelement <8 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>, "
    "i64 %k, i32 0\n"
    "  %v7 = mul <8 x i64> %v6, <i64 3, i64 5, i64 7, i64 11, i64 13, i64 17, i64 19, i64 23>\n"
    "  %v8 = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %v7)\n  ret i64 %v8\n"
    "e:\n  ret i64 123456789012345\n"
    "z:\n  ret i64 -1\n}\n"
    "declare i64 @llvm.vector.reduce.add.v8i64(<8 x i64>)\n";
static const int64_t results[] = {
    44, 10, 1, 3 * 3 + 2 * 5 + 3 * 7 + 4 * 11 + 5 * 13 + 6 * 17 + 7 * 19 + 8 * 23, 123456789012345,
    -1};

static const char writes[] =
    "@n = global i64 5\n"
    "define i64 @choose(i64 %k) {\n"
    "  %v = load i64, ptr @n\n  %w = add i64 %v, %k\n  store i64 %w, ptr @n\n"
    "  ret i64 %w\n}\n";

static const char unknown[] =
    "declare i64 @lockstep_no_such_function(i64)\n"
    "define i64 @choose(i64 %k) {\n"
    "  %v = call i64 @lockstep_no_such_function(i64 %k)\n  ret i64 %v\n}\n";

static struct jit_image
object_of(const char *text)
{
    struct jit_image image = {0};
    char *why = NULL, *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *features = LLVMGetHostCPUFeatures(); /* a virtual machine may hide some */
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = NULL;
    LLVMTargetRef target = NULL;
    LLVMMemoryBufferRef in = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text"),
                        out;
    assert_int_equal(0, LLVMInitializeNativeTarget());
    assert_int_equal(0, LLVMInitializeNativeAsmPrinter());
    assert_int_equal(0, LLVMGetTargetFromTriple(triple, &target, &why));
    if (LLVMParseIRInContext(context, in, &m, &why))
        fail_msg("%s", why);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, cpu, features, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMSetTarget(m, triple);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &why, &out))
        fail_msg("%s", why);
    image.size = LLVMGetBufferSize(out);
    image.code = ls_alloc(image.size);
    memcpy(image.code, LLVMGetBufferStart(out), image.size);
    LLVMDisposeMemoryBuffer(out);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return image;
}

static void
same_results(void **state)
{
    struct jit_image image = object_of(program);
    struct jit_wanted ours[] = {{.name = "choose"}, {.name = "wide"}},
                      theirs[] = {{.name = "choose"}};
    struct jit_code code;
    struct jit_engine engine = {0};
    struct ls_error err = {0};
    bool linked = jit_link(image.code, image.size, ours, 2, NULL, NULL, &code);
    assert_int_equal(linked, LINKS);
    LLVMOrcResourceTrackerRef orc = jit_orc_link(&engine, &image, "image", theirs, 1, &err);
    assert_non_null(orc);
    for (int64_t k = 0; k < (int64_t)(sizeof results / sizeof *results); k++) {
        assert_int_equal(results[k], ((int64_t(*)(int64_t))theirs->at)(k));
        if (linked)
            assert_int_equal(results[k], ((int64_t(*)(int64_t))ours->at)(k));
    }
    if (linked)
        assert_int_equal(55, ((int64_t(*)(int64_t))ours[1].at)(4));
    jit_unlink(&code);
    jit_orc_unlink(orc);
    jit_orc_end(&engine);
    ls_release(image.code);
}

/* Data that is written: LLVM's linker takes it. */
static void
turned_down(void **state)
{
    struct jit_image image = object_of(writes);
    struct jit_wanted wanted[] = {{.name = "choose"}};
    struct jit_code code;
    struct jit_engine engine = {0};
    struct ls_error err = {0};
    assert_false(jit_link(image.code, image.size, wanted, 1, NULL, NULL, &code));
    assert_null(code.at);
    LLVMOrcResourceTrackerRef orc = jit_orc_link(&engine, &image, "image", wanted, 1, &err);
    assert_non_null(orc);
    assert_int_equal(12, ((int64_t(*)(int64_t))wanted->at)(7));
    assert_int_equal(13, ((int64_t(*)(int64_t))wanted->at)(1));
    jit_orc_unlink(orc);
    jit_orc_end(&engine);
    ls_release(image.code);
}

/* A function nobody has, and one that the object does not hold: an error that names it. */
static void
missing_functions(void **state)
{
    struct jit_image image = object_of(unknown), other = object_of(writes);
    struct jit_wanted wanted[] = {{.name = "choose"}}, absent[] = {{.name = "lockstep_absent"}};
    struct jit_code code;
    struct jit_engine engine = {0};
    struct ls_error err = {0};
    assert_false(jit_link(image.code, image.size, wanted, 1, NULL, NULL, &code));
    assert_null(jit_orc_link(&engine, &image, "image", wanted, 1, &err));
    assert_int_equal(err.status, LS_ERR_INTERNAL);
    assert_false(jit_link(other.code, other.size, absent, 1, NULL, NULL, &code));
    err = (struct ls_error){0};
    assert_null(jit_orc_link(&engine, &other, "other", absent, 1, &err));
    assert_non_null(strstr(err.text, "lockstep_absent"));
    jit_orc_end(&engine);
    ls_release(image.code);
    ls_release(other.code);
}

/* Cut anywhere, or with bytes changed: linked or turned down, but nothing outside it is touched.
 * (The sanitizers look; the cache's check sum keeps such objects from here.) */
static void
damaged(void **state)
{
    struct jit_image image = object_of(program);
    struct jit_wanted wanted[] = {{.name = "choose"}};
    struct jit_code code;
    uint64_t random = 12345;
    for (size_t size = 0; size < image.size; size += size < 64 ? 1 : 37) {
        uint8_t *cut = malloc(size ? size : 1);
        memcpy(cut, image.code, size);
        if (jit_link(cut, size, wanted, 1, NULL, NULL, &code))
            jit_unlink(&code);
        free(cut);
    }
    for (int round = 0; round < 20000; round++) {
        uint8_t *bad = malloc(image.size);
        memcpy(bad, image.code, image.size);
        for (int n = 0; n <= round % 3; n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bad[(random >> 33) % image.size] = (uint8_t)(random >> 20);
        }
        if (jit_link(bad, image.size, wanted, 1, NULL, NULL, &code))
            jit_unlink(&code);
        free(bad);
    }
    ls_release(image.code);
}

int
main(void)
{
    return UNIT_TESTS(same_results, turned_down, missing_functions, damaged);
}
