/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map: what copies of boxes go by (PTX ISA 5.5): a tensor in global memory, the box that is
 * copied at a time, and how it lies in shared memory. The driver's map is opaque; this is the
 * virtual GPU's. Pure functions: nothing here touches the tensor.
 *
 * A copy is walked in slabs: rows at equal distances in both memories.
 *
 *     struct tensor_walk w;
 *     struct tensor_slab s;
 *     tensor_walk_begin(&w, map, &where);
 *     while (tensor_walk_next(&w, &s))        // row r: s.rows of them
 *         global s.global + r * s.step        // bytes s.low to s.high of a row lie in the tensor
 *         box    s.at + r * w.pitch           // the other ones of w.row bytes are filled
 *
 * Of the box's bytes each group of 16 lies where tensor_swizzled says.
 */
#ifndef LOCKSTEP_TENSOR_MAP_H
#define LOCKSTEP_TENSOR_MAP_H

#include "base/base.h"

enum { TENSOR_RANKS = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_MAGIC = 0x50414d54 };
enum tensor_type { /* as the driver numbers them */
                   TENSOR_U8,
                   TENSOR_U16,
                   TENSOR_U32,
                   TENSOR_S32,
                   TENSOR_U64,
                   TENSOR_S64,
                   TENSOR_F16,
                   TENSOR_F32,
                   TENSOR_F64,
                   TENSOR_BF16,
                   TENSOR_F32_FTZ,
                   TENSOR_TF32,
                   TENSOR_TF32_FTZ,
                   TENSOR_16U4_ALIGN8,
                   TENSOR_16U4_ALIGN16,
                   TENSOR_16U6_ALIGN16,
                   TENSOR_TYPES
};
enum tensor_swizzle {
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32,
    TENSOR_SWIZZLE_64,
    TENSOR_SWIZZLE_128,
    TENSOR_SWIZZLE_128_ATOM_32,
    TENSOR_SWIZZLE_128_ATOM_32_FLIP_8,
    TENSOR_SWIZZLE_128_ATOM_64,
    TENSOR_SWIZZLES
};

/* How an instruction, and the map that it goes by, find what is copied (PTX ISA 5.5.3 to 5.5.5). */
enum tensor_mode {
    TENSOR_TILED,       /* a box */
    TENSOR_IM2COL,      /* a column of pixels */
    TENSOR_IM2COL_W,    /* pixels along W alone, and behind them those of a halo */
    TENSOR_IM2COL_W128, /* 128 of them, of which each 32 have a halo */
    TENSOR_MODES
};
/* The valid ranges of im2colInfo in the wide modes (PTX ISA, cp.async.bulk.tensor). */
enum { TENSOR_HALOS_W = 512, TENSOR_HALOS_W128 = 32, TENSOR_W_OFFSETS = 32 };

/* Dimensions are innermost first, their sizes less one. */
struct tensor_map {
    uint32_t magic;
    uint8_t type, rank, interleave, swizzle; /* interleave: 0, 1: 16 bytes, 2: 32 bytes */
    uint8_t promotion, fill, mode, unused;
    uint32_t pixels; /* im2col: of a column, without a halo */
    uint64_t address;
    uint64_t stride[TENSOR_RANKS - 1]; /* bytes, of dimension 1 and up */
    uint32_t dim[TENSOR_RANKS];
    uint16_t box[TENSOR_RANKS]; /* im2col: box[0] channels of a pixel */
    uint8_t step[TENSOR_RANKS], unused2;
    int16_t lower[3], upper[3]; /* im2col: how far the pixels' box is from the tensor's ends; of the
                                 * wide modes it has W alone */
    uint32_t unused3[6];
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES, "a CUtensorMap");

/* The arguments of the driver's cuTensorMapEncode calls. */
struct tensor_args {
    uint32_t type, rank, interleave, swizzle, promotion, fill;
    uint64_t address;
    const uint64_t *dim, *stride;
    const uint32_t *box, *step;
    enum tensor_mode mode;
    const int *lower, *upper; /* im2col: numbers for W, H, D; wide: for W */
    uint32_t channels, pixels;
    bool newest; /* compute capability 10.0 and newer: swizzles of larger atoms */
};
/* False: the arguments describe no tensor map; `why` names the first wrong one and the rule. */
bool tensor_map_encode(struct tensor_map *out, const struct tensor_args *a, char *why, size_t room);
bool tensor_map_replace_address(struct tensor_map *m, uint64_t address, char *why, size_t room);

