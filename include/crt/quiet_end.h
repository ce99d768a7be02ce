/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet_end.h: see quiet_begin.h.
 */
#if defined(__CUDA__) && defined(__clang__)
#pragma clang attribute lockstep_quiet.pop
#endif
