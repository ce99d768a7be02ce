/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_nodes.c: nodes of graphs, from the API's parameter structures and back.
 */
#include "cudart/graph.h"

#include <string.h>

enum { MOST_PARAMETERS = 1024 };

/* The operation of a node of this kind. */
static int
node_op(cudaGraphNode_t n, enum device_op_kind kind, struct device_op **out)
{
    int r = graph_node(n);
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
    int r = out ? graph_check(g) : rt_fail(cudaErrorInvalidValue, "the place for the node is NULL");
    if (r == cudaSuccess && n && !after)
        r = rt_fail(cudaErrorInvalidValue, "the list of dependencies is NULL");
    if (r == cudaSuccess)
        r = (int)device_op_check(op);
    if (r != cudaSuccess)
        return r;
    struct device_node *node =
        device_graph_add(GRAPH(g), op, (struct device_node *const *)after, n);
    *out = (cudaGraphNode_t)node;
    return node ? cudaSuccess : cudaErrorInvalidValue;
}

#define ADD "graph=%p dependencies=%zu", (void *)graph, n

/* -- parameters of each kind ------------------------------------------------------------------- */

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

/* The pointers lead into the node's parameter block; the list itself is this thread's. */
static void
kernel_params(const struct device_op *op, struct cudaKernelNodeParams *p)
{
    static _Thread_local void *list[MOST_PARAMETERS];
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

static int
copy_op(const struct cudaMemcpy3DParms *p, struct device_op *op)
{
    *op = (struct device_op){.kind = DEVICE_OP_COPY};
    return rt_copy_of(p, &op->copy);
}

static void
copy_params(const struct device_op *op, struct cudaMemcpy3DParms *p)
{
    rt_copy_params(&op->copy, p);
}

static int
fill_op(const struct cudaMemsetParams *p, struct device_op *op)
{
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the parameters are NULL");
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return rt_fail(cudaErrorInvalidValue, "elements of %u bytes: 1, 2 or 4", p->elementSize);
    *op = device_fill_op(p->dst, p->pitch, p->width, p->height, p->value, p->elementSize);
    return cudaSuccess;
}

static void
fill_params(const struct device_op *op, struct cudaMemsetParams *p)
{
    *p = (struct cudaMemsetParams){op->fill.at,   op->fill.pitch, op->fill.value,
                                   op->fill.unit, op->fill.width, op->fill.height};
}

static int
host_op(const struct cudaHostNodeParams *p, struct device_op *op)
{
    if (!p || !p->fn)
        return rt_fail(cudaErrorInvalidValue, "the function is NULL");
    *op = (struct device_op){.kind = DEVICE_OP_HOST, .host = {p->fn, p->userData}};
    return cudaSuccess;
}

static void
host_params(const struct device_op *op, struct cudaHostNodeParams *p)
{
    *p = (struct cudaHostNodeParams){op->host.f, op->host.data};
}

/* -- the kinds with a structure of parameters -------------------------------------------------- */

/* made: op was made from the caller's parameters, or the error. Takes it. */
static int
add_made(int made, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
         struct device_op *op)
{
    if (made != cudaSuccess)
        return made;
    int r = add(node, graph, after, n, op);
    if (op->kind == DEVICE_OP_LAUNCH) /* its parameters are a copy; a child graph is the caller's */
        device_op_fini(op);
    return r;
}

/* The same in the place of another of its kind. Only SetAttribute changes whether a launch is
 * cooperative, and its clusters. */
static int
set_made(int made, struct device_op *to, struct device_op *op)
{
    if (made != cudaSuccess)
        return made;
    if (to->kind == DEVICE_OP_LAUNCH && op->kind == DEVICE_OP_LAUNCH) {
        op->launch.cooperative = to->launch.cooperative;
        memcpy(op->launch.cluster, to->launch.cluster, sizeof op->launch.cluster);
    }
    int r = to->kind == op->kind ? replace(to, op)
                                 : rt_fail(cudaErrorInvalidValue, "the node is of another kind");
    device_op_fini(op);
    return r;
}

/* clang-format off */
#define PARAMS(name, of_kind, type, from, show)                                                    \
    cudaError_t                                                                                    \
    cudaGraphAdd##name##Node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, \
                             size_t n, const struct type *params)                                  \
    {                                                                                              \
        struct device_op op;                                                                       \
        int made = from(params, &op);                                                              \
        RT(add_made(made, node, graph, after, n, &op), ADD);                                       \
    }                                                                                              \
    cudaError_t                                                                                    \
    cudaGraph##name##NodeGetParams(cudaGraphNode_t node, struct type *params)                      \
    {                                                                                              \
        struct device_op *op;                                                                      \
        int r = params ? node_op(node, of_kind, &op)                                               \
                       : rt_fail(cudaErrorInvalidValue, "params is NULL");                         \
        if (r == cudaSuccess)                                                                      \
            show(op, params);                                                                      \
        RT(r, "node=%p", (void *)node);                                                            \
    }                                                                                              \
    cudaError_t                                                                                    \
    cudaGraph##name##NodeSetParams(cudaGraphNode_t node, const struct type *params)                \
    {                                                                                              \
        struct device_op *to, op;                                                                  \
        int r = node_op(node, of_kind, &to);                                                       \
        RT(r == cudaSuccess ? set_made(from(params, &op), to, &op) : r, "node=%p", (void *)node);  \
    }                                                                                              \
    cudaError_t                                                                                    \
    cudaGraphExec##name##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,                 \
                                       const struct type *params)                                  \
    {                                                                                              \
        struct device_op *to, op;                                                                  \
        int r = exec_op(exec, node, of_kind, &to);                                                 \
        RT(r == cudaSuccess ? set_made(from(params, &op), to, &op) : r, "graphExec=%p node=%p",    \
           (void *)exec, (void *)node);                                                            \
    }
