/* The few loops of fairtrec that are worth a compiler. Each has a twin in numpy that gives the same numbers; the rest of
 * the package neither knows nor cares which of the two is at work (see __init__.py beside this file).
 *
 * Memory is that of the caller: every argument is a buffer, and a buffer that is written to has been made by numpy with
 * the size that is said here. Nothing is allocated, except by lines() for more than FEW_COLUMNS columns. The interpreter's lock is
 * released while a loop runs. Several times a second, each loop lets handlers of signals run.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* buffers are part of it since 3.11, so one library serves all later versions */
#include <Python.h>
#include <float.h>
#include <math.h> /* macros and ldexp, which is exact: no function of a C library decides a digit */
#include <stdint.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifndef _WIN32
#include <signal.h>
#include <unistd.h>
#endif
#if defined(__SSE2__) || defined(_M_X64)
#define HAS_SSE2
#include <emmintrin.h>
#endif

/* ---- signals -------------------------------------------------------------------------------------------------- */

/* How much is done between two looks at signals: look-ups of short docnos, bytes that are read, numbers. */
enum { STEP = 1 << 17, BYTES = 1 << 22, NUMBERS = 1 << 19 };

/* Work without the interpreter's lock: only the function that began it may end it, and so may a signal's handler. */
typedef struct {
    PyThreadState *state;
    int stopped;
} Work;

static void begin_work(Work *work)
{
    work->stopped = 0;
    work->state = PyEval_SaveThread();
}

/* Let handlers of signals run; 1 if one has raised an exception, which ends the work. */
static int stops(Work *work)
{
    PyEval_RestoreThread(work->state);
    work->stopped = PyErr_CheckSignals() < 0;
    work->state = PyEval_SaveThread();
    return work->stopped;
}

/* Take the lock again; 0 if an exception is set. */
static int end_work(Work *work)
{
    PyEval_RestoreThread(work->state);
    return !work->stopped;
}

static PyObject *none_unless(const Work *work)
{
    return work->stopped ? NULL : Py_NewRef(Py_None);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* 64 x 64 bits; the product's upper half goes to *high. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return (other << 32) | (uint32_t)low;
#endif
}

/* How many zeros stand before the first bit that is set. */
static int zeros_before(uint64_t w)
{
#if defined(__GNUC__)
    return __builtin_clzll(w);
#else
    int zeros = 0;
    for (; !(w >> 63); w <<= 1)
        zeros++;
    return zeros;
#endif
}

enum { LEAST_POWER = -342, MOST_POWER = 308, DIGITS = 19 };

/* The double nearest to w 10^q, as bits: Lemire, Number Parsing at a Gigabyte per Second, 2021, with the 128 leading
 * bits of 5^q in powers. 0 where this does not settle it: subnormal, infinite, or too near the middle of two doubles. */
static int nearest(uint64_t w, int64_t q, const uint64_t *powers, uint64_t *bits)
{
    if (w == 0 || q < LEAST_POWER) {
        *bits = 0;
        return w == 0;
    }
    if (q > MOST_POWER)
        return 0;
    int zeros = zeros_before(w);
    w <<= zeros;
    const uint64_t *power = powers + 2 * (q - LEAST_POWER);
    uint64_t high, low = multiply(w, power[0], &high);
    if ((high & 0x1FF) == 0x1FF) {
        uint64_t carry;
        multiply(w, power[1], &carry);
        low += carry;
        high += low < carry;
    }
    if (low == UINT64_MAX && (q < -27 || q > 55))
        return 0;
    int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + 9);
    int64_t exponent = (((152170 + 65536) * q) >> 16) + 63 + top - zeros + 1023;
    if (exponent <= 0)
        return 0;
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && (mantissa << (top + 9)) == high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa = (uint64_t)1 << 52;
        exponent++;
    }
    if (exponent >= 0x7FF)
        return 0;
    *bits = (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)exponent << 52;
    return 1;
}

enum { TOGETHER = 8 };
static const uint64_t TENS[TOGETHER + 1] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Read up to 8 digits before the end of a text together, behind which there is nothing else; 0 if one is no digit. */
static int read_digits(const unsigned char *end, Py_ssize_t many, uint64_t *number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word, zeros = 0x3030303030303030u, others = many < TOGETHER ? ~(uint64_t)0 >> 8 * many : 0;
    memcpy(&word, end - TOGETHER, sizeof word);
    word = ((word ^ zeros) & ~others); /* which leaves the values of the digits, the first one in the lowest byte */
    if (((word + 0x7676767676767676u) | word) & 0x8080808080808080u)
        return 0;
    word = word * 10 + (word >> 8);
    *number = ((word & 0x000000FF000000FFu) * (100 + ((uint64_t)1000000 << 32)) +
               (word >> 16 & 0x000000FF000000FFu) * (1 + ((uint64_t)10000 << 32))) >> 32;
    return 1;
#else
    (void)end, (void)many, (void)number;
    return 0;
#endif
}

/* Read [+-] digits [. digits] [e [+-] digits] as float() does; 0 for all else, which the caller gives to float(). The bytes
 * from start on can be read. */
static int decimal(const unsigned char *start, const unsigned char *at, const unsigned char *end, const uint64_t *powers,
                   double *value)
{
    uint64_t w = 0, bits, next;
    int64_t q = 0;
    int many = 0, kept = 0, more = 0, minus = *at == '-', pointed = 0;
    at += minus || *at == '+';
    for (; at < end; at++) {
        unsigned digit = (unsigned)*at - '0';
        if (digit < 10) {
            many = 1;
            if (kept < DIGITS) {
                w = 10 * w + digit;
                kept += w != 0;
                q -= pointed;
            } else {
                more |= digit != 0;
                q += !pointed;
            }
        } else if (*at == '.' && !pointed) {
            Py_ssize_t behind = end - at - 1;
            uint64_t number;
            if (behind && behind <= TOGETHER && kept + behind <= DIGITS && end - start >= TOGETHER &&
                read_digits(end, behind, &number)) {
                w = w * TENS[behind] + number;
#if FLT_EVAL_METHOD == 0
                if (w < (uint64_t)1 << 53) { /* then both of these are exact, and their quotient is rounded once */
                    double parts = (double)w / (double)TENS[behind];
                    *value = minus ? -parts : parts;
                    return 1;
                }
#endif
                q = -(int64_t)behind;
                many = 1;
                at = end;
                break;
            }
            pointed = 1;
        } else
            break;
    }
    if (!many)
        return 0;
    if (at < end) {
        if ((*at | 0x20) != 'e' || ++at == end)
            return 0;
        int below = *at == '-';
        at += below || *at == '+';
        int64_t exponent = 0;
        if (at == end)
            return 0;
        for (; at < end; at++) {
            unsigned digit = (unsigned)*at - '0';
            if (digit > 9 || exponent > 99999)
                return 0;
            exponent = 10 * exponent + digit;
        }
        q += below ? -exponent : exponent;
    }
    if (!nearest(w, q, powers, &bits) || (more && (!nearest(w + 1, q, powers, &next) || next != bits)))
        return 0;
    bits |= (uint64_t)minus << 63;
    memcpy(value, &bits, sizeof bits);
    return 1;
}

/* Read [+-] digits of up to 18; 0 for all else. */
static int integer(const unsigned char *at, const unsigned char *end, int64_t *value)
{
    int minus = *at == '-';
    int64_t sum = 0;
    at += minus || *at == '+';
    if (at == end || end - at > 18)
        return 0;
    for (; at < end; at++) {
        unsigned digit = (unsigned)*at - '0';
        if (digit > 9)
            return 0;
        sum = 10 * sum + digit;
    }
    *value = minus ? -sum : sum;
    return 1;
}

/* The number of the lowest bit that is set. */
static int lowest(uint64_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    int number = 0;
    for (; !(mask & 1); mask >>= 1)
        number++;
    return number;
#endif
}