/* Fields of tensormap.replace (PTX ISA 9.7.9.28), `ordinal` where the field has several. False: no
 * such value. */
enum tensor_field {
    TENSOR_FIELD_ADDRESS,
    TENSOR_FIELD_RANK, /* less one */
    TENSOR_FIELD_BOX,
    TENSOR_FIELD_DIM,
    TENSOR_FIELD_STRIDE,
    TENSOR_FIELD_STEP,
    TENSOR_FIELD_TYPE, /* as the manual numbers them */
    TENSOR_FIELD_INTERLEAVE,
    TENSOR_FIELD_SWIZZLE,
    TENSOR_FIELD_ATOM,
    TENSOR_FIELD_FILL,
};
bool tensor_map_replace(struct tensor_map *m, enum tensor_field field, uint32_t ordinal,
                        uint64_t value);

uint32_t tensor_type_bytes(enum tensor_type type); /* of an element; 0: less than a byte */
/* Whether an instruction of that mode goes by the map. One of im2col::w::128 goes by a map of
 * im2col::w, too, of which it leaves out the number of pixels (PTX ISA 5.5.5.1). */
bool tensor_map_serves(const struct tensor_map *m, enum tensor_mode mode);
const char *tensor_mode_name(enum tensor_mode mode);

/* Where a copy is, and the mode of its instruction: the box's first element, im2col: the offsets of
 * its pixels. Wide modes: shift[0] is wOffset, halo is wHalo. */
struct tensor_where {
    int32_t at[TENSOR_RANKS];
    uint16_t shift[3], halo;
    enum tensor_mode mode;
};
/* What the bytes of shared memory that a copy fills are counted as: all of the box. */
uint32_t tensor_map_bytes(const struct tensor_map *m, const struct tensor_where *where);

struct tensor_axis {
    int64_t first, dim; /* the first element's number; elements of the tensor */
    uint64_t stride;    /* bytes from one to the next */
    uint32_t count, step;
};

struct tensor_slab {
    uint64_t global, step; /* of the first row's byte 0; from one row to the next */
    uint32_t at, rows;
    uint32_t low, high; /* low == high: no byte of a row is in the tensor */
};

struct tensor_walk {
    const struct tensor_map *map;
    uint32_t row, pitch; /* bytes of a row, and from one to the next in shared memory */
    uint32_t low, high;
    uint64_t base;
    uint32_t axes, at, rows; /* rows so far */
    struct tensor_axis axis[TENSOR_RANKS];
    uint32_t now[TENSOR_RANKS];
    int64_t pixel[3]; /* im2col: the next one */
    int64_t batch;
    uint32_t halo;                  /* im2col::w::128: pixels so far of the halo of the last 32, */
    int64_t next_pixel, next_batch; /* and where the pixels go on behind it */
    const struct tensor_where *where;
    bool over;
};
void tensor_walk_begin(struct tensor_walk *w, const struct tensor_map *m,
                       const struct tensor_where *where);
bool tensor_walk_next(struct tensor_walk *w, struct tensor_slab *out);
/* Bytes of shared memory from the first to the last one that the walk goes to. */
uint64_t tensor_walk_extent(const struct tensor_walk *w);

/* Where in shared memory the 16 bytes at this address go: bits of an address are changed by the
 * ones above (PTX ISA 5.5.6, measured on an H200: they are the shared address's own, not counted
 * from the box's start). */
static inline uint64_t
tensor_swizzled(enum tensor_swizzle swizzle, uint64_t a)
{
    switch (swizzle) {
    case TENSOR_SWIZZLE_32: return a ^ (a >> 3 & 0x10);
    case TENSOR_SWIZZLE_64: return a ^ (a >> 3 & 0x30);
    case TENSOR_SWIZZLE_128: return a ^ (a >> 3 & 0x70);
    case TENSOR_SWIZZLE_128_ATOM_32: return a ^ (a >> 2 & 0x60);
    case TENSOR_SWIZZLE_128_ATOM_64: return a ^ (a >> 1 & 0x40);
    default: return a;
    }
}

#endif
