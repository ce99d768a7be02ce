/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_priv: what the files of this folder share.
 *
 *     ptx_lex.c     text to tokens
 *     ptx_words.c   hash tables: mnemonics, dot words, special registers; names of a module
 *     ptx_constant.c, ptx_variable.c, ptx_operand.c, ptx_insn.c, ptx_parse.c
 *                   the grammar, from its smallest parts to the module; start at ptx_parse
 *     ptx_check.c   operands, types and modifiers of an instruction against ptx_forms.def
 *     ptx_shared.c, ptx_limits.c   what a module that parses may still ask too much of
 *     ptx_link.c    several modules into one
 *     ptx_print.c   a module as text; ptx_names.c: the tables' words
 *
 * Errors are sticky: the first one is kept, and from then on the lexer gives the end of the text,
 * so that every loop ends by itself and no caller has to look. A loop must therefore stop at
 * TOKEN_END, and code must bear with names and numbers that are missing.
 */
#ifndef LOCKSTEP_PTX_PRIV_H
#define LOCKSTEP_PTX_PRIV_H

#include "ptx/ptx.h"

#include <string.h>

/* -- limits: beyond them a text is refused, not followed ------------------------------------- */

enum {
    PTX_LIMIT_REGS = 1 << 20,  /* registers of a function */
    PTX_LIMIT_DEPTH = 64,      /* nested scopes, parentheses, braces */
    PTX_LIMIT_ELEMENTS = 1024, /* of a vector or list operand */
    PTX_LIMIT_FILES = 1 << 16,
    PTX_LIMIT_NAME = 4096,        /* letters of a name */
    PTX_LIMIT_PARAMETERS = 32764, /* bytes of a kernel's parameters (PTX ISA 5.1.6.1) */
};
#define PTX_LIMIT_VARIABLE (1ull << 40) /* bytes of a variable without initial value */
#define PTX_LIMIT_INIT (1ull << 28)     /* ... with one */

/* -- tokens ----------------------------------------------------------------------------------- */

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   /* foo, %r1, $L1, _ */
    TOKEN_DOT,    /* .global, .L2::128B; the text is without the dot */
    TOKEN_INT,    /* integer, is_unsigned */
    TOKEN_FLOAT,  /* integer: the bits; is_f32 */
    TOKEN_STRING, /* the text is without the quotes */
    TOKEN_PUNCT,  /* integer: the character, or PUNCT2(a, b) */
};

#define PUNCT2(a, b) ((a) | (b) << 8)

struct token {
    enum token_kind kind;
    bool is_unsigned, is_f32;
    bool glued; /* no white space before it */
    uint32_t line, column;
    const char *at;
    uint32_t count;
    uint64_t integer;
};

/* -- words: names to small numbers ------------------------------------------------------------- */

struct word {
    const char *at;
    uint32_t count;
    uint32_t hash;
    uint32_t value;
    uint8_t kind;
};

struct words {
    struct word *slot;
    uint32_t room, used;
};

enum word_kind { WORD_TYPE = 1, WORD_MOD, WORD_SPACE, WORD_VEC };

uint32_t words_hash(const char *at, size_t n);
void words_add(struct words *w, struct arena *a, const char *text, uint8_t kind, uint32_t value);
/* kind 0: any kind. */
const struct word *words_find(const struct words *w, const char *at, size_t n);

/* -- symbols ----------------------------------------------------------------------------------- */

enum symbol_kind { SYMBOL_REG = 1, SYMBOL_VAR, SYMBOL_FUNC, SYMBOL_LABEL, SYMBOL_TARGETS };

struct symbol {
    const char *name;
    uint32_t hash;
    uint8_t kind;
    bool undeclared;       /* a function used, and not yet declared */
    uint32_t scope;        /* 0: module */
    uint32_t index;        /* register, label, targets */
    uint8_t parts;         /* of a vector register: index is the first; else 1 */
    uint32_t line, column; /* where declared, or first used */
    struct ptx_var *var;
    struct ptx_func *func;
    struct symbol *next;     /* in its bucket: inner scopes first */
    struct symbol *in_scope; /* the scope's symbols */
};

/* A label's use before its definition, resolved at the end of the function. */
struct label_use {
    struct ptx_operand *operand; /* or */
    uint32_t *label;             /* an entry of .branchtargets */
    const char *name;
    uint32_t scope, line, column;
    bool wants_targets;
};

struct scope {
    uint32_t id, parent;
    struct symbol *symbols;
};

struct loc_name { /* .loc ... function_name label */
    struct ptx_func *func;
    uint32_t loc;
    const char *label;
    uint64_t offset;
};

struct alias {
    struct token at;
    const char *name, *of;
};

