/* SPDX-License-Identifier: Apache-2.0
 *
 * help_forms.c: one command described as text, as the rest of a manual page (its head has been
 * printed), and as its part of each shell's completion. One function a form, one row each in
 * `forms`.
 */
#include "cli/options/help_forms.h"

#include <stdio.h>
#include <string.h>

struct description {
    const struct cli_usage *usage;
    const struct option_row *rows; /* shared with other commands */
    size_t count;
};

typedef void (*row_printer)(const struct description *d, const struct option_row *row,
                            struct text *t);

static void
each_row(const struct description *d, row_printer print, struct text *t)
{
    for (size_t k = 0; k < d->usage->row_count; k++)
        print(d, &d->usage->rows[k], t);
    for (size_t k = 0; k < d->count; k++)
        print(d, &d->rows[k], t);
}

static void
as_text(const struct description *d, struct text *t)
{
    text_add(t, "usage: lockstep %s %s\n\n%s", d->usage->name, d->usage->synopsis, d->usage->text);
    if (d->usage->row_count) {
        text_add(t, *d->usage->text ? "\nOptions:\n" : "Options:\n");
        options_help(d->usage->rows, d->usage->row_count, t);
    }
    if (d->count) {
        text_add(t, "\nCommon options:\n");
        options_help(d->rows, d->count, t);
    }
}

/* -- manual pages ------------------------------------------------------------------------------ */

static void
man_row(const struct description *d, const struct option_row *r, struct text *t)
{
    text_add(t, ".TP\n");
    if (r->letter)
        text_add(t, "\\fB\\-%c\\fR, ", r->letter);
    text_add(t, "\\fB");
    for (const char *c = r->name; *c; c++)
        text_add(t, *c == '-' ? "\\-" : "%c", *c);
    text_add(t, "\\fR");
    if (r->value && r->value[0] == '[')
        text_add(t, "[=\\fI%.*s\\fR]", (int)strlen(r->value) - 2, r->value + 1);
    else if (r->value)
        text_add(t, " \\fI%s\\fR", r->value);
    text_add(t, "\n");
    help_man_text(t, r->help && *r->help ? r->help : "as nvcc's");
    text_add(t, "\n");
    if (r->environment)
        text_add(t, "In the environment:\n.BR %s .\n", r->environment);
}

static void
as_man(const struct description *d, struct text *t)
{
    text_add(t, ".SH SYNOPSIS\n.B lockstep %s\n", d->usage->name);
    help_man_text(t, d->usage->synopsis);
    text_add(t, "\n.SH DESCRIPTION\n");
    help_man_text(t, *d->usage->text ? d->usage->text : "See\n  lockstep help\n");
    text_add(t, ".SH OPTIONS\n");
    each_row(d, man_row, t);
    text_add(t, ".SH SEE ALSO\n.BR lockstep (1),\n.BR lockstep\\-topics (7)\n");
}

/* -- a page of the guide ----------------------------------------------------------------------- */

static void
markdown_cell(struct text *t, const char *s)
{
    for (; *s; s++)
        text_add(t, strchr("|*<_", *s) ? "\\%c" : "%c", *s);
}

static void
markdown_row(const struct description *d, const struct option_row *r, struct text *t)
{
    text_add(t, "| `%s", r->name);
    if (r->value && r->value[0] == '[')
        text_add(t, "[=%.*s]", (int)strlen(r->value) - 2, r->value + 1);
    else if (r->value)
        text_add(t, " %s", r->value);
    text_add(t, "`");
    if (r->letter)
        text_add(t, ", `-%c`", r->letter);
    text_add(t, " | ");
    markdown_cell(t, r->help ? r->help : "");
    if (r->environment)
        text_add(t, " (`%s`)", r->environment);
    text_add(t, " |\n");
}

/* The shared options stand once, behind all commands. */
static void
as_markdown(const struct description *d, struct text *t)
{
    text_add(t, "\n## lockstep %s\n\n    lockstep %s %s\n\n", d->usage->name, d->usage->name,
             d->usage->synopsis);
    if (*d->usage->text)
        text_add(t, "```text\n%s```\n\n", d->usage->text);
    text_add(t, "| option | meaning |\n| --- | --- |\n");
    for (size_t k = 0; k < d->usage->row_count; k++)
        markdown_row(d, &d->usage->rows[k], t);
    if (d->count)
        text_add(t, "\nand the common ones.\n");
}

