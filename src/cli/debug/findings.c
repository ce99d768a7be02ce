/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c: see findings.h. The check is `lockstep check --json` in a process of its own; what it
 * says of instructions, launches, threads and allocations holds in the debugged run, too, since
 * both go the same way.
 */
#define _GNU_SOURCE
#include "cli/debug/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- the check --------------------------------------------------------------------------------- */

/* A file that the program reads can be read twice, a terminal or a pipe cannot. */
static void
open_input(void)
{
    struct stat st;
    bool file = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    int in = open(file ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
    if (in >= 0)
        dup2(in, STDIN_FILENO);
}

static _Noreturn void
become_check(const struct session *s, const char *json)
{
    VEC(char *) words = {0};
    char to[64];
    const char *before[] = {"lockstep", "check",      "-q",      "--workers", "1",
                            to,         "--schedule", "default", "--"};
    int null = open("/dev/null", O_WRONLY);
    snprintf(to, sizeof to, "--json=%s", json);
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        VEC_PUSH(&words, (char *)(uintptr_t)before[k]);
    VEC_PUSH(&words, (char *)(uintptr_t)s->path);
    for (char **w = s->words + 1; *w; w++)
        VEC_PUSH(&words, *w);
    VEC_PUSH(&words, NULL);
    open_input();
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    signal(SIGINT, SIG_DFL);
    execv("/proc/self/exe", words.at);
    _exit(127);
}

/* Runs `lockstep check` on the program; its JSON, to be freed by ls_release. NULL: *err says why
 * not. */
static char *
check(const struct session *s, struct ls_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX], *text = NULL;
    snprintf(path, sizeof path, "%s/lockstep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    size_t size = 0;
    int status = 0, file = mkstemp(path);
    pid_t child = file < 0 ? -1 : fork();
    if (child == 0)
        become_check(s, path);
    if (child < 0) {
        ls_fail(err, LS_ERR_SYSTEM, "the program could not be checked: %s", strerror(errno));
    } else {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        text = ls_read_file(path, &size, err);
        if (text && !size) {
            ls_release(text);
            text = NULL;
            ls_fail(err, LS_ERR_INPUT, "the check found no kernel of the program: exit status %d",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        }
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return text;
}

/* -- what it says ------------------------------------------------------------------------------ */

static const char *
text_of(struct findings *f, json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? arena_strdup(&f->arena, text) : NULL;
}

static uint64_t
number_of(json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void
read_triple(json_t *array, uint32_t out[3])
{
    for (size_t k = 0; k < 3; k++)
        out[k] = (uint32_t)json_integer_value(json_array_get(array, k));
}

static void
read_side(struct findings *f, json_t *j, const char *space, struct finding_side *out)
{
    bool own = space && (!strcmp(space, "shared") || !strcmp(space, "local"));
    *out = (struct finding_side){.op = text_of(f, j, "op"),
                                 .file = text_of(f, j, "file"),
                                 .line = (uint32_t)number_of(j, "line"),
                                 .size = (uint32_t)number_of(j, "size"),
                                 .place = (uint32_t)number_of(j, "instruction"),
                                 .launch = number_of(j, "launch_number"),
                                 .allocation = number_of(j, "allocation")};
    out->valid = out->launch && json_is_array(json_object_get(j, "thread"));
    read_triple(json_object_get(j, "block"), out->thread.block);
    read_triple(json_object_get(j, "thread"), out->thread.thread);
    out->has_address = out->valid && (own || out->allocation);
    out->offset = number_of(j, own ? "address" : "offset");
}

static void
read_finding(struct findings *f, json_t *j)
{
    struct finding x = {.kind = text_of(f, j, "kind"),
                        .title = text_of(f, j, "title"),
                        .message = text_of(f, j, "message"),
                        .missing = text_of(f, j, "missing"),
                        .kernel = text_of(f, j, "kernel"),
                        .count = number_of(j, "count")};
    const char *severity = json_string_value(json_object_get(j, "severity"));
    const char *space = json_string_value(json_object_get(j, "space"));
    struct finding_side *side = x.side;
    x.warning = severity && !strcmp(severity, "warning");
    read_side(f, json_object_get(j, "access"), space, &side[0]);
    read_side(f, json_object_get(j, "other"), space, &side[1]);
    bool ordered =
        x.kind && (ls_ends_with(x.kind, "-race") || !strcmp(x.kind, "barrier-divergence"));
    x.pair = ordered && side[0].valid && side[1].valid && side[0].launch == side[1].launch;
    x.main = ordered && side[1].valid && side[1].launch > side[0].launch;
    VEC_PUSH(&f->all, x);
}

void
findings_forget(struct session *s)
{
    struct findings *f = s->findings;
    if (!f)
        return;
    VEC_FREE(&f->all);
    arena_free(&f->arena);
    ls_release(f);
    s->findings = NULL;
}

bool
findings_look(struct session *s, struct ls_error *err)
{
    struct text words = {0};
    json_error_t why;
    json_t *j;
    size_t k;
    for (char **w = s->words + 1; *w; w++)
        text_add(&words, "%s\n", *w);
    if (s->findings && !strcmp(s->findings->words, words.at ? words.at : "")) {
        for (k = 0; k < s->findings->all.count; k++)
            s->findings->all.at[k].side[0].seen = s->findings->all.at[k].side[1].seen = false;
        text_free(&words);
        return true;
    }
    if (s->name && ls_ends_with(s->name, ".ptx"))
        return ls_fail(err, LS_ERR_UNSUPPORTED, "a PTX file has no program that could be checked");
    findings_forget(s);
    char *text = check(s, err);
    json_t *result = text ? json_loads(text, 0, &why) : NULL;
    if (text && !result)
        ls_fail(err, LS_ERR_INTERNAL, "the check's result is not JSON: %s", why.text);
    if (result) {
        s->findings = ls_alloc(sizeof *s->findings);
        s->findings->words = arena_strdup(&s->findings->arena, words.at ? words.at : "");
        json_array_foreach (json_object_get(result, "findings"), k, j)
            read_finding(s->findings, j);
    }
    json_decref(result);
    ls_release(text);
    text_free(&words);
    return s->findings != NULL;
}

/* -- which ------------------------------------------------------------------------------------- */

bool
findings_can_stop(const struct finding *f)
{
    /* A deadlock is the launch's own end, which is a stop anyway. */
    return f->side[f->main].valid && f->kind && strcmp(f->kind, "barrier-deadlock") != 0;
}

/* "t.cu:12" */
static bool
is_at_line(const struct finding *f, const char *word)
{
    uint64_t line;
    const char *colon = strrchr(word, ':');
    char file[4096];
    if (!colon || !ls_parse_u64(colon + 1, &line) || colon - word >= (long)sizeof file)
        return false;
    snprintf(file, sizeof file, "%.*s", (int)(colon - word), word);
    for (int k = 0; k < 2; k++)
        if (f->side[k].line == line && f->side[k].file && source_is(f->side[k].file, file))
            return true;
    return false;
}

bool
findings_match(const struct findings *f, uint32_t number, const char *spec)
{
    const struct finding *x = &f->all.at[number - 1];
    for (const char *p = spec; *p;) {
        char word[4096];
        uint64_t n;
        size_t length = strcspn(p, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, p);
        bool fits = ls_parse_u64(word, &n)
                        ? n == number
                        : (x->kind && !strcmp(x->kind, word)) || is_at_line(x, word);
        if (length && !fits)
            return false;
        p += length + (p[length] == ' ');
    }
    return true;
}

/* -- where the launch stands ------------------------------------------------------------------- */

/* Whether the module that stands there is the one that was checked: lines are compared. */
static bool
is_place(const struct session *s, const struct finding_side *x, uint32_t module)
{
    const struct symbols *y = s->modules.at[module].symbols;
    const char *file;
    uint32_t line;
    if (x->place >= y->place_count)
        return false;
    return !x->file || !symbols_place_line(y, x->place, &file, &line) ||
           (line == x->line && !strcmp(source_base(file), source_base(x->file)));
}

/* The same address as the check saw; true where that cannot be said. */
static bool
is_address(struct session *s, const struct finding_side *x)
{
    const struct symbols *y = session_module(s)->symbols;
    const struct source_function *f = symbols_function_at(y, x->place);
    const struct ptx_insn *i = f ? &f->ptx->insns[x->place - f->first] : NULL;
    struct debug_symbol at, base = {0};
    struct ls_error unused;
    if (!x->has_address || !i || !ptx_address(i))
        return true;
    uint64_t bytes = x->size ? x->size : 1, offset;
    if (x->allocation) {
        if (!address_raw(s, &x->thread, f, i, &offset, &unused) ||
            !target_allocation(&s->target, x->allocation, &base, &unused) ||
            base.number != x->allocation)
            return true;
    } else {
        if (!address_find(s, &x->thread, f, i, &at, &unused) || at.space == PTX_SPACE_GLOBAL)
            return true;
        offset = at.address;
    }
    return x->offset - (offset - base.address) < bytes;
}

static bool
is_here(struct session *s, const struct finding_side *x)
{
    const struct debug_stop *stop = &s->target.stop;
    uint32_t n = session_linear(s, &x->thread);
    return x->valid && x->place == stop->place && x->launch == stop->launch &&
           n / 32 == stop->warp && stop->lanes >> n % 32 & 1 &&
           !memcmp(x->thread.block, stop->at, sizeof stop->at) &&
           is_place(s, x, s->launch.module) && is_address(s, x);
}

/* Of two accesses nothing but a barrier of their block could come between. */
static bool
is_second(const struct session *s, const struct finding_side *other)
{
    const struct debug_stop *stop = &s->target.stop;
    bool same_block = !memcmp(other->thread.block, stop->at, sizeof stop->at);
    return other->seen && other->position < stop->position &&
           (!same_block || other->phase == stop->phase);
}

static void
note(struct session *s, uint32_t number)
{
    struct finding *x = &s->findings->all.at[number - 1];
    struct finding_side *side = x->side;
    bool here[2] = {is_here(s, &side[0]), is_here(s, &side[1])};
    for (uint32_t k = 0; k < 2; k++) {
        bool hit = here[k] && (x->pair ? here[1 - k] || is_second(s, &side[1 - k]) : k == x->main);
        if (hit && !s->findings->here) {
            s->findings->here = number;
            s->findings->here_side = k;
        }
    }
    for (uint32_t k = 0; k < 2; k++)
        if (here[k]) {
            side[k].seen = true;
            side[k].position = s->target.stop.position;
            side[k].phase = s->target.stop.phase;
        }
}

void
breakpoints_note_findings(struct session *s)
{
    if (!s->findings)
        return;
    s->findings->here = 0;
    for (uint32_t k = 0; k < s->findings->all.count && s->target.stop.why == DEBUG_WHY_BREAK; k++)
        if (findings_can_stop(&s->findings->all.at[k]))
            note(s, k + 1);
}

bool
breakpoints_at_finding(const struct session *s, const struct breakpoint *b, uint32_t *lane)
{
    const struct findings *f = s->findings;
    if (!f || !f->here || !findings_match(f, f->here, b->spec))
        return false;
    *lane = session_linear(s, &f->all.at[f->here - 1].side[f->here_side].thread) % 32;
    return true;
}

/* -- the tool ---------------------------------------------------------------------------------- */

static bool
is_wanted(const struct session *s, uint32_t number)
{
    for (size_t k = 0; k < s->breaks.all.count && !s->muted; k++) {
        const struct breakpoint *b = s->breaks.all.at[k];
        if (b->kind == CATCHPOINT && b->enabled && findings_match(s->findings, number, b->spec))
            return true;
    }
    return false;
}

bool
breakpoints_send_findings(struct session *s, struct ls_error *err)
{
    VEC(struct debug_catch) all = {0};
    bool fine = true;
    if (!s->findings)
        return true;
    for (uint32_t n = 1; n <= s->findings->all.count; n++) {
        const struct finding *x = &s->findings->all.at[n - 1];
        for (uint32_t k = 0; k < 2 && findings_can_stop(x) && is_wanted(s, n); k++)
            for (uint32_t m = 0; m < s->modules.count; m++) {
                const struct finding_side *side = &x->side[k];
                struct debug_catch c = {s->modules.at[m].number, side->place, side->launch,
                                        side->thread};
                if (side->valid && (x->pair || k == x->main) && s->modules.at[m].loaded &&
                    is_place(s, side, m))
                    VEC_PUSH(&all, c);
            }
    }
    fine = target_catch(&s->target, all.at, all.count, err);
    VEC_FREE(&all);
    return fine;
}

/* -- words ------------------------------------------------------------------------------------- */

const char *
findings_where(struct session *s, const struct finding *f)
{
    const struct finding_side *a = &f->side[0], *b = &f->side[1];
    if (!a->file)
        return "host code";
    const char *one = arena_printf(&s->scratch, "%s:%u", source_base(a->file), a->line);
    return b->file ? arena_printf(&s->scratch, "%s and %s:%u", one, source_base(b->file), b->line)
                   : one;
}

void
findings_say_side(struct session *s, const struct finding_side *x, const char *before)
{
    session_say(s, "%s%s%s by thread %s of block %s at %s:%u\n", before, x->op ? x->op : "access",
                x->size ? arena_printf(&s->scratch, " of %u bytes", x->size) : "",
                session_triple(s, x->thread.thread), session_triple(s, x->thread.block),
                x->file ? source_base(x->file) : "?", x->line);
}

void
findings_say(struct session *s, uint32_t number)
{
    const struct findings *f = s->findings;
    const struct finding *x = &f->all.at[number - 1];
    session_say(s, "%s%s: %s\n", x->warning ? "Warning: " : "", x->title, x->message);
    if (number != f->here || !x->side[1 - f->here_side].valid)
        return;
    findings_say_side(s, &x->side[1 - f->here_side], x->pair ? "the first: " : "the other: ");
}
