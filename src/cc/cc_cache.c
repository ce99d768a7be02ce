/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_cache: programs that `lockstep run prog.cu` compiled, kept in the cache folder.
 *
 * Two files an entry. "cc-<key>.list" names the program and every file that went into it with its
 * hash; the key is a hash of source path, options, clang our headers' place and this program. An
 * entry serves as long as each listed file still has its hash. Both files are written under another
 * name and renamed, the list last, so a reader sees a whole entry or none.
 */
#include "cc/cc_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char list_head[] = "lockstep cc 3\n";

/* -- keys ----------------------------------------------------------------------------------- */

static struct hash128
hash_word(struct hash128 h, const char *word)
{
    return ls_hash(h, word, strlen(word) + 1);
}

/* A tool is known by path, size and time of change: reading clang
 * would cost more than compiling. */
static struct hash128
hash_tool(struct hash128 h, const char *path)
{
    struct stat st = {0};
    char text[128];
    if (stat(path, &st) != 0)
        st.st_size = -1;
    snprintf(text, sizeof text, "%lld %lld.%ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
    return hash_word(hash_word(h, path), text);
}

static void
key_of(const struct cc_tools *tools, const char *source, const char *const *extra, size_t n,
       char out[33])
{
    static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH",
                                            "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    struct hash128 h = hash_word((struct hash128){0}, list_head);
    h = hash_tool(hash_word(hash_word(h, source), tools->include), tools->clang);
    h = hash_word(h, tools->library);
    h = hash_tool(h, "/proc/self/exe"); /* another lockstep may tell clang other things */
    for (size_t i = 0; i < n; i++)
        h = hash_word(h, extra[i]);
    char here[4096]; /* folders and files in options count from there */
    if (n && getcwd(here, sizeof here))
        h = hash_word(h, here);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        h = hash_word(hash_word(h, variables[i]), value ? value : "");
    }
    ls_hash_text(h, out);
}

static bool
hash_of_file(const char *path, char out[33])
{
    size_t size;
    char *text = ls_read_file(path, &size, NULL);
    if (!text)
        return false;
    ls_hash_text(ls_hash((struct hash128){0}, text, size), out);
    ls_release(text);
    return true;
}

/* -- reading an entry ----------------------------------------------------------------------- */

/* A program's name ends with half of its hash. */
static bool
is_whole(const char *program)
{
    char hash[33];
    const char *dash = strrchr(program, '-');
    return dash && hash_of_file(program, hash) && strlen(dash + 1) == 16 &&
           strncmp(hash, dash + 1, 16) == 0;
}

/* The program's path, when each file of the list is as it was. */
static bool
entry_is_current(const char *list_path, const char *folder, char *out, size_t room)
{
    size_t size;
    char *text = ls_read_file(list_path, &size, NULL), *at = text, *line;
    bool current = text && ls_starts_with(text, list_head);
    if (current)
        at += sizeof list_head - 1;
    line = current ? strsep(&at, "\n") : NULL;
    current = line && at && strchr(line, '/') == NULL;
    if (current) {
        int n = snprintf(out, room, "%s/%s", folder, line);
        current = n > 0 && (size_t)n < room && access(out, X_OK) == 0 && is_whole(out);
    }
    bool ended = false;
    while (current && !ended && (line = strsep(&at, "\n"))) {
        char hash[33];
        ended = strcmp(line, "end") == 0;
        current = ended || (strlen(line) > 33 && line[32] == ' ' && hash_of_file(line + 33, hash) &&
                            memcmp(hash, line, 32) == 0);
    }
    ls_release(text);
    return current && ended;
}

/* -- making an entry ------------------------------------------------------------------------ */

/* Adds "hash path" lines for the files of a dependency file as clang writes it ("a.o: b.cu c\ d.h
 * \" line by line). */
