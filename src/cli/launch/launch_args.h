/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of `lockstep launch`: --arg TYPE:VALUE becomes bytes of the kernel's parameter block,
 * or a buffer in device memory whose address does.
 */
#ifndef LOCKSTEP_CLI_LAUNCH_ARGS_H
#define LOCKSTEP_CLI_LAUNCH_ARGS_H

#include "base/base.h"
#include "memory/memory.h"
#include "ptx/ptx.h"

struct launch_arg {
    const char *text; /* as given */
    uint8_t *bytes;   /* its value; of a buffer the address, once it has one */
    size_t size;
    bool is_buffer;
    uint64_t buffer_size;
    char *content; /* what the buffer begins with; NULL: zeros */
    uint64_t address;
};

/* "u32:7", "f32:1.5", "buffer:4096", "buffer:@in.bin", "hex:00ff". */
bool launch_arg_parse(const char *text, struct launch_arg *out, struct arena *arena,
                      struct ls_error *err);
void launch_arg_fini(struct launch_arg *arg);
/* Gives each buffer its memory, and writes all arguments into `params` (kernel->param_bytes) at the
 * places that the kernel's parameters have; their number and sizes must fit. */
bool launch_args_place(struct launch_arg *args, size_t count, const struct ptx_func *kernel,
                       struct memory *memory, uint8_t *params, struct ls_error *err);
/* "1,2,3", "1,2" or "1"; missing ones are 1, each from 1 to most[i]. */
bool launch_parse_dim3(const char *option, const char *text, const uint32_t most[3],
                       uint32_t out[3], struct ls_error *err);

#endif