/* How many bits are set. */
static int count_set(uint64_t mask)
{
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    return (int)(((mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

static int highest(uint64_t mask)
{
    return 63 - zeros_before(mask);
}

/* ---- windows of bytes ----------------------------------------------------------------------------------------- */

enum { WINDOW = 64 };

typedef struct {
    uint8_t from, reach;
} Range;

/* Gather the highest bits of the bytes of a window. */
static uint64_t gathered(const uint8_t *bytes)
{
    uint64_t mask = 0;
#ifdef HAS_SSE2
    for (int i = 0; i < WINDOW; i += 16) {
        __m128i some;
        memcpy(&some, bytes + i, 16);
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(some) << i;
    }
#else
    for (int i = 0; i < WINDOW; i += 8) {
        uint64_t some;
        memcpy(&some, bytes + i, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        some = __builtin_bswap64(some);
#endif
        mask |= ((some >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i; /* which lays them side by side */
    }
#endif
    return mask;
}

/* Tell which bytes of a window lie in some ranges, a bit each. */
static uint64_t within(const unsigned char *at, const Range *ranges, int many)
{
    uint8_t is_in[WINDOW] = {0};
    for (int i = 0; i < many; i++)
        for (int j = 0; j < WINDOW; j++)
            is_in[j] |= (uint8_t)(at[j] - ranges[i].from) <= ranges[i].reach ? 0xFF : 0;
    return gathered(is_in);
}

/* Tell which bytes of a window are white space, a bit each. */
static uint64_t blanks_in(const unsigned char *at)
{
#ifdef HAS_SSE2
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), many = _mm_set1_epi8('\r' - '\t');
    uint64_t mask = 0;
    for (int i = 0; i < WINDOW; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(at + i)), above = _mm_sub_epi8(bytes, tab);
        __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(_mm_min_epu8(above, many), above));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(blank) << i;
    }
    return mask;
#else
    static const Range white[] = {{'\t', '\r' - '\t'}, {' ', 0}};
    return within(at, white, 2);
#endif
}

/* Read the first 8 bytes of a text of some size, with zeros behind it. */
static uint64_t padded_word(const unsigned char *text, Py_ssize_t size, const unsigned char *limit)
{
    uint64_t word = 0;
    if (limit - text < 8 || size <= 0) {
        memcpy(&word, text, (size_t)(size < 8 ? size : 8));
        return word;
    }
    memcpy(&word, text, 8);
    if (size < 8)
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word &= ~(~(uint64_t)0 >> 8 * size);
#else
        word &= ~(~(uint64_t)0 << 8 * size);
#endif
    return word;
}

/* ---- lines ---------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 1024, FEW_COLUMNS = 16, ODD = -1, FULL = -2, WIDE = -3, EDGES = 1024 };

/* Where the cells of a text start and end, found 64 bytes at a time, and handed out in turn. */
typedef struct {
    const unsigned char *text;
    Work *work;
    Py_ssize_t next_look; /* at signals */
    Py_ssize_t size, at; /* what has not been looked at begins at the latter */
    uint64_t inside;     /* whether the byte before that is of a cell */
    int next, many;
    Py_ssize_t places[EDGES];
    Py_ssize_t start, end; /* of the last cell that was handed out */
} Cells;

static void begin_cells(Cells *cells, const unsigned char *text, Py_ssize_t size, Work *work)
{
    cells->text = text;
    cells->work = work;
    cells->next_look = BYTES;
    cells->size = size;
    cells->at = 0;
    cells->inside = 0;
    cells->next = cells->many = 0;
    cells->start = cells->end = 0;
}

/* Find more edges, behind those that have not been handed out; 0 where there are none, or the work is to stop. */
static int find_edges(Cells *cells)
{
    Py_ssize_t *place = cells->places;
    for (; cells->next < cells->many; cells->next++)
        *place++ = cells->places[cells->next];
    while (cells->at <= cells->size && place - cells->places <= EDGES - WINDOW - 8) {
        if (cells->at >= cells->next_look) {
            cells->next_look = cells->at + BYTES;
            if (stops(cells->work))
                break;
        }
        const unsigned char *window = cells->text + cells->at;
        unsigned char last[WINDOW];
        if (cells->size - cells->at < WINDOW) { /* the end is like a blank */
            memset(last, ' ', WINDOW);
            memcpy(last, window, (size_t)(cells->size - cells->at));
            window = last;
        }
        uint64_t blank = blanks_in(window), behind = blank << 1 | (cells->inside ^ 1), turns = blank ^ behind;
        cells->inside = ~blank >> 63;
        int many = count_set(turns), first = (int)(turns & behind & 1); /* whether a cell starts with the window */
        if (blank & behind) /* eight at once, here and below, as branches that depend on bytes take long */
            for (int i = 0; i < many; i += 8)
                for (int j = i; j < i + 8; j++) {
                    place[j] = cells->at + lowest(turns | (uint64_t)1 << 63);
                    turns &= turns - 1;
                }
        else { /* a cell ends at each blank, and the next one starts behind it */
            place[0] = cells->at; /* which the first blank replaces if no cell starts there */
            for (int i = first; i < many; i += 8)
                for (int j = i; j < i + 8; j += 2) {
                    place[j] = cells->at + lowest(blank | (uint64_t)1 << 63);
                    place[j + 1] = place[j] + 1;
                    blank &= blank - 1;
                }
        }
        place += many;
        cells->at += WINDOW;
    }
    cells->next = 0;
    cells->many = cells->work->stopped ? 0 : (int)(place - cells->places);
    return cells->many > 0;
}

/* Go on to the next cell; 0 where there is none. */
static inline int next_cell(Cells *cells)
{
    if (cells->next == cells->many && !find_edges(cells))
        return 0;
    cells->start = cells->places[cells->next++];
    if (cells->next == cells->many && !find_edges(cells))
        return 0; /* only if the work is to stop: each cell has an end */
    cells->end = cells->places[cells->next++];
    return 1;
}

/* Tell how many line ends there are between two cells: 0, 1, or 2 for more. */
static inline int ends_between(const Cells *cells, Py_ssize_t from, Py_ssize_t to)
{
    if (to - from == 1)
        return cells->text[from] == '\n';
    int many = 0;
    for (; from < to && many < 2; from++)
        many += cells->text[from] == '\n';
    return many;
}

/* Tell whether there is nothing behind the last cell but blanks and perhaps the line end, behind which nothing is. */
static int is_end(const Cells *cells, Py_ssize_t from)
{
    while (from < cells->size && cells->text[from] != '\n')
        from++;
    return from == cells->size || from + 1 == cells->size;
}

/* Go on to the first cell of the next line: 1; 0 where there are no more lines, ODD where one is empty or too long. */
static inline int next_line(Cells *cells, Py_ssize_t row)
{
    Py_ssize_t from = cells->end;
    if (!next_cell(cells))
        return (row || cells->size == 0) && is_end(cells, from) ? 0 : ODD;
    return ends_between(cells, from, cells->start) == (row > 0) ? 1 : ODD;
}

/* Go on to the next cell of the same line; 0 where there is none. */
static inline int same_line(Cells *cells)
{
    Py_ssize_t from = cells->end;
    return next_cell(cells) && !ends_between(cells, from, cells->start);
}

enum { LINE_CELLS = 200 };

/* Go on to the next line, all of whose cells are handed out: so many, between pairs of edges. 1; 0 where there are no more
 * lines, ODD where one is empty or has another number of cells. */
static inline int next_cells(Cells *cells, Py_ssize_t row, int many, const Py_ssize_t **edges)
{
    int found = 1;
    while (cells->many - cells->next < 2 * many && cells->at <= cells->size && found)
        found = find_edges(cells);
    const Py_ssize_t *edge = cells->places + cells->next;
    if (cells->next == cells->many)
        return (row || cells->size == 0) && is_end(cells, cells->end) ? 0 : ODD;
    if (cells->many - cells->next < 2 * many || ends_between(cells, cells->end, edge[0]) != (row > 0))
        return ODD;
    int odd = 0; /* what is between two cells is mostly one blank */
    for (int i = 1; i < many; i++)
        odd |= (edge[2 * i] - edge[2 * i - 1] != 1) | (cells->text[edge[2 * i - 1]] == '\n');
    for (int i = 1; odd && i < many; i++)
        if (ends_between(cells, edge[2 * i - 1], edge[2 * i]))
            return ODD;
    cells->next += 2 * many;
    cells->end = edge[2 * many - 1];
    *edges = edge;
    return 1;
}

typedef struct {
    unsigned char kind;  /* s: skipped, t: text, b: text, once where it stands again, f: float, i: integer */
    Py_ssize_t width;    /* bytes of a text */
    Py_ssize_t rows;     /* how many there is room for */
    unsigned char *values;
    int64_t *lengths;    /* of blocks: in how many lines each text stands */
    Py_ssize_t found;
} Column;

/* Copy a text into a cell, and fill the cell up with zeros. */
static inline void put(unsigned char *cell, Py_ssize_t width, const unsigned char *text, Py_ssize_t size,
                       const unsigned char *limit)
{
    if (width == 8) {
        uint64_t word = padded_word(text, size, limit);
        memcpy(cell, &word, 8);
        return;
    }
    memcpy(cell, text, (size_t)size);
    memset(cell + size, 0, (size_t)(width - size));
}

/* Tell whether a column's last text is this one. */
static inline int is_again(const Column *column, const unsigned char *text, Py_ssize_t size, const unsigned char *limit)
{
    if (!column->found || size > column->width)
        return 0;
    const unsigned char *last = column->values + (column->found - 1) * column->width;
    if (column->width == 8) {
        uint64_t word = padded_word(text, size, limit);
        return memcmp(last, &word, 8) == 0;
    }
    return memcmp(last, text, (size_t)size) == 0 && (size == column->width || last[size] == 0);
}

/* Fill columns from lines of cells between white space. Gives the number of lines; ODD where one is not plain, FULL where
 * there are more than there is room for, WIDE where a text is longer than its column is wide: *widest of bytes. */
static Py_ssize_t fill(const unsigned char *text, Py_ssize_t size_of_all, Column *columns, int many,
                       const uint64_t *powers, Py_ssize_t *widest, Work *work)
{
    Cells cells;
    const unsigned char *limit = text + size_of_all;
    begin_cells(&cells, text, size_of_all, work);
    Py_ssize_t row = 0;
    for (;; row++) {
        int there = many ? next_line(&cells, row) : ODD;
        if (there != 1)
            return there ? there : row;
        for (int i = 0; i < many; i++) {
            Column *column = columns + i;
            if (i && !same_line(&cells))
                return ODD;
            const unsigned char *cell = text + cells.start, *end = text + cells.end;
            Py_ssize_t size = end - cell, place = column->kind == 'b' ? column->found : row;
            switch (column->kind) {
            case 'b':
                if (is_again(column, cell, size, limit)) {
                    column->lengths[column->found - 1]++;
                    break;
                }
                /* fall through */
            case 't':
                if (place == column->rows)
                    return FULL;
                if (size > column->width) {
                    *widest = size;
                    return WIDE;
                }
                put(column->values + place * column->width, column->width, cell, size, limit);
                if (column->kind == 'b')
                    column->lengths[column->found++] = 1;
                break;
            case 'f':
                if (row == column->rows)
                    return FULL;
                if (!decimal(text, cell, end, powers, (double *)column->values + row))
                    return ODD;
                break;
            case 'i':
                if (row == column->rows)
                    return FULL;
                if (!integer(cell, end, (int64_t *)column->values + row))
                    return ODD;
                break;
            default:
                break;
            }
        }
    }
}

static PyObject *lines(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, kinds, powers;
    PyObject *outs;
    if (!PyArg_ParseTuple(arguments, "y*y*O!y*", &block, &kinds, &PyTuple_Type, &outs, &powers))
        return NULL;
    Work work = {NULL, 0};
    Column few_columns[FEW_COLUMNS], *columns = few_columns; /* a thread may have a small stack */
    Py_buffer few_held[2 * FEW_COLUMNS], *held = few_held;
    int many = (int)kinds.len, taken = 0, good = kinds.len <= COLUMNS && powers.len == 16 * (MOST_POWER - LEAST_POWER + 1);
    if (good && many > FEW_COLUMNS) {
        columns = PyMem_Calloc((size_t)many, sizeof *columns);
        held = PyMem_Calloc(2 * (size_t)many, sizeof *held);
        good = columns != NULL && held != NULL;
        if (!good)
            PyErr_NoMemory();
    }
    Py_ssize_t place = 0, widest = 0, rows = ODD;
    for (int i = 0; good && i < many; i++) {
        Column *column = columns + i;
        memset(column, 0, sizeof *column);
        column->kind = ((unsigned char *)kinds.buf)[i];
        int needed = column->kind == 's' ? 0 : 1 + (column->kind == 'b');
        for (int j = 0; good && j < needed; j++) {
            PyObject *out = PyTuple_GetItem(outs, place++);
            good = out != NULL && PyObject_GetBuffer(out, held + taken, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) == 0;
            if (!good)
                break;
            Py_buffer *view = held + taken++;
            if (j == 0) {
                column->values = view->buf;
                column->width = view->itemsize;
                column->rows = view->len / (view->itemsize ? view->itemsize : 1);
            } else {
                column->lengths = view->buf;
                good = view->itemsize == 8 && view->len / 8 >= column->rows;
            }
        }
        good = good && (needed == 0 || column->kind == 't' || column->kind == 'b' || column->width == 8);
    }
    if (good) {
        begin_work(&work);
        rows = fill(block.buf, block.len, columns, many, powers.buf, &widest, &work);
        good = end_work(&work);
    }
    PyObject *blocks = good ? PyList_New(0) : NULL;
    for (int i = 0; blocks != NULL && i < many; i++) {
        if (columns[i].kind != 'b')
            continue;
        PyObject *number = PyLong_FromSsize_t(columns[i].found);
        if (number == NULL || PyList_Append(blocks, number) < 0)
            Py_CLEAR(blocks);
        Py_XDECREF(number);
    }
    while (taken)
        PyBuffer_Release(held + --taken);
    if (columns != few_columns)
        PyMem_Free(columns);
    if (held != few_held)
        PyMem_Free(held);
    PyBuffer_Release(&block);
    PyBuffer_Release(&kinds);
    PyBuffer_Release(&powers);
    if (!good && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the columns do not fit their buffers");
    return blocks == NULL ? NULL : Py_BuildValue("nnN", rows, widest, blocks);
}

/* Survey a block: how many line ends it has, whether it has bytes beyond ASCII or NUL, and whether it has CR. */
static PyObject *survey(PyObject *self, PyObject *argument)
{
    (void)self;
    Py_buffer block;
    if (PyObject_GetBuffer(argument, &block, PyBUF_SIMPLE) < 0)
        return NULL;
    Py_ssize_t found = 0;
    const unsigned char *text = block.buf;
    unsigned char odd = 0, returns = 0;
    Work work;
    begin_work(&work);
    for (Py_ssize_t i = 0, look = BYTES; i < block.len;) { /* sums of bytes, which a compiler does many at a time */
        if (i >= look) {
            look = i + BYTES;
            if (stops(&work))
                break;
        }
        Py_ssize_t stop = block.len - i < 255 * 64 ? block.len : i + 255 * 64;
        unsigned char sums[64] = {0}, odds[64] = {0}, of_cr[64] = {0};
        for (; i + 64 <= stop; i += 64)
            for (int j = 0; j < 64; j++) {
                unsigned char byte = text[i + j];
                sums[j] = (unsigned char)(sums[j] + (byte == '\n'));
                odds[j] |= (unsigned char)((byte & 0x80) | (byte == 0));
                of_cr[j] |= byte == '\r';
            }
        for (int j = 0; j < 64; j++) {
            found += sums[j];
            odd |= odds[j];
            returns |= of_cr[j];
        }
        for (; i < stop; i++) {
            found += text[i] == '\n';
            odd |= (unsigned char)((text[i] & 0x80) | (text[i] == 0));
            returns |= text[i] == '\r';
        }
    }
    int good = end_work(&work);
    PyBuffer_Release(&block);
    return !good ? NULL : Py_BuildValue("nNN", found, PyBool_FromLong(odd), PyBool_FromLong(returns));
}

/* Find lines: where each starts, the first tab from there on, and where it ends; gives how many there are. */
static PyObject *line_edges(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, starts, tabs, ends;
    if (!PyArg_ParseTuple(arguments, "y*w*w*w*", &block, &starts, &tabs, &ends))
        return NULL;
    const char *text = block.buf, *at = text, *last = text + block.len, *tab = NULL;
    Py_ssize_t row = 0, room = starts.len < tabs.len ? starts.len : tabs.len;
    room = (ends.len < room ? ends.len : room) / 8;
    int64_t *of[] = {starts.buf, tabs.buf, ends.buf};
    Work work;
    begin_work(&work);
    for (Py_ssize_t look = BYTES; at < last && row < room; row++) {
        if (at - text >= look) {
            look = at - text + BYTES;
            if (stops(&work))
                break;
        }
        const char *end = memchr(at, '\n', (size_t)(last - at));
        end = end ? end : last;
        if (tab == NULL || tab < at) {
            tab = memchr(at, '\t', (size_t)(last - at));
            tab = tab ? tab : last;
        }
        of[0][row] = at - text;
        of[1][row] = tab - text;
        of[2][row] = end - text;
        at = end < last ? end + 1 : last;
    }
    int good = end_work(&work);
    PyBuffer_Release(&block);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&tabs);
    PyBuffer_Release(&ends);
    if (!good)
        return NULL;
    if (at < last) {
        PyErr_SetString(PyExc_ValueError, "there is no room for so many lines");
        return NULL;
    }
    return PyLong_FromSsize_t(row);
}

/* ---- keys ----------------------------------------------------------------------------------------------------- */

enum { DIGIT = 12, BUCKETS = 1 << DIGIT, BYTES_OF_KEY = 8 };

/* Some bits of keys, side by side: those of up to so many bytes that differ. */
typedef struct {
    int shifts[BYTES_OF_KEY], places[BYTES_OF_KEY], many, bits;
    uint64_t masks[BYTES_OF_KEY];
} Digit;

static inline size_t digit_of(const Digit *digit, uint64_t key)
{
    uint64_t value = 0;
    for (int i = 0; i < digit->many; i++)
        value |= (key >> digit->shifts[i] & digit->masks[i]) << digit->places[i];
    return (size_t)value;
}

/* Divide the bits in which keys differ into digits, from the lowest; what lies between bits of a byte that differ is taken
 * too. */
static int list_digits(uint64_t differ, Digit *digits)
{
    int many = 0;
    for (int at = 0; at < 64; at += 8) {
        uint64_t byte = differ >> at & 0xFF;
        if (!byte)
            continue;
        int low = lowest(byte), bits = highest(byte) - low + 1;
        if (many == 0 || digits[many - 1].bits + bits > DIGIT)
            digits[many++] = (Digit){.bits = 0};
        Digit *digit = digits + many - 1;
        digit->shifts[digit->many] = at + low;
        digit->masks[digit->many] = ((uint64_t)1 << bits) - 1;
        digit->places[digit->many++] = digit->bits;
        digit->bits += bits;
    }
    return many;
}

/* Sort keys by one digit into others, those that share it in their order; 0 if the work is to stop. */
static int sort_by_digit(const Digit *digit, const uint64_t *from, uint64_t *to, Py_ssize_t many, Work *work)
{
    Py_ssize_t next[BUCKETS] = {0}, sum = 0;
    for (Py_ssize_t i = 0; i < many; i++) {
        if (i && i % NUMBERS == 0 && stops(work))
            return 0;
        next[digit_of(digit, from[i])]++;
    }
    for (size_t value = 0; value < (size_t)1 << digit->bits; value++) {
        Py_ssize_t here = next[value];
        next[value] = sum;
        sum += here;
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        if (i && i % NUMBERS == 0 && stops(work))
            return 0;
        to[next[digit_of(digit, from[i])]++] = from[i];
    }
    return 1;
}

/* Sort keys, by the bytes in which they differ, and keep each once at the beginning of its buffer; the other one is as
 * large. Gives how many there are. */
static PyObject *sort_keys(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer keys, spare;
    if (!PyArg_ParseTuple(arguments, "w*w*", &keys, &spare))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = keys.len / 8, kept = 0;
    int good = keys.len == spare.len;
    if (good) {
        begin_work(&work);
        uint64_t *to = keys.buf, *from = to, *other = spare.buf, differ = 0;
        Digit digits[BYTES_OF_KEY];
        for (Py_ssize_t i = 1; i < many; i++)
            differ |= from[i] ^ from[0];
        int passes = list_digits(differ, digits);
        for (int i = 0; i < passes && sort_by_digit(digits + i, from, other, many, &work); i++) {
            uint64_t *sorted = other;
            other = from;
            from = sorted;
        }
        for (Py_ssize_t i = 0; i < many && !work.stopped; i++)
            if (i == 0 || from[i] != from[i - 1])
                to[kept++] = from[i];
        end_work(&work);
    }
    PyBuffer_Release(&keys);
    PyBuffer_Release(&spare);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the keys do not fit their buffers");
    return !good || work.stopped ? NULL : PyLong_FromSsize_t(kept);
}

/* ---- docnos --------------------------------------------------------------------------------------------------- */

#define GOLDEN 0x9E3779B97F4A7C15u /* 2^64 over the golden ratio */

#ifdef __GNUC__
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) (void)(place)
#endif
enum { AHEAD = 16 };

/* Compare two texts, which zeros fill up to their widths. */
static int compare(const unsigned char *a, Py_ssize_t a_width, const unsigned char *b, Py_ssize_t b_width)
{
    Py_ssize_t both = a_width < b_width ? a_width : b_width;
    int order = memcmp(a, b, (size_t)both);
    if (order || a_width == b_width)
        return order;
    return a_width > both ? a[both] != 0 : -(b[both] != 0);
}

enum { PROBES = 64 };

/* Documents in the order of their keys, equal ones in that of their names, and a hash table of their row numbers (-1: free),
 * some of whose slots are free. A row stands in the first free slot at or behind that of its key. If that is not among
 * the first PROBES, as where somebody has made keys that collide, the row stands in none: it is found by bisection.
 * Above the number of a row a slot has its mark, the bits of the hash that there is room for. Most rows that stand in the
 * way of another have other marks, so that their keys, which are far away in memory, are not asked for. */
typedef struct {
    const unsigned char *names; /* NULL where no docno has more than 8 bytes: the keys are the docnos then */
    const uint64_t *keys;
    const int32_t *slots;
    Py_ssize_t width, there, size; /* of a name; rows; slots */
    int bits, row_bits; /* of the number of a slot, and of a row */
} Table;

/* Count the bits of a slot's number; 0 where a table has no power of two of slots, or one. */
static int count_bits(Py_ssize_t size)
{
    if (size < 2 || (size & (size - 1)) || size > (Py_ssize_t)1 << 40)
        return 0;
    return highest((uint64_t)size);
}

/* Count the bits of the number of a bit in a filter; 0 where it has no power of two of bits, or one. */
static int count_filter_bits(const Py_buffer *filter)
{
    return filter->len <= (Py_ssize_t)1 << 32 ? count_bits(8 * filter->len) : 0;
}

/* Count the bits that tell so many rows apart; -1 where a slot has none for them. */
static int count_row_bits(Py_ssize_t rows)
{
    return rows > INT32_MAX ? -1 : rows > 1 ? highest((uint64_t)rows - 1) + 1 : 0;
}

/* Tell whether the parts of a table fit each other, and fill it in. */
static int open_table(Table *table, const Py_buffer *names, Py_ssize_t width, const Py_buffer *keys, const Py_buffer *slots)
{
    table->names = names->buf;
    table->keys = keys->buf;
    table->slots = slots->buf;
    table->width = width;
    table->there = keys->len / 8;
    table->size = slots->len / 4;
    table->bits = count_bits(table->size);
    table->row_bits = count_row_bits(table->there);
    if (!table->bits || table->row_bits < 0)
        return 0;
    if (names->obj == NULL)
        return width == 8;
    return width > 0 && names->len % width == 0 && names->len / width == table->there;
}

static inline size_t home_of(uint64_t key, int bits)
{
    return (size_t)(key * GOLDEN >> (64 - bits));
}

/* The mark of a key: bits of its hash that do not tell its slot. */
static inline uint32_t mark_of(uint64_t key, int bits, int row_bits)
{
    return row_bits == 31 ? 0 : (uint32_t)(key * GOLDEN << bits >> (33 + row_bits));
}

/* Nearly each look-up is of memory that nobody has looked at for long: ask for it in two steps, this one first. */
static inline void fetch_slot(const Table *table, uint64_t key)
{
    size_t home = home_of(key, table->bits);
    FETCH(table->slots + home);
    FETCH(table->slots + ((home + 3) & (size_t)(table->size - 1))); /* the last of the first four, which may lie in the next line */
}

static inline void pass_slot(const Table *table, size_t *slot, int *tried)
{
    *slot = (*slot + 1) & (size_t)(table->size - 1);
    ++*tried;
}

enum { NO_ROW = -1, UNKNOWN_ROW = -2 };

/* Find the next slot that has the mark of a key, and give its row; NO_ROW before a free slot, and after PROBES of them. */
static inline int32_t next_row(const Table *table, uint64_t key, size_t *slot, int *tried)
{
    uint32_t mark = mark_of(key, table->bits, table->row_bits), within = ((uint32_t)1 << table->row_bits) - 1;
#ifdef HAS_SSE2
    const __m128i marks = _mm_set1_epi32((int)mark), row_bits = _mm_cvtsi32_si128(table->row_bits);
    while (*slot + 4 <= (size_t)table->size && *tried + 4 <= PROBES) { /* pass slots that are neither free nor have the mark */
        __m128i held = _mm_loadu_si128((const __m128i *)(table->slots + *slot));
        int free = _mm_movemask_ps(_mm_castsi128_ps(held));
        int like = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_srl_epi32(held, row_bits), marks)));
        int many = lowest((uint64_t)(free | like | 16));
        *slot += (size_t)many;
        *tried += many;
        if (many < 4)
            break;
    }
    *slot &= (size_t)(table->size - 1);
#endif
    for (; *tried < PROBES; pass_slot(table, slot, tried)) {
        int32_t held = table->slots[*slot];
        if (held < 0)
            return NO_ROW;
        if ((uint32_t)held >> table->row_bits == mark && (Py_ssize_t)((uint32_t)held & within) < table->there)
            return (int32_t)((uint32_t)held & within);
    }
    return NO_ROW;
}

