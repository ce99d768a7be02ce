# SPDX-License-Identifier: Apache-2.0
"""Triton's PTX as liblockstep takes it."""

import re

_INLINE = re.compile(r"(// begin inline asm\n)(.*?)(// end inline asm\n)", re.DOTALL)
_LOC = re.compile(r"^\s*\.loc\b.*\n", re.MULTILINE)


def prepared(ptx):
    """The PTX text for liblockstep: instructions as they are.

    Lines: LLVM's printer of PTX counts the lines of an inline assembly text as if the source went on there, so that
    a load of three instructions ends two lines below its own (the IR has one place for the whole text). Such counted
    places are taken out: the place before the text is right.

    Copies: a reduction's threads that hold the same element all store it; check is told that this is meant."""
    ptx = _INLINE.sub(lambda m: m.group(1) + _LOC.sub("", m.group(2)) + m.group(3), ptx)
    return re.sub(r"^(\.address_size \d+\n)", r'\1.pragma "lockstep replicated";\n', ptx, count=1, flags=re.MULTILINE)
