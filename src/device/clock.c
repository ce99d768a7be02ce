/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: what event times mean. LOCKSTEP_CLOCK says which:
 *
 *     cpu (or nothing)   the time that this processor takes; compiling kernels is not part of it
 *     model              the time that the modelled GPU would take: of each launch the estimate
 *                        that `lockstep profile` shows, of copies their bytes over the bus
 *
 * The model's clock has a hand for each stream. An operation begins when those before it in its
 * stream have ended, when the legacy stream has (or, of the legacy stream, the others), and when
 * the unit it needs is free: kernels follow one another, copies in each direction have a unit of
 * their own. What the host does in between takes no time.
 */
#include "device/device_priv.h"

#include "profile/profile.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

static struct {
    bool model;
    _Atomic int64_t left_out; /* nanoseconds in which this process read PTX */
    pthread_mutex_t lock;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool
clock_start(const char *text)
{
    state.model = text && strcmp(text, "model") == 0;
    return !text || !*text || state.model || strcmp(text, "cpu") == 0;
}

bool
clock_is_model(void)
{
    return state.model;
}

int64_t
clock_raw(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
clock_leave_out(int64_t since)
{
    atomic_fetch_add(&state.left_out, clock_raw() - since);
}

static int64_t
processor_now(struct jit_engine *jit)
{
    struct jit_counts counts = {0};
    if (jit)
        jit_counts(jit, &counts);
    return clock_raw() - atomic_load(&state.left_out) -
           (int64_t)(1e9 * (counts.compile_seconds + counts.disk_seconds));
}

/* -- the model's ------------------------------------------------------------------------------- */

static bool
is_legacy(const struct device_stream *s)
{
    return s == s->device->stream;
}

static bool
is_blocking(const struct device_stream *s)
{
    return !(s->flags & DEVICE_STREAM_NONBLOCKING);
}

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When an operation of the stream can begin. With the lock. */
static int64_t
begin_of(const struct device_stream *s)
{
    const struct device_clock *c = &s->device->clock;
    if (is_legacy(s))
        return later(s->clock, c->blocking);
    return is_blocking(s) ? later(s->clock, c->legacy) : s->clock;
}

static void
end_at(struct device_stream *s, int64_t end)
{
    struct device_clock *c = &s->device->clock;
    s->clock = end;
    if (is_legacy(s))
        c->legacy = later(c->legacy, end);
    else if (is_blocking(s))
        c->blocking = later(c->blocking, end);
}

static void
pass(struct device_stream *s, enum device_unit unit, double seconds)
{
    pthread_mutex_lock(&state.lock);
    int64_t *free_at = &s->device->clock.unit[unit];
    *free_at = later(begin_of(s), *free_at) + (int64_t)(1e9 * seconds + 0.5);
    end_at(s, *free_at);
    pthread_mutex_unlock(&state.lock);
}

void
clock_launched(struct device_stream *s, struct jit_tool *profile)
{
    if (state.model && profile)
        pass(s, DEVICE_UNIT_KERNELS, profile_last_seconds(profile));
}

void
clock_copied(struct device_stream *s, const struct device_copy *c)
{
    static const enum device_unit units[] = {
        [DEVICE_HOST_TO_DEVICE] = DEVICE_UNIT_IN, [DEVICE_DEVICE_TO_HOST] = DEVICE_UNIT_OUT};
    bool host = c->direction == DEVICE_HOST_TO_DEVICE || c->direction == DEVICE_DEVICE_TO_HOST;
    uint64_t bytes = c->width * c->height * c->depth;
    if (state.model)
        pass(s, host ? units[c->direction] : DEVICE_UNIT_KERNELS,
             model_copy_seconds(s->device->profile, bytes,
                                host ? MODEL_COPY_HOST : MODEL_COPY_DEVICE));
}

void
clock_filled(struct device_stream *s, const struct device_fill *f)
{
    if (state.model)
        pass(s, DEVICE_UNIT_KERNELS,
             model_copy_seconds(s->device->profile, f->width * f->unit * f->height * f->depth,
                                MODEL_FILL));
}

void
clock_record(struct device_stream *s, struct device_event *e, struct jit_engine *jit)
{
    if (!state.model) {
        e->nanoseconds = processor_now(jit);
        return;
    }
    pthread_mutex_lock(&state.lock);
    e->nanoseconds = begin_of(s);
    end_at(s, e->nanoseconds);
    pthread_mutex_unlock(&state.lock);
}

void
clock_wait(struct device_stream *s, const struct device_event *e)
{
    if (!state.model || !e->recorded)
        return;
    pthread_mutex_lock(&state.lock);
    end_at(s, later(begin_of(s), e->nanoseconds));
    pthread_mutex_unlock(&state.lock);
}
