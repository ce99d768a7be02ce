/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_parse: nvcc's command line into struct cc_args, by the table cc_options.def. Also the words of
 * NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, and of files named by @file and --options-file.
 */
#include "cc/cc_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { FLAG, BOOL, VALUE, JOINED, LIST };
enum action {
    MODE,
    DC,
    DEPENDS,
    NOTMADE,
    SHARED,
    OUTPUT,
    ODIR,
    HOST,
    LANGUAGE,
    STD,
    BOTH,
    LINKER,
    LIBRARY,
    ACCEPT,
    IGNORE,
    OPTIMIZE,
    DEBUG,
    DOPT,
    REGISTERS,
    ARCH,
    CODE,
    GENCODE,
    RDC,
    FASTMATH,
    FMAD,
    FTZ,
    PRECDIV,
    PRECSQRT,
    STREAM,
    LAMBDA,
    MACHINE,
    TEMPLATE,
    CCBIN,
    XCOMPILER,
    OPTIONS,
    KEEP,
    KEEPDIR,
    DRYRUN,
    VERBOSE,
    VERSION,
    HELP,
    WERROR,
};

struct row {
    const char *brief, *full;
    enum form form;
    enum action action;
    intptr_t argument;
};
static const struct row rows[] = {
#define CC_OPTION(brief, full, form, action, argument)                                             \
    {brief, full, form, action, (intptr_t)(argument)},
#include "cc/cc_options.def"
#undef CC_OPTION
};
enum { ROWS = sizeof rows / sizeof *rows };

struct parser {
    struct cc_args *args;
    struct words words; /* the command line, with files of options spread out */
    size_t at;
    int depth; /* of files of options within each other */
    struct ls_error *err;
};

/* -- words ---------------------------------------------------------------------------------- */

static bool add_word(struct parser *p, const char *word);

/* Splits text as a shell would, without expansions: blanks, quotes, backslashes, # comments. */
static bool
add_text(struct parser *p, const char *text)
{
    struct text word = {0};
    bool in_word = false, ok = true;
    char quote = 0;
    for (const char *c = text; ok && *c; c++) {
        if (quote && *c == quote) {
            quote = 0;
        } else if (quote) {
            text_add_bytes(&word, c, 1);
        } else if (*c == '"' || *c == '\'') {
            quote = *c, in_word = true;
        } else if (*c == '\\' && c[1]) {
            text_add_bytes(&word, ++c, 1), in_word = true;
        } else if (*c == '#' && !in_word) {
            while (c[1] && c[1] != '\n')
                c++;
        } else if (!isspace((unsigned char)*c)) {
            text_add_bytes(&word, c, 1), in_word = true;
        } else if (in_word) {
            ok = add_word(p, arena_strndup(p->args->arena, word.at ? word.at : "", word.count));
            word.count = 0, in_word = false;
        }
    }
    if (ok && in_word)
        ok = add_word(p, arena_strndup(p->args->arena, word.at ? word.at : "", word.count));
    text_free(&word);
    return ok;
}

static bool
add_file(struct parser *p, const char *path)
{
    if (p->depth == 16)
        return ls_fail(p->err, LS_ERR_USAGE, "%s: files of options within each other", path);
    size_t size;
    char *text = ls_read_file(path, &size, p->err);
    if (!text)
        return false;
    p->depth++;
    bool ok = add_text(p, text);
    p->depth--;
    ls_release(text);
    return ok;
}

static bool
add_word(struct parser *p, const char *word)
{
    if (word[0] == '@' && word[1])
        return add_file(p, word + 1);
    cc_words_add(&p->words, word);
    return true;
}

/* -- architectures -------------------------------------------------------------------------- */

