/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c: see program.h. Options become LOCKSTEP_* variables, which liblockstep reads inside the
 * program; a watched program keeps its result, or a journal, in a folder of its own.
 */
#define _GNU_SOURCE /* memmem */
#include "cli/run/parts.h"
#include "cli/run/program.h"

#include "cc/cc.h"
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- what to execute --------------------------------------------------------------------------- */

/* A name without a slash means the file here, else a command on the PATH, which execvp looks up. */
static const char *
executable(struct arena *a, const char *word, struct ls_error *err)
{
    struct stat st;
    if (stat(word, &st) != 0) {
        if (errno == ENOENT && !strchr(word, '/') && !strchr(word, '.'))
            return word;
        ls_fail(err, LS_ERR_USAGE, "%s: %s", word, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        ls_fail(err, LS_ERR_USAGE, "%s: %s, not a program", word,
                S_ISDIR(st.st_mode) ? "a folder" : "a special file");
        return NULL;
    }
    if (access(word, X_OK) != 0) {
        ls_fail(err, LS_ERR_USAGE, "%s: %s%s", word, strerror(errno),
                errno == EACCES ? " (neither a .cu file nor executable)" : "");
        return NULL;
    }
    return strchr(word, '/') ? word : arena_printf(a, "./%s", word);
}

const char *
program_path(struct arena *a, const char *word, const char *const *extra, size_t count,
             struct ls_error *err)
{
    enum { PATH_ROOM = 4096 };
    if (ls_ends_with(word, ".ptx")) {
        ls_fail(err, LS_ERR_USAGE,
                "%s: PTX has no host code; run one of its kernels with "
                "`lockstep launch %s --kernel NAME`",
                word, word);
        return NULL;
    }
    if (!ls_ends_with(word, ".cu") && !ls_ends_with(word, ".cuda")) {
        if (!count)
            return executable(a, word, err);
        ls_fail(err, LS_ERR_USAGE,
                "%s is for the compiler, but %s is no .cu file: give it to `lockstep cc`", extra[0],
                word);
        return NULL;
    }
    char *path = arena_alloc(a, PATH_ROOM);
    return cc_build(word, extra, count, path, PATH_ROOM, err) ? path : NULL;
}

const char *
program_of_line(const struct cli_usage *usage, struct cli_line *line, struct ls_error *err)
{
    const char *word = line->words[0], *path;
    path = program_path(&line->arena, word, line->compile, line->compile_count, err);
    if (path && !line->common.quiet)
        program_note(usage, line, path);
    if (!path && line->compile_count > line->compile_options)
        columns_say("lockstep %s: %s was compiled with %s; to hand files to the program: lockstep "
                    "%s -- %s ...\n",
                    usage->name, line->compile[line->compile_options], word, usage->name, word);
    return path;
}

static void
set_count(const char *name, uint32_t n)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    setenv(name, digits, 1);
}

void
program_environment(const struct cli_common *c)
{
    if (c->cc)
        setenv("LOCKSTEP_CC", c->cc, 1);
    else
        unsetenv("LOCKSTEP_CC");
    if (c->gpu)
        setenv("LOCKSTEP_GPU", c->gpu, 1);
    else
        unsetenv("LOCKSTEP_GPU");
    if (c->devices)
        set_count("LOCKSTEP_DEVICES", c->devices);
    if (c->workers)
        set_count("LOCKSTEP_WORKERS", c->workers);
    if (c->quiet)
        setenv("LOCKSTEP_QUIET", "1", 1);
    else if (isatty(STDERR_FILENO))
        setenv("LOCKSTEP_PROGRESS", "1", 0); /* the environment may say 0 */
    if (!c->quiet)
        setenv("LOCKSTEP_INTERRUPT", "1", 0); /* the same */
    if (c->verbose)
        setenv("LOCKSTEP_VERBOSE", "1", 1);
}

bool
program_clock_is(const char *text)
{
    return !text || strcmp(text, "cpu") == 0 || strcmp(text, "model") == 0;
}

bool
program_schedule(const char *text, struct ls_error *err)
{
    struct exec_schedule unused;
    if (!text || !*text)
        return true;
    setenv("LOCKSTEP_SCHEDULE", text, 1);
    return exec_schedule_parse(text, &unused, err);
}

int
program_failed(const struct cli_usage *usage, const char *word)
{
    struct ls_error err = {0};
    ls_fail(&err, LS_ERR_USAGE, "%s: %s", word,
            errno == ENOEXEC ? "not a program for this machine" : strerror(errno));
    return cli_error(usage->name, &err);
}

/* -- under a tool ------------------------------------------------------------------------------ */

struct watch {
    const char *path;
    char **words;
    const char *tool, *options;
    const char *out, *journal; /* one of the two */
    bool stdout_taken;
};

/* The program under a tool; 0: none. A handler reads it. */
static volatile pid_t watched;

/* What ends this command ends the program first: that writes what the tool has found so far, and
 * this process lives on to show it. */
static void
hand_on(int number)
{
    if (watched > 0)
        kill(watched, number);
}

