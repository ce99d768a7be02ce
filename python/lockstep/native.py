# SPDX-License-Identifier: Apache-2.0
"""liblockstep from Python: where the library lies, and its calls by ctypes.

    from lockstep import native
    native.call("cuInit", 0)          # raises native.Error with the reason

The library is the first of: the file that LOCKSTEP_LIBRARY names; the one that came with this package
(a wheel); the build tree's that this package lies in; the one beside the command `lockstep` of PATH; the one
that the loader knows.
"""

import ctypes
import functools
import os
import shutil

TOOL_NONE, TOOL_PROFILE, TOOL_CHECK = range(3)  # lockstep_tool()


class Error(RuntimeError):
    """A call failed: its name, the error's name and the reason."""

    def __init__(self, call, code, name, text):
        super().__init__(f"{call}: {name}: {text}")
        self.code = code


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("LOCKSTEP_LIBRARY")
    if named:
        yield named
        return
    yield os.path.join(here, "_root", "lib", "liblockstep.so")  # a wheel
    yield os.path.join(here, "..", "..", "build", "liblockstep.so")  # the source tree, and build/python, which links to it
    command = shutil.which("lockstep")
    if command:
        folder = os.path.dirname(os.path.realpath(command))
        yield os.path.join(folder, "liblockstep.so")
        yield os.path.join(folder, "..", "lib", "liblockstep.so")
        yield os.path.join(folder, "..", "lib", os.uname().machine + "-linux-gnu", "liblockstep.so")


def path():
    """The library's file; a bare name where the loader is to look for it."""
    for candidate in _candidates():
        if os.path.exists(candidate):
            return os.path.realpath(candidate)
    if "LOCKSTEP_LIBRARY" in os.environ:
        raise OSError(f"LOCKSTEP_LIBRARY names {os.environ['LOCKSTEP_LIBRARY']}, which is not there")
    return "liblockstep.so"


@functools.lru_cache(maxsize=None)
def library():
    """The loaded library. OSError: there is none."""
    return ctypes.CDLL(path())


def _text(call, code):
    at = ctypes.c_char_p()
    if getattr(library(), call)(code, ctypes.byref(at)) != 0 or not at.value:
        return str(code)
    return at.value.decode()


def checked(name, result):
    """result, of the call `name`: raises Error where it is not 0."""
    if result != 0:
        reason = library().lockstep_reason
        reason.restype = ctypes.c_char_p
        said = (reason() or b"").decode()
        text = _text("cuGetErrorString", result)
        raise Error(name, result, _text("cuGetErrorName", result), f"{text} ({said})" if said else text)


def call(name, *arguments):
    """Calls a function of the driver API. int arguments go as C ints: wider ones need their ctypes type."""
    checked(name, getattr(library(), name)(*arguments))


def attribute(number, device=0):
    """cuDeviceGetAttribute."""
    value = ctypes.c_int()
    call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
    return value.value


@functools.lru_cache(maxsize=None)
def start(cc):
    """cuInit, with a GPU of this compute capability unless LOCKSTEP_CC or LOCKSTEP_GPU names one."""
    if "LOCKSTEP_CC" not in os.environ and "LOCKSTEP_GPU" not in os.environ:
        os.environ["LOCKSTEP_CC"] = cc
    call("cuInit", 0)


@functools.lru_cache(maxsize=None)
def tool():
    """Which tool watches this process's launches: one of TOOL_NONE, TOOL_PROFILE, TOOL_CHECK."""
    return library().lockstep_tool()


class Array(ctypes.Structure):
    """struct lockstep_array (docs/driver.md)."""

    _fields_ = [("name", ctypes.c_char_p), ("at", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("set", ctypes.c_void_p)]
