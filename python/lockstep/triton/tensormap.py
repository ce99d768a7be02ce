# SPDX-License-Identifier: Apache-2.0
"""Tensor maps (compute capability 9.0 on): what descriptors of host code become, by cuTensorMapEncodeTiled."""

import ctypes

from .. import native

BYTES, ALIGN = 128, 128

# Numbers of element types in Triton's metadata whose number in CUtensorMapDataType is another one.
_TYPES = {8: 10, 9: 8, 10: 9}
_TF32 = 11
_L2_128B = 2  # CU_TENSOR_MAP_L2_PROMOTION_L2_128B
_FILL_NAN = 1  # CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA


class TensorMap:
    """A CUtensorMap."""

    def __init__(self):
        self.room = ctypes.create_string_buffer(BYTES + ALIGN)
        self.at = ctypes.addressof(self.room) + -ctypes.addressof(self.room) % ALIGN

    @property
    def bytes(self):
        return ctypes.string_at(self.at, BYTES)


def tiled(address, swizzle, size, kind, block, shape, strides, padding):
    """A map of a tensor; shape, strides (in elements) and block with the outermost dimension first."""
    rank = len(shape)
    made = TensorMap()
    dims = (ctypes.c_uint64 * rank)(*reversed(shape))
    steps = (ctypes.c_uint64 * rank)(*[size * s for s in reversed(strides[:-1])], 0)
    box = (ctypes.c_uint32 * rank)(*reversed(block))
    ones = (ctypes.c_uint32 * rank)(*[1] * rank)
    native.call("cuTensorMapEncodeTiled", ctypes.c_void_p(made.at), kind, rank, ctypes.c_void_p(address), dims, steps,
                box, ones, 0, swizzle, _L2_128B, _FILL_NAN if padding else 0)
    return made


def make(arg, metadata):
    """[map, shape..., strides...] of a TensorDescriptor."""
    if metadata.get("is_im2col", False):
        raise NotImplementedError("im2col descriptors (lockstep.triton has tiled ones)")
    shape, kind = list(arg.shape), metadata["elem_type"]
    if metadata["fp4_padded"]:
        shape[-1] *= 2
    kind = _TF32 if arg.round_f32_to_tf32 else _TYPES.get(kind, kind)
    made = tiled(arg.base.data_ptr(), metadata["swizzle"], metadata["elem_size"], kind, metadata["block_size"], shape,
                 list(arg.strides), arg.padding == "nan")
    return [made, *arg.shape, *arg.strides]
