# SPDX-License-Identifier: Apache-2.0
"""One compiled kernel's launches: Triton's arguments become a kernel's parameters.

Each parameter has a slot of 8 bytes (tensor maps: their own, aligned), and cuLaunchKernel takes a list of pointers to
them. A launch is over, and its error raised, when the call returns: tensors are ordinary memory, and a program
reads them as it likes."""

import ctypes
import struct
import sys

from triton.backends.driver import decompose_descriptor, expand_signature, wrap_handle_tensordesc_impl
from triton.runtime import _allocation

from .. import native
from . import arrays, tensormap

_WORD = (1 << 64) - 1
_FLOATS = {"fp16": "<e", "fp32": "<f", "f32": "<f", "fp64": "<d"}


# -- values ------------------------------------------------------------------------------------------------------------


def _integer(value):
    return int(value) & _WORD


def _float(form):

    def pack(value):
        try:
            packed = struct.pack(form, value)
        except OverflowError:  # larger than the type's largest
            packed = struct.pack(form, float("inf") if value > 0 else float("-inf"))
        return int.from_bytes(packed, "little")

    return pack


def _bfloat16(value):
    return _float("<f")(value) >> 16


def _pointer(value):
    if value is None:
        return 0
    if isinstance(value, int):
        return value & _WORD
    try:
        return value.data_ptr()
    except AttributeError:
        raise TypeError("a pointer is an int, or an object with data_ptr() "
                        f"(lockstep.triton.array makes one of numpy's arrays), not {type(value).__name__}") from None


def _packer(kind):
    """The function that makes a 64-bit word of a value of this type of Triton's."""
    if kind[0] == "*":
        return _pointer
    if kind in _FLOATS:
        return _float(_FLOATS[kind])
    if kind == "bf16":
        return _bfloat16
    if kind[0] in "iu" and kind[1:].isdigit():
        return _integer
    raise TypeError(f"a parameter of the type {kind}")


# -- parameters ----------------------------------------------------------------------------------------------------------


class Parameter:
    """One parameter of the kernel: its name in the source, its type, and where in the arguments its value is."""

    def __init__(self, name, kind, path):
        self.name, self.kind, self.path = name, kind, path
        self.is_map = kind == "nvTmaDesc"
        self.is_pointer = kind[0] == "*"
        self.pack = None if self.is_map else _packer(kind)

    def value(self, arguments):
        for k in self.path:
            arguments = arguments[k]
        return arguments


def _leaves(name, signature, path):
    if isinstance(signature, tuple):
        for k, inner in enumerate(signature):
            yield from _leaves(name, inner, (*path, k))
    elif signature != "constexpr":
        yield Parameter(name, signature, path)


def parameters(signature, tensordesc_meta):
    """[Parameter] of {name: type}: tuples are taken apart, constants left out, descriptors become several."""
    out, at = [], 0
    for name, kind in signature.items():
        for expanded in expand_signature([kind], tensordesc_meta, "nvTmaDesc"):
            out += _leaves(str(name), expanded, (at, ))
            at += 1
    return out


class Block:
    """Room for one launch's parameters, and the list of pointers to them."""

    def __init__(self, kinds):
        sizes = [tensormap.BYTES if k == "nvTmaDesc" else 8 for k in kinds]
        self.room = ctypes.create_string_buffer(sum(sizes) + tensormap.ALIGN)
        at = -ctypes.addressof(self.room) % tensormap.ALIGN
        self.offset = []
        order = sorted(range(len(sizes)), key=lambda k: -sizes[k])  # maps first, so that they lie aligned
        place = {}
        for k in order:
            place[k] = at
            at += sizes[k]
        self.offset = [place[k] for k in range(len(sizes))]
        base = ctypes.addressof(self.room)
        self.list = (ctypes.c_void_p * max(1, len(sizes)))(*[base + o for o in self.offset])


# -- attributes of a launch -----------------------------------------------------------------------------------------------


class _Attribute(ctypes.Structure):  # CUlaunchAttribute: an identity, padding to 8, a union of 64 bytes
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class _Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)), ("count", ctypes.c_uint)]


_COOPERATIVE, _CLUSTER, _POLICY, _SERIALIZATION = 2, 4, 5, 6  # CUlaunchAttributeID
_SPREAD = 1
_NON_PORTABLE = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED


def _attributes(num_ctas, cooperative, pdl):
    wanted = []
    if pdl:
        wanted.append((_SERIALIZATION, (1, )))
    if cooperative:
        wanted.append((_COOPERATIVE, (1, )))
    if num_ctas != 1:
        wanted += [(_CLUSTER, (num_ctas, 1, 1)), (_POLICY, (_SPREAD, ))]
    out = (_Attribute * max(1, len(wanted)))()
    for k, (number, values) in enumerate(wanted):
        out[k].id = number
        for i, v in enumerate(values):
            out[k].value[i] = v
    return out, len(wanted)


# -- the program's line ---------------------------------------------------------------------------------------------------


def _say_place():
    """Tells the tools the line of the program that launches: the innermost one outside Triton and this package."""
    frame = sys._getframe(1)
    while frame:
        name = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] != "triton" and not name.startswith("lockstep."):
            code = frame.f_code
            native.library().lockstep_place(code.co_name.encode(), code.co_filename.encode(), frame.f_lineno)
            return
        frame = frame.f_back