/* The largest number behind "sm_" or "compute_" in text, with its letter ("90a"); false: none. */
static bool
take_architecture(struct cc_args *args, const char *text)
{
    bool found = false;
    for (const char *at = text; *at; at++) {
        size_t skip = ls_starts_with(at, "sm_") ? 3 : ls_starts_with(at, "compute_") ? 8 : 0;
        if (!skip || !isdigit((unsigned char)at[skip]))
            continue;
        char *end;
        long number = strtol(at + skip, &end, 10);
        found = true;
        if (number > args->architecture && number < 1000) {
            args->architecture = (int)number;
            args->architecture_suffix = *end == 'a' || *end == 'f' ? *end : 0;
        }
    }
    return found;
}

static bool
set_architecture(struct parser *p, const char *option, const char *value)
{
    static const char *const whole[] = {"native", "all", "all-major", "lto"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(value, whole[i]) == 0)
            return true; /* the default: one image serves every device here */
    if (take_architecture(p->args, value))
        return true;
    return ls_fail(p->err, LS_ERR_USAGE, "-%s=%s: no architecture like sm_90 or compute_90", option,
                   value);
}

static bool
set_debug_optimized(struct parser *p, const char *value)
{
    p->args->debug.optimized = strcmp(value, "on") == 0;
    return p->args->debug.optimized || strcmp(value, "off") == 0 ||
           ls_fail(p->err, LS_ERR_USAGE, "-dopt=%s: on or off", value);
}

/* -- libraries ------------------------------------------------------------------------------ */

static bool
is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool
add_library(struct parser *p, const char *name)
{
    static const char *const ours[] = {"cudart",    "cudart_static", "cuda",
                                       "cudadevrt", "curand",        "lockstep"};
    static const char *const closed[] = {
        "cublas",        "cublas_static",
        "cublasLt",      "cufft",
        "cufft_static",  "cufftw",
        "cufftw_static", "curand_static",
        "cusparse",      "cusparse_static",
        "cusolver",      "cusolver_static",
        "nvrtc",         "nvrtc_static",
        "nvJitLink",     "nvjpeg",
        "cudnn",         "nccl",
        "nvToolsExt",    "cupti",
        "nvidia-ml",     "nppc",
        "nppial",        "nppicc",
        "nppidei",       "nppif",
        "nppig",         "nppim",
        "nppist",        "nppisu",
        "nppitc",        "npps",
        "nvgraph",       "cutensor",
        "nvvm",          "cufile",
        "nvcuvid",
    };
    if (is_one_of(name, ours, sizeof ours / sizeof *ours))
        return true; /* liblockstep has them all */
    if (is_one_of(name, closed, sizeof closed / sizeof *closed))
        return ls_fail(p->err, LS_ERR_UNSUPPORTED,
                       "-l%s: this library is NVIDIA's and closed; lockstep has no replacement for "
                       "it, so a program that calls it cannot be linked",
                       name);
    struct cc_item item = {arena_printf(p->args->arena, "-l%s", name), false};
    VEC_PUSH(&p->args->items, item);
    return true;
}

/* -- actions -------------------------------------------------------------------------------- */

