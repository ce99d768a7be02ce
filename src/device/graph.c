/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: graphs of operations: made node by node (or captured from streams, capture.c);
 * instantiated as an ordered copy; run in that order.
 */
#include "check/check.h"
#include "device/device_priv.h"
#include "device/backend.h"

#include <string.h>

struct device_node {
    struct handle head;
    struct device_graph *graph;
    struct device_op op;
    struct nodes after;                 /* what it depends on */
    const struct device_node *original; /* in a clone */
    bool enabled;
    uint32_t mark; /* scratch */
};

struct device_graph {
    struct handle head;
    struct nodes nodes;
    struct conditions conditions;
};

struct device_exec {
    struct handle head;
    struct device_graph *graph; /* a clone */
    struct nodes order;
};

/* Guards the shape of graphs; operations run outside it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool
nodes_hold(const struct nodes *n, const struct device_node *x)
{
    for (size_t k = 0; k < n->list.count; k++)
        if (n->list.at[k] == x)
            return true;
    return false;
}

static void
take_out(struct nodes *n, const struct device_node *x)
{
    size_t kept = 0;
    for (size_t k = 0; k < n->list.count; k++)
        if (n->list.at[k] != x)
            n->list.at[kept++] = n->list.at[k];
    n->list.count = kept;
}

/* -- graphs ------------------------------------------------------------------------------------ */

struct device_graph *
device_graph_new(void)
{
    return handle_new(HANDLE_GRAPH, sizeof(struct device_graph));
}

bool
device_graph_is(const struct device_graph *g)
{
    return handle_is(g, HANDLE_GRAPH);
}

bool
device_node_is(const struct device_node *n)
{
    return handle_is(n, HANDLE_NODE);
}

static void
node_end(struct device_node *n)
{
    device_op_fini(&n->op);
    VEC_FREE(&n->after.list);
    handle_free(n);
}

enum device_result
device_graph_free(struct device_graph *g)
{
    if (!device_graph_is(g))
        return device_fail(DEVICE_INVALID_VALUE, "%p is no graph", (void *)g);
    for (size_t k = 0; k < g->nodes.list.count; k++)
        node_end(g->nodes.list.at[k]);
    VEC_FREE(&g->nodes.list);
    conditions_fini(&g->conditions);
    handle_free(g);
    return DEVICE_OK;
}

struct device_node *
device_graph_add(struct device_graph *g, const struct device_op *op,
                 struct device_node *const *after, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!device_node_is(after[k]) || after[k]->graph != g) {
            device_fail(DEVICE_INVALID_VALUE, "dependency %zu is no node of the graph", k);
            return NULL;
        }
    struct device_node *n = handle_new(HANDLE_NODE, sizeof *n);
    n->graph = g;
    n->enabled = true;
    device_op_copy(&n->op, op);
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < count; k++)
        if (!nodes_hold(&n->after, after[k]))
            VEC_PUSH(&n->after.list, after[k]);
    VEC_PUSH(&g->nodes.list, n);
    pthread_mutex_unlock(&lock);
    return n;
}

struct device_graph *
device_graph_clone(const struct device_graph *g)
{
    struct device_graph *clone = device_graph_new();
    for (size_t k = 0; k < g->nodes.list.count; k++) {
        struct device_node *from = g->nodes.list.at[k],
                           *n = device_graph_add(clone, &from->op, NULL, 0);
        n->original = from;
        n->enabled = from->enabled;
    }
    for (size_t k = 0; k < g->nodes.list.count; k++) {
        const struct nodes *after = &g->nodes.list.at[k]->after;
        for (size_t j = 0; j < after->list.count; j++)
            VEC_PUSH(&clone->nodes.list.at[k]->after.list,
                     device_graph_find_clone(clone, after->list.at[j]));
    }
    conditions_copy(&clone->conditions, &g->conditions);
    return clone;
}

struct conditions *
graph_conditions(struct device_graph *g)
{
    return &g->conditions;
}

struct device_node *
device_graph_find_clone(const struct device_graph *clone, const struct device_node *original)
{
    for (size_t k = 0; k < clone->nodes.list.count; k++)
        if (clone->nodes.list.at[k]->original == original)
            return clone->nodes.list.at[k];
    return NULL;
}

