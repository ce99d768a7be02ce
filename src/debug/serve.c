/* SPDX-License-Identifier: Apache-2.0
 *
 * serve.c: the program stands, and answers what the debugger asks.
 */
#include "debug/debug_priv.h"

#include <string.h>

struct ask {
    struct debug *d;
    const uint8_t *at; /* the payload */
    uint64_t bytes;
    struct text out; /* the answer */
    struct ls_error err;
};

/* The next part of what came; NULL and the error: it is shorter. */
static const void *
take(struct ask *a, size_t n)
{
    if (a->bytes < n) {
        ls_fail(&a->err, LS_ERR_INPUT, "the message is too short");
        return NULL;
    }
    const void *p = a->at;
    a->at += n;
    a->bytes -= n;
    return p;
}

static bool
runs(struct ask *a)
{
    return a->d->run || ls_fail(&a->err, LS_ERR_INPUT, "no kernel runs");
}

static bool
ask_flags(struct ask *a)
{
    struct debug_flags f;
    const void *p = take(a, sizeof f);
    if (!p)
        return false;
    memcpy(&f, p, sizeof f);
    if (f.module >= a->d->codes.count || !a->d->codes.at[f.module]->ptx)
        return ls_fail(&a->err, LS_ERR_INPUT, "no module %u", f.module);
    struct debug_code *c = a->d->codes.at[f.module];
    if (f.count != c->places || !(p = take(a, sizeof(uint32_t) * (size_t)f.count)))
        return ls_fail(&a->err, LS_ERR_INPUT, "module %u has %u places", f.module, c->places);
    memcpy(c->line, p, sizeof(uint32_t) * (size_t)f.count);
    for (uint32_t k = 0; k < f.count; k++) {
        uint8_t breaks = (c->line[k] & DEBUG_BREAK) != 0;
        a->d->shared->breaks += breaks - (uint64_t)(c->flags[k] & FLAG_BREAK);
        c->flags[k] = (uint8_t)((c->flags[k] & FLAG_CATCH) | breaks);
    }
    return true;
}

static bool
ask_watch(struct ask *a)
{
    struct debug_watch w;
    const void *p = take(a, sizeof w);
    if (!p)
        return false;
    memcpy(&w, p, sizeof w);
    return debug_watch_set(a->d, &w, &a->err);
}

static bool
ask_catch(struct ask *a)
{
    uint64_t count = a->bytes / sizeof(struct debug_catch);
    struct debug_catch all[CATCHES];
    if (count <= CATCHES)
        memcpy(all, a->at, count * sizeof *all);
    return debug_catch_set(a->d, all, (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX), &a->err);
}

static bool
ask_filters(struct ask *a)
{
    uint64_t count = a->bytes / sizeof(struct debug_filter);
    struct debug_filter all[FILTERS];
    if (count <= FILTERS)
        memcpy(all, a->at, count * sizeof *all);
    return debug_filters_set(a->d, all, (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX),
                             &a->err);
}

struct numbered {
    uint64_t number;
    struct allocation found;
};

static void
note_numbered(const struct allocation *a, void *context)
{
    struct numbered *n = context;
    if (a->number >= n->number && (!n->found.number || a->number < n->found.number))
        n->found = *a;
}

static bool
ask_allocation(struct ask *a)
{
    struct numbered n = {0};
    const void *p = take(a, sizeof n.number);
    if (!p || !runs(a))
        return false;
    memcpy(&n.number, p, sizeof n.number);
    if (a->d->memory)
        memory_each(a->d->memory, note_numbered, &n);
    if (!n.found.number)
        return ls_fail(&a->err, LS_ERR_INPUT, "no allocation %llu", (unsigned long long)n.number);
    struct debug_symbol s = {.space = PTX_SPACE_GLOBAL,
                             .number = (uint32_t)n.found.number,
                             .address = n.found.base,
                             .bytes = n.found.size};
    text_add_bytes(&a->out, (const char *)&s, sizeof s);
    return true;
}

static bool
ask_memory(struct ask *a, bool write)
{
    struct debug_memory m;
    uint64_t block;
    uint32_t *word, lane;
    const void *p = take(a, sizeof m);
    if (!p)
        return false;
    memcpy(&m, p, sizeof m);
    if (write)
        return (p = take(a, m.bytes)) && debug_edit(a->d, &m, p, &a->err);
    if (debug_predicate(a->d, &m, &word, &lane)) {
        char bit = (char)(*word >> lane & 1);
        text_add_bytes(&a->out, &bit, 1);
        return true;
    }
    const uint8_t *at = debug_memory_at(a->d, &m, &block, &a->err);
    if (at)
        text_add_bytes(&a->out, (const char *)at, m.bytes);
    return at != NULL;
}

static bool
ask_warps(struct ask *a)
{
    struct text warps = {0};
    uint32_t head[2] = {debug_warps(a->d, &warps), 0};
    text_add_bytes(&a->out, (const char *)head, sizeof head);
    if (warps.count)
        text_add_bytes(&a->out, warps.at, warps.count);
    text_free(&warps);
    return true;
}