static void
hand_on_signals(pid_t child)
{
    static const int ending[] = {SIGTERM, SIGHUP};
    struct sigaction ours = {.sa_handler = hand_on, .sa_flags = SA_RESTART}, old;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    watched = child;
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (sigaction(ending[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[k], child ? &ours : &usual, NULL);
}

/* A program that is linked to MPI is watched by a library that comes before MPI's. */
static void
preload_mpi(const char *path)
{
    struct ls_error err;
    size_t size = 0;
    char self[3072], library[4096];
    char *image = ls_read_file(path, &size, &err);
    bool linked =
        image && (memmem(image, size, "libmpi.so", 9) || memmem(image, size, "libmpich.so", 11));
    ls_release(image);
    ssize_t n = linked ? readlink("/proc/self/exe", self, sizeof self - 1) : -1;
    if (n <= 0)
        return;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    static const char *const places[] = {"lib", "../lib/lockstep"};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const char *before = getenv("LD_PRELOAD");
        snprintf(library, sizeof library, "%s/%s/liblockstep_mpi.so", self, places[k]);
        if (access(library, R_OK) != 0)
            continue;
        size_t length = strlen(library);
        if (before && *before)
            snprintf(library + length, sizeof library - length, ":%s", before);
        setenv("LD_PRELOAD", library, 1);
        return;
    }
}

/* In the child. A failed exec is told through the pipe, which a good one closes. */
static _Noreturn void
become(const struct watch *w, int tell)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* where this command is killed outright */
    if (w->tool) {
        setenv("LOCKSTEP_TOOL", w->tool, 1);
        if (!strcmp(w->tool, "check"))
            preload_mpi(w->path);
        setenv(w->out ? "LOCKSTEP_TOOL_OUT" : "LOCKSTEP_TOOL_JOURNAL", w->out ? w->out : w->journal,
               1);
        unsetenv(w->out ? "LOCKSTEP_TOOL_JOURNAL" : "LOCKSTEP_TOOL_OUT");
        setenv("LOCKSTEP_TOOL_OPTIONS", w->options ? w->options : "", 1);
    }
    unsetenv("LOCKSTEP_JSON"); /* this command's, not the program's */
    if (w->stdout_taken)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(w->path, w->words); /* argv[0] stays the word that was given */
    int why = errno;
    if (write(tell, &why, sizeof why) != sizeof why)
        _exit(126);
    _exit(127);
}

/* The program's wait status; -1 and errno when it could not be executed. Ctrl-C is for the program:
 * this process lives on to show what it did. */
static int
run_and_wait(const struct watch *w, pid_t *out_child)
{
    int ends[2], why = 0, status = 0;
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        why = errno;
        close(ends[0]);
        close(ends[1]);
        errno = why;
        return -1;
    }
    if (child == 0) {
        close(ends[0]);
        become(w, ends[1]);
    }
    close(ends[1]);
    *out_child = child;
    hand_on_signals(child);
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    bool failed = read(ends[0], &why, sizeof why) == sizeof why;
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    hand_on_signals(0);
    signal(SIGINT, interrupt);
    signal(SIGQUIT, quit);
    errno = why;
    return failed ? -1 : status;
}

static char *
temporary_folder(struct arena *a)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(a, "%s/lockstep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder);
}

bool
program_watch(const struct cli_usage *usage, struct cli_line *line, const char *tool,
              const char *options, struct program_result *out, int *status)
{
    struct ls_error err = {0};
    struct arena arena = {0};
    size_t size;
    *out = (struct program_result){0};
    const char *json = line->common.json;
    struct watch w = {.words = line->words, .tool = tool, .options = options};
    w.stdout_taken = cli_to_stdout(json);
    w.path = program_of_line(usage, line, &err);
    char *folder = w.path ? temporary_folder(&arena) : NULL;
    bool fine = false, parts = tool && strcmp(tool, "check") == 0; /* a result of each process */
    pid_t child = 0;
    if (!w.path) {
        *status = cli_error(usage->name, &err);
    } else if (!folder) {
        ls_fail(&err, LS_ERR_SYSTEM, "no temporary folder: %s", strerror(errno));
        *status = cli_error(usage->name, &err);
    } else {
        w.out = parts ? NULL : arena_printf(&arena, "%s/result.json", folder);
        w.journal = arena_printf(&arena, "%s/%%p", folder);
        program_environment(&line->common);
        double start = cli_now();
        int ended = run_and_wait(&w, &child);
        out->seconds = cli_now() - start;
        fine = ended != -1;
        if (!fine)
            *status = program_failed(usage, line->words[0]);
        else if (parts)
            out->json = parts_join(folder, child);
        else if (access(w.out, R_OK) == 0)
            out->json = ls_read_file(w.out, &size, &err);
        out->signal = fine && WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
        out->exit_status = !fine ? 0 : out->signal ? 128 + out->signal : WEXITSTATUS(ended);
        if (w.out)
            unlink(w.out);
        rmdir(folder);
    }
    arena_free(&arena);
    return fine;
}
