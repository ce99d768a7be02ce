/* SPDX-License-Identifier: Apache-2.0
 *
 * Valid PTX (seeds.ptx, generate.h) with words taken away, doubled, exchanged, and numbers at their
 * limits: parsed, printed, and compiled when it parses. Errors are fine; what must not happen is a
 * crash, a sanitizer's report, or an error that says that lockstep itself is at fault. Without
 * arguments a short run that is the same each time; an hour:
 *
 *     build-asan/tests/test_fuzz_mutations --seconds 3600 --seed 1
 *
 * --seed N --count 1 --print 1 shows the text of one.
 */
#include "fuzz/generate.h"
#include "jit/jit.h"

#include <ctype.h>
#include <time.h>

enum { MAX_SEEDS = 256, MAX_WORDS = 1 << 16 };

struct piece {
    const char *at;
    size_t count;
};

struct corpus {
    struct text file;
    struct piece head, kernel[MAX_SEEDS];
    unsigned count;
    struct piece word[MAX_WORDS]; /* of all kernels */
    unsigned words;
};

/* -- words ------------------------------------------------------------------------------------- */

/* A name with its dots, a number, one other character, or white space. */
static size_t
word_length(const char *s, size_t left)
{
    size_t n = 1;
    if (isspace((unsigned char)*s)) {
        while (n < left && isspace((unsigned char)s[n]))
            n++;
        return n;
    }
    bool name = isalnum((unsigned char)*s) || strchr("_%$.", *s);
    while (name && n < left && (isalnum((unsigned char)s[n]) || strchr("_:$", s[n])))
        n++;
    return n;
}

static unsigned
split(struct piece text, struct piece *out, unsigned room)
{
    unsigned n = 0;
    for (size_t at = 0; at < text.count && n < room; n++) {
        out[n] = (struct piece){text.at + at, word_length(text.at + at, text.count - at)};
        at += out[n].count;
    }
    return n;
}

static bool
read_corpus(struct corpus *c)
{
    const char *folder = getenv("SOURCE_DIR");
    char path[4096], buffer[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/tests/fuzz/seeds.ptx", folder ? folder : ".");
    FILE *f = fopen(path, "rb");
    if (!f)
        return printf("%s: cannot be read\n", path), false;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        text_add_bytes(&c->file, buffer, n);
    fclose(f);
    const char *at = c->file.at, *end = c->file.at + c->file.count;
    for (const char *next; at < end && c->count < MAX_SEEDS; at = next) {
        const char *mark = strstr(at, "//--\n");
        struct piece one = {at, (size_t)((mark ? mark : end) - at)};
        next = mark ? mark + 5 : end;
        if (at == c->file.at)
            c->head = one;
        else
            c->kernel[c->count++] = one;
    }
    for (unsigned k = 0; k < c->count; k++)
        c->words += split(c->kernel[k], c->word + c->words, MAX_WORDS - c->words);
    return c->count > 0;
}

/* -- mutations --------------------------------------------------------------------------------- */

static struct piece
strange_number(struct program *p)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "31",
                                          "32",
                                          "33",
                                          "64",
                                          "2147483647",
                                          "-2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "18446744073709551615",
                                          "0x8000000000000000",
                                          "0f7fc00000",
                                          "0fff800000",
                                          "0d7ff0000000000000",
                                          "1e400",
                                          "255",
                                          "65536",
                                          "_",
                                          "%tid.x",
                                          "%clock64",
                                          "WARP_SZ"};
    const char *s = numbers[pick(p, sizeof numbers / sizeof *numbers)];
    return (struct piece){s, strlen(s)};
}

static char
class_of(struct piece w)
{
    char c = *w.at;
    return isspace((unsigned char)c)   ? ' '
           : isdigit((unsigned char)c) ? '0'
           : isalpha((unsigned char)c) ? 'a'
                                       : c;
}

/* A word of the corpus like this one: a register for a register, a dot word for a dot word. */
static struct piece
similar(struct program *p, const struct corpus *c, struct piece w)
{
    for (unsigned tries = 0; tries < 200; tries++) {
        struct piece x = c->word[pick(p, c->words)];
        if (class_of(x) == class_of(w))
            return x;
    }
    return w;
}

static void
mutate(struct program *p, const struct corpus *c, struct piece *w, unsigned n)
{
    for (unsigned changes = 1 + pick(p, 2) * pick(p, 3); changes; changes--) {
        unsigned k = pick(p, n), j = pick(p, n);
        struct piece old = w[k];
        while (isspace((unsigned char)*w[k].at) && k + 1 < n)
            k++;
        switch (pick(p, 16)) {
        case 0: w[k].count = 0; break;
        case 1: w[k] = w[j]; break;
        case 2: w[k] = w[j], w[j] = old; break;
        case 3: w[k] = c->word[pick(p, c->words)]; break;
        case 4:
        case 5:
        case 6:
            for (unsigned tries = 0; tries < 50 && class_of(w[k]) != '0'; tries++)
                k = pick(p, n);
            w[k] = strange_number(p);
            break;
        default: w[k] = similar(p, c, w[k]); break;
        }
    }
}

