/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/gdb.c: the object of code in memory as a debugger of the host wants it: its sections say
 * where they lie.
 */
#include "jit/engine/engine.h"

#include <elf.h>
#include <string.h>

/* The names of warps' functions, which hold a hash, become the kernel's: the table of names is one
 * longer by that, and stands at the end of the copy. */
static void
rename_functions(uint8_t *copy, size_t size, const char *name)
{
    Elf64_Shdr *s = (void *)(copy + ((Elf64_Ehdr *)(void *)copy)->e_shoff);
    const Elf64_Shdr *table = NULL;
    for (uint32_t k = 0; k < ((Elf64_Ehdr *)(void *)copy)->e_shnum; k++)
        if (s[k].sh_type == SHT_SYMTAB) /* as link.c, which has looked at it */
            table = &s[k];
    Elf64_Sym *symbol = (void *)(copy + table->sh_offset);
    Elf64_Shdr *names = &s[table->sh_link];
    uint64_t old = names->sh_size;
    memcpy(copy + size, copy + names->sh_offset, old);
    memcpy(copy + size + old, name, strlen(name) + 1);
    names->sh_offset = size;
    names->sh_size = old + strlen(name) + 1;
    for (uint64_t n = 0; n < table->sh_size / sizeof *symbol; n++)
        if (ELF64_ST_TYPE(symbol[n].st_info) == STT_FUNC && symbol[n].st_name < old &&
            ls_starts_with((const char *)copy + size + symbol[n].st_name, "warp_"))
            symbol[n].st_name = (uint32_t)old;
}

uint8_t *
jit_gdb_object(const void *object, size_t size, void *const *place, const char *name, size_t *bytes)
{
    *bytes = 2 * size + strlen(name) + 1; /* the names may be nearly all of it */
    uint8_t *copy = ls_alloc(*bytes);
    memcpy(copy, object, size);
    Elf64_Shdr *s = (void *)(copy + ((Elf64_Ehdr *)(void *)copy)->e_shoff);
    for (uint32_t k = 0; k < ((Elf64_Ehdr *)(void *)copy)->e_shnum; k++)
        s[k].sh_addr = (uint64_t)(uintptr_t)place[k];
    rename_functions(copy, size, name);
    return copy;
}
