/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_main: the steps of one invocation. For each .cu file: device pass to bitcode and PTX, the PTX
 * into a container, host pass that embeds the container; then the link with liblockstep. --dryrun
 * prints the commands and runs none of them.
 */
#include "cc/cc_step.h"
#include "jit/jit.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_ARCHITECTURE = 90, NEWEST_ARCHITECTURE = 90, OLDEST_ARCHITECTURE = 35 };

static int
fail_with(const struct cc_args *args, const struct ls_error *err)
{
    columns_say("%s: %s\n", args->name, err->text);
    return err->status == LS_ERR_USAGE ? 2 : err->status == LS_ERR_INTERNAL ? 70 : 1;
}

static int
run(struct step *s, struct words *command)
{
    int status = 0;
    if (s->args->dryrun || s->args->verbose)
        cc_print_command(command);
    if (!s->args->dryrun)
        status = cc_run(command, s->folder, NULL);
    VEC_FREE(command);
    return status;
}

/* -- the two passes over a .cu file --------------------------------------------------------- */

static bool
write_container(struct step *s, const char *ptx_path, const char *path)
{
    struct ptx_container head = {.magic = PTX_CONTAINER_MAGIC, .version = PTX_CONTAINER_VERSION};
    struct text out = {0};
    size_t size;
    char *ptx = ls_read_file(ptx_path, &size, &s->err);
    if (!ptx)
        return false;
    head.flags = s->args->relocatable ? PTX_CONTAINER_RELOCATABLE : 0;
    head.size = size;
    text_add_bytes(&out, (const char *)&head, sizeof head);
    text_add_bytes(&out, ptx, size + 1);
    bool ok = ls_write_file(path, out.at, out.count, &s->err);
    text_free(&out);
    ls_release(ptx);
    return ok;
}

/* Code of a clang that is newer than LLVM's library stays as it is: right, with more accesses. */
static bool
mend_bitcode(struct step *s, const char *bitcode)
{
    if (jit_mend_bitcode(bitcode, &s->err))
        return true;
    bool unread = s->err.status == LS_ERR_UNSUPPORTED;
    if (unread)
        columns_say("%s: warning: structures are not copied whole, writes to constants are not "
                    "looked for: %s\n",
                    s->args->name, s->err.text);
    return unread;
}

/* What nvcc's assembler would refuse. Whether the rest of the PTX can be run is said when it is
 * loaded. */
static bool
memory_fits(struct step *s, const char *ptx_path, const char *source)
{
    size_t size;
    struct ls_error unused = {0};
    char *ptx = ls_read_file(ptx_path, &size, &s->err);
    bool asked = ptx && (strstr(ptx, ".const") || strstr(ptx, ".shared"));
    struct ptx_module *m = asked ? ptx_parse(ptx, size, ptx_path, &unused) : NULL;
    bool fine = ptx && (!m || (ptx_fits(m, source, &s->err) &&
                               (ptx_check_shared(m, &s->err) ||
                                ls_fail(&s->err, LS_ERR_INPUT, "error: %s", s->err.text))));
    if (m)
        ptx_free(m);
    ls_release(ptx);
    return fine;
}

/* The device's part of a .cu file, with the names of <math.h> for each side, or shared by both. */
static void
add_device_front(struct step *s, struct words *w, const char *path, const char *bitcode,
                 bool shared_math)
{
    cc_add_cuda(s, w, path);
    cc_add_unit_id(s, w, path, true);
    cc_add_device_options(s, w);
    if (shared_math)
        cc_add_shared_math(s, w);
    cc_words_add(w, path);
    cc_words_add(w, "-o");
    cc_words_add(w, bitcode);
}

/* As run(), but what clang says is told with the ways on; where `shared` is given: not if its
 * message asks for functions of <math.h> that host and device share, which that says. */