#include "cudart/graph_params.def"
#undef PARAMS
/* clang-format on */

/* -- kernel nodes ------------------------------------------------------------------------------ */

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                const cudaLaunchAttributeValue *value)
{
    struct device_op *op;
    int r =
        value ? node_op(node, DEVICE_OP_LAUNCH, &op) : rt_fail(cudaErrorInvalidValue, "no value");
    if (r == cudaSuccess && attr == cudaLaunchAttributeCooperative)
        op->launch.cooperative = value->cooperative != 0;
    if (r == cudaSuccess && attr == cudaLaunchAttributeClusterDimension)
        memcpy(op->launch.cluster,
               (uint32_t[]){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z},
               sizeof op->launch.cluster);
    RT(r, "node=%p attr=%d", (void *)node, (int)attr);
}

cudaError_t
cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attr,
                                cudaLaunchAttributeValue *value)
{
    struct device_op *op;
    int r =
        value ? node_op(node, DEVICE_OP_LAUNCH, &op) : rt_fail(cudaErrorInvalidValue, "no value");
    if (r == cudaSuccess) {
        memset(value, 0, sizeof *value);
        if (attr == cudaLaunchAttributeCooperative)
            value->cooperative = op->launch.cooperative;
        if (attr == cudaLaunchAttributeClusterDimension) {
            value->clusterDim.x = op->launch.cluster[0];
            value->clusterDim.y = op->launch.cluster[1];
            value->clusterDim.z = op->launch.cluster[2];
        }
    }
    RT(r, "node=%p attr=%d", (void *)node, (int)attr);
}

/* -- copies ------------------------------------------------------------------------------------ */

static struct device_op
linear_op(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    return (struct device_op){
        .kind = DEVICE_OP_COPY,
        .copy = {.to = {.at = dst, .pitch = n, .rows = 1},
                 .from = {.at = (uint8_t *)(uintptr_t)src, .pitch = n, .rows = 1},
                 .width = n,
                 .height = 1,
                 .depth = 1,
                 .direction = (enum device_direction)kind}};
}

cudaError_t
cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                         size_t n, void *dst, const void *src, size_t count,
                         enum cudaMemcpyKind kind)
{
    struct device_op op = linear_op(dst, src, count, kind);
    RT(add(node, graph, after, n, &op), ADD);
}

cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *after, size_t n, const void *symbol,
                               const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *at = NULL;
    int r = rt_symbol(symbol, offset, count, &at);
    struct device_op op = linear_op(at, src, count, kind);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t n, void *dst,
                                 const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    void *at = NULL;
    int r = rt_symbol(symbol, offset, count, &at);
    struct device_op op = linear_op(dst, at, count, kind);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
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
cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                   const void *src, size_t count, enum cudaMemcpyKind kind)
{
    struct device_op *to, op = linear_op(dst, src, count, kind);
    int r = exec_op(exec, node, DEVICE_OP_COPY, &to);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

/* -- children, events, memory, nothing --------------------------------------------------------- */

cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t n, cudaGraph_t child)
{
    struct device_op op = {.kind = DEVICE_OP_GRAPH, .graph = GRAPH(child)};
    int r = graph_check(child);
    RT(r == cudaSuccess ? add(node, graph, after, n, &op) : r, ADD);
}

