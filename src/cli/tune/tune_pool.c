/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_pool.c: who computes what. Each process of a sweep (one, or the ranks of an MPI launcher)
 * walks over the jobs from its own share on, claims those that nobody has, and computes them in
 * child processes. Nothing is sent between ranks: they meet in the state's folder. Rank 0 walks
 * until all results are there, and so takes over what a rank that died had begun.
 */
#include "cli/tune/tune.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct pool {
    struct tune_call *call;
    struct ls_error *err;
    size_t running, done; /* done: results that are there */
    bool shown;
    double last_shown;
    uint32_t at_once;
};

static volatile sig_atomic_t interrupted;

static void
note_signal(int number)
{
    interrupted = number;
}

/* -- ranks ------------------------------------------------------------------------------------- */

void
tune_ranks(uint32_t *out_rank, uint32_t *out_ranks)
{
    static const char *const names[][2] = {
#define RANKS(rank, size, who) {rank, size},
#include "cli/tune/tune_ranks.def"
#undef RANKS
    };
    *out_rank = 0;
    *out_ranks = 1;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *rank = getenv(names[k][0]), *size = getenv(names[k][1]);
        uint64_t r, n;
        if (rank && size && ls_parse_u64(rank, &r) && ls_parse_u64(size, &n) && n <= UINT32_MAX &&
            r < n) {
            *out_rank = (uint32_t)r;
            *out_ranks = (uint32_t)n;
            return;
        }
    }
}

/* -- progress ---------------------------------------------------------------------------------- */

static void
show_progress(struct pool *p, bool end)
{
    const struct tune_call *c = p->call;
    double now = cli_now(), spent = now - c->begin;
    size_t before = 0, total = c->jobs.count;
    const char *what = "";
    if (c->rank || c->line->common.quiet || !isatty(2) || (!p->shown && end))
        return;
    if (!end && (spent < 1 || now - p->last_shown < 0.2))
        return;
    for (size_t k = 0; k < total; k++) {
        before += c->jobs.at[k].before;
        if (c->jobs.at[k].child)
            what = c->jobs.at[k].flags;
    }
    fprintf(stderr, "\r\033[K");
    p->shown = !end;
    p->last_shown = now;
    if (!end && p->done > before)
        fprintf(stderr, "[%zu/%zu] %.0f s left  %.60s", p->done, total,
                spent / (double)(p->done - before) * (double)(total - p->done), what);
    else if (!end)
        fprintf(stderr, "[%zu/%zu] %.60s", p->done, total, what);
    fflush(stderr);
}

/* -- children ---------------------------------------------------------------------------------- */

static _Noreturn void
child_main(struct tune_call *c, struct tune_job *j, int claim)
{
    struct ls_error err = {0};
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the claim ends with the rank, and what it began, too */
    if (claim < 0) {
        tune_build_alone(c, j);
        exit(0);
    }
    uint32_t begun = tune_state_begin(c, claim);
    json_t *result = tune_compute(c, j);
    json_object_set_new(result, "begun", json_integer(begun));
    json_object_set_new(result, "computed_by", json_integer(c->rank));
    bool fine = tune_state_write(c, j, result, &err);
    json_decref(result);
    exit(fine ? 0 : 1);
}

/* claim: -1 to build alone. */
static bool
start(struct pool *p, struct tune_job *j, int claim)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        child_main(p->call, j, claim);
    if (claim >= 0)
        close(claim); /* the child has it */
    if (pid < 0)
        return ls_fail(p->err, LS_ERR_SYSTEM, "fork: %s", strerror(errno));
    j->child = pid;
    j->mine = claim >= 0;
    p->running++;
    return true;
}

static bool
take_result(struct pool *p, struct tune_job *j, bool before)
{
    json_t *r = tune_state_result(p->call, j);
    if (!r)
        return false;
    tune_understand(j, r);
    j->before = before;
    p->done++;
    return true;
}

