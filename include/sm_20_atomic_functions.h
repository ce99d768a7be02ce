/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_20_atomic_functions.h: atomics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_20_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_SM_20_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
