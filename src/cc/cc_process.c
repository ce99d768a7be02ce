/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_process: child processes, and the temporary folder that does not outlive us. A signal that
 * asks us to end only sets a flag; the wait for the child sees it, ends the child, removes the
 * folder and raises the signal again with its default effect.
 */
#include "cc/cc_priv.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void
cc_words_add(struct words *w, const char *word)
{
    VEC_PUSH(w, word);
}

void
words_add_all(struct words *w, const struct words *more)
{
    for (size_t i = 0; i < more->count; i++)
        cc_words_add(w, more->at[i]);
}

/* -- the temporary folder ------------------------------------------------------------------- */

bool
cc_folder_make(struct cc_folder *folder, struct ls_error *err)
{
    const char *tmp = getenv("TMPDIR");
    int n = snprintf(folder->path, sizeof folder->path, "%s/lockstep-cc-XXXXXX",
                     tmp && *tmp ? tmp : "/tmp");
    if (n < 0 || (size_t)n >= sizeof folder->path || !mkdtemp(folder->path)) {
        ls_fail(err, LS_ERR_SYSTEM, "%s: no temporary folder can be made there: %s", folder->path,
                strerror(errno));
        folder->path[0] = '\0';
        return false;
    }
    return true;
}

void
cc_folder_remove(struct cc_folder *folder)
{
    if (!folder || !folder->path[0])
        return;
    DIR *listing = opendir(folder->path);
    for (struct dirent *e; listing && (e = readdir(listing));) {
        char path[8192];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder->path, e->d_name);
        unlink(path);
    }
    if (listing)
        closedir(listing);
    rmdir(folder->path);
    folder->path[0] = '\0';
}

/* -- commands ------------------------------------------------------------------------------- */

void
cc_print_command(const struct words *command)
{
    fputs("#$ ", stderr);
    for (size_t i = 0; i < command->count; i++) {
        const char *w = command->at[i];
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_-+=./:,@%^";
        if (i)
            fputc(' ', stderr);
        if (*w && w[strspn(w, plain)] == '\0') {
            fputs(w, stderr);
            continue;
        }
        fputc('\'', stderr);
        for (; *w; w++)
            *w == '\'' ? fputs("'\\''", stderr) : fputc(*w, stderr);
        fputc('\'', stderr);
    }
    fputc('\n', stderr);
}

static volatile sig_atomic_t asked_to_end;

static void
note_signal(int number)
{
    asked_to_end = number;
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static void
end_by_signal(struct cc_folder *folder)
{
    int number = asked_to_end;
    cc_folder_remove(folder);
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

static int
wait_for(pid_t child, struct cc_folder *folder)
{
    int status;
    bool passed_on = false;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return 127;
        if (asked_to_end && !passed_on)
            kill(child, SIGTERM), passed_on = true;
    }
    if (asked_to_end)
        end_by_signal(folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
cc_run(const struct words *command, struct cc_folder *folder, const char *messages)
{
    struct sigaction note = {.sa_handler = note_signal}, before[ENDING_SIGNALS];
    struct words argv = {0};
    words_add_all(&argv, command);
    cc_words_add(&argv, NULL);
    asked_to_end = 0;
    for (int i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &note, &before[i]);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < ENDING_SIGNALS; i++)
            sigaction(ending_signals[i], &before[i], NULL);
        if (messages && !freopen(messages, "w", stderr))
            _exit(127);
        execvp(argv.at[0], (char *const *)argv.at);
        fprintf(stderr, "lockstep cc: %s cannot be run: %s\n", argv.at[0], strerror(errno));
        _exit(127);
    }
    int status = child < 0 ? 127 : wait_for(child, folder);
    for (int i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &before[i], NULL);
    VEC_FREE(&argv);
    return status;
}