static void
make_text(struct program *p, const struct corpus *c, struct text *out)
{
    static struct piece w[MAX_WORDS];
    struct text generated = {0};
    struct piece from = c->kernel[pick(p, c->count)];
    bool own = pick(p, 8) == 0;
    if (own) {
        struct program *g = program_new(p->state);
        program_text(g, &generated);
        free(g);
        from = (struct piece){generated.at, generated.count};
    } else {
        text_add_bytes(out, c->head.at, c->head.count);
    }
    unsigned n = split(from, w, MAX_WORDS);
    mutate(p, c, w, n);
    for (unsigned k = 0; k < n; k++)
        text_add_bytes(out, w[k].at, w[k].count);
    text_free(&generated);
}

/* -- trying ------------------------------------------------------------------------------------ */

struct counts {
    uint64_t parsed, compiled, wrong;
};

static bool
print_again(const struct ptx_module *m, struct ls_error *err)
{
    struct text t = {0};
    ptx_print(m, &t);
    struct ptx_module *again = ptx_parse(t.at, t.count, "printed.ptx", err);
    text_free(&t);
    ptx_free(again);
    return again != NULL;
}

static bool
compile(struct program *p, struct jit_engine *jit, const struct ptx_module *m, struct ls_error *err)
{
    static const uint32_t shapes[][3] = {{32, 1, 1}, {16, 16, 1}, {33, 1, 1}, {8, 4, 2}};
    /* none, replay, check, profile, profile told of each access, a schedule, passed over, debugger
     */
    static const uint32_t asked[] = {0,
                                     JIT_EVENT_ACCESS,
                                     JIT_EVENT_ACCESS | JIT_EVENT_SYNC | JIT_EVENT_GUARD,
                                     JIT_EVENT_ACCESS | JIT_EVENT_COUNT | JIT_EVENT_SEEN,
                                     JIT_EVENT_ACCESS | JIT_EVENT_COUNT,
                                     JIT_EVENT_TURNS,
                                     JIT_EVENT_COUNT | JIT_EVENT_PASSED,
                                     JIT_EVENT_ACCESS | JIT_EVENT_STEP};
    struct jit_request r = {
        .module = m, .kernel = ptx_find_func(m, "k"), .events = asked[pick(p, 8)]};
    if (!r.kernel || !r.kernel->is_kernel || !r.kernel->has_body)
        return false;
    memcpy(r.block, shapes[pick(p, 4)], sizeof r.block);
    return jit_get(jit, &r, err) != NULL;
}

static bool
try_text(struct program *p, struct jit_engine *jit, const struct text *text, struct counts *n)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text->at, text->count, "mutated.ptx", &err);
    if (!m)
        return true;
    n->parsed++;
    bool fine = print_again(m, &err);
    if (!fine)
        printf("what was printed does not parse: %s\n", err.text);
    err = (struct ls_error){0};
    if (fine && compile(p, jit, m, &err))
        n->compiled++;
    else if (fine && err.status == LS_ERR_INTERNAL)
        fine = printf("%s\n", err.text) < 0;
    jit_forget(jit, m);
    ptx_free(m);
    return fine;
}

int
main(int argc, char **argv)
{
    enum { NEVER_ENDED = 9472 }; /* a seed whose compile once did not */
    static struct corpus c;
    uint64_t seed = 1, count = 200, done = 0;
    double seconds = 0;
    bool print = false;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--seed"))
            seed = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--count"))
            count = strtoull(argv[k + 1], NULL, 0);
        else if (!strcmp(argv[k], "--print"))
            print = true;
        else if (!strcmp(argv[k], "--seconds"))
            seconds = strtod(argv[k + 1], NULL), count = UINT64_MAX;
    }
    struct ls_error err = {0};
    struct jit_engine *jit = jit_new(&(struct jit_options){0}, &err);
    if (!read_corpus(&c) || !jit)
        return printf("%s\n", err.text), 1;
    struct counts n = {0};
    time_t end = time(NULL) + (time_t)seconds;
    for (; done < count && (!seconds || time(NULL) < end); done++) {
        uint64_t this = argc == 1 && !done ? NEVER_ENDED : seed + done;
        struct program p = {.state = this * 0x2545f4914f6cdd1du};
        struct text text = {0};
        if (seconds)
            fprintf(stderr, "\rseed %llu", (unsigned long long)this);
        make_text(&p, &c, &text);
        if (print)
            printf("%s\n", text.at);
        if (!try_text(&p, jit, &text, &n)) {
            n.wrong++;
            printf("seed %llu\n%s\n", (unsigned long long)this, text.at);
            fflush(stdout);
        }
        text_free(&text);
    }
    printf("%llu texts: %llu parsed, %llu compiled, %llu wrong\n", (unsigned long long)done,
           (unsigned long long)n.parsed, (unsigned long long)n.compiled,
           (unsigned long long)n.wrong);
    jit_free(jit);
    text_free(&c.file);
    return n.wrong != 0;
}
