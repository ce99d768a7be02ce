/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: the graph calls: nodes from the API's parameter structures and back.
 */
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 1024 };

#define GRAPH(g) ((struct device_graph *)(g))
#define NODE(n) ((struct device_node *)(n))
#define EXEC(x) ((struct device_exec *)(x))

static int
check_graph(cudaGraph_t g)
{
    return device_graph_is(GRAPH(g)) ? (int)cudaSuccess
                                     : rt_fail(cudaErrorInvalidValue, "%p is no graph", (void *)g);
}

static int
check_node(cudaGraphNode_t n)
{
    return device_node_is(NODE(n)) ? (int)cudaSuccess
                                   : rt_fail(cudaErrorInvalidValue, "%p is no node", (void *)n);
}

/* The operation of a node of this kind. */
static int
node_op(cudaGraphNode_t n, enum device_op_kind kind, struct device_op **out)
{
    int r = check_node(n);
    if (r != cudaSuccess)
        return r;
    *out = device_node_op(NODE(n));
    return (*out)->kind == kind ? (int)cudaSuccess
                                : rt_fail(cudaErrorInvalidValue, "the node is of another kind");
}

static int
exec_op(cudaGraphExec_t x, cudaGraphNode_t n, enum device_op_kind kind, struct device_op **out)
{
    if (!device_exec_is(EXEC(x)))
        return rt_fail(cudaErrorInvalidValue, "%p is no executable graph", (void *)x);
    *out = device_exec_op(EXEC(x), NODE(n));
    return *out && (*out)->kind == kind
               ? (int)cudaSuccess
               : rt_fail(cudaErrorInvalidValue, "the graph has no such node of this kind");
}

/* Puts an operation in the place of another; both keep nothing of the caller's. */
static int
replace(struct device_op *to, const struct device_op *with)
{
    int r = (int)device_op_check(with);
    if (r != cudaSuccess)
        return r;
    device_op_fini(to);
    device_op_copy(to, with);
    return cudaSuccess;
}

static int
add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *after, size_t n,
    const struct device_op *op)
{
    int r = out ? check_graph(g) : rt_fail(cudaErrorInvalidValue, "the place for the node is NULL");
    if (r == cudaSuccess && n && !after)
        r = rt_fail(cudaErrorInvalidValue, "the list of dependencies is NULL");
    if (r == cudaSuccess)
        r = (int)device_op_check(op);
    if (r != cudaSuccess)
        return r;
    struct device_node *node = device_graph_add(GRAPH(g), op, (struct device_node *const *)after, n);
    *out = (cudaGraphNode_t)node;
    return node ? cudaSuccess : cudaErrorInvalidValue;
}

#define ADD "graph=%p dependencies=%zu", (void *)graph, n

/* -- graphs ------------------------------------------------------------------------------------------ */

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
    int r = clone ? check_graph(graph) : rt_fail(cudaErrorInvalidValue, "clone is NULL");
    if (r == cudaSuccess)
        *clone = (cudaGraph_t)device_graph_clone(GRAPH(graph));
    RT(r, "graph=%p", (void *)graph);
}

cudaError_t
cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone)
{
    int r = node ? check_graph(clone) : rt_fail(cudaErrorInvalidValue, "node is NULL");
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
    int r = check_graph(graph);
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
    int r = check_graph(graph);
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
    int r = n ? check_graph(graph) : rt_fail(cudaErrorInvalidValue, "the count is NULL");
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
    int r = check_node(node);
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
    int r = check_node(node);
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
link_all(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n, bool join)
{
    int r = !n || (from && to) ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "a list is NULL");
    for (size_t k = 0; r == cudaSuccess && k < n; k++)
        r = join ? (int)device_node_link(NODE(from[k]), NODE(to[k]))
                 : (int)device_node_unlink(NODE(from[k]), NODE(to[k]));
    return r;
}

cudaError_t
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         size_t n)
{
    RT(link_all(from, to, n, true), ADD);
}

