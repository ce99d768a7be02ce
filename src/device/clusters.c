/* SPDX-License-Identifier: Apache-2.0
 *
 * clusters.c: clusters of blocks as launches and functions ask for them: attributes, what is
 * possible, how many are resident. What is refused, and by which error, is as an H200 answered
 * (tests/data/h200_cluster_launches.csv).
 */
#include "device/device_priv.h"
#include "device/backend.h"

#include <stdio.h>
#include <string.h>

enum { PORTABLE = 8, MOST = 16, POLICIES = 3 };

/* What the kernel's code requires, else its attributes; all 0: nothing. */
static void
required(const struct device_function *f, uint32_t out[3])
{
    const uint32_t *code = f->func->limits.reqnctapercluster;
    for (int d = 0; d < 3; d++)
        out[d] = code[0] ? (code[d] ? code[d] : 1) : f->settings.cluster[d];
}

static bool
any(const uint32_t n[3])
{
    return n[0] || n[1] || n[2];
}

bool
clusters_wanted(const struct device_launch *l)
{
    uint32_t own[3];
    required(l->function, own);
    return any(l->cluster) || any(own);
}

/* -- attributes -------------------------------------------------------------------------------- */

int
device_cluster_attribute(const struct device_function *f, enum device_cluster_attribute a)
{
    uint32_t own[3];
    required(f, own);
    switch (a) {
    case DEVICE_CLUSTER_MUST_BE_SET: return f->func->limits.reqnctapercluster[0] != 0;
    case DEVICE_CLUSTER_NON_PORTABLE: return f->settings.non_portable_cluster;
    case DEVICE_CLUSTER_POLICY: return (int)f->settings.cluster_policy;
    default: return (int)own[a - DEVICE_CLUSTER_WIDTH];
    }
}

enum device_result
clusters_set_attribute(struct device_function *f, enum device_cluster_attribute a, int value)
{
    if (a == DEVICE_CLUSTER_NON_PORTABLE) {
        f->settings.non_portable_cluster = value != 0;
        return DEVICE_OK;
    }
    if (a == DEVICE_CLUSTER_POLICY) {
        if (value < 0 || value >= POLICIES)
            return device_fail(DEVICE_INVALID_VALUE, "scheduling policy %d of clusters", value);
        f->settings.cluster_policy = (uint32_t)value;
        return DEVICE_OK;
    }
    if (a == DEVICE_CLUSTER_MUST_BE_SET)
        return device_fail(DEVICE_INVALID_VALUE,
                           "whether clusters must be set is said by the kernel's code alone");
    if (f->func->limits.reqnctapercluster[0] || value < 0)
        return device_fail(DEVICE_INVALID_VALUE, "%d blocks of a cluster%s", value,
                           value < 0 ? "" : ": the kernel's code says how many it has");
    f->settings.cluster[a - DEVICE_CLUSTER_WIDTH] = (uint32_t)value;
    return DEVICE_OK;
}

/* -- launches ---------------------------------------------------------------------------------- */

static enum device_result
refuse(const struct device_launch *l, enum device_result r, const uint32_t c[3], const char *why)
{
    return refuse_kernel(l->function->func, r, "clusters of (%u,%u,%u) blocks: %s", c[0], c[1],
                         c[2], why);
}

/* Whether a cluster may have that shape. */
static enum device_result
possible(const struct device_launch *l, const uint32_t c[3])
{
    const struct device_profile *p = l->function->device->profile;
    const struct ptx_func *func = l->function->func;
    uint64_t blocks = (uint64_t)c[0] * c[1] * c[2];
    uint32_t most = l->function->settings.non_portable_cluster ? MOST : PORTABLE;
    char why[200];
    if (!p->clusters)
        return refuse(l, DEVICE_NOT_SUPPORTED, c, "the device has none (compute capability 9.0)");
    if (!c[0] || !c[1] || !c[2])
        return refuse(l, DEVICE_INVALID_CLUSTER_SIZE, c, "all three numbers are 1 or more");
    if (blocks > most || c[0] > MOST || c[1] > MOST || c[2] > MOST) {
        snprintf(why, sizeof why, "%u blocks at most%s", most,
                 most == MOST ? "" : "; more with cudaFuncAttributeNonPortableClusterSizeAllowed");
        return refuse(l, DEVICE_INVALID_CLUSTER_SIZE, c, why);
    }
    if (func->limits.maxclusterrank && blocks > func->limits.maxclusterrank) {
        snprintf(why, sizeof why, "its launch bounds allow %u blocks", func->limits.maxclusterrank);
        return refuse(l, DEVICE_INVALID_CLUSTER_SIZE, c, why);
    }
    return DEVICE_OK;
}

