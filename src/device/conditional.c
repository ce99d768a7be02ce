/* SPDX-License-Identifier: Apache-2.0
 *
 * conditional.c: conditional nodes of graphs and the values they read. A value is 32 bits of device
 * memory, its handle the address: a kernel sets it with a store. It lives as long as a graph, or a
 * copy of one, knows it. On a real GPU too the host chooses the body: it waits for the stream, and
 * reads the value.
 */
#include "device/backend.h"

struct condition {
    struct device *device;
    uint64_t address;
    uint32_t initial;
    bool assign;
    uint32_t users; /* graphs */
    struct condition *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct condition *all;

static void
value_free(const struct condition *c)
{
    if (memory_covers(c->device->memory, c->address, sizeof(uint32_t)))
        c->device->backend->memory->free(c->device, c->address);
}

/* When the stream has come so far. */
static enum device_result
value_read(struct device_stream *s, const struct condition *c, uint32_t *out)
{
    const struct backend *b = c->device->backend;
    enum device_result r = b->streams->synchronize(s);
    return r == DEVICE_OK ? b->memory->access(c->device, out, (void *)c->address, sizeof *out) : r;
}

enum device_result
device_condition_new(struct device *d, struct device_graph *g, uint32_t initial, bool assign,
                     uint64_t *out_address)
{
    static const char name[] = "graph condition";
    uint64_t at = 0;
    enum device_result r =
        d->backend->memory->alloc(d, sizeof initial, ALLOCATION_VARIABLE, name, &at);
    if (r != DEVICE_OK)
        return r;
    struct condition *c = ls_alloc(sizeof *c);
    *c = (struct condition){d, at, initial, assign, 1, NULL};
    r = d->backend->memory->access(d, (void *)at, &initial, sizeof initial);
    pthread_mutex_lock(&lock);
    c->next = all;
    all = c;
    VEC_PUSH(&graph_conditions(g)->list, c);
    pthread_mutex_unlock(&lock);
    *out_address = at;
    return r;
}

static struct condition *
find(uint64_t address)
{
    pthread_mutex_lock(&lock);
    struct condition *c = all;
    while (c && c->address != address)
        c = c->next;
    pthread_mutex_unlock(&lock);
    return c;
}

bool
device_condition_is(uint64_t address)
{
    return find(address) != NULL;
}

void
conditions_copy(struct conditions *to, const struct conditions *from)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < from->list.count; k++) {
        from->list.at[k]->users++;
        VEC_PUSH(&to->list, from->list.at[k]);
    }
    pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void
release(struct condition *c)
{
    if (--c->users)
        return;
    struct condition **link = &all;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    value_free(c);
    ls_release(c);
}

void
conditions_fini(struct conditions *c)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < c->list.count; k++)
        release(c->list.at[k]);
    pthread_mutex_unlock(&lock);
    VEC_FREE(&c->list);
}

static bool
readable(const struct condition *c)
{
    return c && memory_covers(c->device->memory, c->address, sizeof(uint32_t));
}

enum device_result
conditions_reset(struct device_stream *s, struct device_graph *g)
{
    struct conditions *mine = graph_conditions(g);
    struct device_node *const *node;
    enum device_result r = DEVICE_OK;
    for (size_t k = 0; r == DEVICE_OK && k < mine->list.count; k++)
        if (mine->list.at[k]->assign && readable(mine->list.at[k]))
            r = s->device->backend->streams->set_word(s, mine->list.at[k]->address,
                                                      mine->list.at[k]->initial);
    size_t count = device_graph_nodes(g, &node);
    for (size_t k = 0; r == DEVICE_OK && k < count; k++) {
        const struct device_op *op = device_node_op(node[k]);
        if (op->kind == DEVICE_OP_GRAPH)
            r = conditions_reset(s, op->graph);
        for (uint32_t b = 0; op->kind == DEVICE_OP_CONDITIONAL && b < op->conditional.count; b++)
            if (r == DEVICE_OK)
                r = conditions_reset(s, op->conditional.body[b]);
    }
    return r;
}

/* -- nodes ------------------------------------------------------------------------------------- */

/* Bodies that are not there yet are empty graphs. */
void
conditional_copy(struct device_conditional *c)
{
    struct device_graph **from = c->body;
    c->body = ls_alloc(c->count * sizeof *c->body);
    for (uint32_t k = 0; k < c->count; k++)
        c->body[k] = from ? device_graph_clone(from[k]) : device_graph_new();
}

void
conditional_fini(struct device_conditional *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        device_graph_free(c->body[k]);
    ls_release(c->body);
}

/* The body that the value chooses; NULL: none. */
static struct device_graph *
chosen(const struct device_conditional *c, uint32_t value)
{
    uint32_t at = c->kind == DEVICE_CONDITIONAL_SWITCH ? value : value ? 0 : 1;
    return at < c->count ? c->body[at] : NULL;
}

enum device_result
conditional_run(struct device_stream *s, const struct device_conditional *c)
{
    const struct condition *condition = find(c->value);
    struct device_graph *body;
    uint32_t value;
    enum device_result r;
    if (!readable(condition))
        return device_fail(DEVICE_INVALID_VALUE, "the value of the condition is gone");
    while ((r = value_read(s, condition, &value)) == DEVICE_OK &&
           (body = chosen(c, value)) != NULL) {
        r = graph_run(s, body);
        if (r != DEVICE_OK || c->kind != DEVICE_CONDITIONAL_WHILE)
            break;
    }
    return r;
}
