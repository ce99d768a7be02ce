/* SPDX-License-Identifier: Apache-2.0
 *
 * cell.c: see cell.h. The child limits and guards itself and becomes the program; this process
 * feeds and drains its pipes, looks every few milliseconds at its memory and files, and ends its
 * whole group when a limit is passed.
 */
#define _GNU_SOURCE /* nftw, memrchr */
#include "cli/grade/cell.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 10, FILES_EVERY = 5, OPEN_FILES = 256, MOST_FILES = 1000 };
/* Bytes of writable memory that a cell has beyond its limit of resident memory: lockstep reserves
 * more than it touches (16 GiB for handles alone). */
static const uint64_t RESERVED = 24ull << 30;

/* -- the child --------------------------------------------------------------------------------- */

static void
limit(int what, uint64_t most)
{
    struct rlimit l = {.rlim_cur = most, .rlim_max = most};
    setrlimit((__rlimit_resource_t)what, &l);
}

static void
set_limits(const struct cell *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, (uint64_t)(ceil(c->seconds) * (double)(cores > 0 ? cores : 1)) + 1);
    limit(RLIMIT_FSIZE, c->files);
    limit(RLIMIT_DATA, c->memory + RESERVED);
    limit(RLIMIT_NOFILE, OPEN_FILES);
    limit(RLIMIT_MEMLOCK, 0);
}

static _Noreturn void
become(const struct cell *c, const int in[2], const int out[2], const int err[2], int tell)
{
    char home[4200];
    const char *environment[CELL_SETTINGS + 3] = {
        "PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin", home};
    snprintf(home, sizeof home, "HOME=%s", c->folder);
    for (size_t k = 0; k < CELL_SETTINGS && c->set[k]; k++)
        environment[2 + k] = c->set[k];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid(); /* a group of its own, and no terminal */
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (int fd = 3; fd < OPEN_FILES; fd++)
        if (fd != tell)
            close(fd);
    if (chdir(c->folder) == 0) {
        set_limits(c);
        bool fine = cell_guard(c);
        if (fine && !c->path) {
            close(tell);
            clearenv();
            for (size_t k = 0; k < CELL_SETTINGS + 2 && environment[k]; k++)
                putenv((char *)environment[k]);
            int status = c->call(c->context);
            fflush(NULL);
            _exit(status);
        }
        if (fine)
            execve(c->path, (char *const *)c->argv, (char *const *)environment);
    }
    int why = errno;
    if (write(tell, &why, sizeof why) != sizeof why)
        _exit(126);
    _exit(127);
}

/* -- what it uses ------------------------------------------------------------------------------ */

