/* SPDX-License-Identifier: Apache-2.0
 *
 * base: what every layer may use. Arenas, growing arrays, text, errors with a place, hashes,
 * whole-file input and output, options.
 *
 * Errors: a function that can fail returns bool (true: fine) or a pointer (NULL: failed), takes a
 * `struct ls_error *` last, and fills it with ls_fail(). The text is complete: it names the thing
 * and the place ("k.ptx:12: wgmma.mma_async is not supported"); callers pass it on unchanged.
 *
 * Ownership: an arena owns what was allocated from it; everything else follows _new/_free.
 */
#ifndef LOCKSTEP_BASE_H
#define LOCKSTEP_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* -- errors ------------------------------------------------------------------------------- */

enum ls_status {
    LS_OK = 0,
    LS_ERR_USAGE,       /* the command line or an argument is wrong */
    LS_ERR_INPUT,       /* a file's content is wrong (syntax, types, sizes) */
    LS_ERR_UNSUPPORTED, /* well formed, but not implemented here */
    LS_ERR_SYSTEM,      /* a system call or an external tool failed */
    LS_ERR_MEMORY,      /* out of memory */
    LS_ERR_INTERNAL,    /* a defect of lockstep itself */
};

struct ls_error {
    enum ls_status status;
    char text[1024];
};

/* Fills *err (may be NULL) and returns false, so that `return ls_fail(err, ...)` reads well. */
bool ls_fail(struct ls_error *err, enum ls_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -- arenas: memory that is freed all at once --------------------------------------------- */

struct arena {
    struct arena_chunk *last;
};

/* Zeroed memory, aligned to 16; lives until arena_free. Aborts the process when out of memory. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);
/* Frees an object, which may be NULL, and its member `arena`. */
#define ARENA_RELEASE(object)                                                                      \
    do {                                                                                           \
        if (object) {                                                                              \
            arena_free(&(object)->arena);                                                          \
            ls_release(object);                                                                    \
        }                                                                                          \
    } while (0)

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* -- growing arrays ------------------------------------------------------------------------
 * struct vec_of_int { int *at; size_t count, room; } v = {0};
 * VEC_PUSH(&v, 3); ... VEC_FREE(&v);
 */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count, room;                                                                        \
    }
#define VEC_PUSH(v, ...)                                                                           \
    do {                                                                                           \
        if ((v)->count == (v)->room)                                                               \
            (v)->at = ls_grow((v)->at, &(v)->room, sizeof *(v)->at);                               \
        (v)->at[(v)->count++] = (__VA_ARGS__);                                                     \
    } while (0)
#define VEC_FREE(v)                                                                                \
    do {                                                                                           \
        ls_release((v)->at);                                                                       \
        (v)->at = NULL;                                                                            \
        (v)->count = (v)->room = 0;                                                                \
    } while (0)

/* The elements in the arena, a zero behind them. */
#define VEC_COPY(a, v) ((__typeof__((v)->at))arena_copy((a), (v)->at, (v)->count, sizeof *(v)->at))

void *ls_grow(void *at, size_t *room, size_t size);
/* Copies count elements of that size, and has room for a zeroed one behind them. */
void *arena_copy(struct arena *a, const void *at, size_t count, size_t size);
void *ls_alloc(size_t size);                  /* zeroed; aborts when out of memory */
void *ls_alloc_lines(size_t size);            /* the same, aligned to 128 */
_Noreturn void ls_out_of_memory(size_t size); /* says so and aborts */
void ls_release(void *p);

/* -- text ----------------------------------------------------------------------------------- */

struct text {
    char *at; /* always ended by a NUL once anything was added */
    size_t count, room;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *t, const char *at, size_t n);
void text_free(struct text *t);

bool ls_starts_with(const char *s, const char *prefix);
bool ls_ends_with(const char *s, const char *suffix);
/* The whole of s as a number, C syntax (0x, decimal); false where anything is left over or it does
 * not fit. */
bool ls_parse_u64(const char *s, uint64_t *out);
bool ls_parse_i64(const char *s, int64_t *out);
bool ls_parse_f64(const char *s, double *out);
/* "name" of table[0..n) nearest to word, or NULL: for "did you mean". */
const char *ls_nearest(const char *word, const char *const *table, size_t n);

/* "product" of _Z7productPKfS0_Pfiii, "scan<256, float>" of a template's instance, "tile" of
 * _ZZ4sumsPfE4tile; a name that is not mangled, or in a way not known here, stays as it is. */
