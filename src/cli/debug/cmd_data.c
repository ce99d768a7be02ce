/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_data.c: values: print, x, display, set.
 */
#include "cli/debug/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* -- print ------------------------------------------------------------------------------------- */

static bool
evaluated(struct session *s, const char *text, struct world *w, struct value *v,
          struct ls_error *err)
{
    *w = session_here(s);
    if (*text)
        return evaluate(w, text, NULL, v, err);
    if (!s->history.count)
        return ls_fail(err, LS_ERR_USAGE, "History is empty.");
    *v = s->history.at[s->history.count - 1];
    return true;
}

/* As it is now: with its bytes, in memory of its own. */
static void
remember(struct session *s, struct world *w, struct value *v)
{
    struct ls_error unused;
    struct value kept = *v;
    if (v->gone || !value_fetch(w, v, &unused) || type_plain(v->type)->kind == TYPE_VOID)
        return;
    kept.bytes = arena_alloc(&s->keep, type_size(v->type) + 8);
    memcpy(kept.bytes, v->bytes, type_size(v->type));
    VEC_PUSH(&s->history, kept);
}

static bool
print(struct session *s, const char *args, bool numbered, struct ls_error *err)
{
    struct format_word f;
    struct world w;
    struct value v;
    struct text text = {0};
    if (!word_format(&args, &f, err) || !evaluated(s, args, &w, &v, err))
        return false;
    bool fine = format_value(&w, &v, f.letter, &text, err);
    size_t before = s->history.count;
    if (fine && numbered)
        remember(s, &w, &v);
    if (fine && s->history.count > before)
        session_say(s, "$%zu = %s\n", s->history.count, text.at);
    else if (fine)
        session_say(s, numbered ? "$ = %s\n" : "%s", text.at ? text.at : "");
    text_free(&text);
    return fine;
}

DEBUG_COMMAND_IS(cmd_print, print(s, args, true, err))
DEBUG_COMMAND_IS(cmd_output, print(s, args, false, err))

/* -- types ------------------------------------------------------------------------------------- */

static bool
type_of(struct session *s, const char *args, struct type **t, struct ls_error *err)
{
    struct world w = session_here(s);
    struct value v;
    w.types = &s->keep;
    w.no_effects = true;
    *t = evaluate_type(&w, args);
    if (*t)
        return true;
    if (!evaluated(s, args, &w, &v, err))
        return false;
    *t = v.type;
    return true;
}

static bool
show_type(struct session *s, const char *args, bool whole, struct ls_error *err)
{
    struct type *t;
    struct text text = {0};
    if (!type_of(s, args, &t, err))
        return false;
    if (whole)
        type_describe(t, &text);
    else
        type_text(t, &text);
    session_say(s, "type = %s\n", text.at);
    text_free(&text);
    return true;
}

DEBUG_COMMAND_IS(cmd_ptype, show_type(s, args, true, err))
DEBUG_COMMAND_IS(cmd_whatis, show_type(s, args, false, err))

/* -- x ----------------------------------------------------------------------------------------- */

static struct type *
unit_type(char letter, char size, struct type *pointed)
{
    uint64_t bytes = size == 'b' ? 1 : size == 'h' ? 2 : size == 'w' ? 4 : size == 'g' ? 8 : 0;
    if (!bytes)
        bytes = type_is_number(pointed) && type_size(pointed) ? type_size(pointed) : 4;
    if (letter == 'c')
        bytes = size ? bytes : 1;
    if (letter == 'f')
        return type_base(bytes == 8 ? "double" : bytes == 2 ? "__half" : "float");
    bool is_signed = letter == 'd' || letter == 'c';
    return type_base(bytes == 1   ? (is_signed ? "signed char" : "unsigned char")
                     : bytes == 2 ? (is_signed ? "short" : "unsigned short")
                     : bytes == 8 ? (is_signed ? "long" : "unsigned long")
                                  : (is_signed ? "int" : "unsigned int"));
}

static bool
x_strings(struct session *s, struct world *w, uint64_t count, struct ls_error *err)
{
    for (uint64_t k = 0; k < count; k++) {
        struct text text = {0};
        bool more = true;
        uint64_t from = s->x.address;
        for (int n = 0; n < 200 && more; n++) {
            struct value c = value_in_memory(type_base("char"), s->x.space, s->x.address);
            if (!value_fetch(w, &c, err)) {
                text_free(&text);
                return false;
            }
            s->x.address++;
            more = *c.bytes != 0;
            char letter = (char)*c.bytes;
            if (more && isprint((unsigned char)letter))
                text_add(&text, "%c", letter);
            else if (more)
                text_add(&text, "\\%03o", (unsigned char)letter);
        }
        session_say(s, "0x%llx:\t\"%s\"\n", (unsigned long long)from, text.at ? text.at : "");
        text_free(&text);
    }
    return true;
}

