/* SPDX-License-Identifier: Apache-2.0
 *
 * quiet_begin.h, quiet_end.h: around functions whose lines nobody wants to read in a message. They
 * get no line information of their own, so that what they become, once inlined, has the line of the
 * call: a report about __syncwarp() names the program's line, not one of a header. Read as often as
 * they are included.
 */
#if defined(__CUDA__) && defined(__clang__)
#pragma clang attribute lockstep_quiet.push(__attribute__((nodebug)), apply_to = hasType(functionType))
#endif