static bool
add_dependencies(struct text *list, const char *path, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    if (!text)
        return false;
    const char *at = strstr(text, ": ");
    struct text name = {0};
    for (at = at ? at + 2 : ""; *at || name.count; at += *at != '\0') {
        bool blank = *at == '\0' || *at == ' ' || *at == '\n';
        if (*at == '\\' && at[1] == '\n') {
            at++;
        } else if (*at == '\\' && (at[1] == ' ' || at[1] == '#')) {
            text_add_bytes(&name, ++at, 1);
        } else if (*at == '$' && at[1] == '$') {
            text_add_bytes(&name, ++at, 1);
        } else if (!blank) {
            text_add_bytes(&name, at, 1);
        } else if (name.count) {
            char hash[33], *whole = realpath(name.at, NULL);
            if (whole && hash_of_file(whole, hash))
                text_add(list, "%s %s\n", hash, whole);
            free(whole);
            name.count = 0;
            name.at[0] = '\0';
        }
    }
    text_free(&name);
    ls_release(text);
    return true;
}

/* Adds a "hash path" line for each further source, object or archive among the options. */
static void
add_files(struct text *list, const struct cc_args *args)
{
    for (size_t i = 0; i < args->items.count; i++) {
        char hash[33],
            *whole = args->items.at[i].is_source ? realpath(args->items.at[i].word, NULL) : NULL;
        if (whole && hash_of_file(whole, hash))
            text_add(list, "%s %s\n", hash, whole);
        free(whole);
    }
}

/* Adds those of every dependency file in the temporary folder. */
static bool
add_all_dependencies(struct text *list, const struct cc_folder *folder, struct ls_error *err)
{
    DIR *d = opendir(folder->path);
    bool ok = d || ls_fail(err, LS_ERR_SYSTEM, "%s: %s", folder->path, strerror(errno));
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        char path[8192];
        snprintf(path, sizeof path, "%s/%s", folder->path, e->d_name);
        if (ls_ends_with(e->d_name, ".d"))
            ok = add_dependencies(list, path, err);
    }
    if (d)
        closedir(d);
    return ok;
}

/* Compiles to `program`; what went into it is added to *list (NULL: not wanted). clang puts a
 * dependency file beside the object or the bitcode of each pass over each source, in the temporary
 * folder. */
static bool
compile_to(const struct cc_tools *tools, struct cc_folder *folder, const char *source,
           const char *const *extra, size_t n, const char *program, struct text *list,
           struct ls_error *err)
{
    struct arena arena = {0};
    struct cc_args args = {.arena = &arena, .name = "lockstep cc"};
    VEC(char *) argv = {0};
    VEC_PUSH(&argv, (char *)"lockstep cc");
    VEC_PUSH(&argv, (char *)source); /* first: archives behind it serve it */
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(&argv, (char *)extra[i]);
    VEC_PUSH(&argv, (char *)"-o");
    VEC_PUSH(&argv, (char *)program);
    bool ok = cc_parse(&args, (int)argv.count, argv.at, err);
    if (ok && (args.mode != CC_LINK || args.shared || args.dryrun || args.keep))
        ok = ls_fail(err, LS_ERR_USAGE, "only options that make a program can be used here");
    if (ok) {
        cc_words_add(&args.host, "-MD");
        cc_words_add(&args.device, "-MD");
        int status = cc_execute(&args, tools, folder);
        if (status)
            ok = ls_fail(err, status == 2 ? LS_ERR_USAGE : LS_ERR_INPUT,
                         "%s could not be compiled (the messages are above)", source);
    }
    if (ok && list) {
        add_files(list, &args);
        ok = add_all_dependencies(list, folder, err);
    }
    VEC_FREE(&argv);
    cc_args_free(&args);
    return ok;
}