/* Then for what is known of the first row that it may be; gives that row, NO_ROW if there is none, UNKNOWN_ROW if only bisection
 * can tell. */
static inline int32_t fetch_row(const Table *table, uint64_t key)
{
    size_t slot = home_of(key, table->bits);
    int tried = 0;
    int32_t row = next_row(table, key, &slot, &tried);
    if (row < 0)
        return tried < PROBES ? NO_ROW : UNKNOWN_ROW;
    FETCH(table->keys + row);
    if (table->names != NULL)
        FETCH(table->names + row * table->width);
    return row;
}

/* Compare a docno with that of a row, whose keys are the same. */
static inline int compare_row(const Table *table, Py_ssize_t row, const unsigned char *text, Py_ssize_t size)
{
    if (table->names != NULL)
        return compare(table->names + row * table->width, table->width, text, size);
    for (Py_ssize_t i = 8; i < size; i++)
        if (text[i])
            return -1;
    return 0;
}

static int64_t bisect(const Table *table, uint64_t key, const unsigned char *text, Py_ssize_t size)
{
    Py_ssize_t low = 0, high = table->there;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        int order = table->keys[middle] < key ? -1 : table->keys[middle] > key;
        order = order ? order : compare_row(table, middle, text, size);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NO_ROW;
}

/* Tell whether a row is that of a docno. */
static inline int is_row(const Table *table, int32_t row, uint64_t key, const unsigned char *text, Py_ssize_t size)
{
    return table->keys[row] == key && ((size <= 8 && table->width <= 8) || /* then the key is the docno */
                                       compare_row(table, row, text, size) == 0);
}

/* Find the row of a docno by its key; NO_ROW if there is none. */
static inline int64_t row_of(const Table *table, uint64_t key, const unsigned char *text, Py_ssize_t size)
{
    size_t slot = home_of(key, table->bits);
    int tried = 0;
    for (int32_t row; (row = next_row(table, key, &slot, &tried)) >= 0; pass_slot(table, &slot, &tried))
        if (is_row(table, row, key, text, size))
            return row;
    return tried < PROBES ? NO_ROW : bisect(table, key, text, size);
}

/* The key of a docno, as fingerprints() in data/docnos.py computes it. */
static inline uint64_t fingerprint(const unsigned char *text, Py_ssize_t size, const unsigned char *limit)
{
    uint64_t key = 0;
    for (Py_ssize_t word = 0; 8 * word < size; word++) {
        uint64_t bytes = padded_word(text + 8 * word, size - 8 * word, limit);
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__
#ifdef __GNUC__
        bytes = __builtin_bswap64(bytes);
#else
        bytes = ((bytes & 0x00FF00FF00FF00FFu) << 8) | ((bytes >> 8) & 0x00FF00FF00FF00FFu);
        bytes = ((bytes & 0x0000FFFF0000FFFFu) << 16) | ((bytes >> 16) & 0x0000FFFF0000FFFFu);
        bytes = (bytes << 32) | (bytes >> 32);
#endif
#endif
        if (word == 0)
            key = bytes;
        else {
            bytes *= GOLDEN + 2 * (uint64_t)word;
            key ^= (bytes ^ (bytes >> 29)) * 0xBF58476D1CE4E5B9u;
        }
    }
    return key;
}