static bool
set_language(struct parser *p, const char *value)
{
    static const struct {
        const char *name;
        enum cc_language language;
    } known[] = {{"cu", CC_CU}, {"cuda", CC_CU}, {"c", CC_C}, {"c++", CC_CXX}, {"none", 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(value, known[i].name) == 0) {
            p->args->language = known[i].language;
            return true;
        }
    return ls_fail(p->err, LS_ERR_USAGE, "-x %s: the languages are cu, c and c++", value);
}

static void
add_pair(struct words *w, struct arena *arena, const char *option, const char *value)
{
    /* One word where clang takes one: the command is shorter and easier to read. */
    if (value && option[2] == '\0' && strchr("IDUL", option[1])) {
        cc_words_add(w, arena_printf(arena, "%s%s", option, value));
        return;
    }
    cc_words_add(w, option);
    if (value)
        cc_words_add(w, value);
}

static void
add_link_word(struct cc_args *args, const char *word)
{
    struct cc_item item = {word, false};
    VEC_PUSH(&args->items, item);
}

/* The values of a list, at commas that have no backslash before them. */
static void
each_value(struct cc_args *args, const char *list, void (*take)(struct cc_args *, const char *))
{
    struct text value = {0};
    for (const char *c = list;; c++) {
        if (*c == '\\' && c[1] == ',') {
            text_add_bytes(&value, ++c, 1);
        } else if (*c && *c != ',') {
            text_add_bytes(&value, c, 1);
        } else {
            if (value.count)
                take(args, arena_strndup(args->arena, value.at, value.count));
            value.count = 0;
            if (!*c)
                break;
        }
    }
    text_free(&value);
}

static void
take_compiler_word(struct cc_args *args, const char *word)
{
    cc_words_add(&args->dashed, word);
}

static void
take_linker_word(struct cc_args *args, const char *word)
{
    add_link_word(args, "-Xlinker");
    add_link_word(args, word);
}

static bool
set_registers(struct parser *p, const char *value)
{
    uint64_t most;
    if (!ls_parse_u64(value, &most) || most > UINT32_MAX)
        return ls_fail(p->err, LS_ERR_USAGE, "-maxrregcount: %s is no number of registers", value);
    p->args->most_registers = (uint32_t)most;
    return true;
}

static bool
not_made(struct parser *p, const char *spelling)
{
    return ls_fail(p->err, LS_ERR_UNSUPPORTED,
                   "%s: not made here: lockstep runs PTX and has no machine code of a GPU; use "
                   "-ptx for the PTX, or -c for an object that carries it",
                   spelling);
}

static bool
act(struct parser *p, const struct row *row, const char *spelling, const char *value)
{
    struct cc_args *args = p->args;
    const char *word = (const char *)row->argument;
    bool truth = !value || strcmp(value, "false") != 0;
    switch (row->action) {
    case MODE: args->mode = (enum cc_mode)row->argument; return true;
    case DC: args->mode = CC_COMPILE, args->relocatable = true; return true;
    case DEPENDS:
        args->mode = CC_DEPENDS, args->system_headers_too = row->argument == 0;
        return true;
    case NOTMADE: return not_made(p, spelling);
    case SHARED: args->shared = true; return true;
    case OUTPUT: args->output = value; return true;
    case ODIR: args->output_folder = value; return true;
    case HOST: add_pair(&args->host, args->arena, word, value); return true;
    case LANGUAGE: return set_language(p, value);
    case STD: args->standard = value; return true;
    case BOTH: add_pair(&args->both, args->arena, word, value); return true;
    case LINKER:
        if (row->form == LIST)
            each_value(args, value, take_linker_word);
        else
            add_link_word(args, arena_printf(args->arena, "%s%s", word, value));
        return true;
    case LIBRARY: return add_library(p, value);
    case ACCEPT:
    case LAMBDA: return true;
    case IGNORE:
        if (!is_one_of(spelling, args->ignored.at, args->ignored.count))
            cc_words_add(&args->ignored, spelling);
        return true;
    case OPTIMIZE: args->optimize = value; return true;
    case DEBUG: args->debug.device = true; return true;
    case DOPT: return set_debug_optimized(p, value);
    case REGISTERS: return set_registers(p, value);
    case ARCH: return set_architecture(p, row->brief, value);
    case CODE: return true; /* what is run is always the PTX, whose level -arch chooses */
    case GENCODE: return set_architecture(p, row->brief, value);
    case RDC: args->relocatable = truth; return true;
    case FASTMATH: args->floats.fast_math = true; return true;
    case FMAD: args->floats.no_fmad = !truth; return true;
    case FTZ: args->floats.flush = truth; return true;
    case PRECDIV: args->floats.imprecise_division = !truth; return true;
    case PRECSQRT: args->floats.imprecise_root = !truth; return true;
    case STREAM:
        if (strcmp(value, "per-thread") == 0)
            cc_words_add(&args->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        return true;
    case MACHINE:
        return (value && strcmp(value, "64") == 0) ||
               ls_fail(p->err, LS_ERR_UNSUPPORTED, "-m %s: only 64 bits are supported",
                       value ? value : "32");
    case TEMPLATE:
        cc_words_add(&args->both, arena_printf(args->arena, "%s%s", word, value));
        return true;
    case CCBIN: args->ccbin = value; return true;
    case XCOMPILER: each_value(args, value, take_compiler_word); return true;
    case OPTIONS: return true; /* spread out before */
    case KEEP: args->keep = true; return true;
    case KEEPDIR: args->keep_folder = value; return true;
    case DRYRUN: args->dryrun = true; return true;
    case VERBOSE: args->verbose = true; return true;
    case VERSION: args->version = true; return true;
    case HELP: args->help = true; return true;
    case WERROR:
        if (value && strstr(value, "all-warnings"))
            cc_words_add(&args->both, "-Werror");
        return true;
    }
    return true;
}

/* -- the command line ----------------------------------------------------------------------- */

static bool
is_boolean_word(const char *word)
{
    static const char *const words[] = {"true",
                                        "false",
                                        "all-warnings",
                                        "cross-execution-space-call",
                                        "reorder",
                                        "default-stream-launch",
                                        "missing-launch-bounds",
                                        "ext-lambda-captures-this",
                                        "deprecated-declarations"};
    return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Whether the row is meant by the word behind its dashes; *value: what
 * follows "=" or the letter. */
static bool
row_matches(const struct row *row, const char *word, const char **value)
{
    const char *spellings[] = {row->brief, row->full};
    for (int i = 0; i < 2; i++) {
        const char *s = spellings[i];
        size_t n = s ? strlen(s) : 0;
        if (!n || strncmp(word, s, n) != 0)
            continue;
        *value = NULL;
        if (word[n] == '\0')
            return true;
        if (word[n] == '=' && row->form != FLAG) {
            *value = word + n + 1;
            return true;
        }
    }
    return false;
}

static const struct row *
find_row(const char *word, const char **value)
{
    for (int i = 0; i < ROWS; i++)
        if (row_matches(&rows[i], word, value))
            return &rows[i];
    for (int i = 0; i < ROWS; i++) {
        size_t n = strlen(rows[i].brief);
        if (rows[i].form == JOINED && n == 1 && word[0] == rows[i].brief[0] && word[1]) {
            *value = word + 1;
            /* -openmp and the like are no -o; -xHost and -threads no -x and -t */
            if (rows[i].action == OUTPUT || rows[i].action == ACCEPT || rows[i].action == LANGUAGE)
                continue;
            return &rows[i];
        }
    }
    return NULL;
}

static bool
take_option(struct parser *p, const char *spelling)
{
    const char *word = spelling + (spelling[1] == '-' ? 2 : 1), *value = NULL;
    const struct row *row = find_row(word, &value);
    if (!row) {
        if (ls_starts_with(spelling, "-Wl,"))
            add_link_word(p->args, spelling);
        else
            cc_words_add(&p->args->dashed, spelling);
        return true;
    }
    if (row->form == BOOL && !value && p->at < p->words.count &&
        is_boolean_word(p->words.at[p->at]))
        value = p->words.at[p->at++];
    if (row->form >= VALUE && !value) {
        if (p->at == p->words.count)
            return ls_fail(p->err, LS_ERR_USAGE, "%s needs a value", spelling);
        value = p->words.at[p->at++];
    }
    if (row->action == OPTIMIZE && value && strlen(value) > 1 && value[0] == 'f')
        cc_words_add(&p->args->host, "-ffast-math"), value = "3"; /* -Ofast */
    return act(p, row, arena_strdup(p->args->arena, spelling), value);
}

/* The words of the environment around those of the command line, with option files spread out. */
static bool
gather_words(struct parser *p, int argc, char **argv)
{
    const char *before = getenv("NVCC_PREPEND_FLAGS"), *after = getenv("NVCC_APPEND_FLAGS");
    if (before && !add_text(p, before))
        return false;
    for (int i = 1; i < argc; i++) {
        const char *w = argv[i];
        const char *file = NULL;
        if (strcmp(w, "-optf") == 0 || strcmp(w, "--options-file") == 0)
            file = i + 1 < argc ? argv[++i] : "";
        else if (ls_starts_with(w, "--options-file="))
            file = strchr(w, '=') + 1;
        if (file ? !add_file(p, file) : !add_word(p, w))
            return false;
    }
    return !after || add_text(p, after);
}

bool
cc_parse(struct cc_args *args, int argc, char **argv, struct ls_error *err)
{
    struct parser p = {.args = args, .err = err};
    bool ok;
    args->floats.flush = args->floats.imprecise_division = args->floats.imprecise_root = -1;
    ok = gather_words(&p, argc, argv);
    while (ok && p.at < p.words.count) {
        const char *word = p.words.at[p.at++];
        if (word[0] == '-' && word[1]) {
            ok = take_option(&p, word);
        } else {
            struct cc_item item = {word, true};
            VEC_PUSH(&args->items, item);
        }
    }
    VEC_FREE(&p.words);
    return ok;
}

/* -- what other commands take before a program's name ------------------------------------------ */

/* Whether the option chooses another output, its name or what is printed of it, which means nothing
 * for a program that is compiled to be run at once. */
static bool
makes_something_else(const struct row *row)
{
    switch (row->action) {
    case MODE:
    case DC:
    case DEPENDS:
    case NOTMADE:
    case SHARED:
    case OUTPUT:
    case ODIR:
    case OPTIONS:
    case KEEP:
    case KEEPDIR:
    case DRYRUN:
    case VERBOSE:
    case VERSION:
    case HELP: return true;
    case HOST: return row->brief[0] == 'M'; /* dependency files */
    default: return false;
    }
}

int
cc_option_words(const char *word, const char *next)
{
    const char *value = NULL;
    if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
        return 0;
    const struct row *row = find_row(word + (word[1] == '-' ? 2 : 1), &value);
    if (!row)
        return word[2] && (strchr("fmW", word[1]) || strcmp(word, "-pthread") == 0) ? 1 : 0;
    if (makes_something_else(row))
        return -1;
    if (value || row->form == FLAG)
        return 1;
    return row->form != BOOL || (next && is_boolean_word(next)) ? 2 : 1;
}

void
cc_print_help(void)
{
    puts("usage: lockstep cc [options] file...\n\n"
         "Compiles CUDA C++ for the virtual GPU, with nvcc's options. .cu files are compiled for\n"
         "device and host by clang; .c .cpp .o .a .so files are handled as by a C++ compiler.\n"
         "Options that are not listed go to the host compiler.\n");
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        char brief[64];
        snprintf(brief, sizeof brief, "-%s%s", r->brief, r->form >= VALUE ? " VALUE" : "");
        printf("  %-34s", brief);
        if (r->full && strcmp(r->brief, r->full) != 0)
            printf(" --%s", r->full);
        puts(r->action == IGNORE    ? "  (no effect here)"
             : r->action == NOTMADE ? "  (refused)"
                                    : "");
    }
}

void
cc_print_version(void)
{
    /* CMake knows its compilers by such a line. */
    puts("lockstep cc, on clang, in the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
         "Cuda compilation tools, release 12.5, V12.5.0");
}

const struct option_row *
cc_option_rows(struct arena *a, size_t *count)
{
    struct option_row *out = ARENA_ARRAY(a, struct option_row, ROWS);
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        bool two = r->full && strcmp(r->brief, r->full) != 0;
        const char *what = r->action == IGNORE    ? "no effect here"
                           : r->action == NOTMADE ? "refused"
                                                  : "";
        out[i].name = arena_printf(a, "-%s", r->brief);
        out[i].value = r->form >= VALUE ? "VALUE" : NULL;
        out[i].help = arena_printf(a, "%s%s%s%s", two ? "--" : "", two ? r->full : "",
                                   two && *what ? ": " : "", what);
    }
    *count = ROWS;
    return out;
}
