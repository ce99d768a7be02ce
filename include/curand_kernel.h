/* SPDX-License-Identifier: Apache-2.0
 *
 * curand_kernel.h: random numbers in kernels: XORWOW, MRG32k3a, Philox4x32-10 and Sobol's sequences, written from
 * the papers named in the inner headers. Philox4x32-10 and MRG32k3a give the papers' numbers; how a
 * seed becomes the first state of XORWOW is not published, so its numbers are others than on a GPU.
 * Not provided: MTGP32 (its parameters come from the host library) and tables of discrete distributions.
 */
#ifndef LOCKSTEP_CURAND_KERNEL_H
#define LOCKSTEP_CURAND_KERNEL_H

#include <cuda_runtime.h>

/* Words from a seed: Steele's splitmix64, upper halves. */
struct __lockstep_mixer {
    unsigned long long state;
    __device__ inline unsigned int
    next(void)
    {
        unsigned long long z = state += 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return (unsigned int)((z ^ z >> 31) >> 32);
    }
};

#include "crt/curand_mrg.h"
#include "crt/curand_philox.h"
#include "crt/curand_sobol.h"
#include "crt/curand_xorwow.h"

#include "crt/curand_distributions.h"

#endif
