/* SPDX-License-Identifier: Apache-2.0
 *
 * nvToolsExt.h: the older name of <nvtx3/nvToolsExt.h>.
 */
#ifndef LOCKSTEP_NVTOOLSEXT_H
#define LOCKSTEP_NVTOOLSEXT_H
#include "nvtx3/nvToolsExt.h"
#endif
