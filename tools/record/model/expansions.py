# SPDX-License-Identifier: Apache-2.0
"""src/model/model_expansions.def from what record.sh recorded.

    expansions.py merge FOLDER >tests/data/h200_model_instructions.csv    instructions?.csv, operations?.csv, counts?.csv
    expansions.py table tests/data/h200_model_instructions.csv >src/model/model_expansions.def

Of each operation: warp instructions that ran for it (the profiler's, less those of the chain around it), of those the ones of
the integer, double-precision and special-function pipes, and clocks until its result is there. Where an operation takes
more clocks of an SM than these would, by the rates of the pipes, the rest is put down as integer instructions: wide
multiplications take two turns.
"""
import collections, csv, re, sys

# PTX instruction or function of the library <- operation of instructions.cu; what else it ran, to be taken off
NAMES = """
div.s32=div_s32 div.u32=div_u32 rem.s32=rem_s32 rem.u32=rem_u32 div.s64=div_s64_large div.u64=div_u64_large
rem.s64=rem_s64_large rem.u64=rem_u64_large
add.64=add_s64 sub.64=add_s64 mul.64=mul_lo_s64 mad.64=mad_lo_s64 mul.hi.s64=mul_hi_s64 mul.hi.u64=mul_hi_u64 mul.hi.s32=mul_hi_s32
mul.hi.u32=mul_hi_u32 mad.wide=mad_wide_s32 shl.64=shl_b64 shr.64=shr_s64 min.64=min_s64 max.64=min_s64
popc.32=popc_b32 clz.32=clz_b32 brev.32=brev_b32 bfind.32=bfind_u32 popc.64=popc_b64 clz.64=clz_b64 bfe.32=bfe_u32 bfi.32=bfi_b32
shfl=shfl_down match=match_any redux=redux_add
div.f32=div_rn_f32 div.full.f32=div_full_f32 div.approx.f32=div_approx_f32 sqrt.f32=sqrt_rn_f32 rcp.f32=rcp_rn_f32
sqrt.approx.f32=sqrt_approx_f32 rcp.approx.f32=rcp_approx_f32 rsqrt.approx.f32=rsqrt_approx_f32 ex2.approx.f32=ex2_approx_f32
lg2.approx.f32=lg2_approx_f32 sin.approx.f32=sin_approx_f32 cos.approx.f32=cos_approx_f32 tanh.approx.f32=tanh_approx_f32
div.f64=div_rn_f64 sqrt.f64=sqrt_rn_f64 rcp.f64=rcp_rn_f64 rsqrt.approx.f64=rsqrt_f64 min.f64=min_f64 max.f64=min_f64
add.f64=add_f64 mul.f64=mul_f64 fma.f64=fma_f64
setp.64=selp_setp_s64/2 selp.64=selp_setp_s64/2 setp.f32=selp_setp_f32/2 selp.f32=selp_setp_f32/2 min.f32=min_f32 max.f32=min_f32
and.64=shl_b64 or.64=shl_b64 xor.64=shl_b64 not.64=shl_b64 neg.64=add_s64 setp.f64=add_f64
cvt.f64=cvt_f32_f64_f32/2 cvt.64=cvt_f32_s64_f32/2 cvt.int=cvt_rmi_f32 cvt.rmi=cvt_rmi_f32
"""
FUNCTIONS = ("sinf cosf tanf sincosf expf exp2f exp10f expm1f logf log2f log10f log1pf powf asinf acosf atanf atan2f sinhf coshf tanhf erff "
             "erfcf cbrtf hypotf fmodf roundf floorf ldexpf tgammaf lgammaf rsqrtf").split()
DOUBLES = ("sin cos tan exp exp2 log log2 log10 pow asin acos atan atan2 sinh cosh tanh erf erfc cbrt hypot fmod floor round "
           "rsqrt").split()