static int
run_heard(struct step *s, struct words *command, const char *made, bool *shared)
{
    const char *messages = arena_printf(s->args->arena, "%s.messages", made);
    struct ls_error unread = {0};
    size_t size;
    if (s->args->dryrun)
        return run(s, command);
    if (s->args->verbose)
        cc_print_command(command);
    if (isatty(STDERR_FILENO))
        cc_words_add(command, "-fcolor-diagnostics");
    int status = cc_run(command, s->folder, messages);
    VEC_FREE(command);
    char *text = ls_read_file(messages, &size, &unread);
    unlink(messages);
    if (status && text && shared && cc_wants_shared_math(text)) {
        *shared = true;
    } else if (text) {
        fputs(text, stderr);
        cc_tell_hints(text);
    }
    ls_release(text);
    return status;
}

static int
device_front(struct step *s, const char *path, const char *bitcode)
{
    struct words w = {0};
    bool shared = false;
    add_device_front(s, &w, path, bitcode, false);
    int status = run_heard(s, &w, bitcode, &shared);
    if (!shared)
        return status;
    add_device_front(s, &w, path, bitcode, true);
    return run(s, &w);
}

static int
device_pass(struct step *s, const char *path, const char *ptx)
{
    struct words w = {0};
    const char *bitcode = cc_intermediate(s, path, ".bc");
    int status = device_front(s, path, bitcode);
    if (status)
        return status;
    if (!s->args->dryrun && !mend_bitcode(s, bitcode))
        return fail_with(s->args, &s->err);
    cc_add_ptx_options(s, &w);
    cc_words_add(&w, bitcode);
    cc_words_add(&w, "-o");
    cc_words_add(&w, ptx);
    status = run(s, &w);
    if (status || s->args->dryrun)
        return status;
    if ((s->args->relocatable && !cc_mend_unit(ptx, &s->err)) || !cc_mend_clusters(ptx, &s->err) ||
        (s->args->most_registers && !cc_limit_registers(ptx, s->args->most_registers, &s->err)) ||
        !memory_fits(s, ptx, path))
        return fail_with(s->args, &s->err);
    return 0;
}

/* The device's code as text and in a container, which stands for a cubin. */
static int
container_pass(struct step *s, const char *path, const char *ptx, const char *image)
{
    int status = device_pass(s, path, ptx);
    if (status == 0 && !s->args->dryrun && !write_container(s, ptx, image))
        return fail_with(s->args, &s->err);
    return status;
}

static bool
copy_file(const char *from, const char *to, struct ls_error *err)
{
    size_t size;
    char *all = ls_read_file(from, &size, err);
    bool ok = all && ls_write_file(to, all, size, err);
    ls_release(all);
    return ok;
}

/* Adds what linkers are to know of a unit's device code to its object. */
static int
join_symbols(struct step *s, const char *path, const char *ptx, const char *object)
{
    const char *assembly = cc_intermediate(s, path, ".symbols.s"),
               *both = cc_intermediate(s, path, ".both.o");
    const char *const command[] = {"-r", "-nostdlib", "-no-pie", object, assembly, "-o", both};
    struct text text = {0};
    struct words w = {0};
    bool ok = s->args->dryrun || (cc_device_symbols(ptx, &text, &s->err) &&
                                  ls_write_file(assembly, text.at, text.count, &s->err));
    text_free(&text);
    if (!ok)
        return fail_with(s->args, &s->err);
    cc_add_clang(s, &w);
    for (size_t i = 0; i < sizeof command / sizeof *command; i++)
        cc_words_add(&w, command[i]);
    int status = run(s, &w);
    if (status == 0 && !s->args->dryrun && !copy_file(both, object, &s->err))
        return fail_with(s->args, &s->err);
    return status;
}

