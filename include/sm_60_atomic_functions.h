/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_60_atomic_functions.h: atomics on double and with scope, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_60_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_SM_60_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
