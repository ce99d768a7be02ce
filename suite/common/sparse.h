/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse.h: sparse matrices by rows (CSR): data has the values other than zero, row by row, col the
 * column of each, row_ptr[i] where row i begins, row_ptr[rows] where the last one ends. From a
 * dense matrix, from a Matrix Market file (coordinate or array; real, integer or pattern; general,
 * symmetric or skew-symmetric), or generated.
 *
 *     row 0   3 0 1 0      data    3 1 2 4 1 1 1
 *     row 1   0 0 0 0      col     0 2 1 2 3 0 3
 *     row 2   0 2 4 1      row_ptr 0 2 2 5 7
 *     row 3   1 0 0 1
 */
#ifndef SUITE_SPARSE_H
#define SUITE_SPARSE_H

#include "suite.h"

struct sparse {
    int rows, cols, count; /* count: values other than zero */
    int *row_ptr, *col;
    float *data;
};

static inline struct sparse
sparse_new(int rows, int cols, int count)
{
    struct sparse m = {rows, cols, count, NULL, NULL, NULL};
    m.row_ptr = suite_host<int>(rows + 1);
    m.col = suite_host<int>(count);
    m.data = suite_host<float>(count);
    return m;
}

static inline void
sparse_free(struct sparse *m)
{
    suite_free_host(m->row_ptr, m->col, m->data);
}

static inline struct sparse
sparse_from_dense(const float *dense, int rows, int cols)
{
    int count = 0;
    for (int i = 0; i < rows * cols; i++)
        count += dense[i] != 0;
    struct sparse m = sparse_new(rows, cols, count);
    count = 0;
    for (int i = 0; i < rows; i++) {
        m.row_ptr[i] = count;
        for (int j = 0; j < cols; j++)
            if (dense[(size_t)i * cols + j] != 0) {
                m.col[count] = j;
                m.data[count++] = dense[(size_t)i * cols + j];
            }
    }
    m.row_ptr[rows] = count;
    return m;
}

/* Row i: none, a few, or (every 64th) many values: rows of different length are the hard part. */
static inline struct sparse
sparse_generate(int rows, int cols)
{
    int most = cols < 200 ? cols : 200, count = 0;
    struct sparse m = sparse_new(rows, cols, rows * 8 + (rows / 64 + 1) * most);
    for (int i = 0; i < rows; i++) {
        int wanted = i % 64 == 17 ? most : (int)(suite_random(i, 3) % 8);
        m.row_ptr[i] = count;
        for (int k = 0, col = -1; k < wanted; k++) {
            int left = cols - col - 1 - (wanted - k); /* columns that may still be left out */
            if (left < 0)
                break;
            col += 1 + (int)(suite_random(count, 4) % (uint32_t)(2 * left / (wanted - k) + 1));
            if (col >= cols)
                break;
            m.col[count] = col;
            suite_fill(&m.data[count], 1, 5 + count);
            count++;
        }
    }
    m.row_ptr[rows] = m.count = count;
    return m;
}

/* Matrices of one kind throughout, `each` values a row on average. random: columns anywhere;
 * banded: those next to the diagonal; power: few rows have most of the values (lengths as u^-0.7, u
 * even between 0 and 1), and low columns are asked for more often. */
static inline int
sparse_row_length(const char *kind, int row, int cols, int each)
{
    double u = (suite_random(row, 7) + 1.0) / 4294967296.0;
    double wanted = strcmp(kind, "power") == 0 ? 0.32 * each * pow(u, -0.7) : each;
    return wanted > cols ? cols : (int)wanted;
}

static inline struct sparse
sparse_generate_kind(const char *kind, int rows, int cols, int each)
{
    bool banded = strcmp(kind, "banded") == 0, power = strcmp(kind, "power") == 0;
    int64_t count = 0;
    if (!banded && !power && strcmp(kind, "random") != 0) {
        fprintf(stderr, "--matrix takes mixed, random, banded or power, not \"%s\"\n", kind);
        exit(2);
    }
    for (int i = 0; i < rows; i++)
        count += sparse_row_length(kind, i, cols, each);
    if (count > SUITE_MOST) {
        fprintf(stderr, "%lld values are too many\n", (long long)count);
        exit(2);
    }
    struct sparse m = sparse_new(rows, cols, (int)count);
    for (int i = 0, at = 0; i < rows; i++) {
        int wanted = sparse_row_length(kind, i, cols, each);
        int first = (int)((int64_t)i * cols / rows) - wanted / 2;
        if (first + wanted > cols)
            first = cols - wanted;
        for (int k = 0; k < wanted; k++) {
            double u = (k + suite_random(at + k, 8) / 4294967296.0) / wanted; /* rising */
            m.col[at + k] =
                banded ? (first > 0 ? first : 0) + k : (int)((power ? u * u : u) * cols);
        }
        m.row_ptr[i + 1] = at += wanted;
    }
    suite_fill(m.data, m.count, 5);
    return m;
}

