#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line: help, versions, mistakes and their exit codes, options and their environment
# twins, JSON.
. "$(dirname "$0")/kernels.sh"
cd "$work" || exit 1

# -- lockstep itself
expect "help" 0 "out:usage: lockstep COMMAND" "$LOCKSTEP" --help
expect "help lists launch" 0 "out:^  launch  +" "$LOCKSTEP" help
expect "version" 0 "out:^lockstep [0-9]+\.[0-9]+" "$LOCKSTEP" --version
expect "no command" 2 "no command given" "$LOCKSTEP"
expect "unknown command" 2 'did you mean "?devices' "$LOCKSTEP" device
expect "unknown option" 2 "unknown option" "$LOCKSTEP" --bogus
expect "a program without run" 2 "lockstep run x.cu" "$LOCKSTEP" x.cu
expect "full output" 70 "writing the output" bash -c '"$LOCKSTEP" --version >/dev/full'
for command in $("$LOCKSTEP" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    expect "$command --help" 0 "out:." "$LOCKSTEP" "$command" --help
    expect "help $command" 0 "out:." "$LOCKSTEP" help "$command"
done

# -- run
expect "run: nothing" 2 "no program given" "$LOCKSTEP" run
expect "run: unknown option" 2 "did you mean --workers" "$LOCKSTEP" run --wrokers 2 true
expect "run: no value" 2 "needs a value" "$LOCKSTEP" run --gpu
expect "run: no workers" 2 "from 1 to" "$LOCKSTEP" run --workers 0 true
expect "run: half a number" 2 "from 1 to" "$LOCKSTEP" run --workers 2x true
expect "run: unknown GPU" 2 "no GPU \"h2000\"" "$LOCKSTEP" run --gpu h2000 true
expect "run: unknown capability" 2 "9.9" "$LOCKSTEP" run --cc 9.9 true
expect "run: two devices" 2 "both name the device" "$LOCKSTEP" run --cc 9.0 --gpu h200 true
expect "run: unknown kind" 2 "virtual or gpu" "$LOCKSTEP" run --device tpu true
expect "run: missing source" 2 "no.cu: No such file" "$LOCKSTEP" run no.cu
expect "run: missing program" 2 "No such file" "$LOCKSTEP" run ./no
expect "run: a folder" 2 "a folder, not a program" "$LOCKSTEP" run .
expect "run: PTX" 2 "lockstep launch good.ptx" "$LOCKSTEP" run good.ptx
echo "no program" >plain
expect "run: not executable" 2 "nor executable|Permission denied" "$LOCKSTEP" run ./plain
chmod +x good.ptx && cp good.ptx text && chmod +x text
expect "run: status of the program" 7 "^.$" "$LOCKSTEP" run bash -c 'echo . >&2; exit 7'
expect "run: its arguments" 0 "out:^--help -- -q$" "$LOCKSTEP" run -- echo --help -- -q
expect "run: options to variables" 0 "out:^3 3.5 4 1 unset$" "$LOCKSTEP" run --workers 3 --cc 3.5 \
    --devices=4 -v bash -c \
    'echo $LOCKSTEP_WORKERS $LOCKSTEP_CC $LOCKSTEP_DEVICES $LOCKSTEP_VERBOSE ${LOCKSTEP_GPU:-unset}'
expect "run: JSON" 7 "out:\"exit_status\": 7" "$LOCKSTEP" run --json bash -c 'echo printed; exit 7'
expect "run: JSON, what the program prints" 7 "^printed$" "$LOCKSTEP" run --json bash -c 'echo printed; exit 7'
expect "run: JSON to a file" 134 "out:^printed$" "$LOCKSTEP" run --cc 7.0 --json=run.json bash -c 'echo printed; kill -6 $$'
expect "run: the file" 0 "out:Compute capability 7.0 7.0 134 6 True" python3 -c 'import json; r = json.load(open("run.json"))
print(r["device"]["name"], r["device"]["cc"], r["exit_status"], r["signal"], r["milliseconds"] > 0)'
expect "run: JSON, a program that is not there" 2 "No such file" "$LOCKSTEP" run --json ./no
expect "run: the command line wins" 0 "out:^3.5 unset$" env LOCKSTEP_GPU=h200 "$LOCKSTEP" run --cc 3.5 \
    bash -c 'echo $LOCKSTEP_CC ${LOCKSTEP_GPU:-unset}'
expect "run: the environment stays" 0 "out:^h200$" env LOCKSTEP_GPU=h200 "$LOCKSTEP" run \
    bash -c 'echo $LOCKSTEP_GPU'

# -- launch
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("32I", *range(32)))' >in.bin
expect "launch" 0 "" "$LOCKSTEP" launch good.ptx --block 32 --arg buffer:@in.bin --dump 0:out.bin
python3 - <<'PY' || complain "launch: wrong result"
import struct
assert struct.unpack("32I", open("out.bin", "rb").read()) == tuple(2 * i + 1 for i in range(32))
PY
expect "launch: JSON" 0 'out:"kernel": ?"k"' "$LOCKSTEP" launch good.ptx --json --block 32 --arg buffer:128
python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); assert j["version"] == 1 and j["block"] == [32, 1, 1] and j["device"]["cc"]' \
    "$work/out" || complain "launch: JSON's shape"
expect "launch: JSON to a file" 0 "" "$LOCKSTEP" launch good.ptx --json=j.json --block 32 --arg buffer:128
python3 -m json.tool j.json >/dev/null || complain "launch: JSON file"
expect "launch: JSON to a device" 0 'out:"kernel": ?"k"' "$LOCKSTEP" launch good.ptx --json=/dev/stdout --block 32 \
    --arg buffer:128
expect "launch: to /dev/null" 0 "" "$LOCKSTEP" launch good.ptx --json=/dev/null --block 32 --arg buffer:128 \
    --dump 0:/dev/null
[ -c /dev/null ] || complain "launch: /dev/null was replaced"
expect "launch: stdin" 0 "" bash -c '"$LOCKSTEP" launch - --block 32 --arg buffer:128 <good.ptx'
expect "access: stdin" 0 'out:"wavefronts": 2' bash -c '{ printf "id,space,op,width,mask"; printf ",a%s" {0..31};
    printf "\n7,shared,ld,4,3,0,128\n"; } | "$LOCKSTEP" access --csv - --json'
for stage in classes llvm asm; do
    expect "launch: $stage" 0 "out:." "$LOCKSTEP" launch good.ptx --block 32 --dump-stage $stage
done
expect "launch: devices" 0 'out:"cc": ?"2.0"' "$LOCKSTEP" launch good.ptx --cc 2.0 --json --block 32 --arg buffer:128

expect "occupancy: no threads" 2 "a number from 1 to" "$LOCKSTEP" occupancy --threads 0

# -- what other commands answer is JSON
for line in "devices --json" "occupancy --threads 256 --json" "access --stride 2 --json"; do
    # shellcheck disable=SC2086
    expect "$line" 0 "out:[[{]" "$LOCKSTEP" $line
    python3 -m json.tool "$work/out" >/dev/null 2>&1 || complain "$line: is no JSON"
done
finish