/* Both passes; the result is an object, or the host's assembly. */
static int
compile_cu(struct step *s, const char *path, const char *object, bool assembly)
{
    const char *ptx = cc_intermediate(s, path, ".ptx"), *image = cc_intermediate(s, path, ".lsptx");
    int status = container_pass(s, path, ptx, image);
    if (status)
        return status;
    struct words w = {0};
    bool unit = s->args->relocatable && !assembly;
    cc_add_cuda(s, &w, path);
    cc_add_unit_id(s, &w, path, false);
    if (!assembly) /* lines for reports; before the user's options, whose -g counts */
        cc_words_add(&w, "-gline-tables-only");
    cc_add_host_options(s, &w);
    cc_words_add(&w, "-Xclang");
    cc_words_add(&w, "-fcuda-include-gpubinary");
    cc_words_add(&w, "-Xclang");
    cc_words_add(&w, image);
    if (assembly || unit)
        cc_words_add(&w,
                     "-fno-addrsig"); /* a table of clang's that others cannot assemble, nor join */
    cc_words_add(&w, assembly ? "-S" : "-c");
    cc_words_add(&w, path);
    cc_words_add(&w, "-o");
    cc_words_add(&w, object);
    status = run_heard(s, &w, object, NULL);
    if (status || !unit)
        return status;
    char id[33];
    cc_unit_id(s->args, path, id);
    if (!s->args->dryrun && !cc_unify_registration(object, id, &s->err))
        return fail_with(s->args, &s->err);
    return join_symbols(s, path, ptx, object);
}

/* -cuda: a C++ file that any compiler makes the same object of: the host's assembly, quoted. */
static int
write_host_source(struct step *s, const char *path)
{
    const char *assembly = cc_intermediate(s, path, ".s");
    int status = compile_cu(s, path, assembly, true);
    if (status || s->args->dryrun)
        return status;
    size_t size;
    struct text out = {0};
    char *body = ls_read_file(assembly, &size, &s->err);
    if (body) {
        text_add(&out, "# 1 \"%s\"\n__asm__(R\"lockstep(\n", path);
        text_add_bytes(&out, body, size);
        text_add(&out, "\n\t.text\n)lockstep\");\n");
        ls_write_file(cc_final_name(s, path, ".cu.cpp.ii"), out.at, out.count, &s->err);
    }
    text_free(&out);
    ls_release(body);
    return s->err.status == LS_OK ? 0 : fail_with(s->args, &s->err);
}

/* -- C and C++ files ------------------------------------------------------------------------ */

static int
compile_plain(struct step *s, const char *path, enum cc_language language, const char *object)
{
    struct words w = {0};
    cc_add_plain(s, &w, language);
    cc_words_add(&w, "-c");
    cc_words_add(&w, path);
    cc_words_add(&w, "-o");
    cc_words_add(&w, object);
    return run(s, &w);
}

static int
compile(struct step *s, const char *path, enum cc_language language, const char *object)
{
    return language == CC_CU ? compile_cu(s, path, object, false)
                             : compile_plain(s, path, language, object);
}

/* -- modes ---------------------------------------------------------------------------------- */

static int
preprocess(struct step *s, const char *path)
{
    struct cc_args *a = s->args;
    enum cc_language language = cc_language_of(a, path);
    struct words w = {0};
    if (language == CC_CU) {
        cc_add_cuda(s, &w, path);
        if (a->device_text)
            cc_words_add(&w, "--cuda-device-only");
        else
            cc_add_host_options(s, &w);
    } else {
        cc_add_plain(s, &w, language == CC_BY_SUFFIX ? CC_CXX : language);
    }
    cc_words_add(&w, a->mode == CC_PREPROCESS ? "-E" : a->system_headers_too ? "-M" : "-MM");
    cc_words_add(&w, path);
    if (a->output) {
        cc_words_add(&w, "-o");
        cc_words_add(&w, a->output);
    }
    return run(s, &w);
}

/* Modes that treat each source by itself. */
static int
each_source(struct step *s)
{
    struct cc_args *a = s->args;
    for (size_t i = 0; i < a->items.count; i++) {
        const char *path = a->items.at[i].word;
        if (!a->items.at[i].is_source)
            continue;
        enum cc_language language = cc_language_of(a, path);
        int status = 0;
        if (a->mode == CC_PREPROCESS || a->mode == CC_DEPENDS)
            status = preprocess(s, path);
        else if (a->mode == CC_PTX && language == CC_CU)
            status = device_pass(s, path, cc_final_name(s, path, ".ptx"));
        else if (a->mode == CC_FATBIN && language == CC_CU) /* one with PTX alone: the text */
            status = device_pass(s, path, cc_final_name(s, path, ".fatbin"));
        else if (a->mode == CC_CUBIN && language == CC_CU)
            status = container_pass(s, path, cc_intermediate(s, path, ".ptx"),
                                    cc_final_name(s, path, ".cubin"));
        else if (a->mode == CC_HOST && language == CC_CU)
            status = write_host_source(s, path);
        else if (a->mode == CC_COMPILE && language != CC_BY_SUFFIX)
            status = compile(s, path, language, cc_final_name(s, path, ".o"));
        if (status)
            return status;
    }
    return 0;
}

