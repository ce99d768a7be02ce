/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: the graph calls but those of nodes (graph_nodes.c): graphs, their instances, user
 * objects.
 */
#include "cudart/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* -- graphs ------------------------------------------------------------------------------------ */

cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    int r = graph && !flags ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (r == cudaSuccess)
        *graph = (cudaGraph_t)device_graph_new();
    RT(r, "flags=%u", flags);
}

cudaError_t
cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    int r = clone ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "clone is NULL");
    if (r == cudaSuccess)
        *clone = (cudaGraph_t)device_graph_clone(GRAPH(graph));
    RT(r, "graph=%p", (void *)graph);
}

cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    int r = node ? graph_check(clone) : rt_fail(cudaErrorInvalidValue, "node is NULL");
    if (r == cudaSuccess) {
        *node = (cudaGraphNode_t)device_graph_find_clone(GRAPH(clone), NODE(original));
        r = *node ? (int)cudaSuccess : rt_fail(cudaErrorInvalidValue, "the clone has no such node");
    }
    RT(r, "original=%p clone=%p", (void *)original, (void *)clone);
}

static int
list_out(struct device_node *const *list, size_t have, cudaGraphNode_t *nodes, size_t *n)
{
    if (!n)
        return rt_fail(cudaErrorInvalidValue, "the count is NULL");
    for (size_t k = 0; nodes && k < *n; k++)
        nodes[k] = k < have ? (cudaGraphNode_t)list[k] : NULL;
    if (!nodes || *n > have)
        *n = have;
    return cudaSuccess;
}

cudaError_t
cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    struct device_node *const *list;
    int r = graph_check(graph);
    if (r == cudaSuccess) {
        size_t have = device_graph_nodes(GRAPH(graph), &list);
        r = list_out(list, have, nodes, n);
    }
    RT(r, "graph=%p", (void *)graph);
}

struct found {
    VEC(struct device_node *) list, other;
};

/* roots: nodes without dependencies; else the edges: list from, other to. */
static void
collect(cudaGraph_t graph, bool roots, struct found *out)
{
    struct device_node *const *list, *const *after;
    size_t n = device_graph_nodes(GRAPH(graph), &list);
    for (size_t k = 0; k < n; k++) {
        size_t m = device_node_after(list[k], &after);
        if (roots && !m)
            VEC_PUSH(&out->list, list[k]);
        for (size_t j = 0; !roots && j < m; j++) {
            VEC_PUSH(&out->list, after[j]);
            VEC_PUSH(&out->other, list[k]);
        }
    }
}

cudaError_t
cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    struct found f = {0};
    int r = graph_check(graph);
    if (r == cudaSuccess) {
        collect(graph, true, &f);
        r = list_out(f.list.at, f.list.count, nodes, n);
    }
    VEC_FREE(&f.list);
    RT(r, "graph=%p", (void *)graph);
}

cudaError_t
cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
    struct found f = {0};
    size_t count = n ? *n : 0;
    int r = n ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "the count is NULL");
    if (r == cudaSuccess) {
        collect(graph, false, &f);
        r = list_out(f.other.at, f.other.count, to, &count);
        r = r == cudaSuccess ? list_out(f.list.at, f.list.count, from, n) : r;
    }
    VEC_FREE(&f.list);
    VEC_FREE(&f.other);
    RT(r, "graph=%p", (void *)graph);
}

cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    struct device_node *const *list;
    int r = graph_node(node);
    if (r == cudaSuccess) {
        size_t have = device_node_after(NODE(node), &list);
        r = list_out(list, have, nodes, n);
    }
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n)
{
    struct found all = {0}, mine = {0};
    int r = graph_node(node);
    if (r == cudaSuccess) {
        collect((cudaGraph_t)device_node_graph(NODE(node)), false, &all);
        for (size_t k = 0; k < all.list.count; k++)
            if (all.list.at[k] == NODE(node))
                VEC_PUSH(&mine.list, all.other.at[k]);
        r = list_out(mine.list.at, mine.list.count, nodes, n);
    }
    VEC_FREE(&all.list);
    VEC_FREE(&all.other);
    VEC_FREE(&mine.list);
    RT(r, "node=%p", (void *)node);
}

static int
link_all(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n,
         bool join)
{
    int r =
        !n || (from && to) ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "a list is NULL");
    for (size_t k = 0; r == cudaSuccess && k < n; k++)
        if (!device_node_is(NODE(from[k])) || device_node_graph(NODE(from[k])) != GRAPH(graph))
            r = rt_fail(cudaErrorInvalidValue, "pair %zu names no node of the graph", k);
    for (size_t k = 0; r == cudaSuccess && k < n; k++)
        r = join ? (int)device_node_link(NODE(from[k]), NODE(to[k]))
                 : (int)device_node_unlink(NODE(from[k]), NODE(to[k]));
    return r;
}

cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         size_t n)
{
    RT(link_all(graph, from, to, n, true), "graph=%p dependencies=%zu", (void *)graph, n);
}

cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, size_t n)
{
    RT(link_all(graph, from, to, n, false), "graph=%p dependencies=%zu", (void *)graph, n);
}

cudaError_t
cudaGraphDestroyNode(cudaGraphNode_t node)
{
    RT(device_node_free(NODE(node)), "node=%p", (void *)node);
}

cudaError_t
cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    static const enum cudaGraphNodeType types[] = {
        [DEVICE_OP_EMPTY] = cudaGraphNodeTypeEmpty,
        [DEVICE_OP_LAUNCH] = cudaGraphNodeTypeKernel,
        [DEVICE_OP_COPY] = cudaGraphNodeTypeMemcpy,
        [DEVICE_OP_FILL] = cudaGraphNodeTypeMemset,
        [DEVICE_OP_HOST] = cudaGraphNodeTypeHost,
        [DEVICE_OP_RECORD] = cudaGraphNodeTypeEventRecord,
        [DEVICE_OP_WAIT] = cudaGraphNodeTypeWaitEvent,
        [DEVICE_OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
        [DEVICE_OP_FREE] = cudaGraphNodeTypeMemFree,
        [DEVICE_OP_GRAPH] = cudaGraphNodeTypeGraph,
        [DEVICE_OP_CONDITIONAL] = cudaGraphNodeTypeConditional,
    };
    int r = type ? graph_node(node) : rt_fail(cudaErrorInvalidValue, "type is NULL");
    if (r == cudaSuccess)
        *type = types[device_node_op(NODE(node))->kind];
    RT(r, "node=%p", (void *)node);
}

/* -- instantiated graphs ----------------------------------------------------------------------- */

static int
instantiate(cudaGraphExec_t *exec, cudaGraph_t graph)
{
    int r = exec ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "graphExec is NULL");
    return r == cudaSuccess ? (int)device_exec_new(GRAPH(graph), (struct device_exec **)exec) : r;
}

cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RT(instantiate(exec, graph), "graph=%p flags=0x%llx", (void *)graph, flags);
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    RT(instantiate(exec, graph), "graph=%p flags=0x%llx", (void *)graph, flags);
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *params)
{
    int r = params ? instantiate(exec, graph) : rt_fail(cudaErrorInvalidValue, "params is NULL");
    if (params) {
        params->errNode_out = NULL;
        params->result_out =
            r == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    }
    RT(r, "graph=%p", (void *)graph);
}

cudaError_t
cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    int r = flags && device_exec_is(EXEC(exec)) ? cudaSuccess : cudaErrorInvalidValue;
    if (r == cudaSuccess)
        *flags = 0;
    RT(r, "graphExec=%p", (void *)exec);
}

static int
run(cudaGraphExec_t exec, cudaStream_t stream, bool launch)
{
    struct device_stream *s;
    int r = device_exec_is(EXEC(exec))
                ? rt_stream(stream, &s)
                : rt_fail(cudaErrorInvalidValue, "%p is no executable graph", (void *)exec);
    return r == cudaSuccess && launch ? (int)device_exec_launch(EXEC(exec), s) : r;
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    RT(run(exec, stream, true), "graphExec=%p stream=%p", (void *)exec, (void *)stream);
}

cudaError_t
cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    RT(run(exec, stream, false), "graphExec=%p stream=%p", (void *)exec, (void *)stream);
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    RT(device_exec_free(EXEC(exec)), "graphExec=%p", (void *)exec);
}

cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    struct device_node *wrong = NULL;
    int r = device_exec_is(EXEC(exec)) ? graph_check(graph) : (int)cudaErrorInvalidValue;
    if (r == cudaSuccess)
        r = (int)device_exec_update(EXEC(exec), GRAPH(graph), &wrong);
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){r == cudaSuccess ? cudaGraphExecUpdateSuccess
                                                : wrong ? cudaGraphExecUpdateErrorNodeTypeChanged
                                                        : cudaGraphExecUpdateErrorTopologyChanged,
                                                (cudaGraphNode_t)wrong, NULL};
    RT(r, "graphExec=%p graph=%p", (void *)exec, (void *)graph);
}

cudaError_t
cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)
{
    bool *on = device_exec_is(EXEC(exec)) ? device_exec_enabled(EXEC(exec), NODE(node)) : NULL;
    if (on)
        *on = enabled != 0;
    RT(on ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "no such node"), "graphExec=%p node=%p",
       (void *)exec, (void *)node);
}

cudaError_t
cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled)
{
    bool *on =
        enabled && device_exec_is(EXEC(exec)) ? device_exec_enabled(EXEC(exec), NODE(node)) : NULL;
    if (on)
        *enabled = *on;
    RT(on ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "no such node"), "graphExec=%p node=%p",
       (void *)exec, (void *)node);
}

