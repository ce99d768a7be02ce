# SPDX-License-Identifier: Apache-2.0
"""What tcgen05.mma gives, element by element, in whole numbers: a model of its own, from the manual's
tables (PTX ISA 9.7.16) and CuTe's layouts; written apart from src/jit/ops/tcgen05.c. Of .cta_group::2 a case has the
memories of both blocks, the even one's first, and is looked at through one block's eyes (`seen`).

Numbers are (sign and fraction as an integer, exponent of its last bit, exponent), or "nan", "inf", "-inf".
"""

# bits, fraction bits, bias, how it ends: i infinities, n a NaN, "" neither
FORMATS = {"f16": (16, 10, 15, "i"), "bf16": (16, 7, 127, "i"), "tf32": (32, 23, 127, "i"), "f32": (32, 23, 127, "i"),
           "e4m3": (8, 3, 7, "n"), "e5m2": (8, 2, 15, "i"), "e2m3": (6, 3, 1, ""), "e3m2": (6, 2, 3, ""),
           "e2m1": (4, 1, 1, "")}
BYTES = {"f16": 2, "bf16": 2, "tf32": 4}


def number(kind, word):
    bits, fraction, bias, ends = FORMATS[kind]
    if kind == "tf32":
        word &= ~0x1fff
    sign, field, low = word >> (bits - 1) & 1, word >> fraction & (1 << (bits - 1 - fraction)) - 1, word & (1 << fraction) - 1
    full = (1 << (bits - 1 - fraction)) - 1
    if ends == "i" and field == full:
        return "nan" if low else "-inf" if sign else "inf"
    if ends == "n" and field == full and low == (1 << fraction) - 1:
        return "nan"
    m, e = (low + (1 << fraction), field - bias) if field else (low, 1 - bias)
    return (-m if sign else m), e - fraction, e


def to_f32(total, unit):
    """total * 2^unit, cut off."""
    if not total:
        return 0
    m = abs(total)
    e = m.bit_length() - 1 + unit
    last = max(e, -126) - 23
    m = m >> (last - unit) if last > unit else m << (unit - last)
    word = m + ((e + 126) << 23) if e >= -126 else m
    word = 0x7f800000 if e > 127 else word
    return word | (0x80000000 if total < 0 and word else 0)


def to_f16(total, unit):
    """To nearest even."""
    m = abs(total)
    if not m:
        return 0
    e = m.bit_length() - 1 + unit
    last = max(e, -14) - 10
    if last > unit:
        d = last - unit
        rest, m = m & (1 << d) - 1, m >> d
        m += rest > 1 << (d - 1) or (rest == 1 << (d - 1) and m & 1)
    else:
        m <<= unit - last
    word = m + ((e + 14) << 10) if e >= -14 else m
    word = min(word, 0x7c00)
    return word | (0x8000 if total < 0 and word else 0)


def special(values, half):
    """A result where infinities or NaNs are about; values: of the addends."""
    if "nan" in values or ("inf" in values and "-inf" in values):
        return 0x7fff if half else 0x7fffffff
    sign = "-inf" in values
    return (0xfc00 if sign else 0x7c00) if half else (0xff800000 if sign else 0x7f800000)


def product(a, b):
    if isinstance(a, str) or isinstance(b, str):
        if "nan" in (a, b) or (not isinstance(a, str) and not a[0]) or (not isinstance(b, str) and not b[0]):
            return "nan"
        signs = sum(x == "-inf" if isinstance(x, str) else x[0] < 0 for x in (a, b))
        return "-inf" if signs == 1 else "inf"
    return a[0] * b[0], a[1] + b[1], a[2] + b[2]


def add_up(addends, bits, half=False):
    """Addends (m, unit, e): aligned to the largest e of those that are not zero, cut off `bits` below it."""
    odd = [x for x in addends if isinstance(x, str)]
    if odd:
        return special(odd, half)
    top = max([-133] + [e for m, _, e in addends if m])
    total = 0
    for m, unit, _ in addends:
        shift = unit - (top - bits)
        cut = abs(m) << shift if shift >= 0 else abs(m) >> -shift
        total += -cut if m < 0 else cut
    return (to_f16 if half else to_f32)(total, top - bits)


def negated(x):
    return {"inf": "-inf", "-inf": "inf", "nan": "nan"}[x] if isinstance(x, str) else (-x[0], *x[1:])


# -- shared memory ------------------------------------------------------------------------------------------------

WIDTH = {0: 16, 1: 128, 2: 128, 4: 64, 6: 32} # bytes of a pattern's rows by the descriptor's swizzling mode


