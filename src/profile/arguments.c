/* SPDX-License-Identifier: Apache-2.0
 *
 * arguments.c: what a kernel's arguments are called in its source. PTX numbers them, and line
 * tables name no variables, so the list behind the kernel's name is read, above the first line that
 * its code comes from.
 */
#include "profile/profile_priv.h"

#include <ctype.h>
#include <string.h>

/* Where the kernel's code begins: false where PTX has no lines. */
static bool
first_place(const struct ptx_func *f, const char **file, uint32_t *line)
{
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const struct ptx_loc *l = f->insns[k].loc ? &f->locs[f->insns[k].loc] : NULL;
        if (!l || !l->line)
            continue;
        *file = f->module->files[l->file].name;
        *line = l->line;
        return true;
    }
    return false;
}

/* "add" of "space::add<float>" */
static const char *
plain_name(struct arena *a, const char *symbol)
{
    char *name = ls_readable_name(a, symbol), *end = name + strcspn(name, "<("), *begin = end;
    while (begin > name && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    return arena_strndup(a, begin, (size_t)(end - begin));
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the "(" of the last "NAME (" that stands before `end`. NULL: there is none. */
static const char *
list_behind(const char *text, const char *end, const char *name)
{
    const char *found = NULL;
    size_t n = strlen(name);
    for (const char *at = text; n && (at = strstr(at, name)) && at < end; at++) {
        const char *behind = at + n + strspn(at + n, " \t\r\n");
        if ((at == text || !is_word(at[-1])) && *behind == '(')
            found = behind + 1;
    }
    return found;
}

/* The last word of a parameter, before "[" or "=". NULL: it has no name. */
static const char *
name_in(struct arena *a, const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && *stop != '[' && *stop != '=')
        stop++;
    while (stop > at && !is_word(stop[-1]))
        stop--;
    const char *begin = stop;
    while (begin > at && is_word(begin[-1]))
        begin--;
    const char *before = begin;
    while (before > at && isspace((unsigned char)before[-1]))
        before--;
    return begin < stop && before > at && !isdigit((unsigned char)*begin)
               ? arena_strndup(a, begin, (size_t)(stop - begin))
               : NULL;
}

/* Comments become blanks, so that no comma or bracket in them counts. */
static void
blank_comments(char *s)
{
    for (; *s; s++) {
        const char *end = s[0] == '/' && s[1] == '/'   ? strchr(s, '\n')
                          : s[0] == '/' && s[1] == '*' ? strstr(s + 2, "*/")
                                                       : s;
        if (end == s)
            continue;
        for (end = end ? end : s + strlen(s); s < end; s++)
            if (*s != '\n')
                *s = ' ';
        if (*s == '*') {
            s[0] = s[1] = ' ';
        } else if (!*s) {
            return;
        }
    }
}

static void
read_list(const char *at, const struct ptx_func *f, struct arena *a, const char **names)
{
    int depth = 0;
    uint32_t k = 0;
    for (const char *begin = at;; at++) {
        depth += (*at == '(' || *at == '<' || *at == '[' || *at == '{') -
                 (*at == '>' || *at == ']' || *at == '}');
        bool over = !*at || (*at == ')' && depth-- == 0);
        if (!over && (*at != ',' || depth))
            continue;
        if (k < f->param_count)
            names[k] = name_in(a, begin, at);
        k++;
        begin = at + 1;
        if (over)
            break;
    }
    for (uint32_t n = 0; n < f->param_count && k != f->param_count; n++)
        names[n] = NULL; /* another list than this kernel's, or a pack */
}

const char **
profile_argument_names(const struct ptx_func *f, struct arena *a)
{
    const char **names = ARENA_ARRAY(a, const char *, f->param_count + 1), *file, *end;
    uint32_t line;
    size_t size;
    char *text = first_place(f, &file, &line) ? ls_read_file(file, &size, NULL) : NULL;
    for (end = text; text && line && *end; end++)
        line -= *end == '\n';
    if (text)
        blank_comments(text);
    const char *list = text ? list_behind(text, end, plain_name(a, f->name)) : NULL;
    if (list)
        read_list(list, f, a, names);
    for (uint32_t k = 0; k < f->param_count; k++)
        names[k] = names[k] ? names[k] : arena_printf(a, "argument%u", k);
    ls_release(text);
    return names;
}
