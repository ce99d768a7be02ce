/* SPDX-License-Identifier: Apache-2.0
 *
 * places.c: where the program's own code is when it calls us: a number for a stack of return
 * addresses (device_here, cheap), and its functions, files and lines (device_place), which libdw
 * reads from the line tables that `lockstep cc` gives host code. libdw is opened when a place is
 * first asked for: most programs never do. Without it a place has functions and offsets.
 * Interpreters' stacks say nothing of the programs they run: those say themselves where they are
 * (device_say_place).
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include "device/device_priv.h"

#include "check/check.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 40, BUCKETS = 1024 };

struct call_stack {
    struct call_stack *next; /* in the bucket */
    uint32_t number, count;
    bool stub; /* the innermost function is the compiler's stand-in for a kernel */
    uint64_t at[HOST_FRAMES];
    struct host_place *text; /* NULL: not looked up yet */
};

static struct {
    pthread_mutex_t lock;
    struct call_stack *bucket[BUCKETS];
    VEC(struct call_stack *) all; /* by number - 1 */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- stacks ------------------------------------------------------------------------------------ */

/* Where the code of a library lies. */
struct extent {
    uint64_t low, high;
};

static struct extent own, libc, preloaded; /* preload/mpi.c */
static pthread_once_t extents_once = PTHREAD_ONCE_INIT;

static int
note_extent(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    struct extent e = {UINT64_MAX, 0};
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        uint64_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        e.low = low < e.low ? low : e.low;
        e.high = low + p->p_memsz > e.high ? low + p->p_memsz : e.high;
    }
    uint64_t ours = (uint64_t)(uintptr_t)device_here, theirs = (uint64_t)(uintptr_t)strtol;
    if (ours >= e.low && ours < e.high)
        own = e;
    if (theirs >= e.low && theirs < e.high)
        libc = e;
    if (info->dlpi_name && strstr(info->dlpi_name, "/liblockstep_mpi.so"))
        preloaded = e;
    return 0;
}

static void
find_extents(void)
{
    dl_iterate_phdr(note_extent, NULL);
}

static bool
is_inside(const struct extent *e, uint64_t at)
{
    return at >= e->low && at < e->high;
}

/* The number of a stack; the same for the same one. */
static uint32_t
number_of(const uint64_t *at, uint32_t count, bool stub)
{
    uint32_t hash = ls_hash((struct hash128){0}, at, sizeof *at * count).lo % BUCKETS;
    pthread_mutex_lock(&table.lock);
    struct call_stack *p = table.bucket[hash];
    while (p && !(p->count == count && p->stub == stub && !memcmp(p->at, at, sizeof *at * count)))
        p = p->next;
    if (!p) {
        p = ls_alloc(sizeof *p);
        p->count = count;
        p->stub = stub;
        memcpy(p->at, at, sizeof *at * count);
        p->next = table.bucket[hash];
        table.bucket[hash] = p;
        VEC_PUSH(&table.all, p);
        p->number = (uint32_t)table.all.count;
    }
    uint32_t number = p->number;
    pthread_mutex_unlock(&table.lock);
    return number;
}

/* The compiler's stand-in for a kernel, which is about to launch it, calls us. */
static _Thread_local bool in_stub;

/* A program in another language than C says where it is: its place's number; 0: the stack tells. */
static _Thread_local uint32_t said;

void
device_in_stub(bool now)
{
    in_stub = now;
}

uint32_t
device_here(void)
{
    void *stack[DEPTH];
    uint64_t at[HOST_FRAMES];
    uint32_t count = 0;
    if (said)
        return said;
    pthread_once(&extents_once, find_extents);
    int n = backtrace(stack, DEPTH);
    for (int k = 0; k < n && count < HOST_FRAMES; k++) {
        uint64_t pc = (uint64_t)(uintptr_t)stack[k] - 1; /* inside the call */
        if (!is_inside(&own, pc) && !is_inside(&libc, pc) && !is_inside(&preloaded, pc))
            at[count++] = pc;
    }
    return count ? number_of(at, count, in_stub) : 0;
}

uint32_t
device_place_at(uint64_t pc, uint32_t callers)
{
    uint64_t at[HOST_FRAMES] = {pc};
    uint32_t count = 1;
    pthread_mutex_lock(&table.lock);
    const struct call_stack *p =
        callers && callers <= table.all.count ? table.all.at[callers - 1] : NULL;
    bool found = false;
    for (uint32_t k = 0; p && k < p->count && count < HOST_FRAMES; k++) {
        if (found)
            at[count++] = p->at[k];
        found = found || p->at[k] + 1 == pc || p->at[k] == pc;
    }
    pthread_mutex_unlock(&table.lock);
    return number_of(at, count, false);
}