class _Told:
    """Under a tool: the arrays of one launch are known by name, extent and contents while it runs."""

    def __init__(self, params, arguments, scratch):
        extents = []
        for p in params:
            value = p.value(arguments) if p.is_pointer else None
            extents.append((p.name, value))
        extents += scratch
        named = []
        for name, value in extents:
            where = None if value is None or isinstance(value, int) else arrays.extent(value)
            if where is not None and where[0]:
                named.append((name, *where))
        self.keep = []
        rows = arrays.merged(named)
        self.count = len(rows)
        self.rows = (native.Array * max(1, len(rows)))()
        for row, (name, at, size) in zip(self.rows, rows):
            known = arrays.unset(at, size)
            self.keep.append(known)
            row.name, row.at, row.size = name.encode(), at, size
            row.set = None if known is None else known.ctypes.data

    def __enter__(self):
        native.checked("lockstep_arrays", native.library().lockstep_arrays(self.rows, self.count))

    def __exit__(self, *unused):
        native.library().lockstep_arrays_over(self.rows, self.count)
        native.library().lockstep_place(None, None, 0)


# -- launches --------------------------------------------------------------------------------------------------------------


def _make_descriptor(arg, metadata, _):
    return decompose_descriptor(arg) if metadata is None else tensormap.make(arg, metadata)


class Launcher:
    """What Triton calls for each launch of a kernel (driver.launcher_cls)."""

    def __init__(self, src, metadata):
        tensordesc_meta = getattr(metadata, "tensordesc_meta", None)
        self.params = parameters(dict(src.signature), tensordesc_meta)
        # Behind the source's parameters Triton's kernels have two more: scratch memory, and the profiler's.
        self.kinds = [p.kind for p in self.params] + ["*i8", "*i8"]
        self.free = []  # blocks that no launch uses
        self.num_ctas = getattr(metadata, "num_ctas", 1)
        self.scratch = (metadata.global_scratch_size, metadata.global_scratch_align)
        self.profile = (metadata.profile_scratch_size, metadata.profile_scratch_align)
        self.cooperative = bool(metadata.launch_cooperative_grid)
        self.pdl = bool(metadata.launch_pdl)
        self.run = wrap_handle_tensordesc_impl(self.launch, dict(src.signature), tensordesc_meta, _make_descriptor)

    def allocate(self, what, blocks, allocator, stream):
        size, align = what
        return allocator(blocks * self.num_ctas * size, align, stream) if size > 0 else None

    def __call__(self, x, y, z, stream, function, kernel_metadata, launch_metadata, enter, leave, *arguments):
        if x * y * z <= 0:
            return
        blocks = x * y * z
        scratch = self.allocate(self.scratch, blocks, _allocation._allocator.get(), stream)
        if _allocation.has_profile_allocator():
            allocator = _allocation._profile_allocator.get()
        else:
            allocator = lambda size, align, _: arrays.zeros(size + align, "int8")
        profile = self.allocate(self.profile, blocks, allocator, stream)
        if enter is not None:
            enter(launch_metadata)
        self.run(x, y, z, stream, function, kernel_metadata, (scratch, profile), arguments)
        if leave is not None:
            leave(launch_metadata)

    def launch(self, x, y, z, stream, function, kernel_metadata, scratch, arguments):
        num_warps, num_ctas, shared = kernel_metadata
        block = self.free.pop() if self.free else Block(self.kinds)
        base = ctypes.addressof(block.room)
        for p, offset in zip(self.params, block.offset):
            value = p.value(arguments)
            if p.is_map:
                ctypes.memmove(base + offset, value.bytes, tensormap.BYTES)
            else:
                struct.pack_into("<Q", block.room, offset, p.pack(value))
        for memory, offset in zip(scratch, block.offset[len(self.params):]):
            struct.pack_into("<Q", block.room, offset, _pointer(memory))
        config = (x * num_ctas, y, z), 32 * num_warps, shared, stream, num_ctas
        if native.tool() == native.TOOL_NONE:
            self.submit(function, config, block)
        else:
            _say_place()
            with _Told(self.params, arguments, list(zip(("global scratch", "profile scratch"), scratch))):
                self.submit(function, config, block)
        self.free.append(block)

    def submit(self, function, config, block):
        grid, threads, shared, stream, num_ctas = config
        function, stream = ctypes.c_void_p(function), ctypes.c_void_p(stream)
        if not (self.cooperative or self.pdl or num_ctas != 1):
            native.call("cuLaunchKernel", function, *grid, threads, 1, 1, shared, stream, block.list, None)
        else:
            attributes, count = _attributes(num_ctas, self.cooperative, self.pdl)
            if num_ctas == 16:
                native.call("cuFuncSetAttribute", function, _NON_PORTABLE, 1)
            c = _Config(grid, (threads, 1, 1), shared, stream, attributes, count)
            native.call("cuLaunchKernelEx", ctypes.byref(c), function, block.list, None)
        native.call("cuCtxSynchronize")
