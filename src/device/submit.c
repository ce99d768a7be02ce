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
device_fill(struct device_stream *s, const struct device_fill *f)
{
    struct device_op op = {.kind = DEVICE_OP_FILL, .fill = *f};
    return device_submit(s, &op);
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