cudaError_t
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                            size_t n)
{
    RT(link_all(from, to, n, false), ADD);
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
        [DEVICE_OP_EMPTY] = cudaGraphNodeTypeEmpty,   [DEVICE_OP_LAUNCH] = cudaGraphNodeTypeKernel,
        [DEVICE_OP_COPY] = cudaGraphNodeTypeMemcpy,   [DEVICE_OP_FILL] = cudaGraphNodeTypeMemset,
        [DEVICE_OP_HOST] = cudaGraphNodeTypeHost,     [DEVICE_OP_RECORD] = cudaGraphNodeTypeEventRecord,
        [DEVICE_OP_WAIT] = cudaGraphNodeTypeWaitEvent, [DEVICE_OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
        [DEVICE_OP_FREE] = cudaGraphNodeTypeMemFree,  [DEVICE_OP_GRAPH] = cudaGraphNodeTypeGraph,
        [DEVICE_OP_CONDITIONAL] = cudaGraphNodeTypeConditional,
    };
    int r = type ? check_node(node) : rt_fail(cudaErrorInvalidValue, "type is NULL");
    if (r == cudaSuccess)
        *type = types[device_node_op(NODE(node))->kind];
    RT(r, "node=%p", (void *)node);
}

/* -- kernel nodes ------------------------------------------------------------------------------------------- */

static int
kernel_op(const struct cudaKernelNodeParams *p, struct device_op *op)
{
    struct device_function *f;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the parameters are NULL");
    int r = rt_function(p->func, &f);
    if (r != cudaSuccess)
        return r;
    *op = (struct device_op){.kind = DEVICE_OP_LAUNCH,
                             .launch = {.function = f,
                                        .grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                        .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                        .dynamic_shared = p->sharedMemBytes}};
    return (int)device_params(f, p->kernelParams, &op->launch.params);
}

static int
add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
           const struct cudaKernelNodeParams *params)
{
    struct device_op op;
    int r = kernel_op(params, &op);
    if (r != cudaSuccess)
        return r;
    r = add(node, graph, after, n, &op);
    device_op_fini(&op);
    return r;
}

cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                       const struct cudaKernelNodeParams *params)
{
    RT(add_kernel(node, graph, after, n, params), ADD);
}

/* The pointers lead into the node's parameter block; the list itself is this thread's. */
cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    static _Thread_local void *list[MOST_PARAMETERS];
    struct device_op *op;
    int r = p ? node_op(node, DEVICE_OP_LAUNCH, &op) : rt_fail(cudaErrorInvalidValue, "params is NULL");
    if (r == cudaSuccess) {
        const struct device_launch *l = &op->launch;
        const struct ptx_func *f = device_function_ptx(l->function);
        for (uint32_t k = 0; k < f->param_count && k < MOST_PARAMETERS; k++)
            list[k] = l->params + f->params[k]->param_offset;
        *p = (struct cudaKernelNodeParams){rt_function_host(l->function),
                                           {l->grid[0], l->grid[1], l->grid[2]},
                                           {l->block[0], l->block[1], l->block[2]},
                                           (unsigned)l->dynamic_shared,
                                           list,
                                           NULL};
    }
    RT(r, "node=%p", (void *)node);
}

static int
set_kernel(struct device_op *to, const struct cudaKernelNodeParams *params)
{
    struct device_op op;
    int r = kernel_op(params, &op);
    if (r != cudaSuccess)
        return r;
    op.launch.cooperative = to->launch.cooperative;
    r = replace(to, &op);
    device_op_fini(&op);
    return r;
}

cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    struct device_op *op;
    int r = node_op(node, DEVICE_OP_LAUNCH, &op);
    RT(r == cudaSuccess ? set_kernel(op, params) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *params)
{
    struct device_op *op;
    int r = exec_op(exec, node, DEVICE_OP_LAUNCH, &op);
    RT(r == cudaSuccess ? set_kernel(op, params) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                const cudaLaunchAttributeValue *value)
{
    struct device_op *op;
    int r = value ? node_op(node, DEVICE_OP_LAUNCH, &op) : rt_fail(cudaErrorInvalidValue, "no value");
    if (r == cudaSuccess && attr == cudaLaunchAttributeCooperative)
        op->launch.cooperative = value->cooperative != 0;
    RT(r, "node=%p attr=%d", (void *)node, (int)attr);
}

cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                cudaLaunchAttributeValue *value)
{
    struct device_op *op;
    int r = value ? node_op(node, DEVICE_OP_LAUNCH, &op) : rt_fail(cudaErrorInvalidValue, "no value");
    if (r == cudaSuccess) {
        memset(value, 0, sizeof *value);
        if (attr == cudaLaunchAttributeCooperative)
            value->cooperative = op->launch.cooperative;
    }
    RT(r, "node=%p attr=%d", (void *)node, (int)attr);
}

/* -- copies --------------------------------------------------------------------------------------------------- */

static int
copy_op(const struct cudaMemcpy3DParms *p, struct device_op *op)
{
    *op = (struct device_op){.kind = DEVICE_OP_COPY};
    return rt_copy_of(p, &op->copy);
}

static struct device_op
linear_op(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    return (struct device_op){.kind = DEVICE_OP_COPY,
                              .copy = {.to = {.at = dst, .pitch = n, .rows = 1},
                                       .from = {.at = (uint8_t *)(uintptr_t)src, .pitch = n, .rows = 1},
                                       .width = n,
                                       .height = 1,
                                       .depth = 1,
                                       .direction = (enum device_direction)kind}};
}

cudaError_t
cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                       const struct cudaMemcpy3DParms *params)
{
    struct device_op op;
    int r = copy_op(params, &op);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                         size_t n, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    struct device_op op = linear_op(dst, src, count, kind);
    RT(add(node, graph, after, n, &op), ADD);
}

cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                               size_t n, const void *symbol, const void *src, size_t count,
                               size_t offset, enum cudaMemcpyKind kind)
{
    void *at = NULL;
    int r = rt_symbol(symbol, offset, count, &at);
    struct device_op op = linear_op(at, src, count, kind);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t n, void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    void *at = NULL;
    int r = rt_symbol(symbol, offset, count, &at);
    struct device_op op = linear_op(dst, at, count, kind);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    struct device_op *op;
    int r = params ? node_op(node, DEVICE_OP_COPY, &op) : rt_fail(cudaErrorInvalidValue, "no params");
    if (r == cudaSuccess)
        rt_copy_params(&op->copy, params);
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    struct device_op *to, op;
    int r = node_op(node, DEVICE_OP_COPY, &to);
    if (r == cudaSuccess)
        r = copy_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                               enum cudaMemcpyKind kind)
{
    struct device_op *to, op = linear_op(dst, src, count, kind);
    int r = node_op(node, DEVICE_OP_COPY, &to);
    RT(r == cudaSuccess ? replace(to, &op) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaMemcpy3DParms *params)
{
    struct device_op *to, op;
    int r = exec_op(exec, node, DEVICE_OP_COPY, &to);
    if (r == cudaSuccess)
        r = copy_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

cudaError_t
cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                   const void *src, size_t count, enum cudaMemcpyKind kind)
{
    struct device_op *to, op = linear_op(dst, src, count, kind);
    int r = exec_op(exec, node, DEVICE_OP_COPY, &to);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

/* -- fills ------------------------------------------------------------------------------------------------------ */

static int
fill_op(const struct cudaMemsetParams *p, struct device_op *op)
{
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the parameters are NULL");
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return rt_fail(cudaErrorInvalidValue, "elements of %u bytes: 1, 2 or 4", p->elementSize);
    *op = (struct device_op){.kind = DEVICE_OP_FILL,
                             .fill = {.at = p->dst,
                                      .pitch = p->height > 1 ? p->pitch : p->width * p->elementSize,
                                      .rows = p->height,
                                      .width = p->width,
                                      .height = p->height,
                                      .depth = 1,
                                      .value = p->value,
                                      .unit = p->elementSize}};
    return cudaSuccess;
}

cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                       const struct cudaMemsetParams *params)
{
    struct device_op op;
    int r = fill_op(params, &op);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    struct device_op *op;
    int r = p ? node_op(node, DEVICE_OP_FILL, &op) : rt_fail(cudaErrorInvalidValue, "no params");
    if (r == cudaSuccess)
        *p = (struct cudaMemsetParams){op->fill.at,   op->fill.pitch, op->fill.value,
                                       op->fill.unit, op->fill.width, op->fill.height};
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    struct device_op *to, op;
    int r = node_op(node, DEVICE_OP_FILL, &to);
    if (r == cudaSuccess)
        r = fill_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const struct cudaMemsetParams *params)
{
    struct device_op *to, op;
    int r = exec_op(exec, node, DEVICE_OP_FILL, &to);
    if (r == cudaSuccess)
        r = fill_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

/* -- host functions, children, events, memory, nothing ----------------------------------------------------------- */

static int
host_op(const struct cudaHostNodeParams *p, struct device_op *op)
{
    if (!p || !p->fn)
        return rt_fail(cudaErrorInvalidValue, "the function is NULL");
    *op = (struct device_op){.kind = DEVICE_OP_HOST, .host = {p->fn, p->userData}};
    return cudaSuccess;
}

cudaError_t
cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                     const struct cudaHostNodeParams *params)
{
    struct device_op op;
    int r = host_op(params, &op);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    struct device_op *op;
    int r = p ? node_op(node, DEVICE_OP_HOST, &op) : rt_fail(cudaErrorInvalidValue, "no params");
    if (r == cudaSuccess)
        *p = (struct cudaHostNodeParams){op->host.f, op->host.data};
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    struct device_op *to, op;
    int r = node_op(node, DEVICE_OP_HOST, &to);
    if (r == cudaSuccess)
        r = host_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                               const struct cudaHostNodeParams *params)
{
    struct device_op *to, op;
    int r = exec_op(exec, node, DEVICE_OP_HOST, &to);
    if (r == cudaSuccess)
        r = host_op(params, &op);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t n, cudaGraph_t child)
{
    struct device_op op = {.kind = DEVICE_OP_GRAPH, .graph = GRAPH(child)};
    int r = check_graph(child);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    struct device_op *op;
    int r = graph ? node_op(node, DEVICE_OP_GRAPH, &op) : rt_fail(cudaErrorInvalidValue, "graph is NULL");
    if (r == cudaSuccess)
        *graph = (cudaGraph_t)op->graph;
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    struct device_op *to, op = {.kind = DEVICE_OP_GRAPH, .graph = GRAPH(child)};
    int r = check_graph(child);
    if (r == cudaSuccess)
        r = exec_op(exec, node, DEVICE_OP_GRAPH, &to);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n)
{
    struct device_op op = {.kind = DEVICE_OP_EMPTY};
    RT(add(node, graph, after, n, &op), ADD);
}

static int
add_event(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
          cudaEvent_t event, enum device_op_kind kind)
{
    struct device_op op = {.kind = kind};
    int r = rt_event(event, &op.event);
    return r == cudaSuccess ? add(node, graph, after, n, &op) : r;
}

cudaError_t
cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t n, cudaEvent_t event)
{
    RT(add_event(node, graph, after, n, event, DEVICE_OP_RECORD), ADD);
}

cudaError_t
cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                          size_t n, cudaEvent_t event)
{
    RT(add_event(node, graph, after, n, event, DEVICE_OP_WAIT), ADD);
}

static int
add_alloc(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n, size_t size,
          void **out)
{
    struct device *d;
    struct device_op op = {.kind = DEVICE_OP_ALLOC, .storage = {.size = size}};
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = (int)device_graph_alloc(d, size, &op.storage.address);
    if (r == cudaSuccess)
        r = add(node, graph, after, n, &op);
    if (r == cudaSuccess)
        *out = (void *)op.storage.address;
    return r;
}

cudaError_t
cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                         size_t n, struct cudaMemAllocNodeParams *p)
{
    RT(p ? add_alloc(node, graph, after, n, p->bytesize, &p->dptr)
         : rt_fail(cudaErrorInvalidValue, "params is NULL"),
       ADD);
}

cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    struct device_op *op;
    int r = p ? node_op(node, DEVICE_OP_ALLOC, &op) : rt_fail(cudaErrorInvalidValue, "no params");
    if (r == cudaSuccess)
        *p = (struct cudaMemAllocNodeParams){.bytesize = op->storage.size,
                                             .dptr = (void *)op->storage.address};
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                        void *p)
{
    struct device_op op = {.kind = DEVICE_OP_FREE, .storage = {.address = (uint64_t)p}};
    RT(add(node, graph, after, n, &op), ADD);
}

cudaError_t
cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out)
{
    struct device_op *op;
    int r = out ? node_op(node, DEVICE_OP_FREE, &op) : rt_fail(cudaErrorInvalidValue, "no place");
    if (r == cudaSuccess)
        memcpy(out, &op->storage.address, sizeof(void *));
    RT(r, "node=%p", (void *)node);
}

/* -- conditional nodes ------------------------------------------------------------------------------------------------ */

/* if has one body, or a second for "else"; while has one. */
static int
add_conditional(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                struct cudaConditionalNodeParams *p)
{
    static const unsigned most[] = {2, 1, 1u << 16};
    struct device_op op = {.kind = DEVICE_OP_CONDITIONAL,
                           .conditional = {.value = p->handle,
                                           .kind = (enum device_conditional_kind)p->type,
                                           .count = p->size}};
    if (!device_condition_is(p->handle))
        return rt_fail(cudaErrorInvalidValue, "0x%llx is no handle of a condition", p->handle);
    if ((unsigned)p->type >= sizeof most / sizeof *most || !p->size || p->size > most[p->type])
        return rt_fail(cudaErrorInvalidValue, "a condition of type %d with %u bodies", (int)p->type,
                       p->size);
    int r = add(node, graph, after, n, &op);
    if (r == cudaSuccess)
        p->phGraph_out = (cudaGraph_t *)device_node_op(NODE(*node))->conditional.body;
    return r;
}

static int
new_condition(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned value, unsigned flags)
{
    struct device *d;
    uint64_t address = 0;
    int r = handle && !(flags & ~(unsigned)cudaGraphCondAssignDefault)
                ? check_graph(graph)
                : rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (r == cudaSuccess)
        r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = (int)device_condition_new(d, GRAPH(graph), value, flags != 0, &address);
    if (r == cudaSuccess)
        *handle = address;
    return r;
}

cudaError_t
cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                 unsigned int value, unsigned int flags)
{
    RT(new_condition(handle, graph, value, flags), "graph=%p value=%u flags=%u", (void *)graph, value,
       flags);
}

/* -- nodes of any kind --------------------------------------------------------------------------------------------- */

static int
add_any(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
        struct cudaGraphNodeParams *p)
{
    struct device_op op = {.kind = DEVICE_OP_EMPTY};
    int r = cudaSuccess;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "nodeParams is NULL");
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return add_kernel(node, graph, after, n, (const struct cudaKernelNodeParams *)&p->kernel);
    case cudaGraphNodeTypeMemAlloc: return add_alloc(node, graph, after, n, p->alloc.bytesize, &p->alloc.dptr);
    case cudaGraphNodeTypeMemcpy: r = copy_op(&p->memcpy.copyParams, &op); break;
    case cudaGraphNodeTypeMemset: r = fill_op((const struct cudaMemsetParams *)&p->memset, &op); break;
    case cudaGraphNodeTypeHost: r = host_op((const struct cudaHostNodeParams *)&p->host, &op); break;
    case cudaGraphNodeTypeGraph:
        op = (struct device_op){.kind = DEVICE_OP_GRAPH, .graph = GRAPH(p->graph.graph)};
        r = check_graph(p->graph.graph);
        break;
    case cudaGraphNodeTypeEmpty: break;
    case cudaGraphNodeTypeWaitEvent:
        return add_event(node, graph, after, n, p->eventWait.event, DEVICE_OP_WAIT);
    case cudaGraphNodeTypeEventRecord:
        return add_event(node, graph, after, n, p->eventRecord.event, DEVICE_OP_RECORD);
    case cudaGraphNodeTypeMemFree:
        op = (struct device_op){.kind = DEVICE_OP_FREE, .storage = {.address = (uint64_t)p->free.dptr}};
        break;
    case cudaGraphNodeTypeConditional: return add_conditional(node, graph, after, n, &p->conditional);
    default: return rt_refuse("nodes of this type");
    }
    return r == cudaSuccess ? add(node, graph, after, n, &op) : r;
}

