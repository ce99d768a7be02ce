/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_tools: where clang, our headers and our library are. clang is $LOCKSTEP_CLANG, the one that
 * came with a wheel, or the newest of clang-20 ... clang-16, clang on PATH. Headers and library are
 * found from the place of this executable, in a build tree as in an installed one.
 */
#include "cc/cc_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLDEST_CLANG = 16 };

/* -- clang ---------------------------------------------------------------------------------- */

static bool
find_on_path(const char *name, char *out, size_t room)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/')) {
        snprintf(out, room, "%s", name);
        return access(out, X_OK) == 0;
    }
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t n = strcspn(at, ":");
        int length = snprintf(out, room, "%.*s/%s", (int)n, n ? at : ".", name);
        if (length > 0 && (size_t)length < room && access(out, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

/* "clang version 19.1.7 (...)", or "Debian clang version 14.0.6": the number behind "version ". */
static int
clang_major(const char *clang)
{
    struct text command = {0};
    char line[256] = "";
    text_add_bytes(&command, "'", 1);
    for (const char *c = clang; *c; c++)
        text_add(&command, *c == '\'' ? "'\\''" : "%c", *c);
    text_add(&command, "' --version 2>/dev/null");
    FILE *pipe = popen(command.at, "r");
    text_free(&command);
    if (!pipe)
        return 0;
    if (!fgets(line, sizeof line, pipe))
        line[0] = '\0';
    pclose(pipe);
    const char *at = strstr(line, "clang version ");
    return at ? atoi(at + strlen("clang version ")) : 0;
}

/* here: this executable's folder. */
static bool
find_clang(struct cc_tools *tools, const char *here, struct ls_error *err)
{
    static const char *const names[] = {"clang-20", "clang-19", "clang-18",
                                        "clang-17", "clang-16", "clang"};
    const char *own = getenv("LOCKSTEP_CLANG");
    if (own && *own) {
        if (!find_on_path(own, tools->clang, sizeof tools->clang))
            return ls_fail(err, LS_ERR_SYSTEM, "LOCKSTEP_CLANG=%s cannot be run", own);
        tools->clang_major = clang_major(tools->clang);
        if (tools->clang_major >= OLDEST_CLANG)
            return true;
        return ls_fail(err, LS_ERR_SYSTEM, "LOCKSTEP_CLANG=%s is no clang of version %d or newer",
                       own, OLDEST_CLANG);
    }
    /* A wheel brings its own, with the headers and the linker that belong to it. */
    int length = snprintf(tools->clang, sizeof tools->clang, "%s/../llvm/bin/clang", here);
    if (length > 0 && (size_t)length < sizeof tools->clang && access(tools->clang, X_OK) == 0 &&
        (tools->clang_major = clang_major(tools->clang)) >= OLDEST_CLANG)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!find_on_path(names[i], tools->clang, sizeof tools->clang))
            continue;
        tools->clang_major = clang_major(tools->clang);
        if (tools->clang_major >= OLDEST_CLANG)
            return true;
    }
    return ls_fail(err, LS_ERR_SYSTEM,
                   "clang is missing (version %d or newer): install the Debian package clang-19 "
                   "(apt-get install clang-19), or name one in LOCKSTEP_CLANG",
                   OLDEST_CLANG);
}

const char *
cc_ptx_feature(const struct cc_tools *tools)
{
    switch (tools->clang_major) {
    case 16: return "+ptx78";
    case 17: return "+ptx80";
    case 18: return "+ptx83";
    default: return "+ptx85";
    }
}

/* -- headers and library -------------------------------------------------------------------- */

/* The first of folders[] (below the executable's) that has the file; resolved. */
static bool
find_beside(const char *here, const char *const *folders, size_t n, const char *file, char *out)
{
    for (size_t i = 0; i < n; i++) {
        char path[8192], *folder;
        snprintf(path, sizeof path, "%s/%s/%s", here, folders[i], file);
        if (access(path, R_OK) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", here, folders[i]);
        folder = realpath(path, NULL);
        if (!folder)
            continue;
        snprintf(out, 4096, "%s", folder);
        free(folder);
        return true;
    }
    return false;
}

bool
cc_find_tools(struct cc_tools *tools, struct ls_error *err)
{
    static const char *const headers[] = {"include", "../include/lockstep"};
    static const char *const libraries[] = {".", "../lib", "../lib64", "../lib/x86_64-linux-gnu",
                                            "../lib/aarch64-linux-gnu"};
    static const char *const toolkits[] = {"toolkit", "../lib/lockstep/toolkit",
                                           "../lib/x86_64-linux-gnu/lockstep/toolkit",
                                           "../lib/aarch64-linux-gnu/lockstep/toolkit"};
    char here[4096];
    memset(tools, 0, sizeof *tools);
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    if (n <= 0)
        return ls_fail(err, LS_ERR_SYSTEM, "/proc/self/exe cannot be read");
    here[n] = '\0';
    *strrchr(here, '/') = '\0';
    if (!find_beside(here, headers, 2, "cuda_runtime.h", tools->include))
        return ls_fail(err, LS_ERR_SYSTEM,
                       "lockstep's headers are neither in %s/include nor in "
                       "%s/../include/lockstep",
                       here, here);
    find_beside(here, libraries, 5, "liblockstep.so", tools->library);
    find_beside(here, toolkits, 4, "lib64", tools->toolkit);
    return find_clang(tools, here, err);
}