/* NVIDIA's tools need a device link step that writes an object; here devices are linked when the
 * program starts, so the object is empty. */
static int
device_link(struct step *s)
{
    struct words w = {0};
    cc_add_clang(s, &w);
    static const char *const fixed[] = {"-x", "c", "-c", "/dev/null", "-o"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        cc_words_add(&w, fixed[i]);
    cc_words_add(&w, s->args->output ? s->args->output : "a_dlink.o");
    return run(s, &w);
}

static bool
is_library(const char *word)
{
    return word[0] == '-' && word[1] == 'l';
}

/* Compiles what is source and puts the results, in order, behind *w. */
static int
add_objects(struct step *s, struct words *w, bool link_words)
{
    struct cc_args *a = s->args;
    for (size_t i = 0; i < a->items.count; i++) {
        struct cc_item item = a->items.at[i];
        enum cc_language language = item.is_source ? cc_language_of(a, item.word) : CC_BY_SUFFIX;
        if (language != CC_BY_SUFFIX) {
            const char *object = cc_intermediate(s, item.word, ".o");
            int status = compile(s, item.word, language, object);
            if (status)
                return status;
            cc_words_add(w, object);
        } else if (item.is_source || (link_words && !is_library(item.word))) {
            cc_words_add(w, item.word);
        }
    }
    /* Libraries follow all objects, wherever the command line has them, since a linker takes from a
     * library only symbols that are undefined so far; nvcc does the same. */
    for (size_t i = 0; link_words && i < a->items.count; i++)
        if (!a->items.at[i].is_source && is_library(a->items.at[i].word))
            cc_words_add(w, a->items.at[i].word);
    return 0;
}

static int
archive(struct step *s)
{
    struct words w = {0};
    cc_words_add(&w, "ar");
    cc_words_add(&w, "rcs");
    cc_words_add(&w, s->args->output ? s->args->output : "a.a");
    int status = add_objects(s, &w, false);
    if (status == 0)
        return run(s, &w);
    VEC_FREE(&w);
    return status;
}

static int
link_program(struct step *s)
{
    struct cc_args *a = s->args;
    struct words w = {0};
    if (!s->tools->library[0] && !a->dryrun) {
        ls_fail(&s->err, LS_ERR_SYSTEM,
                "liblockstep.so is not beside this program; build it first");
        return fail_with(a, &s->err);
    }
    cc_add_clang(s, &w);
    if (a->shared)
        cc_words_add(&w, "-shared");
    words_add_all(&w, &a->dashed);
    cc_words_add(&w, "-o");
    cc_words_add(&w, a->output ? a->output : a->shared ? "a.so" : "a.out");
    int status = add_objects(s, &w, true);
    if (status) {
        VEC_FREE(&w);
        return status;
    }
    cc_words_add(&w, arena_printf(a->arena, "-L%s", s->tools->library));
    cc_words_add(&w, arena_printf(a->arena, "-Wl,-rpath,%s", s->tools->library));
    cc_words_add(&w, "-llockstep");
#ifdef LOCKSTEP_SANITIZERS /* the library was built with them: a program needs their runtime */
    cc_words_add(&w, "-fsanitize=" LOCKSTEP_SANITIZERS);
#endif
    /* By name, though the driver knows: CMake links CUDA programs with what it reads of this line,
     * as C. */
    cc_words_add(&w, "-lstdc++");
    cc_words_add(&w, "-lm");
    cc_words_add(&w, "-lpthread");
    cc_words_add(&w, "-ldl");
    return run(s, &w);
}

/* -- one invocation ------------------------------------------------------------------------- */

/* The lines that CMake reads from a verbose run of nvcc. */
static void
print_settings(const struct cc_args *args, const struct cc_tools *tools)
{
    const char *top = tools->toolkit[0] ? tools->toolkit : tools->include;
    fprintf(stderr, "#$ TOP=%s\n", top);
    /* Nothing is there; CMake wants to be told all the same. */
    fprintf(stderr, "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n", top);
    fprintf(stderr, "#$ INCLUDES=\"-I%s\"\n", tools->include);
    fprintf(stderr, "#$ SYSTEM_INCLUDES=\n");
    fprintf(stderr, "#$ LIBRARIES=-L%s\n", tools->library);
    fprintf(stderr, "#$ DEVICE=-arch compute_%d\n", args->architecture);
}

static void
choose_architecture(struct cc_args *a)
{
    if (a->architecture == 0)
        a->architecture = DEFAULT_ARCHITECTURE;
    if (a->architecture > NEWEST_ARCHITECTURE)
        a->architecture = NEWEST_ARCHITECTURE, a->architecture_suffix = 0;
    if (a->architecture < OLDEST_ARCHITECTURE)
        a->architecture = OLDEST_ARCHITECTURE;
    if (a->architecture_suffix && a->architecture != 90)
        a->architecture_suffix = 0;
}

int
cc_execute(struct cc_args *args, const struct cc_tools *tools, struct cc_folder *folder)
{
    struct step s = {.args = args, .tools = tools, .folder = folder};
    size_t sources = 0;
    for (size_t i = 0; i < args->items.count; i++)
        sources += args->items.at[i].is_source;
    choose_architecture(args);
    for (size_t i = 0; i < args->ignored.count; i++)
        fprintf(stderr, "%s: warning: Ignored option '%s': it has no effect here\n", args->name,
                args->ignored.at[i]);
    if (sources == 0) {
        ls_fail(&s.err, LS_ERR_USAGE, "no input file (lockstep cc --help lists the options)");
        return fail_with(args, &s.err);
    }
    if (args->output && sources > 1 &&
        (args->mode == CC_COMPILE || args->mode == CC_PTX || args->mode == CC_PREPROCESS)) {
        ls_fail(&s.err, LS_ERR_USAGE, "-o %s: several files are compiled, but one output is named",
                args->output);
        return fail_with(args, &s.err);
    }
    if (args->dryrun || args->verbose)
        print_settings(args, tools);
    switch (args->mode) {
    case CC_LINK: return link_program(&s);
    case CC_LIB: return archive(&s);
    case CC_DLINK: return device_link(&s);
    default: return each_source(&s);
    }
}

bool
cc_is_driver_name(const char *argv0)
{
    const char *name = cc_base_name(argv0);
    return strcmp(name, "nvcc") == 0 || strcmp(name, "lockstep-nvcc") == 0;
}

void
cc_args_free(struct cc_args *a)
{
    VEC_FREE(&a->both);
    VEC_FREE(&a->host);
    VEC_FREE(&a->device);
    VEC_FREE(&a->dashed);
    VEC_FREE(&a->ignored);
    VEC_FREE(&a->items);
    arena_free(a->arena);
}

int
cc_main(int argc, char **argv)
{
    struct arena arena = {0};
    struct cc_args args = {.arena = &arena, .name = "lockstep cc"};
    struct cc_tools tools;
    struct cc_folder folder = {0};
    struct ls_error err = {0};
    int status;
    if (!cc_parse(&args, argc, argv, &err)) {
        status = fail_with(&args, &err);
    } else if (args.version || args.help) {
        args.version ? cc_print_version() : cc_print_help();
        status = 0;
    } else if (!cc_find_tools(&tools, &err)) {
        fail_with(&args, &err);
        status = 127; /* as a shell says that a command is missing */
    } else if (!cc_folder_make(&folder, &err)) {
        status = fail_with(&args, &err);
    } else {
        status = cc_execute(&args, &tools, &folder);
    }
    cc_folder_remove(&folder);
    cc_args_free(&args);
    return status;
}
