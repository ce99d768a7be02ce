/* SPDX-License-Identifier: Apache-2.0
 *
 * common_functions.h: clock, printf, malloc in kernels, which cuda_runtime.h has.
 */
#ifndef LOCKSTEP_COMMON_FUNCTIONS_H
#define LOCKSTEP_COMMON_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
