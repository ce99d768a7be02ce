/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.c: graphs of the driver API: made by capture or node by node, instantiated, launched, and
 * the parameters of an instantiated graph's nodes. Rarer questions about nodes are refused
 * (cuda_calls.def).
 */
#include "cuda/driver.h"

#include <string.h>

#define GRAPH(g) ((struct device_graph *)(g))
#define NODE(n) ((struct device_node *)(n))
#define EXEC(x) ((struct device_exec *)(x))

static int
need_graph(CUgraph g)
{
    return device_graph_is(GRAPH(g))
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no graph", (void *)g);
}

static int
need_node(CUgraphNode n)
{
    return device_node_is(NODE(n)) ? (int)CUDA_SUCCESS
                                   : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no node", (void *)n);
}

static int
need_exec(CUgraphExec x)
{
    return device_exec_is(EXEC(x))
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no executable graph", (void *)x);
}

/* -- operations from the API's structures; what they hold is the caller's to end --------------- */

/* The caller's parameters as a block: from pointers, or from CU_LAUNCH_PARAM_BUFFER_*. */
static int
parameters_of(const CUDA_KERNEL_NODE_PARAMS *p, struct device_function *f, uint8_t **out)
{
    uint64_t most = device_function_ptx(f)->param_bytes;
    const void *buffer = NULL;
    size_t size = 0;
    if (!p->extra)
        return (int)device_params(f, p->kernelParams, out);
    for (size_t k = 0; p->extra[k] != CU_LAUNCH_PARAM_END; k += 2)
        if (p->extra[k] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = p->extra[k + 1];
        else
            size = *(const size_t *)p->extra[k + 1];
    if (size > most || (most && !buffer))
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu bytes of parameters for %llu", size,
                       (unsigned long long)most);
    *out = ls_alloc((most + 64) & ~63ull);
    if (size)
        memcpy(*out, buffer, size);
    return CUDA_SUCCESS;
}

static int
kernel_op(const CUDA_KERNEL_NODE_PARAMS *p, struct device_op *op)
{
    if (!p)
        return cu_null("nodeParams");
    *op = (struct device_op){.kind = DEVICE_OP_LAUNCH,
                             .launch = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                        .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                        .dynamic_shared = p->sharedMemBytes}};
    int r = cu_function(p->func ? p->func : (CUfunction)p->kern, &op->launch.function);
    if (r == CUDA_SUCCESS)
        r = parameters_of(p, op->launch.function, &op->launch.params);
    return r;
}

static int
copy_op(const CUDA_MEMCPY3D *p, struct device_op *op)
{
    *op = (struct device_op){.kind = DEVICE_OP_COPY};
    return cu_copy_of(p, &op->copy);
}

static int
fill_op(const CUDA_MEMSET_NODE_PARAMS *p, struct device_op *op)
{
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "elements of 1, 2 or 4 bytes are set");
    *op = device_fill_op((void *)p->dst, p->pitch, p->width, p->height, p->value, p->elementSize);
    return CUDA_SUCCESS;
}

static int
host_op(const CUDA_HOST_NODE_PARAMS *p, struct device_op *op)
{
    if (!p || !p->fn)
        return cu_null("fn");
    *op = (struct device_op){.kind = DEVICE_OP_HOST, .host = {p->fn, p->userData}};
    return CUDA_SUCCESS;
}

/* -- making ------------------------------------------------------------------------------------ */

/* r: how making the operation went. Ends the operation when it is a kernel's. */
static int
add(int r, CUgraphNode *out, CUgraph g, const CUgraphNode *after, size_t n, struct device_op *op)
{
    if (r == CUDA_SUCCESS)
        r = out && !(n && !after) ? need_graph(g) : cu_null("phGraphNode or dependencies");
    if (r == CUDA_SUCCESS)
        r = (int)device_op_check(op);
    if (r == CUDA_SUCCESS) {
        struct device_node *node =
            device_graph_add(GRAPH(g), op, (struct device_node *const *)after, n);
        *out = (CUgraphNode)node;
        r = node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    if (op->kind == DEVICE_OP_LAUNCH)
        ls_release(op->launch.params);
    return r;
}

#define ADD "graph=%p numDependencies=%zu", (void *)graph, n
#define ADDS(make)                                                                                 \
    do {                                                                                           \
        struct device_op op = {.kind = DEVICE_OP_EMPTY};                                           \
        int r_ = (make);                                                                           \
        CU(add(r_, node, graph, after, n, &op), ADD);                                              \
    } while (0)

CUresult
cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    int r = graph && !flags ? (int)CUDA_SUCCESS
                            : cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    if (r == CUDA_SUCCESS)
        *graph = (CUgraph)device_graph_new();
    CU(r, "flags=%u", flags);
}

