/* SPDX-License-Identifier: Apache-2.0
 *
 * cudnn.h: says that this is not provided.
 */
#error "lockstep does not provide <cudnn.h>: cuDNN is NVIDIA's closed library, and there is no replacement for it here"