/* -- Matrix Market ----------------------------------------------------------------------------- */

struct sparse_entry {
    int row, col;
    float value;
};

static inline int
sparse_by_place(const void *a, const void *b)
{
    const struct sparse_entry *x = (const struct sparse_entry *)a;
    const struct sparse_entry *y = (const struct sparse_entry *)b;
    return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col > y->col) - (x->col < y->col);
}

static inline void
sparse_fail(const char *file, const char *why)
{
    fprintf(stderr, "%s: %s\n", file, why);
    exit(2);
}

/* The next line that is neither empty nor a comment. */
static inline bool
sparse_line(FILE *f, char *line, int size)
{
    while (fgets(line, size, f))
        if (line[0] != '%' && line[strspn(line, " \t\r\n")])
            return true;
    return false;
}

static inline struct sparse
sparse_read(const char *name)
{
    char line[1024], format[32], field[32], symmetry[32];
    FILE *f = fopen(name, "r");
    int rows, cols, stated = 0, count = 0;
    if (!f || !fgets(line, sizeof line, f))
        sparse_fail(name, "cannot be read");
    if (sscanf(line, "%%%%MatrixMarket matrix %31s %31s %31s", format, field, symmetry) != 3)
        sparse_fail(name, "no Matrix Market file: its first line is not its banner");
    bool array = strcmp(format, "array") == 0, pattern = strcmp(field, "pattern") == 0;
    bool general = strcmp(symmetry, "general") == 0, skew = strcmp(symmetry, "skew-symmetric") == 0;
    if (strcmp(field, "complex") == 0 || (!general && !skew && strcmp(symmetry, "symmetric") != 0))
        sparse_fail(name, "complex and hermitian matrices are not supported");
    if (!sparse_line(f, line, sizeof line) ||
        sscanf(line, "%d %d %d", &rows, &cols, &stated) != (array ? 2 : 3) || rows < 0 ||
        cols < 0 || stated < 0)
        sparse_fail(name, "no line with the sizes");
    if (array && (int64_t)rows * cols > SUITE_MOST)
        sparse_fail(name, "too large for a dense matrix");
    if (array)
        stated = general ? rows * cols : rows * (rows + (skew ? -1 : 1)) / 2;
    struct sparse_entry *entries = suite_host<struct sparse_entry>(2 * (size_t)stated);
    for (int i = 0, row = skew, col = 0; i < stated; i++) {
        double value = 1;
        bool read = sparse_line(f, line, sizeof line);
        if (!array)
            read = read && sscanf(line, "%d %d %lf", &row, &col, &value) == (pattern ? 2 : 3);
        else
            read = read && sscanf(line, "%lf", &value) == 1;
        struct sparse_entry e = {row - !array, col - !array, (float)value};
        if (!read || e.row < 0 || e.row >= rows || e.col < 0 || e.col >= cols)
            sparse_fail(name, "fewer values than it says, or one outside the matrix");
        if (!array || value != 0) {
            entries[count++] = e;
            if (!general && e.row != e.col)
                entries[count++] = {e.col, e.row, skew ? -e.value : e.value};
        }
        if (array && ++row == rows) /* by columns; of a symmetric one the lower triangle */
            row = general ? 0 : col + 1 + skew, col++;
    }
    fclose(f);
    qsort(entries, count, sizeof *entries, sparse_by_place);
    struct sparse m = sparse_new(rows, cols, count);
    for (int i = 0; i < count; i++) {
        m.row_ptr[entries[i].row + 1]++;
        m.col[i] = entries[i].col;
        m.data[i] = entries[i].value;
    }
    for (int i = 0; i < rows; i++)
        m.row_ptr[i + 1] += m.row_ptr[i];
    free(entries);
    return m;
}

/* y = m x in plain C; size gets the sum of |m x|, by which errors are judged. */
static inline void
sparse_multiply(const struct sparse *m, const float *x, double *y, double *size)
{
    for (int i = 0; i < m->rows; i++) {
        y[i] = size[i] = 0;
        for (int k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
            y[i] += (double)m->data[k] * x[m->col[k]];
            size[i] += fabs((double)m->data[k] * x[m->col[k]]);
        }
    }
}

#endif
