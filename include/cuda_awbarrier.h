/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_awbarrier.h: nvcuda::experimental::awbarrier, the class that came before cuda::barrier.
 */
#ifndef LOCKSTEP_CUDA_AWBARRIER_H
#define LOCKSTEP_CUDA_AWBARRIER_H

#include "cuda_awbarrier_primitives.h"

#include "crt/quiet_begin.h"

#if defined(__CUDA__) && defined(__clang__)

namespace nvcuda
{
namespace experimental
{

class awbarrier
{
  public:
    class arrival_token
    {
      public:
        __device__ unsigned pending_count() const { return __mbarrier_token_pending_count(token); }

      private:
        friend class awbarrier;
        __mbarrier_token_t token;
    };
    __device__ arrival_token
    arrive()
    {
        arrival_token t;
        t.token = __mbarrier_arrive(&word);
        return t;
    }
    __device__ arrival_token
    arrive_and_drop()
    {
        arrival_token t;
        t.token = __mbarrier_arrive_and_drop(&word);
        return t;
    }
    __device__ bool timed_wait(arrival_token t, unsigned) { return __mbarrier_test_wait(&word, t.token); }
    __device__ void
    wait(arrival_token t)
    {
        while (!__mbarrier_test_wait(&word, t.token))
            ;
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ static constexpr unsigned max() { return (1 << 20) - 1; }

  private:
    friend __device__ void init(awbarrier *b, unsigned expected);
    __mbarrier_t word;
};

__device__ inline void
init(awbarrier *b, unsigned expected)
{
    __mbarrier_init(&b->word, expected);
}

} // namespace experimental
} // namespace nvcuda

#endif

#include "crt/quiet_end.h"

#endif
