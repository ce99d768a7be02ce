/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_20_intrinsics.h: votes and address spaces, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_20_INTRINSICS_H
#define LOCKSTEP_SM_20_INTRINSICS_H
#include "cuda_runtime.h"
#endif
