/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_types.h: what the functions of <cuda/ptx> are chosen by (libcu++'s documentation, "PTX
 * Instructions"): tags for .sem, .scope, .space and .op, and numbers known when it is compiled.
 */
#ifndef LOCKSTEP_CRT_PTX_TYPES
#define LOCKSTEP_CRT_PTX_TYPES

namespace cuda
{
namespace ptx
{

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_space { global, cluster, shared };
enum class dot_op { add, dec, inc, max, min, and_op, or_op, xor_op };

template <dot_sem S>
struct sem_t {
};
template <dot_scope S>
struct scope_t {
};
template <dot_space S>
struct space_t {
};
template <dot_op O>
struct op_t {
};
template <int N>
struct n32_t {
};

#define LOCKSTEP_TAG(kind, value)                                                                  \
    typedef kind##_t<dot_##kind::value> kind##_##value##_t;                                        \
    static constexpr kind##_##value##_t kind##_##value{};
LOCKSTEP_TAG(sem, acq_rel)
LOCKSTEP_TAG(sem, acquire)
LOCKSTEP_TAG(sem, relaxed)
LOCKSTEP_TAG(sem, release)
LOCKSTEP_TAG(sem, sc)
LOCKSTEP_TAG(sem, weak)
LOCKSTEP_TAG(scope, cta)
LOCKSTEP_TAG(scope, cluster)
LOCKSTEP_TAG(scope, gpu)
LOCKSTEP_TAG(scope, sys)
LOCKSTEP_TAG(space, global)
LOCKSTEP_TAG(space, cluster)
LOCKSTEP_TAG(space, shared)
LOCKSTEP_TAG(op, add)
LOCKSTEP_TAG(op, dec)
LOCKSTEP_TAG(op, inc)
LOCKSTEP_TAG(op, max)
LOCKSTEP_TAG(op, min)
LOCKSTEP_TAG(op, and_op)
LOCKSTEP_TAG(op, or_op)
LOCKSTEP_TAG(op, xor_op)
#undef LOCKSTEP_TAG

} // namespace ptx
} // namespace cuda

#endif
