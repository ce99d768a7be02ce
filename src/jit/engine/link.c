/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/link.c: a linker for the objects that LLVM makes of our modules, on x86-64: code,
 * constants, calls of functions elsewhere. Nothing in them is written to. Objects may come from a
 * disk: every number in them is held against the object's size. Anything unknown ends in false.
 */
#include "jit/engine/engine.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STUB = 16 }; /* bytes of a jump to a function elsewhere */
#define NOWHERE UINT64_MAX

struct linker {
    const uint8_t *object;
    size_t size;
    const Elf64_Shdr *sections;
    uint64_t *place; /* of each section in the code; NOWHERE: not there */
    uint32_t section_count;
    const Elf64_Sym *symbols;
    uint32_t symbol_count;
    const char *names; /* of the symbols; its last byte is 0 */
    uint64_t names_size;
    void **import;       /* of each symbol that is defined elsewhere; NULL: of no use here */
    uint64_t stubs, got; /* places: of each symbol STUB bytes, and the address */
    uint64_t text, end;  /* bytes of the code that is run, and of all, in whole pages */
    uint8_t *at;
    bool unwinds; /* a debugger wants to know how */
};

/* `count` things of `bytes` each at this offset of the object, or NULL. */
static const void *
part(const struct linker *l, uint64_t offset, uint64_t count, uint64_t bytes, size_t alignment)
{
    if (offset > l->size || count > (l->size - offset) / bytes ||
        ((uintptr_t)l->object + offset) % alignment)
        return NULL;
    return l->object + offset;
}

static bool
read_header(struct linker *l)
{
    const Elf64_Ehdr *h = part(l, 0, 1, sizeof *h, _Alignof(Elf64_Ehdr));
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL || h->e_machine != EM_X86_64 ||
        h->e_shentsize != sizeof *l->sections)
        return false;
    l->sections = part(l, h->e_shoff, h->e_shnum, sizeof *l->sections, _Alignof(Elf64_Shdr));
    l->section_count = h->e_shnum;
    return l->sections != NULL;
}

static bool
read_symbols(struct linker *l)
{
    const Elf64_Shdr *table = NULL;
    for (uint32_t k = 0; k < l->section_count; k++)
        if (l->sections[k].sh_type == SHT_SYMTAB)
            table = &l->sections[k];
    if (!table || table->sh_link >= l->section_count)
        return false;
    const Elf64_Shdr *names = &l->sections[table->sh_link];
    l->symbol_count = (uint32_t)(table->sh_size / sizeof *l->symbols);
    l->symbols =
        part(l, table->sh_offset, l->symbol_count, sizeof *l->symbols, _Alignof(Elf64_Sym));
    l->names = part(l, names->sh_offset, names->sh_size, 1, 1);
    l->names_size = names->sh_size;
    return l->symbols && l->names && names->sh_size && !l->names[names->sh_size - 1];
}

/* -- where things go --------------------------------------------------------------------------- */

static uint64_t
align(uint64_t at, uint64_t to)
{
    return (at + to - 1) / to * to;
}

/* Places the sections with these flags from `at` on; returns the end, NOWHERE: one cannot be
 * placed. What unwinds stacks is left out where no debugger asks: nothing is thrown through
 * kernels. */
static uint64_t
place_sections(struct linker *l, uint64_t flags, uint64_t at)
{
    for (uint32_t k = 0; k < l->section_count; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        uint64_t kind = s->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_TLS);
        bool unwinds = s->sh_type == SHT_X86_64_UNWIND;
        if (kind != flags || (unwinds && !l->unwinds) || !s->sh_size)
            continue;
        if ((s->sh_type != SHT_PROGBITS && !unwinds) || s->sh_addralign > 4096 ||
            (s->sh_addralign & (s->sh_addralign - 1)) || !part(l, s->sh_offset, s->sh_size, 1, 1))
            return NOWHERE;
        at = align(at, s->sh_addralign ? s->sh_addralign : 1);
        l->place[k] = at;
        at += s->sh_size;
    }
    return at;
}

