/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c: what was found, once per pair of places, with a count; each as a JSON object
 * (cli.md, `check --json`).
 */
#include "check/findings.h"
#include "check/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

static const struct {
    const char *name;
    uint32_t group;
    const char *title;
} kinds[] = {
#define FINDING(name, text, group, title) {text, CHECK_##group, title},
#include "check/findings.def"
#undef FINDING
};

/* A finding is the same when kind and both places are. Places are compared as source lines, so that
 * an unrolled loop is one place. One of host code has a hash of its text beside. */
struct key {
    uint32_t kind, line[2];
    uint64_t text;
    const char *kernel[2], *file[2];
};

/* Where an address lies, from the start of the allocation of that number, or of the nearest (0:
 * none): addresses of the device are others in the next run. */
struct spot {
    uint64_t allocation, offset;
};

struct stored {
    struct stored *next; /* in the bucket */
    struct key key;
    struct finding f;
    char *kernel[2], *file[2], *op[2];
    uint32_t line[2];
    const struct host_place *host[2], *made; /* NULL: not known */
    struct spot spot[2];
    uint64_t count, number, bytes;
};

struct findings {
    struct stored *bucket[BUCKETS];
    VEC(struct stored *) all; /* in order */
};

struct findings *
findings_new(void)
{
    return ls_alloc(sizeof(struct findings));
}

static char *
copy(const char *s)
{
    return s ? strcpy(ls_alloc(strlen(s) + 1), s) : NULL;
}

void
findings_free(struct findings *f)
{
    for (size_t k = 0; k < f->all.count; k++) {
        struct stored *s = f->all.at[k];
        for (int side = 0; side < 2; side++) {
            ls_release(s->kernel[side]);
            ls_release(s->file[side]);
            ls_release(s->op[side]);
        }
        ls_release(s);
    }
    VEC_FREE(&f->all);
    ls_release(f);
}

static void
key_side(struct key *key, int side, const struct kernel_facts *k, uint32_t place)
{
    if (!k)
        return;
    key->kernel[side] = k->name;
    if (place >= k->place_count)
        return;
    key->file[side] = k->file[place];
    key->line[side] = k->line[place];
}

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_key(const struct key *a, const struct key *b)
{
    bool same = a->kind == b->kind && a->text == b->text;
    for (int side = 0; side < 2; side++)
        same = same && a->line[side] == b->line[side] && same_text(a->file[side], b->file[side]) &&
               same_text(a->kernel[side], b->kernel[side]);
    return same;
}

/* A pair is the same whichever side came first. */
static void
turn_key(struct key *key)
{
    int order = (key->line[0] > key->line[1]) - (key->line[0] < key->line[1]);
    if (!order && key->file[0] && key->file[1])
        order = strcmp(key->file[0], key->file[1]);
    if (!key->kernel[1] || order <= 0)
        return;
    struct key was = *key;
    for (int side = 0; side < 2; side++) {
        key->kernel[side] = was.kernel[1 - side];
        key->file[side] = was.file[1 - side];
        key->line[side] = was.line[1 - side];
    }
}

static struct stored **
bucket_of(struct findings *f, const struct key *key)
{
    uint32_t h = key->kind * 31 + key->line[0] * 7 + key->line[1] + (uint32_t)key->text;
    return &f->bucket[h % BUCKETS];
}

static struct stored *
look_up(struct findings *f, const struct key *key)
{
    struct stored *s = *bucket_of(f, key);
    while (s && !same_key(&s->key, key))
        s = s->next;
    return s;
}

/* -- JSON -------------------------------------------------------------------------------------- */

static json_t *
triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *
text_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

static void
set_frame(json_t *j, const struct host_frame *f)
{
    json_object_set_new(j, "function", text_or_null(f->function));
    json_object_set_new(j, "file", text_or_null(f->file));
    json_object_set_new(j, "line", f->line ? json_integer(f->line) : json_null());
}

