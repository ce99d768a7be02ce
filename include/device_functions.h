/* SPDX-License-Identifier: Apache-2.0
 *
 * device_functions.h: functions for kernels, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_FUNCTIONS_H
#define LOCKSTEP_DEVICE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
