/* SPDX-License-Identifier: Apache-2.0
 *
 * math_functions.hpp: mathematics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_MATH_FUNCTIONS_HPP
#define LOCKSTEP_MATH_FUNCTIONS_HPP
#include "cuda_runtime.h"
#endif
