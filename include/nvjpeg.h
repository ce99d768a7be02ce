/* SPDX-License-Identifier: Apache-2.0
 *
 * nvjpeg.h: says that this is not provided.
 */
#error "lockstep does not provide <nvjpeg.h>: nvJPEG is NVIDIA's closed library, and there is no replacement for it here"
