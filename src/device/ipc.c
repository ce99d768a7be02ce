/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc.c: memory of one process in another. Exporting an allocation puts its pages into a file
 * without a name, mapped where they were; the handle says which process has it open under which
 * number, and another process of the same user maps it from there. The file is gone when both
 * processes are. Small allocations share pages with their neighbours, which the other process then
 * sees too, as it does on a GPU, where the unit is larger still.
 */
#define _GNU_SOURCE /* memfd_create */
#include "device/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_PAGES 65536 /* allocations of this size on share no page (memory.c) */
#define PAGE ((uint64_t)4096)

/* Pages that were exported, or that another process exported and this one opened. */
struct shared {
    uint64_t begin, end; /* mapped here */
    uint64_t opened;     /* the address given out; 0: exported */
    struct device *device;
    struct content_of_handle handle;
    uint32_t users;
    struct shared *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared *all;

static bool
write_all(int file, const uint8_t *from, uint64_t n)
{
    for (uint64_t done = 0; done < n;) {
        ssize_t k = pwrite(file, from + done, n - done, (off_t)done);
        if (k <= 0 && errno != EINTR)
            return false;
        done += k > 0 ? (uint64_t)k : 0;
    }
    return true;
}

static void
name_of(uint64_t mark, char out[40])
{
    snprintf(out, 40, "lockstep-%016llx", (unsigned long long)mark);
}

/* With the lock held: the pages in a file, mapped in their place. NULL: errno says why. */
static struct shared *
share(struct device *d, uint64_t begin, uint64_t end)
{
    char name[40];
    uint64_t mark = 0, bytes = end - begin;
    if (getrandom(&mark, sizeof mark, 0) != sizeof mark)
        return NULL;
    name_of(mark, name);
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0)
        return NULL;
    if (ftruncate(file, (off_t)bytes) < 0 || !write_all(file, (const uint8_t *)begin, bytes) ||
        mmap((void *)begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED) {
        close(file);
        return NULL;
    }
    struct shared *s = ls_alloc(sizeof *s);
    *s = (struct shared){.begin = begin, .end = end, .device = d, .next = all};
    s->handle = (struct content_of_handle){.magic = IPC_MAGIC,
                                           .content = CONTENT_MEMORY,
                                           .process = getpid(),
                                           .file = file,
                                           .mark = mark,
                                           .bytes = bytes};
    all = s;
    return s;
}

/* Under check device memory is shut, and the system would not read it. */
static struct shared *
share_opened(struct device *d, uint64_t begin, uint64_t end)
{
    guard_open();
    struct shared *s = share(d, begin, end);
    int why = errno;
    guard_close();
    errno = why;
    return s;
}

enum device_result
device_ipc_export(uint64_t address, uint8_t out[DEVICE_IPC_BYTES])
{
    struct allocation a;
    enum device_result r = DEVICE_OK;
    process_shares_memory();
    if (!device_find(address, &a) || a.kind != ALLOCATION_DEVICE)
        return device_fail(DEVICE_INVALID_VALUE, "%p is no memory that was allocated on a device",
                           (void *)address);
    struct device *d = process_device(a.device);
    if (!d->backend->in_process)
        return device_fail(DEVICE_NOT_SUPPORTED, "memory shared with other processes on %s",
                           d->backend->label);
    uint64_t begin = a.base & ~(PAGE - 1), end = (a.base + a.size + PAGE - 1) & ~(PAGE - 1);
    pthread_mutex_lock(&lock);
    struct shared *s = all;
    while (s && (s->end <= begin || s->begin >= end))
        s = s->next;
    if (s && (s->opened || s->begin > begin || s->end < end))
        r = device_fail(DEVICE_NOT_SUPPORTED, "memory %s",
                        s->opened
                            ? "that another process exported"
                            : "of which a neighbour that was exported has a part of the pages");
    else if (!s && !(s = share_opened(d, begin, end)))
        r = device_fail(DEVICE_OUT_OF_MEMORY, "%s", strerror(errno));
    if (r == DEVICE_OK) {
        struct content_of_handle h = s->handle;
        h.offset = a.base - s->begin;
        h.size = a.size;
        memset(out, 0, DEVICE_IPC_BYTES);
        memcpy(out, &h, sizeof h);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* Opens the file that the handle names; -1: there is none, or another one. */
static int
open_file(const struct content_of_handle *h)
{
    char path[64], name[40], link[64], is[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
    name_of(h->mark, name);
    snprintf(link, sizeof link, "/memfd:%s (deleted)", name);
    ssize_t n = readlink(path, is, sizeof is);
    if (n != (ssize_t)strlen(link) || memcmp(is, link, (size_t)n) != 0)
        return -1;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &status) < 0 || (uint64_t)status.st_size != h->bytes)) {
        close(file);
        file = -1;
    }
    return file;
}

/* With the lock held. */
static enum device_result
map_shared(struct device *d, const struct content_of_handle *h, uint64_t *out)
{
    int file = open_file(h);
    if (file < 0)
        return device_fail(DEVICE_INVALID_VALUE, "process %d does not share this memory (any more)",
                           h->process);
    void *at = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at == MAP_FAILED)
        return device_fail(DEVICE_OUT_OF_MEMORY, "%s", strerror(errno));
    struct shared *s = ls_alloc(sizeof *s);
    *s = (struct shared){(uint64_t)at, (uint64_t)at + h->bytes, (uint64_t)at + h->offset, d, *h, 1,
                         all};
    if (!memory_adopt(d->memory, s->opened, h->size, ALLOCATION_DEVICE, NULL)) {
        munmap(at, h->bytes);
        ls_release(s);
        return device_fail(DEVICE_OUT_OF_MEMORY, "the table of allocations is full");
    }
    all = s;
    *out = s->opened;
    return DEVICE_OK;
}