static uint64_t
resident(pid_t pid)
{
    char path[64], text[128] = "";
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    int at = open(path, O_RDONLY | O_CLOEXEC);
    if (at >= 0 && read(at, text, sizeof text - 1) > 0)
        sscanf(text, "%*u %llu", &pages);
    if (at >= 0)
        close(at);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* nftw() has no context; this command looks at one folder at a time. */
static uint64_t counted_bytes, counted_files;

static int
count_file(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    counted_bytes += kind == FTW_F ? (uint64_t)st->st_blocks * 512 : 0;
    return ++counted_files > MOST_FILES;
}

static bool
too_many_files(const struct cell *c)
{
    counted_bytes = counted_files = 0;
    nftw(c->folder, count_file, 16, FTW_PHYS);
    for (size_t k = 0; k < sizeof c->write / sizeof *c->write && c->write[k]; k++)
        nftw(c->write[k], count_file, 16, FTW_PHYS);
    return counted_bytes > c->files || counted_files > MOST_FILES;
}

/* -- the parent -------------------------------------------------------------------------------- */

struct cell_watch {
    const struct cell *c;
    struct cell_result *r;
    pid_t pid;
    struct pollfd end[3]; /* its input, output, errors; fd -1: over */
    size_t fed;
    double until;
};

static void
feed(struct cell_watch *w)
{
    size_t left = w->c->input_size - w->fed;
    ssize_t n = left ? write(w->end[0].fd, w->c->input + w->fed, left) : 0;
    if (n > 0)
        w->fed += (size_t)n;
    if (w->fed < w->c->input_size && (n > 0 || errno == EAGAIN || errno == EINTR))
        return;
    close(w->end[0].fd);
    w->end[0].fd = -1;
}

static void
drain(struct cell_watch *w, int k)
{
    char bytes[65536];
    struct text *to = k == 1 ? &w->r->out : &w->r->err;
    ssize_t n = read(w->end[k].fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        close(w->end[k].fd);
        w->end[k].fd = -1;
    }
    uint64_t have = w->r->out.count + w->r->err.count, most = w->c->output;
    if (n > 0 && have + (uint64_t)n > most)
        w->r->stop = CELL_OUTPUT;
    if (n > 0)
        text_add_bytes(to, bytes, have + (uint64_t)n > most ? (size_t)(most - have) : (size_t)n);
}

/* Compares the program's memory, output and files with the limits; false: it has passed one. */
static bool
look(struct cell_watch *w, uint32_t round)
{
    uint64_t now = resident(w->pid);
    w->r->memory = now > w->r->memory ? now : w->r->memory;
    if (now > w->c->memory)
        w->r->stop = CELL_MEMORY;
    else if (cli_now() > w->until)
        w->r->stop = CELL_TIME;
    else if (round % FILES_EVERY == 0 && too_many_files(w->c))
        w->r->stop = CELL_FILES;
    return w->r->stop == CELL_RAN;
}

static void
follow(struct cell_watch *w)
{
    double next = 0;
    for (uint32_t round = 0; w->end[1].fd >= 0 || w->end[2].fd >= 0;) {
        int n = poll(w->end, 3, LOOK_MS);
        for (int k = 0; n > 0 && k < 3; k++)
            if (w->end[k].fd >= 0 && w->end[k].revents)
                k ? drain(w, k) : feed(w);
        if (w->r->stop != CELL_RAN)
            return;
        if (cli_now() < next)
            continue;
        next = cli_now() + 1e-3 * LOOK_MS;
        if (!look(w, round++))
            return;
    }
    /* It closed its streams and may go on. */
    for (siginfo_t ended = {0};
         waitid(P_PID, (id_t)w->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid;
         usleep(1000 * LOOK_MS))
        if (!look(w, 0))
            return;
}

static void
finish(struct cell_watch *w, double begin)
{
    struct cell_result *r = w->r;
    struct rusage used;
    int status = 0;
    kill(-w->pid, SIGKILL); /* of its group whoever is left; itself where it has passed a limit */
    while (wait4(w->pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    uint64_t most = (uint64_t)used.ru_maxrss * 1024;
    r->memory = most > r->memory ? most : r->memory;
    r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    r->status = r->signal ? 128 + r->signal : WEXITSTATUS(status);
    r->seconds = cli_now() - begin;
    if (r->signal == SIGXCPU && r->stop == CELL_RAN)
        r->stop = CELL_TIME;
    if (r->stop == CELL_RAN && (r->signal == SIGXFSZ || too_many_files(w->c)))
        r->stop = CELL_FILES;
}

static bool
open_pipes(int in[2], int out[2], int err[2], int tell[2])
{
    int *all[] = {in, out, err, tell};
    for (int k = 0; k < 4; k++) {
        if (pipe(all[k]) == 0) {
            fcntl(all[k][0], F_SETFD, FD_CLOEXEC);
            fcntl(all[k][1], F_SETFD, FD_CLOEXEC);
            continue;
        }
        while (k-- > 0) {
            close(all[k][0]);
            close(all[k][1]);
        }
        return false;
    }
    return true;
}

bool
cell_run(const struct cell *c, struct cell_result *r, struct ls_error *err)
{
    int in[2], out[2], errors[2], tell[2], why = 0;
    *r = (struct cell_result){0};
    if (!open_pipes(in, out, errors, tell))
        return ls_fail(err, LS_ERR_SYSTEM, "pipe: %s", strerror(errno));
    double begin = cli_now();
    void (*broken)(int) = signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        become(c, in, out, errors, tell[1]);
    }
    int forked = errno;
    close(in[0]);
    close(out[1]);
    close(errors[1]);
    close(tell[1]);
    bool failed = pid < 0 || read(tell[0], &why, sizeof why) == sizeof why;
    close(tell[0]);
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    struct cell_watch w = {.c = c,
                           .r = r,
                           .pid = pid,
                           .until = begin + c->seconds,
                           .end = {{.fd = in[1], .events = POLLOUT},
                                   {.fd = out[0], .events = POLLIN},
                                   {.fd = errors[0], .events = POLLIN}}};
    r->pid = (int)pid;
    if (!failed)
        follow(&w);
    if (pid > 0)
        finish(&w, begin);
    for (int k = 0; k < 3; k++)
        if (w.end[k].fd >= 0)
            close(w.end[k].fd);
    signal(SIGPIPE, broken);
    text_add(&r->out, "%s", "");
    text_add(&r->err, "%s", "");
    return !failed || ls_fail(err, LS_ERR_SYSTEM, "%s could not be started: %s",
                              c->path ? c->path : "a child", strerror(pid < 0 ? forked : why));
}

void
cell_result_fini(struct cell_result *r)
{
    text_free(&r->out);
    text_free(&r->err);
}

void
cell_explain(const struct cell *c, const struct cell_result *r, char *out, size_t room)
{
    struct arena a = {0};
    const char *what = "";
    switch (r->stop) {
    case CELL_TIME: what = arena_printf(&a, "stopped after %g s", c->seconds); break;
    case CELL_MEMORY:
        what =
            arena_printf(&a, "stopped: more than %.0f MiB of memory", (double)c->memory / 1048576);
        break;
    case CELL_OUTPUT:
        what = arena_printf(&a, "stopped: more than %.0f KiB printed", (double)c->output / 1024);
        break;
    case CELL_FILES:
        what = arena_printf(&a, "stopped: more than %.0f KiB, or %d files, written",
                            (double)c->files / 1024, MOST_FILES);
        break;
    case CELL_RAN:
        if (r->signal)
            what = arena_printf(&a, "ended by signal %d (%s)", r->signal, strsignal(r->signal));
        else if (r->status)
            what = arena_printf(&a, "exit status %d", r->status);
    }
    snprintf(out, room, "%s", what);
    arena_free(&a);
}
