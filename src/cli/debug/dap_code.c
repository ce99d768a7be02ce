/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_code.c: requests about instructions, sources and memory.
 */
#include "cli/debug/dap.h"

#include <string.h>

bool
dap_disassemble(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    enum { MOST = 10000 };
    uint64_t at;
    const char *reference = dap_text(a, "memoryReference"), *last = "";
    const struct module *m = session_module(&d->s);
    int64_t count = dap_number(a, "instructionCount"), from = dap_number(a, "instructionOffset");
    json_t *list = json_array();
    *body = json_pack("{s:o}", "instructions", list);
    if (!m || !reference || !ls_parse_u64(reference, &at))
        return ls_fail(err, LS_ERR_USAGE, "disassemble: no place of a kernel that runs");
    from += (int64_t)at;
    for (int64_t k = from; k < from + count && k < from + MOST; k++) {
        const struct source_function *f =
            k < 0 ? NULL : symbols_function_at(m->symbols, (uint32_t)k);
        struct text text = {0};
        char number[24];
        snprintf(number, sizeof number, "0x%llx", (unsigned long long)(k < 0 ? 0 : k));
        if (f)
            ptx_print_insn(f->ptx, &f->ptx->insns[k - f->first], &text);
        const char *words = text.at ? text.at + strspn(text.at, " \t") : "";
        json_t *j = json_pack("{s:s, s:s%}", "address", number, "instruction",
                              f ? words : "(nothing)", f ? strcspn(words, "\n") : (size_t)9);
        if (f && strcmp(last, f->name) != 0)
            json_object_set_new(j, "symbol", json_string(last = f->name));
        if (f) {
            dap_add_place(d, j, (uint32_t)k);
            json_object_set(j, "location", json_object_get(j, "source"));
            json_object_del(j, "source");
            json_object_del(j, "instructionPointerReference");
            json_object_del(j, "column");
        }
        json_array_append_new(list, j);
        text_free(&text);
    }
    return true;
}

/* Sources are files that the editor opens itself; PTX without lines of one is text that we have. */
bool
dap_source(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    const char *path = dap_text(json_object_get(a, "source"), "path");
    struct text all = {0};
    uint32_t n = path ? source_count(&d->s, path) : 0;
    for (uint32_t k = 1; k <= n; k++)
        text_add(&all, "%s\n", source_line(&d->s, path, k));
    if (n)
        *body = json_pack("{s:s}", "content", all.at);
    text_free(&all);
    return n || ls_fail(err, LS_ERR_USAGE, "source: %s cannot be read", path ? path : "no path");
}

bool
dap_loaded_sources(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a, (void)err;
    json_t *list = json_array(), *seen = json_object();
    for (size_t m = 0; m < d->s.modules.count; m++) {
        const struct symbols *y = d->s.modules.at[m].symbols;
        for (size_t k = 0; k < y->files.count; k++) {
            const char *file = y->files.at[k];
            if (json_object_get(seen, file) || json_object_set_new(seen, file, json_true()) != 0)
                continue;
            json_array_append_new(list,
                                  json_pack("{s:s, s:s}", "name", source_base(file), "path", file));
        }
    }
    json_decref(seen);
    *body = json_pack("{s:o}", "sources", list);
    return true;
}

/* -- memory ------------------------------------------------------------------------------------ */

enum { MOST_BYTES = 1 << 20 };
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* In base 64 (RFC 4648). bytes: with two more behind them. */
static void
encode(struct text *out, const uint8_t *bytes, size_t count)
{
    for (size_t k = 0; k < count; k += 3) {
        uint32_t v = (uint32_t)bytes[k] << 16 | (uint32_t)bytes[k + 1] << 8 | bytes[k + 2];
        for (size_t n = 0; n < 4; n++)
            text_add(out, "%c", k + n > count ? '=' : digits[v >> (18 - 6 * n) & 63]);
    }
}

/* False: it is none. out has room for three quarters of the text. */
static bool
decode(const char *text, uint8_t *out, size_t *count)
{
    uint32_t v = 0, bits = 0;
    *count = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit)
            return false;
        v = v << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits >= 8)
            out[(*count)++] = (uint8_t)(v >> (bits -= 8));
    }
    return strspn(text, "=") == strlen(text);
}

/* An address as kernels hold it. */
static bool
memory_of(json_t *a, uint64_t *at)
{
    const char *reference = dap_text(a, "memoryReference");
    bool fine = reference && ls_parse_u64(reference, at);
    *at += fine ? (uint64_t)dap_number(a, "offset") : 0;
    return fine;
}

bool
dap_read_memory(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct debug_memory m = {.bytes = (uint64_t)dap_number(a, "count")};
    if (!memory_of(a, &m.address) || m.bytes > MOST_BYTES)
        return ls_fail(err, LS_ERR_USAGE, "readMemory: no address, or a count above %d",
                       MOST_BYTES);
    uint8_t *bytes = ls_alloc((size_t)m.bytes + 3);
    bool fine = target_read(&d->s.target, &m, bytes, err);
    struct text text = {0};
    if (fine) {
        encode(&text, bytes, (size_t)m.bytes);
        *body = json_pack("{s:s, s:s}", "address",
                          arena_printf(&d->s.scratch, "0x%llx", (unsigned long long)m.address),
                          "data", text.at ? text.at : "");
    }
    text_free(&text);
    ls_release(bytes);
    return fine;
}

bool
dap_write_memory(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct debug_memory m = {0};
    const char *data = dap_text(a, "data");
    size_t count = 0;
    uint8_t *bytes = ls_alloc(data ? strlen(data) + 1 : 1);
    bool fine = (memory_of(a, &m.address) && data && decode(data, bytes, &count)) ||
                ls_fail(err, LS_ERR_USAGE, "writeMemory: no address, or no data in base 64");
    m.bytes = count;
    fine = fine && (!count || target_write(&d->s.target, &m, bytes, err));
    if (fine)
        *body = json_pack("{s:I}", "bytesWritten", (json_int_t)count);
    ls_release(bytes);
    return fine;
}
