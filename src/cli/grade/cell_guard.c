/* SPDX-License-Identifier: Apache-2.0
 *
 * cell_guard: what a process may not do from here on, nor what it becomes by exec: files outside
 * its folders (Landlock, Linux 5.13), sockets, processes, signals to others (a seccomp filter).
 * Both are for ordinary users.
 */
#define _GNU_SOURCE /* O_PATH, CLONE_THREAD */
#include "cli/grade/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* -- Landlock ---------------------------------------------------------------------------------- */

/* The kernel's interface as of its first version (linux/landlock.h, which older systems lack). */
enum {
    CALL_CREATE = 444,
    CALL_ADD = 445,
    CALL_RESTRICT = 446, /* the same numbers on all processors */
    RULE_PATH_BENEATH = 1,
    WANTS_VERSION = 1
};
enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE_FILE = 1 << 1,
    MAY_READ_FILE = 1 << 2,
    MAY_READ_FOLDER = 1 << 3,
    MAY_ALL = (1 << 13) - 1, /* removing and making of all kinds, too */
    MAY_FILE = MAY_EXECUTE | MAY_WRITE_FILE | MAY_READ_FILE, /* what there is to allow for a file */
    MAY_READ = MAY_EXECUTE | MAY_READ_FILE | MAY_READ_FOLDER
};
struct path_rule {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

static bool
landlock_is_there(void)
{
    return syscall(CALL_CREATE, NULL, 0, WANTS_VERSION) >= 1;
}

static bool
allow(int rules, const char *path, uint64_t what)
{
    struct stat st;
    int at = open(path, O_PATH | O_CLOEXEC);
    if (at < 0)
        return errno == ENOENT || errno == EACCES; /* nothing there that could be used */
    struct path_rule rule = {.allowed = what, .folder = at};
    if (fstat(at, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed &= MAY_FILE;
    bool fine = syscall(CALL_ADD, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
    close(at);
    return fine;
}

/* Paths that programs need to start, and that lockstep needs in them. */
static const char *const everywhere[] = {"/usr",
                                         "/lib",
                                         "/lib64",
                                         "/lib32",
                                         "/bin",
                                         "/sbin",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/etc/localtime",
                                         "/proc/self",
                                         "/proc/cpuinfo",
                                         "/proc/meminfo",
                                         "/proc/stat",
                                         "/proc/sys/vm",
                                         "/sys/devices/system",
                                         "/dev/urandom",
                                         "/dev/random",
                                         NULL};
static const char *const devices[] = {"/dev/null", "/dev/zero", NULL};

static bool
confine_files(const struct cell *c)
{
    const uint64_t handled = MAY_ALL;
    if (!landlock_is_there())
        return true;
    int rules = (int)syscall(CALL_CREATE, &handled, sizeof handled, 0);
    bool fine = rules >= 0 && allow(rules, c->folder, MAY_ALL);
    for (size_t k = 0; fine && everywhere[k]; k++)
        fine = allow(rules, everywhere[k], MAY_READ);
    for (size_t k = 0; fine && devices[k]; k++)
        fine = allow(rules, devices[k], MAY_FILE);
    for (size_t k = 0; fine && k < CELL_PATHS && c->read[k]; k++)
        fine = allow(rules, c->read[k], MAY_READ);
    for (size_t k = 0; fine && k < sizeof c->write / sizeof *c->write && c->write[k]; k++)
        fine = allow(rules, c->write[k], MAY_ALL);
    fine = fine && (!c->cache || allow(rules, c->cache, MAY_ALL));
    return fine && syscall(CALL_RESTRICT, rules, 0) == 0;
}

/* -- seccomp ----------------------------------------------------------------------------------- */

#if defined __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_MACHINE
/* Calls that are refused whatever their arguments. x32's numbers begin at 2^30. */
static const uint32_t refused[] = {
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    424 /* pidfd_send_signal */,
    438 /* pidfd_getfd */,
    425 /* io_uring_setup */,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_keyctl,
    __NR_add_key,
    __NR_unshare,
    __NR_setns,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_reboot,
    __NR_setpriority,
    __NR_sched_setaffinity,
    __NR_memfd_create,
    __NR_shmget,
    __NR_msgget,
    __NR_semget,
    __NR_mq_open,
};
/* By path, which Landlock leaves to whoever owns the file; compilers need them. */
static const uint32_t changes[] = {
#ifdef __NR_chmod
    __NR_chmod,     __NR_chown,          __NR_lchown,      __NR_utime,        __NR_utimes,
    __NR_futimesat,
#endif
    __NR_fchmodat,  452 /* fchmodat2 */, __NR_fchownat,    __NR_utimensat,    __NR_truncate,
    __NR_setxattr,  __NR_lsetxattr,      __NR_removexattr, __NR_lremovexattr,
};
static const uint32_t starts[] = {
#ifdef __NR_fork
    __NR_fork,
    __NR_vfork,
#endif
};

enum {
    MOST_STEPS = 200,
    LOW = 0
}; /* LOW: an argument's lower half, on machines that store it first */

struct filter {
    struct sock_filter step[MOST_STEPS];
    unsigned short count;
};

static void
add(struct filter *f, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (f->count < MOST_STEPS)
        f->step[f->count++] = (struct sock_filter){code, yes, no, value};
}

static void
load(struct filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void
answer(struct filter *f, uint32_t how)
{
    add(f, BPF_RET | BPF_K, how, 0, 0);
}

static void
refuse(struct filter *f, uint32_t call, int why)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)why);
}

/* The call's first argument must be `only`. */
static void
refuse_unless(struct filter *f, uint32_t call, uint32_t only, int why)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(f, offsetof(struct seccomp_data, args[0]) + LOW);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, only, 1, 0);
    answer(f, SECCOMP_RET_ERRNO | (uint32_t)why);
    answer(f, SECCOMP_RET_ALLOW);
}

