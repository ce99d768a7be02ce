#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command `profile`: what it prints, its exit status, conditions, comparison with a saved result.
. "$(dirname "$0")/../cli/kernels.sh"
here=$SOURCE_DIR/tests/profile
"$LOCKSTEP" cc -o "$work/t" "$here/transposes.cu" || exit 1
printf '#include <cstdio>\nint main(int c, char **) { puts("no kernel"); return c > 1; }\n' >"$work/none.cu"
profile=("$LOCKSTEP" profile)

expect "table" 0 'out:^tiled<0, false>  grid 4x4, block 32x8, 1 launch  \(NVIDIA H200, 9.0\)' "${profile[@]}" "$work/t"
expect "time first" 0 'out:^  time +[0-9.]+ us a launch; 9 of 10' "${profile[@]}" "$work/t"
expect "peaks" 0 'out:^  of peak +DRAM [0-9]+%  L2 [0-9]+%  L1 [0-9]+%  shared [0-9]+%  FP32 [0-9]+%  tensor 0%' "${profile[@]}" "$work/t"
expect "what an older GPU's time is worth" 0 'out:^  time .*not measured on 2.0' "${profile[@]}" --cc 2.0 "$work/t"
expect "no counters at first" 0 'out:^-v: counters' "${profile[@]}" "$work/t"
grep -q 'shared_load_wavefronts' "$work/out" && complain "counters on the first screen"
expect "hot lines where asked for" 0 'out:transposes.cu:17 .*global store' "${profile[@]}" --lines 2 "$work/t"
expect "conflicts named" 0 'out:transposes.cu:36: 32-way bank conflict.*132 bytes instead of 128' "${profile[@]}" -v "$work/t"
expect "sectors named" 0 'out:transposes.cu:17: global stores move 8 times.*512 bytes apart' "${profile[@]}" -v "$work/t"
cases=$((cases + 1))
"${profile[@]}" -v --kernel 'tiled<1, true>' "$work/t" >"$work/out" 2>"$work/err"
grep -q '^  !.*\(conflict\|global\)' "$work/out" && complain "advice for a kernel without fault"
expect "only that kernel" 0 'out:^tiled<1, true>' "${profile[@]}" --kernel 'tiled<1, true>' "$work/t"
grep -q '^naive' "$work/out" && complain "--kernel shows others"
expect "metrics" 0 'out:shared_load_bank_conflicts +15872  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum' "${profile[@]}" -v "$work/t"
expect "transactions before 5.0" 0 'out:17: global stores take 32 transactions a request; 2 when' "${profile[@]}" -v --cc 1.0 "$work/t"
expect "source" 0 'out:  17  +out\[x \* n \+ y \+ j\] .*\| .*512 global store x 32 sectors' "${profile[@]}" --source "$work/t"
expect "timeline" 0 'out:SM  15  15$' "${profile[@]}" --timeline "$work/t"
expect "waves" 0 'out:SM   0  0 16 .*\|' "${profile[@]}" --gpu g80 --timeline --kernel naive "$work/t" 1024

# conditions
expect "holds" 0 '' "${profile[@]}" -q --kernel tiled --assert 'shared_store_bank_conflicts==0' "$work/t"
expect "does not hold" 1 'tiled<0, false>: shared_load_bank_conflicts is 15872, not == 0' "${profile[@]}" -q --assert 'shared_load_bank_conflicts==0' "$work/t"
expect "of a kernel" 0 '' "${profile[@]}" -q --assert 'tiled<1: shared_load_bank_conflicts == 0' "$work/t"
expect "ratio" 1 'naive: global_store_sectors / global_store_requests is 32, not <= 4' "${profile[@]}" -q --assert 'global_store_sectors/global_store_requests <= 4' "$work/t"
expect "several" 1 'naive: occupancy' "${profile[@]}" -q --assert 'naive: barriers == 0' --assert 'naive: occupancy < 1' "$work/t"
expect "unknown counter" 2 'did you mean shared_load_requests' "${profile[@]}" --assert 'shared_load_request==0' "$work/t"
expect "nonsense" 2 'takes \[KERNEL:\]' "${profile[@]}" --assert 'barriers' "$work/t"
expect "no such kernel" 1 'no such kernel' "${profile[@]}" -q --assert 'spmv: barriers == 0' "$work/t"

# results
expect "saved" 0 '' "${profile[@]}" -q --json="$work/base.json" "$work/t"
expect "same again" 0 'out:Against the baseline' "${profile[@]}" --baseline "$work/base.json" "$work/t"
grep -q -- '->' "$work/out" && complain "a change where there is none"
expect "another device" 0 'out:shared_load_bank_conflicts .*15872 -> 7680 .*-51.6 %' "${profile[@]}" --cc 3.5 --baseline "$work/base.json" "$work/t"
expect "no such baseline" 2 'No such file' "${profile[@]}" --baseline "$work/bad.json" "$work/t"
printf '[]' >"$work/bad.json"
expect "not a result" 2 'not a result' "${profile[@]}" --baseline "$work/bad.json" "$work/t"
expect "json on stdout" 0 'out:^\{"version":1' "${profile[@]}" --json -- "$work/t"
cases=$((cases + 1))
python3 -c 'import json,sys; r = json.load(sys.stdin); assert r["complete"] and len(r["kernels"]) == 4' <"$work/out" || complain "stdout is not the result alone"
expect "without caches" 0 'out:global_load_sectors' "${profile[@]}" -v --no-caches "$work/t"
grep -q hit_rate "$work/out" && complain "hit rates without caches"

# programs
expect "no kernel" 3 'launched no kernel' "${profile[@]}" "$work/none.cu"
expect "no program" 2 'no program' "${profile[@]}"
expect "no such file" 2 'nowhere' "${profile[@]}" "$work/nowhere.cu"
finish
