/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_source: spellings of CUDA that nvcc takes and clang does not. A launch may be written with
 * spaces between the brackets, "kernel << < grid, block >> > (x)"; clang wants <<< and >>>. And
 * alignas may stand behind __shared__; clang wants it before. Special registers may be written with
 * one % in inline assembly that has operands; clang wants two. Sources (and the files beside them
 * that they include by "name") are read; where one has such a spelling, or a launch from a kernel
 * (cc_nested.c), clang gets a copy in its place, by an overlay of the file system, so that names,
 * lines and columns stay what they are.
 */
#include "cc/cc_priv.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 500 };

struct sources {
    struct arena *arena;
    const char *folder; /* for copies */
    VEC(const char *) seen;
    struct text overlay;
    unsigned copies;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *
skip_string(const char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

static const char *
skip_comment(const char *p)
{
    if (p[1] == '/')
        return p + strcspn(p, "\n");
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

/* At a '<<' with another '<' behind blanks: "<<<" and as many blanks. Not behind the word operator,
 * where a template's arguments follow. */
static bool
join_brackets(char *text, char *p, bool open_seen)
{
    char bracket = p[0], *third = p + 2;
    if (p[1] != bracket || (bracket == '>' && !open_seen))
        return false;
    while (*third == ' ' || *third == '\t')
        third++;
    if (third == p + 2 || third[0] != bracket || third[1] == '=' || third[1] == bracket)
        return false;
    const char *before = p;
    while (before > text && isspace((unsigned char)before[-1]))
        before--;
    if (before - text >= 8 && strncmp(before - 8, "operator", 8) == 0)
        return false;
    *third = ' ';
    p[2] = bracket;
    return true;
}

const char *
cc_skip_quoted(const char *text, const char *p)
{
    bool separator = *p == '\'' && p > text && isdigit((unsigned char)p[-1]); /* 1'000 */
    if (*p == '"' || (*p == '\'' && !separator))
        return skip_string(p);
    return p[0] == '/' && (p[1] == '/' || p[1] == '*') ? skip_comment(p) : p;
}

/* "__shared__ alignas(16)" becomes "alignas(16) __shared__"; p is at the first. */
static bool
swap_alignment(char *p)
{
    static const char word[] = "__shared__";
    char *align = p + sizeof word - 1 + strspn(p + sizeof word - 1, " \t"), *end = align + 8;
    if (strncmp(p, word, sizeof word - 1) != 0 || strncmp(align, "alignas(", 8) != 0)
        return false;
    for (int depth = 1; depth > 0; end++) {
        if (!*end || *end == '\n')
            return false;
        depth += (*end == '(') - (*end == ')');
    }
    size_t size = (size_t)(end - align), gap = (size_t)(align - p);
    char *copy = ls_alloc(size + 1);
    memcpy(copy, align, size);
    memcpy(p, copy, size);
    memset(p + size, ' ', gap);
    memcpy(end - (sizeof word - 1), word, sizeof word - 1); /* at least one blank is before it */
    ls_release(copy);
    return true;
}

static bool
mend_spelling(char *text)
{
    bool changed = false, aligned = false;
    for (char *p = text; *p;) {
        char *next = (char *)cc_skip_quoted(text, p);
        if (next != p) {
            p = next;
        } else {
            if (*p == '<' || *p == '>')
                changed |= join_brackets(text, p, changed);
            else if (*p == '_' && (p == text || !is_word(p[-1])))
                aligned |= swap_alignment(p);
            p += p[0] == '<' && p[1] == '<' && p[2] == '<' ? 3 : 1;
        }
    }
    return changed || aligned;
}

/* Past the assembly statement whose word "asm" ends at p: *out_operands when a ':' parts it. NULL:
 * it is none. */
static const char *
assembly_end(const char *text, const char *p, bool *out_operands)
{
    int depth = 0;
    while (isspace((unsigned char)*p) || is_word(*p))
        p++;
    if (*p != '(')
        return NULL;
    for (*out_operands = false; *p;) {
        const char *next = cc_skip_quoted(text, p);
        if (next == p) {
            depth += (*p == '(') - (*p == ')');
            *out_operands |= *p == ':' && depth == 1;
            next = p + 1;
        }
        p = next;
        if (depth == 0)
            return p;
    }
    return NULL;
}

/* Copies from p to end; in strings, a % before a name (two letters at least: operands have one, or
 * digits) is doubled. */
static bool
double_percents(struct text *out, const char *text, const char *p, const char *end)
{
    bool changed = false, quoted = false;
    while (p < end) {
        const char *next = quoted ? p : cc_skip_quoted(text, p);
        if (next != p && *p == '/') {
            text_add_bytes(out, p, (size_t)(next - p));
            p = next;
            continue;
        }
        quoted ^= *p == '"';
        if (quoted && (*p == '\\' || (p[0] == '%' && p[1] == '%'))) {
            text_add_bytes(out, p, 2);
            p += 2;
            continue;
        }
        if (quoted && *p == '%' && isalpha((unsigned char)p[1]) && isalpha((unsigned char)p[2])) {
            text_add_bytes(out, "%", 1);
            changed = true;
        }
        text_add_bytes(out, p++, 1);
    }
    return changed;
}

/* The text with what assembly statements need; NULL: nothing. ls_release */
static char *
mend_assembly(const char *text, size_t *size)
{
    struct text out = {0};
    bool changed = false, operands;
    const char *done = text;
    if (!strstr(text, "asm"))
        return NULL;
    for (const char *p = text; *p;) {
        const char *next = cc_skip_quoted(text, p), *end = NULL;
        bool word = next == p && strncmp(p, "asm", 3) == 0 &&
                    (p == text || !is_word(p[-1]) || p[-1] == '_');
        size_t name = word ? 3 + strspn(p + 3, "_") : 0;
        if (word && !is_word(p[name]))
            end = assembly_end(text, p + name, &operands);
        if (end && operands) {
            text_add_bytes(&out, done, (size_t)(p - done));
            changed |= double_percents(&out, text, p, end);
            done = end;
        }
        p = end ? end : next == p ? p + 1 : next;
    }
    text_add(&out, "%s", done);
    *size = out.count;
    if (changed)
        return out.at;
    text_free(&out);
    return NULL;
}

static void visit(struct sources *s, const char *path);

/* The files beside this one that it names. */
static void
visit_included(struct sources *s, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) : 0;
    for (const char *p = text; (p = strstr(p, "#include")) != NULL;) {
        p += 8 + strspn(p + 8, " \t");
        size_t size = *p == '"' ? strcspn(p + 1, "\"\n") : 0;
        if (size)
            visit(s, arena_printf(s->arena, "%.*s/%.*s", folder, path, (int)size, p + 1));
    }
}

static void
add_copy(struct sources *s, const char *path, const char *text, size_t size)
{
    struct ls_error err = {0};
    const char *copy = arena_printf(s->arena, "%s/source-%u", s->folder, s->copies);
    if (strpbrk(path, "'\\\n") || !ls_write_file(copy, text, size, &err))
        return;
    const char *name = strrchr(path, '/') + 1;
    text_add(&s->overlay,
             "%s{'type': 'directory', 'name': '%.*s', 'contents': [{'type': 'file', 'name': '%s', "
             "'external-contents': '%s'}]}",
             s->copies++ ? ",\n" : "", (int)(name - 1 - path), path, name, copy);
}

static void
visit(struct sources *s, const char *path)
{
    char whole[PATH_MAX];
    struct ls_error err = {0};
    size_t size;
    if (s->seen.count >= MOST_FILES || !realpath(path, whole))
        return;
    for (size_t i = 0; i < s->seen.count; i++)
        if (strcmp(s->seen.at[i], whole) == 0)
            return;
    char *text = ls_read_file(whole, &size, &err);
    if (!text)
        return;
    VEC_PUSH(&s->seen, arena_printf(s->arena, "%s", whole));
    visit_included(s, whole, text);
    bool mended = mend_spelling(text);
    char *(*const steps[])(const char *, size_t *) = {mend_assembly, cc_nested_launches};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        char *more = steps[k](text, &size);
        if (more) {
            ls_release(text);
            text = more;
            mended = true;
        }
    }
    if (mended)
        add_copy(s, whole, text, size);
    ls_release(text);
}

const char *
cc_overlay(struct arena *arena, const char *path, const char *folder, struct ls_error *err)
{
    struct sources s = {.arena = arena, .folder = folder};
    const char *file = NULL;
    text_add(&s.overlay, "{'version': 0, 'use-external-names': false, 'roots': [\n");
    visit(&s, path);
    text_add(&s.overlay, "\n]}\n");
    if (s.copies) {
        file = arena_printf(arena, "%s/overlay.yaml", folder);
        if (!ls_write_file(file, s.overlay.at, s.overlay.count, err))
            file = NULL;
    }
    text_free(&s.overlay);
    VEC_FREE(&s.seen);
    return file;
}
