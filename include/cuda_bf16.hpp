/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_bf16.hpp: all of it is in cuda_bf16.h.
 */
#include "cuda_bf16.h"
