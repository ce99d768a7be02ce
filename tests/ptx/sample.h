/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.h: a module that uses most of what a module can hold.
 */
#ifndef TESTS_PTX_SAMPLE_H
#define TESTS_PTX_SAMPLE_H

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"

static const char whole[] =
    HEAD "// a comment\n/* and\n another */\n"
         ".extern .func (.param .b32 r0) vprintf(.param .b64 a, .param .b64 b);\n"
         ".extern .shared .align 16 .b8 dynamic[];\n"
         ".global .align 4 .f32 weights[2][3] = {{1.0, 0f40000000, -3}, {4.0}};\n"
         ".global .align 8 .u64 table[3] = {generic(weights), weights+8, helper};\n"
         ".const .align 4 .b8 bytes[5] = {1, 2, 0xff, -1, (1 << 3) | 4};\n"
         ".global .s32 pairs[][2] = {{-1, 0}, {0, -1}, {1, 2}};\n"
         ".global .align 1 .b8 packed[3] = {0xFF(bytes), 0xFF00(bytes), 7};\n"
         ".visible .global .attribute(.managed) .align 4 .u32 shared_with_host;\n"
         ".func (.param .b32 r) helper(.param .b32 x)\n"
         "{\n\t.reg .b32 %r<3>;\n\tld.param.u32 %r1, [x];\n\tadd.s32 %r2, %r1, 1;\n"
         "\tst.param.b32 [r], %r2;\n\tret;\n}\n"
         ".func (.reg .b32 %res) in_regs(.reg .b32 %x) { add.s32 %res, %x, %x; ret; }\n"
         ".weak .func (.param .b32 r) again(.param .b32 x);\n"
         ".alias again, helper;\n"
         ".visible .entry kernel(.param .u32 n, .param .u64 .ptr .global .align 1 p,\n"
         "  .param .align 8 .b8 s[12], .param .u8 c)\n"
         ".maxntid 128, 2, 1\n.minnctapersm 2\n.pragma \"nounroll\";\n"
         "{\n"
         "\t.reg .pred %p<4>;\n\t.reg .b32 %r<10>;\n\t.reg .b64 %rd<8>;\n\t.reg .f32 %f<6>;\n"
         "\t.reg .v4 .f32 %v;\n\t.local .align 8 .b8 stack[64];\n"
         "\t.shared .align 4 .f32 tile[32][33];\n"
         "\t.loc 1 10 5\n"
         "\tld.param.u32 %r1, [n];\n\tld.param.u64 %rd1, [p];\n"
         "\t.loc 1 20 3, function_name $L__info_string0, inlined_at 1 10 5\n"
         "\tcvta.to.global.u64 %rd2, %rd1;\n"
         "\tmov.u32 %r2, %tid.x;\n\tmov.u64 %rd3, tile;\n\tmov.b64 {%r3, _}, %rd3;\n"
         "\tmov.b64 %rd4, {%r3, %r2};\n"
         "\tsetp.lt.and.u32 %p1|%p2, %r2, %r1, !%p3;\n"
         "$L__tmp0:\n"
         "@!%p1\tbra $L__end;\n"
         "\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2+-16];\n"
         "\tfma.rn.f32 %f5, %f1, 0f3F800000, %f2;\n"
         "\tmul.wide.u32 %rd5, %r2, 4;\n\tmad.wide.s32 %rd6, %r2, 4, %rd5;\n"
         "\tshl.b64 %rd6, %rd6, %r2;\n"
         "\tatom.global.cas.b32 %r4, [%rd2], %r1, %r2;\n"
         "\tshfl.sync.down.b32 %r5|%p2, %r4, 1, 31, -1;\n"
         "\tbar.sync 0;\n"
         "\t{\n\t.reg .b32 %r1;\n\t.param .b32 a0;\n\t.param .b32 a1;\n"
         "\tst.param.b32 [a0], %r2;\n\tcall.uni (a1), helper, (a0);\n\tld.param.b32 %r1, [a1];\n"
         "\tcall (%r2), in_regs, (%r1);\n"
         "\tmov.u64 %rd7, helper;\n"
         "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         "\tcall (a1), %rd7, (a0), proto;\n"
         "inner:\n\t@%p2 bra inner;\n\t}\n"
         "list: .branchtargets $L__end, $L__tmp0;\n"
         "\tbrx.idx %r2, list;\n"
         "$L__end:\n\tst.global.f32 [%rd2+4], %f5;\n\tret;\n"
         "}\n"
         ".file 1 \"a.cu\"\n.file 2 \"b.h\", 1234, 56\n"
         ".section .debug_str\n{\n$L__info_string0:\n.b8 102,111,111,0\n}\n"
         ".section .debug_abbrev { .b8 1,2,3 \n.b32 $L__tmp0 }\n";

#endif