static int
print_dot(cudaGraph_t graph, const char *path)
{
    struct device_node *const *list, *const *after;
    int r = path ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "path is NULL");
    FILE *f = r == cudaSuccess ? fopen(path, "w") : NULL;
    if (!f)
        return r != cudaSuccess ? r : rt_fail(cudaErrorOperatingSystem, "%s: %m", path);
    static const char *const names[] = {[DEVICE_OP_EMPTY] = "empty",
                                        [DEVICE_OP_LAUNCH] = "kernel",
                                        [DEVICE_OP_COPY] = "memcpy",
                                        [DEVICE_OP_FILL] = "memset",
                                        [DEVICE_OP_HOST] = "host",
                                        [DEVICE_OP_RECORD] = "event record",
                                        [DEVICE_OP_WAIT] = "event wait",
                                        [DEVICE_OP_ALLOC] = "alloc",
                                        [DEVICE_OP_FREE] = "free",
                                        [DEVICE_OP_GRAPH] = "graph",
                                        [DEVICE_OP_CONDITIONAL] = "conditional"};
    size_t n = device_graph_nodes(GRAPH(graph), &list);
    fprintf(f, "digraph {\n");
    for (size_t k = 0; k < n; k++) {
        const struct device_op *op = device_node_op(list[k]);
        fprintf(f, "  \"%p\" [label=\"%s%s%s\"];\n", (void *)list[k], names[op->kind],
                op->kind == DEVICE_OP_LAUNCH ? " " : "",
                op->kind == DEVICE_OP_LAUNCH ? device_function_ptx(op->launch.function)->name : "");
        for (size_t j = device_node_after(list[k], &after); j-- > 0;)
            fprintf(f, "  \"%p\" -> \"%p\";\n", (void *)after[j], (void *)list[k]);
    }
    fprintf(f, "}\n");
    return fclose(f) == 0 ? (int)cudaSuccess : rt_fail(cudaErrorOperatingSystem, "%s: %m", path);
}

cudaError_t
cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    (void)flags;
    RT(print_dot(graph, path), "graph=%p path=%s", (void *)graph, path ? path : "NULL");
}

/* -- user objects ------------------------------------------------------------------------------ */

struct CUuserObject_st {
    unsigned count;
    cudaHostFn_t destroy;
    void *data;
};
struct retained {
    cudaGraph_t graph;
    cudaUserObject_t object;
    unsigned count;
    struct retained *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct retained *kept;

static void
let_go(cudaUserObject_t o, unsigned count)
{
    if (__atomic_sub_fetch(&o->count, count, __ATOMIC_SEQ_CST) == 0) {
        o->destroy(o->data);
        ls_release(o);
    }
}

cudaError_t
cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy, unsigned int count,
                     unsigned int flags)
{
    (void)flags;
    int r =
        out && destroy && count ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "count %u", count);
    if (r == cudaSuccess) {
        *out = ls_alloc(sizeof **out);
        **out = (struct CUuserObject_st){count, destroy, data};
    }
    RT(r, "count=%u", count);
}

cudaError_t
cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    if (object)
        __atomic_add_fetch(&object->count, count, __ATOMIC_SEQ_CST);
    RT(object ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "object is NULL"), "count=%u", count);
}

cudaError_t
cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    if (object)
        let_go(object, count);
    RT(object ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "object is NULL"), "count=%u", count);
}

cudaError_t
cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                          unsigned int flags)
{
    int r = object ? graph_check(graph) : rt_fail(cudaErrorInvalidValue, "object is NULL");
    if (r == cudaSuccess) {
        if (!(flags & 1)) /* cudaGraphUserObjectMove: the caller's references become the graph's */
            __atomic_add_fetch(&object->count, count, __ATOMIC_SEQ_CST);
        struct retained *k = ls_alloc(sizeof *k);
        *k = (struct retained){graph, object, count, NULL};
        pthread_mutex_lock(&lock);
        k->next = kept;
        kept = k;
        pthread_mutex_unlock(&lock);
    }
    RT(r, "graph=%p count=%u", (void *)graph, count);
}

/* Takes the graph's records out, of one object or (NULL) of all, and lets them go. */
static bool
release_kept(cudaGraph_t graph, cudaUserObject_t object)
{
    struct retained *out = NULL;
    pthread_mutex_lock(&lock);
    for (struct retained **at = &kept; *at;) {
        struct retained *k = *at;
        if (k->graph != graph || (object && k->object != object)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        k->next = out;
        out = k;
    }
    pthread_mutex_unlock(&lock);
    bool any = out != NULL;
    for (struct retained *k = out, *next; k; k = next) {
        next = k->next;
        let_go(k->object, k->count);
        ls_release(k);
    }
    return any;
}

cudaError_t
cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    RT(object && release_kept(graph, object)
           ? (int)cudaSuccess
           : rt_fail(cudaErrorInvalidValue, "the graph does not hold it"),
       "graph=%p count=%u", (void *)graph, count);
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    int r = (int)device_graph_free(GRAPH(graph));
    if (r == cudaSuccess)
        release_kept(graph, NULL);
    RT(r, "graph=%p", (void *)graph);
}
