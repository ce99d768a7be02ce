/* SPDX-License-Identifier: Apache-2.0
 *
 * crt/common_functions.h: an inner header of other tool kits; all of it is in cuda_runtime.h.
 */
#ifndef LOCKSTEP_CRT_COMMON_FUNCTIONS_H
#define LOCKSTEP_CRT_COMMON_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