/* A docno that is looked up: its key, where it was asked for, and the first row that it may be, or why there is none. */
typedef struct {
    uint64_t key;
    const unsigned char *text;
    Py_ssize_t size, line;
    int32_t row;
} Asked;

enum { LATER = 2 * AHEAD, NEAR = AHEAD / 2 };

/* Docnos that were asked for and are looked up later, when the memory that this needs has come. */
typedef struct {
    Asked asked[LATER];
    Py_ssize_t first, behind; /* numbers of the first one that waits, and of the next one to come */
} Queue;

static inline Asked *take_place(Queue *queue, Py_ssize_t number)
{
    return queue->asked + number % LATER;
}

/* Let a docno wait, for which there is room. The slot of the docno that came AHEAD before it is there by now: gives the row which
 * that docno may be, of which the caller may fetch more, or NO_ROW. */
static inline int32_t ask(Queue *queue, const Table *table, Asked asked)
{
    *take_place(queue, queue->behind) = asked;
    fetch_slot(table, asked.key);
    Py_ssize_t before = queue->behind++ - AHEAD;
    if (before < queue->first)
        return NO_ROW;
    Asked *one = take_place(queue, before);
    return one->row = fetch_row(table, one->key);
}

static inline int is_full(const Queue *queue)
{
    return queue->behind - queue->first == LATER;
}

/* Look up the first one that waits; NO_ROW if it is in none. */
static inline int64_t answer(Queue *queue, const Table *table, const Asked **asked)
{
    const Asked *one = *asked = take_place(queue, queue->first++);
    if (one->row == NO_ROW || (one->row >= 0 && is_row(table, one->row, one->key, one->text, one->size)))
        return one->row;
    return row_of(table, one->key, one->text, one->size);
}

/* Look up docnos of a column: all, or those of some lines, -1 for no line. 0 if there is no such line. */
static int find_rows(const Table *table, const unsigned char *texts, Py_ssize_t width, Py_ssize_t there, const int64_t *lines,
                     int64_t *rows, Py_ssize_t many, Work *work)
{
    Queue queue = {{{0, NULL, 0, 0, UNKNOWN_ROW}}, 0, 0};
    const unsigned char *limit = texts + there * width;
    const Asked *asked;
    Py_ssize_t step = STEP / (1 + (width + table->width) / WINDOW) + 1, look = step;
    for (Py_ssize_t i = 0; i < many; i++) {
        if (i == look) {
            look += step;
            if (stops(work))
                return 1;
        }
        int64_t line = lines == NULL ? i : lines[i];
        if (line >= there)
            return 0;
        if (line < 0) {
            rows[i] = -1;
            continue;
        }
        if (is_full(&queue)) {
            int64_t row = answer(&queue, table, &asked);
            rows[asked->line] = row;
        }
        const unsigned char *text = texts + line * width;
        ask(&queue, table, (Asked){fingerprint(text, width, limit), text, width, i, UNKNOWN_ROW});
    }
    while (queue.first < queue.behind) {
        int64_t row = answer(&queue, table, &asked);
        rows[asked->line] = row;
    }
    return 1;
}

/* Find the rows of docnos of a column in a table of documents: of all, or of those of lines, -1 for no line. */
static PyObject *find(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer asked, lines, names, keys, slots, rows;
    Py_ssize_t width, names_width;
    if (!PyArg_ParseTuple(arguments, "y*nz*z*ny*y*w*", &asked, &width, &lines, &names, &names_width, &keys, &slots, &rows))
        return NULL;
    Table table;
    Work work = {NULL, 0};
    Py_ssize_t many = rows.len / 8, there = width > 0 ? asked.len / width : 0;
    int good = open_table(&table, &names, names_width, &keys, &slots) && width > 0 && asked.len % width == 0 &&
               (lines.obj == NULL ? there == many : lines.len == rows.len);
    if (good) {
        begin_work(&work);
        good = find_rows(&table, asked.buf, width, there, lines.obj == NULL ? NULL : lines.buf, rows.buf, many, &work);
        end_work(&work);
    }
    PyBuffer_Release(&asked);
    PyBuffer_Release(&lines);
    PyBuffer_Release(&names);
    PyBuffer_Release(&keys);
    PyBuffer_Release(&slots);
    PyBuffer_Release(&rows);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the look-up does not fit its buffers");
    return good ? none_unless(&work) : NULL;
}

/* Lay out the hash table of a Table by the keys of its rows. */
static PyObject *lay_out(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer keys, slots;
    if (!PyArg_ParseTuple(arguments, "y*w*", &keys, &slots))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = keys.len / 8, size = slots.len / 4;
    int bits = count_bits(size), row_bits = count_row_bits(many), good = bits && many < size && row_bits >= 0;
    if (good) {
        const uint64_t *of_rows = keys.buf;
        int32_t *table = slots.buf;
        begin_work(&work);
        memset(table, 0xFF, (size_t)slots.len);
        for (Py_ssize_t row = 0; row < many && (row % STEP || row == 0 || !stops(&work)); row++) {
            if (row + AHEAD < many)
                FETCH(table + home_of(of_rows[row + AHEAD], bits));
            size_t slot = home_of(of_rows[row], bits);
            int tried = 0;
            for (; tried < PROBES && table[slot] >= 0; tried++)
                slot = (slot + 1) & (size_t)(size - 1);
            if (tried < PROBES)
                table[slot] = (int32_t)(mark_of(of_rows[row], bits, row_bits) << row_bits | (uint32_t)row);
        }
        end_work(&work);
    }
    PyBuffer_Release(&keys);
    PyBuffer_Release(&slots);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the hash table does not fit its buffers");
    return good ? none_unless(&work) : NULL;
}

/* Set the bit of the hash of each key in a filter: a document whose bit is not set is not in the table. */
static PyObject *fill_filter(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer keys, filter;
    if (!PyArg_ParseTuple(arguments, "y*w*", &keys, &filter))
        return NULL;
    Work work = {NULL, 0};
    int bits = count_filter_bits(&filter);
    if (bits) {
        const uint64_t *of_rows = keys.buf;
        uint8_t *filled = filter.buf;
        begin_work(&work);
        for (Py_ssize_t row = 0; row < keys.len / 8 && (row % STEP || row == 0 || !stops(&work)); row++) {
            size_t place = home_of(of_rows[row], bits);
            filled[place >> 3] |= (uint8_t)(1 << (place & 7));
        }
        end_work(&work);
    }
    PyBuffer_Release(&keys);
    PyBuffer_Release(&filter);
    if (!bits)
        PyErr_SetString(PyExc_ValueError, "the filter has no power of two of bits");
    return bits ? none_unless(&work) : NULL;
}

/* Lists of docnos, which lie one behind the other, and a table of row numbers, and 1, with room for twice the longest. */
typedef struct {
    const unsigned char *texts, *limit;
    Py_ssize_t width, size, gone; /* of a docno; slots; rows before these whose docnos are no longer there */
    int32_t *slots;
    int bits;
    int64_t first, second; /* rows of the docno that stands twice */
    Py_ssize_t step, seen; /* rows between two looks at signals, and since the last one */
    Work *work;
} Lists;

/* Tell after so many rows whether the work is to stop. */
static inline int stops_after(Lists *lists, Py_ssize_t rows)
{
    lists->seen += rows;
    if (lists->seen < lists->step)
        return 0;
    lists->seen = 0;
    return stops(lists->work);
}

static inline const unsigned char *docno_of(const Lists *lists, int64_t row)
{
    return lists->texts + (row - lists->gone) * lists->width;
}

/* Compare the docnos of two rows, by what stands in the table. */
static inline int compare_numbers(const Lists *lists, int32_t a, int32_t b)
{
    return memcmp(docno_of(lists, a - 1), docno_of(lists, b - 1), (size_t)lists->width);
}

/* Find the first docno that stands twice among rows, by sorting their numbers: merges of ever longer pieces, which swap the
 * two halves of the table. Of rows with one docno, the later ones stand behind. */
static void find_twice_sorted(Lists *lists, int64_t from, int64_t to)
{
    Py_ssize_t many = (Py_ssize_t)(to - from);
    int32_t *sorted = lists->slots, *merged = sorted + many, *swapped;
    for (Py_ssize_t i = 0; i < many; i++)
        sorted[i] = (int32_t)(from + i + 1);
    for (Py_ssize_t piece = 1; piece < many; piece *= 2) {
        for (Py_ssize_t low = 0; low < many; low += 2 * piece) {
            Py_ssize_t middle = many - low < piece ? many : low + piece, high = many - middle < piece ? many : middle + piece;
            Py_ssize_t a = low, b = middle;
            for (Py_ssize_t i = low; i < high; i++) {
                int is_first = b == high;
                if (a < middle && b < high)
                    is_first = compare_numbers(lists, sorted[a], sorted[b]) <= 0;
                merged[i] = sorted[is_first ? a++ : b++];
            }
            if (stops_after(lists, high - low))
                return;
        }
        swapped = sorted, sorted = merged, merged = swapped;
    }
    Py_ssize_t begin = 0; /* of rows with this docno */
    for (Py_ssize_t i = 1; i < many; i++) {
        if (compare_numbers(lists, sorted[i - 1], sorted[i]))
            begin = i;
        else if (i == begin + 1 && (lists->second < 0 || sorted[i] - 1 < lists->second)) {
            lists->first = sorted[begin] - 1;
            lists->second = sorted[i] - 1;
        }
    }
}

/* Tell whether two docnos of so many bytes are the same. */
static inline int is_same(const unsigned char *a, const unsigned char *b, Py_ssize_t width)
{
    if (width != 8)
        return memcmp(a, b, (size_t)width) == 0;
    uint64_t one, other;
    memcpy(&one, a, 8);
    memcpy(&other, b, 8);
    return one == other;
}

/* Find the first docno that stands twice among rows, in a hash table; what it holds of rows before these counts as free. */
static void find_twice_hashed(Lists *lists, int64_t from, int64_t to)
{
    for (int64_t row = from; row < to; row++) {
        const unsigned char *text = docno_of(lists, row);
        uint64_t key = 0;
        for (Py_ssize_t at = 0; at < lists->width; at += 8)
            key = (key ^ padded_word(text + at, lists->width - at, lists->limit)) * GOLDEN;
        size_t slot = home_of(key ^ key >> 29, lists->bits);
        int32_t other;
        int tried = 0;
        for (; (other = lists->slots[slot]) > from && other <= row; tried++) {
            if (tried == PROBES) { /* as where somebody has made keys that collide */
                find_twice_sorted(lists, from, to);
                return;
            }
            if (is_same(docno_of(lists, other - 1), text, lists->width)) {
                lists->first = other - 1;
                lists->second = row;
                return;
            }
            slot = (slot + 1) & (size_t)(lists->size - 1);
        }
        lists->slots[slot] = (int32_t)(row + 1);
        if (stops_after(lists, 1))
            return;
    }
}

/* Find the first docno that stands twice in one of several lists, which lie one behind the other: its two places, or -1. The
 * table (int32, as zeros) has room for twice the longest list. */
static PyObject *find_twice(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer docnos, starts, slots;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "y*ny*w*", &docnos, &width, &starts, &slots))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = starts.len / 8 - 1, size = slots.len / 4, all = width > 0 ? docnos.len / width : 0;
    const unsigned char *texts = docnos.buf;
    Lists lists = {texts, texts + docnos.len, width, size, 0, slots.buf, count_bits(size), -1, -1, STEP / (1 + width / WINDOW) + 1, 0, &work};
    const int64_t *edges = starts.buf;
    int good = width > 0 && many >= 0 && lists.bits && all < INT32_MAX;
    for (Py_ssize_t i = 0; good && i < many; i++)
        good = edges[i] >= 0 && edges[i] <= edges[i + 1] && edges[i + 1] <= all && 2 * (edges[i + 1] - edges[i]) <= size;
    if (good) {
        begin_work(&work);
        for (Py_ssize_t i = 0; i < many && lists.first < 0 && !work.stopped; i++)
            find_twice_hashed(&lists, edges[i], edges[i + 1]);
        end_work(&work);
    }
    PyBuffer_Release(&docnos);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&slots);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the lists do not fit their buffers");
    if (!good || work.stopped)
        return NULL;
    return Py_BuildValue("LL", (long long)lists.first, (long long)lists.second);
}

