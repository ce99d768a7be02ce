/* SPDX-License-Identifier: Apache-2.0
 *
 * sm_35_intrinsics.h: __ldg, funnel shifts, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_SM_35_INTRINSICS_H
#define LOCKSTEP_SM_35_INTRINSICS_H
#include "cuda_runtime.h"
#endif