static bool
place_all(struct linker *l)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (uint32_t k = 0; k < l->section_count; k++) {
        l->place[k] = NOWHERE;
        if ((l->sections[k].sh_flags & SHF_ALLOC) &&
            (l->sections[k].sh_flags & (SHF_WRITE | SHF_TLS)))
            return false;
    }
    uint64_t at = place_sections(l, SHF_ALLOC | SHF_EXECINSTR, 0);
    if (at == NOWHERE)
        return false;
    l->stubs = align(at, STUB);
    l->text = align(l->stubs + (uint64_t)STUB * l->symbol_count, page);
    at = place_sections(l, SHF_ALLOC, l->text);
    if (at == NOWHERE)
        return false;
    l->got = align(at, sizeof(void *));
    l->end = align(l->got + sizeof(void *) * l->symbol_count, page);
    return l->end < 1u << 30; /* 32-bit distances reach everywhere */
}

/* -- symbols ----------------------------------------------------------------------------------- */

static const char *
name_of(const struct linker *l, const Elf64_Sym *s)
{
    return s->st_name < l->names_size ? l->names + s->st_name : "";
}

static bool
import_symbols(struct linker *l)
{
    for (uint32_t k = 1; k < l->symbol_count; k++) {
        const Elf64_Sym *s = &l->symbols[k];
        if (s->st_shndx != SHN_UNDEF)
            continue;
        l->import[k] = jit_symbol(name_of(l, s));
        if (!l->import[k])
            return false;
        /* jmp *slot(%rip) */
        uint64_t stub = l->stubs + (uint64_t)STUB * k, slot = l->got + sizeof(void *) * k;
        int32_t distance = (int32_t)((int64_t)slot - (int64_t)(stub + 6));
        memcpy(l->at + stub, (const uint8_t[]){0xff, 0x25}, 2);
        memcpy(l->at + stub + 2, &distance, sizeof distance);
        memcpy(l->at + slot, &l->import[k], sizeof l->import[k]);
    }
    return true;
}

/* Where symbol k lies in the code; NOWHERE: not there. */
static uint64_t
place_of(const struct linker *l, uint32_t k)
{
    const Elf64_Sym *s = &l->symbols[k];
    if (!s->st_shndx || s->st_shndx >= l->section_count || l->place[s->st_shndx] == NOWHERE ||
        s->st_value > l->sections[s->st_shndx].sh_size)
        return NOWHERE;
    return l->place[s->st_shndx] + s->st_value;
}

/* -- relocations ------------------------------------------------------------------------------- */

/* x86-64 psABI 4.4.1: S the symbol, A the addend, P the place that is written to. */
static bool
relocate(struct linker *l, const Elf64_Shdr *target, uint64_t base, const Elf64_Rela *r)
{
    uint32_t symbol = (uint32_t)ELF64_R_SYM(r->r_info), type = (uint32_t)ELF64_R_TYPE(r->r_info);
    uint64_t bytes = type == R_X86_64_64 ? 8 : 4;
    if (symbol >= l->symbol_count || r->r_offset > target->sh_size ||
        bytes > target->sh_size - r->r_offset)
        return false;
    uint64_t to = place_of(l, symbol), at = base + r->r_offset;
    if (l->import[symbol] && type == R_X86_64_PLT32)
        to = l->stubs + (uint64_t)STUB * symbol;
    if (to == NOWHERE)
        return false;
    switch (type) {
    case R_X86_64_64: {
        uint64_t value = (uint64_t)(uintptr_t)l->at + to + (uint64_t)r->r_addend;
        memcpy(l->at + at, &value, 8);
        return true;
    }
    case R_X86_64_PC32:
    case R_X86_64_PLT32: {
        int64_t value = (int64_t)to - (int64_t)at;
        if (__builtin_add_overflow(value, r->r_addend, &value) || value != (int32_t)value)
            return false;
        memcpy(l->at + at, &(int32_t){(int32_t)value}, 4);
        return true;
    }
    default: return false;
    }
}

