/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_object: two changes to a relocatable object file. With -fgpu-rdc clang lets each translation
 * unit call a function of its own, __cudaRegisterLinkedBinary<id>, which NVIDIA's device linker
 * would write. Here one function serves all of them, so the name is cut to its common head in the
 * string table. And clang makes the <id>, which __fatbinwrap<id> has, too, of the source's name as
 * it was given: a/util.cu and b/util.cu, compiled each in its folder, could not be linked together.
 * So its end becomes the unit's. Nothing else can share the tail that is changed: it holds the
 * unit's identity.
 */
#include "cc/cc_priv.h"

#include <elf.h>
#include <string.h>

static const char common_name[] = "__cudaRegisterLinkedBinary";

/* The symbol table and its strings lie within the file. */
static bool
table_is_sound(const Elf64_Shdr *sections, size_t n, const Elf64_Shdr *table, size_t size)
{
    if (table->sh_link >= n || table->sh_entsize != sizeof(Elf64_Sym))
        return false;
    const Elf64_Shdr *strings = &sections[table->sh_link];
    return table->sh_offset <= size && table->sh_size <= size - table->sh_offset &&
           strings->sh_offset <= size && strings->sh_size <= size - strings->sh_offset &&
           strings->sh_size > 0;
}

static void
rename_in(char *file, const Elf64_Shdr *table, const Elf64_Shdr *strings, const char *unit)
{
    enum { DIGITS = 16 };
    static const char wrapper[] = "__fatbinwrap";
    for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, file + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (symbol.st_name >= strings->sh_size)
            continue;
        char *name = file + strings->sh_offset + symbol.st_name;
        size_t length = strnlen(name, strings->sh_size - symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF && ls_starts_with(name, common_name))
            name[sizeof common_name - 1] = '\0';
        else if (ls_starts_with(name, wrapper) && length >= sizeof wrapper - 1 + DIGITS)
            memcpy(name + length - DIGITS, unit, DIGITS);
    }
}

bool
cc_unify_registration(const char *path, const char *unit, struct ls_error *err)
{
    size_t size;
    char *file = ls_read_file(path, &size, err);
    if (!file)
        return false;
    Elf64_Ehdr head;
    bool ok = size >= sizeof head;
    if (ok)
        memcpy(&head, file, sizeof head);
    ok = ok && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_shentsize == sizeof(Elf64_Shdr) && head.e_shoff <= size &&
         head.e_shnum <= (size - head.e_shoff) / sizeof(Elf64_Shdr) && head.e_shoff % 8 == 0;
    if (!ok) {
        ls_release(file);
        return ls_fail(err, LS_ERR_INPUT, "%s: clang did not write a 64-bit ELF object", path);
    }
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head.e_shoff);
    for (size_t i = 0; i < head.e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB &&
            table_is_sound(sections, head.e_shnum, &sections[i], size))
            rename_in(file, &sections[i], &sections[sections[i].sh_link], unit);
    ok = ls_write_file(path, file, size, err);
    ls_release(file);
    return ok;
}