CUresult
cuGraphDestroy(CUgraph graph)
{
    int r = need_graph(graph);
    CU(r == CUDA_SUCCESS ? (int)device_graph_free(GRAPH(graph)) : r, "graph=%p", (void *)graph);
}

CUresult
cuGraphClone(CUgraph *clone, CUgraph graph)
{
    int r = clone ? need_graph(graph) : cu_null("phGraphClone");
    if (r == CUDA_SUCCESS)
        *clone = (CUgraph)device_graph_clone(GRAPH(graph));
    CU(r, "graph=%p", (void *)graph);
}

/* As many nodes as there is room for, NULL behind the last; without an array: how many there are.
 */
static void
list_out(struct device_node *const *list, size_t have, CUgraphNode *nodes, size_t *n)
{
    for (size_t k = 0; nodes && k < *n; k++)
        nodes[k] = k < have ? (CUgraphNode)list[k] : NULL;
    if (!nodes || *n > have)
        *n = have;
}

CUresult
cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    struct device_node *const *list;
    int r = n ? need_graph(graph) : cu_null("numNodes");
    if (r == CUDA_SUCCESS) {
        size_t have = device_graph_nodes(GRAPH(graph), &list);
        list_out(list, have, nodes, n);
    }
    CU(r, "graph=%p", (void *)graph);
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *n)
{
    struct device_node *const *list;
    int r = n ? need_node(node) : cu_null("numDependencies");
    if (r == CUDA_SUCCESS) {
        size_t have = device_node_after(NODE(node), &list);
        list_out(list, have, dependencies, n);
    }
    CU(r, "node=%p", (void *)node);
}

/* Root nodes are the nodes that depend on no other. */
CUresult
cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *n)
{
    struct device_node *const *list, *const *after;
    int r = n ? need_graph(graph) : cu_null("numRootNodes");
    if (r == CUDA_SUCCESS) {
        size_t all = device_graph_nodes(GRAPH(graph), &list), have = 0;
        for (size_t k = 0; k < all; k++) {
            if (device_node_after(list[k], &after))
                continue;
            if (nodes && have < *n)
                nodes[have] = (CUgraphNode)list[k];
            have++;
        }
        for (size_t k = have; nodes && k < *n; k++)
            nodes[k] = NULL;
        if (!nodes || *n > have)
            *n = have;
    }
    CU(r, "graph=%p", (void *)graph);
}

CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    int r = !n || (from && to) ? need_graph(graph) : cu_null("from or to");
    for (size_t k = 0; r == CUDA_SUCCESS && k < n; k++)
        r = device_node_is(NODE(from[k])) && device_node_graph(NODE(from[k])) == GRAPH(graph) &&
                    device_node_is(NODE(to[k]))
                ? (int)device_node_link(NODE(from[k]), NODE(to[k]))
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "pair %zu names no node of the graph", k);
    CU(r, ADD);
}

CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    int r = !n || (from && to) ? need_graph(graph) : cu_null("from or to");
    for (size_t k = 0; r == CUDA_SUCCESS && k < n; k++)
        r = device_node_is(NODE(from[k])) && device_node_graph(NODE(from[k])) == GRAPH(graph)
                ? (int)device_node_unlink(NODE(from[k]), NODE(to[k]))
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "pair %zu names no node of the graph", k);
    CU(r, ADD);
}

CUresult
cuGraphDestroyNode(CUgraphNode node)
{
    CU(device_node_free(NODE(node)), "node=%p", (void *)node);
}

CUresult
cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    ADDS(kernel_op(params, &op));
}

CUresult
cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                     const CUDA_MEMCPY3D *params, CUcontext ctx)
{
    (void)ctx;
    ADDS(copy_op(params, &op));
}

CUresult
cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
    (void)ctx;
    ADDS(fill_op(params, &op));
}

