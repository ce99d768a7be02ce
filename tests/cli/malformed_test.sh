#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Malformed and hostile input: each ends with a message that names the place, the exit code of a
# usage error (2) or of a failed kernel (1), and never with a crash or a sanitizer's report. Where
# only the cache is bad, the kernel runs all the same.
. "$(dirname "$0")/kernels.sh"
cd "$work" || exit 1

# reject NAME PATTERN OPTIONS...: bad.ptx, just written, must be refused.
reject() {
    local name=$1 pattern=$2
    shift 2
    expect "$name" 2 "$pattern" "$LOCKSTEP" launch bad.ptx --block 32 --arg buffer:128 "$@"
}
# body NAME PATTERN LINES...: a kernel with these lines must be refused.
body() {
    local name=$1 pattern=$2
    shift 2
    ptx "$@" >bad.ptx
    reject "$name" "$pattern"
}

# -- the text
size=$(wc -c <good.ptx)
for ((cut = 0; cut < size - 2; cut += 23)); do
    head -c "$cut" good.ptx >bad.ptx
    reject "cut at byte $cut" "bad.ptx:([0-9]+:[0-9]+:)? "
done
: >bad.ptx
reject "an empty file" "bad.ptx"
head -c 4096 /dev/urandom >bad.ptx
reject "noise" "bad.ptx:[0-9]+:[0-9]+: "
head -c 4096 /dev/zero >bad.ptx
reject "zero bytes" "bad.ptx:"
body "unknown instruction" "bad.ptx:7:[0-9]+: .*frobnicate" 'frobnicate.u32 %r0, %r1;'
body "left out instruction" "bad.ptx:7:[0-9]+: .*multimem.st" 'multimem.st.global.u32 [%d0], %r0;'
body "wrong operand type" "bad.ptx:7:[0-9]+: " 'add.u32 %r0, %d0, %r1;'
body "wrong operand count" "bad.ptx:7:[0-9]+: " 'add.u32 %r0, %r1;'
body "too much shared memory" "uses too much shared data .0x3b9ac9ff bytes, 0xc000 max" '.shared .b8 big[999999999];' \
    'mov.u64 %d0, big;' 'cvt.u32.u64 %r0, %d0;' 'st.shared.u32 [%r0], %r0;'
body "unknown type" "bad.ptx:7:[0-9]+: .*u33" 'add.u33 %r0, %r1, %r2;'
body "no type" "bad.ptx:7:[0-9]+: " 'add %r0, %r1, %r2;'
body "undefined register" "bad.ptx:7:[0-9]+: .*%r99" 'mov.u32 %r99, %r0;'
body "undefined label" "bad.ptx:7:[0-9]+: .*NOWHERE" 'bra NOWHERE;'
body "undefined variable" "bad.ptx:7:[0-9]+: .*nothing" 'ld.global.u32 %r0, [nothing];'
body "undefined function" "bad.ptx:7:[0-9]+: .*nobody" 'call nobody;'
body "label twice" "bad.ptx:8:[0-9]+: .*HERE" 'HERE:' 'HERE:' 'bra HERE;'
body "register twice" "bad.ptx:7:[0-9]+: .*%r0" '.reg .b32 %r0;'
body "number too large" "bad.ptx:7:[0-9]+: " 'mov.u32 %r0, 99999999999999999999999;'
body "unclosed comment" "bad.ptx:" '/* never ends'
body "unclosed string" "bad.ptx:" '.pragma "never ends;'
body "absurd shared memory" "bad.ptx:7:[0-9]+: " '.shared .b8 s[99999999999999];'
body "absurd local memory" "bad.ptx:7:[0-9]+: " '.local .b8 s[18446744073709551615];'
body "absurd register count" "bad.ptx:7:[0-9]+: " '.reg .b32 %z<4000000000>;'
python3 -c 'print("{" * 200000)' >scopes
body "deep scopes" "bad.ptx:" "$(cat scopes)"
python3 -c 'print("mov.u32 %r0, " + "(" * 200000 + "1;")' >parentheses
body "deep parentheses" "bad.ptx:7:" "$(cat parentheses)"
python3 -c 'print("x" * 1000000)' >name
body "a name of a megabyte" "bad.ptx:7:" "$(cat name) %r0;"
sed 1d good.ptx >bad.ptx
reject "no version" "bad.ptx:1:[0-9]+: "
sed 's/address_size 64/address_size 32/' good.ptx >bad.ptx
reject "32-bit addresses" "bad.ptx:.*32"
sed 's/^{/;/' good.ptx >bad.ptx
reject "no body" "bad.ptx"
{
    cat good.ptx
    echo '.extern .global .u32 elsewhere;'
} >bad.ptx
sed -i 's/^ret;/mov.u64 %d3, elsewhere;\nret;/; s/^.visible .entry/.extern .global .u32 elsewhere;\n&/; $d' bad.ptx
reject "a variable defined nowhere" "elsewhere"

