/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/copies.c: structures that clang copies whole, read and written as vectors.
 *
 *     float4 a = in[i]; a.x += 1; out[i] = a;
 *
 * are two memcpy of 16 bytes in clang's code, of which LLVM makes accesses of 4 and 8 bytes: it
 * knows loads and stores for copies of at most 8 bytes, and splits the copy where a member is used
 * by itself. A GPU's own compiler makes one access of 16 bytes of each (CUDA C++ Programming Guide,
 * "Size and Alignment Requirement"), and so it is counted and checked. Rewritten before LLVM
 * optimises, a copy stays whole: SROA takes a vector's elements for the structure's members.
 *
 * Taken are copies whose size is their alignment (4, 8 or 16; or a multiple of 16, up to 64) and
 * whose members, by the metadata !tbaa.struct, are numbers of one size in each vector. Structures
 * with pointers are left: LLVM would no longer see where a pointer points to.
 */
#include "jit/engine/engine.h"

#include <string.h>

enum { WIDEST = 16, LARGEST = 64 };

struct copy {
    LLVMValueRef call;
    uint64_t size;
    unsigned align; /* of both sides at least */
};

/* A member as !tbaa.struct has it: three operands each. */
struct copied_member {
    uint64_t at, size;
    bool number, real;
};

struct rewriting {
    LLVMContextRef context;
    LLVMBuilderRef builder;
    unsigned align_kind, members_kind;
};

static unsigned
align_of(const struct rewriting *r, LLVMValueRef call, unsigned argument)
{
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, r->align_kind);
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

/* llvm.memcpy(to, from, size, volatile), not volatile and of a known size. */
static bool
is_copy(const struct rewriting *r, LLVMValueRef i, struct copy *c)
{
    if (!LLVMIsACallInst(i))
        return false;
    size_t n;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
    if (strncmp(name, "llvm.memcpy.p", strlen("llvm.memcpy.p")) != 0)
        return false;
    LLVMValueRef size = LLVMGetOperand(i, 2), is_volatile = LLVMGetOperand(i, 3);
    if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(is_volatile))
        return false;
    unsigned to = align_of(r, i, 0), from = align_of(r, i, 1);
    *c = (struct copy){i, LLVMConstIntGetZExtValue(size), to < from ? to : from};
    return true;
}

/* -- members ----------------------------------------------------------------------------------- */

static uint64_t
number_of(LLVMValueRef node)
{
    return node && LLVMIsAConstantInt(node) ? LLVMConstIntGetZExtValue(node) : UINT64_MAX;
}

/* The name of an access tag's type: of !{type, type, offset} the first operand of type. */
static const char *
type_name(LLVMValueRef tag, unsigned *n)
{
    LLVMValueRef tag_parts[8] = {0}, type_parts[64] = {0};
    *n = 0;
    if (!tag || !LLVMIsAMDNode(tag) || LLVMGetMDNodeNumOperands(tag) > 8)
        return "";
    LLVMGetMDNodeOperands(tag, tag_parts);
    if (!tag_parts[0] || !LLVMIsAMDNode(tag_parts[0]) ||
        LLVMGetMDNodeNumOperands(tag_parts[0]) > 64)
        return "";
    LLVMGetMDNodeOperands(tag_parts[0], type_parts);
    const char *name =
        type_parts[0] && LLVMIsAMDString(type_parts[0]) ? LLVMGetMDString(type_parts[0], n) : NULL;
    return name ? name : "";
}

static struct copied_member
member_of(LLVMValueRef at, LLVMValueRef size, LLVMValueRef tag)
{
    static const char *const reals[] = {"float", "double"};
    static const char *const integers[] = {"omnipotent char", "short", "int", "long",
                                           "long long",       "bool"};
    struct copied_member m = {.at = number_of(at), .size = number_of(size)};
    unsigned n;
    const char *name = type_name(tag, &n);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        m.real |= n == strlen(reals[i]) && memcmp(name, reals[i], n) == 0;
    m.number = m.real;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        m.number |= n == strlen(integers[i]) && memcmp(name, integers[i], n) == 0;
    return m;
}

