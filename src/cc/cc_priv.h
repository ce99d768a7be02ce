/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_priv.h: what the files of the driver share: the parsed command line, the tools found, and
 * running one command.
 */
#ifndef LOCKSTEP_CC_CC_PRIV_H
#define LOCKSTEP_CC_CC_PRIV_H

#include "cc/cc.h"

struct words {
    const char **at;
    size_t count, room;
};

enum cc_mode {
    CC_LINK,
    CC_COMPILE,
    CC_PREPROCESS,
    CC_DEPENDS,
    CC_PTX,
    CC_DLINK,
    CC_LIB,
    CC_HOST,
    CC_CUBIN,
    CC_FATBIN
};
enum cc_language { CC_BY_SUFFIX, CC_CU, CC_C, CC_CXX };

/* A word of the link command, in the order of the command line: an input that is compiled first, or
 * a word that is passed on. */
struct cc_item {
    const char *word;
    bool is_source;
};

struct cc_args {
    struct arena *arena;
    const char *name; /* for messages */
    enum cc_mode mode;
    enum cc_language language;
    const char *output, *output_folder, *standard, *optimize, *ccbin, *keep_folder;
    struct words both, host, device; /* clang's options for both passes, host pass, device pass */
    struct words dashed;             /* -Xcompiler: the host pass, C and C++ files, and the link */
    VEC(struct cc_item) items;
    struct words ignored; /* recognised, without effect: named in one warning each */
    int architecture;     /* __CUDA_ARCH__ / 10: 90 */
    char architecture_suffix;
    uint32_t most_registers; /* 0: as many as a kernel wants */
    bool shared, relocatable, dryrun, verbose, keep, version, help;
    struct {
        bool device, optimized; /* -G; with -dopt on: optimised all the same */
    } debug;
    bool system_headers_too; /* -M, not -MM */
    bool device_text;        /* -E: of the device pass, not the host's */
    struct {
        bool fast_math, no_fmad;
        int flush, imprecise_division, imprecise_root; /* -1: as fast_math says */
    } floats;
};

/* Fills *args from nvcc's options. False: *err says which option is wrong. */
bool cc_parse(struct cc_args *args, int argc, char **argv, struct ls_error *err);
void cc_args_free(struct cc_args *args); /* the arena too */
/* The name and help of every option, for --help. */
void cc_print_help(void);
void cc_print_version(void);

struct cc_tools {
    char clang[4096]; /* its path */
    int clang_major;
    char include[4096]; /* cuda_runtime.h's folder */
    char toolkit[4096]; /* a folder in the shape of a toolkit; empty: none */
    char library[4096]; /* liblockstep.so's folder; empty where there is none */
};
/* Finds clang, our headers and our library. */
bool cc_find_tools(struct cc_tools *tools, struct ls_error *err);
/* The PTX version that this clang writes, as its target feature: "+ptx83". */
const char *cc_ptx_feature(const struct cc_tools *tools);

/* A private temporary folder, removed by cc_folder_remove or, after SIGINT, SIGTERM or SIGHUP, as
 * soon as the running command has ended. */
struct cc_folder {
    char path[4096];
};
bool cc_folder_make(struct cc_folder *folder, struct ls_error *err);
void cc_folder_remove(struct cc_folder *folder);

/* Runs a command and waits; its exit status (128 + n: ended by signal n; 127: could not be run).
 * When this process is asked to end meanwhile, the child is ended, *folder is removed, and this
 * process ends by the same signal. messages: the file for its standard error; NULL: this process's.
 */
int cc_run(const struct words *command, struct cc_folder *folder, const char *messages);
/* The command as a shell takes it. */
void cc_print_command(const struct words *command);

/* Of words for the host compiler those that the device pass needs; others change no code of
 * kernels. */
void cc_add_source_words(struct words *w, const struct words *dashed);
void cc_words_add(struct words *w, const char *word);
void words_add_all(struct words *w, const struct words *more);

/* Gives clang's per-unit symbol __cudaRegisterLinkedBinary<id> in an object file the common name
 * __cudaRegisterLinkedBinary, which liblockstep defines, and makes __fatbinwrap<id> the unit's own;
 * unit: 32 hexadecimal digits. */
bool cc_unify_registration(const char *object_path, const char *unit, struct ls_error *err);

/* Of one unit of several: 32 hexadecimal digits. */
void cc_unit_id(const struct cc_args *args, const char *path, char text[33]);
/* Adds assembly with a symbol for each device function and variable that the unit's PTX defines or
 * uses, so that the host's linker resolves them between units. */
bool cc_device_symbols(const char *ptx_path, struct text *out, struct ls_error *err);

/* Mends clang's PTX of one unit among several (-rdc=true): see cc_ptx.c. */
bool cc_mend_unit(const char *path, struct ls_error *err);
/* Gives kernels the clusters that comments of the PTX name. */
bool cc_mend_clusters(const char *path, struct ls_error *err);
/* Gives kernels without launch bounds at most so many registers (-maxrregcount). */
bool cc_limit_registers(const char *path, uint32_t most, struct ls_error *err);

/* Past a string or a comment that begins at p, else p. */
const char *cc_skip_quoted(const char *text, const char *p);
/* The text with its launches from kernels as clang takes them; NULL: it has none. ls_release */
char *cc_nested_launches(const char *text, size_t *size);
/* Where a source spells something in a way that clang does not take: the file for -ivfsoverlay that
 * puts changed copies (in `folder`) in its place. NULL: nothing is to be changed (or *err is set).
 */
const char *cc_overlay(struct arena *arena, const char *path, const char *folder,
                       struct ls_error *err);

/* The whole of one invocation. `folder` holds intermediate files. */
int cc_execute(struct cc_args *args, const struct cc_tools *tools, struct cc_folder *folder);

#endif
