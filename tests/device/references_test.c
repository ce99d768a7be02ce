/* SPDX-License-Identifier: Apache-2.0
 *
 * Texture and surface references rewritten for a driver that has none
 * (src/device/gpu_references.c): no .texref is left, every use loads the handle first, everything
 * else stays as it was. That programs with references work through a driver is what
 * tests/device/gpu_test.sh runs.
 */
#include <stdbool.h>
#include <string.h>

#include "common/unit.h"

#include "../../src/device/gpu_priv.h"
#include "base/base.h"

static const char header[] = ".version 8.5\n.target sm_90\n.address_size 64\n";

/* The text behind the header as it comes out. */
static void
expect(const char *in, const char *right)
{
    struct ls_error err = {0};
    struct text text = {0};
    text_add(&text, "%s%s", header, in);
    struct ptx_module *m = ptx_parse(text.at, text.count, "test", &err);
    assert_string_equal(err.text, "");
    gpu_references(m, &text);
    assert_string_equal(text.at + strlen(header), right);
    text_free(&text);
    ptx_free(m);
}

#define BEGIN                                                                                      \
    ".visible .entry k(.param .u64 p)\n{\n.reg .f32 %f<5>;\n.reg .b64 %rd<3>;\n.reg .b32 "         \
    "%r<5>;\n.reg .pred %q;\n"
#define READ "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];\n"
#define END "ret;\n}\n"

static void
moved_address(void **state)
{
    (void)state;
    expect(".global .texref picture;\n" BEGIN "\tmov.u64 \t%rd1, picture;\n" READ END,
           ".visible .global .align 8 .u64 picture;\n" BEGIN
           "\tmov.u64 \t%rd1, picture; ld.global.u64 %rd1, [%rd1];\n" READ END);
    expect(".global .surfref s;\n" BEGIN "@%q mov.b64 %rd2, s;\n" END,
           ".visible .global .align 8 .u64 s;\n" BEGIN
           "@%q mov.b64 %rd2, s; @%q ld.global.u64 %rd2, [%rd2];\n" END);
}

static void
named_in_place(void **state)
{
    (void)state;
    expect(".visible .global .texref t;\n" BEGIN
           "@%q tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];\n" END,
           ".visible .global .align 8 .u64 t;\n" BEGIN
           "{ .reg .u64 lockstep_handle; ld.global.u64 lockstep_handle, [t]; "
           "@%q tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [lockstep_handle, {%f1, %f2}]; }\n" END);
}

static void
others_stay(void **state)
{
    (void)state;
    const char *none = ".global .u64 t;\n" BEGIN "mov.u64 %rd1, t;\n" END;
    expect(none, none);
    expect(".global .texref t;\n.global .u64 t2;\n" BEGIN "mov.u64 %rd1, t2;\n" END,
           ".visible .global .align 8 .u64 t;\n.global .u64 t2;\n" BEGIN "mov.u64 %rd1, t2;\n" END);
}

int
main(void)
{
    return UNIT_TESTS(moved_address, named_in_place, others_stay);
}
