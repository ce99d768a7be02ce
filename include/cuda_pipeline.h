/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_pipeline.h: nvcuda::experimental::pipeline: groups of asynchronous copies of one thread.
 */
#ifndef LOCKSTEP_CUDA_PIPELINE_H
#define LOCKSTEP_CUDA_PIPELINE_H

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#include "crt/quiet_begin.h"

#if defined(__CUDA__) && defined(__clang__)

namespace nvcuda
{
namespace experimental
{

class pipeline
{
  public:
    __device__ pipeline() : stage(0) {}
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    __device__ size_t
    commit()
    {
        __pipeline_commit();
        return stage++;
    }
    __device__ void commit_and_wait() { wait(commit()); }
    /* Waits for the group that commit() gave this number. */
    __device__ void wait(size_t number) { __pipeline_wait_prior(stage - number - 1); }
    template <unsigned bytes_>
    __device__ void
    wait_prior()
    {
        __pipeline_wait_prior(bytes_);
    }
    __device__ void arrive_on(awbarrier &barrier) { __pipeline_arrive_on((__mbarrier_t *)&barrier); }

  private:
    size_t stage;
};

template <class ty_>
__device__ inline void
memcpy_async(ty_ &to, const ty_ &from, pipeline &)
{
    if (sizeof(ty_) == 4 || sizeof(ty_) == 8 || sizeof(ty_) == 16)
        __pipeline_memcpy_async(&to, &from, sizeof(ty_));
    else
        to = from;
}

template <class To, class From>
__device__ inline void
memcpy_async(To *to, const From *from, size_t size, pipeline &)
{
    for (size_t k = 0; k < size; k += 4)
        __pipeline_memcpy_async((char *)to + k, (const char *)from + k, 4);
}

} // namespace experimental
} // namespace nvcuda

#endif

#include "crt/quiet_end.h"

#endif