cudaError_t
cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
                 struct cudaGraphNodeParams *params)
{
    RT(add_any(node, graph, after, n, params), ADD);
}

static int
set_any(struct device_op *to, const struct cudaGraphNodeParams *p)
{
    struct device_op op;
    int r;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return set_kernel(to, (const struct cudaKernelNodeParams *)&p->kernel);
    case cudaGraphNodeTypeMemcpy: r = copy_op(&p->memcpy.copyParams, &op); break;
    case cudaGraphNodeTypeMemset: r = fill_op((const struct cudaMemsetParams *)&p->memset, &op); break;
    case cudaGraphNodeTypeHost: r = host_op((const struct cudaHostNodeParams *)&p->host, &op); break;
    default: return rt_refuse("nodes of this type");
    }
    if (r == cudaSuccess && to->kind != op.kind)
        r = rt_fail(cudaErrorInvalidValue, "the node is of another kind");
    return r == cudaSuccess ? replace(to, &op) : r;
}

cudaError_t
cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    int r = params ? check_node(node) : rt_fail(cudaErrorInvalidValue, "nodeParams is NULL");
    RT(r == cudaSuccess ? set_any(device_node_op(NODE(node)), params) : r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                           struct cudaGraphNodeParams *params)
{
    struct device_op *op = NULL;
    int r = cudaSuccess;
    if (!params || !device_exec_is(EXEC(exec)) || !(op = device_exec_op(EXEC(exec), NODE(node))))
        r = rt_fail(cudaErrorInvalidValue, "no such node");
    RT(r == cudaSuccess ? set_any(op, params) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

/* -- instantiated graphs ---------------------------------------------------------------------------------------------- */

static int
instantiate(cudaGraphExec_t *exec, cudaGraph_t graph)
{
    int r = exec ? check_graph(graph) : rt_fail(cudaErrorInvalidValue, "graphExec is NULL");
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
        params->result_out = r == cudaSuccess ? cudaGraphInstantiateSuccess
                                              : cudaGraphInstantiateInvalidStructure;
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
    int r = device_exec_is(EXEC(exec)) ? check_graph(graph) : (int)cudaErrorInvalidValue;
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
    bool *on = enabled && device_exec_is(EXEC(exec)) ? device_exec_enabled(EXEC(exec), NODE(node)) : NULL;
    if (on)
        *enabled = *on;
    RT(on ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "no such node"), "graphExec=%p node=%p",
       (void *)exec, (void *)node);
}

static int
print_dot(cudaGraph_t graph, const char *path)
{
    struct device_node *const *list, *const *after;
    int r = path ? check_graph(graph) : rt_fail(cudaErrorInvalidValue, "path is NULL");
    FILE *f = r == cudaSuccess ? fopen(path, "w") : NULL;
    if (!f)
        return r != cudaSuccess ? r : rt_fail(cudaErrorOperatingSystem, "%s: %m", path);
    static const char *const names[] = {"empty", "kernel", "memcpy", "memset", "host",
                                        "event record", "event wait", "alloc", "free", "graph"};
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

/* -- user objects ------------------------------------------------------------------------------------------------------- */

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
    int r = out && destroy && count ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "count %u", count);
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
    int r = object ? check_graph(graph) : rt_fail(cudaErrorInvalidValue, "object is NULL");
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
    RT(object && release_kept(graph, object) ? (int)cudaSuccess
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