enum device_result
device_ipc_open(struct device *d, const uint8_t handle[DEVICE_IPC_BYTES], uint64_t *out)
{
    struct content_of_handle h;
    process_shares_memory();
    memcpy(&h, handle, sizeof h);
    if (h.magic != IPC_MAGIC || h.content != CONTENT_MEMORY || h.offset > h.bytes ||
        h.size > h.bytes - h.offset)
        return device_fail(DEVICE_INVALID_VALUE, "it is no handle of memory");
    if (h.process == getpid())
        return device_fail(DEVICE_INVALID_CONTEXT, "the memory is this process's own");
    if (!d->backend->in_process)
        return device_fail(DEVICE_NOT_SUPPORTED, "memory shared with other processes on %s",
                           d->backend->label);
    pthread_mutex_lock(&lock);
    struct shared *s = all;
    while (s && !(s->opened && s->device == d && !memcmp(&s->handle, &h, sizeof h)))
        s = s->next;
    enum device_result r = DEVICE_OK;
    if (s) {
        s->users++;
        *out = s->opened;
    } else {
        r = map_shared(d, &h, out);
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* With the lock held: the entry whose link this is goes. */
static void
take_out(struct shared **link)
{
    struct shared *s = *link;
    *link = s->next;
    ls_release(s);
}

bool
device_ipc_close(uint64_t address)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (struct shared **link = &all; *link && !found; link = &(*link)->next) {
        struct shared *s = *link;
        if (s->opened != address || !address)
            continue;
        found = true;
        if (--s->users)
            break;
        memory_release(s->device->memory, address);
        munmap((void *)s->begin, s->end - s->begin);
        take_out(link);
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void
ipc_freed(const struct allocation *a)
{
    pthread_mutex_lock(&lock);
    for (struct shared **link = &all; *link; link = &(*link)->next) {
        struct shared *s = *link;
        if (s->opened || a->base < s->begin || a->base >= s->end || a->size < OWN_PAGES)
            continue;
        /* The next user of these addresses is not to meet the other process. */
        mmap((void *)s->begin, s->end - s->begin, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        close(s->handle.file);
        take_out(link);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* -- pools: a descriptor that stands for one --------------------------------------------------- */

static const char pool_name[] = "lockstep-pool";

int
device_ipc_pool_export(void)
{
    return memfd_create(pool_name, 0);
}

bool
device_ipc_pool_is(int file)
{
    char path[64], is[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return readlink(path, is, sizeof is - 1) > 0 && strstr(is, pool_name) != NULL;
}
