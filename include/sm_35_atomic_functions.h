/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_35_atomic_functions.h: 64-bit atomics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_35_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_SM_35_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
