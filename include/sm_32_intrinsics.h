/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_32_intrinsics.h: __ldg, funnel shifts, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_32_INTRINSICS_H
#define LOCKSTEP_SM_32_INTRINSICS_H
#include "cuda_runtime.h"
#endif
