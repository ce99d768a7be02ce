/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_70_rt.hpp: __match_any_sync and __match_all_sync for every type of 4 and 8 bytes. Included by
 * clang's <__clang_cuda_intrinsics.h>, which has the four functions they come down to.
 */
#ifndef LOCKSTEP_SM_70_RT_HPP
#define LOCKSTEP_SM_70_RT_HPP

#define LOCKSTEP_MATCH(type, bits, as_bits)                                                        \
    __device__ static __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) \
    {                                                                                              \
        return __match##bits##_any_sync(mask, as_bits);                                            \
    }                                                                                              \
    __device__ static __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, \
                                                                    int *pred)                     \
    {                                                                                              \
        return __match##bits##_all_sync(mask, as_bits, pred);                                      \
    }
LOCKSTEP_MATCH(int, 32, (unsigned int)value)
LOCKSTEP_MATCH(unsigned int, 32, value)
LOCKSTEP_MATCH(float, 32, __float_as_uint(value))
LOCKSTEP_MATCH(long, 64, (unsigned long long)value)
LOCKSTEP_MATCH(unsigned long, 64, (unsigned long long)value)
LOCKSTEP_MATCH(long long, 64, (unsigned long long)value)
LOCKSTEP_MATCH(unsigned long long, 64, value)
LOCKSTEP_MATCH(double, 64, (unsigned long long)__double_as_longlong(value))
#undef LOCKSTEP_MATCH

#endif