def swizzled(mode, at, base):
    row = (at >> 7) - base
    if mode == 1: # Swizzle<2, 5, 2>
        return at ^ (row & 3) << 5
    return at ^ (row & (WIDTH[mode] // 16 - 1)) << 4


def shared_at(d, transposed, size, x, k):
    """Address of the byte k of row x (transposed: of number k of row x, `size` bytes each)."""
    start, lead, stride = d & 0x3fff, d >> 16 & 0x3fff, d >> 32 & 0x3fff
    start, lead, stride, base, mode = start * 16, lead * 16, stride * 16, d >> 49 & 7, d >> 61
    w = WIDTH[mode]
    if not transposed:
        at = start + x % 8 * w + x // 8 * stride + k % w + k // w * lead
    elif mode == 0:
        at = start + x * size % 16 + x * size // 16 * stride + k % 8 * 16 + k // 8 * lead
    else:
        deep = 4 if mode == 1 else 8
        at = start + x * size % w + x * size // w * lead + k % deep * w + k // deep * stride
    return swizzled(mode, at, base)


def containers(kind, chunk):
    """16 numbers of 4 or 6 bits that lie at the start of 16 bytes."""
    bits = FORMATS[kind][0]
    word = int.from_bytes(chunk, "little")
    return [word >> bits * n & (1 << bits) - 1 for n in range(16)]


def shared_row(c, which, x, count):
    """Words of `count` numbers of a row of A or B."""
    memory, d, kind = c["shared"], c["desc_" + which], c[which]
    trans, size = c["trans_" + which], BYTES.get(kind, 1)
    get = lambda at, n: int.from_bytes(memory[at:at + n], "little")
    if trans:
        return [get(shared_at(d, True, size, x, k), size) for k in range(count)]
    if kind == "pair": # two of 4 bits in a byte
        row = [get(shared_at(d, False, 1, x, k), 1) for k in range(count // 2)]
        return [n for byte in row for n in (byte & 15, byte >> 4)]
    if kind in ("e2m1", "e2m3", "e3m2"):
        out = []
        for k in range(0, count, 16):
            at = shared_at(d, False, 1, x, k)
            out += containers(kind, memory[at:at + 16])
        return out
    return [get(shared_at(d, False, size, x, k * size), size) for k in range(count)]


def inside_row(c, lane, count):
    """The same of A in tensor memory."""
    column, kind = c["at_a"] & 0xffff, c["a"]
    row = b"".join(w.to_bytes(4, "little") for w in c["memory"][lane][column:column + 8])
    if kind == "pair":
        return [n for byte in row for n in (byte & 15, byte >> 4)]
    size = BYTES.get(kind, 1)
    words = [int.from_bytes(row[k:k + size], "little") for k in range(0, 32, size)]
    if kind == "e2m1": # the middle four bits of a byte
        return [w >> 2 & 15 for w in words]
    return [w & 63 for w in words] if kind in ("e2m3", "e3m2") else words


# -- rows of A, columns of B --------------------------------------------------------------------------------------

def seen(c, m):
    """(the case as that block has it whose row m is; the row there): each has half of the rows."""
    if "memories" not in c:
        return c, m
    block, row = divmod(m, c["m"] // 2)
    return dict(c, m=c["m"] // 2, pair=True, memory=c["memories"][block], shared=c["shareds"][block]), row


def folded(c):
    """Parts of the lanes have other columns: layouts B, E and G."""
    return c["ws"] or (c.get("pair") and not c["sparse"])


def lane_of(c, m, n):
    if folded(c):
        return m + (n // (c["n"] * c["m"] // 128)) * c["m"]
    return m if c["m"] == 128 else m % 16 + m // 16 * 32 + (c["at_d"] >> 16)


def column_of(c, n):
    return (c["at_d"] & 0xffff) + (n % (c["n"] * c["m"] // 128) if folded(c) else n)


def row_of_b(c, n, count):
    """Of a pair each block's shared memory has half of the columns."""
    if not c.get("pair"):
        return shared_row(c, "b", n, count)
    block, column = divmod(n, c["n"] // 2)
    return shared_row(dict(c, shared=c["shareds"][block]), "b", column, count)


def metadata(c, m, n, group):
    column, lane = c["at_meta"] & 0xffff, lane_of(c, m, n)
    if c["a"] in BYTES:
        of = lane - lane % 16 + m % 8 + (8 if group >= 4 else 0)
        return c["memory"][of][column + c["selector"]] >> (m % 16 // 8 * 16 + group % 4 * 4) & 15
    return c["memory"][lane][column + group // 8] >> group % 8 * 4 & 15


def row_of_a(c, m, n, k):
    """{k: word} of row m, as D's column n sees it."""
    stored = k // 2 if c["sparse"] else k
    if c["inside"]:
        lane = lane_of(c, m, n)
        lane += 1 if c.get("shifted") and m + 1 < c["m"] else 0
        row = inside_row(c, lane, stored)
    else:
        row = shared_row(c, "a", m, stored)
    if not c["sparse"]:
        return dict(enumerate(row))
    out = {}
    pairs = 2 if c["a"] == "pair" else 1
    for s, word in enumerate(row):
        if c["a"] == "tf32":
            out[2 * s + (1 if metadata(c, m, n, s) == 0b1110 else 0)] = word
        else:
            unit, within = divmod(s, pairs)
            group, which = divmod(unit, 2)
            place = metadata(c, m, n, group) >> 2 * which & 3
            out[(4 * group + place) * pairs + within] = word
    return out


def scale(c, which, m, n, k):
    """(m, unit, e) or "nan": of row m, of column n at k, from the lanes where D's element is."""
    at, sub = c["at_scale_" + which], c["scale_id_" + which]
    index = m if which == "a" else n % (c["n"] * c["m"] // 128) if folded(c) else n
    lane = lane_of(c, m, n) // 32 * 32 + index % 32
    byte = c["memory"][lane][(at & 0xffff) + index // 32] >> 8 * (sub + k // c["per_scale"]) & 255
    if c["scales"] == "ue8m0":
        return "nan" if byte == 255 else (1, byte - 127, byte - 127)
    return number("e4m3", byte & 127)


def b_is_zero(c, n):
    mask = c.get("zeros", 0)
    if not mask >> 39 & 1:
        return False
    parts = 128 // c["m"]
    part, at = divmod(n, c["n"] // parts)
    start, ones_first = mask >> 8 * part & 255, mask >> 32 + part & 1
    skip, use = (mask >> 40 & 255) + 1, (mask >> 48 & 255) + 1
    pattern = [1] * skip + [0] * use if ones_first else [0] * use + [1] * skip
    return bool(pattern[(at + start) % (skip + use)])


def element(c, m, n):
    """The word in D's cell afterwards."""
    c, m = seen(c, m)
    k = c["k"]
    before = c["memory"][lane_of(c, m, n)][column_of(c, n)]
    a = row_of_a(c, m, n, k)
    b = row_of_b(c, n + (c.get("zeros", 0) >> 56 & 63), k)
    if b_is_zero(c, n):
        b = [0] * k
    if c["d"] == "s32":
        whole = lambda kind, w: w - 256 if kind == "s8" and w > 127 else w
        total = sum(whole(c["a"], w) * whole(c["b"], b[at]) for at, w in a.items())
        total += (before - (1 << 32) if before >> 31 else before) if c["add"] else 0
        if c["saturate"]:
            total = max(-1 << 31, min((1 << 31) - 1, total))
        return total & 0xffffffff
    half = c["d"] == "f16"
    old = number("f16" if half else "f32", before & 0xffff if half else before) if c["add"] else (0, 0, -1000)
    if c["scale_d"] and not isinstance(old, str):
        old = (old[0], old[1] - c["scale_d"], old[2] - c["scale_d"])
    if c["a"] == "pair":
        return blocks(c, m, n, a, b, old)
    terms = []
    for at, w in a.items():
        x = product(number(c["a"], w), number(c["b"], b[at]))
        terms.append(negated(x) if c["negate"] else x)
    if c["scales"]:
        sa, sb = scale(c, "a", m, n, 0), scale(c, "b", m, n, 0)
        terms = [product(product(x, sa), sb) if x != "nan" and sa != "nan" and sb != "nan" else "nan" for x in terms]
    return add_up([old, *terms], 25, half)


def blocks(c, m, n, a, b, old):
    """Sixteen products of 4 bits are exact; their sum times two scales is one addend, with the scales' exponent."""
    terms = [old]
    for first in range(0, c["k"], 16):
        total = 0
        for at in range(first, first + 16):
            if at in a:
                x = product(number("e2m1", a[at]), number("e2m1", b[at]))
                total += x[0] << (x[1] + 2)
        sa, sb = scale(c, "a", m, n, first), scale(c, "b", m, n, first)
        if "nan" in (sa, sb):
            return 0x7fffffff
        fraction, unit = sa[0] * sb[0], sa[1] + sb[1] - 2
        # A sum that is zero still counts with its scales: the smallest addend that is not zero stands for it.
        terms.append(((-total if c["negate"] else total) * fraction, unit, sa[2] + sb[2], bool(fraction)))
    if isinstance(old, str):
        return special([old], False)
    top = max([-133] + [t[2] for t in terms if (t[3] if len(t) > 3 else t[0])])
    total = 0
    for t in terms:
        shift = t[1] - (top - 35)
        cut = abs(t[0]) << shift if shift >= 0 else abs(t[0]) >> -shift
        total += -cut if t[0] < 0 else cut
    return to_f32(total, top - 35)
