# SPDX-License-Identifier: Apache-2.0
"""What kernels' pointers point to: arrays of numpy that Triton takes, the extent of any tensor, and which words of it
nobody has written.

The last only under check. Memory from empty() here and from torch.empty() is filled with a word that programs do
not write (a NaN with a payload of its own); words that still hold it when a kernel is launched are unset. A word
that a program has written is set, by whatever wrote it."""

import numpy as np

from .. import native

_PATTERN = np.uint32(0x7FB5C3A9)

_fresh = {}  # address of memory that was filled: bytes


class array(np.ndarray):
    """An array of numpy that Triton's kernels take: array(x) shares x's memory where x is an ndarray."""

    def __new__(cls, values, dtype=None):
        return np.asarray(values, dtype=dtype).view(cls)

    def data_ptr(self):
        return self.ctypes.data

    def stride(self, dim=None):
        """As torch's: in elements."""
        strides = tuple(s // self.itemsize for s in self.strides)
        return strides if dim is None else strides[dim]

    def element_size(self):
        return self.itemsize

    def numel(self):
        return self.size


def zeros(shape, dtype="float32"):
    return np.zeros(shape, dtype).view(array)


def empty(shape, dtype="float32"):
    """Memory whose contents are anything; check reports kernels that read what nobody has written of it."""
    made = np.empty(shape, dtype).view(array)
    note_fresh(made)
    return made


# -- extents ---------------------------------------------------------------------------------------------------------


def extent(tensor):
    """(address, bytes) of the memory that the tensor is a part of; None where that cannot be known."""
    while type(tensor).__name__ == "TensorWrapper":  # triton.reinterpret
        tensor = tensor.base
    if isinstance(tensor, np.ndarray):
        while isinstance(tensor.base, np.ndarray):
            tensor = tensor.base
        return tensor.ctypes.data, tensor.nbytes
    if hasattr(tensor, "untyped_storage"):  # torch from 2.0 on
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    if hasattr(tensor, "storage"):
        storage = tensor.storage()
        return storage.data_ptr(), storage.nbytes()
    if hasattr(tensor, "data_ptr") and hasattr(tensor, "nbytes"):
        return tensor.data_ptr(), int(tensor.nbytes)
    return None


def _bytes_at(at, size):
    import ctypes
    return np.frombuffer((ctypes.c_uint8 * size).from_address(at), np.uint8)


def note_fresh(tensor):
    """The tensor's memory was just allocated and holds nothing. Without check this does nothing."""
    where = extent(tensor)
    native.start("8.0")
    if where is None or where[1] < 4 or native.tool() != native.TOOL_CHECK:
        return
    at, size = where
    _bytes_at(at, size // 4 * 4).view(np.uint32)[:] = _PATTERN
    _fresh[at] = size


def unset(at, size):
    """A byte for each 4 bytes: 0 where nobody has written them; None: all are written."""
    if _fresh.get(at) != size:
        return None
    words = np.ones((size + 3) // 4, np.uint8)
    words[:size // 4] = _bytes_at(at, size // 4 * 4).view(np.uint32) != _PATTERN
    if words.all():
        del _fresh[at]
        return None
    return words


def merged(named):
    """[(name, address, bytes)] without overlaps: those that touch a byte of each other become one of both names."""
    out = []
    for name, at, size in sorted(named, key=lambda n: n[1]):
        if out and at < out[-1][1] + out[-1][2]:
            names, start, length = out[-1]
            names = names if name in names.split(", ") else f"{names}, {name}"
            out[-1] = (names, start, max(length, at + size - start))
        elif size:
            out.append((name, at, size))
    return out