/* A call stack of the host: the innermost function, and its callers in a list. */
static json_t *
host_json(const struct host_place *p)
{
    json_t *j = json_object(), *callers = json_array();
    set_frame(j, &p->frame[0]);
    for (uint32_t k = 1; k < p->count; k++) {
        json_t *one = json_object();
        set_frame(one, &p->frame[k]);
        json_array_append_new(callers, one);
    }
    json_object_set_new(j, "callers", callers);
    return j;
}

static json_t *
side_json(const struct stored *s, int k)
{
    const struct side *from = k ? &s->f.other : &s->f.access;
    if (!from->valid)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "op", text_or_null(s->op[k]));
    json_object_set_new(j, "kernel", text_or_null(s->kernel[k]));
    json_object_set_new(j, "file", text_or_null(s->file[k]));
    json_object_set_new(j, "line", s->line[k] ? json_integer(s->line[k]) : json_null());
    if (s->host[k] && s->kernel[k]) {
        json_object_set_new(j, "launch", host_json(s->host[k]));
    } else if (s->host[k]) {
        json_t *host = host_json(s->host[k]);
        json_object_update(j, host);
        json_decref(host);
    }
    json_object_set_new(j, "block", from->has_thread ? triple(from->block) : json_null());
    json_object_set_new(j, "thread", from->has_thread ? triple(from->thread) : json_null());
    json_object_set_new(j, "size", json_integer(from->size));
    json_object_set_new(j, "address", json_integer((json_int_t)from->address));
    if (s->spot[k].allocation) {
        json_object_set_new(j, "allocation", json_integer((json_int_t)s->spot[k].allocation));
        json_object_set_new(j, "offset", json_integer((json_int_t)s->spot[k].offset));
    }
    if (from->launch && from->has_place) {
        json_object_set_new(j, "launch_number", json_integer(from->launch));
        json_object_set_new(j, "instruction", json_integer(from->place));
    }
    return j;
}

static json_t *
finding_json(const struct stored *s)
{
    json_t *j = json_object();
    json_object_set_new(j, "kind", json_string(kinds[s->f.kind].name));
    json_object_set_new(j, "title", json_string(s->f.title ? s->f.title : kinds[s->f.kind].title));
    json_object_set_new(j, "severity",
                        json_string(s->f.severity == SEVERITY_ERROR ? "error" : "warning"));
    json_object_set_new(j, "space", *s->f.space ? json_string(s->f.space) : json_null());
    json_object_set_new(j, "kernel", text_or_null(s->kernel[0]));
    json_object_set_new(j, "message", json_string(s->f.message));
    json_object_set_new(j, "count", json_integer((json_int_t)s->count));
    json_object_set_new(j, "access", side_json(s, 0));
    json_object_set_new(j, "other", side_json(s, 1));
    json_object_set_new(j, "missing", json_string(s->f.missing));
    if (s->f.error)
        json_object_set_new(j, "error", json_string(s->f.error));
    if (s->made && s->f.kind != FINDING_LEAK)
        json_object_set_new(j, "allocated", host_json(s->made));
    if (s->f.kind == FINDING_LEAK)
        json_object_set_new(j, "bytes", json_integer((json_int_t)s->bytes));
    return j;
}

/* -- adding ------------------------------------------------------------------------------------ */

/* Blocks on several threads find one thing in any order: that of the first block in the grid's
 * order is shown. */
static bool
is_of_earlier_block(const struct kernel_facts *k, uint32_t rank, const uint32_t *block,
                    const struct finding *shown)
{
    const struct side *at = &shown->access;
    if (!block || rank != shown->rank || !at->has_thread || at->kernel != k)
        return false;
    for (unsigned d = 3; d-- > 0;)
        if (block[d] != at->block[d])
            return block[d] < at->block[d];
    return false;
}

