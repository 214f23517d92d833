"""Each compiled loop lets handlers of signals run while it works, and ends if one raises an exception."""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from fairtrec.data import Docnos
from fairtrec.formats import spans
from fairtrec.formulas import elementary
from fairtrec.support.compiled import extension
from fairtrec_made import colliding

pytestmark = [
    pytest.mark.skipif(extension is None, reason="this package was built without a compiler"),
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers"),
]

PERIOD = 0.002  # seconds between two signals
TIMES = 3  # that a handler runs during a loop at least: once would be at its end
WITHOUT_LOOPS = {"watch", "forget", "keep_memory"}  # over what is given to them


class HeardError(Exception):
    """What a handler raises."""


@contextmanager
def timer(handler):
    """Call a handler again and again."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, PERIOD, PERIOD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def lines():
    block = b"q1 0.5\n" * (1 << 22)
    outs = np.zeros(1 << 22, "S8"), np.zeros(1 << 22)
    return lambda: extension.lines(block, b"tf", outs, spans.FIVES)


def blank_lines():
    block = b"\n" * (1 << 28)
    return lambda: extension.lines(block, b"t", (np.zeros(1, "S8"),), spans.FIVES)


def survey():
    block = b"q1 0.5\n" * (1 << 25)
    return lambda: extension.survey(block)


def line_edges():
    block, edges = b"q1\t0.5\n" * (1 << 23), np.zeros((3, 1 << 23), "i8")
    return lambda: extension.line_edges(block, *edges)


def table(many):
    """Make many docnos of 8 bytes, and a table of them."""
    keys = np.sort(np.arange(many, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    docnos = Docnos(keys)
    return docnos, docnos.names.view("u1"), docnos.slots[0]


def find():
    docnos, names, slots = table(1 << 22)
    rows = np.zeros(1 << 22, "i8")
    return lambda: extension.find(names, 8, None, names, 8, docnos.keys, slots, rows)


def sort_keys():
    keys = np.arange(1 << 23, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return lambda: extension.sort_keys(keys, np.empty_like(keys))


def lay_out():
    docnos, _, slots = table(1 << 23)
    return lambda: extension.lay_out(docnos.keys, slots)


def fill_filter():
    keys = np.arange(1 << 23, dtype=np.uint64)
    return lambda: extension.fill_filter(keys, np.zeros(1 << 20, "u1"))


def find_twice():
    docnos, names, slots = table(1 << 22)
    edges = np.array([0, len(docnos)])
    slots = np.zeros(len(slots), "i4")
    return lambda: extension.find_twice(names, 8, edges, slots)


def find_twice_sorted():
    docnos = colliding.list_bytes(1 << 20, twice=True)[::-1].copy()
    edges, slots = np.array([0, len(docnos)]), np.zeros(1 << 21, "i4")
    return lambda: extension.find_twice(docnos.view("u1"), 8, edges, slots)


def tops():
    block, many = b"".join(b"q Q0 d%07d 1 0.5 t\n" % i for i in range(1 << 17)) * 16, 1 << 21
    block = block.replace(b"q Q0 d0000000", b"p Q0 d0000000")  # which begins a ranking
    ids, outs = np.zeros((2, many), "S8").view("u1"), (np.zeros(many, "i8"), np.zeros(many))
    given = ids[0], outs[0], ids[1], outs[1], np.zeros(1 << 19, "i4")
    return lambda: extension.tops(block, spans.FIVES, 10, 8, *given)


def take_counts():
    docnos = Docnos.collect(np.array([b"d1", b"d2"]))
    table = *docnos.list_buffers(), docnos.slots[0], docnos.filter
    given = *table, np.arange(2), np.zeros(1, "i8"), np.zeros(1, "i8"), np.zeros(2, "u4"), np.zeros((2, 2))
    block = b"d3 1 2 3\n" * (1 << 22)
    return lambda: extension.take_counts(block, *given, np.zeros((extension.LATER, 3), "i8"))


def tokens(size):
    block = b"she said; " * ((1 << 26) // 10)
    edges = np.arange(0, len(block), min(size, len(block)))
    given = edges, np.append(edges[1:], len(block)), bytes([0] * 64 + [1] * (0x110000 - 64)), bytes(8), 58
    counts = np.zeros(len(edges), "i8")
    return lambda: extension.tokens(block, *given, False, True, counts, np.zeros((1, 6), "i8"))


def elementwise(name):
    values, tables = np.full(1 << 23, 1.5), elementary.tables()
    more = {
        "log": (tables.two, tables.of_c),
        "log2": (tables.two, tables.of_c, tables.per_e),
        "exp": (tables.two, tables.per_e[0]),
    }
    return lambda: getattr(extension, name)(values, np.zeros_like(values), *more[name])


def weighted_sums(columns):
    values, out = np.ones((1 << 17, 256 // columns, columns)), np.zeros((1 << 17, columns))
    weights = np.ones(256 // columns)
    return lambda: extension.weighted_sums(values, weights, out, len(values), 256 // columns, columns)


def add_costs():
    costs, ends = np.zeros((1 << 12, 1 << 12)), np.zeros((2, 1 << 12))
    return lambda: extension.add_costs(costs, ends, 1 << 12, 1 << 13)


def spread(name, ends):
    stances, rows = np.full(1 << 13, 0.5), np.zeros(extension.SPREAD_ROWS * ((1 << 13) + 1))
    stances[:9] = -0.5  # where so many are tied, each end takes as many steps
    return lambda: getattr(extension, name)(stances, np.ones(1 << 13), np.zeros((ends, 1)), rows)


LOOPS = {
    "add_costs": add_costs,
    "most_spread": lambda: spread("most_spread", 1),
    "least_spread": lambda: spread("least_spread", 2),
    "lines": lines,
    "lines of blanks": blank_lines,
    "survey": survey,
    "line_edges": line_edges,
    "find": find,
    "sort_keys": sort_keys,
    "lay_out": lay_out,
    "fill_filter": fill_filter,
    "find_twice": find_twice,
    "find_twice of ids that collide": find_twice_sorted,
    "tops": tops,
    "take_counts": take_counts,
    "tokens": lambda: tokens(100),
    "tokens of one text": lambda: tokens(1 << 30),
    "log": lambda: elementwise("log"),
    "log2": lambda: elementwise("log2"),
    "exp": lambda: elementwise("exp"),
    "weighted_sums": lambda: weighted_sums(1),
    "weighted_sums of columns": lambda: weighted_sums(2),
}


def test_every_function_that_is_compiled_is_tried():
    functions = {name for name in dir(extension) if callable(getattr(extension, name)) and not name.startswith("_")}
    assert functions == {name.split()[0] for name in LOOPS} | WITHOUT_LOOPS


@pytest.mark.long
@pytest.mark.parametrize("name", LOOPS)
def test_a_handler_runs_while_a_loop_works(name):
    work, heard = LOOPS[name](), []
    with timer(lambda *_: heard.append(time.monotonic())):
        begin = time.monotonic()
        work()
        times = [begin, *heard, time.monotonic()]
    assert len(heard) >= TIMES, times
    assert np.diff(times).max() < 1


@pytest.mark.long
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_ends_if_a_handler_raises(name):
    work, heard = LOOPS[name](), []

    def stop(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)  # the next would come while the first exception is on its way
        heard.append(time.monotonic())
        raise HeardError

    with pytest.raises(HeardError), timer(stop):
        work()
    assert len(heard) == 1


@pytest.mark.long
def test_a_loop_in_another_thread_leaves_signals_to_the_first():
    work = survey()
    thread, heard = threading.Thread(target=work), []
    with timer(lambda *_: heard.append(threading.current_thread())):
        thread.start()
        thread.join()
    assert set(heard) == {threading.main_thread()}
