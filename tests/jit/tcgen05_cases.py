# SPDX-License-Identifier: Apache-2.0
"""One instruction of tcgen05 a block, or a pair of blocks (.cta_group::2): shared memory and 128 columns of tensor
memory are filled from files, thread 0 executes the instruction and commits it, tensor memory is written out.

A row of the table: number of the instruction, D, descriptors of A and B (their addresses count from the dynamic
shared memory), A, the instruction descriptor, metadata, scales of A and B, whether D counts, mask of columns (at
byte 48), which block of a pair executes it (at byte 56), lanes left out (at byte 64)."""
import os
import struct
import subprocess
import tempfile
from pathlib import Path

from ptx_cases import LOCKSTEP, Failed

COLUMNS, SHARED, ROW = 128, 1 << 16, 96
LANE = COLUMNS * 4


def kernel(instructions, group):
    """Block b, or a pair of them, executes one, which its row of the table names; thread 0 does, of a pair that of one
    block."""
    pair = group == 2
    sync = "barrier.cluster.arrive; barrier.cluster.wait;" if pair else "bar.sync 0;"
    regs = ", ".join(f"%v{k}" for k in range(32))
    arms = "\n".join(f"F{k}: {text} bra DONE;" for k, text in enumerate(instructions))
    return f""".version 8.8
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry run(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
    .shared .align 8 .b64 bar; .shared .b32 slot;
    .reg .u64 %o, %im, %tm, %row, %da, %db, %zm, %g; .reg .u32 %t, %b, %v<32>, %k, %w, %x, %td, %ta, %id, %me, %sa, %sb, %m<8>, %fm, %en32, %ba, %base, %who, %rank; .reg .u16 %both;
    .reg .pred %p, %en, %first;
    ld.param.u64 %o, [p0]; ld.param.u64 %im, [p1]; ld.param.u64 %tm, [p2]; ld.param.u64 %row, [p3];
    mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %ba, bar;
    mad.wide.u32 %im, %b, {SHARED}, %im; mad.wide.u32 %tm, %b, {128 * COLUMNS * 4}, %tm;
    mad.wide.u32 %o, %b, {128 * COLUMNS * 4}, %o; {"shr.u32 %b, %b, 1;" if pair else ""} mad.wide.u32 %row, %b, {ROW}, %row;
    mad.wide.u32 %tm, %t, {COLUMNS * 4}, %tm; mad.wide.u32 %o, %t, {COLUMNS * 4}, %o;
    setp.eq.u32 %first, %t, 0;
    @%first mbarrier.init.shared.b64 [%ba], 1;
    setp.lt.u32 %p, %t, 32;
    @!%p bra FILL;
    mov.u32 %x, slot;
    tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [%x], {COLUMNS};
FILL:
    mov.u32 %k, %t;
MORE:
    mul.wide.u32 %g, %k, 16; add.u64 %g, %g, %im; ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%g];
    shl.b32 %x, %k, 4; mov.u32 %w, s; add.u32 %x, %x, %w; st.shared.v4.u32 [%x], {{%v0, %v1, %v2, %v3}};
    add.u32 %k, %k, 128; setp.lt.u32 %p, %k, {SHARED // 16}; @%p bra MORE;
    bar.sync 0;
    ld.shared.u32 %base, [slot]; shr.u32 %w, %t, 5; shl.b32 %w, %w, 21; mov.u32 %k, 0;
IN:
{chr(10).join(f"    ld.global.v4.u32 {{%v{4*k}, %v{4*k+1}, %v{4*k+2}, %v{4*k+3}}}, [%tm+{16*k}];" for k in range(8))}
    add.u32 %x, %w, %k; tcgen05.st.sync.aligned.32x32b.x32.b32 [%x], {{{regs}}};
    add.u64 %tm, %tm, 128; add.u32 %k, %k, 32; setp.lt.u32 %p, %k, {COLUMNS}; @%p bra IN;
    tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; {sync} tcgen05.fence::after_thread_sync;
    ld.global.u32 %who, [%row+56]; mov.u32 %rank, %cluster_ctarank; {"setp.eq.and.u32 %first, %rank, %who, %first;" if pair else ""}
    @!%first bra WAIT;
    ld.global.u32 %fm, [%row]; ld.global.u32 %td, [%row+4]; ld.global.u64 %da, [%row+8]; ld.global.u64 %db, [%row+16];
    ld.global.u32 %ta, [%row+24]; ld.global.u32 %id, [%row+28]; ld.global.u32 %me, [%row+32]; ld.global.u32 %sa, [%row+36];
    ld.global.u32 %sb, [%row+40]; ld.global.u32 %en32, [%row+44]; ld.global.u64 %zm, [%row+48];
    ld.global.v4.u32 {{%m0, %m1, %m2, %m3}}, [%row+64]; ld.global.v4.u32 {{%m4, %m5, %m6, %m7}}, [%row+80];
    setp.ne.u32 %en, %en32, 0; mov.u16 %both, 3;
    mov.u32 %x, s; and.b32 %x, %x, 0x3ffff; shr.u32 %x, %x, 4; cvt.u64.u32 %g, %x; add.u64 %da, %da, %g; add.u64 %db, %db, %g;
    brx.idx %fm, LABELS;
{arms}
DONE:
    tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster{".multicast::cluster.b64 [%ba], %both" if pair else ".b64 [%ba]"};
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%ba], 0; @!%p bra WAIT;
    tcgen05.fence::after_thread_sync; mov.u32 %k, 0;
OUT:
    add.u32 %x, %w, %k; tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{regs}}}, [%x]; tcgen05.wait::ld.sync.aligned;
{chr(10).join(f"    st.global.v4.u32 [%o+{16*k}], {{%v{4*k}, %v{4*k+1}, %v{4*k+2}, %v{4*k+3}}};" for k in range(8))}
    add.u64 %o, %o, 128; add.u32 %k, %k, 32; setp.lt.u32 %p, %k, {COLUMNS}; @%p bra OUT;
    {sync} setp.lt.u32 %p, %t, 32;
    @!%p bra END;
    tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;
    tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %base, {COLUMNS};
END:
    ret;
LABELS: .branchtargets {", ".join(f"F{k}" for k in range(len(instructions)))};
}}
"""