enum { RUN_CELLS = 6 };

/* The first documents of the rankings of a run, of which all others are let go as soon as a ranking has been read. */
typedef struct {
    unsigned char *qids;
    int64_t *lengths; /* of rankings, of what is kept */
    unsigned char *docnos;
    double *scores;
    Py_ssize_t room, depth;           /* rankings and documents that there is room for; documents of a ranking to keep */
    Py_ssize_t rankings, kept, first; /* that were begun; documents that are kept; the first line of the last ranking */
    Py_ssize_t size, cleared;         /* slots of the lists, and how many of them hold numbers or zeros */
    Lists lists;
} Tops;

/* Keep of the last ranking, which ends before this line, the first documents, and what is tied with the last of them; or
 * all of it. ODD if it is not sorted, or has a document twice; FULL if there are too few slots for its documents. */
static int end_ranking(Tops *tops, Py_ssize_t end, int whole)
{
    Lists *lists = &tops->lists;
    Py_ssize_t many = end - tops->first, kept = many < tops->depth ? many : tops->depth;
    const double *scores = tops->scores + tops->kept;
    for (Py_ssize_t i = 1; i < many; i++)
        if (scores[i] > scores[i - 1])
            return ODD;
    for (lists->size = 2; lists->size < 4 * many && 2 * lists->size <= tops->size;) /* of more slots, fewer collide */
        lists->size *= 2;
    if (lists->size < 2 * many || lists->size > tops->size)
        return FULL;
    if (lists->size > tops->cleared) {
        memset(lists->slots + tops->cleared, 0, 4 * (size_t)(lists->size - tops->cleared));
        tops->cleared = lists->size;
    }
    lists->bits = count_bits(lists->size);
    lists->gone = tops->first - tops->kept;
    find_twice_hashed(lists, tops->first, end);
    if (lists->first >= 0)
        return ODD;
    while (kept < many && scores[kept] == scores[kept - 1])
        kept++;
    kept = whole ? many : kept;
    tops->lengths[tops->rankings - 1] = kept;
    tops->kept += kept;
    return 0;
}

/* Tell whether a text is that of a line before, of the same size. */
static inline int is_repeated(const unsigned char *text, const unsigned char *before, Py_ssize_t size, const unsigned char *limit)
{
    if (size > 8)
        return memcmp(text, before, (size_t)size) == 0;
    return padded_word(text, size, limit) == padded_word(before, size, limit);
}

/* Read lines ``qid Q0 docno rank score tag``. Gives the number of lines; ODD where one is not plain, or for a ranking that is
 * not sorted or has a document twice, FULL where there is too little room, WIDE as in fill(). The first and the last
 * ranking are kept whole, as other blocks may have lines of them. */
static Py_ssize_t take_tops(const unsigned char *text, Py_ssize_t size_of_all, Tops *tops, const uint64_t *powers,
                            Py_ssize_t *widest, Work *work)
{
    Cells cells;
    const unsigned char *limit = text + size_of_all, *last = text;
    Py_ssize_t size_of_last = 0, width = tops->lists.width;
    begin_cells(&cells, text, size_of_all, work);
    for (Py_ssize_t row = 0;; row++) {
        const Py_ssize_t *edges = NULL;
        int there = next_cells(&cells, row, RUN_CELLS, &edges), ended = 0;
        if (there < 0)
            return ODD;
        const unsigned char *qid = there ? text + edges[0] : NULL;
        Py_ssize_t size = there ? edges[1] - edges[0] : 0;
        int is_new = row == 0 || size != size_of_last || !is_repeated(qid, last, size, limit);
        if (is_new && row)
            ended = end_ranking(tops, row, tops->rankings == 1 || !there);
        if (ended < 0)
            return ended;
        if (!there)
            return row;
        if (is_new) {
            if (tops->rankings == tops->room)
                return FULL;
            if (size > width) {
                *widest = size;
                return WIDE;
            }
            put(tops->qids + tops->rankings++ * width, width, qid, size, limit);
            last = qid, size_of_last = size;
            tops->first = row;
        }
        Py_ssize_t place = tops->kept + row - tops->first;
        if (place == tops->room)
            return FULL;
        size = edges[5] - edges[4];
        if (size > width) {
            *widest = size;
            return WIDE;
        }
        put(tops->docnos + place * width, width, text + edges[4], size, limit);
        if (!decimal(text, text + edges[8], text + edges[9], powers, tops->scores + place))
            return ODD;
    }
}

/* Keep of the lines of a run, whose ids are no wider than so many bytes, the first documents of each ranking. Gives the number
 * of lines, or what take_tops() gives else; the size of an id that is too wide; and the numbers of rankings and of documents
 * that are kept. */
static PyObject *tops(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, powers, qids, lengths, docnos, scores, slots;
    Py_ssize_t depth, width, rows = ODD, widest = 0;
    if (!PyArg_ParseTuple(arguments, "y*y*nnw*w*w*w*w*", &block, &powers, &depth, &width, &qids, &lengths, &docnos, &scores,
                          &slots))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t room = lengths.len / 8;
    Tops found = {qids.buf, lengths.buf, docnos.buf, scores.buf, room, depth, 0, 0, 0, slots.len / 4, 0,
                  {docnos.buf, (unsigned char *)docnos.buf + docnos.len, width, 0, 0, slots.buf, 0, -1, -1,
                   STEP / (1 + width / WINDOW) + 1, 0, &work}};
    int good = powers.len == 16 * (MOST_POWER - LEAST_POWER + 1) && depth > 0 && width > 0 && room < INT32_MAX / 2 &&
               qids.len / width == room && docnos.len / width == room && scores.len / 8 == room;
    if (good) {
        begin_work(&work);
        rows = take_tops(block.buf, block.len, &found, powers.buf, &widest, &work);
        end_work(&work);
    }
    PyBuffer_Release(&block);
    PyBuffer_Release(&powers);
    PyBuffer_Release(&qids);
    PyBuffer_Release(&lengths);
    PyBuffer_Release(&docnos);
    PyBuffer_Release(&scores);
    PyBuffer_Release(&slots);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the rankings do not fit their buffers");
    return !good || work.stopped ? NULL : Py_BuildValue("nnnn", rows, widest, found.rankings, found.kept);
}

enum { WIDEST = 1024 };
#define MOST_COUNT 0xFFFFFFFF /* of tokens or terms of a document */

/* A table of documents in which those of lines are looked up, and what was found. */
typedef struct {
    Table table;
    const uint8_t *filter; /* a bit for each hash of so many bits: whether a document may have it */
    int filter_bits;
    Py_ssize_t many, room, found; /* counts of a document; documents that there is room for, and that were found */
    int64_t *lines, *rows;        /* of those that were found */
    uint32_t *tokens;             /* [row]: the first number of a line */
    double *counts;               /* [row, group], in an order of their own: count i of a line stands at places[i] */
    const int64_t *places;
    int64_t *later;               /* numbers of the documents that wait */
    Queue queue;
    Asked near[NEAR];             /* documents of the last lines, for which the filter is asked later */
} Wanted;

static inline const uint8_t *find_bits(const Wanted *wanted, uint64_t key)
{
    return wanted->filter + (home_of(key, wanted->filter_bits) >> 3);
}

static inline int may_be_wanted(const Wanted *wanted, uint64_t key)
{
    return *find_bits(wanted, key) >> (home_of(key, wanted->filter_bits) & 7) & 1;
}

static inline int64_t *take_numbers(const Wanted *wanted, Py_ssize_t number)
{
    return wanted->later + number % LATER * (1 + wanted->many);
}

static inline int64_t *take_near(const Wanted *wanted, Py_ssize_t line)
{
    return wanted->later + (LATER + line % NEAR) * (1 + wanted->many);
}

/* Look up the first document that waits, and keep its numbers if it is wanted; 0 where there is no room. */
static inline int keep_wanted(Wanted *wanted)
{
    const Asked *asked;
    const int64_t *numbers = take_numbers(wanted, wanted->queue.first);
    int64_t row = answer(&wanted->queue, &wanted->table, &asked);
    if (row < 0)
        return 1;
    if (wanted->found == wanted->room)
        return 0;
    wanted->lines[wanted->found] = asked->line;
    wanted->rows[wanted->found] = row;
    wanted->tokens[row] = (uint32_t)numbers[0];
    for (Py_ssize_t i = 0; i < wanted->many; i++)
        wanted->counts[row * wanted->many + wanted->places[i]] = (double)numbers[1 + i];
    wanted->found++;
    return 1;
}

/* Let the document of a line wait to be looked up, unless the filter knows that it is not wanted; 0 where there is no room. */
static inline int let_wait(Wanted *wanted, Py_ssize_t line)
{
    const Asked *asked = wanted->near + line % NEAR;
    if (!may_be_wanted(wanted, asked->key))
        return 1;
    if (is_full(&wanted->queue) && !keep_wanted(wanted))
        return 0;
    memcpy(take_numbers(wanted, wanted->queue.behind), take_near(wanted, line), 8 * (size_t)(1 + wanted->many));
    int32_t next = ask(&wanted->queue, &wanted->table, *asked);
    if (next >= 0) {
        FETCH(wanted->tokens + next);
        FETCH(wanted->counts + next * wanted->many);
    }
    return 1;
}

/* Look up the docnos of lines ``docno number number ...``, and put the numbers of those that are there into their rows. Gives
 * the number of lines; ODD where one is not plain, FULL where more were found than there is room for. */
static Py_ssize_t take(const unsigned char *text, Py_ssize_t size, Wanted *wanted, Work *work)
{
    Cells cells;
    const unsigned char *limit = text + size;
    begin_cells(&cells, text, size, work);
    Py_ssize_t row = 0;
    for (;; row++) {
        const Py_ssize_t *edges = NULL;
        int there = next_cells(&cells, row, 2 + (int)wanted->many, &edges);
        if (there < 0)
            return ODD;
        if (!there)
            break;
        if (row >= NEAR && !let_wait(wanted, row - NEAR))
            return FULL;
        Asked *asked = wanted->near + row % NEAR;
        *asked = (Asked){0, text + edges[0], edges[1] - edges[0], row, UNKNOWN_ROW};
        if (asked->size > WIDEST)
            return ODD;
        int64_t *numbers = take_near(wanted, row);
        for (Py_ssize_t i = 0; i <= wanted->many; i++)
            if (!integer(text + edges[2 * i + 2], text + edges[2 * i + 3], numbers + i) || numbers[i] < 0 ||
                numbers[i] > MOST_COUNT)
                return ODD;
        asked->key = fingerprint(asked->text, asked->size, limit);
        FETCH(find_bits(wanted, asked->key));
    }
    for (Py_ssize_t line = row < NEAR ? 0 : row - NEAR; line < row; line++)
        if (!let_wait(wanted, line))
            return FULL;
    while (wanted->queue.first < wanted->queue.behind)
        if (!keep_wanted(wanted))
            return FULL;
    return row;
}

static PyObject *take_counts(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, names, keys, slots, filter, places, lines, rows, tokens, counts, later;
    Wanted wanted;
    Work work = {NULL, 0};
    Py_ssize_t read = ODD, width;
    if (!PyArg_ParseTuple(arguments, "y*z*ny*y*y*y*w*w*w*w*w*", &block, &names, &width, &keys, &slots, &filter, &places, &lines,
                          &rows, &tokens, &counts, &later))
        return NULL;
    wanted.filter = filter.buf;
    wanted.filter_bits = count_filter_bits(&filter);
    wanted.room = rows.len / 8;
    wanted.many = places.len / 8;
    wanted.found = 0;
    int good = open_table(&wanted.table, &names, width, &keys, &slots) && wanted.table.there > 0 && lines.len == rows.len &&
               wanted.many > 0 && tokens.len / 4 == wanted.table.there &&
               counts.len / 8 / wanted.many == wanted.table.there && wanted.filter_bits &&
               later.len / 8 / (1 + wanted.many) >= LATER + NEAR;
    wanted.places = places.buf;
    for (Py_ssize_t i = 0; good && i < wanted.many; i++)
        good = wanted.places[i] >= 0 && wanted.places[i] < wanted.many;
    if (good) {
        wanted.lines = lines.buf;
        wanted.rows = rows.buf;
        wanted.tokens = tokens.buf;
        wanted.counts = counts.buf;
        wanted.later = later.buf;
        wanted.queue.first = wanted.queue.behind = 0;
        begin_work(&work);
        read = 1 + wanted.many < LINE_CELLS ? take(block.buf, block.len, &wanted, &work) : ODD;
        end_work(&work);
    }
    PyBuffer_Release(&block);
    PyBuffer_Release(&names);
    PyBuffer_Release(&keys);
    PyBuffer_Release(&slots);
    PyBuffer_Release(&filter);
    PyBuffer_Release(&places);
    PyBuffer_Release(&lines);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&tokens);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&later);
    if (!good)
        PyErr_SetString(PyExc_ValueError, "the counts do not fit their buffers");
    return !good || work.stopped ? NULL : Py_BuildValue("nn", read, wanted.found);
}

