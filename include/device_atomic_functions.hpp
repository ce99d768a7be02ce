/* SPDX-License-Identifier: Apache-2.0
 *
 * device_atomic_functions.hpp: atomics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_DEVICE_ATOMIC_FUNCTIONS_HPP
#define LOCKSTEP_DEVICE_ATOMIC_FUNCTIONS_HPP
#include "cuda_runtime.h"
#endif