/* One child that has ended: its job has a result, or it was only built. */
static bool
reap(struct pool *p, bool building)
{
    int status;
    pid_t pid = waitpid(-1, &status, p->running ? WNOHANG : 0);
    if (pid <= 0)
        return false;
    for (size_t k = 0; k < p->call->jobs.count; k++) {
        struct tune_job *j = &p->call->jobs.at[k];
        if (j->child != pid)
            continue;
        j->child = 0;
        p->running--;
        if (!building && !take_result(p, j, false)) {
            json_t *r =
                json_pack("{s:s, s:s, s:s}", "status", tune_status_words[TUNE_FAILED], "why",
                          "its process ended without a result", "identity", j->identity);
            tune_understand(j, r);
            p->done++;
        }
    }
    return true;
}

static void
pause_a_little(void)
{
    const struct timespec t = {0, 5000000};
    nanosleep(&t, NULL);
}

/* Waits until there is room for a child (most: how many may run). False: interrupted. */
static bool
wait_for_room(struct pool *p, size_t most, bool building)
{
    while (p->running > most && !interrupted) {
        if (!reap(p, building))
            pause_a_little();
        show_progress(p, false);
    }
    return !interrupted;
}

static void
kill_children(struct pool *p)
{
    for (size_t k = 0; k < p->call->jobs.count; k++)
        if (p->call->jobs.at[k].child)
            kill(p->call->jobs.at[k].child, SIGKILL);
    while (p->running && waitpid(-1, NULL, 0) > 0)
        p->running--;
}

/* -- the sweep --------------------------------------------------------------------------------- */

/* Measuring goes one after the other; compiling before that does not. Ranks share it. */
static bool
build_all(struct pool *p)
{
    struct tune_call *c = p->call;
    size_t each = c->jobs.count / c->devices.count, missing = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (size_t k = 0; k < each; k++)
        if (!c->jobs.at[k].result && missing++ % c->ranks == c->rank)
            if (!wait_for_room(p, cores > 1 ? (size_t)cores - 1 : 0, true) ||
                !start(p, &c->jobs.at[k], -1))
                return false;
    return wait_for_room(p, 0, true);
}

/* Once over all jobs, from this rank's share on. */
static bool
walk(struct pool *p, size_t *waiting)
{
    struct tune_call *c = p->call;
    size_t n = c->jobs.count, from = (size_t)((uint64_t)n * c->rank / c->ranks);
    *waiting = 0;
    for (size_t k = 0; k < n; k++) {
        struct tune_job *j = &c->jobs.at[(from + k) % n];
        if (j->result || j->child)
            continue;
        if (!wait_for_room(p, p->at_once - 1, false))
            return false;
        int claim = tune_state_claim(c, j, p->err);
        if (claim == -2)
            return false;
        /* With the claim in hand: somebody may have finished it in between. */
        if (take_result(p, j, false)) {
            if (claim >= 0)
                close(claim);
        } else if (claim == -1) {
            ++*waiting;
        } else if (!start(p, j, claim)) {
            return false;
        }
    }
    return wait_for_room(p, 0, false);
}

static bool
sweep(struct pool *p)
{
    struct tune_call *c = p->call;
    size_t waiting = 0;
    for (size_t k = 0; k < c->jobs.count; k++)
        take_result(p, &c->jobs.at[k], true);
    if (c->by == TUNE_BY_TIME && p->done < c->jobs.count && !build_all(p))
        return false;
    do {
        if (waiting)
            pause_a_little();
        show_progress(p, false);
        if (!walk(p, &waiting))
            return false;
    } while (waiting && c->rank == 0);
    return true;
}

bool
tune_sweep(struct tune_call *c, struct ls_error *err)
{
    struct pool p = {.call = c, .err = err};
    p.at_once = c->by == TUNE_BY_TIME ? 1 : c->workers_at_once;
    signal(SIGINT, note_signal);
    signal(SIGTERM, note_signal);
    c->begin = cli_now();
    bool fine = sweep(&p);
    if (!fine) {
        kill_children(&p);
        if (interrupted)
            ls_fail(err, LS_ERR_SYSTEM, "interrupted%s",
                    c->kept ? "; the same command goes on where it stopped" : "");
    }
    show_progress(&p, true);
    return fine;
}
