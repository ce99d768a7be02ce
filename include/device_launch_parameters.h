/* SPDX-License-Identifier: Apache-2.0
 *
 * device_launch_parameters.h: threadIdx, blockIdx, blockDim, gridDim, warpSize, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_LAUNCH_PARAMETERS_H
#define LOCKSTEP_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"
#endif