enum device_result
clusters_of(const struct device_launch *l, uint32_t out[3])
{
    uint32_t own[3];
    const struct ptx_func *func = l->function->func;
    char why[200];
    required(l->function, own);
    memcpy(out, any(l->cluster) ? l->cluster : own, sizeof own);
    if (!any(out) && func->limits.explicit_cluster)
        return refuse(l, DEVICE_INVALID_CLUSTER_SIZE, out,
                      "the launch has to say how large (.explicitcluster)");
    if (!any(out))
        return DEVICE_OK;
    enum device_result r = possible(l, out);
    for (int d = 0; r == DEVICE_OK && any(own) && d < 3; d++)
        if (out[d] != own[d]) {
            snprintf(why, sizeof why, "it requires (%u,%u,%u)", own[0], own[1], own[2]);
            r = refuse(l, DEVICE_INVALID_CLUSTER_SIZE, out, why);
        }
    for (int d = 0; r == DEVICE_OK && !func->limits.blocks_are_clusters && d < 3; d++)
        if (l->grid[d] % out[d]) {
            snprintf(why, sizeof why, "a grid of (%u,%u,%u) blocks is not made of them", l->grid[0],
                     l->grid[1], l->grid[2]);
            r = refuse(l, DEVICE_INVALID_CLUSTER_SIZE, out, why);
        }
    return r;
}

/* -- how many ---------------------------------------------------------------------------------- */

static uint32_t
blocks_per_sm(const struct device_launch *l)
{
    struct occupancy o = {0};
    if (device_occupancy(l->function, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared,
                         &o) != DEVICE_OK)
        return 0;
    return o.blocks_per_sm;
}

static bool
fits(const struct device_launch *l, uint32_t blocks)
{
    return model_clusters(l->function->device->profile, blocks_per_sm(l), blocks) > 0;
}

/* The questions need a launch that names clusters; those that do not fit are none. */
static enum device_result
asked(const struct device_launch *l)
{
    uint64_t blocks = (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2];
    if (!any(l->cluster))
        return device_fail(DEVICE_INVALID_VALUE, "the launch names no clusters");
    if (l->function->settings.non_portable_cluster && blocks > MOST)
        return DEVICE_OK;
    return possible(l, l->cluster);
}

enum device_result
clusters_active(const struct device_launch *l, int *out)
{
    enum device_result r = asked(l);
    uint32_t blocks = l->cluster[0] * l->cluster[1] * l->cluster[2];
    if (r == DEVICE_OK)
        *out = (int)model_clusters(l->function->device->profile, blocks_per_sm(l), blocks);
    return r;
}

enum device_result
clusters_potential(const struct device_launch *l, int *out)
{
    enum device_result r = asked(l);
    uint32_t most = l->function->settings.non_portable_cluster ? MOST : PORTABLE;
    while (r == DEVICE_OK && most > 1 && !fits(l, most))
        most /= 2;
    if (r == DEVICE_OK)
        *out = (int)most;
    return r;
}

/* -- by the back end --------------------------------------------------------------------------- */

enum device_result
device_active_clusters(const struct device_launch *l, int *out)
{
    return l->function->device->backend->code->active_clusters(l, out);
}

enum device_result
device_potential_cluster(const struct device_launch *l, int *out)
{
    return l->function->device->backend->code->potential_cluster(l, out);
}
