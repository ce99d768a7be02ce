/* SPDX-License-Identifier: Apache-2.0
 *
 * sources.c: lines of source files.
 */
#include "cli/debug/session.h"

#include <string.h>

const char *
source_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool
source_is(const char *path, const char *meant)
{
    while (!strncmp(meant, "./", 2))
        meant += 2;
    size_t n = strlen(path), m = strlen(meant);
    return m && m <= n && !strcmp(path + n - m, meant) && (m == n || path[n - m - 1] == '/');
}

static void
split(struct source_file *f)
{
    for (char *p = f->text; p && *p;) {
        VEC_PUSH(&f->lines, p);
        char *end = strchr(p, '\n');
        if (!end)
            break;
        *end = 0;
        if (end > p && end[-1] == '\r')
            end[-1] = 0;
        p = end + 1;
    }
}

/* PTX without lines of a source is a source itself, which may be in no file. */
static char *
text_of(struct session *s, const char *name)
{
    size_t size;
    char *text = ls_read_file(name, &size, NULL);
    for (size_t k = 0; !text && k < s->modules.count; k++) {
        const struct symbols *y = s->modules.at[k].symbols;
        if (strcmp(y->module->path, name) != 0)
            continue;
        text = ls_alloc(y->text_size + 1);
        memcpy(text, y->text, y->text_size);
    }
    return text;
}

static struct source_file *
file_of(struct session *s, const char *name)
{
    for (size_t k = 0; k < s->sources.count; k++)
        if (!strcmp(s->sources.at[k]->name, name))
            return s->sources.at[k];
    struct source_file *f = ls_alloc(sizeof *f);
    f->name = strcpy(ls_alloc(strlen(name) + 1), name);
    f->text = text_of(s, name);
    split(f);
    VEC_PUSH(&s->sources, f);
    return f;
}

const char *
source_line(struct session *s, const char *file, uint32_t line)
{
    const struct source_file *f = file_of(s, file);
    return line && line <= f->lines.count ? f->lines.at[line - 1] : NULL;
}

uint32_t
source_count(struct session *s, const char *file)
{
    return (uint32_t)file_of(s, file)->lines.count;
}

void
source_show(struct session *s, const char *file, uint32_t line)
{
    const char *text = source_line(s, file, line);
    if (text)
        session_say(s, "%u\t%s\n", line, text);
    else
        session_say(s, "%u\tin %s\n", line, file);
}

const char *
source_current(struct session *s)
{
    const char *file;
    uint32_t line;
    const struct module *m = session_module(s);
    if (m && session_place(s) != NO_PLACE &&
        symbols_place_line(m->symbols, session_place(s), &file, &line))
        return file;
    for (size_t k = 0; k < s->modules.count; k++) /* a kernel's, else any function's */
        for (int kernel = 1; kernel >= 0; kernel--)
            for (size_t n = 0; n < s->modules.at[k].symbols->function_count; n++) {
                const struct source_function *f = &s->modules.at[k].symbols->functions[n];
                if (f->end > f->first && f->ptx->is_kernel >= kernel &&
                    symbols_place_line(s->modules.at[k].symbols, f->body, &file, &line))
                    return file;
            }
    return NULL;
}