def run(instructions, cases, group=1):
    """Lanes of tensor memory afterwards, for each block: (shared memory, tensor memory as lanes of words, row). Of
    pairs the first block's row counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "k.ptx").write_text(kernel(instructions, group))
        (folder / "shared").write_bytes(b"".join(c[0] for c in cases))
        (folder / "memory").write_bytes(b"".join(struct.pack(f"<{COLUMNS}I", *lane) for c in cases for lane in c[1]))
        (folder / "rows").write_bytes(b"".join(c[2].ljust(ROW, b"\0") for c in cases[::group]))
        inputs = [x for f in ("shared", "memory", "rows") for x in ("--arg", f"buffer:@{folder / f}")]
        done = subprocess.run([LOCKSTEP, "launch", folder / "k.ptx", "--cc", "10.0", "--kernel", "run", "--grid",
                               str(len(cases)), "--block", "128", "--cluster", str(group), "--shared", str(SHARED), "--arg",
                               f"buffer:{len(cases) * LANE * 128}", *inputs, "--dump", f"0:{folder / 'out'}"],
                              capture_output=True, text=True, env=dict(os.environ, LOCKSTEP_CACHE="off"))
        if done.returncode:
            raise Failed(done.stderr.strip())
        out = (folder / "out").read_bytes()
    return [[struct.unpack_from(f"<{COLUMNS}I", out, (at * 128 + lane) * LANE) for lane in range(128)]
            for at in range(len(cases))]