size_t
device_graph_nodes(const struct device_graph *g, struct device_node *const **out)
{
    *out = g->nodes.list.at;
    return g->nodes.list.count;
}

struct device_op *
device_node_op(struct device_node *n)
{
    return &n->op;
}

struct device_graph *
device_node_graph(const struct device_node *n)
{
    return n->graph;
}

size_t
device_node_after(const struct device_node *n, struct device_node *const **out)
{
    *out = n->after.list.at;
    return n->after.list.count;
}

enum device_result
device_node_link(struct device_node *from, struct device_node *to)
{
    if (!device_node_is(from) || !device_node_is(to) || from->graph != to->graph || from == to)
        return device_fail(DEVICE_INVALID_VALUE, "an edge joins two nodes of one graph");
    if (nodes_hold(&to->after, from))
        return device_fail(DEVICE_INVALID_VALUE, "the edge is there already");
    VEC_PUSH(&to->after.list, from);
    return DEVICE_OK;
}

/* By the manual nothing is taken out of a graph that allocates or frees. */
static enum device_result
need_no_memory(const struct device_graph *g)
{
    for (size_t k = 0; k < g->nodes.list.count; k++) {
        enum device_op_kind kind = g->nodes.list.at[k]->op.kind;
        if (kind == DEVICE_OP_ALLOC || kind == DEVICE_OP_FREE)
            return device_fail(DEVICE_INVALID_VALUE, "the graph has nodes of memory");
    }
    return DEVICE_OK;
}

enum device_result
device_node_unlink(struct device_node *from, struct device_node *to)
{
    if (!device_node_is(from) || !device_node_is(to) || !nodes_hold(&to->after, from))
        return device_fail(DEVICE_INVALID_VALUE, "there is no such edge");
    enum device_result r = need_no_memory(to->graph);
    if (r == DEVICE_OK)
        take_out(&to->after, from);
    return r;
}

enum device_result
device_node_free(struct device_node *n)
{
    if (!device_node_is(n))
        return device_fail(DEVICE_INVALID_VALUE, "%p is no node", (void *)n);
    struct device_graph *g = n->graph;
    enum device_result r = need_no_memory(g);
    if (r != DEVICE_OK)
        return r;
    take_out(&g->nodes, n);
    for (size_t k = 0; k < g->nodes.list.count; k++)
        take_out(&g->nodes.list.at[k]->after, n);
    node_end(n);
    return DEVICE_OK;
}

enum device_result
device_graph_alloc(struct device *d, uint64_t size, uint64_t *out_address)
{
    return d->backend->memory->alloc(d, size, ALLOCATION_DEVICE, device_graph_memory, out_address);
}

/* -- order ------------------------------------------------------------------------------------- */

/* Depth first through the dependencies, in the order in which nodes were added. mark: 0 new, 1 on
 * the path, 2 done. */
static bool
visit(struct device_node *n, struct nodes *order)
{
    if (n->mark)
        return n->mark == 2;
    n->mark = 1;
    for (size_t k = 0; k < n->after.list.count; k++)
        if (!visit(n->after.list.at[k], order))
            return false;
    n->mark = 2;
    VEC_PUSH(&order->list, n);
    return true;
}

static bool
sort(struct device_graph *g, struct nodes *order)
{
    bool fine = true;
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < g->nodes.list.count; k++)
        g->nodes.list.at[k]->mark = 0;
    for (size_t k = 0; fine && k < g->nodes.list.count; k++)
        fine = visit(g->nodes.list.at[k], order);
    pthread_mutex_unlock(&lock);
    return fine;
}

static enum device_result
run_nodes(struct device_stream *s, const struct nodes *order)
{
    enum device_result r = DEVICE_OK;
    struct check_graph *watched = tool_graph_begin(s);
    for (size_t k = 0; r == DEVICE_OK && k < order->list.count; k++) {
        const struct device_node *n = order->list.at[k];
        struct device_node *const *after;
        size_t count = device_node_after(n, &after);
        tool_graph_node(watched, s, n, after, count, &n->op);
        if (n->enabled)
            r = op_run(s, &n->op);
    }
    check_graph_end(watched);
    return r;
}

