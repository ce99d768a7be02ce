/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c: see image.h. The text is read twice: first for where labels stand in the sections.
 */
#define _GNU_SOURCE /* memmem */
#include "cli/inspect/image.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 16 };

struct label {
    const char *name;
    uint64_t value;
};

struct section {
    const char *name;
    struct text bytes;
};

struct maker {
    struct arena *arena;
    struct debug_image *out;
    VEC(struct label) labels;
    struct section section[SECTIONS];
    size_t count;
    bool second; /* the pass that writes */
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

/* Of the functions of m, where `in` (m itself, or what it was linked into) has them. */
static void
add_code_labels(struct maker *k, const struct ptx_module *m, const struct ptx_module *in)
{
    uint64_t first = 0;
    for (uint32_t n = 0; n < in->func_count; first += in->funcs[n++]->insn_count) {
        const struct ptx_func *f = in == m ? m->funcs[n] : ptx_find_func(m, in->funcs[n]->name);
        if (!f || !f->has_body || f->insn_count != in->funcs[n]->insn_count)
            continue;
        for (uint32_t l = 0; l < f->label_count; l++)
            VEC_PUSH(&k->labels, ((struct label){f->labels[l].name, first + f->labels[l].insn}));
    }
}

/* What a name stands for as a number of a section. */
static uint64_t
value_of(struct maker *k, const char *at, size_t n)
{
    if (at[0] == '.') /* where a section begins */
        return 0;
    const char *name = arena_strndup(k->arena, at, n);
    struct label key = {.name = name};
    const struct label *l = bsearch(&key, k->labels.at, k->labels.count, sizeof key, by_name);
    if (l)
        return l->value;
    size_t index = 0;
    while (index < k->out->names.count && strcmp(k->out->names.at[index], name) != 0)
        index++;
    if (index == k->out->names.count)
        VEC_PUSH(&k->out->names, name);
    return IMAGE_SYMBOL | (uint64_t)index << 32;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* One number: 12, 0x1f, label, label+4, label-label. */
static const char *
term(struct maker *k, const char *p, const char *end, uint64_t *value)
{
    int sign = 1;
    *value = 0;
    for (;;) {
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (p < end && (*p == '-' || *p == '+')) {
            sign = *p++ == '-' ? -1 : 1;
            continue;
        }
        const char *from = p;
        while (p < end && is_word(*p))
            p++;
        if (p == from)
            return p;
        uint64_t v = isdigit((unsigned char)*from) ? strtoull(from, NULL, 0)
                     : k->second                   ? value_of(k, from, (size_t)(p - from))
                                                   : 0;
        *value += sign < 0 ? -v : v;
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
        if (p == end || (*p != '-' && *p != '+'))
            return p;
    }
}

/* ".b8 1, 2" */
static void
numbers(struct maker *k, struct section *s, const char *p, const char *end)
{
    char *after;
    unsigned bytes = (unsigned)strtoul(p + 2, &after, 10) / 8;
    p = after;
    while (p < end && bytes >= 1 && bytes <= 8) {
        const char *from = p;
        uint64_t value;
        p = term(k, p, end, &value);
        text_add_bytes(&s->bytes, (const char *)&value, bytes);
        if (p < end && *p == ',')
            p++;
        else if (p == from || p < end)
            break;
    }
}

static struct section *
section_of(struct maker *k, const char *at, size_t n)
{
    for (size_t i = 0; i < k->count; i++)
        if (strlen(k->section[i].name) == n && !memcmp(k->section[i].name, at, n))
            return &k->section[i];
    if (k->count == SECTIONS)
        return NULL;
    k->section[k->count].name = arena_strndup(k->arena, at, n);
    return &k->section[k->count++];
}

static const char *
blank(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* A line of a section's block; false: it ends the block. */
static bool
section_line(struct maker *k, struct section *s, const char *p, const char *end)
{
    if (*p == '}')
        return false;
    if (end - p > 2 && p[0] == '.' && p[1] == 'b' && isdigit((unsigned char)p[2])) {
        numbers(k, s, p, end);
    } else if (!k->second && end > p && end[-1] == ':') {
        VEC_PUSH(&k->labels, ((struct label){arena_strndup(k->arena, p, (size_t)(end - 1 - p)),
                                             s->bytes.count}));
    }
    return true;
}

static void
pass(struct maker *k, const char *text, const char *end)
{
    struct section *s = NULL;
    for (const char *line = text, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        const char *p = blank(line, stop);
        const char *comment = memmem(p, (size_t)(stop - p), "//", 2);
        stop = comment ? comment : stop;
        while (stop > p && isspace((unsigned char)stop[-1]))
            stop--;
        if (p == stop)
            continue;
        if (s) {
            if (!section_line(k, s, p, stop))
                s = NULL;
        } else if (stop - p > 8 && !memcmp(p, ".section", 8)) {
            p = blank(p + 8, stop);
            const char *from = p;
            while (p < stop && is_word(*p))
                p++;
            s = memchr(p, '}', (size_t)(stop - p)) ? NULL : section_of(k, from, (size_t)(p - from));
        }
    }
}

/* Header, sections, their names, the table of sections. */
static void
write_elf(struct maker *k)
{
    struct text out = {0}, names = {0};
    Elf64_Shdr table[SECTIONS + 2] = {0};
    Elf64_Ehdr head = {.e_type = ET_EXEC,
                       .e_machine = EM_X86_64, /* libdw knows no GPU; nothing depends on it */
                       .e_version = EV_CURRENT,
                       .e_ehsize = sizeof head,
                       .e_shentsize = sizeof *table};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    text_add_bytes(&out, (const char *)&head, sizeof head);
    text_add_bytes(&names, "", 1);
    uint16_t n = 1;
    for (size_t i = 0; i <= k->count; i++) {
        const char *name = i < k->count ? k->section[i].name : ".shstrtab";
        table[n] = (Elf64_Shdr){.sh_name = (Elf64_Word)names.count,
                                .sh_type = i < k->count ? SHT_PROGBITS : SHT_STRTAB,
                                .sh_offset = out.count,
                                .sh_addralign = 1};
        text_add_bytes(&names, name, strlen(name) + 1);
        const struct text *bytes = i < k->count ? &k->section[i].bytes : &names;
        table[n++].sh_size = bytes->count;
        if (bytes->count)
            text_add_bytes(&out, bytes->at, bytes->count);
    }
    while (out.count % 8)
        text_add_bytes(&out, "", 1);
    head.e_shoff = out.count;
    head.e_shnum = n;
    head.e_shstrndx = n - 1;
    text_add_bytes(&out, (const char *)table, sizeof *table * n);
    memcpy(out.at, &head, sizeof head);
    k->out->at = out.at;
    k->out->size = out.count;
    text_free(&names);
}

void
image_make(struct arena *a, const struct ptx_module *m, const struct ptx_module *in,
           const char *text, size_t size, struct debug_image *out)
{
    struct maker k = {.arena = a, .out = out};
    *out = (struct debug_image){0};
    pass(&k, text, text + size);
    add_code_labels(&k, m, in);
    if (k.labels.count)
        qsort(k.labels.at, k.labels.count, sizeof *k.labels.at, by_name);
    for (size_t i = 0; i < k.count; i++)
        k.section[i].bytes.count = 0;
    k.second = true;
    pass(&k, text, text + size);
    for (size_t i = 0; i < k.count; i++)
        if (!strcmp(k.section[i].name, ".debug_info") && k.section[i].bytes.count && !out->at)
            write_elf(&k);
    for (size_t i = 0; i < k.count; i++)
        text_free(&k.section[i].bytes);
    VEC_FREE(&k.labels);
}

void
image_free(struct debug_image *image)
{
    ls_release(image->at);
    VEC_FREE(&image->names);
}

const char *
image_symbol(const struct debug_image *image, uint64_t address, uint64_t *offset)
{
    uint64_t index = (address & ~IMAGE_SYMBOL) >> 32;
    if ((address & IMAGE_SYMBOL) != IMAGE_SYMBOL || index >= image->names.count)
        return NULL;
    *offset = (uint32_t)address;
    return image->names.at[index];
}