/* ---- tokens --------------------------------------------------------------------------------------------------- */

/* Kinds of characters: between tokens, in them, in them but not at their ends; and letters beyond ASCII whose lower case
 * a term may have: it may depend on what stands around them, or not. */
enum { NONE = -1, SPACE, INNER, OTHER, CAPITAL, UPPER };
enum { RANGES = 5 };
#define SMALL 0x2020202020202020u /* bits of a word that its letters have if they are small, and most else has */

typedef struct {
    int64_t document, place, first, last, key, tail;
} Hit;

typedef struct {
    const uint8_t *kind;   /* of each code point */
    const uint8_t *bitmap; /* whether a term may begin with a key of this slot, a bit each */
    int shift;
    int keep_empty, lower;      /* whether empty tokens count, and whether letters are made small */
    const unsigned char *limit; /* the end of the block */
    Range inner[RANGES], blank[RANGES]; /* of ASCII */
    int inners, blanks;
    int is_two;                 /* whether what is not inner is blank */
    uint8_t ones[WINDOW + 8];   /* with zeros behind */
} Rules;

typedef struct {
    Hit *hits;
    Py_ssize_t room, found;
    int64_t document, place;
    const unsigned char *base;
    Work *work;
} Found;

/* List the runs of ASCII that are of a kind, by which many bytes are told at a time; -1 where they are too many. */
static int list_ranges(const uint8_t *kinds, unsigned kind, Range *ranges)
{
    int many = 0;
    for (int byte = 0; byte < 0x80; byte++) {
        if (kinds[byte] != kind)
            continue;
        if (byte && kinds[byte - 1] == kind)
            ranges[many - 1].reach++;
        else if (many == RANGES)
            return -1;
        else
            ranges[many++] = (Range){(uint8_t)byte, 0};
    }
    return many;
}

/* Read 8 bytes, or of a text at the end of all those that it has. */
static uint64_t word_at(const unsigned char *text, Py_ssize_t size, const unsigned char *limit)
{
    uint64_t word;
    if (limit - text >= 8) {
        memcpy(&word, text, 8);
        return word;
    }
    unsigned char padded[8] = {0};
    memcpy(padded, text, (size_t)(size < 8 ? size : 8));
    memcpy(&word, padded, 8);
    return word;
}

/* Make the ASCII letters of 8 bytes small: the two sums set the high bit of bytes from A on, and of those behind Z. */
static uint64_t small(uint64_t word)
{
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    uint64_t seven = word & ~high;
    uint64_t capital = (seven + (0x80 - 'A') * each) & ~(seven + (0x7F - 'Z') * each) & ~word & high;
    return word | capital >> 2;
}

/* Decode the character at a place of valid UTF-8; *size: its bytes. */
static uint32_t character(const unsigned char *at, const unsigned char *end, int *size)
{
    unsigned lead = *at;
    if (lead < 0x80) {
        *size = 1;
        return lead;
    }
    int bytes = 2 + (lead >= 0xE0) + (lead >= 0xF0);
    uint32_t point = lead & (0x7Fu >> bytes);
    if (end - at < bytes || lead < 0xC0) { /* no UTF-8, which the caller has ruled out */
        *size = 1;
        return 0;
    }
    for (int i = 1; i < bytes; i++)
        point = point << 6 | (at[i] & 0x3F);
    *size = bytes;
    return point < 0x110000 ? point : 0;
}

/* Count a token that begins with a word, and note it if it may be of a term; 0 where there is no room for it. */
static inline int note(const unsigned char *first, const unsigned char *last, uint64_t word, int has_upper, const Rules *rules,
                       Found *found)
{
    Py_ssize_t size = last - first;
    uint64_t mask; /* of its bytes: by no branch, as half of all tokens are long */
    memcpy(&mask, rules->ones + WINDOW - (size < WINDOW ? size : WINDOW), 8);
    uint64_t slot = ((word | SMALL) & mask) * GOLDEN >> rules->shift;
    if (has_upper || rules->bitmap[slot >> 3] >> (slot & 7) & 1) {
        if (found->found == found->room)
            return 0;
        uint64_t key = word & mask, tail = size > 8 ? word_at(last - 8, 8, rules->limit) : key;
        if (rules->lower)
            key = small(key), tail = small(tail);
        if (has_upper)
            key = UINT64_MAX; /* which stands for no text */
        Hit hit = {found->document, found->place, first - found->base, last - found->base, (int64_t)key, (int64_t)tail};
        found->hits[found->found++] = hit;
    }
    found->place++;
    return 1;
}

/* Count the tokens that end before the last blank of a window of ASCII; 0 where there is no room. */
static int note_ascii(const unsigned char *at, uint64_t blank, uint64_t inner, const Rules *rules, Found *found)
{
    uint64_t behind = (uint64_t)1 << highest(blank), first, last;
    if (rules->keep_empty) {
        last = blank;
        first = ((blank << 1) | 1) & (behind | (behind - 1));
    } else { /* less what is neither and leads, to whose end a sum carries, and what trails */
        uint64_t solid = ~blank & (behind - 1), other = solid & ~inner;
        uint64_t token = solid & (~other | (other + (other & ~(solid << 1))));
        for (uint64_t more = other & blank >> 1; more; more = other & token & more >> 1)
            token &= ~more;
        first = token & ~(token << 1);
        last = ~token & token << 1;
    }
    for (; first; first &= first - 1, last &= last - 1) {
        uint64_t word;
        memcpy(&word, at + lowest(first), 8);
        if (!note(at + lowest(first), at + lowest(last), word, 0, rules, found))
            return 0;
    }
    return 1;
}

/* Count the tokens of a text. NONE where only Unicode can make its letters small, FULL where there is no room for hits, or
 * the work is to stop. */
static int64_t scan(const unsigned char *at, const unsigned char *end, const Rules *rules, Found *found)
{
    Py_ssize_t look = end - at - BYTES; /* that many bytes before the end, at signals */
    while (at <= end) {
        if (end - at < look) {
            look = end - at - BYTES;
            if (stops(found->work))
                return FULL;
        }
        if (rules->limit - at >= WINDOW + 8) {
            uint64_t beyond = gathered(at), inner = within(at, rules->inner, rules->inners);
            uint64_t blank = rules->is_two ? ~inner : within(at, rules->blank, rules->blanks);
            if (end - at < WINDOW) { /* the end is like a blank */
                uint64_t behind = (uint64_t)1 << (end - at);
                blank |= behind;
                blank &= behind | (behind - 1);
                beyond &= behind - 1;
            }
            blank &= (beyond & (0 - beyond)) - 1;
            if (blank) {
                if (!note_ascii(at, blank, inner, rules, found))
                    return FULL;
                at += highest(blank) + 1;
                continue;
            }
        }
        const unsigned char *inner = NULL, *last = at; /* of one token: the first character that is no punctuation */
        int size = 0, has_upper = 0;
        for (; at < end; at += size) {
            unsigned kind = rules->kind[character(at, end, &size)];
            if (kind == CAPITAL)
                return NONE;
            if (kind == SPACE)
                break;
            if (kind != OTHER) {
                inner = inner ? inner : at;
                last = at + size;
            }
            has_upper |= kind == UPPER;
        }
        inner = inner ? inner : last;
        if ((inner < last || rules->keep_empty) &&
            !note(inner, last, word_at(inner, last - inner, rules->limit), has_upper, rules, found))
            return FULL;
        at += at < end ? size : 1;
    }
    return found->place;
}

/* Scan documents [starts, ends) of a block: tokens [document] and hits; gives how many documents were scanned before
 * the room for hits came to its end, and how many hits there are. */
static PyObject *tokens(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, starts, ends, kind, bitmap, counts, hits;
    Rules rules;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*ippw*w*", &block, &starts, &ends, &kind, &bitmap, &rules.shift,
                          &rules.keep_empty, &rules.lower, &counts, &hits))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = starts.len / 8, done = 0, seen = 0;
    Found found = {hits.buf, hits.len / (Py_ssize_t)sizeof(Hit), 0, 0, 0, block.buf, &work};
    int good = ends.len == starts.len && counts.len == starts.len && kind.len == 0x110000 && rules.shift > 0 &&
               rules.shift < 64 && (size_t)bitmap.len < SIZE_MAX / 8 && 8 * (size_t)bitmap.len >> (64 - rules.shift) == 1;
    const int64_t *first = starts.buf, *last = ends.buf;
    for (Py_ssize_t i = 0; good && i < many; i++)
        good = first[i] >= 0 && first[i] <= last[i] && last[i] <= block.len;
    rules.kind = kind.buf;
    if (good) {
        rules.inners = list_ranges(rules.kind, INNER, rules.inner);
        rules.blanks = list_ranges(rules.kind, SPACE, rules.blank);
        memset(rules.ones, 0xFF, WINDOW);
        memset(rules.ones + WINDOW, 0, 8);
        rules.is_two = memchr(rules.kind, OTHER, 0x80) == NULL;
        good = rules.inners >= 0 && rules.blanks >= 0;
    }
    if (good) {
        rules.bitmap = bitmap.buf;
        const unsigned char *text = block.buf;
        int64_t *counted = counts.buf;
        rules.limit = text + block.len;
        begin_work(&work);
        for (; done < many; done++) {
            seen += last[done] - first[done] + WINDOW;
            if (seen >= BYTES) {
                seen = 0;
                if (stops(&work))
                    break;
            }
            Found before = found;
            found.document = done;
            found.place = 0;
            int64_t number = scan(text + first[done], text + last[done], &rules, &found);
            if (number < 0)
                found = before;
            if (number == FULL)
                break;
            counted[done] = number;
        }
        end_work(&work);
    }
    PyBuffer_Release(&block);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&kind);
    PyBuffer_Release(&bitmap);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&hits);
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "the documents do not fit their buffers");
        return NULL;
    }
    return work.stopped ? NULL : Py_BuildValue("nn", done, found.found);
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------- */

/* Compiled without contraction (hatch_build.py): a fused multiply-add would give other last digits than numpy. */

enum { STEPS = 128, FIRST = 90, LAST = 182 }; /* of the table of logarithms, as in formulas/elementary.py */
enum { EXP_TERMS = 15 };
static const double SPLIT = 134217729.0; /* 2^27 + 1 */
static const double TO_WHOLE = 6755399441055744.0; /* 1.5 * 2^52: what is added to it is rounded to a whole number */

static PyObject *refuse_values(void)
{
    PyErr_SetString(PyExc_ValueError, "the values do not fit their buffers");
    return NULL;
}


/* Whether x is 0, negative, infinite or nan; gives its logarithm then. */
static int has_no_finite_log(double x, double *result)
{
    if (x > 0 && x < INFINITY)
        return 0;
    *result = x == 0 ? -INFINITY : x > 0 ? x : NAN;
    return 1;
}

typedef struct {
    double first, rest; /* their sum is the logarithm */
    double r, c, d;     /* of z = c + d, the number between FIRST / STEPS and LAST / STEPS: r is d / c */
} LogParts;

/* The natural logarithm of a finite x > 0: the operations of _two_parts_of_log() in formulas/elementary.py, in the same
   order. */
static inline LogParts split_log(double x, const double *two, const double *of_c)
{
    uint64_t bits;
    int64_t k = -1022;
    memcpy(&bits, &x, sizeof bits);
    if (bits < 0x0010000000000000u) { /* subnormal */
        x *= 18014398509481984.0; /* 2^54 */
        k -= 54;
        memcpy(&bits, &x, sizeof bits);
    }
    k += (int64_t)(bits >> 52);
    bits = (bits & 0x000FFFFFFFFFFFFFu) | 0x3FE0000000000000u;
    double z;
    memcpy(&z, &bits, sizeof z);
    if (z < (double)FIRST / STEPS) {
        z *= 2;
        k--;
    }
    double j = (z * STEPS + TO_WHOLE) - TO_WHOLE, c = j / STEPS, d = z - c, r = d / c;
    double total = 1.0 / 9;
    total = total * r + -1.0 / 8;
    total = total * r + 1.0 / 7;
    total = total * r + -1.0 / 6;
    total = total * r + 1.0 / 5;
    total = total * r + -1.0 / 4;
    total = total * r + 1.0 / 3;
    total = total * r + -1.0 / 2;
    const double *log_c = of_c + ((int64_t)j - FIRST);
    double whole = (double)k * two[0] + log_c[0], first = whole + r;
    double rest = ((whole - first) + r) + ((double)k * two[1] + log_c[LAST - FIRST + 1]) + r * r * total;
    return (LogParts){first, rest, r, c, d};
}