static bool
x_units(struct session *s, struct world *w, uint64_t count, struct ls_error *err)
{
    uint64_t bytes = type_size(s->x.type);
    char letter = s->x.letter == 'x' ? 'z' : s->x.letter;
    uint64_t per_line = letter == 't' ? 2 : bytes == 8 || letter == 'a' ? 2 : bytes == 4 ? 4 : 8;
    for (uint64_t k = 0; k < count; k++) {
        struct value v = value_in_memory(s->x.type, s->x.space, s->x.address);
        struct text text = {0};
        bool fine = format_value(w, &v, letter, &text, err);
        if (fine && k % per_line == 0)
            session_say(s, "%s0x%llx:", k ? "\n" : "", (unsigned long long)s->x.address);
        if (fine)
            session_say(s, "\t%s", text.at);
        else if (k)
            session_say(s, "\n");
        text_free(&text);
        if (!fine)
            return false;
        s->x.address += bytes;
    }
    session_say(s, "\n");
    return true;
}

bool
cmd_x(struct session *s, const char *args, struct ls_error *err)
{
    struct format_word f;
    struct world w = session_here(s);
    struct value v;
    int64_t at;
    struct type *pointed = type_base("int");
    if (!word_format(&args, &f, err))
        return false;
    if (f.letter == 'i')
        return code_show(s, args, f.count ? f.count : 1, err);
    if (*args) {
        if (!evaluate(&w, args, NULL, &v, err) || !value_follow(&w, &v, err))
            return false;
        bool lies = v.place == VALUE_MEMORY &&
                    (type_is_aggregate(v.type) || type_plain(v.type)->kind == TYPE_ARRAY);
        if (lies) {
            at = (int64_t)v.address;
            s->x.space = v.space;
            pointed = type_plain(v.type)->kind == TYPE_ARRAY ? type_plain(v.type)->of : pointed;
        } else {
            if (!value_integer(&w, &v, &at, err))
                return false;
            bool pointer = type_plain(v.type)->kind == TYPE_POINTER;
            s->x.space = pointer ? type_plain(v.type)->space : PTX_SPACE_NONE;
            pointed = pointer ? type_plain(v.type)->of : pointed;
        }
        s->x.address = (uint64_t)at;
    } else if (!s->x.type) {
        return ls_fail(err, LS_ERR_USAGE, "Argument required (starting display address).");
    }
    if (*args || f.letter || f.size) {
        s->x.letter = f.letter ? f.letter : s->x.letter ? s->x.letter : 'x';
        s->x.type = unit_type(s->x.letter, f.size, pointed);
    }
    uint64_t count = f.count ? f.count : 1;
    enum { MOST = 1 << 20 };
    if (count > MOST)
        return ls_fail(err, LS_ERR_USAGE, "%llu units are too many", (unsigned long long)count);
    return s->x.letter == 's' ? x_strings(s, &w, count, err) : x_units(s, &w, count, err);
}

/* -- display ----------------------------------------------------------------------------------- */

static bool
show_display(struct session *s, const struct display *d, struct ls_error *err)
{
    struct world w = session_here(s);
    struct text text = {0};
    struct value v;
    bool fine = evaluate(&w, d->text, NULL, &v, err) && format_value(&w, &v, d->letter, &text, err);
    if (fine && d->letter)
        session_say(s, "%u: /%c %s = %s\n", d->number, d->letter, d->text, text.at);
    else if (fine)
        session_say(s, "%u: %s = %s\n", d->number, d->text, text.at);
    text_free(&text);
    return fine;
}

bool
cmd_display(struct session *s, const char *args, struct ls_error *err)
{
    struct format_word f;
    if (!word_format(&args, &f, err))
        return false;
    for (size_t k = 0; !*args && k < s->shown.all.count; k++)
        if (s->shown.all.at[k].enabled && !show_display(s, &s->shown.all.at[k], err))
            return false;
    if (!*args)
        return true;
    struct display d = {.number = s->shown.last + 1, .enabled = true, .letter = f.letter};
    d.text = strcpy(ls_alloc(strlen(args) + 1), args);
    if (s->focus.valid && !show_display(s, &d, err)) {
        ls_release(d.text);
        return false;
    }
    s->shown.last++;
    VEC_PUSH(&s->shown.all, d);
    return true;
}

static bool
undisplay_one(struct session *s, uint64_t number, struct ls_error *err)
{
    for (size_t k = 0; k < s->shown.all.count; k++)
        if (s->shown.all.at[k].number == number) {
            ls_release(s->shown.all.at[k].text);
            memmove(&s->shown.all.at[k], &s->shown.all.at[k + 1],
                    sizeof *s->shown.all.at * (s->shown.all.count - k - 1));
            s->shown.all.count--;
            return true;
        }
    return ls_fail(err, LS_ERR_USAGE, "Could not find display number %llu.",
                   (unsigned long long)number);
}

bool
cmd_undisplay(struct session *s, const char *args, struct ls_error *err)
{
    while (!*args && s->shown.all.count)
        if (!undisplay_one(s, s->shown.all.at[0].number, err))
            return false;
    return word_numbers(s, args, undisplay_one, err);
}