cudaError_t
cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    struct device_op *op;
    int r = graph ? node_op(node, DEVICE_OP_GRAPH, &op)
                  : rt_fail(cudaErrorInvalidValue, "graph is NULL");
    if (r == cudaSuccess)
        *graph = (cudaGraph_t)op->graph;
    RT(r, "node=%p", (void *)node);
}

cudaError_t
cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)
{
    struct device_op *to, op = {.kind = DEVICE_OP_GRAPH, .graph = GRAPH(child)};
    int r = graph_check(child);
    if (r == cudaSuccess)
        r = exec_op(exec, node, DEVICE_OP_GRAPH, &to);
    RT(r == cudaSuccess ? replace(to, &op) : r, "graphExec=%p node=%p", (void *)exec, (void *)node);
}

cudaError_t
cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                      size_t n)
{
    struct device_op op = {.kind = DEVICE_OP_EMPTY};
    RT(add(node, graph, after, n, &op), ADD);
}

static int
add_event(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
          cudaEvent_t event, enum device_op_kind kind)
{
    struct device_op op = {.kind = kind};
    int r = (int)device_event_of(event, &op.event);
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
add_alloc(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
          size_t size, void **out)
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
cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                        size_t n, void *p)
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

/* -- conditional nodes ------------------------------------------------------------------------- */

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
                ? graph_check(graph)
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
    RT(new_condition(handle, graph, value, flags), "graph=%p value=%u flags=%u", (void *)graph,
       value, flags);
}

/* -- nodes of any kind ------------------------------------------------------------------------- */

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
        r = kernel_op((const struct cudaKernelNodeParams *)&p->kernel, &op);
        break;
    case cudaGraphNodeTypeMemAlloc:
        return add_alloc(node, graph, after, n, p->alloc.bytesize, &p->alloc.dptr);
    case cudaGraphNodeTypeMemcpy: r = copy_op(&p->memcpy.copyParams, &op); break;
    case cudaGraphNodeTypeMemset:
        r = fill_op((const struct cudaMemsetParams *)&p->memset, &op);
        break;
    case cudaGraphNodeTypeHost:
        r = host_op((const struct cudaHostNodeParams *)&p->host, &op);
        break;
    case cudaGraphNodeTypeGraph:
        op = (struct device_op){.kind = DEVICE_OP_GRAPH, .graph = GRAPH(p->graph.graph)};
        r = graph_check(p->graph.graph);
        break;
    case cudaGraphNodeTypeEmpty: break;
    case cudaGraphNodeTypeWaitEvent:
        return add_event(node, graph, after, n, p->eventWait.event, DEVICE_OP_WAIT);
    case cudaGraphNodeTypeEventRecord:
        return add_event(node, graph, after, n, p->eventRecord.event, DEVICE_OP_RECORD);
    case cudaGraphNodeTypeMemFree:
        op = (struct device_op){.kind = DEVICE_OP_FREE,
                                .storage = {.address = (uint64_t)p->free.dptr}};
        break;
    case cudaGraphNodeTypeConditional:
        return add_conditional(node, graph, after, n, &p->conditional);
    default: return rt_refuse("nodes of this type");
    }
    return add_made(r, node, graph, after, n, &op);
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
    case cudaGraphNodeTypeKernel:
        r = kernel_op((const struct cudaKernelNodeParams *)&p->kernel, &op);
        break;
    case cudaGraphNodeTypeMemcpy: r = copy_op(&p->memcpy.copyParams, &op); break;
    case cudaGraphNodeTypeMemset:
        r = fill_op((const struct cudaMemsetParams *)&p->memset, &op);
        break;
    case cudaGraphNodeTypeHost:
        r = host_op((const struct cudaHostNodeParams *)&p->host, &op);
        break;
    default: return rt_refuse("nodes of this type");
    }
    return set_made(r, to, &op);
}

cudaError_t
cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    int r = params ? graph_node(node) : rt_fail(cudaErrorInvalidValue, "nodeParams is NULL");
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
    RT(r == cudaSuccess ? set_any(op, params) : r, "graphExec=%p node=%p", (void *)exec,
       (void *)node);
}
