/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_61_intrinsics.h: __dp4a, __dp2a, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_61_INTRINSICS_H
#define LOCKSTEP_SM_61_INTRINSICS_H
#include "cuda_runtime.h"
#endif