static bool
make_entry(const struct cc_tools *tools, const char *cache, const char *key, const char *source,
           const char *const *extra, size_t n, char *out, size_t room, struct ls_error *err)
{
    struct cc_folder folder = {0};
    struct text list = {0}, inputs = {0};
    char program[8192], list_path[8192], hash[33];
    if (!cc_folder_make(&folder, err))
        return false;
    snprintf(program, sizeof program, "%s/cc-%s.%ld.tmp", cache, key, (long)getpid());
    snprintf(list_path, sizeof list_path, "%s/cc-%s.list", cache, key);
    bool ok = compile_to(tools, &folder, source, extra, n, program, &inputs, err) &&
              hash_of_file(program, hash);
    if (ok) {
        /* The program's own hash is in its name: two writers of one entry do not mix. */
        text_add(&list, "%scc-%s-%.16s\n%send\n", list_head, key, hash, inputs.at);
        snprintf(out, room, "%s/cc-%s-%.16s", cache, key, hash);
    }
    if (ok && rename(program, out) != 0)
        ok = ls_fail(err, LS_ERR_SYSTEM, "%s: %s", out, strerror(errno));
    ok = ok && ls_write_private_file(list_path, list.at, list.count, err);
    if (!ok)
        unlink(program);
    text_free(&list);
    text_free(&inputs);
    cc_folder_remove(&folder);
    return ok;
}

/* Without a cache: one folder for this process, removed when it exits. */
static struct cc_folder uncached;

static void
remove_uncached(void)
{
    cc_folder_remove(&uncached);
}

static bool
build_uncached(const struct cc_tools *tools, const char *source, const char *const *extra, size_t n,
               char *out, size_t room, struct ls_error *err)
{
    struct cc_folder folder = {0};
    if (!uncached.path[0]) {
        if (!cc_folder_make(&uncached, err))
            return false;
        atexit(remove_uncached);
    }
    snprintf(out, room, "%s/program", uncached.path);
    bool ok = cc_folder_make(&folder, err) &&
              compile_to(tools, &folder, source, extra, n, out, NULL, err);
    cc_folder_remove(&folder);
    return ok;
}

bool
cc_build(const char *cu_path, const char *const *extra, size_t n, char *out_path, size_t room,
         struct ls_error *err)
{
    struct cc_tools tools;
    char cache[4096], key[33], list_path[8192], *source = realpath(cu_path, NULL);
    if (!source)
        return ls_fail(err, LS_ERR_INPUT, "%s: %s", cu_path, strerror(errno));
    bool ok = cc_find_tools(&tools, err);
    if (ok && !ls_cache_folder(cache, sizeof cache, err)) {
        if (err && err->status != LS_OK)
            ls_warn("%s; the program is compiled anew each time", err->text);
        ok = build_uncached(&tools, source, extra, n, out_path, room, err);
    } else if (ok) {
        key_of(&tools, source, extra, n, key);
        snprintf(list_path, sizeof list_path, "%s/cc-%s.list", cache, key);
        ok = entry_is_current(list_path, cache, out_path, room) ||
             make_entry(&tools, cache, key, source, extra, n, out_path, room, err);
    }
    free(source);
    return ok;
}

bool
cc_text(const char *cu_path, const char *const *extra, size_t n, bool device, struct text *out,
        struct ls_error *err)
{
    struct arena arena = {0};
    struct cc_args args = {.arena = &arena, .name = "lockstep cc"};
    struct cc_tools tools;
    struct cc_folder folder = {0};
    VEC(char *) argv = {0};
    bool ok = cc_find_tools(&tools, err) && cc_folder_make(&folder, err);
    VEC_PUSH(&argv, (char *)"lockstep cc");
    VEC_PUSH(&argv, (char *)"-E");
    VEC_PUSH(&argv, (char *)cu_path);
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(&argv, (char *)extra[i]);
    ok = ok && cc_parse(&args, (int)argv.count, argv.at, err);
    args.device_text = device;
    args.mode = CC_PREPROCESS;
    args.output = arena_printf(&arena, "%s/text", folder.path);
    if (ok && cc_execute(&args, &tools, &folder))
        ok = ls_fail(err, LS_ERR_INPUT, "%s could not be read by the compiler", cu_path);
    size_t size;
    char *text = ok ? ls_read_file(args.output, &size, err) : NULL;
    if (text)
        text_add_bytes(out, text, size);
    ls_release(text);
    VEC_FREE(&argv);
    cc_folder_remove(&folder);
    cc_args_free(&args);
    return text != NULL;
}