# -- files and options
launch=("$LOCKSTEP" launch good.ptx --block 32)
expect "missing file" 2 "no.ptx" "$LOCKSTEP" launch no.ptx
expect "a folder" 2 "directory|folder" "$LOCKSTEP" launch .
cp good.ptx secret.ptx && chmod 000 secret.ptx
if [ "$(id -u)" -ne 0 ]; then
    expect "no permission" 2 "secret.ptx: .*[Pp]ermission" "$LOCKSTEP" launch secret.ptx
elif setpriv --reuid=65534 --clear-groups "$LOCKSTEP" --version >/dev/null 2>&1; then
    chmod 755 "$work"
    expect "no permission" 2 "secret.ptx: .*[Pp]ermission" setpriv --reuid=65534 --clear-groups \
        "$LOCKSTEP" launch secret.ptx
fi
expect "no file" 2 "no PTX file" "$LOCKSTEP" launch
expect "two files" 2 "one PTX file" "$LOCKSTEP" launch good.ptx good.ptx
expect "unknown option" 2 "did you mean --block" "$LOCKSTEP" launch good.ptx --blocks 32
expect "unknown kernel" 2 "good.ptx: no kernel" "${launch[@]}" --kernel kk --arg buffer:128
expect "no arguments" 2 "takes 1 argument, not 0" "${launch[@]}"
expect "too many arguments" 2 "takes 1 argument, not 2" "${launch[@]}" --arg buffer:128 --arg u32:1
expect "argument of the wrong size" 2 "4 bytes, but parameter p.* 8" "${launch[@]}" --arg u32:1
for arg in u32 u32: u32:x u32:-1 u8:256 s8:-129 u64:18446744073709551616 f32:1e99 f16:1e6 q:1 : buffer: \
    buffer:0 buffer:-5 buffer:@no hex:0 hex:zz; do
    expect "--arg $arg" 2 "$(printf %s "$arg" | sed 's/.*@//')" "${launch[@]}" --arg "$arg"
done
expect "absurd buffer" 2 "out of device memory" "${launch[@]}" --arg buffer:18446744073709551615
expect "absurd grid" 2 "grid .*x is" "${launch[@]}" --arg buffer:128 --grid 4294967296
expect "empty grid" 2 "grid" "${launch[@]}" --arg buffer:128 --grid 1,0,1
expect "grid of four" 2 "grid" "${launch[@]}" --arg buffer:128 --grid 1,1,1,1
expect "absurd block" 2 "block" "$LOCKSTEP" launch good.ptx --arg buffer:128 --block 1025
expect "large block" 2 "2048 threads" "$LOCKSTEP" launch good.ptx --arg buffer:128 --block 64,32
expect "absurd shared memory" 2 "shared" "${launch[@]}" --arg buffer:128 --shared 99999999
expect "dump of nothing" 2 "dump" "${launch[@]}" --arg buffer:128 --dump 1:x
expect "dump to nowhere" 2 "no/such" "${launch[@]}" --arg buffer:128 --dump 0:no/such/folder/x
sed 's/(.param .u64 p)/()/; /param/d' good.ptx >bad.ptx
expect "kernel without parameters given some" 2 "takes 0 arguments, not 1" "$LOCKSTEP" launch bad.ptx \
    --arg u32:1

