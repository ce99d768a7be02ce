/* SPDX-License-Identifier: Apache-2.0
 *
 * device_atomic_functions.h: atomics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_ATOMIC_FUNCTIONS_H
#define LOCKSTEP_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
