/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_names: the tables of types, instructions, modifiers, special registers and spaces as text.
 */
#include "ptx/ptx.h"

static const struct {
    const char *text;
    uint8_t bytes;
    char kind;
} types[] = {
    {"none", 0, 0},
#define TYPE(name, text, bytes, kind) {text, bytes, kind},
#include "ptx/ptx_types.def"
#undef TYPE
};

static const struct {
    const char *text;
    enum ptx_status status;
} ops[] = {
    {"none", PTX_LEFT_OUT},
#define OP(name, text, status, note) {text, status},
#include "ptx/ptx_ops.def"
#undef OP
};

static const uint16_t traits[PTX_OP_COUNT] = {
#define TRAITS(name, set) [PTX_OP_##name] = (set),
#include "ptx/ptx_traits.def"
#undef TRAITS
};

static const char *const mods[] = {
    "none",
#define MOD(name, text) text,
#include "ptx/ptx_mods.def"
#undef MOD
};

static const char *const sregs[] = {
    "none",
#define SREG(name, text, bytes) text,
#include "ptx/ptx_sregs.def"
#undef SREG
};

static const char *const spaces[PTX_SPACE_COUNT] = {
    "generic", "reg",   "sreg",   "const",           "global",
    "local",   "param", "shared", "shared::cluster", "tex",
};

_Static_assert(PTX_MOD_COUNT <= 64 * PTX_MOD_WORDS, "ptx_insn.mods is too small");

unsigned
ptx_type_bytes(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].bytes : 0;
}

char
ptx_type_kind(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].kind : 0;
}

const char *
ptx_type_name(enum ptx_type t)
{
    return t < PTX_TYPE_COUNT ? types[t].text : "?";
}

const char *
ptx_op_name(enum ptx_op op)
{
    return op < PTX_OP_COUNT ? ops[op].text : "?";
}

enum ptx_status
ptx_op_status(enum ptx_op op)
{
    return op < PTX_OP_COUNT ? ops[op].status : PTX_LEFT_OUT;
}

bool
ptx_op_is(enum ptx_op op, enum ptx_trait trait)
{
    return op < PTX_OP_COUNT && (traits[op] & trait);
}

const char *
ptx_mod_name(enum ptx_mod m)
{
    return m < PTX_MOD_COUNT ? mods[m] : "?";
}

const char *
ptx_sreg_name(enum ptx_sreg r)
{
    return r < PTX_SR_COUNT ? sregs[r] : "?";
}

bool
ptx_sreg_is_thread(enum ptx_sreg r)
{
    return r == PTX_SR_TID_X || r == PTX_SR_TID_Y || r == PTX_SR_TID_Z;
}

bool
ptx_sreg_is_block(enum ptx_sreg r)
{
    switch (r) {
    case PTX_SR_NTID_X:
    case PTX_SR_NTID_Y:
    case PTX_SR_NTID_Z:
    case PTX_SR_CTAID_X:
    case PTX_SR_CTAID_Y:
    case PTX_SR_CTAID_Z:
    case PTX_SR_NCTAID_X:
    case PTX_SR_NCTAID_Y:
    case PTX_SR_NCTAID_Z:
    case PTX_SR_NWARPID:
    case PTX_SR_DYNAMIC_SMEM_SIZE:
    case PTX_SR_TOTAL_SMEM_SIZE: return true;
    default: return false;
    }
}

const char *
ptx_space_name(enum ptx_space s)
{
    return s < PTX_SPACE_COUNT ? spaces[s] : "?";
}

const struct ptx_operand *
ptx_address(const struct ptx_insn *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operand[k].kind == PTX_O_ADDRESS)
            return &i->operand[k];
    return NULL;
}
