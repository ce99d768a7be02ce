/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: the tool: what it is asked to do, and what launches, blocks, barriers and warps tell it.
 */
#include "check/constants.h"
#include "check/host.h"
#include "check/findings.h"
#include "check/maps.h"
#include "check/transfers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- options ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t group;
} groups[] = {{"race", CHECK_RACE}, {"bounds", CHECK_BOUNDS}, {"init", CHECK_INIT},
              {"sync", CHECK_SYNC}, {"leak", CHECK_LEAK},     {"api", CHECK_API}};

bool
check_parse_groups(const char *text, uint32_t *out, struct ls_error *err)
{
    *out = 0;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ","), k = 0;
        while (k < 6 && !(strlen(groups[k].name) == n && !strncmp(groups[k].name, s, n)))
            k++;
        if (k == 6)
            return ls_fail(err, LS_ERR_USAGE,
                           "\"%.*s\" is none of race, bounds, init, sync, leak, api", (int)n, s);
        *out |= groups[k].group;
        s += n + (s[n] == ',');
    }
    return *out || ls_fail(err, LS_ERR_USAGE, "nothing to check is named");
}

static bool
parse_option(struct check *c, const char *key, const char *value, struct ls_error *err)
{
    uint64_t n = 0;
    bool number = ls_parse_u64(value, &n);
    if (!strcmp(key, "only"))
        return check_parse_groups(value, &c->groups, err);
    if (!strcmp(key, "kernel")) {
        ls_release(c->kernel_filter);
        c->kernel_filter = strcpy(ls_alloc(strlen(value) + 1), value);
        return true;
    }
    if (!number)
        return ls_fail(err, LS_ERR_USAGE, "%s=%s: unknown, or not a number", key, value);
    if (!strcmp(key, "skip"))
        c->skip = n;
    else if (!strcmp(key, "count"))
        c->count = n;
    else if (!strcmp(key, "memory"))
        c->memory_limit = n << 20;
    else
        return ls_fail(err, LS_ERR_USAGE, "%s is unknown", key);
    return true;
}

static bool
parse_options(struct check *c, const char *options, struct ls_error *err)
{
    for (const char *s = options; *s;) {
        char key[32], value[300];
        size_t n = strcspn(s, ";"), k = strcspn(s, "=");
        if (k >= n || k >= sizeof key || n - k - 1 >= sizeof value)
            return ls_fail(err, LS_ERR_USAGE, "\"%.*s\" is not key=value", (int)n, s);
        snprintf(key, sizeof key, "%.*s", (int)k, s);
        snprintf(value, sizeof value, "%.*s", (int)(n - k - 1), s + k + 1);
        if (!parse_option(c, key, value, err))
            return false;
        s += n + (s[n] == ';');
    }
    return true;
}

/* -- launches ---------------------------------------------------------------------------------- */

static bool
is_watched(struct check *c, const struct kernel_facts *k, const struct ptx_func *f)
{
    uint64_t number = c->launches++;
    if (number < c->skip || (c->count && number - c->skip >= c->count))
        return false;
    return !c->kernel_filter || strstr(k->name, c->kernel_filter) ||
           strstr(f->name, c->kernel_filter);
}

/* The memory that a root stands for in this launch; false: none that lives. */
static bool
root_range(const struct launch *l, const struct root *r, struct range *out)
{
    struct allocation a;
    uint64_t address = 0;
    if (r->kind == ROOT_SHARED) {
        const struct shared_var *s = &l->facts->shared[r->at];
        uint64_t end = s->size ? s->offset + s->size : l->shared_bytes;
        *out = (struct range){s->offset | 1ull << 62, end | 1ull << 62};
        return true;
    }
    if (r->kind == ROOT_GLOBAL)
        address = l->launch->symbols[r->at];
    else if (r->at + 8 <= l->param_bytes)
        memcpy(&address, l->launch->params + r->at, 8);
    if (!address || !l->memory || !memory_find_reached(l->memory, address, &a))
        return false;
    *out = (struct range){a.base, a.base + a.size};
    return true;
}

/* Roots that are no pointers to memory (sizes, strides) do not count; two that are: not known. */
static void
resolve_roots(struct launch *l)
{
    for (uint32_t n = 0; n < l->facts->facts_count; n++) {
        const struct place_facts *p = &l->facts->place[n];
        struct range found = {0}, one;
        for (uint32_t k = 0; k < p->root_count; k++) {
            if (!root_range(l, &p->root[k], &one) ||
                (found.base == one.base && found.end == one.end))
                continue;
            if (found.base) {
                found = (struct range){0};
                break;
            }
            found = one;
        }
        l->expect[n] = found;
    }
}