static void
refuse_processes(struct filter *f)
{
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        refuse(f, starts[k], EAGAIN);
    refuse(f, 435, ENOSYS); /* clone3: its flags lie in memory; the C library falls back to clone */
    add(f, BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4);
    load(f, offsetof(struct seccomp_data, args[0]) + LOW);
    add(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    answer(f, SECCOMP_RET_ERRNO | EAGAIN);
    answer(f, SECCOMP_RET_ALLOW);
    refuse_unless(f, __NR_kill, (uint32_t)getpid(), EPERM);
    refuse_unless(f, __NR_tgkill, (uint32_t)getpid(), EPERM);
}

static void
build(struct filter *f, const struct cell *c)
{
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
    answer(f, SECCOMP_RET_KILL_PROCESS);
    load(f, offsetof(struct seccomp_data, nr));
    add(f, BPF_JMP | BPF_JGE | BPF_K, 1u << 30, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | ENOSYS);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        refuse(f, refused[k], EPERM);
    for (size_t k = 0; !c->children && k < sizeof changes / sizeof *changes; k++)
        refuse(f, changes[k], EPERM);
    refuse_unless(f, __NR_prlimit64, 0, EPERM); /* of itself */
    refuse(f, __NR_socket, EACCES);
    if (c->children)
        refuse_unless(f, __NR_socketpair, AF_UNIX, EACCES);
    else
        refuse_processes(f);
    answer(f, SECCOMP_RET_ALLOW);
}

static bool
seccomp_is_there(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool
confine_calls(const struct cell *c)
{
    struct filter f = {.count = 0};
    if (!seccomp_is_there())
        return true;
    build(&f, c);
    struct sock_fprog program = {.len = f.count, .filter = f.step};
    return f.count < MOST_STEPS && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else /* on other processors numbers of calls are not known here */
static bool
seccomp_is_there(void)
{
    return false;
}

static bool
confine_calls(const struct cell *c)
{
    return true;
}
#endif

/* -- both -------------------------------------------------------------------------------------- */

uint32_t
cell_protection(void)
{
    return (landlock_is_there() ? CELL_NO_FILES : 0) |
           (seccomp_is_there() ? CELL_NO_NETWORK | CELL_NO_PROCESSES : 0);
}

bool
cell_guard(const struct cell *c)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_files(c) && confine_calls(c);
}
