"""The loops in C: what they make of a block is what the readers in numpy make of it."""

from contextlib import suppress

import numpy as np

from fairtrec.counting.compiled import Compiled
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.counting.text_blocks import read_tsv_lines
from fairtrec.data import Docnos, GroupTerms
from fairtrec.formats import columns, run, spans
from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError

LAYOUTS = [
    {"qid": "blocks", "Q0": "skip", "docno": "text", "rank": "int", "score": "float", "tag": "first"},
    {"qid": "blocks", "iteration": "text", "docno": "text", "grade": "int"},
    {"docno": "text", "tokens": "int", "f": "int", "m": "int"},
]
LINES = b"q1 Q0 d%d 1 0.1234567890123456%d t\n", b"q1 0 d%d %d\n", b"d%d %d 0 2\n"
TEXT = "d1\tShe said: the king's Ärger, ΟΔΟΣ — l’homme 女 grandmothers\nd2\the\n".encode()
TERMS = GroupTerms("", {"f": ("she", "grandmothers", "οδος"), "m": ("he", "the king's ärger", "女")})
LEXICONS = [Lexicon.from_terms(TERMS, name, case_sensitive=False) for name in ("strip", "space", "word")]
TABLE = Docnos.collect(np.array([b"d1", b"d2", b"d" * 9, b"q1"]))


def seeds():
    """Give blocks of runs, qrels, counts and texts, each behind a byte that says what it is."""
    for kind, line in enumerate(LINES):
        yield bytes([kind]) + b"".join(line % (i * 977, i) for i in range(3))
    yield bytes([len(LAYOUTS)]) + TEXT


def take(data):
    """Let the loops read a block as what its first byte says."""
    if len(data) < 2:
        return
    kind, block = data[0] % (len(LAYOUTS) + 1), data[1:]
    extension.survey(block)
    extension.line_edges(block, *np.zeros((3, block.count(b"\n") + 1), "i8"))
    if not is_text(block):  # which no reader of files lets pass
        return
    if kind == len(LAYOUTS):
        count_texts(block)
    else:
        read_columns(block, columns.Layout("file", LAYOUTS[kind]))
        look_up(block)
        keep_tops(block)


def is_text(block):
    """Tell whether a block is UTF-8 without NUL."""
    with suppress(UnicodeDecodeError):
        return "\0" not in block.decode()
    return False


def read_columns(block, layout):
    """Read lines, and compare them with what numpy reads."""
    fast = columns.fast(block, layout, block.count(b"\n"))
    if fast is None:
        return
    try:
        exact, _ = columns.parse_lines(block, layout, "file", 1)
    except InputError:
        raise AssertionError("the loop takes what is refused") from None
    for name, column in exact.items():
        mine = fast[name]
        found = np.repeat(mine.texts, mine.lengths) if isinstance(mine, spans.Repeats) else mine
        assert found.tolist() == column.tolist(), name


def keep_tops(block):
    """Keep the first documents of rankings, and compare them with what numpy keeps."""
    tops, ends = run._Tops(1, with_ties=False), block.count(b"\n")
    found = tops.take(block, ends)
    if found is None:
        return
    exact = tops.keep(columns.parse_lines(block, tops.layout, "file", 1)[0], 1)
    for mine, other in zip(found["rankings"], exact["rankings"], strict=True):
        assert (mine.docnos.tolist(), mine.scores.tolist()) == (other.docnos.tolist(), other.scores.tolist())


def look_up(block):
    """Look up the words of a block, and the counts of its lines."""
    names = np.array([word[: columns.WIDEST] for word in block.split() if word.strip(b"\0")] or [b"d"])
    own = Docnos.collect(names)
    assert (own.names[own.rows(names)] == names).all()
    assert all(row < 0 or TABLE.names[row] == name for row, name in zip(TABLE.rows(names), names, strict=True))
    edges = np.array([0, len(names) // 2, len(names)])
    extension.find_twice(names.view("u1"), names.dtype.itemsize, edges, np.zeros(1 << 12, "i4"))
    given = *TABLE.list_buffers(), TABLE.slots[0], TABLE.filter, np.arange(2)
    found = np.empty(5, "i8"), np.empty(5, "i8"), np.empty(len(TABLE), "u4"), np.empty((len(TABLE), 2))
    extension.take_counts(block, *given, *found, np.empty((extension.LATER, 3), "i8"))


def count_texts(block):
    """Count the terms of texts in both ways."""
    some = read_tsv_lines(block, 1 << 20)
    for lexicon in LEXICONS if len(some.starts) else ():
        found = [counter(lexicon).count(some.block, some.starts, some.ends) for counter in (Compiled, Kernel)]
        for mine, exact in zip(*found, strict=True):
            assert mine.tolist() == exact.tolist(), lexicon