char *ls_readable_name(struct arena *a, const char *symbol);
/* Whether the symbol, or its readable name, contains the text; NULL: everything does. */
bool ls_name_contains(const char *symbol, const char *text);

/* Is the address the null pointer, or within 64 KiB of it? "null pointer plus 20", else nothing is
 * written. */
bool ls_near_null(uint64_t address, char *out, size_t room);

/* -- hashes ----------------------------------------------------------------------------------- */

/* A 128-bit hash of content (not for secrets): keys of caches. */
struct hash128 {
    uint64_t lo, hi;
};
struct hash128 ls_hash(struct hash128 seed, const void *at, size_t n);
/* 32 hexadecimal digits and a NUL. */
void ls_hash_text(struct hash128 h, char out[33]);

/* -- files ------------------------------------------------------------------------------------ */

/* The whole file, with a NUL behind it that *size does not count; freed by ls_release. */
char *ls_read_file(const char *path, size_t *size, struct ls_error *err);
/* Writes to a temporary file beside path and renames it: readers see all or nothing. Its mode is
 * the one that the umask allows, or that of the file it takes the place of. What is no plain file
 * (/dev/null, a pipe that somebody reads, /dev/stdout) is written to. */
bool ls_write_file(const char *path, const void *at, size_t size, struct ls_error *err);
/* The same with mode 0600 whatever the umask: for what is executed later. */
bool ls_write_private_file(const char *path, const void *at, size_t size, struct ls_error *err);
/* mkdir -p, each new folder with mode 0700. */
bool ls_make_folders(const char *path, struct ls_error *err);
/* The folder for lockstep's caches: $LOCKSTEP_CACHE, else $XDG_CACHE_HOME/lockstep, else
 * ~/.cache/lockstep. Made when missing; refused (false, with the reason) when it is not a folder,
 * belongs to another user, or others may write to it. LOCKSTEP_CACHE=off, or 0: false, status
 * LS_OK. */
bool ls_cache_folder(char *out, size_t room, struct ls_error *err);

/* -- messages to the person at the terminal (stderr) ------------------------------------------ */

void ls_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -- text that fits the terminal: lines that are too long are broken between words; files and pipes
 * get them whole -- */

/* The width of the terminal behind `out`; 0: it is none, or too narrow to break lines for. */
uint32_t columns_of(FILE *out);

/* How many columns UTF-8 text takes; what sets colours takes none. */
uint32_t columns_count(const char *s, size_t n);
/* How many of n bytes go on a line with so many columns left: up to a blank; at least a word. */
size_t columns_fit(const char *s, size_t n, uint32_t columns);

/* Prints the text, each line broken where it is wider than the terminal. What is broken off stands
 * under the line's second column (options and what they mean), else four blanks further in; behind
 * "=========", behind that again. joined: lines that begin with no blank are put together first, as
 * far as paragraphs go. */
void columns_print(FILE *out, const char *text, bool joined);
/* The same for a width (0: without end), into *out. */
void columns_fold(struct text *out, const char *text, uint32_t columns, bool joined);
/* A message on stderr, in one piece. */
void columns_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* -- options: one table for command line and environment --------------------------------------
 * Each row: spelling ("--cc"), environment twin ("LOCKSTEP_CC" or NULL), placeholder of its value
 * (NULL: a flag), help. The parser takes "--name value", "--name=value" and "-n value".
 */
struct option_row {
    const char *name;        /* "--json" */
    char letter;             /* 'j', or 0 */
    const char *environment; /* "LOCKSTEP_JSON", or NULL */
    const char *value;       /* "FILE"; NULL: takes none; "[FILE]": may be left out, then "" */
    const char *help;
};

struct option_result {
    const char **value; /* per row: NULL when not given */
    bool *from_environment;
};

/* Parses argv[*index..argc) up to the first word that is no option, or past "--"; *index is left
 * on the first word not taken. result->value has one entry per row; a value given several times is
 * the last one. Unknown options fail with LS_ERR_USAGE and the nearest known spelling. */
bool options_parse(const struct option_row *rows, size_t n, int argc, char **argv, int *index,
                   struct option_result *result, struct arena *arena, struct ls_error *err);
/* Whether the word behind an option whose value may be left out is its value all the same: behind
 * `--json`, out.json is. */
bool options_value_follows(const struct option_row *row, const char *word);
/* Help text, a line per row. */
void options_help(const struct option_row *rows, size_t n, struct text *out);

#endif
