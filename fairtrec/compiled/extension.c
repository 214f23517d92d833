/* The few loops of fairtrec that are worth a compiler. Each has a twin in numpy that gives the same numbers; the rest of
 * the package neither knows nor cares which of the two is at work (see __init__.py beside this file).
 *
 * Memory is that of the caller: every argument is a buffer, and a buffer that is written to has been made by numpy with
 * the size that is said here. Nothing is allocated, and the interpreter's lock is released while a loop runs.
 */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* buffers are part of it since 3.11, so one library serves all later versions */
#include <Python.h>
#include <stdint.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

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

/* Read [+-] digits [. digits] [e [+-] digits] as float() does; 0 for all else, which the caller gives to float(). */
static int decimal(const unsigned char *at, const unsigned char *end, const uint64_t *powers, double *value)
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
        } else if (*at == '.' && !pointed)
            pointed = 1;
        else
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

/* ---- lines ---------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 1024, ODD = -1, FULL = -2, WIDE = -3 };

typedef struct {
    unsigned char kind;  /* s: skipped, t: text, b: text, once where it stands again, f: float, i: integer */
    Py_ssize_t width;    /* bytes of a text */
    Py_ssize_t rows;     /* how many there is room for */
    unsigned char *values;
    int64_t *lengths;    /* of blocks: in how many lines each text stands */
    Py_ssize_t found;
} Column;

static void put(unsigned char *cell, Py_ssize_t width, const unsigned char *text, Py_ssize_t size)
{
    memcpy(cell, text, (size_t)size);
    memset(cell + size, 0, (size_t)(width - size));
}

/* Fill columns from lines of cells between white space. Gives the number of lines; ODD where one is not plain, FULL where
 * there are more than there is room for, WIDE where a text is longer than its column is wide: *widest of bytes. */
static Py_ssize_t fill(const unsigned char *at, const unsigned char *end, Column *columns, int many,
                       const uint64_t *powers, Py_ssize_t *widest)
{
    static const unsigned char ends[256] = {[' '] = 1, ['\t'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1, ['\n'] = 2};
    Py_ssize_t row = 0;
    while (at < end) {
        for (int i = 0; i < many; i++) {
            Column *column = columns + i;
            while (at < end && ends[*at] == 1)
                at++;
            const unsigned char *cell = at;
            while (at < end && !ends[*at])
                at++;
            Py_ssize_t size = at - cell;
            if (size == 0)
                return ODD;
            switch (column->kind) {
            case 'b':
                if (column->found) {
                    unsigned char *last = column->values + (column->found - 1) * column->width;
                    if (size <= column->width && memcmp(last, cell, (size_t)size) == 0 &&
                        (size == column->width || last[size] == 0)) {
                        column->lengths[column->found - 1]++;
                        break;
                    }
                }
                if (column->found == column->rows)
                    return FULL;
                if (size > column->width) {
                    *widest = size;
                    return WIDE;
                }
                put(column->values + column->found * column->width, column->width, cell, size);
                column->lengths[column->found++] = 1;
                break;
            case 't':
                if (row == column->rows)
                    return FULL;
                if (size > column->width) {
                    *widest = size;
                    return WIDE;
                }
                put(column->values + row * column->width, column->width, cell, size);
                break;
            case 'f':
                if (row == column->rows)
                    return FULL;
                if (!decimal(cell, at, powers, (double *)column->values + row))
                    return ODD;
                break;
            case 'i':
                if (row == column->rows)
                    return FULL;
                if (!integer(cell, at, (int64_t *)column->values + row))
                    return ODD;
                break;
            default:
                break;
            }
        }
        while (at < end && ends[*at] == 1)
            at++;
        if (at < end && *at++ != '\n')
            return ODD;
        row++;
    }
    return row;
}

static PyObject *lines(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer block, kinds, powers;
    PyObject *outs;
    if (!PyArg_ParseTuple(arguments, "y*y*O!y*", &block, &kinds, &PyTuple_Type, &outs, &powers))
        return NULL;
    Column columns[COLUMNS];
    Py_buffer held[2 * COLUMNS];
    int many = (int)kinds.len, taken = 0, good = kinds.len <= COLUMNS && powers.len == 16 * (MOST_POWER - LEAST_POWER + 1);
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
        Py_BEGIN_ALLOW_THREADS
        rows = fill(block.buf, (unsigned char *)block.buf + block.len, columns, many, powers.buf, &widest);
        Py_END_ALLOW_THREADS
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
    PyBuffer_Release(&block);
    PyBuffer_Release(&kinds);
    PyBuffer_Release(&powers);
    if (!good && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the columns do not fit their buffers");
    return blocks == NULL ? NULL : Py_BuildValue("nnN", rows, widest, blocks);
}

static PyObject *line_ends(PyObject *self, PyObject *argument)
{
    (void)self;
    Py_buffer block;
    if (PyObject_GetBuffer(argument, &block, PyBUF_SIMPLE) < 0)
        return NULL;
    Py_ssize_t found = 0;
    const unsigned char *text = block.buf;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < block.len;) { /* sums of bytes, which a compiler does many at a time */
        Py_ssize_t stop = block.len - i < 255 * 64 ? block.len : i + 255 * 64;
        unsigned sums[64] = {0};
        for (; i + 64 <= stop; i += 64)
            for (int j = 0; j < 64; j++)
                sums[j] += text[i + j] == '\n';
        for (int j = 0; j < 64; j++)
            found += sums[j];
        for (; i < stop; i++)
            found += text[i] == '\n';
    }
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&block);
    return PyLong_FromSsize_t(found);
}

