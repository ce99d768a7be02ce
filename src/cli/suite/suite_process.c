/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_process: runs a rung, or one of our own commands on it, as a child process: output caught,
 * a time limit, the device chosen through the environment.
 */
#include "cli/suite/suite.h"

#include "cc/cc.h"
#include "model/model.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The environment of the child: the device, and none of our own wishes for output. */
static void
set_device(const struct suite_device *d)
{
    unsetenv("LOCKSTEP_JSON");
    if (d->cc || d->gpu) {
        unsetenv("LOCKSTEP_CC");
        unsetenv("LOCKSTEP_GPU");
        setenv(d->cc ? "LOCKSTEP_CC" : "LOCKSTEP_GPU", d->cc ? d->cc : d->gpu, 1);
    }
}

static pid_t
start(const char *const *argv, const struct suite_device *d, int out[2], int err[2])
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* who killed us wants no programs left behind */
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (int i = 0; i < 2; i++) {
        close(out[i]);
        close(err[i]);
    }
    set_device(d);
    execv(argv[0], (char *const *)argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Reads both pipes until they end or the time is up; true: they ended. */
static bool
collect(int out, int err, double until, struct suite_output *o)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    struct text *texts[2] = {&o->out, &o->err};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        double left = until - cli_now();
        int n = left > 0 ? poll(fds, 2, (int)(left * 1000) + 1) : 0;
        if (n == 0)
            return false;
        if (n < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < 2 && n > 0; i++) {
            char bytes[65536];
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            ssize_t got = read(fds[i].fd, bytes, sizeof bytes);
            if (got > 0)
                text_add_bytes(texts[i], bytes, (size_t)got);
            else if (got == 0 || errno != EINTR)
                fds[i].fd = -1;
        }
    }
    return true;
}

