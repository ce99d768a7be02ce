/* SPDX-License-Identifier: Apache-2.0
 *
 * name.c: symbols of C++ as people write them (Itanium C++ ABI, 5.1, the parts that names of
 * kernels and of their variables use). Start at ls_readable_name.
 */
#include "base/base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct mangled {
    const char *at;
    struct text out;
    unsigned depth; /* of arguments in arguments */
    bool lost;      /* met something that is not known here */
};

static const char *
builtin_type(char c)
{
    switch (c) {
    case 'v': return "void";
    case 'b': return "bool";
    case 'c': return "char";
    case 'a': return "signed char";
    case 'h': return "unsigned char";
    case 's': return "short";
    case 't': return "unsigned short";
    case 'i': return "int";
    case 'j': return "unsigned";
    case 'l': return "long";
    case 'm': return "unsigned long";
    case 'x': return "long long";
    case 'y': return "unsigned long long";
    case 'f': return "float";
    case 'd': return "double";
    default: return NULL;
    }
}

/* What no name of its own has been given is left out. */
static void
identifier(struct mangled *m, const char *separator)
{
    size_t length = 0;
    while (isdigit((unsigned char)*m->at) && length < 4096)
        length = length * 10 + (size_t)(*m->at++ - '0');
    if (!length || length > strlen(m->at)) {
        m->lost = true;
        return;
    }
    if (!ls_starts_with(m->at, "_GLOBAL__N")) {
        text_add(&m->out, "%s", separator);
        text_add_bytes(&m->out, m->at, length);
    }
    m->at += length;
}

/* L i 32 E, L b 1 E, L j n5 E */
static void
literal(struct mangled *m)
{
    char type = *m->at ? *m->at++ : 0;
    const char *end = strchr(m->at, 'E');
    if (!end || !builtin_type(type)) {
        m->lost = true;
        return;
    }
    if (type == 'b')
        text_add(&m->out, "%s", *m->at == '1' ? "true" : "false");
    else
        text_add(&m->out, "%s%.*s", *m->at == 'n' ? "-" : "", (int)(end - m->at - (*m->at == 'n')),
                 m->at + (*m->at == 'n'));
    m->at = end + 1;
}

static void argument(struct mangled *m);

/* I i Li32E E */
static void
arguments(struct mangled *m)
{
    const char *separator = "";
    m->at++; /* I */
    text_add(&m->out, "<");
    for (; *m->at && *m->at != 'E' && !m->lost; separator = ", ") {
        text_add(&m->out, "%s", separator);
        argument(m);
    }
    m->at += *m->at == 'E';
    text_add(&m->out, m->lost ? "...>" : ">");
}

/* N 5outer 5inner I i E E */
static void
qualified(struct mangled *m)
{
    size_t start = m->out.count;
    bool nested = *m->at == 'N';
    m->at += nested;
    m->at += nested ? strspn(m->at, "rVKRO") : 0; /* of a method: const and its like */
    do {
        m->at += *m->at == 'L'; /* static */
        identifier(m, m->out.count > start ? "::" : "");
        if (!m->lost && *m->at == 'I')
            arguments(m);
    } while (nested && *m->at && *m->at != 'E' && !m->lost);
    m->at += nested && *m->at == 'E';
}

static void
argument(struct mangled *m)
{
    enum { DEEPEST = 64 };
    char c = *m->at;
    if (m->depth++ == DEEPEST) {
        m->lost = true;
    } else if (c == 'P' || c == 'R' || c == 'K') {
        m->at++;
        argument(m);
        text_add(&m->out, "%s", m->lost ? "" : c == 'P' ? "*" : c == 'R' ? "&" : " const");
    } else if (c == 'L') {
        m->at++;
        literal(m);
    } else if (isdigit((unsigned char)c) || c == 'N') {
        qualified(m);
    } else if (builtin_type(c)) {
        text_add(&m->out, "%s", builtin_type(*m->at++));
    } else {
        m->lost = true;
    }
    m->depth--;
}

/* _ZZ 4sums Pf E 4tile: a variable of a function; what stands last is its own name. */
static const char *
own_name(const char *symbol)
{
    const char *own = symbol;
    for (const char *e = strchr(symbol, 'E'); e; e = strchr(e + 1, 'E'))
        if (e[1] >= '1' && e[1] <= '9')
            own = e + 1;
    return own;
}

char *
ls_readable_name(struct arena *a, const char *symbol)
{
    if (!ls_starts_with(symbol, "_Z"))
        return arena_strdup(a, symbol);
    struct mangled m = {.at = symbol + 2};
    if (*m.at == 'Z')
        m.at = own_name(m.at);
    m.at += *m.at == 'L';
    qualified(&m);
    bool some = m.out.count && m.out.at[0] != '<';
    char *name = arena_strdup(a, some ? m.out.at : symbol);
    text_free(&m.out);
    return name;
}

bool
ls_name_contains(const char *symbol, const char *text)
{
    struct arena a = {0};
    bool yes = !text || strstr(symbol, text) || strstr(ls_readable_name(&a, symbol), text);
    arena_free(&a);
    return yes;
}