def readings(folder):
    ops = {}
    for part in range(5):
        for r in csv.DictReader(open(f"{folder}/operations{part}.csv")):
            ops[r["operation"]] = {"between": int(r["between"]), "extra": int(r["extra"])}
        for r in csv.DictReader(open(f"{folder}/instructions{part}.csv")):
            ops[r["operation"]].update(latency=float(r["latency"]), clocks=float(r["issue"]))
        kernels = collections.defaultdict(dict)
        for r in csv.DictReader(line for line in open(f"{folder}/counts{part}.csv") if line.startswith('"')):
            name = re.search(r"op_(\w+)", r["Kernel Name"])[1]
            kernels[int(r["ID"]), name][r["Metric Name"]] = float(r["Metric Value"].replace(",", ""))
        turns = collections.defaultdict(list)
        for (_, name), metrics in sorted(kernels.items()):
            turns[name].append(metrics)
        for name, (few, many) in turns.items():
            for metric in few:
                short = metric.replace("smsp__inst_executed.sum", "all").replace("sm__inst_executed_pipe_", "").replace(".sum", "")
                ops[name][short] = (many[metric] - few[metric]) / ops[name]["between"]
    return ops


def row(name, o, parts):
    loop = 3 / (16 if o["between"] == 512 else 4)  # counter, comparison, jump of a turn
    extra = o["extra"]
    run = max(1, (o["all"] - loop - extra) / parts)
    special, double = round(o["xu"] / parts), round(o["fp64"] / parts)
    clocks = o["clocks"] / parts
    whole = max(0, o["alu"] + o["fmaheavy"] - (1 if "f" not in name else 0) * extra) / parts
    whole = min(whole, 2.2 * clocks)
    if max(whole / 2, run / 4, 2 * special, double / 2) < 0.85 * clocks and not double:
        whole = 2 * clocks
    latency = max(4, o["latency"] - 4 * extra) / parts
    return f'EXPANDS({chr(34) + name + chr(34) + ",":22}{round(run):4},{round(whole):4},{double:4},{special:4},{round(latency):5})'


COLUMNS = "extra between latency clocks all alu fma fmaheavy fp64 xu lsu cbu uniform".split()


def merge(folder):
    print("operation", *COLUMNS, sep=",")
    for name, o in readings(folder).items():
        print(name, *(f"{o.get(c, 0):g}" for c in COLUMNS), sep=",")


def table(path):
    ops = {r["operation"]: {c: float(r[c]) for c in COLUMNS} for r in csv.DictReader(open(path))}
    rows = []
    for word in NAMES.split():
        name, _, op = word.partition("=")
        op, _, parts = op.partition("/")
        rows.append((name, row(name, ops[op], int(parts or 1))))
    rows += [("__nv_" + f, row("__nv_" + f, ops[f], 1)) for f in FUNCTIONS]
    rows += [("__nv_" + f, row("__nv_" + f, ops[f + "_f64"], 1)) for f in DOUBLES]
    print(HEAD)
    print("\n".join(text for _, text in sorted(rows)))


HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * What one PTX instruction, or call of the mathematical library, becomes on a GPU: EXPANDS("name",
 * warp instructions, of those: by the integer pipes, the double-precision pipe, the special
 * function unit, clocks until its result is there). Sorted by name: the mnemonic, .hi, .wide, .full
 * or .approx, and the type (add, mul and kin of 64-bit integers: .64; cvt: see mix.c). Instructions
 * without a row are one each.
 *
 * [R] An H200, nvcc 13.0, driver 580.159.04, 22 November 2026:
 * tests/data/h200_model_instructions.csv; written by tools/record/model/expansions.py, not by hand.
 * Of divisions in 64 bits the general path (clang's code has the short one beside it); of sin, cos
 * and tan that for arguments that need no long reduction. Other generations as this one: assumed.
 */"""

if __name__ == "__main__":
    {"merge": merge, "table": table}[sys.argv[1]](sys.argv[2])