enum device_result
graph_run(struct device_stream *s, struct device_graph *g)
{
    struct nodes order = {0};
    enum device_result r = sort(g, &order)
                               ? run_nodes(s, &order)
                               : device_fail(DEVICE_INVALID_VALUE, "the graph has a cycle");
    VEC_FREE(&order.list);
    return r;
}

/* -- instantiated graphs ----------------------------------------------------------------------- */

enum device_result
device_exec_new(struct device_graph *g, struct device_exec **out)
{
    struct nodes order = {0};
    struct device_graph *clone = device_graph_clone(g);
    if (!sort(clone, &order)) {
        VEC_FREE(&order.list);
        device_graph_free(clone);
        return device_fail(DEVICE_INVALID_VALUE, "the graph has a cycle");
    }
    struct device_exec *x = handle_new(HANDLE_EXEC, sizeof *x);
    x->graph = clone;
    x->order = order;
    *out = x;
    return DEVICE_OK;
}

bool
device_exec_is(const struct device_exec *x)
{
    return handle_is(x, HANDLE_EXEC);
}

enum device_result
device_exec_free(struct device_exec *x)
{
    if (!device_exec_is(x))
        return device_fail(DEVICE_INVALID_VALUE, "%p is no executable graph", (void *)x);
    VEC_FREE(&x->order.list);
    device_graph_free(x->graph);
    handle_free(x);
    return DEVICE_OK;
}

enum device_result
device_exec_launch(struct device_exec *x, struct device_stream *s)
{
    struct device_op op = {.kind = DEVICE_OP_GRAPH, .graph = x->graph};
    if (s->capture)
        return device_submit(s, &op);
    enum device_result r = device_lost(s->device);
    if (r == DEVICE_OK)
        r = conditions_reset(s, x->graph);
    return r == DEVICE_OK ? run_nodes(s, &x->order) : r;
}

struct device_op *
device_exec_op(struct device_exec *x, const struct device_node *n)
{
    struct device_node *mine = device_graph_find_clone(x->graph, n);
    return mine ? &mine->op : NULL;
}

bool *
device_exec_enabled(struct device_exec *x, const struct device_node *n)
{
    struct device_node *mine = device_graph_find_clone(x->graph, n);
    bool may = mine && (mine->op.kind == DEVICE_OP_LAUNCH || mine->op.kind == DEVICE_OP_COPY ||
                        mine->op.kind == DEVICE_OP_FILL);
    return may ? &mine->enabled : NULL;
}

static bool
same_shape(const struct device_graph *a, const struct device_graph *b,
           struct device_node **out_wrong)
{
    if (a->nodes.list.count != b->nodes.list.count)
        return false;
    for (size_t k = 0; k < a->nodes.list.count; k++) {
        const struct device_node *x = a->nodes.list.at[k];
        struct device_node *y = b->nodes.list.at[k];
        if (x->op.kind != y->op.kind || x->after.list.count != y->after.list.count) {
            *out_wrong = y;
            return false;
        }
    }
    return true;
}

enum device_result
device_exec_update(struct device_exec *x, const struct device_graph *g,
                   struct device_node **out_wrong)
{
    *out_wrong = NULL;
    if (!same_shape(x->graph, g, out_wrong))
        return device_fail(DEVICE_EXEC_UPDATE_FAILED, "the graphs differ in shape");
    for (size_t k = 0; k < g->nodes.list.count; k++) {
        struct device_node *mine = x->graph->nodes.list.at[k];
        device_op_fini(&mine->op);
        device_op_copy(&mine->op, &g->nodes.list.at[k]->op);
        mine->original = g->nodes.list.at[k];
    }
    return DEVICE_OK;
}

void
graph_reach(struct device_graph *g, const struct nodes *from, struct nodes *out)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < g->nodes.list.count; k++)
        g->nodes.list.at[k]->mark = 0;
    for (size_t k = 0; k < from->list.count; k++)
        visit(from->list.at[k], out);
    pthread_mutex_unlock(&lock);
}
