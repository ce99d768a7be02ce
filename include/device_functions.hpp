/* SPDX-License-Identifier: Apache-2.0
 *
 * device_functions.hpp: functions for kernels, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_FUNCTIONS_HPP
#define LOCKSTEP_DEVICE_FUNCTIONS_HPP
#include "cuda_runtime.h"
#endif
