/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a TOML file as JSON, strings as hexadecimal bytes, for toml_test.py.
 */
#include "cli/text/toml.h"

#include <math.h>
#include <stdio.h>

static void
print_hex(const char *s)
{
    putchar('"');
    for (; *s; s++)
        printf("%02x", (unsigned char)*s);
    putchar('"');
}

static void
print(const struct toml *t)
{
    char open = t->kind == TOML_TABLE ? '{' : '[';
    switch (t->kind) {
    case TOML_STRING: print_hex(t->string); return;
    case TOML_INTEGER: printf("[\"i\", %lld]", (long long)t->integer); return;
    case TOML_FLOAT:
        if (isfinite(t->number))
            printf("[\"f\", %.17g]", t->number);
        else
            printf("[\"f\", \"%s\"]", isnan(t->number) ? "nan" : t->number > 0 ? "inf" : "-inf");
        return;
    case TOML_BOOLEAN: printf(t->truth ? "true" : "false"); return;
    default: break;
    }
    printf(open == '{' ? "{" : "[\"a\"");
    for (const struct toml *e = t->first; e; e = e->next) {
        if (e != t->first || open == '[')
            putchar(',');
        if (e->key) {
            print_hex(e->key);
            putchar(':');
        }
        print(e);
    }
    putchar(open == '{' ? '}' : ']');
}

int
main(int argc, char **argv)
{
    struct arena a = {0};
    struct ls_error err = {0};
    const struct toml *root = argc > 1 ? toml_read(argv[1], &a, &err) : NULL;
    if (root)
        print(root);
    else
        fprintf(stderr, "%s\n", err.text);
    arena_free(&a);
    return !root;
}
