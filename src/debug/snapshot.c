/* SPDX-License-Identifier: Apache-2.0
 *
 * snapshot.c: memory of the device, of blocks, and the stacks are this process's own pages, so that
 * a child made by fork is the launch as it stands. Children wait (a futex in shared memory); one
 * that is asked leaves a copy of itself to wait in its place and goes on: as the program, whose
 * process before ends, or to answer a question.
 *
 * Who started the program knows its first process. That stays when another one is the program: it
 * waits for it, hands signals on, and ends as it has ended.
 */
#define _GNU_SOURCE /* _Fork */
#include "debug/debug_priv.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Handlers of pthread_atfork are for the program's own children. glibc has it from 2.34 on. */
extern pid_t _Fork(void) __attribute__((weak));

enum { LOOK_S = 1 }; /* how often one that waits looks whether the program is still there */

/* All: one that has been killed may still stand there. */
static void
futex_wake(_Atomic uint32_t *at)
{
    syscall(SYS_futex, at, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void
futex_wait(_Atomic uint32_t *at, uint32_t value)
{
    struct timespec t = {.tv_sec = LOOK_S};
    syscall(SYS_futex, at, FUTEX_WAIT, value, &t, NULL, 0);
}

/* -- those that wait --------------------------------------------------------------------------- */

/* Also where it has ended and its parent has not taken note: that one waits for our end of the
 * socket. */
static bool
is_gone(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return kill(pid, 0) != 0 && errno == ESRCH;
    struct pollfd ended = {.fd = fd, .events = POLLIN};
    bool gone = poll(&ended, 1, 0) > 0;
    close(fd);
    return gone;
}

/* Returns in the process that goes on. */
static void
wait_here(struct debug *d, struct debug_snapshot *s)
{
    for (;;) {
        while (!atomic_load(&s->command)) {
            futex_wait(&s->command, 0);
            if (is_gone(d->shared->first))
                _exit(0);
        }
        atomic_store(&s->command, 0);
        pid_t copy = _Fork();
        if (copy == 0)
            continue;
        s->pid = copy > 0 ? copy : 0;
        return;
    }
}

static int
free_slot(struct debug *d)
{
    struct debug_snapshot *s = d->shared->snapshot;
    for (int k = 0; k < SNAPSHOTS; k++)
        if (!s[k].pid)
            return k;
    return -1;
}

static void
drop(struct debug *d, int n)
{
    struct debug_snapshot *s = &d->shared->snapshot[n];
    kill(s->pid, SIGKILL);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
        ; /* it may be another process's child: the first one sees to it */
    s->pid = 0;
}

/* The signal of a child that the program knows nothing of is not for its handler. */
static void
drop_quietly(struct debug *d, const bool *which)
{
    sigset_t child, before, now;
    struct timespec none = {0};
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    sigpending(&now);
    bool was = sigismember(&now, SIGCHLD);
    for (int k = 0; k < SNAPSHOTS; k++)
        if (which[k])
            drop(d, k);
    while (!was && sigtimedwait(&child, NULL, &none) > 0)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void
debug_drop_snapshots(struct debug *d, uint64_t after)
{
    bool which[SNAPSHOTS], any = false;
    for (int k = 0; k < SNAPSHOTS; k++) {
        const struct debug_snapshot *s = &d->shared->snapshot[k];
        which[k] = s->pid && (after == UINT64_MAX || s->position > after);
        any |= which[k];
    }
    if (any)
        drop_quietly(d, which);
}

/* Drops one snapshot to make room: never the one at position 0; of the others the one with the
 * smallest gap between its neighbours, divided by its distance from the current position. */
static void
thin(struct debug *d)
{
    const struct debug_snapshot *s = d->shared->snapshot;
    bool which[SNAPSHOTS] = {false};
    uint64_t here = d->steps.position;
    double least = 0;
    int victim = -1;
    for (int k = 0; k < SNAPSHOTS; k++) {
        uint64_t low = 0, high = UINT64_MAX, at = s[k].position;
        for (int j = 0; j < SNAPSHOTS; j++) {
            low = s[j].position < at && s[j].position > low ? s[j].position : low;
            high = s[j].position > at && s[j].position < high ? s[j].position : high;
        }
        high = high == UINT64_MAX ? (here > at ? here : at) : high;
        double missed = (double)(high - low) / ((double)(at > here ? at - here : here - at) + 1);
        if (at && (victim < 0 || missed < least)) {
            victim = k;
            least = missed;
        }
    }
    which[victim] = true;
    drop_quietly(d, which);
}

int
debug_snapshot_at(const struct debug *d, uint64_t position)
{
    const struct debug_snapshot *s = d->shared->snapshot;
    int best = -1;
    for (int k = 0; k < SNAPSHOTS; k++)
        if (s[k].pid && s[k].position <= position && (best < 0 || s[k].position > s[best].position))
            best = k;
    return best;
}

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void
debug_plan_snapshot(struct debug *d)
{
    enum { LEAST = 1 << 16 };
    const struct debug_snapshot *s = d->shared->snapshot;
    uint64_t here = d->steps.position, next = here + d->snapshots.interval, way = d->target - here;
    if (!d->snapshots.begin || d->mode == MODE_LAST) {
        d->snapshots.next = UINT64_MAX;
        return;
    }
    for (int k = 0; k < SNAPSHOTS; k++) /* none where there is one already */
        if (s[k].pid && s[k].position > here && s[k].position + d->snapshots.interval > next)
            next = s[k].position + d->snapshots.interval;
    /* On the way to where somebody will look around, more the nearer. */
    if (d->mode != MODE_GO && d->target > here && way > LEAST && here + way / 2 < next)
        next = here + way / 2;
    d->snapshots.next = next;
}

bool
debug_snapshot(struct debug *d)
{
    sigset_t all, before;
    uint64_t begin = now_ns();
    int n = free_slot(d);
    if (n < 0) {
        thin(d);
        n = free_slot(d);
    }
    if (getpid() == d->shared->first)
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    fflush(NULL); /* or what waits there would be written by each that goes on */
    struct debug_snapshot *s = &d->shared->snapshot[n];
    s->position = d->steps.position;
    atomic_store(&s->command, 0);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = _Fork();
    if (pid == 0) {
        struct timespec none = {0};
        sigset_t interrupt;
        wait_here(d, s);
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        sigaddset(&interrupt, SIGURG);
        while (sigtimedwait(&interrupt, NULL, &none) > 0)
            ; /* of the time when it waited */
    } else if (pid > 0) {
        s->pid = pid;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    d->snapshots.forking += pid ? now_ns() - begin : 0;
    if (pid > 0 && d->mode == MODE_GO && ++d->snapshots.made % SNAPSHOTS == 0)
        d->snapshots.interval *= 2;
    if (pid < 0) {
        snprintf(d->snapshots.cannot, sizeof d->snapshots.cannot, "no snapshot could be made: %s",
                 strerror(errno));
        d->snapshots.begin = false;
    }
    return pid == 0;
}

bool
debug_ask_snapshot(struct debug *d, int n)
{
    struct debug_snapshot *s = &d->shared->snapshot[n];
    pid_t pid = s->pid;
    atomic_store(&d->shared->answered, 0);
    atomic_store(&s->command, 1);
    futex_wake(&s->command);
    bool gone = false;
    while (!atomic_load(&d->shared->answered) && !gone) {
        futex_wait(&d->shared->answered, 0);
        gone = waitpid(pid, NULL, WNOHANG) == pid || is_gone(pid);
    }
    while (!gone && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return atomic_load(&d->shared->answered);
}

/* -- the first process ------------------------------------------------------------------------- */

static void
drop_all(struct debug *d)
{
    for (int k = 0; k < SNAPSHOTS; k++)
        if (d->shared->snapshot[k].pid)
            kill(d->shared->snapshot[k].pid, SIGKILL);
}

static void
tell_exit(struct debug *d, int32_t status)
{
    if (!atomic_exchange(&d->shared->exit_sent, true))
        debug_send(d, DEBUG_E_EXIT, 0, &status, sizeof status, NULL, 0);
}

static _Noreturn void
end_as(struct debug *d, int status)
{
    sigset_t all;
    drop_all(d);
    if (WIFEXITED(status)) {
        tell_exit(d, WEXITSTATUS(status));
        _exit(WEXITSTATUS(status));
    }
    struct rlimit none = {0};
    tell_exit(d, -WTERMSIG(status));
    setrlimit(RLIMIT_CORE, &none); /* there is one */
    signal(WTERMSIG(status), SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

/* What a terminal sends reaches every process of the group by itself. */
static _Noreturn void
stand_for(struct debug *d)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (;;) {
        siginfo_t info;
        int status, number;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == d->shared->active)
                end_as(d, status);
        number = sigwaitinfo(&all, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0)
            kill(d->shared->active, number);
    }
}

void
debug_become(struct debug *d, int n)
{
    struct debug_snapshot *s = &d->shared->snapshot[n];
    fflush(NULL); /* it counts as shown */
    d->shared->active = s->pid;
    atomic_store(&s->command, 1);
    futex_wake(&s->command);
    if (getpid() == d->shared->first)
        stand_for(d);
    _exit(0);
}

/* -- the end ----------------------------------------------------------------------------------- */

void
debug_over(struct debug *d, int32_t status)
{
    drop_all(d);
    tell_exit(d, status & 0xff);
}

void
debug_abandoned(struct debug *d)
{
    drop_all(d);
    atomic_store(&d->shared->exit_sent, true);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    _exit(1);
}

void
debug_kill(struct debug *d)
{
    drop_all(d);
    tell_exit(d, -SIGKILL);
    raise(SIGKILL);
    _exit(1);
}

/* Ours only wait, and nobody misses them. */
void
debug_look_for_threads(char *out, size_t room)
{
    unsigned others = 0;
    DIR *dir = opendir("/proc/self/task");
    out[0] = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = e->d_name[0] != '.' && atoi(e->d_name) != gettid() ? fopen(path, "re") : NULL;
        if (!f)
            continue;
        others += fgets(name, sizeof name, f) && strncmp(name, "lockstep/", 9) != 0;
        fclose(f);
    }
    if (dir)
        closedir(dir);
    if (others)
        snprintf(out, room, "the program has %u more thread%s", others, others > 1 ? "s" : "");
    else if (!_Fork)
        snprintf(out, room, "this system's C library has no _Fork (glibc 2.34)");
}
