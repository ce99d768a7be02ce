/* SPDX-License-Identifier: Apache-2.0
 *
 * math_functions.h: mathematics, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_MATH_FUNCTIONS_H
#define LOCKSTEP_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
