#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of the estimate that follow from a kernel's text: each changes what its kernel takes, and not its twin's."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOCKSTEP, ROOT = os.environ["LOCKSTEP"], Path(os.environ["SOURCE_DIR"])


def profile(program, report, gpu="h200", model=""):
    options = ["--model=" + model] if model else []
    subprocess.run([LOCKSTEP, "profile", "-q", "--gpu", gpu, *options, "--json", str(report), "--", str(program)], check=True,
                   stdout=subprocess.DEVNULL)
    return {k["name"].split("(")[0]: k for k in json.loads(report.read_text())["kernels"]}


def main():
    wrong = []

    def want(what, is_so):
        if not is_so:
            wrong.append(what)

    with tempfile.TemporaryDirectory() as folder:
        program, report = Path(folder) / "mechanisms", Path(folder) / "report.json"
        subprocess.run([LOCKSTEP, "cc", "-O3", "-o", str(program), str(ROOT / "tests/profile/mechanisms.cu")], check=True)
        whole, plain = profile(program, report), profile(program, report, model="-merge,-schedulers,-texture,-requests,-warm")
        words = 1 << 20
        for name, share in (("words_together", 1), ("words_tested", 1), ("words_apart", 4), ("words_far", 8)):
            # clang makes one store of four words of words_together where it sees them; then there is nothing to merge
            stores = whole[name]["model"]["l2_stores"]
            want(f"{name}: {stores} sectors, not {share} times {words // 8}", stores == share * words // 8)
        merged, before = whole["words_apart"]["model"], plain["words_apart"]["model"]
        want("a barrier keeps stores apart", merged["l2_stores"] == before["l2_stores"])
        want("block clocks of chains with schedulers of their own are fewer",
             whole["chains"]["model"]["block_clocks"] < 0.9 * plain["chains"]["model"]["block_clocks"])
        without = profile(program, report, model="-pending")
        clocks = {name: (whole[name]["model"]["warp_clocks"], without[name]["model"]["warp_clocks"])
                  for name in ("all_ask", "each_asks")}
        want(f"all warps wait for a line that one of them has asked for: {clocks}",
             clocks["all_ask"][0] > 2 * clocks["all_ask"][1] and clocks["all_ask"][0] > 0.8 * clocks["each_asks"][0])
        want("a warp with lines of its own waits for these with and without it",
             abs(clocks["each_asks"][0] / clocks["each_asks"][1] - 1) < 0.01)
        drain = {name: whole[name]["model"]["drain_clocks"] for name in ("chains", "one_line", "stores_first")}
        want(f"a block's place is free when its last store has come to L2: {drain}",
             105 < drain["chains"] <= 120 and 105 < drain["one_line"] <= 120 and drain["stores_first"] == 0)
        without = profile(program, report, model="-ahead")
        clocks = {name: tuple(k[name]["model"]["warp_clocks"] for k in (whole, without))
                  for name in ("read_lines<true>", "read_lines<false>", "chains")}
        want(f"a load is waited for behind the barrier, beside the one there: {clocks}",
             clocks["read_lines<true>"][0] < 0.65 * clocks["read_lines<true>"][1])
        want("and where it is if that is where it is read", clocks["read_lines<false>"][0] == clocks["read_lines<false>"][1])
        want("nothing is ahead where nothing is loaded", clocks["chains"][0] == clocks["chains"][1])
        deep = {name: tuple(k[name]["model"]["memory_waits"] for k in (whole, plain)) for name in ("one_line", "chains")}
        want(f"lines of device memory are waited for where L2 has not kept them: {deep}",
             deep["one_line"][0] < 0.01 and 0.9 < deep["one_line"][1] <= 1 and deep["chains"] == (0, 0))
        without = profile(program, report, model="-slowest")
        block = {name: (whole[name]["model"]["block_clocks"], without[name]["model"]["block_clocks"])
                 for name in ("first_reads", "two_read", "all_read", "chains", "each_asks")}
        want(f"a block takes as long as the warp of it that reads: {block}",
             block["first_reads"][0] > 6 * block["first_reads"][1] and
             abs(block["first_reads"][0] / block["all_read"][0] - 1) < 0.15)
        want("and as both, where a barrier is between", block["two_read"][0] > 1.8 * block["first_reads"][0])
        for name in ("all_read", "chains", "each_asks"):
            want(f"{name}: warps that do the same have no slowest one", block[name][0] == block[name][1])
        without = profile(program, report, model="-wide")
        passes = {name: tuple(k[name]["model"]["shared_wavefronts"] for k in (whole, without))
                  for name in ("quads", "neighbours", "along", "walked<0>", "walked<1>")}
        warps, stores = 16 * 8, 16 * 8 * 4
        want(f"four words side by side are one load of four passes, not four of four: {passes}",
             passes["quads"] == (stores + 4 * warps, stores + 16 * warps))
        want("and not where a thread's address is no multiple of 16",
             passes["neighbours"] == (stores + 4 * warps, stores + 4 * warps))
        want("a word a turn is a load in four turns",
             passes["along"][1] == stores + 64 * warps and passes["along"][0] <= stores + 32 * warps)
        want("four words a turn are one load where their first address is a multiple of 16, wherever the register stands",
             passes["walked<0>"] == (stores + 8 * 2 * warps, stores + 8 * 4 * warps))
        want("and the two in the middle from a word behind",
             passes["walked<1>"] == (stores + 8 * 3 * warps, stores + 8 * 4 * warps))
        waits = {name: sum(line.get("waits", {"memory": 0})["memory"] for line in whole[name]["lines"])
                 for name in ("either", "one_line", "four_lines")}
        want(f"a value that is loaded in one of two ways is waited for once: {waits}", waits["either"] == waits["one_line"] > 250)
        want("four lines come 21 clocks later than one: 70 of 4 / 5 beside 1 / 2",
             abs(waits["four_lines"] - waits["one_line"] - 21) < 0.5)
        without = profile(program, report, model="-farthest")
        clocks = {name: whole[name]["model"]["warp_clocks"] - without[name]["model"]["warp_clocks"]
                  for name in ("one_line", "four_lines")}
        want(f"and as late as one without the mechanism: {clocks}",
             clocks["one_line"] == 0 and abs(clocks["four_lines"] - 21) < 0.5)
        without = profile(program, report, model="-polls")
        work = {name: tuple(k[name]["model"]["issue_slots"] for k in (whole, without)) for name in ("wait", "counted")}
        want(f"turns of a loop that waits are not work: {work}", work["wait"][0] < 0.7 * work["wait"][1])
        want("those of one that counts are", work["counted"][0] == work["counted"][1])
        want("the counters have them", whole["wait"]["counters"]["instructions"] > work["wait"][1])
        lanes, warps = 16 * 256, 16 * 8
        passes = {name: whole[name]["model"]["atomic_passes"]
                  for name in ("combined", "exchanged", "wrapped", "swapped_once")}
        want(f"a warp's lanes are combined where a compiler can: {passes}",
             passes == {"combined": warps, "exchanged": lanes, "wrapped": lanes, "swapped_once": lanes})
        swaps = {name: whole[name]["model"]["hot_swaps"] for name in ("swapped_once", "swapped")}
        want(f"a swap is waited for where it is tried again: {swaps}",
             swaps["swapped_once"] == 0 and swaps["swapped"] >= warps)
        for k in whole.values():
            r = k["roofline"]
            want(f"{k['name']}: an interval around the estimate, no lower than the bound: {r}",
                 r["interval"] == "measured" and r["seconds"] <= r["low"] <= r["estimate"] < r["high"])
        want("texels bound reads", whole["reads"]["roofline"]["busiest"] == "texture")
        want("and do not where they are not counted", plain["reads"]["roofline"]["busiest"] != "texture")
        want("what a fill has left in L2 is not read again", whole["once"]["model"]["dram_bytes"] == 0)
        want("but without the mechanism", plain["once"]["model"]["dram_bytes"] >= 4 * words)
        want("memory that is read and written, and read again by another kernel, counts once",
             whole["in_place"]["model"]["dram_bytes"] == whole["read_back"]["model"]["dram_bytes"] == 0)
        small = profile(program, report, gpu="t4")
        want("nothing was measured of a T4", all(k["roofline"]["interval"] == "assumed" for k in small.values()))
        want("and does not stay in an L2 that is too small", small["read_back"]["model"]["dram_bytes"] >= 16 * words)
        want("nor from an L2 that is too small", small["once"]["model"]["dram_bytes"] >= 4 * words)
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
