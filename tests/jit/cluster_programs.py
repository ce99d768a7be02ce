# SPDX-License-Identifier: Apache-2.0
"""Kernels in PTX whose blocks work in clusters, each with the words that it must write, computed here
from what the manual says. tests/jit/cluster_test.py runs them on the virtual GPU;
tools/record/cluster runs the same text on a real one.

    for p in programs(): p.name, p.text, p.cluster, p.grid, p.block, p.inputs, p.want
"""
import random
import struct

from ptx_cases import ptx_text

SHAPES = ((1, 1, 1), (2, 1, 1), (1, 2, 2), (4, 2, 1), (2, 2, 4), (16, 1, 1))
SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
# Where a warp waits at the mbarrier in %m for the end of the phase of parity %ph.
WAIT = """
W{n}: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [{at}], {parity};
@!%q bra W{n};
"""


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


class Program:
    def __init__(self, name, body, cluster, grid, block, want, inputs=(), head=""):
        self.name, self.cluster, self.grid, self.block = name, cluster, grid, block
        self.inputs, self.want = list(inputs), want
        self.text = ptx_text(body, self.inputs, head=head)


def place(shape, grid, block):
    """Rank and cluster of a block, by its coordinates."""
    own = [block[d] % shape[d] for d in range(3)]
    return own, own[0] + shape[0] * (own[1] + shape[1] * own[2]), [block[d] // shape[d] for d in range(3)]


def blocks_of(grid):
    return [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]


BLOCK = """
    .reg .u32 %bx, %by, %bz, %nx, %ny, %lin;
    mov.u32 %bx, %ctaid.x; mov.u32 %by, %ctaid.y; mov.u32 %bz, %ctaid.z;
    mov.u32 %nx, %nctaid.x; mov.u32 %ny, %nctaid.y;
    mad.lo.u32 %lin, %bz, %ny, %by; mad.lo.u32 %lin, %lin, %nx, %bx;
"""


def registers(shape, explicit):
    """What the special registers and addresses of every block are; %is_explicit_cluster."""
    names = ["%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x",
             "%cluster_nctaid.y", "%cluster_nctaid.z", "%clusterid.x", "%clusterid.y", "%clusterid.z",
             "%nclusterid.x", "%nclusterid.y", "%nclusterid.z", "%cluster_ctarank", "%cluster_nctarank"]
    count = len(names) + 12
    body = BLOCK + f"""
    .shared .align 16 .b32 pad[5]; .shared .align 4 .b32 s[8];
    .reg .u32 %v, %a, %b, %r, %n, %last; .reg .u64 %g, %h, %w, %base; .reg .pred %p, %q;
    setp.ne.u32 %q, %t, 0; @%q bra END;
    mul.wide.u32 %g, %lin, {4 * count}; add.u64 %o, %o, %g;
""" + "".join(f"mov.u32 %v, {n}; st.global.u32 [%o+{4 * k}], %v;\n" for k, n in enumerate(names)) + f"""
    add.u64 %o, %o, {4 * len(names)};
    mov.pred %p, %is_explicit_cluster; selp.u32 %v, 1, 0, %p; st.global.u32 [%o], %v;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; sub.u32 %last, %n, 1;
    sub.u32 %last, %last, %r;
    mov.u32 %a, s; shr.u32 %v, %a, 24; st.global.u32 [%o+4], %v;
    mapa.shared::cluster.u32 %b, %a, %last; sub.u32 %v, %b, %a; st.global.u32 [%o+8], %v;
    getctarank.shared::cluster.u32 %v, %b; st.global.u32 [%o+12], %v;
    mov.u64 %g, s; cvta.shared.u64 %g, %g; mapa.u64 %h, %g, %last; getctarank.u64 %v, %h;
    st.global.u32 [%o+16], %v;
    cvta.to.shared.u64 %w, %h; cvt.u32.u64 %v, %w; sub.u32 %v, %v, %a; st.global.u32 [%o+20], %v;
    isspacep.shared::cta %p, %h; selp.u32 %v, 1, 0, %p; st.global.u32 [%o+24], %v;
    isspacep.shared::cluster %p, %h; selp.u32 %v, 1, 0, %p; st.global.u32 [%o+28], %v;
    isspacep.shared %p, %g; selp.u32 %v, 1, 0, %p; st.global.u32 [%o+32], %v;
    isspacep.global %p, %h; selp.u32 %v, 1, 0, %p; st.global.u32 [%o+36], %v;
    mov.u32 %b, pad; sub.u32 %v, %a, %b; st.global.u32 [%o+40], %v;
    add.u32 %v, %a, 4; mapa.shared::cluster.u32 %b, %v, %last; getctarank.shared::cluster.u32 %v, %b;
    st.global.u32 [%o+44], %v;
END:
"""
    grid = tuple(2 * n for n in shape)
    want = []
    for at in blocks_of(grid):
        own, rank, cluster = place(shape, grid, at)
        n = shape[0] * shape[1] * shape[2]
        last = n - 1 - rank
        want += [*own, *shape, *cluster, 2, 2, 2, rank, n, int(explicit), rank,
                 (last - rank << 24) & 0xffffffff, last, last, (last - rank << 24) & 0xffffffff,
                 int(last == rank), 1, 1, 0, 20, last]
    name = "registers_" + ("x".join(map(str, shape)) if explicit else "none")
    return Program(name, body, shape if explicit else None, grid, 32, want)


def ring(n):
    """Every block reads what the next one stored; generic loads and those of shared::cluster."""
    body = BLOCK + """
    .shared .align 4 .b32 pad[3]; .shared .align 4 .b32 s[64];
    .reg .u32 %a, %b, %r, %n, %v, %w; .reg .u64 %g, %x; .reg .pred %p;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank;
    mad.lo.u32 %v, %lin, 1000, %t; mov.u32 %a, s; shl.b32 %w, %t, 2; add.u32 %w, %w, %a;
    st.shared.u32 [%w], %v;
    """ + SYNC + """
    add.u32 %b, %r, 1; rem.u32 %b, %b, %n; mapa.shared::cluster.u32 %a, %w, %b;
    ld.shared::cluster.u32 %v, [%a];
    cvt.u64.u32 %x, %w; cvta.shared.u64 %x, %x; mapa.u64 %x, %x, %b; ld.u32 %w, [%x];
    mad.lo.u32 %a, %lin, 64, %t; mul.wide.u32 %g, %a, 8; add.u64 %o, %o, %g;
    st.global.v2.u32 [%o], {%v, %w};
    """ + SYNC
    want = []
    for b in range(3 * n):
        peer = b - b % n + (b % n + 1) % n
        for t in range(64):
            want += [peer * 1000 + t] * 2
    return Program(f"ring_{n}", body, (n, 1, 1), (3 * n, 1, 1), 64, want)


def atomics(n):
    """Random atomic operations and reductions on the words of all blocks of the cluster."""
    rng = random.Random(n)
    ops = {"add": lambda a, b: a + b & 0xffffffff, "min": min, "max": max, "and": lambda a, b: a & b,
           "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
    body = BLOCK + """
    .shared .align 4 .b32 s[8]; .shared .align 8 .b64 d[2];
    .reg .u32 %a, %b, %r, %n, %v, %w; .reg .u64 %g, %x; .reg .pred %p;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %a, s;
    setp.ge.u32 %p, %t, 8; @%p bra FILLED;
    shl.b32 %w, %t, 2; add.u32 %w, %w, %a; mul.lo.u32 %v, %t, 0x01010101; st.shared.u32 [%w], %v;
    mov.u64 %x, 0; st.shared.u64 [d], %x; st.shared.u64 [d+8], %x;
FILLED:
    """ + SYNC
    state = [[t * 0x01010101 & 0xffffffff for t in range(8)] for _ in range(n)]
    for k, (name, f) in enumerate(ops.items()):
        step, mul = rng.randrange(n), rng.getrandbits(32) | 1
        kind = "red.relaxed.cluster" if k % 2 else "atom.acq_rel.cluster"
        back = "" if k % 2 else "%v, "
        body += f"""
    mad.lo.u32 %v, %t, {mul}, %lin; add.u32 %b, %r, {step}; rem.u32 %b, %b, %n;
    mapa.shared::cluster.u32 %b, %a, %b; {kind}.shared::cluster.{name}.{"b32" if k > 2 else "u32"} {back}[%b+{4 * k}], %v;
"""
        for r in range(n):
            for t in range(96):
                to = state[(r + step) % n]
                to[k] = f(to[k], (t * mul + r) & 0xffffffff)
    body += """
    mov.u32 %b, 0; mov.u32 %v, d; mapa.shared::cluster.u32 %b, %v, %b; cvt.u64.u32 %x, %t;
    red.shared::cluster.add.u64 [%b], %x;
    mov.u32 %v, 7; atom.shared::cluster.inc.u32 %w, [%b+8], 0x7fffffff;
    """ + SYNC + """
    setp.ge.u32 %p, %t, 12; @%p bra END;
    shl.b32 %w, %t, 2; add.u32 %w, %w, %a; ld.shared.u32 %v, [%w];
    mad.lo.u32 %w, %lin, 12, %t; mul.wide.u32 %g, %w, 4; add.u64 %o, %o, %g; st.global.u32 [%o], %v;
END:
"""
    want = []
    for r in range(n):
        total = n * sum(range(96)) if r == 0 else 0
        want += state[r] + [total, 0, n * 96 if r == 0 else 0, 0]
    return Program(f"atomics_{n}", body, (n, 1, 1), (n, 1, 1), 96, want)


def histogram(n):
    """The histogram of CUDA's programming guide: bins over the blocks of a cluster."""
    rng = random.Random(20 + n)
    bins, each = 40, 1000
    data = [rng.randrange(bins * n + 7) for _ in range(each)]
    body = BLOCK + f"""
    .shared .align 4 .b32 s[{bins}];
    .reg .u32 %a, %b, %r, %n, %k, %v, %w, %z; .reg .u64 %g, %x; .reg .pred %p;
    mov.u32 %a, s; mov.u32 %z, 0; mov.u32 %k, %t; mov.u32 %r, %cluster_ctarank;
Z:  setp.ge.u32 %p, %k, {bins}; @%p bra ZE;
    shl.b32 %w, %k, 2; add.u32 %w, %w, %a; st.shared.u32 [%w], %z; add.u32 %k, %k, 64; bra Z;
ZE:
    {SYNC}
    mad.lo.u32 %k, %r, 64, %t;
L:  setp.ge.u32 %p, %k, {each}; @%p bra LE;
    mul.wide.u32 %g, %k, 4; add.u64 %g, %g, %i1; ld.global.u32 %v, [%g]; min.u32 %v, %v, {bins * n - 1};
    div.u32 %b, %v, {bins}; rem.u32 %w, %v, {bins};
    mapa.shared::cluster.u32 %b, %a, %b; shl.b32 %w, %w, 2; add.u32 %b, %b, %w;
    atom.shared::cluster.add.u32 %v, [%b], 1; add.u32 %k, %k, {64 * n}; bra L;
LE:
    {SYNC}
    mov.u32 %k, %t;
O:  setp.ge.u32 %p, %k, {bins}; @%p bra OE;
    shl.b32 %w, %k, 2; add.u32 %w, %w, %a; ld.shared.u32 %v, [%w];
    mad.lo.u32 %w, %r, {bins}, %k; mul.wide.u32 %g, %w, 4; add.u64 %g, %g, %o;
    red.global.add.u32 [%g], %v; add.u32 %k, %k, 64; bra O;
OE:
"""
    want = [0] * (bins * n)
    for x in data:
        want[min(x, bins * n - 1)] += 2
    return Program(f"histogram_{n}", body, (n, 1, 1), (2 * n, 1, 1), 64, want,
                   [struct.pack(f"<{each}I", *data)])


def messages(n):
    """st.async and red.async to the next block, whose mbarrier counts the bytes; three phases."""
    body = BLOCK + """
    .shared .align 16 .b32 s[128]; .shared .align 8 .b64 m;
    .reg .u32 %a, %b, %mb, %r, %n, %v, %w, %k, %ph; .reg .u64 %st, %g; .reg .pred %p, %q;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; setp.eq.u32 %p, %t, 0;
    add.u32 %k, %r, 1; rem.u32 %k, %k, %n; mov.u32 %ph, 0;
    mov.u32 %b, s; mapa.shared::cluster.u32 %b, %b, %k; mad.lo.u32 %a, %t, 8, %b;
    mov.u32 %mb, m; mapa.shared::cluster.u32 %mb, %mb, %k;
@%p mbarrier.init.shared.b64 [m], 1;
@%p fence.mbarrier_init.release.cluster;
    """ + SYNC
    for phase in range(3):
        body += f"""
@%p mbarrier.arrive.expect_tx.shared.b64 %st, [m], {64 * 8};
    mad.lo.u32 %v, %lin, 100, %t; add.u32 %v, %v, {phase * 7};
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%a], {{%v, %ph}}, [%mb];
"""
        body += WAIT.format(n=phase, at="m", parity=phase & 1) + f"""
    mad.lo.u32 %w, %t, 8, 0; mov.u32 %v, s; add.u32 %w, %w, %v; ld.shared.v2.u32 {{%v, %w}}, [%w];
    mad.lo.u32 %ph, %v, 3, %w;
    {SYNC}
"""
    body += f"""
@%p mbarrier.arrive.expect_tx.shared.b64 %st, [m], {64 * 4};
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%a], %t, [%mb];
""" + WAIT.format(n=3, at="m", parity=1) + """
    mov.u32 %v, s; mad.lo.u32 %w, %t, 8, %v; ld.shared.u32 %w, [%w];
    mad.lo.u32 %v, %lin, 64, %t; mul.wide.u32 %g, %v, 8; add.u64 %o, %o, %g; st.global.v2.u32 [%o], {%ph, %w};
    """ + SYNC
    want = []
    values = [[0] * 64 for _ in range(n)]
    last = None
    for phase in range(3):
        sent = [[(r * 100 + t + phase * 7, values[r][t]) for t in range(64)] for r in range(n)]
        got = [sent[(r - 1) % n] for r in range(n)]
        values = [[(3 * v + w) & 0xffffffff for v, w in got[r]] for r in range(n)]
        last = got
    for r in range(n):
        for t in range(64):
            want += [values[r][t], last[r][t][0] + t]
    return Program(f"messages_{n}", body, (n, 1, 1), (n, 1, 1), 64, want)


def bulk(n):
    """A bulk copy from a block's shared memory to the next one's, whose mbarrier is told."""
    size = 48
    body = BLOCK + f"""
    .shared .align 16 .b32 s[{size}]; .shared .align 16 .b32 d[{size}]; .shared .align 8 .b64 m;
    .reg .u32 %a, %b, %mb, %r, %n, %v, %w, %k; .reg .u64 %st, %g; .reg .pred %p, %q;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; setp.eq.u32 %p, %t, 0;
    mov.u32 %a, s; shl.b32 %w, %t, 2; add.u32 %a, %a, %w; mad.lo.u32 %v, %lin, 1000, %t; st.shared.u32 [%a], %v;
@%p mbarrier.init.shared.b64 [m], 1;
@%p fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
    {SYNC}
    @!%p bra REST;
    mbarrier.arrive.expect_tx.shared.b64 %st, [m], {4 * size};
    add.u32 %k, %r, 1; rem.u32 %k, %k, %n; mov.u32 %a, s; mov.u32 %b, d; mapa.shared::cluster.u32 %b, %b, %k;
    mov.u32 %mb, m; mapa.shared::cluster.u32 %mb, %mb, %k;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%b], [%a], {4 * size}, [%mb];
REST:
""" + WAIT.format(n=0, at="m", parity=0) + f"""
    mov.u32 %a, d; add.u32 %a, %a, %w; ld.shared.u32 %v, [%a];
    mad.lo.u32 %w, %lin, {size}, %t; mul.wide.u32 %g, %w, 4; add.u64 %o, %o, %g; st.global.u32 [%o], %v;
    {SYNC}
"""
    want = [((r - 1) % n) * 1000 + t for r in range(n) for t in range(size)]
    return Program(f"bulk_{n}", body, (n, 1, 1), (n, 1, 1), size, want)


def multicast(n):
    """Each block sends one piece of the input to some of the blocks, its own bit among them or not."""
    rng = random.Random(40 + n)
    size, masks = 64, [rng.getrandbits(n) for _ in range(n)]
    data = [rng.getrandbits(32) for _ in range(size * n)]
    got = [[k for k in range(n) if masks[k] >> r & 1] for r in range(n)]
    table = struct.pack(f"<{2 * n}I", *[x for r in range(n) for x in (masks[r], 4 * size * len(got[r]))])
    body = BLOCK + f"""
    .shared .align 128 .b32 d[{size * n}]; .shared .align 8 .b64 m;
    .reg .u32 %a, %r, %v, %w, %k, %e; .reg .u64 %st, %g, %f; .reg .pred %p, %q; .reg .b16 %c;
    mov.u32 %r, %cluster_ctarank; setp.eq.u32 %p, %t, 0; mov.u32 %k, %t;
Z:  mov.u32 %a, d; shl.b32 %w, %k, 2; add.u32 %a, %a, %w; mov.u32 %v, 77; st.shared.u32 [%a], %v;
    add.u32 %k, %k, 32; setp.lt.u32 %q, %k, {size * n}; @%q bra Z;
    mul.wide.u32 %g, %r, 8; add.u64 %g, %g, %i2; ld.global.v2.u32 {{%k, %e}}, [%g]; cvt.u16.u32 %c, %k;
@%p mbarrier.init.shared.b64 [m], 1;
@%p fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
    {SYNC}
    @!%p bra REST;
    mbarrier.arrive.expect_tx.shared.b64 %st, [m], %e;
    mul.wide.u32 %f, %r, {4 * size}; add.u64 %f, %f, %i1; mov.u32 %a, d; mad.lo.u32 %a, %r, {4 * size}, %a;
    setp.eq.u32 %q, %k, 0; @%q bra REST;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%a], [%f], {4 * size}, [m], %c;
REST:
""" + WAIT.format(n=0, at="m", parity=0) + f"""
    mov.u32 %k, %t;
O:  mov.u32 %a, d; shl.b32 %w, %k, 2; add.u32 %a, %a, %w; ld.shared.u32 %v, [%a];
    mad.lo.u32 %w, %lin, {size * n}, %k; mul.wide.u32 %g, %w, 4; add.u64 %g, %o, %g; st.global.u32 [%g], %v;
    add.u32 %k, %k, 32; setp.lt.u32 %q, %k, {size * n}; @%q bra O;
    {SYNC}
"""
    want = []
    for r in range(n):
        for k in range(n):
            want += data[k * size:(k + 1) * size] if k in got[r] else [77] * size
    return Program(f"multicast_{n}", body, (n, 1, 1), (n, 1, 1), 32, want,
                   [struct.pack(f"<{size * n}I", *data), table])


def split(n):
    """Arrival and wait apart; threads that have left count as arrived; arrivals from branches."""
    body = BLOCK + """
    .shared .align 4 .b32 s[96];
    .reg .u32 %a, %b, %r, %n, %v, %w, %k; .reg .u64 %g; .reg .pred %p, %q;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %a, s; shl.b32 %w, %t, 2;
    add.u32 %a, %a, %w; add.u32 %v, %lin, %t; st.shared.u32 [%a], %v;
    setp.ge.u32 %p, %t, 80; @%p exit;
    and.b32 %v, %t, 1; setp.eq.u32 %q, %v, 1; @%q bra ODD;
    barrier.cluster.arrive.release; mul.lo.u32 %k, %t, 3; bra BOTH;
ODD: mul.lo.u32 %k, %t, 5; barrier.cluster.arrive;
BOTH:
    barrier.cluster.wait.acquire;
    add.u32 %b, %r, 1; rem.u32 %b, %b, %n; mapa.shared::cluster.u32 %b, %a, %b; ld.shared::cluster.u32 %v, [%b];
    barrier.cluster.arrive.relaxed;
    add.u32 %v, %v, %k; mad.lo.u32 %w, %lin, 96, %t; mul.wide.u32 %g, %w, 4; add.u64 %o, %o, %g;
    st.global.u32 [%o], %v;
    barrier.cluster.wait;
"""
    want = []
    for r in range(n):
        want += [(r + 1) % n + t + t * (5 if t & 1 else 3) if t < 80 else 0 for t in range(96)]
    return Program(f"split_{n}", body, (n, 1, 1), (n, 1, 1), 96, want)


def roles(n, count):
    """`count` roles of warps: the first of block 0 sends tiles to all blocks through a ring of two
    stages; each other warp sums what comes and, when done with a stage, arrives at block 0's mbarrier.
    One role: the sending warp sums, too."""
    rng = random.Random(60 + n + count)
    tiles, size, stages = 7, 32, 2
    readers = 1 if count == 1 else count - 1
    data = [rng.getrandbits(20) for _ in range(tiles * size)]
    threads = 32 * (1 if count == 1 else count)
    body = BLOCK + f"""
    .shared .align 128 .b32 d[{size * stages}]; .shared .align 8 .b64 full[{stages}]; .shared .align 8 .b64 free[{stages}];
    .reg .u32 %a, %r, %v, %w, %k, %warp, %lane, %sum, %stage, %par, %fu, %fr, %zero; .reg .u64 %st, %g, %f;
    .reg .pred %p, %q, %one, %send, %sums; .reg .b16 %c;
    mov.u32 %r, %cluster_ctarank; setp.eq.u32 %p, %t, 0; shr.u32 %warp, %t, 5; and.b32 %lane, %t, 31;
    setp.eq.u32 %one, %lane, 0; mov.u32 %sum, 0; mov.u32 %zero, 0;
    @!%p bra READY;
""" + "".join(f"mbarrier.init.shared.b64 [full+{8 * s}], 1; mbarrier.init.shared.b64 [free+{8 * s}], {n * readers};\n"
              for s in range(stages)) + f"""
    fence.mbarrier_init.release.cluster;
READY:
    {SYNC}
    mov.u32 %k, 0; setp.eq.u32 %send, %warp, 0;
    {"setp.eq.u32 %sums, %zero, 0;" if count == 1 else "setp.ne.u32 %sums, %warp, 0;"}
    cvt.u16.u32 %c, {(1 << n) - 1};
LOOP:
    and.b32 %stage, %k, 1; shr.u32 %par, %k, 1; and.b32 %par, %par, 1;
    mov.u32 %fu, full; mad.lo.u32 %fu, %stage, 8, %fu; mov.u32 %fr, free; mad.lo.u32 %fr, %stage, 8, %fr;
    @!%send bra SUM;
    @!%one bra SENT;
    setp.lt.u32 %q, %k, {stages}; @%q bra EMPTY;
    xor.b32 %v, %par, 1;
""" + WAIT.format(n=2, at="%fu", parity="%v") + f"""
EMPTY:
    mbarrier.arrive.expect_tx.shared.b64 %st, [%fu], {4 * size};
    setp.ne.u32 %q, %r, 0; @%q bra SENT;
    setp.lt.u32 %q, %k, {stages}; @%q bra FREE;
    xor.b32 %v, %par, 1;
""" + WAIT.format(n=0, at="%fr", parity="%v") + f"""
FREE:
    mul.wide.u32 %f, %k, {4 * size}; add.u64 %f, %f, %i1; mov.u32 %a, d; mad.lo.u32 %a, %stage, {4 * size}, %a;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%a], [%f], {4 * size}, [%fu], %c;
SENT:
    bar.warp.sync -1;
SUM:
    @!%sums bra NEXT;
""" + WAIT.format(n=1, at="%fu", parity="%par") + f"""
    mov.u32 %a, d; mad.lo.u32 %a, %stage, {4 * size}, %a; mad.lo.u32 %a, %lane, 4, %a; ld.shared.u32 %v, [%a];
    mad.lo.u32 %sum, %sum, 3, %v; add.u32 %sum, %sum, %warp;
    bar.warp.sync -1;
    @!%one bra NEXT;
    mapa.shared::cluster.u32 %fr, %fr, %zero; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%fr];
NEXT:
    bar.warp.sync -1;
    add.u32 %k, %k, 1; setp.lt.u32 %q, %k, {tiles}; @%q bra LOOP;
    mad.lo.u32 %w, %lin, {threads}, %t; mul.wide.u32 %g, %w, 4; add.u64 %o, %o, %g; st.global.u32 [%o], %sum;
    {SYNC}
"""
    want = []
    for _ in range(n):
        for t in range(threads):
            total = 0
            for k in range(tiles):
                if count == 1 or t >= 32:
                    total = total * 3 + data[k * size + t % 32] + t // 32 & 0xffffffff
            want.append(total)
    return Program(f"roles_{n}_{count}", body, (n, 1, 1), (n, 1, 1), threads, want,
                   [struct.pack(f"<{len(data)}I", *data)])


def arrivals(n):
    """Remote arrivals with counts at block 0's mbarrier, over five phases; it answers by another one in
    each block. What pending_count says of states."""
    body = BLOCK + f"""
    .shared .align 8 .b64 m; .shared .align 8 .b64 go; .shared .align 4 .b32 s[4];
    .reg .u32 %a, %b, %r, %n, %v, %w, %k, %zero, %c, %sum; .reg .u64 %st, %g; .reg .pred %p, %q;
    mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %zero, 0; mov.u32 %sum, 0;
    setp.eq.u32 %p, %t, 0; @!%p bra READY;
    mbarrier.init.shared.b64 [m], {n * 32 * 2}; mbarrier.init.shared.b64 [go], 1; fence.mbarrier_init.release.cluster;
    st.shared.u32 [s], %zero;
READY:
    {SYNC}
    mov.u32 %k, 0;
LOOP:
    mov.u32 %a, s; mapa.shared::cluster.u32 %a, %a, %zero; add.u32 %v, %k, 1; red.relaxed.cluster.shared::cluster.add.u32 [%a], %v;
    mov.u32 %b, m; mapa.shared::cluster.u32 %b, %b, %zero;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b], 2;
    and.b32 %v, %k, 1;
    setp.ne.u32 %q, %r, 0; @%q bra WAITGO; @!%p bra WAITGO;
""" + WAIT.format(n=0, at="m", parity="%v") + f"""
    mov.u32 %c, 0;
SEND: mov.u32 %b, go; mapa.shared::cluster.u32 %b, %b, %c; mbarrier.arrive.shared::cluster.b64 _, [%b];
    add.u32 %c, %c, 1; setp.lt.u32 %q, %c, %n; @%q bra SEND;
WAITGO:
""" + WAIT.format(n=1, at="go", parity="%v") + f"""
    ld.shared::cluster.u32 %w, [%a]; mad.lo.u32 %sum, %sum, 7, %w;
    {SYNC}
    add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 5; @%q bra LOOP;
    mad.lo.u32 %w, %lin, 32, %t; mul.wide.u32 %g, %w, 4; add.u64 %o, %o, %g; st.global.u32 [%o], %sum;
"""
    total = seen = 0
    for k in range(5):
        total += n * 32 * (k + 1)
        seen = seen * 7 + total & 0xffffffff
    return Program(f"arrivals_{n}", body, (n, 1, 1), (n, 1, 1), 32, [seen] * (32 * n))


def programs():
    yield registers((1, 1, 1), False)
    for shape in SHAPES:
        yield registers(shape, True)
    for n in (2, 4, 8, 16):
        for make in (ring, atomics, histogram, messages, bulk, multicast, split, arrivals):
            yield make(n)
    for n in (1, 2, 4, 16):
        for count in (1, 2, 3, 4):
            yield roles(n, count)
