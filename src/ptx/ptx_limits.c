/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_limits.c: what a well-formed module may still ask too much of: constant memory, whose size is
 * the same on every device (PTX ISA, 5.1.3); and the registers that a compiler's option leaves a
 * thread.
 */
#include "ptx/ptx.h"

#include <string.h>

enum { CONSTANT_BYTES = 65536 };

bool
ptx_fits(const struct ptx_module *m, const char *path, struct ls_error *err)
{
    const struct ptx_var *largest = NULL;
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        if (v->space != PTX_SPACE_CONST)
            continue;
        bytes = (bytes + v->align - 1) / v->align * v->align + v->size;
        if (!largest || v->size > largest->size)
            largest = v;
    }
    if (bytes <= CONSTANT_BYTES)
        return true;
    struct arena names = {0};
    ls_fail(err, LS_ERR_INPUT,
            "%s: %llu bytes of constant memory (0x%llx), of which there are %d (0x%x): the "
            "largest variable is \"%s\" with %llu bytes",
            path, (unsigned long long)bytes, (unsigned long long)bytes, CONSTANT_BYTES,
            CONSTANT_BYTES, ls_readable_name(&names, largest->name),
            (unsigned long long)largest->size);
    arena_free(&names);
    return false;
}

/* Behind what stands at p and is no code: a comment, a string, a character. */
static const char *
behind_one(const char *p, const char *end)
{
    const char *close = p[0] == '"'                                 ? "\""
                        : p[0] == '/' && p + 1 < end && p[1] == '/' ? "\n"
                        : p[0] == '/' && p + 1 < end && p[1] == '*' ? "*/"
                                                                    : NULL;
    if (!close)
        return p + 1;
    size_t n = strlen(close);
    for (p += *p == '"' ? 1 : 2; (size_t)(end - p) >= n && memcmp(p, close, n) != 0; p++)
        p += *p == '\\' && *close == '"' && p + 1 < end;
    return (size_t)(end - p) >= n ? p + n : end;
}

static bool
is_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) > n && memcmp(p, word, n) == 0 && strchr(" \t\r\n", p[n]);
}

void
ptx_limit_registers(const char *text, size_t size, uint32_t most, struct text *out)
{
    const char *end = text + size;
    bool asked = false; /* between a kernel's name and its body, which has no bounds so far */
    for (const char *p = text, *next; p < end; p = next) {
        next = behind_one(p, end);
        if (is_word(p, end, ".entry"))
            asked = true;
        else if (*p == ';' || is_word(p, end, ".maxntid") || is_word(p, end, ".reqntid") ||
                 is_word(p, end, ".maxnreg"))
            asked = false;
        else if (*p == '{' && asked)
            text_add(out, ".maxnreg %u\n", most), asked = false;
        text_add_bytes(out, p, (size_t)(next - p));
    }
}
