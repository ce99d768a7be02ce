/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.h: a load from an address that is selected lane by lane, whatever the front end would make
 * of it.
 */
#ifndef LOCKSTEP_TESTS_CHOOSE_H
#define LOCKSTEP_TESTS_CHOOSE_H

/* low[at] or high[at], at a number of 32 bits that may have wrapped: then `low` makes up for it. */
static __device__ float
choose(const float *low, const float *high, unsigned at, bool below)
{
    unsigned long long a = (unsigned long long)low + 4ull * at,
                       b = (unsigned long long)high + 4ull * at;
    float v;
    asm volatile("{.reg .pred p; .reg .u64 at; setp.ne.u32 p, %3, 0;\n"
                 "selp.b64 at, %1, %2, p; ld.f32 %0, [at];}"
                 : "=f"(v)
                 : "l"(a), "l"(b), "r"((int)below));
    return v;
}

#endif