CUresult
cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                   const CUDA_HOST_NODE_PARAMS *params)
{
    ADDS(host_op(params, &op));
}

CUresult
cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n)
{
    ADDS(CUDA_SUCCESS);
}

CUresult
cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                         CUgraph child)
{
    struct device_op op = {.kind = DEVICE_OP_GRAPH, .graph = GRAPH(child)};
    int r = need_graph(child);
    CU(add(r, node, graph, after, n, &op), ADD);
}

/* -- running ----------------------------------------------------------------------------------- */

static int
instantiate(CUgraphExec *exec, CUgraph graph)
{
    int r = exec ? need_graph(graph) : cu_null("phGraphExec");
    return r == CUDA_SUCCESS ? (int)device_exec_new(GRAPH(graph), (struct device_exec **)exec) : r;
}

CUresult
cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CU(instantiate(exec, graph), "graph=%p flags=0x%llx", (void *)graph, flags);
}

CUresult
cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *wrong, char *log, size_t room)
{
    if (wrong)
        *wrong = NULL;
    if (log && room)
        *log = 0;
    CU(instantiate(exec, graph), "graph=%p", (void *)graph);
}

static int
set_op(int r, CUgraphExec x, CUgraphNode n, struct device_op *op)
{
    struct device_op *at = NULL;
    if (r == CUDA_SUCCESS)
        r = need_exec(x);
    if (r == CUDA_SUCCESS && (!(at = device_exec_op(EXEC(x), NODE(n))) || at->kind != op->kind))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "the graph has no such node of this kind");
    if (r == CUDA_SUCCESS)
        r = (int)device_op_check(op);
    if (r == CUDA_SUCCESS) {
        device_op_fini(at);
        device_op_copy(at, op);
    }
    if (op->kind == DEVICE_OP_LAUNCH)
        ls_release(op->launch.params);
    return r;
}

#define SETS(make)                                                                                 \
    do {                                                                                           \
        struct device_op op = {.kind = DEVICE_OP_EMPTY};                                           \
        int r_ = (make);                                                                           \
        CU(set_op(r_, exec, node, &op), "exec=%p node=%p", (void *)exec, (void *)node);            \
    } while (0)

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params)
{
    SETS(kernel_op(params, &op));
}

CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                               CUcontext ctx)
{
    (void)ctx;
    SETS(copy_op(params, &op));
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS *params, CUcontext ctx)
{
    (void)ctx;
    SETS(fill_op(params, &op));
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS *params)
{
    SETS(host_op(params, &op));
}

/* Whether the node is carried out; what waits for it goes on in either case. */
static int
find_enabled(CUgraphExec x, CUgraphNode n, bool **on)
{
    int r = need_exec(x);
    *on = r == CUDA_SUCCESS ? device_exec_enabled(EXEC(x), NODE(n)) : NULL;
    return r != CUDA_SUCCESS || *on
               ? r
               : cu_fail(CUDA_ERROR_INVALID_VALUE, "the graph has no such kernel, copy or fill");
}

CUresult
cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    bool *on;
    int r = find_enabled(exec, node, &on);
    if (r == CUDA_SUCCESS)
        *on = enabled != 0;
    CU(r, "exec=%p node=%p enabled=%u", (void *)exec, (void *)node, enabled);
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    bool *on;
    int r = enabled ? find_enabled(exec, node, &on) : cu_null("isEnabled");
    if (r == CUDA_SUCCESS)
        *enabled = *on;
    CU(r, "exec=%p node=%p", (void *)exec, (void *)node);
}

CUresult
cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    struct device_stream *s;
    int r = need_exec(exec);
    CU(r == CUDA_SUCCESS ? cu_stream(stream, &s) : r, "exec=%p stream=%p", (void *)exec,
       (void *)stream);
}

CUresult
cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    struct device_stream *s;
    int r = need_exec(exec);
    if (r == CUDA_SUCCESS)
        r = cu_stream(stream, &s);
    CU(r == CUDA_SUCCESS ? (int)device_exec_launch(EXEC(exec), s) : r, "exec=%p stream=%p",
       (void *)exec, (void *)stream);
}

CUresult
cuGraphExecDestroy(CUgraphExec exec)
{
    int r = need_exec(exec);
    CU(r == CUDA_SUCCESS ? (int)device_exec_free(EXEC(exec)) : r, "exec=%p", (void *)exec);
}
