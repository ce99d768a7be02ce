/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_30_intrinsics.h: shuffles, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_30_INTRINSICS_H
#define LOCKSTEP_SM_30_INTRINSICS_H
#include "cuda_runtime.h"
#endif