/* Into out[] up to LARGEST members that fill the copy; how many, 0: that is not what they do. */
static unsigned
members_of(const struct rewriting *r, const struct copy *c, struct copied_member out[LARGEST])
{
    LLVMValueRef list = LLVMGetMetadata(c->call, r->members_kind), parts[3 * LARGEST];
    unsigned n = list ? (unsigned)LLVMGetMDNodeNumOperands(list) : 0;
    if (n == 0 || n % 3 || n > 3 * LARGEST)
        return 0;
    LLVMGetMDNodeOperands(list, parts);
    uint64_t end = 0;
    for (unsigned i = 0; i < n / 3; i++) {
        out[i] = member_of(parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]);
        if (out[i].at != end || !out[i].number)
            return 0;
        end += out[i].size;
    }
    return end == c->size ? n / 3 : 0;
}

/* -- rewriting --------------------------------------------------------------------------------- */

static LLVMTypeRef
element_type(const struct rewriting *r, const struct copied_member *m)
{
    if (m->real)
        return m->size == 4 ? LLVMFloatTypeInContext(r->context)
                            : LLVMDoubleTypeInContext(r->context);
    return LLVMIntTypeInContext(r->context, (unsigned)m->size * 8);
}

/* The vectors that the copy is made of, `width` bytes each; how many, 0: it is left as it is. */
static unsigned
vectors_of(const struct rewriting *r, const struct copy *c, LLVMTypeRef out[LARGEST / WIDEST])
{
    struct copied_member m[LARGEST];
    uint64_t width = c->size < WIDEST ? c->size : WIDEST;
    if (c->align < width || c->size < 4 || c->size > LARGEST || c->size % width ||
        (width & (width - 1)))
        return 0;
    unsigned n = members_of(r, c, m), count = 0;
    for (unsigned i = 0; i < n;) {
        const struct copied_member *first = &m[i];
        uint64_t per = first->size ? width / first->size : 0;
        if (per < 2 || per * first->size != width || i + per > n)
            return 0;
        for (uint64_t k = 1; k < per; k++)
            if (first[k].size != first->size || first[k].real != first->real)
                return 0;
        out[count++] = LLVMVectorType(element_type(r, first), (unsigned)per);
        i += (unsigned)per;
    }
    return count;
}

static LLVMValueRef
part_of(const struct rewriting *r, LLVMValueRef base, unsigned at)
{
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(r->context), at, false);
    return at ? LLVMBuildInBoundsGEP2(r->builder, LLVMInt8TypeInContext(r->context), base, &offset,
                                      1, "")
              : base;
}

static void
rewrite(const struct rewriting *r, const struct copy *c)
{
    LLVMTypeRef types[LARGEST / WIDEST];
    LLVMValueRef values[LARGEST / WIDEST];
    unsigned n = vectors_of(r, c, types), align = c->align < WIDEST ? (unsigned)c->size : WIDEST;
    if (n == 0)
        return;
    LLVMPositionBuilderBefore(r->builder, c->call);
    for (unsigned i = 0; i < n; i++) { /* all are read first: both sides may be the same */
        values[i] = LLVMBuildLoad2(r->builder, types[i],
                                   part_of(r, LLVMGetOperand(c->call, 1), i * WIDEST), "");
        LLVMSetAlignment(values[i], align);
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef s = LLVMBuildStore(r->builder, values[i],
                                        part_of(r, LLVMGetOperand(c->call, 0), i * WIDEST));
        LLVMSetAlignment(s, align);
    }
    LLVMInstructionEraseFromParent(c->call);
}

void
jit_widen_copies(LLVMModuleRef m)
{
    struct copy c;
    struct rewriting r = {.context = LLVMGetModuleContext(m),
                          .align_kind = LLVMGetEnumAttributeKindForName("align", 5)};
    r.members_kind = LLVMGetMDKindIDInContext(r.context, "tbaa.struct", 11);
    r.builder = LLVMCreateBuilderInContext(r.context);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_copy(&r, i, &c))
                    rewrite(&r, &c);
            }
    LLVMDisposeBuilder(r.builder);
}