/* -- functions and lines ----------------------------------------------------------------------- */

/* clang-format off */
#define LIBDW(X) \
    X(dwfl_begin) X(dwfl_report_begin_add) X(dwfl_report_end) X(dwfl_linux_proc_report) \
    X(dwfl_linux_proc_find_elf) X(dwfl_addrmodule) X(dwfl_module_addrname) X(dwfl_module_nextcu) \
    X(dwarf_haspc) X(dwarf_getsrc_die) X(dwarf_linesrc) X(dwarf_lineno) X(dwarf_getscopes) \
    X(dwarf_tag) X(dwarf_diename) X(dwarf_attr_integrate) X(dwarf_formudata) X(dwarf_formstring) \
    X(dwarf_getsrcfiles) X(dwarf_filesrc)
/* clang-format on */

static struct {
#define X(name) __typeof__(name) *name;
    LIBDW(X)
#undef X
    bool tried;
    Dwfl *dwfl; /* NULL: no library, or it cannot read this process */
} dw;

/* Nothing but the files themselves: else libdw may ask servers. */
static int
no_more_files(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
              const char *link, GElf_Word crc, char **out)
{
    (void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
    return -1;
}

static void
open_libdw(void)
{
    static Dwfl_Callbacks callbacks = {.find_debuginfo = no_more_files};
    bool fine = true;
    dw.tried = true;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
#define X(name) fine = (dw.name = (__typeof__(name) *)dlsym(library, #name)) && fine;
    LIBDW(X)
#undef X
    if (!fine)
        return;
    callbacks.find_elf = dw.dwfl_linux_proc_find_elf;
    dw.dwfl = dw.dwfl_begin(&callbacks);
}

/* The file that holds the address, as libdw knows it; files that were
 * loaded since are looked for. */
static Dwfl_Module *
module_of(uint64_t pc)
{
    if (!dw.tried)
        open_libdw();
    if (!dw.dwfl)
        return NULL;
    Dwfl_Module *m = dw.dwfl_addrmodule(dw.dwfl, pc);
    if (m)
        return m;
    dw.dwfl_report_begin_add(dw.dwfl);
    bool fine = dw.dwfl_linux_proc_report(dw.dwfl, getpid()) == 0;
    dw.dwfl_report_end(dw.dwfl, NULL, NULL);
    return fine ? dw.dwfl_addrmodule(dw.dwfl, pc) : NULL;
}

/* The unit of the address. Not by .debug_aranges: clang writes none. */
static Dwarf_Die *
unit_of(Dwfl_Module *m, uint64_t pc, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = NULL;
    while ((unit = dw.dwfl_module_nextcu(m, unit, bias)))
        if (dw.dwarf_haspc(unit, pc - *bias) > 0)
            return unit;
    return NULL;
}

static char *
keep(const char *text)
{
    return text && *text ? strcpy(ls_alloc(strlen(text) + 1), text) : NULL;
}

static void
add_frame(struct host_place *p, const char *function, const char *file, uint32_t line)
{
    if (p->count == HOST_FRAMES)
        return;
    p->frame[p->count++] = (struct host_frame){keep(function), line ? keep(file) : NULL, line};
}

/* The function by the file's own symbols. */
static char *
symbol_of(struct arena *a, Dwfl_Module *m, uint64_t pc)
{
    Dl_info in;
    const char *name = m ? dw.dwfl_module_addrname(m, pc) : NULL;
    if (!name && dladdr((void *)(uintptr_t)pc, &in) && in.dli_sname)
        name = in.dli_sname;
    return name ? ls_readable_name(a, name) : arena_strdup(a, "");
}

static uint32_t
number_in(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute at;
    Dwarf_Word value = 0;
    if (dw.dwarf_attr_integrate(die, attribute, &at))
        dw.dwarf_formudata(&at, &value);
    return (uint32_t)value;
}

/* Whole paths, as those of kernels are: libdw leaves out the unit's own folder. */
static const char *
whole_path(struct arena *a, Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute at;
    const char *folder =
        file && file[0] != '/' && dw.dwarf_attr_integrate(unit, DW_AT_comp_dir, &at)
            ? dw.dwarf_formstring(&at)
            : NULL;
    return folder ? arena_printf(a, "%s/%s", folder, file) : file;
}

/* Such a place stands in the table as two words that are no addresses
 * of code: a hash of its text. */
void
device_say_place(const char *function, const char *file, uint32_t line)
{
    said = 0;
    if (!file)
        return;
    struct hash128 h = ls_hash((struct hash128){.lo = line}, file, strlen(file));
    if (function)
        h = ls_hash(h, function, strlen(function));
    uint64_t at[2] = {h.lo | 1ull << 63, h.hi | 1ull << 63};
    said = number_of(at, 2, false);
    pthread_mutex_lock(&table.lock);
    struct call_stack *p = table.all.at[said - 1];
    if (!p->text) {
        p->text = ls_alloc(sizeof *p->text);
        add_frame(p->text, function, file, line);
    }
    pthread_mutex_unlock(&table.lock);
}

/* Adds the frames of one return address: the functions that are inlined there, then the function
 * that holds it. */
static void
add_frames(struct host_place *p, uint64_t pc)
{
    struct arena names = {0};
    Dwarf_Addr bias = 0;
    Dwarf_Die *scopes = NULL;
    Dwfl_Module *m = module_of(pc);
    Dwarf_Die *unit = m ? unit_of(m, pc, &bias) : NULL;
    Dwarf_Line *at = unit ? dw.dwarf_getsrc_die(unit, pc - bias) : NULL;
    const char *file = at ? dw.dwarf_linesrc(at, NULL, NULL) : NULL;
    int line = 0;
    if (at)
        dw.dwarf_lineno(at, &line);
    int count = at ? dw.dwarf_getscopes(unit, pc - bias, &scopes) : 0;
    for (int k = 0; k < count && dw.dwarf_tag(&scopes[k]) != DW_TAG_subprogram; k++) {
        Dwarf_Files *files;
        size_t most;
        if (dw.dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine)
            continue;
        add_frame(p, dw.dwarf_diename(&scopes[k]), whole_path(&names, unit, file), (uint32_t)line);
        line = (int)number_in(&scopes[k], DW_AT_call_line);
        uint32_t number = number_in(&scopes[k], DW_AT_call_file);
        bool known = dw.dwarf_getsrcfiles(unit, &files, &most) == 0 && number < most;
        file = known ? dw.dwarf_filesrc(files, number, NULL, NULL) : NULL;
    }
    free(scopes);
    add_frame(p, symbol_of(&names, m, pc), whole_path(&names, unit, file), (uint32_t)line);
    arena_free(&names);
}

/* -- whose code it is -------------------------------------------------------------------------- */

/* Our headers, and those of the system: calls in them are made for whoever included them. */
static bool
is_header_of_others(const char *file)
{
    static const char *const ours[] = {"/cuda_runtime.h", "/cuda_runtime_api.h",
                                       "/crt/runtime_templates.h"};
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        if (ls_ends_with(file, ours[k]))
            return true;
    return ls_starts_with(file, "/usr/include/") || ls_starts_with(file, "/usr/lib/") ||
           strstr(file, "/include/lockstep/");
}

/* Without optimisation, our templates are functions of their own, without lines (quiet_begin.h). */
static bool
is_hidden(const struct host_frame *f)
{
    return f->file ? is_header_of_others(f->file)
                   : f->function && ls_starts_with(f->function, "cuda");
}

/* Drops the innermost frames that are not the program's, and outermost ones without a line. */
static void
trim(struct host_place *p, bool stub)
{
    uint32_t first = stub && p->count > 1, end = p->count;
    while (first < end && is_hidden(&p->frame[first]))
        first++;
    if (first == end) /* all of it is: say what there is */
        first = 0;
    while (end > first + 1 && !p->frame[end - 1].file)
        end--;
    for (uint32_t k = 0; k < p->count; k++)
        if (k < first || k >= end) {
            ls_release((char *)p->frame[k].function);
            ls_release((char *)p->frame[k].file);
        }
    memmove(p->frame, p->frame + first, sizeof *p->frame * (end - first));
    p->count = end - first;
}

const struct host_place *
device_place(uint32_t number)
{
    static const struct host_place unknown;
    pthread_mutex_lock(&table.lock);
    struct call_stack *p = number && number <= table.all.count ? table.all.at[number - 1] : NULL;
    if (p && !p->text) {
        p->text = ls_alloc(sizeof *p->text);
        for (uint32_t k = 0; k < p->count; k++)
            add_frames(p->text, p->at[k]);
        trim(p->text, p->stub);
    }
    const struct host_place *text = p ? p->text : &unknown;
    pthread_mutex_unlock(&table.lock);
    return text;
}

void
device_place_line(uint32_t number, char *out, size_t room)
{
    const struct host_place *p = device_place(number);
    out[0] = 0;
    if (p->count && p->frame[0].file)
        snprintf(out, room, "%.300s:%u", p->frame[0].file, p->frame[0].line);
}