static bool
relocate_all(struct linker *l)
{
    for (uint32_t k = 0; k < l->section_count; k++) {
        const Elf64_Shdr *s = &l->sections[k];
        if (s->sh_type == SHT_REL)
            return false;
        if (s->sh_type != SHT_RELA)
            continue;
        if (s->sh_info >= l->section_count)
            return false;
        if (l->place[s->sh_info] == NOWHERE)
            continue;
        uint64_t count = s->sh_size / sizeof(Elf64_Rela);
        const Elf64_Rela *r = part(l, s->sh_offset, count, sizeof *r, _Alignof(Elf64_Rela));
        for (uint64_t n = 0; r && n < count; n++)
            if (!relocate(l, &l->sections[s->sh_info], l->place[s->sh_info], &r[n]))
                return false;
        if (!r)
            return false;
    }
    return true;
}

/* -- all of it --------------------------------------------------------------------------------- */

static bool
find_wanted(const struct linker *l, struct jit_wanted *wanted, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        wanted[w].at = NULL;
        for (uint32_t k = 1; k < l->symbol_count && !wanted[w].at; k++)
            if (place_of(l, k) < l->stubs && !strcmp(name_of(l, &l->symbols[k]), wanted[w].name))
                wanted[w].at = l->at + place_of(l, k);
        if (!wanted[w].at)
            return false;
    }
    return true;
}

static bool
link_into(struct linker *l, struct jit_wanted *wanted, size_t count)
{
    for (uint32_t k = 0; k < l->section_count; k++)
        if (l->place[k] != NOWHERE)
            memcpy(l->at + l->place[k], l->object + l->sections[k].sh_offset,
                   l->sections[k].sh_size);
    return import_symbols(l) && relocate_all(l) && find_wanted(l, wanted, count) &&
           !mprotect(l->at, l->text, PROT_READ | PROT_EXEC) &&
           !mprotect(l->at + l->text, l->end - l->text, PROT_READ);
}

static void
tell_debugger(const struct linker *l, const struct jit_debugger *debugger, const char *name,
              struct jit_code *out)
{
    void **place = ls_alloc(sizeof *place * (l->section_count + 1));
    for (uint32_t k = 0; k < l->section_count; k++)
        place[k] = l->place[k] == NOWHERE ? NULL : l->at + l->place[k];
    size_t bytes;
    uint8_t *object = jit_gdb_object(l->object, l->size, place, name, &bytes);
    out->debugger = debugger;
    out->known = debugger->tell(object, bytes);
    ls_release(place);
}

bool
jit_link(const void *object, size_t size, struct jit_wanted *wanted, size_t count,
         const struct jit_debugger *debugger, const char *name, struct jit_code *out)
{
    struct linker l = {.object = object, .size = size, .unwinds = debugger != NULL};
    *out = (struct jit_code){0};
    if (!read_header(&l) || !read_symbols(&l))
        return false;
    l.place = ls_alloc(sizeof *l.place * (l.section_count + 1));
    l.import = ls_alloc(sizeof *l.import * (l.symbol_count + 1));
    bool ok = place_all(&l);
    void *at = ok ? mmap(NULL, l.end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                  : MAP_FAILED;
    if (at != MAP_FAILED) {
        *out = (struct jit_code){.at = at, .size = l.end};
        l.at = at;
        ok = link_into(&l, wanted, count);
        if (ok)
            __builtin___clear_cache((char *)at, (char *)at + l.text);
        else
            jit_unlink(out);
        if (ok && debugger)
            tell_debugger(&l, debugger, name, out);
    }
    ls_release(l.place);
    ls_release(l.import);
    return ok && at != MAP_FAILED;
}

void
jit_unlink(struct jit_code *code)
{
    if (code->debugger)
        code->debugger->forget(code->known);
    if (code->at)
        munmap(code->at, code->size);
    *code = (struct jit_code){0};
}
