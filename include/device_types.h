/* SPDX-License-Identifier: Apache-2.0
 *
 * device_types.h: the rounding modes of the type conversion functions.
 */
#ifndef LOCKSTEP_DEVICE_TYPES_H
#define LOCKSTEP_DEVICE_TYPES_H
#include "crt/host_defines.h"

enum cudaRoundMode {
    cudaRoundNearest,
    cudaRoundZero,
    cudaRoundPosInf,
    cudaRoundMinInf
};

#endif
