/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c: tensor maps. A map's contents are the back end's: a virtual GPU's are a struct
 * tensor_map (memory/tensor_map.h), a real one's are its driver's.
 */
#include "device/backend.h"

enum device_result
device_tensor_map(struct device *d, void *map, const struct tensor_args *a)
{
    if ((uintptr_t)map % 64)
        return device_fail(DEVICE_INVALID_VALUE, "tensorMap %p is not aligned to 64 bytes", map);
    return d->backend->memory->tensor_map(d, map, a);
}

enum device_result
device_tensor_move(struct device *d, void *map, uint64_t address)
{
    if ((uintptr_t)map % 64)
        return device_fail(DEVICE_INVALID_VALUE, "tensorMap %p is not aligned to 64 bytes", map);
    return d->backend->memory->tensor_move(d, map, address);
}

enum device_result
virtual_tensor_map(struct device *d, void *map, const struct tensor_args *a)
{
    char why[200];
    const struct device_profile *p = d->profile;
    struct tensor_args own = *a;
    own.newest = p->cc_major >= 10;
    if (p->cc_major < 9)
        return device_fail(DEVICE_NOT_SUPPORTED,
                           "tensor maps are for compute capability 9.0 and newer; %s has %u.%u",
                           p->name, p->cc_major, p->cc_minor);
    if (a->mode > TENSOR_IM2COL && !own.newest)
        return device_fail(DEVICE_NOT_SUPPORTED,
                           "tensor maps of %s are for compute capability 10.0 and newer; %s has "
                           "%u.%u",
                           tensor_mode_name(a->mode), p->name, p->cc_major, p->cc_minor);
    if (!tensor_map_encode(map, &own, why, sizeof why))
        return device_fail(DEVICE_INVALID_VALUE, "%s", why);
    return DEVICE_OK;
}

enum device_result
virtual_tensor_move(struct device *d, void *map, uint64_t address)
{
    char why[200];
    (void)d;
    if (!tensor_map_replace_address(map, address, why, sizeof why))
        return device_fail(DEVICE_INVALID_VALUE, "%s", why);
    return DEVICE_OK;
}