bool
suite_execute(const char *const *argv, const struct suite_device *device, uint32_t timeout_s,
              struct suite_output *o, struct ls_error *err)
{
    int out[2], errors[2], status = 0;
    *o = (struct suite_output){0};
    if (pipe(out) != 0)
        return ls_fail(err, LS_ERR_SYSTEM, "pipe: %s", strerror(errno));
    if (pipe(errors) != 0) {
        close(out[0]);
        close(out[1]);
        return ls_fail(err, LS_ERR_SYSTEM, "pipe: %s", strerror(errno));
    }
    double begin = cli_now();
    fflush(stdout);
    pid_t pid = start(argv, device, out, errors);
    close(out[1]);
    close(errors[1]);
    if (pid > 0) {
        o->timed_out = !collect(out[0], errors[0], begin + timeout_s, o);
        if (o->timed_out)
            kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(out[0]);
    close(errors[0]);
    text_add(&o->out, "%s", "");
    text_add(&o->err, "%s", "");
    o->seconds = cli_now() - begin;
    o->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return pid > 0 || ls_fail(err, LS_ERR_SYSTEM, "fork: %s", strerror(errno));
}

void
suite_output_free(struct suite_output *o)
{
    text_free(&o->out);
    text_free(&o->err);
}

static bool
is_below(const struct device_profile *d, const char *cc)
{
    unsigned major = 0, minor = 0;
    return sscanf(cc, "%u.%u", &major, &minor) == 2 &&
           (d->cc_major < major || (d->cc_major == major && d->cc_minor < minor));
}

const char *
suite_emulated(const struct suite_rung *r, const struct device_profile *d)
{
    return r->since && !r->needed && is_below(d, r->since) ? r->feature : NULL;
}

const char *
suite_lacking(const struct suite_rung *r, const struct device_profile *d)
{
    return r->needed && is_below(d, r->since) ? r->feature : NULL;
}

void
suite_arguments(const struct suite_rung *r, const char *size, const struct suite_device *d,
                suite_words *argv)
{
    for (size_t i = 0; i < r->options.count; i++)
        VEC_PUSH(argv, r->options.at[i]);
    if (r->below && is_below(d->profile, r->below))
        for (size_t i = 0; i < r->below_options.count; i++)
            VEC_PUSH(argv, r->below_options.at[i]);
    VEC_PUSH(argv, "--size");
    VEC_PUSH(argv, size);
}

/* -- a rung by itself -------------------------------------------------------------------------- */

/* The last line of text that is a JSON object. */
static json_t *
last_object(const char *text)
{
    json_t *found = NULL;
    while (text && *text) {
        const char *end = strchr(text, '\n');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        json_t *j = *text == '{' ? json_loadb(text, n, 0, NULL) : NULL;
        if (j) {
            json_decref(found);
            found = j;
        }
        text = end ? end + 1 : NULL;
    }
    return found;
}

/* The last line of a text that is not empty, to say why something failed. */
static void
last_line(const char *text, char *out, size_t room)
{
    size_t end = strlen(text), begin;
    while (end && (text[end - 1] == '\n' || text[end - 1] == ' '))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n'; begin--)
        ;
    snprintf(out, room, "%.*s", (int)(end - begin), text + begin);
}

static void
judge(const struct suite_output *o, uint32_t timeout_s, struct suite_run_result *out)
{
    json_t *verified = out->report ? json_object_get(out->report, "verified") : NULL;
    out->finished = out->report && o->status == 0 && !o->timed_out;
    out->ran = verified && (json_is_true(verified) || json_is_false(verified)) && o->status <= 1;
    out->right = out->ran && json_is_true(verified) && o->status == 0;
    if (out->report)
        out->milliseconds = json_number_value(json_object_get(out->report, "milliseconds"));
    if (o->timed_out) {
        out->ran = out->right = false;
        snprintf(out->message, sizeof out->message, "not finished after %u s", timeout_s);
    } else if (!out->right && !(out->finished && json_is_null(verified))) {
        json_t *why = out->report ? json_object_get(out->report, "why") : NULL;
        last_line(json_is_string(why) ? json_string_value(why) : o->err.at, out->message,
                  sizeof out->message);
        if (!out->message[0])
            snprintf(out->message, sizeof out->message, "exit status %d", o->status);
    }
}

/* Where --programs keeps a rung: "transpose-padded" in its folder. */
static const char *
kept_program(struct suite_call *c, const struct suite_rung *r)
{
    char *path = arena_printf(&c->table->arena, "%s/%s", c->folder, r->name);
    *strrchr(path, '/') = '-';
    return path;
}

bool
suite_keep(struct suite_call *c, const struct suite_rung *r, struct ls_error *err)
{
    char path[4096];
    size_t size;
    if (!cc_build(r->path, NULL, 0, path, sizeof path, err))
        return false;
    char *bytes = ls_read_file(path, &size, err);
    const char *to = kept_program(c, r);
    struct stat st;
    bool there = stat(c->folder, &st) == 0 || ls_make_folders(c->folder, err);
    bool ok = there && bytes && ls_write_file(to, bytes, size, err);
    ls_release(bytes);
    if (ok && chmod(to, 0755) != 0)
        return ls_fail(err, LS_ERR_SYSTEM, "%s: %s", to, strerror(errno));
    return ok;
}

/* The program that the rung is built to: compiled at its first use here. */
static const char *
program_of(struct suite_call *c, const struct suite_rung *r, struct ls_error *err)
{
    const char **program = &c->programs[r - c->table->rungs.at];
    char path[4096];
    if (!*program && c->folder)
        *program = kept_program(c, r);
    if (!*program && cc_build(r->path, NULL, 0, path, sizeof path, err))
        *program = arena_strdup(&c->table->arena, path);
    return *program;
}

bool
suite_run_words(struct suite_call *c, const struct suite_rung *r, const suite_words *words,
                const struct suite_device *d, struct suite_run_result *out, struct ls_error *err)
{
    char repeat[16];
    struct suite_output o;
    *out = (struct suite_run_result){0};
    const char *program = program_of(c, r, err);
    if (!program)
        return false;
    suite_words argv = {0};
    VEC_PUSH(&argv, program);
    suite_arguments(r, words->at[0], d, &argv);
    for (size_t i = 1; i < words->count; i++)
        VEC_PUSH(&argv, words->at[i]);
    snprintf(repeat, sizeof repeat, "%u", c->repeat);
    VEC_PUSH(&argv, "--repeat");
    VEC_PUSH(&argv, repeat);
    VEC_PUSH(&argv, "--json");
    VEC_PUSH(&argv, NULL);
    bool ok = suite_execute(argv.at, d, c->timeout_s, &o, err);
    if (ok) {
        out->report = last_object(o.out.at);
        judge(&o, c->timeout_s, out);
    }
    suite_output_free(&o);
    VEC_FREE(&argv);
    return ok;
}

bool
suite_run_one(struct suite_call *c, const struct suite_rung *r, const char *size,
              const struct suite_device *d, struct suite_run_result *out, struct ls_error *err)
{
    suite_words words = {0};
    VEC_PUSH(&words, size);
    bool ok = suite_run_words(c, r, &words, d, out, err);
    VEC_FREE(&words);
    return ok;
}

/* -- one of our own commands on a rung --------------------------------------------------------- */

static bool
has_command(const char *name)
{
    static const char *const names[] = {
#define COMMAND(command, function, help) #command,
#include "cli/cli_commands.def"
#undef COMMAND
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

json_t *
suite_command_json(struct suite_call *c, const char *command, const struct suite_rung *r,
                   const char *size, const struct suite_device *d, struct ls_error *err)
{
    char file[] = "/tmp/lockstep-suite-XXXXXX", self[4096], why[300];
    struct suite_output o;
    json_error_t where;
    if (!has_command(command)) {
        ls_fail(err, LS_ERR_UNSUPPORTED, "this build has no command `%s`", command);
        return NULL;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    int fd = mkstemp(file);
    if (n <= 0 || fd < 0) {
        ls_fail(err, LS_ERR_SYSTEM, "%s: %s", file, strerror(errno));
        return NULL;
    }
    self[n] = '\0';
    close(fd);
    char *json = arena_printf(&c->table->arena, "--json=%s", file);
    suite_words argv = {0};
    VEC_PUSH(&argv, self);
    VEC_PUSH(&argv, command);
    VEC_PUSH(&argv, json);
    VEC_PUSH(&argv, r->path);
    suite_arguments(r, size, d, &argv);
    VEC_PUSH(&argv, "--repeat");
    VEC_PUSH(&argv, "0");
    VEC_PUSH(&argv, NULL);
    json_t *j = NULL;
    if (suite_execute(argv.at, d, c->timeout_s, &o, err)) {
        j = json_load_file(file, 0, &where);
        last_line(o.err.at, why, sizeof why);
        if (!j)
            ls_fail(err, LS_ERR_SYSTEM, "%s: `lockstep %s` %s (status %d): %s", r->name, command,
                    o.timed_out ? "did not finish" : "gave no JSON", o.status, why);
    }
    suite_output_free(&o);
    VEC_FREE(&argv);
    unlink(file);
    return j;
}
