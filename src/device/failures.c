/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.c: calls of either API that failed. Under check each is a finding; else its reason goes
 * to stderr, once for each place in the program, and at the end how often it came again
 * (LOCKSTEP_QUIET: of launches alone). Not said: that something is not ready, what probes.def
 * lists, and what fails only because a kernel's error has ended the device, which was told then.
 */
#include "device/device_priv.h"

#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAILURES = 1000, REASON = 512 }; /* places; bytes of a reason, as device_fail has it */

struct failure {
    char call[64], reason[REASON];
    const char *error;
    int result;
    uint32_t place;
    uint64_t again;
};

static struct {
    pthread_mutex_t lock;
    VEC(struct failure) failures;
    uint64_t unlisted; /* beyond the list */
    bool at_exit;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
is_probe(const char *call, int result)
{
    static const struct {
        const char *call;
        int result;
    } probes[] = {
#define PROBE(call, result) {#call, result},
#include "device/probes.def"
#undef PROBE
    };
    for (size_t k = 0; k < sizeof probes / sizeof *probes; k++)
        if (probes[k].result == result && !strcmp(probes[k].call, call))
            return true;
    return false;
}

/* What all calls return once a kernel has failed. */
static bool
is_of_kernel(int result)
{
    return result == DEVICE_ILLEGAL_ADDRESS || result == DEVICE_LAUNCH_TIMEOUT ||
           result == DEVICE_ASSERT || (result >= DEVICE_STACK && result <= DEVICE_LAUNCH_FAILURE);
}

/* What is wrong with the program or its environment as a whole: every call would say it. */
static bool
is_of_process(int result)
{
    return result == DEVICE_INVALID_PTX || result == DEVICE_INVALID_IMAGE ||
           result == DEVICE_INVALID_DEVICE || result == DEVICE_NOT_INITIALIZED ||
           result == DEVICE_NO_DEVICE;
}

static bool
is_launch(const char *call)
{
    return strstr(call, "Launch") != NULL;
}

/* -- on stderr --------------------------------------------------------------------------------- */

static void
place_suffix(uint32_t number, char *out, size_t room)
{
    char line[330];
    device_place_line(number, line, sizeof line);
    snprintf(out, room, "%s%s%s", *line ? " (" : "", line, *line ? ")" : "");
}

/* Two places on one line are one to the reader. */
static bool
same_place(uint32_t a, uint32_t b)
{
    const struct host_place *x = device_place(a), *y = device_place(b);
    return a == b ||
           (x->count && y->count && x->frame[0].file && y->frame[0].file &&
            x->frame[0].line == y->frame[0].line && !strcmp(x->frame[0].file, y->frame[0].file));
}

static void
tell_repeated(void)
{
    pthread_mutex_lock(&state.lock);
    for (size_t k = 0; k < state.failures.count; k++) {
        char where[340];
        const struct failure *t = &state.failures.at[k];
        if (!t->again)
            continue;
        place_suffix(t->place, where, sizeof where);
        ls_warn("%s: %s: %llu more time%s%s", t->call, t->error, (unsigned long long)t->again,
                t->again == 1 ? "" : "s", where);
    }
    if (state.unlisted)
        ls_warn("%llu further calls failed", (unsigned long long)state.unlisted);
    pthread_mutex_unlock(&state.lock);
}

/* With the lock held. True: it is new and is to be told. */
static bool
note(const char *call, int result, const char *error, const char *reason, uint32_t place)
{
    for (size_t k = 0; k < state.failures.count; k++) {
        struct failure *t = &state.failures.at[k];
        bool same = t->result == result &&
                    (is_of_process(result) ? !strcmp(t->reason, reason)
                                           : !strcmp(t->call, call) && same_place(t->place, place));
        if (same) {
            t->again += !is_of_process(result) && !device_verbose(); /* which tells each */
            return false;
        }
    }
    if (state.failures.count == MOST_FAILURES) {
        state.unlisted++;
        return false;
    }
    struct failure t = {.error = error, .result = result, .place = place};
    snprintf(t.call, sizeof t.call, "%s", call);
    snprintf(t.reason, sizeof t.reason, "%s", reason);
    VEC_PUSH(&state.failures, t);
    if (!state.at_exit)
        state.at_exit = atexit(tell_repeated) == 0;
    return true;
}

static void
tell(const char *call, int result, const char *error, const char *reason)
{
    char where[340];
    uint32_t place = device_here();
    pthread_mutex_lock(&state.lock);
    bool new = note(call, result, error, reason, place);
    pthread_mutex_unlock(&state.lock);
    if (!new && !device_verbose())
        return;
    place_suffix(place, where, sizeof where);
    fflush(stdout); /* so that what the program printed before stands before it */
    ls_warn("%s: %s%s%s%s", call, error, *reason ? ": " : "", reason, where);
}

/* -- what calls say ---------------------------------------------------------------------------- */

/* A call that is refused before any device is there is a finding all the same. */
static void
start_check(void)
{
    const char *name = getenv("LOCKSTEP_TOOL");
    if (name && !strcmp(name, "check") && !tool_check() && !process_forked())
        device_at(0);
}

void
device_call_failed(const char *call, int result, const char *error)
{
    char reason[REASON];
    if (process_forked())
        tool_start_in_child();
    snprintf(reason, sizeof reason, "%s", device_reason());
    bool reported = tool_reported_free() && tool_check();
    if (reported || result == DEVICE_NOT_READY || is_of_kernel(result) || is_probe(call, result))
        return;
    start_check();
    check_call_failed(tool_check(), call, error, reason);
    bool a_finding = tool_check() && !device_verbose() && !is_of_process(result);
    bool silent = device_silenced() && (tool_check() || !is_launch(call));
    if (!a_finding && !silent)
        tell(call, result, error, reason);
}

/* -- traces ------------------------------------------------------------------------------------ */

bool
device_traced(void)
{
    static int known; /* 0: not looked up yet, 1: no, 2: yes */
    int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!k) {
        const char *text = getenv("LOCKSTEP_TRACE");
        k = text && strstr(text, "api") ? 2 : 1;
        __atomic_store_n(&known, k, __ATOMIC_RELAXED);
    }
    return k == 2;
}

void
device_trace(const char *call, const char *result, const char *format, va_list args)
{
    char text[512];
    if (!device_traced())
        return;
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "lockstep: api: %s(%s) = %s\n", call, text, result ? result : "?");
}