static struct key
key_of(enum finding_kind kind, const struct kernel_facts *k, uint32_t place,
       const struct kernel_facts *other, uint32_t other_place)
{
    struct key key = {.kind = kind};
    key_side(&key, 0, k, place);
    key_side(&key, 1, other, other_place);
    turn_key(&key);
    return key;
}

bool
finding_is_new(struct check *c, enum finding_kind kind, uint32_t rank, const struct kernel_facts *k,
               uint32_t place, const struct kernel_facts *other, uint32_t other_place,
               const uint32_t *block)
{
    if (!(c->groups & kinds[kind].group))
        return false;
    struct key key = key_of(kind, k, place, other, other_place);
    pthread_mutex_lock(&c->lock);
    struct stored *s = look_up(c->findings, &key);
    bool graver = s && (rank > s->f.rank || is_of_earlier_block(k, rank, block, &s->f));
    if (s && !graver)
        journal_count(c, s->number, ++s->count);
    pthread_mutex_unlock(&c->lock);
    return !s || graver;
}

void
finding_again(const struct launch *l, uint32_t place, const struct repeats *r, uint64_t times)
{
    struct check *c = l->check;
    pthread_mutex_lock(&c->lock);
    for (uint32_t n = 0; n < r->count; n++) {
        struct key key =
            key_of(r->at[n].kind, l->facts, place, r->at[n].other, r->at[n].other_place);
        struct stored *s = look_up(c->findings, &key);
        if (s)
            journal_count(c, s->number, s->count += times);
    }
    pthread_mutex_unlock(&c->lock);
}

/* NULL: not known. */
static const struct host_place *
place_of(const struct check *c, uint32_t number)
{
    const struct host_place *p = number && c->host_place ? c->host_place(number) : NULL;
    return p && p->count ? p : NULL;
}

/* Not with c->lock held: who holds the memory's lock may add findings (leaks). */
static struct spot
spot_of(const struct finding *f, const struct side *from)
{
    struct allocation found, near = {0};
    if (!from->valid || !from->kernel || !from->memory ||
        (strcmp(f->space, "global") && strcmp(f->space, "constant")))
        return (struct spot){0};
    enum { FAR = 1 << 20 };
    if (!memory_find_reached(from->memory, from->address, &found)) {
        memory_find(from->memory, from->address, &found, &near);
        found = near;
    }
    uint64_t offset = from->address - found.base;
    return (struct spot){offset + FAR < found.size + 2 * FAR ? found.number : 0, offset};
}

static void
keep_side(const struct check *c, struct stored *s, int side, const struct side *from)
{
    s->host[side] = from->valid ? place_of(c, from->host) : NULL;
    ls_release(s->kernel[side]);
    ls_release(s->file[side]);
    ls_release(s->op[side]);
    s->kernel[side] = s->file[side] = s->op[side] = NULL;
    s->line[side] = 0;
    if (from->valid)
        s->op[side] = copy(from->op); /* may be a caller's buffer */
    if (!from->valid || !from->kernel)
        return;
    s->kernel[side] = copy(from->kernel->name);
    if (from->has_place && from->place < from->kernel->place_count) {
        s->file[side] = copy(from->kernel->file[from->place]);
        s->line[side] = from->kernel->line[from->place];
    }
}

/* Frames by their lines: what was unrolled or inlined twice is one place. */
static struct hash128
hash_place(struct hash128 h, const struct host_place *p)
{
    for (uint32_t k = 0; p && k < p->count; k++) {
        const struct host_frame *f = &p->frame[k];
        h = ls_hash(h, &f->line, sizeof f->line);
        if (f->file)
            h = ls_hash(h, f->file, strlen(f->file));
        else
            h = ls_hash(h, &p, sizeof p); /* no line: the stack itself */
    }
    return h;
}

/* What tells findings of host code apart: a call at the same place that fails again with the same
 * error counts as the same one, and so do a copy of unset memory and an allocation that leaks;
 * wrong frees are each their own, and leaks whose place is not known. */