static bool
locate(struct ask *a, struct debug_place *p)
{
    struct debug_who who;
    const void *at = take(a, sizeof who);
    if (!at || !runs(a))
        return false;
    memcpy(&who, at, sizeof who);
    return debug_locate(a->d, &who, p, &a->err);
}

static bool
ask_frames(struct ask *a)
{
    struct debug_place p;
    if (!locate(a, &p))
        return false;
    debug_frames(a->d, &p, &a->out);
    return true;
}

static bool
ask_registers(struct ask *a)
{
    struct debug_place p;
    if (!locate(a, &p))
        return false;
    debug_registers(&p, &a->out);
    return true;
}

/* Variables of the module have an address whatever the thread does. */
static bool
ask_symbol(struct ask *a)
{
    struct debug_place p;
    struct debug_symbol s;
    if (!locate(a, &p)) {
        if (!a->d->run || a->bytes == 0)
            return false;
        p = (struct debug_place){.map = debug_map_of(a->d, a->d->run->code, a->d->run->of.kernel)};
    }
    if (!debug_symbol(a->d, &p, (const char *)a->at, &s, &a->err))
        return false;
    text_add_bytes(&a->out, (const char *)&s, sizeof s);
    return true;
}

/* Memory that a launch is asked about. */
static bool
take_memory(struct ask *a, struct debug_memory *m)
{
    const void *p = take(a, sizeof *m);
    if (!p || !runs(a))
        return false;
    memcpy(m, p, sizeof *m);
    return true;
}

static bool
ask_where(struct ask *a)
{
    struct debug_memory m;
    struct debug_symbol where;
    if (!take_memory(a, &m) || !debug_where(a->d, &m, &where, &a->err))
        return false;
    text_add_bytes(&a->out, (const char *)&where, sizeof where);
    return true;
}

static bool
ask_last(struct ask *a)
{
    struct debug_memory m;
    struct debug_write w;
    if (!take_memory(a, &m) || !debug_last(a->d, &m, &w, &a->err))
        return false;
    text_add_bytes(&a->out, (const char *)&w, sizeof w);
    return true;
}

static bool
ask_host(struct ask *a)
{
    if (!runs(a))
        return false;
    text_add_bytes(&a->out, a->d->caller.text.at, a->d->caller.text.count);
    return true;
}

/* True: the program goes on. */
static bool
ask_go(struct ask *a)
{
    struct debug *d = a->d;
    const void *p = take(a, sizeof d->go);
    if (!p)
        return false;
    memcpy(&d->go, p, sizeof d->go);
    bool position = d->go.how == DEBUG_GO_POSITION;
    if (d->go.how > DEBUG_GO_BACK || (d->go.how == DEBUG_GO_BACK && d->go.back > DEBUG_GO_INSN))
        return ls_fail(&a->err, LS_ERR_INPUT, "no way to go on: %u", d->go.how);
    if (!d->run)
        return d->go.how != DEBUG_GO_BACK || runs(a);
    bool before =
        d->go.position < d->steps.position || (d->failed && d->go.position == d->steps.position);
    if (d->go.how == DEBUG_GO_BACK || (position && before)) {
        debug_go_back(d, &a->err);
        return false;
    }
    return true;
}

static bool
answer(struct ask *a, uint32_t what)
{
    switch (what) {
    case DEBUG_A_FLAGS: return ask_flags(a);
    case DEBUG_A_WATCH: return ask_watch(a);
    case DEBUG_A_READ: return ask_memory(a, false);
    case DEBUG_A_WRITE: return ask_memory(a, true);
    case DEBUG_A_WARPS: return ask_warps(a);
    case DEBUG_A_FRAMES: return ask_frames(a);
    case DEBUG_A_REGISTERS: return ask_registers(a);
    case DEBUG_A_SYMBOL: return ask_symbol(a);
    case DEBUG_A_WHERE: return ask_where(a);
    case DEBUG_A_LAST: return ask_last(a);
    case DEBUG_A_CATCH: return ask_catch(a);
    case DEBUG_A_FILTERS: return ask_filters(a);
    case DEBUG_A_ALLOCATION: return ask_allocation(a);
    case DEBUG_A_HOST: return ask_host(a);
    case DEBUG_A_POLLS: return runs(a) && debug_polls(a->d, &a->out, &a->err);
    case DEBUG_A_KILL: debug_kill(a->d);
    default: return ls_fail(&a->err, LS_ERR_INPUT, "no request %u", what);
    }
}

void
debug_serve(struct debug *d)
{
    for (;;) {
        struct debug_head head;
        struct ask a = {.d = d};
        a.at = debug_receive(d, &head);
        a.bytes = head.bytes;
        bool go = head.what == DEBUG_A_GO, fine = go ? ask_go(&a) : answer(&a, head.what);
        if (go && fine)
            return;
        const char *text = fine ? a.out.at : a.err.text;
        size_t n = fine ? a.out.count : strlen(a.err.text);
        debug_send(d, head.what, !fine, text, n, NULL, 0);
        text_free(&a.out);
    }
}