struct parser {
    /* text and tokens */
    const char *path, *cursor, *end, *line_start;
    uint32_t line;
    struct token tok;
    struct token mnemonic;     /* of the instruction being read, with its modifiers */
    enum token_kind last_kind; /* of the token before tok, for % */
    uint64_t last_integer;
    bool failed;
    struct ls_error *err;
    struct ptx_module *m;
    struct arena *arena; /* m's */
    struct arena temporary;
    struct {
        struct words dots, ops, sregs;
        uint64_t form_types[PTX_OP_COUNT]; /* of ptx_forms.def, see ptx_check.c */
    } table;
    /* symbols */
    struct symbol **buckets;
    uint32_t bucket_count, symbol_count;
    struct scope scopes[PTX_LIMIT_DEPTH];
    uint32_t depth, next_scope;
    VEC(uint32_t) parents; /* by scope id */
    uint32_t expression_depth;
    struct {
        bool has_version, has_target;
        VEC(struct ptx_var *) vars;
        VEC(struct ptx_func *) funcs;
        VEC(struct ptx_file) files;
        VEC(struct symbol *) undeclared;
        VEC(struct loc_name) loc_names;
        struct text debug_str;
        struct words debug_labels;
        VEC(struct alias) aliases;
    } module;
    struct { /* the function being read */
        struct ptx_func *func;
        VEC(struct ptx_reg) regs;
        VEC(struct ptx_var *) locals;
        VEC(struct ptx_insn) insns;
        VEC(struct ptx_label) labels;
        VEC(struct symbol *) label_symbols;
        VEC(struct ptx_targets) targets;
        VEC(struct ptx_loc) locs;
        VEC(struct label_use) uses;
        uint32_t loc;
    } body;
};

/* -- ptx_lex.c --------------------------------------------------------------------------------- */

/* A place to come back to, when what stands there is only known further on. */
struct lex_state {
    const char *cursor, *line_start;
    uint32_t line;
    struct token tok;
    enum token_kind last_kind;
    uint64_t last_integer;
};

struct lex_state lex_save(const struct parser *p);
void lex_restore(struct parser *p, const struct lex_state *s); /* not when failed */
void lex_next(struct parser *p);
bool lex_is(const struct parser *p, int punct);
bool lex_is_dot(const struct parser *p, const char *word);
/* Takes the token when it is this one. */
bool lex_take(struct parser *p, int punct);
bool lex_take_dot(struct parser *p, const char *word);
void lex_expect(struct parser *p, int punct);
/* The token's text, copied. */
const char *lex_text(struct parser *p, const struct token *t);
/* A name of at least one letter, or an error that names what is missing. */
const char *lex_name(struct parser *p, const char *what);

/* The first error; places are "path:line:column: ". */
void fail_at(struct parser *p, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fail_here(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "X is not supported", an instruction that is left out. */
void fail_unsupported(struct parser *p, const struct token *at, const char *name);
/* "... expected, not X" with the current token. */
void fail_expected(struct parser *p, const char *what);

/* -- ptx_words.c ------------------------------------------------------------------------------- */

void tables_init(struct parser *p);
void scope_open(struct parser *p);
void scope_close(struct parser *p);
struct symbol *symbol_find(struct parser *p, const char *at, size_t n);
struct symbol *symbol_find_in(struct parser *p, const char *at, size_t n, uint32_t scope);
/* Fails when the scope has the name already. scope: an id, 0 for the module's. NULL: failed. */
struct symbol *symbol_add(struct parser *p, const char *name, enum symbol_kind kind, uint32_t line,
                          uint32_t column);
struct symbol *symbol_add_global(struct parser *p, const char *name, enum symbol_kind kind,
                                 uint32_t line, uint32_t column);
/* The symbol of a function that may be declared later. */
struct symbol *symbol_of_function(struct parser *p, const char *name, uint32_t line,
                                  uint32_t column);

/* -- ptx_constant.c ---------------------------------------------------------------------------- */

/* The numbers behind the bits of a token. */
static inline double
bits_double(uint64_t b)
{
    double d;
    memcpy(&d, &b, sizeof d);
    return d;
}
static inline float
bits_float(uint64_t b)
{
    uint32_t w = (uint32_t)b;
    float f;
    memcpy(&f, &w, sizeof f);
    return f;
}

/* A constant integer expression: its smallest part; from operators of a level on (0: all of it). */
int64_t expr_primary(struct parser *p);
int64_t expr_binary(struct parser *p, int level);
/* "+ 4", "- 4" or nothing, behind a name in an address; "[k]" behind an array's. */
int64_t expr_offset(struct parser *p);
int64_t expr_element(struct parser *p, const struct ptx_var *v);
/* The word behind the dot of the current token; NULL: not known, or no such token. */
const struct word *dot_word(const struct parser *p);
/* An integer expression, at least 0 and at most limit. */
uint64_t expr_count(struct parser *p, const char *what, uint64_t limit);
/* A type word, or PTX_TYPE_NONE (nothing taken). */
enum ptx_type take_type(struct parser *p);

/* -- ptx_variable.c, ptx_operand.c, ptx_insn.c, ptx_parse.c ------------------------------------ */

void parse_reg(struct parser *p);
/* A variable: the token is its space. */
void parse_variable(struct parser *p, enum ptx_linkage linkage);
/* (a, b, ...) of a function; kernel: lays out the parameter block. */
void parse_parameters(struct parser *p, struct ptx_func *f, bool results, bool prototype);

void parse_operands(struct parser *p, struct ptx_insn *i);
void parse_body(struct parser *p, struct ptx_func *f);
void parse_loc(struct parser *p);
void parse_file(struct parser *p);
void parse_pragma(struct parser *p);
void add_label_use(struct parser *p, struct ptx_operand *o, uint32_t *label, const char *name,
                   bool wants_targets, const struct token *t);

/* -- ptx_check.c ------------------------------------------------------------------------------- */

void check_insn(struct parser *p, const struct ptx_insn *i);
/* Calls and indexed branches, once all functions and labels are known. */
void check_calls(struct parser *p, const struct ptx_func *f);

#endif