static uint64_t
text_of(const struct check *c, const struct finding *f)
{
    bool by_call =
        f->kind == FINDING_API_ERROR || f->kind == FINDING_UNINITIALIZED || f->kind == FINDING_LEAK;
    const struct host_place *place = place_of(c, f->access.host);
    struct hash128 h = {f->kind, 1};
    if (f->kind == FINDING_LEAK && !place)
        return c->findings->all.count + 1;
    h = hash_place(h, place);
    if (f->error)
        h = ls_hash(h, f->error, strlen(f->error));
    if (f->access.op)
        h = ls_hash(h, f->access.op, strlen(f->access.op));
    h = ls_hash(h, f->missing, strlen(f->missing));
    if (!by_call)
        h = ls_hash(h, f->message, strlen(f->message));
    return h.lo | 1;
}

static struct stored *
new_finding(struct findings *all, const struct key *key)
{
    struct stored *s = ls_alloc(sizeof *s), **b = bucket_of(all, key);
    s->next = *b;
    *b = s;
    s->number = all->all.count;
    VEC_PUSH(&all->all, s);
    return s;
}

static void
tell_journal(struct check *c, const struct stored *s)
{
    if (!c->journal)
        return;
    json_t *j = finding_json(s);
    char *text = json_dumps(j, JSON_COMPACT);
    if (text)
        journal_finding(c, s->number, text);
    free(text);
    json_decref(j);
}

void
finding_add(struct check *c, const struct finding *f)
{
    if (!(c->groups & kinds[f->kind].group))
        return;
    struct key key = {.kind = f->kind};
    if (f->access.valid && f->access.has_place)
        key_side(&key, 0, f->access.kernel, f->access.place);
    else if (f->access.valid && f->access.kernel)
        key.kernel[0] = f->access.kernel->name;
    if (f->other.valid && f->other.has_place)
        key_side(&key, 1, f->other.kernel, f->other.place);
    turn_key(&key);
    struct spot spot[2] = {spot_of(f, &f->access), spot_of(f, &f->other)};
    pthread_mutex_lock(&c->lock);
    if (!f->access.valid || !f->access.kernel)
        key.text = text_of(c, f);
    struct stored *s = look_up(c->findings, &key);
    if (!s)
        s = new_finding(c->findings, &key);
    s->count++;
    s->bytes += f->bytes;
    bool changed = s->count == 1 || f->rank > s->f.rank ||
                   is_of_earlier_block(f->access.kernel, f->rank,
                                       f->access.has_thread ? f->access.block : NULL, &s->f);
    if (changed) {
        s->f = *f;
        keep_side(c, s, 0, &f->access);
        keep_side(c, s, 1, &f->other);
        memcpy(s->spot, spot, sizeof spot);
        s->made = place_of(c, f->made);
    }
    /* The key's texts must live as long as the finding. */
    s->key = (struct key){.kind = f->kind,
                          .text = key.text,
                          .kernel = {s->kernel[0], s->kernel[1]},
                          .file = {s->file[0], s->file[1]},
                          .line = {s->line[0], s->line[1]}};
    turn_key(&s->key);
    if (changed)
        tell_journal(c, s);
    journal_count(c, s->number, s->count);
    pthread_mutex_unlock(&c->lock);
}

void
findings_tell_sums(struct check *c)
{
    pthread_mutex_lock(&c->lock);
    for (size_t k = 0; k < c->findings->all.count; k++)
        if (c->findings->all.at[k]->bytes && c->findings->all.at[k]->count > 1)
            tell_journal(c, c->findings->all.at[k]);
    pthread_mutex_unlock(&c->lock);
}

json_t *
findings_list(const struct check *c)
{
    json_t *list = json_array();
    for (size_t k = 0; k < c->findings->all.count; k++)
        json_array_append_new(list, finding_json(c->findings->all.at[k]));
    return list;
}