bool
info_display(struct session *s, const char *args, struct ls_error *err)
{
    (void)args, (void)err;
    if (!s->shown.all.count)
        session_say(s, "There are no auto-display expressions now.\n");
    else
        session_say(s, "Auto-display expressions now in effect:\nNum Enb Expression\n");
    for (size_t k = 0; k < s->shown.all.count; k++) {
        const struct display *d = &s->shown.all.at[k];
        session_say(s, "%u:   %c  ", d->number, d->enabled ? 'y' : 'n');
        if (d->letter)
            session_say(s, "/%c ", d->letter);
        session_say(s, "%s\n", d->text);
    }
    return true;
}

/* -- set, show --------------------------------------------------------------------------------- */

static bool
is_word(const char *args, const char *word, const char **rest)
{
    size_t n = strlen(word);
    if (strncmp(args, word, n) != 0 || (args[n] && !isspace((unsigned char)args[n])))
        return false;
    *rest = word_skip(args + n);
    return true;
}

static bool
set_args(struct session *s, const char *rest)
{
    VEC(char *) words = {0};
    VEC_PUSH(&words, s->words[0]);
    for (const char *word; (word = word_next(s, &rest));)
        VEC_PUSH(&words, arena_strdup(&s->keep, word));
    s->words = VEC_COPY(&s->keep, &words);
    VEC_FREE(&words);
    return true;
}

/* 0, unlimited: all of them. */
static bool
set_elements(struct session *s, const char *text, struct ls_error *err)
{
    uint64_t n = 0;
    if (strcmp(text, "unlimited") && !ls_parse_u64(text, &n))
        return ls_fail(err, LS_ERR_USAGE, "set print elements takes a number, or unlimited");
    s->elements = n && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    return true;
}

bool
cmd_set(struct session *s, const char *args, struct ls_error *err)
{
    /* what gdb's scripts set and that makes no difference here */
    static const char *const accepted[] = {"pagination", "confirm", "height",  "width",
                                           "verbose",    "print",   "logging", "style"};
    const char *rest;
    struct world w;
    struct value v;
    uint64_t n;
    if (is_word(args, "args", &rest))
        return set_args(s, rest);
    if (is_word(args, "listsize", &rest)) {
        if (!ls_parse_u64(rest, &n) || !n || n > 100000)
            return ls_fail(err, LS_ERR_USAGE, "set listsize takes a number of lines, not \"%s\"",
                           rest);
        s->list.size = (uint32_t)n;
        return true;
    }
    if (is_word(args, "print", &rest) && is_word(rest, "elements", &rest))
        return set_elements(s, rest, err);
    if (is_word(args, "pass-over", &rest)) {
        if (strcmp(rest, "on") && strcmp(rest, "off"))
            return ls_fail(err, LS_ERR_USAGE, "set pass-over takes on or off, not \"%s\"", rest);
        s->all_blocks = !strcmp(rest, "off");
        return breakpoints_send(s, err);
    }
    if (!is_word(args, "var", &rest) && !is_word(args, "variable", &rest)) {
        for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++)
            if (is_word(args, accepted[k], &rest))
                return true;
        if (!strchr(args, '='))
            return ls_fail(err, LS_ERR_USAGE,
                           "set %s: no such setting; `set var NAME = VALUE', "
                           "`set args', `set listsize', `set pass-over', `set print elements'",
                           args);
        rest = args;
    }
    if (!*rest)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (expression to compute).");
    return evaluated(s, rest, &w, &v, err);
}

bool
cmd_show(struct session *s, const char *args, struct ls_error *err)
{
    const char *rest;
    if (is_word(args, "args", &rest)) {
        session_say(s, "Argument list to give program being debugged when it is started is \"");
        for (size_t k = 1; s->words[k]; k++)
            session_say(s, "%s%s", k > 1 ? " " : "", s->words[k]);
        session_say(s, "\".\n");
    } else if (is_word(args, "listsize", &rest)) {
        session_say(s, "Number of source lines that list shows is %u.\n", s->list.size);
    } else if (is_word(args, "print", &rest) && is_word(rest, "elements", &rest)) {
        session_say(s,
                    s->elements == UINT32_MAX
                        ? "Limit on elements of arrays and texts to print is unlimited.\n"
                        : "Limit on elements of arrays and texts to print is %u.\n",
                    s->elements);
    } else if (is_word(args, "pass-over", &rest)) {
        session_say(s, "Blocks in which nothing can stop are passed over: %s.\n",
                    s->all_blocks ? "off" : "on");
    } else if (is_word(args, "version", &rest)) {
        session_say(s, "lockstep %s\n", LOCKSTEP_VERSION);
    } else {
        return ls_fail(
            err, LS_ERR_USAGE,
            "show %s: no such setting; args, listsize, pass-over, print elements, version", args);
    }
    return true;
}

bool
cmd_echo(struct session *s, const char *args, struct ls_error *err)
{
    (void)err;
    for (const char *p = args; *p; p++) {
        char c = *p;
        if (c == '\\' && p[1]) {
            p++;
            c = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
        }
        session_say(s, "%c", c);
    }
    return true;
}

bool
cmd_quit(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t status;
    if (!word_count(s, args, (uint64_t)s->quit_status, &status, err))
        return false;
    s->quit = true;
    s->quit_status = (int)(status & 0xff);
    if (*args)
        s->failed = false;
    return true;
}
