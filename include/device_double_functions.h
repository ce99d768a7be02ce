/* SPDX-License-Identifier: Apache-2.0
 *
 * device_double_functions.h: conversions and roundings of double, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_DOUBLE_FUNCTIONS_H
#define LOCKSTEP_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
