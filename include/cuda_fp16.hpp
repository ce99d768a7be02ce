/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_fp16.hpp: all of it is in cuda_fp16.h.
 */
#include "cuda_fp16.h"
