/* SPDX-License-Identifier: Apache-2.0
 *
 * perf.c: LOCKSTEP_PERF=1: perf learns of kernels by the file that it reads for code made at run
 * time, /tmp/perf-PID.map: a line for each function, "ADDRESS SIZE NAME" in hexadecimal
 * (tools/perf/Documentation/jit-interface.txt of Linux).
 */
#include "device/device_priv.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends in one write: other processes' threads write their own files, this one's write whole
 * lines. */
static void
append(const struct text *lines)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, lines->at, lines->count) != (ssize_t)lines->count)
        ls_warn("LOCKSTEP_PERF: %s: cannot be written", path);
    if (fd >= 0)
        close(fd);
}

static void *
tell(uint8_t *object, size_t size)
{
    const Elf64_Ehdr *head = (const void *)object;
    const Elf64_Shdr *s = (const void *)(object + head->e_shoff);
    struct text lines = {0};
    (void)size;
    for (uint32_t k = 0; k < head->e_shnum; k++) {
        if (s[k].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbol = (const void *)(object + s[k].sh_offset);
        const char *names = (const char *)object + s[s[k].sh_link].sh_offset;
        for (uint64_t n = 0; n < s[k].sh_size / sizeof *symbol; n++)
            if (ELF64_ST_TYPE(symbol[n].st_info) == STT_FUNC && symbol[n].st_shndx < head->e_shnum)
                text_add(&lines, "%llx %llx %s\n",
                         (unsigned long long)(s[symbol[n].st_shndx].sh_addr + symbol[n].st_value),
                         (unsigned long long)symbol[n].st_size, names + symbol[n].st_name);
    }
    append(&lines);
    text_free(&lines);
    ls_release(object);
    return NULL;
}

/* Samples of code that has gone keep its name. */
static void
forget(void *known)
{
    (void)known;
}

const struct jit_debugger *
perf_debugger(void)
{
    static const struct jit_debugger perf = {.tell = tell, .forget = forget};
    const char *said = getenv("LOCKSTEP_PERF");
    return said && strcmp(said, "1") == 0 ? &perf : NULL;
}
