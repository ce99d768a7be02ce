/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_command.c: names of the files between steps, and the words of clang's commands.
 */
#include "cc/cc_step.h"

#include "jit/jit.h"

#include <stdlib.h>
#include <string.h>

const char *
cc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file's name without folder, with another suffix: "src/a.cu" -> "a.o". */
static const char *
with_suffix(struct step *s, const char *path, const char *suffix)
{
    const char *name = cc_base_name(path), *dot = strrchr(name, '.');
    int n = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    return arena_printf(s->args->arena, "%.*s%s", n, name, suffix);
}

/* A file between two steps: in the temporary folder, or where --keep wants it. */
const char *
cc_intermediate(struct step *s, const char *path, const char *suffix)
{
    struct cc_args *a = s->args;
    if (a->keep)
        return arena_printf(a->arena, "%s/%s", a->keep_folder ? a->keep_folder : ".",
                            with_suffix(s, path, suffix));
    return arena_printf(a->arena, "%s/%d-%s", s->folder->path, s->files++,
                        with_suffix(s, path, suffix));
}

const char *
cc_final_name(struct step *s, const char *path, const char *suffix)
{
    struct cc_args *a = s->args;
    if (a->output)
        return a->output;
    return a->output_folder
               ? arena_printf(a->arena, "%s/%s", a->output_folder, with_suffix(s, path, suffix))
               : with_suffix(s, path, suffix);
}

