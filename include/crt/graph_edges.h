/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_edges.h: the graph calls with annotated edges, as CUDA 13 spells them. An annotation lets a node
 * start before the one it depends on has ended; here each waits for the whole of it, so reported edges
 * have none.
 */
#ifndef LOCKSTEP_GRAPH_EDGES_H
#define LOCKSTEP_GRAPH_EDGES_H

LOCKSTEP_API
cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 const cudaGraphEdgeData *, size_t numDependencies, cudaGraphNodeParams *params)
{
    return ::cudaGraphAddNode(node, graph, dependencies, numDependencies, params);
}
LOCKSTEP_API
cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         const cudaGraphEdgeData *, size_t numDependencies)
{
    return ::cudaGraphAddDependencies(graph, from, to, numDependencies);
}
LOCKSTEP_API
cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                            size_t numDependencies)
{
    return ::cudaGraphRemoveDependencies(graph, from, to, numDependencies);
}
static inline void
__lockstep_plain_edges(cudaGraphEdgeData *edges, const size_t *count)
{
    for (size_t i = 0; edges && count && i < *count; i++)
        edges[i] = cudaGraphEdgeData();
}
LOCKSTEP_API
cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                  cudaGraphEdgeData *edges, size_t *numEdges)
{
    cudaError_t e = ::cudaGraphGetEdges(graph, from, to, numEdges);
    __lockstep_plain_edges(edges, numEdges);
    return e;
}
LOCKSTEP_API
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                             cudaGraphEdgeData *edges, size_t *count)
{
    cudaError_t e = ::cudaGraphNodeGetDependencies(node, dependencies, count);
    __lockstep_plain_edges(edges, count);
    return e;
}
LOCKSTEP_API
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                               cudaGraphEdgeData *edges, size_t *count)
{
    cudaError_t e = ::cudaGraphNodeGetDependentNodes(node, dependents, count);
    __lockstep_plain_edges(edges, count);
    return e;
}
LOCKSTEP_API
cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                         cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                         const cudaGraphEdgeData **edges, size_t *numDependencies)
{
    return ::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, edges,
                                         numDependencies);
}
LOCKSTEP_API
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                    const cudaGraphEdgeData *, size_t numDependencies,
                                    unsigned int flags = 0)
{
    return ::cudaStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

#endif