# -- kernels that fail
run() { # run NAME PATTERN LINES...: loads, fails when it runs
    local name=$1 pattern=$2
    shift 2
    ptx "$@" >bad.ptx
    expect "$name" 1 "$pattern" "$LOCKSTEP" launch bad.ptx --block 32 --arg buffer:128
}
run "null pointer" "bad.ptx:8.*thread" 'mov.u64 %d0, 0;' 'st.global.u32 [%d0], 1;'
run "wild pointer" "bad.ptx:8.*thread" 'mov.u64 %d0, 0x123456789000;' 'st.global.u32 [%d0], 1;'
run "trap" "bad.ptx:7" 'trap;'

# -- the cache
cached() { # cached NAME PATTERN COMMAND...: runs and gives the right result whatever the cache is
    local name=$1 pattern=$2
    shift 2
    rm -f out.bin
    expect "$name" 0 "$pattern" "$@" launch good.ptx --block 32 --arg buffer:128 --dump 0:out.bin
    [ "$(od -v -An -tu4 out.bin | tr -s ' \n' '\n' | sort -u | tr -d '\n')" = 1 ] || complain "$name: wrong result"
}
cached "first" "" "$LOCKSTEP"
[ -n "$(find "$LOCKSTEP_CACHE" -type f)" ] || complain "nothing was cached"
for damage in 'truncate -s -1' 'truncate -s 100' 'truncate -s 0' 'dd if=/dev/urandom conv=notrunc bs=64 count=4 status=none of='; do
    find "$LOCKSTEP_CACHE" -type f | while read -r file; do
        case $damage in *of=) $damage"$file" ;; *) $damage "$file" ;; esac
    done
    cached "cache entry after $damage" "" "$LOCKSTEP"
done
chmod 777 "$LOCKSTEP_CACHE"
cached "a cache that others may write to" "cache" "$LOCKSTEP"
chmod 700 "$LOCKSTEP_CACHE"
if [ "$(id -u)" -eq 0 ]; then
    mkdir theirs && chown 65534 theirs && chmod 700 theirs
    cached "someone else's cache" "cache" env LOCKSTEP_CACHE="$work/theirs" "$LOCKSTEP"
else
    cached "someone else's cache" "cache" env LOCKSTEP_CACHE=/ "$LOCKSTEP"
fi
echo >file
cached "a file as cache" "cache" env LOCKSTEP_CACHE="$work/file" "$LOCKSTEP"
cached "no cache" "" env LOCKSTEP_CACHE=off "$LOCKSTEP"
# A full disk: no file may grow. The dump cannot be written then, so this one goes without.
rm -rf "$LOCKSTEP_CACHE"
expect "full disk for the cache" 0 "" bash -c \
    '(trap "" XFSZ; ulimit -f 0; exec "$LOCKSTEP" launch good.ptx --block 32 --arg buffer:128) 2>&1 | cat >&2; exit ${PIPESTATUS[0]}'
expect "full disk for the dump" 2 "x.bin" bash -c \
    '(trap "" XFSZ; ulimit -f 0; exec "$LOCKSTEP" launch good.ptx --block 32 --arg buffer:128 --dump 0:x.bin) 2>&1 | cat >&2; exit ${PIPESTATUS[0]}'
[ -z "$(find . -name 'x.bin*')" ] || complain "a half-written dump was left"
# -- programs
echo '__global__ void k() { int x = ; } int main() {}' >bad.cu
expect "a program that does not compile" 2 "bad.cu:1:31: error" "$LOCKSTEP" run bad.cu
expect "an object that is none" 1 "" "$LOCKSTEP" cc good.ptx nothing.o -o x
finish