/* ---- docnos --------------------------------------------------------------------------------------------------- */

#define GOLDEN 0x9E3779B97F4A7C15u /* 2^64 over the golden ratio */

static int same(const unsigned char *a, Py_ssize_t a_width, const unsigned char *b, Py_ssize_t b_width)
{
    Py_ssize_t both = a_width < b_width ? a_width : b_width;
    if (memcmp(a, b, (size_t)both))
        return 0;
    const unsigned char *rest = a_width > b_width ? a : b;
    return both == (a_width > b_width ? a_width : b_width) || rest[both] == 0;
}

/* Find each docno's row by its key in a hash table of row numbers (int32; -1: free), some of whose slots are free. */
static PyObject *find(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer asked, asked_keys, names, keys, slots, rows;
    Py_ssize_t asked_width, names_width;
    if (!PyArg_ParseTuple(arguments, "y*ny*y*ny*y*w*", &asked, &asked_width, &asked_keys, &names, &names_width, &keys,
                          &slots, &rows))
        return NULL;
    Py_ssize_t many = rows.len / 8, size = slots.len / 4, there = keys.len / 8;
    int good = asked_width > 0 && names_width > 0 && asked.len == many * asked_width && asked_keys.len == rows.len &&
               size > 1 && (size & (size - 1)) == 0 && names.len == there * names_width;
    int bits = 1;
    while (((Py_ssize_t)1 << bits) < size)
        bits++;
    if (good) {
        const uint64_t *of_rows = keys.buf, *wanted = asked_keys.buf;
        const int32_t *table = slots.buf;
        const unsigned char *texts = asked.buf, *others = names.buf;
        int64_t *found = rows.buf;
        int longer = asked_width > 8 || names_width > 8;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < many; i++) {
            size_t slot = (size_t)(wanted[i] * GOLDEN >> (64 - bits));
            int64_t row = -1;
            for (Py_ssize_t tried = 0; tried < size && table[slot] >= 0 && table[slot] < there; tried++) {
                if (of_rows[table[slot]] == wanted[i] &&
                    (!longer || same(texts + i * asked_width, asked_width, others + table[slot] * names_width, names_width))) {
                    row = table[slot];
                    break;
                }
                slot = (slot + 1) & (size_t)(size - 1);
            }
            found[i] = row;
        }
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&asked);
    PyBuffer_Release(&asked_keys);
    PyBuffer_Release(&names);
    PyBuffer_Release(&keys);
    PyBuffer_Release(&slots);
    PyBuffer_Release(&rows);
    if (!good) {
        PyErr_SetString(PyExc_ValueError, "the look-up does not fit its buffers");
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- tokens --------------------------------------------------------------------------------------------------- */

enum { NONE = -1, SPACE, INNER, OTHER, CAPITAL }; /* kinds of characters: between tokens, in them, in them but not at their ends */

typedef struct {
    int64_t document, place, first, last, key, tail;
} Hit;

typedef struct {
    const uint8_t *kind;    /* of each code point */
    const uint8_t *bitmap;  /* whether a term may begin with a key of this slot */
    int shift;
    int keep_empty, lower;  /* whether empty tokens count, and whether letters are made small */
    const unsigned char *limit; /* the end of the block */
    uint8_t stop[256];      /* bytes that are blank, or beyond ASCII */
} Rules;

/* The first 8 bytes of a token, zeros behind a shorter one, as they stand in memory. */
static uint64_t window(const unsigned char *text, Py_ssize_t size, const unsigned char *limit)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (limit - text >= 8) {
        memcpy(&word, text, 8);
        return size < 8 ? word & (((uint64_t)1 << 8 * size) - 1) : word;
    }
#endif
    (void)limit;
    memcpy(&word, text, (size_t)(size < 8 ? size : 8));
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

typedef struct {
    Hit *hits;
    Py_ssize_t room, found;
    int64_t document, place;
    const unsigned char *base;
} Found;

/* Count a token, if it is one, and note it if it may be of a term; 0 where there is no room for it. */
static int note(const unsigned char *first, const unsigned char *last, const Rules *rules, Found *found)
{
    Py_ssize_t size = last - first;
    if (size == 0 && !rules->keep_empty)
        return 1;
    uint64_t key = window(first, size, rules->limit), tail;
    key = rules->lower ? small(key) : key;
    if (rules->bitmap[key * GOLDEN >> rules->shift]) {
        if (found->found == found->room)
            return 0;
        tail = size > 8 ? window(last - 8, 8, rules->limit) : key;
        tail = rules->lower ? small(tail) : tail;
        Hit hit = {found->document, found->place, first - found->base, last - found->base, (int64_t)key, (int64_t)tail};
        found->hits[found->found++] = hit;
    }
    found->place++;
    return 1;
}

/* Tell which of up to 64 bytes end a token, or are beyond ASCII: a bit each. */
static uint64_t stops(const unsigned char *at, Py_ssize_t many, const Rules *rules)
{
    uint64_t mask = 0;
    for (Py_ssize_t i = 0; i < (many < 64 ? many : 64); i++)
        mask |= (uint64_t)rules->stop[at[i]] << i;
    return mask;
}

/* Count the tokens of a text. NONE where only Unicode can make its letters small, FULL where there is no room for hits. */
static int64_t scan(const unsigned char *at, const unsigned char *end, const Rules *rules, Found *found)
{
    const unsigned char *begin = at; /* of the token; at: of the bytes of which the mask is */
    uint64_t mask = stops(at, end - at, rules);
    for (;;) {
        const unsigned char *first = begin, *last;
        if (mask == 0 && end - at > 64) {
            at += 64;
            mask = stops(at, end - at, rules);
            continue;
        }
        const unsigned char *stop = mask ? at + lowest(mask) : end;
        if (stop == end || *stop < 0x80) { /* the token is ASCII, as nearly all are */
            mask &= mask - 1;
            for (last = stop; first < last && rules->kind[*first] != INNER;)
                first++;
            while (last > first && rules->kind[last[-1]] != INNER)
                last--;
            if (!note(first, last, rules, found))
                return FULL;
            if (stop == end)
                return found->place;
            begin = stop + 1;
            continue;
        }
        const unsigned char *inner = NULL; /* the first character that is no punctuation */
        int size = 0;
        for (last = at = begin; at < end; at += size) {
            unsigned kind = rules->kind[character(at, end, &size)];
            if (kind == CAPITAL)
                return NONE;
            if (kind == SPACE)
                break;
            if (kind == INNER) {
                inner = inner ? inner : at;
                last = at + size;
            }
        }
        if (!note(inner ? inner : last, last, rules, found))
            return FULL;
        if (at == end)
            return found->place;
        begin = at += size;
        mask = stops(at, end - at, rules);
    }
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
    Py_ssize_t many = starts.len / 8, done = 0;
    Found found = {hits.buf, hits.len / (Py_ssize_t)sizeof(Hit), 0, 0, 0, block.buf};
    int good = ends.len == starts.len && counts.len == starts.len && kind.len == 0x110000 && rules.shift > 0 &&
               rules.shift < 64 && bitmap.len >> (64 - rules.shift) == 1;
    const int64_t *first = starts.buf, *last = ends.buf;
    for (Py_ssize_t i = 0; good && i < many; i++)
        good = first[i] >= 0 && first[i] <= last[i] && last[i] <= block.len;
    if (good) {
        rules.kind = kind.buf;
        rules.bitmap = bitmap.buf;
        const unsigned char *text = block.buf;
        int64_t *counted = counts.buf;
        rules.limit = text + block.len;
        for (int byte = 0; byte < 256; byte++)
            rules.stop[byte] = byte >= 0x80 || rules.kind[byte] == SPACE;
        Py_BEGIN_ALLOW_THREADS
        for (; done < many; done++) {
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
        Py_END_ALLOW_THREADS
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
    return Py_BuildValue("nn", done, found.found);
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

static PyMethodDef methods[] = {
    {"keep_memory", keep_memory, METH_NOARGS, "Keep memory that has been used, for a command and its processes."},
    {"lines", lines, METH_VARARGS, "Fill columns from lines of cells."},
    {"line_ends", line_ends, METH_O, "Count line ends."},
    {"find", find, METH_VARARGS, "Find rows of docnos."},
    {"tokens", tokens, METH_VARARGS, "Count tokens, and find those that may be of terms."},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot module_slots[] = {{0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "extension", NULL, 0, methods, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_extension(void)
{
    return PyModuleDef_Init(&module);
}