static void
as_common(const struct description *d, struct text *t)
{
    text_add(t, "| option | meaning |\n| --- | --- |\n");
    for (size_t k = 0; k < d->count; k++)
        markdown_row(d, &d->rows[k], t);
}

/* -- completions ------------------------------------------------------------------------------- */

static void
bash_row(const struct description *d, const struct option_row *r, struct text *t)
{
    text_add(t, " %s", r->name);
}

static void
as_bash(const struct description *d, struct text *t)
{
    text_add(t, "    %s) options=\"", d->usage->name);
    each_row(d, bash_row, t);
    text_add(t, "\" ;;\n");
}

/* Text inside of '...[...]', without what ends either. */
static void
zsh_escape(struct text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '\'')
            text_add(t, "'\\''");
        else if (strchr("[]:\\", *s))
            text_add(t, "\\%c", *s);
        else
            text_add_bytes(t, s, 1);
    }
}

static void
zsh_row(const struct description *d, const struct option_row *r, struct text *t)
{
    bool optional = r->value && r->value[0] == '[';
    text_add(t, " \\\n        '%s%s[", r->name, optional ? "=-" : r->value ? "=" : "");
    zsh_escape(t, r->help ? r->help : "");
    text_add(t, "]");
    if (r->value) {
        text_add(t, optional ? "::" : ":");
        zsh_escape(t, r->value);
        text_add(t, ":_files");
    }
    text_add(t, "'");
}

static void
as_zsh(const struct description *d, struct text *t)
{
    text_add(t, "    %s) _arguments -S", d->usage->name);
    each_row(d, zsh_row, t);
    text_add(t, " \\\n        '*:file:_files' ;;\n");
}

static void
fish_row(const struct description *d, const struct option_row *r, struct text *t)
{
    bool one_dash = r->name[1] != '-';
    text_add(t, "complete -c lockstep -n '__fish_seen_subcommand_from %s' -%c %s%s -d \"",
             d->usage->name, one_dash ? 'o' : 'l', r->name + (one_dash ? 1 : 2),
             r->value && r->value[0] != '[' ? " -r" : "");
    for (const char *c = r->help ? r->help : ""; *c; c++)
        text_add(t, strchr("\"\\$", *c) ? "\\%c" : "%c", *c);
    text_add(t, "\"\n");
}

static void
as_fish(const struct description *d, struct text *t)
{
    each_row(d, fish_row, t);
}

/* -- forms ------------------------------------------------------------------------------------- */

void
help_man_text(struct text *out, const char *text)
{
    bool kept = false, empty = true;
    while (*text) {
        size_t n = strcspn(text, "\n");
        bool keep = ls_starts_with(text, "  ");
        if (keep != kept)
            text_add(out, keep ? ".nf\n" : ".fi\n");
        kept = keep;
        if (!n && !empty)
            text_add(out, ".PP\n");
        else if (n && !keep && (*text == '.' || *text == '\''))
            text_add(out, "\\&");
        for (size_t k = 0; k < n; k++) {
            if (text[k] == '\\')
                text_add(out, "\\e");
            else if (text[k] == '-')
                text_add(out, "\\-");
            else
                text_add_bytes(out, text + k, 1);
        }
        text_add(out, n ? "\n" : "");
        empty = !n;
        text += n + (text[n] == '\n');
    }
    text_add(out, kept ? ".fi\n" : "");
}

bool
help_print(const struct cli_usage *usage, const struct option_row *rows, size_t count,
           const char *form)
{
    static const struct {
        const char *name;
        void (*print)(const struct description *d, struct text *t);
    } forms[] = {{"text", as_text},    {"man", as_man},   {"bash", as_bash},
                 {"zsh", as_zsh},      {"fish", as_fish}, {"markdown", as_markdown},
                 {"common", as_common}};
    struct description d = {usage, rows, count};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (strcmp(forms[k].name, form) == 0) {
            struct text t = {0};
            forms[k].print(&d, &t);
            if (strcmp(form, "text") == 0)
                columns_print(stdout, t.at ? t.at : "", true);
            else
                fputs(t.at ? t.at : "", stdout);
            text_free(&t);
            return true;
        }
    return false;
}

const char *
help_form(int argc, char **argv)
{
    return argc == 2 && ls_starts_with(argv[1], "--help=") ? argv[1] + strlen("--help=") : NULL;
}