static void *
launch_begin(struct jit_tool *t, const struct jit_tool_launch *from)
{
    struct check *c = (struct check *)t;
    struct kernel_facts *k = facts_of_kernel(c, from);
    struct launch *l = ls_alloc(sizeof *l);
    l->check = c;
    l->facts = k;
    l->launch = from->launch;
    l->memory = from->memory;
    l->spread = from->spread;
    l->shared_bytes = from->shared_bytes;
    l->param_bytes = from->kernel->param_bytes;
    pthread_mutex_init(&l->lock, NULL);
    l->expect = ls_alloc(sizeof *l->expect * (k->facts_count + 1));
    l->read_only = ls_alloc(k->facts_count + 1);
    l->uneven = ls_alloc(k->facts_count + 1);
    l->observed = ls_alloc(k->facts_count + 1);
    pthread_mutex_lock(&c->lock);
    l->watched = is_watched(c, k, from->kernel);
    c->launches_checked += l->watched;
    journal_launches(c, global_thinned(c->global));
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_lock(&c->sync_lock);
    c->running++;
    pthread_mutex_unlock(&c->sync_lock);
    if (!nested_begin(l, from)) {
        pthread_mutex_lock(&c->lock);
        l->number = ++c->host_launches;
        pthread_mutex_unlock(&c->lock);
        l->host = host_here(c);
        l->work = work_new(c, k, "kernel", l);
        work_order(c, l);
    }
    resolve_roots(l);
    return l;
}

static void
launch_end(struct jit_tool *t, const struct jit_tool_launch *from, bool fine)
{
    struct check *c = (struct check *)t;
    struct launch *l = from->launch->tool;
    flight_launch_over(l);
    pthread_mutex_lock(&c->lock);
    journal_launches(c, global_thinned(c->global));
    pthread_mutex_unlock(&c->lock);
    while (l->blocks) {
        struct block_state *b = l->blocks;
        l->blocks = b->next;
        block_free(b, l->facts->place_count);
    }
    /* What flags said holds for this launch's blocks only. */
    pthread_mutex_lock(&c->sync_lock);
    if (--c->running == 0)
        sync_clear(c->sync);
    pthread_mutex_unlock(&c->sync_lock);
    known_put(l->handed);
    pthread_mutex_destroy(&l->lock);
    ls_release(l->expect);
    ls_release(l->read_only);
    ls_release(l->uneven);
    ls_release(l->observed);
    maps_free(l);
    ls_release(l);
    (void)fine;
}

/* -- the tool ---------------------------------------------------------------------------------- */

static uint64_t
default_limit(void)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    return host / 4;
}

struct jit_tool *
check_open(const struct device_profile *d, const char *options, struct ls_error *err)
{
    struct check *c = ls_alloc(sizeof *c);
    c->tool = (struct jit_tool){.events = JIT_EVENT_ACCESS | JIT_EVENT_SYNC | JIT_EVENT_GUARD,
                                .launch_begin = launch_begin,
                                .launch_end = launch_end,
                                .block_begin = block_begin,
                                .block_end = block_ended,
                                .block_dropped = block_dropped,
                                .barrier = check_barrier,
                                .arrive = check_arrive,
                                .heap = check_heap,
                                .access = check_access,
                                .pattern = check_pattern,
                                .sync = check_sync,
                                .async = check_async,
                                .joined = nested_joined};
    c->device = d;
    c->groups = CHECK_ALL;
#if defined(__x86_64__)
    c->wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
    c->memory_limit = default_limit();
    if (!parse_options(c, options, err)) {
        ls_release(c->kernel_filter);
        ls_release(c);
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->sync_lock, NULL);
    c->findings = findings_new();
    c->global = global_new(c->memory_limit);
    c->sync = sync_new();
    c->streams = streams_new();
    c->flights = flights_new();
    c->constants = constants_new();
    return &c->tool;
}

char *
check_write(struct jit_tool *t, bool complete)
{
    struct check *c = (struct check *)t;
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", c->device->cc_major, c->device->cc_minor);
    pthread_mutex_lock(&c->lock);
    json_t *list = findings_list(c);
    struct check_totals totals = {.device = c->device->name,
                                  .cc = cc,
                                  .launches = c->launches,
                                  .checked = c->launches_checked,
                                  .complete = complete,
                                  .thinned = global_thinned(c->global)};
    pthread_mutex_unlock(&c->lock);
    return result_text(list, &totals);
}

void
check_journal_end(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    if (!c->journal)
        return;
    findings_tell_sums(c);
    journal_complete(c);
}

void
check_close(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    findings_free(c->findings);
    journal_free(c->journal);
    facts_free_all(c);
    global_free(c->global);
    sync_free(c->sync);
    streams_free(c->streams);
    flights_free(c->flights);
    constants_free(c->constants);
    VEC_FREE(&c->work);
    ls_release(c->kernel_filter);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->sync_lock);
    ls_release(c);
}
