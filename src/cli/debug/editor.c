/* SPDX-License-Identifier: Apache-2.0
 *
 * editor.c: see editor.h. libedit (BSD) is opened by its name and used by the small part of its
 * interface that readline's users know; its headers are not needed for that.
 */
#include "cli/debug/editor.h"

#include "cli/debug/commands.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char *(*readline)(const char *prompt);
    int (*add_history)(const char *line);
    char **(*rl_completion_matches)(const char *word, char *(*next)(const char *, int));
    char *(**rl_attempted_completion_function)(const char *, int, int);
    char **rl_line_buffer;
    bool there;
} edit;

static struct session *completes; /* libedit hands its functions no pointer of ours */

static char *
next_completion(const char *word, int state)
{
    static size_t nth;
    nth = state ? nth + 1 : 0;
    const char *found = command_complete(completes, *edit.rl_line_buffer, word, nth);
    return found ? strdup(found) : NULL;
}

static char *
attempted_completion(const char *word, int start, int end)
{
    (void)start, (void)end;
    return (char *)edit.rl_completion_matches(word, next_completion);
}

static void
open_libedit(void)
{
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    edit.there = true;
#define X(name)                                                                                    \
    edit.there = (edit.name = (__typeof__(edit.name))dlsym(library, #name)) && edit.there;
    X(readline)
    X(add_history)
    X(rl_completion_matches)
    X(rl_attempted_completion_function)
    X(rl_line_buffer)
#undef X
    if (edit.there)
        *edit.rl_attempted_completion_function = attempted_completion;
}

/* The next line without its end, to be freed by free(); NULL: the input is over. */
static char *
next_line(struct session *s, bool terminal)
{
    const char *prompt = s->breaks.collects ? ">" : "(lockstep) ";
    char *line = NULL;
    size_t room = 0;
    if (terminal && edit.there) {
        line = edit.readline(prompt);
        if (line && *line)
            edit.add_history(line);
        return line;
    }
    if (terminal) {
        fputs(prompt, s->out);
        fflush(s->out);
    }
    ssize_t n = getline(&line, &room, stdin);
    if (n < 0) {
        free(line);
        return NULL;
    }
    if (n && line[n - 1] == '\n')
        line[n - 1] = 0;
    return line;
}

/* The command that an empty line repeats after this one: `list' and `x' go on where they ended. */
static const char *
repeated(const char *line)
{
    static const char *const going[] = {"list", "l", "x"};
    size_t n = strcspn(line, " /");
    for (size_t k = 0; k < sizeof going / sizeof *going; k++)
        if (n == strlen(going[k]) && !strncmp(going[k], line, n))
            return going[k];
    return line;
}

static void
ignore_interrupt(int number)
{
    (void)number;
}

void
editor_run(struct session *s)
{
    char *last = NULL;
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    completes = s;
    if (terminal)
        open_libedit();
    signal(SIGINT, ignore_interrupt); /* between commands it ends nothing */
    for (char *line; !s->quit && (line = next_line(s, terminal)); free(line)) {
        const char *words = word_skip(line);
        if (!*words && !s->breaks.collects) {
            if (last)
                command_execute(s, last);
            continue;
        }
        command_execute(s, words);
        if (s->breaks.collects)
            continue;
        const char *again = repeated(words);
        char *copy = strcpy(ls_alloc(strlen(again) + 1), again);
        ls_release(last);
        last = copy;
    }
    if (terminal && !s->quit)
        fputs("\n", s->out);
    signal(SIGINT, SIG_DFL);
    ls_release(last);
}
