/* SPDX-License-Identifier: Apache-2.0
 *
 * submit.c: copies, fills and launches as operations of streams.
 */
#include "device/device_priv.h"

enum device_result
device_copy(struct device_stream *s, const struct device_copy *c)
{
    struct device_op op = {.kind = DEVICE_OP_COPY, .copy = *c};
    return device_submit(s, &op);
}

enum device_result
device_copy_linear(struct device_stream *s, void *to, const void *from, uint64_t size,
                   enum device_direction direction)
{
    struct device_copy c = {.to = {.at = to, .pitch = size, .rows = 1},
                            .from = {.at = (uint8_t *)(uintptr_t)from, .pitch = size, .rows = 1},
                            .width = size,
                            .height = 1,
                            .depth = 1,
                            .direction = direction};
    return device_copy(s, &c);
}

enum device_result
device_fill(struct device_stream *s, const struct device_fill *f)
{
    struct device_op op = {.kind = DEVICE_OP_FILL, .fill = *f};
    return device_submit(s, &op);
}

enum device_result
device_fill_linear(struct device_stream *s, void *at, uint64_t size, uint8_t value)
{
    struct device_fill f = {.at = at,
                            .pitch = size,
                            .rows = 1,
                            .width = size,
                            .height = 1,
                            .depth = 1,
                            .value = value,
                            .unit = 1};
    return device_fill(s, &f);
}

/* Takes l->params. */
static enum device_result
submit_launch(struct device_stream *s, struct device_launch *l, enum device_result params)
{
    struct device_op op = {.kind = DEVICE_OP_LAUNCH, .launch = *l};
    enum device_result r = params == DEVICE_OK ? device_submit(s, &op) : params;
    ls_release(l->params);
    l->params = NULL;
    return r;
}

enum device_result
device_launch(struct device_stream *s, struct device_launch *l, void **args)
{
    return submit_launch(s, l, device_params(l->function, args, &l->params));
}

enum device_result
device_launch_block(struct device_stream *s, struct device_launch *l, const void *block,
                    uint64_t size)
{
    return submit_launch(s, l, launch_params(l, block, size));
}