static double natural_log(double x, const double *two, const double *of_c)
{
    double result;
    if (has_no_finite_log(x, &result))
        return result;
    LogParts parts = split_log(x, two, of_c);
    return parts.first + parts.rest;
}

/* The first bits of a value; what is left has so few that products of both are exact. */
static inline double first_bits(double x)
{
    return x * SPLIT - (x * SPLIT - x);
}

/* The logarithm to base 2: the operations of log2() in formulas/elementary.py, in the same order. */
static double binary_log(double x, const double *two, const double *of_c, const double *per_e)
{
    double result;
    if (has_no_finite_log(x, &result))
        return result;
    LogParts at = split_log(x, two, of_c);
    double high = first_bits(at.r), rest = at.rest + ((at.d - high * at.c) - (at.r - high) * at.c) / at.c;
    double product = at.first * per_e[0], a = first_bits(at.first), b = first_bits(per_e[0]);
    double a_rest = at.first - a, b_rest = per_e[0] - b;
    double lost = ((a * b - product) + a * b_rest + a_rest * b) + a_rest * b_rest;
    return product + (lost + (at.first * per_e[1] + rest * per_e[0]));
}

/* e to the power of x: the operations of exp() in formulas/elementary.py, in the same order. */
static double power_of_e(double x, const double *two, double per_e)
{
    if (isnan(x))
        return NAN;
    double bounded = x < -800.0 ? -800.0 : x > 800.0 ? 800.0 : x, k = (bounded * per_e + TO_WHOLE) - TO_WHOLE;
    double first = bounded - k * two[0], rest = k * two[1], r = first - rest, total = 1.0 / EXP_TERMS;
    for (int term = EXP_TERMS - 1; term > 1; term--)
        total = (1.0 + total * r) / term;
    total = 1.0 + (r + (((first - r) - rest) + r * r * total));
    return ldexp(total, (int)k);
}

/* Fill the second buffer with the logarithms of the first. */
static PyObject *log_of(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer values, out, two, of_c;
    if (!PyArg_ParseTuple(arguments, "y*w*y*y*", &values, &out, &two, &of_c))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = values.len / 8;
    int good = values.len == out.len && two.len == 16 && of_c.len == 16 * (LAST - FIRST + 1);
    if (good) {
        const double *from = values.buf;
        double *to = out.buf;
        begin_work(&work);
        for (Py_ssize_t i = 0; i < many && (i % NUMBERS || i == 0 || !stops(&work)); i++)
            to[i] = natural_log(from[i], two.buf, of_c.buf);
        end_work(&work);
    }
    PyBuffer_Release(&values);
    PyBuffer_Release(&out);
    PyBuffer_Release(&two);
    PyBuffer_Release(&of_c);
    return good ? none_unless(&work) : refuse_values();
}

/* Fill the second buffer with the logarithms of the first to base 2. */
static PyObject *log2_of(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer values, out, two, of_c, per_e;
    if (!PyArg_ParseTuple(arguments, "y*w*y*y*y*", &values, &out, &two, &of_c, &per_e))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = values.len / 8;
    int good = values.len == out.len && two.len == 16 && of_c.len == 16 * (LAST - FIRST + 1) && per_e.len == 16;
    if (good) {
        const double *from = values.buf;
        double *to = out.buf;
        begin_work(&work);
        for (Py_ssize_t i = 0; i < many && (i % NUMBERS || i == 0 || !stops(&work)); i++)
            to[i] = binary_log(from[i], two.buf, of_c.buf, per_e.buf);
        end_work(&work);
    }
    PyBuffer_Release(&values);
    PyBuffer_Release(&out);
    PyBuffer_Release(&two);
    PyBuffer_Release(&of_c);
    PyBuffer_Release(&per_e);
    return good ? none_unless(&work) : refuse_values();
}

/* Fill the second buffer with e to the power of each value of the first. */
static PyObject *exp_of(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer values, out, two;
    double per_e;
    if (!PyArg_ParseTuple(arguments, "y*w*y*d", &values, &out, &two, &per_e))
        return NULL;
    Work work = {NULL, 0};
    Py_ssize_t many = values.len / 8;
    int good = values.len == out.len && two.len == 16;
    if (good) {
        const double *from = values.buf;
        double *to = out.buf;
        begin_work(&work);
        for (Py_ssize_t i = 0; i < many && (i % NUMBERS || i == 0 || !stops(&work)); i++)
            to[i] = power_of_e(from[i], two.buf, per_e);
        end_work(&work);
    }
    PyBuffer_Release(&values);
    PyBuffer_Release(&out);
    PyBuffer_Release(&two);
    return good ? none_unless(&work) : refuse_values();
}

enum { ROWS = 8 };

/* Add up each row of values [row, rank], weighted, rank by rank from the first; several rows at a time. */
static void add_ranks(const double *values, const double *weights, Py_ssize_t step, double *out, Py_ssize_t rows,
                      Py_ssize_t ranks, Work *work)
{
    Py_ssize_t row = 0, seen = 0;
    for (; row + ROWS <= rows; row += ROWS) {
        if ((seen += ROWS * ranks) >= NUMBERS) {
            seen = 0;
            if (stops(work))
                return;
        }
        double sums[ROWS] = {0};
        const double *at = values + row * ranks, *weight = weights + row * step;
        for (Py_ssize_t rank = 0; rank < ranks; rank++)
            for (int each = 0; each < ROWS; each++)
                sums[each] += at[each * ranks + rank] * weight[each * step + rank];
        memcpy(out + row, sums, sizeof sums);
    }
    for (; row < rows; row++) {
        double sum = 0;
        for (Py_ssize_t rank = 0; rank < ranks; rank++)
            sum += values[row * ranks + rank] * weights[row * step + rank];
        out[row] = sum;
    }
}

/* Add up values [row, rank, column], weighted [row or 1, rank], rank by rank from the first, into out [row, column]. */
static PyObject *weighted_sums(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer values, weights, out;
    Work work = {NULL, 0};
    Py_ssize_t rows, ranks, columns;
    if (!PyArg_ParseTuple(arguments, "y*y*w*nnn", &values, &weights, &out, &rows, &ranks, &columns))
        return NULL;
    int good = rows > 0 && ranks > 0 && columns > 0 && ranks <= PY_SSIZE_T_MAX / 8 / rows &&
               columns <= PY_SSIZE_T_MAX / 8 / (rows * ranks) && values.len == 8 * rows * ranks * columns &&
               out.len == 8 * rows * columns && (weights.len == 8 * ranks || weights.len == 8 * rows * ranks);
    if (good) {
        Py_ssize_t step = weights.len == 8 * ranks ? 0 : ranks;
        const double *from = values.buf, *weight = weights.buf;
        double *to = out.buf;
        begin_work(&work);
        if (columns == 1)
            add_ranks(from, weight, step, to, rows, ranks, &work);
        else
            for (Py_ssize_t row = 0, seen = 0; row < rows; row++, to += columns, weight += step) {
                if ((seen += ranks * columns) >= NUMBERS) {
                    seen = 0;
                    if (stops(&work))
                        break;
                }
                memset(to, 0, 8 * (size_t)columns);
                for (Py_ssize_t rank = 0; rank < ranks; rank++, from += columns)
                    for (Py_ssize_t column = 0; column < columns; column++)
                        to[column] += from[column] * weight[rank];
            }
        end_work(&work);
    }
    PyBuffer_Release(&values);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&out);
    return good ? none_unless(&work) : refuse_values();
}

/* Add the costs of ranks [rank, marked so far] to the least of all orders, and take them from what is minus their most, both
 * by how many are marked so far. ``done`` ranks have been added; of the list ``others`` documents are not marked. */
static PyObject *add_costs(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer costs, ends;
    Work work = {NULL, 0};
    Py_ssize_t done, others;
    if (!PyArg_ParseTuple(arguments, "y*w*nn", &costs, &ends, &done, &others))
        return NULL;
    Py_ssize_t many = ends.len / 16, ranks = many ? costs.len / 8 / many : 0;
    int good = many > 0 && ends.len == 16 * many && costs.len == 8 * ranks * many && done >= 0 && others >= 0 &&
               done <= PY_SSIZE_T_MAX - ranks;
    if (good) {
        const double *cost = costs.buf;
        double *least = ends.buf, *most = least + many;
        begin_work(&work);
        for (Py_ssize_t last = done + ranks, seen = 0; done < last; cost += many) {
            Py_ssize_t rank = ++done, from = rank > others ? rank - others : 0, to = rank < many ? rank : many - 1;
            if ((seen += many) >= NUMBERS) {
                seen = 0;
                if (stops(&work))
                    break;
            }
            for (Py_ssize_t marked = to; marked >= from; marked--) {
                double low = least[marked], high = most[marked];
                if (marked) {
                    low = least[marked - 1] < low ? least[marked - 1] : low;
                    high = most[marked - 1] < high ? most[marked - 1] : high;
                }
                least[marked] = low + cost[marked];
                most[marked] = high - cost[marked];
            }
            if (from > 0 && from <= many)
                least[from - 1] = most[from - 1] = HUGE_VAL;
        }
        end_work(&work);
    }
    PyBuffer_Release(&costs);
    PyBuffer_Release(&ends);
    return good ? none_unless(&work) : refuse_values();
}

/* Weigh the variances of sets of so many documents, by the two sums whose sum is that of their stances, and those of squares. */
static void weigh_variances(const double *one, const double *other, const double *one2, const double *other2, Py_ssize_t sets,
                            double size, double weight, double *restrict out)
{
    for (Py_ssize_t i = 0; i < sets; i++) {
        double mean = (one[i] + other[i]) / size, variance = (one2[i] + other2[i]) / size - mean * mean;
        out[i] = (variance > 0.0 ? variance : 0.0) * weight;
    }
}

/* Add up the first 0, 1, .. n stances of a list that begins at x and goes on in steps, and their squares. */
static void add_stances(const double *x, Py_ssize_t step, Py_ssize_t n, double *sums, double *sums2)
{
    sums[0] = sums2[0] = 0.0;
    for (Py_ssize_t i = 0; i < n; i++) {
        double stance = x[i * step];
        sums[i + 1] = sums[i] + stance;
        sums2[i + 1] = sums2[i] + stance * stance;
    }
}

static void reverse(double *from, Py_ssize_t many)
{
    for (double *to = from + many - 1; from < to; from++, to--) {
        double kept = *from;
        *from = *to;
        *to = kept;
    }
}

static double least_of(const double *values, Py_ssize_t many)
{
    double least[8]; /* side by side, as a comparison takes longer than to begin the next one */
    Py_ssize_t at = 0;
    for (int i = 0; i < 8; i++)
        least[i] = HUGE_VAL;
    for (; at + 8 <= many; at += 8)
        for (int i = 0; i < 8; i++)
            least[i] = values[at + i] < least[i] ? values[at + i] : least[i];
    for (; at < many; at++)
        least[0] = values[at] < least[0] ? values[at] : least[0];
    for (int i = 1; i < 8; i++)
        least[0] = least[i] < least[0] ? least[i] : least[0];
    return least[0];
}

/* How many rows of a list's length and one more a solver needs. */
enum { SPREAD_ROWS = 9 };

/* Give how far a prefix's weighted variance is below the most at least if no order with that prefix can have the most spread.
 *
 * With u = 2^-53, M the largest square of n stances and W the sum of the weights, rounding moves a variance of k documents by at
 * most (3k + 7) u M, and the sum of an order by (4n + 8) u M W. An order whose prefix is below the most by twice the two, in all
 * (14n + 30) u M W, is below the order that has the most everywhere, however both are rounded. 2^-1022 is for what is below the
 * smallest normal number, where rounding is by more than that share. */
static double bound_rounding(const double *x, Py_ssize_t n, const double *weights, Py_ssize_t some)
{
    double largest = x[0] * x[0] > x[n - 1] * x[n - 1] ? x[0] * x[0] : x[n - 1] * x[n - 1], sum = 0.0;
    for (Py_ssize_t k = 1; k < some; k++)
        sum += weights[k - 1];
    return (double)(n + 8) * (sum * (0x1p-49 * largest + 0x1p-1022) + 0x1p-1022);
}