enum cc_language
cc_language_of(const struct cc_args *args, const char *path)
{
    static const char *const cxx[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP", ".ii"};
    if (args->language != CC_BY_SUFFIX)
        return args->language;
    if (ls_ends_with(path, ".cu"))
        return CC_CU;
    if (ls_ends_with(path, ".c"))
        return CC_C;
    for (size_t i = 0; i < sizeof cxx / sizeof *cxx; i++)
        if (ls_ends_with(path, cxx[i]))
            return CC_CXX;
    return CC_BY_SUFFIX; /* an object, an archive: for the linker */
}

void
cc_add_clang(struct step *s, struct words *w)
{
    cc_words_add(w, s->tools->clang);
    cc_words_add(w, "--driver-mode=g++");
    cc_words_add(w, "-Qunused-arguments");
}

/* What device pass, host pass and preprocessing of a .cu file have in common. */
void
cc_add_cuda(struct step *s, struct words *w, const char *path)
{
    struct cc_args *a = s->args;
    cc_add_clang(s, w);
    static const char *const fixed[] = {"-x",
                                        "cuda",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "--cuda-path=/nonexistent",
                                        "-Wno-unknown-cuda-version",
                                        "-Wno-cuda-compat",
                                        "-Wno-invalid-constexpr", /* log() is none to clang */
                                        "-Wno-unknown-warning-option",
                                        "-Wno-reserved-user-defined-literal", /* "%"PRIu64 */
                                        "-Wuninitialized", /* as nvcc, which asks for no option */
                                        "-Wno-error=uninitialized",
                                        "-Wno-error=sometimes-uninitialized",
                                        "-Xclang", /* declarations, as nvcc has it; no calls */
                                        "-fcuda-allow-variadic-functions",
                                        "-D__NVCC__=1",
                                        "-D__CUDACC__=1",
                                        "-D__CUDACC_VER_MAJOR__=12",
                                        "-D__CUDACC_VER_MINOR__=5",
                                        "-D__CUDACC_VER_BUILD__=0"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        cc_words_add(w, fixed[i]);
    cc_words_add(w, arena_printf(a->arena, "--cuda-gpu-arch=sm_%d%c", a->architecture,
                                 a->architecture_suffix));
    cc_words_add(w, arena_printf(a->arena, "-std=%s", a->standard ? a->standard : "gnu++17"));
    if (a->relocatable) {
        cc_words_add(w, "-fgpu-rdc");
        cc_words_add(w, "-D__CUDACC_RDC__=1");
    }
    words_add_all(w, &a->both);
    const char *overlay = a->dryrun ? NULL : cc_overlay(a->arena, path, s->folder->path, &s->err);
    if (overlay) {
        cc_words_add(w, "-ivfsoverlay");
        cc_words_add(w, overlay);
    }
    cc_words_add(w, "-isystem");
    cc_words_add(w, s->tools->include);
    cc_words_add(w, "-include");
    cc_words_add(w, "cuda_runtime.h");
}

/* For both passes; clang's driver hands -cuid to the device pass alone. */
void
cc_add_unit_id(struct step *s, struct words *w, const char *path, bool device)
{
    char text[33];
    if (!s->args->relocatable)
        return;
    cc_unit_id(s->args, path, text);
    if (!device)
        cc_words_add(w, "-Xclang");
    cc_words_add(w, arena_printf(s->args->arena, "-cuid=%s", text));
}

/* What the device's code is optimised for and how far: in the front end and behind it. */
static void
add_generator_options(struct step *s, struct words *w)
{
    cc_words_add(w, s->args->debug.device && !s->args->debug.optimized ? "-O0" : "-O3");
    cc_words_add(w, "-Xclang");
    cc_words_add(w, "-target-feature");
    cc_words_add(w, "-Xclang");
    cc_words_add(w, cc_ptx_feature(s->tools));
}

static void
add_llvm_option(struct words *w, const char *option)
{
    cc_words_add(w, "-mllvm");
    cc_words_add(w, option);
}

/* From bitcode to PTX. clang reads no language's options here: contraction is the generator's. */
void
cc_add_ptx_options(struct step *s, struct words *w)
{
    struct cc_args *a = s->args;
    cc_add_clang(s, w);
    cc_words_add(w, "-x");
    cc_words_add(w, "ir");
    cc_words_add(w, "--target=nvptx64-nvidia-cuda");
    cc_words_add(w,
                 arena_printf(a->arena, "-march=sm_%d%c", a->architecture, a->architecture_suffix));
    cc_words_add(w, "-w");
    cc_words_add(w, "-S");
    add_generator_options(s, w);
    add_llvm_option(
        w, "-disable-vector-combine");    /* it reads the members of a float4 one by one again */
    add_llvm_option(w, "-enable-tbaa=0"); /* bits of a float through an int *; copies of members are
                                             known by then */
    add_llvm_option(
        w, "-trap-unreachable"); /* else what follows is run, or the thread ends silently */
    add_llvm_option(w, a->floats.no_fmad ? "-nvptx-fma-level=0" : "-nvptx-fma-level=2");
    if (a->floats.imprecise_division >= 0 ? a->floats.imprecise_division : a->floats.fast_math)
        add_llvm_option(w, "-nvptx-prec-divf32=0");
    if (a->floats.imprecise_root >= 0 ? a->floats.imprecise_root : a->floats.fast_math)
        add_llvm_option(w, "-nvptx-prec-sqrtf32=0");
}

/* Lines always; -G: variables and types, too. clang leaves those out of optimised kernels but with
 * its option that says that the assembler will not optimise. */
static void
add_debug_options(struct step *s, struct words *w)
{
    if (!s->args->debug.device) {
        cc_words_add(w, "-gline-tables-only");
        return;
    }
    cc_words_add(w, "-g");
    cc_words_add(w, "--cuda-noopt-device-debug");
    cc_words_add(w, "-Xclang"); /* structures whose constructors are in other files */
    cc_words_add(w, "-debug-info-kind=limited");
}

void
cc_add_device_options(struct step *s, struct words *w)
{
    struct cc_args *a = s->args;
    bool flush = a->floats.flush >= 0 ? a->floats.flush : a->floats.fast_math;
    cc_words_add(w, "--cuda-device-only");
    cc_words_add(w, "-emit-llvm");
    cc_words_add(w, "-c");
    cc_words_add(w, "-w"); /* the host pass reads the same text and warns */
    add_debug_options(s, w);
    cc_words_add(w, "-Xclang");
    cc_words_add(w, "-disable-llvm-passes");
    add_generator_options(s, w);
    cc_words_add(
        w, "-Xclang"); /* lanes may hand what was never set to shfl: only other lanes' is used */
    cc_words_add(w, "-no-enable-noundef-analysis");
    /* What C++ leaves undefined and nvcc keeps is kept: a store through a null pointer is a fault,
     * a function that ends without its return gives any value, a loop that changes nothing hangs.
     * A kernel's malloc and free are calls, though nobody uses the memory: a block freed twice is
     * an error. */
    cc_words_add(w, "-fno-builtin-malloc");
    cc_words_add(w, "-fno-builtin-free");
    cc_words_add(w, "-fno-delete-null-pointer-checks");
    cc_words_add(w, "-fno-strict-return");
    cc_words_add(w, "-fno-finite-loops");
    cc_words_add(w, a->floats.no_fmad ? "-ffp-contract=off" : "-ffp-contract=fast");
    if (flush)
        cc_words_add(w, "-fgpu-flush-denormals-to-zero");
    if (a->floats.fast_math) {
        cc_words_add(w, "-fgpu-approx-transcendentals");
        cc_words_add(w, "-D__USE_FAST_MATH__=1");
    }
    cc_add_source_words(w, &a->dashed);
    words_add_all(w, &a->device);
}

void
cc_add_host_options(struct step *s, struct words *w)
{
    struct cc_args *a = s->args;
    cc_words_add(w, "--cuda-host-only");
    cc_words_add(w, "-Xclang");
    cc_words_add(w, "-target-sdk-version=11.8"); /* launches by cudaLaunchKernel */
    cc_words_add(w, arena_printf(a->arena, "-O%s", a->optimize ? a->optimize : "2"));
    /* Launches and calls in two branches that end alike are not made one, which would have no line.
     */
    add_llvm_option(w, "-sink-common-insts=0");
    add_llvm_option(w, "-hoist-common-insts=0");
    add_llvm_option(w, "-enable-tail-merge=0");
    words_add_all(w, &a->host);
    words_add_all(w, &a->dashed);
}

void
cc_add_plain(struct step *s, struct words *w, enum cc_language language)
{
    struct cc_args *a = s->args;
    if (a->ccbin) {
        cc_words_add(w, a->ccbin);
        cc_words_add(w, "-x");
        cc_words_add(w, language == CC_C ? "c" : "c++");
    } else {
        cc_add_clang(s, w);
        cc_words_add(w, "-x");
        cc_words_add(w, language == CC_C ? "c" : "c++");
        cc_words_add(w, "-Wno-unknown-warning-option");
        cc_words_add(w, "-gline-tables-only");
    }
    if (a->standard && language == CC_CXX)
        cc_words_add(w, arena_printf(a->arena, "-std=%s", a->standard));
    if (a->optimize)
        cc_words_add(w, arena_printf(a->arena, "-O%s", a->optimize));
    words_add_all(w, &a->both);
    words_add_all(w, &a->host);
    words_add_all(w, &a->dashed);
    cc_words_add(w, "-isystem");
    cc_words_add(w, s->tools->include);
}
