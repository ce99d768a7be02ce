/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_32_atomic_functions.h: 64-bit atomics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_32_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_SM_32_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