/* What find_most() knows of the prefixes of k documents that are the a lowest and the k - a highest. */
typedef struct {
    double *low, *low2, *high, *high2; /* [a]: sums of the a lowest; [n - k + a]: of the k - a highest */
    double *best, *part;               /* [a]: the most of the orders that end with it, and what it adds to them */
    Py_ssize_t from, to, top;          /* the a that are looked at, and one that has the most variance */
} Prefixes;

/* Weigh the variances from one a up to another, and keep which is the most. */
static void weigh_some(Prefixes *of, Py_ssize_t n, Py_ssize_t k, double weight, Py_ssize_t a, Py_ssize_t end, double *most)
{
    Py_ssize_t of_high = n - k + a;
    weigh_variances(of->low + a, of->high + of_high, of->low2 + a, of->high2 + of_high, end - a, (double)k, weight, of->part + a);
    for (; a < end; a++)
        if (of->part[a] > *most) {
            *most = of->part[a];
            of->top = a;
        }
}

/* Find the a, of those that the last ones lead to, whose variance is the most but for rounding, and their parts. From the most,
 * variances do not rise in either direction, so the search ends at one that is too low; its steps grow, as many may be equal. */
static void look_around(Prefixes *of, Py_ssize_t n, Py_ssize_t k, double weight, double slack)
{
    Py_ssize_t from = of->from, end = of->to + 2, first = of->top, last = of->top;
    double most = -1.0;
    weigh_some(of, n, k, weight, first, first + 1, &most);
    for (Py_ssize_t step = 2; last + 1 < end && of->part[last] >= most - slack; step *= 2) {
        Py_ssize_t a = last + 1;
        last = end - a < step ? end - 1 : last + step;
        weigh_some(of, n, k, weight, a, last + 1, &most);
    }
    for (Py_ssize_t step = 2; first > from && of->part[first] >= most - slack; step *= 2) {
        Py_ssize_t a = first;
        first = a - from < step ? from : a - step;
        weigh_some(of, n, k, weight, first, a, &most);
    }
    of->from = first;
    of->to = last;
}

/* Find the most spread over all orders of a list of n stances, for weights >= 0 of k = 1, 2, .. some. The first k are the a
 * lowest and the k - a highest; with a, their variance rises up to the most and falls behind it, and one order has the most
 * for each k (extremes.py). So only those a are looked at whose variance is the most but for rounding. */
static double find_most(const double *x, Py_ssize_t n, const double *weights, Py_ssize_t some, double *rows, Py_ssize_t *seen,
                        Work *work)
{
    Py_ssize_t room = n + 1;
    Prefixes of = {rows, rows + room, rows + 2 * room, rows + 3 * room, rows + 5 * room + 1, rows + 4 * room, 0, 0, 0};
    double *before = rows + 7 * room + 1, slack = bound_rounding(x, n, weights, some);
    add_stances(x, 1, n, of.low, of.low2);
    add_stances(x + n - 1, -1, n, of.high, of.high2);
    reverse(of.high, room);
    reverse(of.high2, room);
    of.best[0] = 0.0;
    for (Py_ssize_t k = 1; k < some; k++) {
        double *spare = before;
        before = of.best, of.best = spare;
        before[of.from - 1] = before[of.to + 1] = -HUGE_VAL; /* no order ends with these; there are two rows for each of best */
        if (weights[k - 1] != 0.0) {
            look_around(&of, n, k, weights[k - 1], slack);
            for (Py_ssize_t a = of.from; a <= of.to; a++)
                of.best[a] = (before[a] > before[a - 1] ? before[a] : before[a - 1]) + of.part[a];
        } else {
            of.to++;
            for (Py_ssize_t a = of.from; a <= of.to; a++)
                of.best[a] = before[a] > before[a - 1] ? before[a] : before[a - 1];
        }
        if ((*seen += of.to - of.from + 1) >= NUMBERS) {
            *seen = 0;
            if (stops(work))
                break;
        }
    }
    double most = of.best[of.from];
    for (Py_ssize_t a = of.from; a <= of.to; a++)
        most = of.best[a] > most ? of.best[a] : most;
    return most;
}

/* Find the least spread over the orders of a list whose first k lie side by side, and add up what is below every order. */
static double find_least(const double *x, Py_ssize_t n, const double *weights, Py_ssize_t some, double *rows, Py_ssize_t *seen,
                         double *bound, Work *work)
{
    Py_ssize_t room = n + 1, sets = n;
    double *sums = rows, *sums2 = sums + room, *minus = sums2 + room, *minus2 = minus + room, *best = minus2 + room;
    double *part = best + room, below = 0.0;
    add_stances(x, 1, n, sums, sums2);
    for (Py_ssize_t i = 0; i < room; i++) {
        minus[i] = -sums[i];
        minus2[i] = -sums2[i];
        best[i] = 0.0;
    }
    for (Py_ssize_t k = 2; k < some; k++) { /* best[a]: the first k are those from a on */
        sets = n - k + 1;
        if (weights[k - 1] != 0.0) {
            weigh_variances(sums + k, minus, sums2 + k, minus2, sets, (double)k, weights[k - 1], part);
            below += least_of(part, sets);
            for (Py_ssize_t a = 0; a < sets; a++)
                best[a] = (best[a + 1] < best[a] ? best[a + 1] : best[a]) + part[a];
        } else
            for (Py_ssize_t a = 0; a < sets; a++)
                best[a] = best[a + 1] < best[a] ? best[a + 1] : best[a];
        if ((*seen += sets) >= NUMBERS) {
            *seen = 0;
            if (stops(work))
                break;
        }
    }
    *bound = below;
    return least_of(best, sets);
}

/* Find the ends of the spread of lists [list, document], whose stances rise, for the weights of prefixes of 1, 2, .. some
 * documents. Into ends go the most [list], or the least of neighbors and the bound below every order [2, list]. */
static PyObject *find_spread(PyObject *arguments, int is_least)
{
    Py_buffer stances, weights, ends, rows;
    Work work = {NULL, 0};
    if (!PyArg_ParseTuple(arguments, "y*y*w*w*", &stances, &weights, &ends, &rows))
        return NULL;
    Py_ssize_t lists = ends.len / 8 / (1 + is_least), n = lists ? stances.len / 8 / lists : 0, some = weights.len / 8, seen = 0;
    int good = lists > 0 && n > 0 && ends.len == 8 * lists * (1 + is_least) && stances.len == 8 * lists * n && some > 0 &&
               some <= n && rows.len / 8 / SPREAD_ROWS > n;
    if (good) {
        double *end = ends.buf;
        const double *x = stances.buf, *weight = weights.buf;
        begin_work(&work);
        for (Py_ssize_t list = 0; list < lists && !work.stopped; list++, x += n)
            end[list] = is_least ? find_least(x, n, weight, some, rows.buf, &seen, end + lists + list, &work)
                                 : find_most(x, n, weight, some, rows.buf, &seen, &work);
        end_work(&work);
    }
    PyBuffer_Release(&stances);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&rows);
    return good ? none_unless(&work) : refuse_values();
}

static PyObject *most_spread(PyObject *self, PyObject *arguments)
{
    (void)self;
    return find_spread(arguments, 0);
}

static PyObject *least_spread(PyObject *self, PyObject *arguments)
{
    (void)self;
    return find_spread(arguments, 1);
}

/* Let a process keep the memory that blocks of large files have had, which else is fetched anew for each; of glibc. */
static PyObject *keep_memory(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
    Py_RETURN_NONE;
}

#ifndef _WIN32
/* ---- files that are mapped into memory ------------------------------------------------------------------------ */

enum { MAPPINGS = 256, MESSAGE = 1024, BAD_INPUT = 3 };
static struct {
    uintptr_t start;
    size_t length, said;
    char message[MESSAGE];
} mappings[MAPPINGS];
static struct sigaction before;
static int watched;

/* A page of a file that has been cut off cannot be read: say so and end, as nothing can go on from here. */
static void say_cut(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    uintptr_t at = (uintptr_t)info->si_addr;
    for (int i = 0; i < MAPPINGS; i++)
        if (at >= mappings[i].start && at - mappings[i].start < mappings[i].length) {
            if (write(STDERR_FILENO, mappings[i].message, mappings[i].said) < 0)
                _exit(BAD_INPUT);
            _exit(BAD_INPUT);
        }
    sigaction(SIGBUS, &before, NULL); /* this is met again then, by whoever was to be told before */
}

/* Say a message where a mapping can be read no further; give its number, -1 where there is no room for one more. */
static PyObject *watch(PyObject *self, PyObject *arguments)
{
    (void)self;
    unsigned long long start;
    Py_ssize_t length, said;
    const char *message;
    if (!PyArg_ParseTuple(arguments, "Kny#", &start, &length, &message, &said))
        return NULL;
    int slot = 0;
    while (slot < MAPPINGS && mappings[slot].length)
        slot++;
    if (slot == MAPPINGS || length <= 0 || said > MESSAGE)
        return PyLong_FromLong(-1);
    memcpy(mappings[slot].message, message, (size_t)said);
    mappings[slot].said = (size_t)said;
    mappings[slot].start = (uintptr_t)start;
    mappings[slot].length = (size_t)length;
    if (watched++ == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = say_cut;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGBUS, &action, &before);
    }
    return PyLong_FromLong(slot);
}

/* Forget a mapping, by its number. */
static PyObject *forget(PyObject *self, PyObject *number)
{
    (void)self;
    long slot = PyLong_AsLong(number);
    if (slot >= 0 && slot < MAPPINGS && mappings[slot].length) {
        mappings[slot].length = 0;
        if (--watched == 0)
            sigaction(SIGBUS, &before, NULL);
    }
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}
#endif

static PyMethodDef methods[] = {
#ifndef _WIN32
    {"watch", watch, METH_VARARGS, "Say a message, and end, where a mapped file can be read no further."},
    {"forget", forget, METH_O, "Forget a mapped file."},
#endif
    {"keep_memory", keep_memory, METH_NOARGS, "Keep memory that has been used, for a command and its processes."},
    {"lines", lines, METH_VARARGS, "Fill columns from lines of cells."},
    {"survey", survey, METH_O, "Count line ends; tell whether there are bytes beyond ASCII or NUL, and CR."},
    {"line_edges", line_edges, METH_VARARGS, "Find the starts, tabs and ends of lines."},
    {"find", find, METH_VARARGS, "Find rows of docnos."},
    {"sort_keys", sort_keys, METH_VARARGS, "Sort keys, and keep each once."},
    {"lay_out", lay_out, METH_VARARGS, "Lay out a hash table of row numbers."},
    {"fill_filter", fill_filter, METH_VARARGS, "Set the bit of each key in a filter."},
    {"find_twice", find_twice, METH_VARARGS, "Find a docno that stands twice in a list."},
    {"tops", tops, METH_VARARGS, "Keep the first documents of rankings."},
    {"take_counts", take_counts, METH_VARARGS, "Look up the documents of lines, and keep their counts."},
    {"log", log_of, METH_VARARGS, "Compute natural logarithms."},
    {"log2", log2_of, METH_VARARGS, "Compute logarithms to base 2."},
    {"exp", exp_of, METH_VARARGS, "Raise e to the power of each value."},
    {"weighted_sums", weighted_sums, METH_VARARGS, "Add up weighted values, rank by rank."},
    {"add_costs", add_costs, METH_VARARGS, "Add the costs of ranks to the least and the most of orders."},
    {"most_spread", most_spread, METH_VARARGS, "Find the most spread over the orders of lists."},
    {"least_spread", least_spread, METH_VARARGS, "Find the least spread over orders of neighbors, and a bound."},
    {"tokens", tokens, METH_VARARGS, "Count tokens, and find those that may be of terms."},
    {NULL, NULL, 0, NULL},
};

enum { FORM = 13 }; /* of what is handed to these functions; __init__.py says the same */

static int say_form(PyObject *made)
{
    return PyModule_AddIntConstant(made, "FORM", FORM) < 0 || PyModule_AddIntConstant(made, "LATER", LATER + NEAR) < 0
               ? -1
               : PyModule_AddIntConstant(made, "SPREAD_ROWS", SPREAD_ROWS);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)say_form}, {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "extension", NULL, 0, methods, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_extension(void)
{
    return PyModuleDef_Init(&module);
}
