/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h: handles of graphs, inside graph.c and graph_nodes.c.
 */
#ifndef LOCKSTEP_CUDART_GRAPH_H
#define LOCKSTEP_CUDART_GRAPH_H

#include "cudart/cudart.h"

#define GRAPH(g) ((struct device_graph *)(g))
#define NODE(n) ((struct device_node *)(n))
#define EXEC(x) ((struct device_exec *)(x))

/* cudaSuccess, or an error and its reason. */
static inline int
graph_check(cudaGraph_t g)
{
    return device_graph_is(GRAPH(g)) ? (int)cudaSuccess
                                     : rt_fail(cudaErrorInvalidValue, "%p is no graph", (void *)g);
}

static inline int
graph_node(cudaGraphNode_t n)
{
    return device_node_is(NODE(n)) ? (int)cudaSuccess
                                   : rt_fail(cudaErrorInvalidValue, "%p is no node", (void *)n);
}

#endif
