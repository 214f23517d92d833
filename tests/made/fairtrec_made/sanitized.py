"""The compiled loops under AddressSanitizer and UndefinedBehaviorSanitizer, on corrupted files; run as a script by itself."""

import importlib.util
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from fairtrec_made import REPOSITORY

KINDS = ("run", "qrels", "counts", "collection", "numbers", "floods", "corpus")
SOURCE = REPOSITORY / "fairtrec" / "support" / "compiled" / "extension.c"
ODD = [
    b"",
    b" ",
    b"\t",
    b"\n",
    b"\n\n",
    b"\v",
    b"\r",
    b"\xff",
    b"\xc3",
    b"\xf0\x9f",
    b"-",
    b"e9",
    b".",
    b"9" * 30,
    b"x" * 1100,
]


def run(kind: str, many: int, folder: Path) -> subprocess.CompletedProcess[str] | None:
    """Let a process with the sanitizers read so many corrupted files; None where they cannot be had."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    built = folder / "extension.so"
    flags = [
        "-O1",
        "-g",
        "-std=c11",
        "-shared",
        "-fPIC",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
        "-ffp-contract=off",
    ]
    include = f"-I{sysconfig.get_paths()['include']}"
    made = subprocess.run([compiler, *flags, include, SOURCE, "-o", built], capture_output=True, check=False)
    library = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, check=True, text=True
    ).stdout
    if made.returncode or not Path(library.strip()).is_absolute():
        return None
    settings = {"LD_PRELOAD": library.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    settings["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [sys.executable, __file__, str(built), kind, str(many)]
    return subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)


def corrupted(block: bytes, random: random.Random) -> bytes:
    """Change, cut, repeat and move some bytes."""
    whole = bytearray(block)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(whole) + 1)
        other = random.randrange(len(whole) + 1)
        match random.randrange(4):
            case 0:
                whole[at:at] = random.choice(ODD)
            case 1:
                del whole[at : at + random.randrange(30)]
            case 2:
                whole[at:at] = whole[other : other + random.randrange(60)]
            case _:
                whole[at : at + 1] = bytes([random.randrange(256)])
    return bytes(whole)


def compute_sums(draw: random.Random, many: int) -> None:
    """Let the arithmetic loops work on arrays of drawn shapes, which hold odd values as well."""
    import numpy as np

    from fairtrec.formulas import elementary
    from fairtrec.formulas.extremes import bound_by_counts, most_spread, over_intervals
    from fairtrec.formulas.weighted_sums import weighted_sum

    for _ in range(many):
        rows, ranks, columns = draw.randrange(20), draw.randrange(12), draw.randrange(4)
        values = np.array([draw.choice([0.0, -1.5, 5e-324, 1e308, float("inf"), float("nan")]) for _ in range(ranks)])
        shape = (rows, ranks, columns) if draw.random() < 0.5 else (rows, ranks)
        table = np.broadcast_to(values[:, None] if len(shape) == 3 else values, shape)
        weighted_sum(table, np.ones(ranks) if draw.random() < 0.5 else np.ones((rows, ranks)))
        bound_by_counts([np.ones((ranks, 1 + columns))] * draw.randrange(3), draw.randrange(columns, 30), columns)
        if table.size:
            some = np.ones(draw.randrange(1, ranks + 1))
            most_spread(table.reshape(rows, -1), some), over_intervals(table.reshape(rows, -1), some)
        drawn = np.frombuffer(draw.randbytes(8 * ranks), dtype=np.float64)  # any float64 that there is
        for numbers in (values, drawn):
            for function in (elementary.log, elementary.log2, elementary.exp):
                function(numbers)


def look_up(watched: ModuleType, draw: random.Random, many: int) -> None:
    """Look up docnos that want one slot, in tables of their own and in tables that hold anything."""
    import numpy as np

    from fairtrec.data import Docnos
    from fairtrec.formats import spans
    from fairtrec_made import colliding

    single, twice = colliding.list_bytes(600), colliding.list_bytes(600, twice=True)
    for _ in range(many):
        several = single[np.array(draw.choices(range(len(single)), k=draw.randrange(1, 300)))]
        several = several.astype(f"S{draw.choice([8, 9, 40])}")
        table = Docnos.collect(several)
        assert (table.names[table.rows(several)] == several).all()
        names = table.names.astype(f"S{draw.choice([8, 16])}")
        slots = np.array([draw.randrange(-2, len(table) + 2) for _ in range(1 << draw.randrange(1, 10))], "i4")
        asked = np.ascontiguousarray(several).view("u1"), several.dtype.itemsize
        found = np.zeros(len(several), "i8")
        watched.find(*asked, None, names.view("u1"), names.dtype.itemsize, table.keys, slots, found)
        places = np.array(draw.choices(range(-2, len(several) + draw.randrange(2)), k=len(several)))
        with suppress(ValueError):  # there is no such line
            watched.find(*asked, places, names.view("u1"), names.dtype.itemsize, table.keys, slots, found)
        keys = np.array(
            [draw.getrandbits(64) & draw.choice([0xFF, -1 & 2**64 - 1]) for _ in range(draw.randrange(99))], "u8"
        )
        assert watched.sort_keys(keys, np.empty_like(keys)) <= len(keys)
        block = b"".join(docno + b" 7 1 2\n" for docno in several.tolist())
        filter_bytes = draw.randbytes(1 << draw.randrange(6))
        here = np.empty(len(several), "i8"), np.empty(len(several), "i8")
        found = *here, np.empty(len(table), "u4"), np.empty((len(table), 2))
        for named in ((names.view("u1"), names.dtype.itemsize), (None, 8)):
            given = *named, table.keys, slots, filter_bytes, np.arange(2)
            watched.take_counts(block, *given, *found, np.empty((watched.LATER, 3), "i8"))
            watched.find(*asked, None, *named, table.keys, slots, np.zeros(len(several), "i8"))
        lists = twice[np.array(draw.choices(range(len(twice)), k=draw.randrange(1, 300)))]
        edges = np.array(sorted(draw.randrange(len(lists) + 1) for _ in range(4)))
        watched.find_twice(lists.view("u1"), 8, edges, np.zeros(1 << 10, "i4"))
        outs = tuple(np.zeros(3, "i8") for _ in range(draw.choice([1, 16, 17, 1024])))
        line = b" ".join([b"7"] * len(outs))
        watched.lines(b"\n".join([line] * 3), b"i" * len(outs), outs, spans.FIVES)


def read_corpus() -> None:
    """Let the loops read all that the harness of ``fuzzed`` has for them, also what it found on this machine."""
    from fairtrec_made import fuzzed

    take = fuzzed.load("extension").take
    for data in fuzzed.list_corpus("extension", found=True):
        take(data)


def main(built: str, kind: str, many: str) -> None:
    """Read corrupted blocks with a library that watches its memory."""
    spec = importlib.util.spec_from_file_location("fairtrec.support.compiled.extension", built)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["fairtrec.support.compiled.extension"] = watched = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(watched)
    import numpy as np

    from fairtrec.support import compiled

    assert compiled.extension is watched

    from fairtrec.counting.compiled import Compiled
    from fairtrec.counting.counter import Lexicon
    from fairtrec.counting.text_blocks import read_tsv_lines
    from fairtrec.data import Docnos, GroupTerms
    from fairtrec.formats import columns, spans
    from fairtrec.formats import run as run_format

    draw = random.Random(f"{kind} {many}")
    kinds: dict[str, dict[str, columns.Cell]] = {
        "run": {"qid": "blocks", "Q0": "skip", "docno": "text", "rank": "int", "score": "float", "tag": "first"},
        "qrels": {"qid": "blocks", "iteration": "text", "docno": "text", "grade": "int"},
        "counts": {"docno": "text", "tokens": "int", "f": "int", "m": "int"},
    }
    lines = {
        "run": b"q1 Q0 d%d 1 0.1234567890123456%d t\n",
        "qrels": b"q1 0 d%d %d\n",
        "counts": b"d%d %d 0 2\n",
        "collection": "d%d\tShe said: the king's Ärger, ΟΔΟΣ — l’homme (%d) 女 grandmothers\n".encode(),
    }
    plain = b"".join(lines[kind] % (i * 977, i) for i in range(12)) if kind in lines else b""
    terms = GroupTerms("", {"f": ("she", "grandmothers", "οδος"), "m": ("he", "the king's ärger", "女")})
    counters = [
        Compiled(Lexicon.from_terms(terms, name, case_sensitive=case))
        for name in ("strip", "space", "word")
        for case in (True, False)
    ]
    for counter in counters:
        counter.room = 2
    if kind == "numbers":
        compute_sums(draw, int(many))
        return
    if kind == "corpus":
        read_corpus()
        return
    if kind == "floods":
        look_up(watched, draw, int(many))
        return
    for _ in range(int(many)):
        block = corrupted(plain, draw)
        if kind == "collection":
            try:
                block.decode()
                some = read_tsv_lines(block, 1 << 20)
            except UnicodeDecodeError:
                continue
            if len(some.starts):
                for counter in counters:
                    counter.count(some.block, some.starts, some.ends)
            continue
        found = columns.fast(block, columns.Layout(kind, kinds[kind]), block.count(b"\n"))
        if found is not None:
            names = found["docno"]
            Docnos.collect(names).rows(names[::-1].astype(f"S{draw.choice([1, 8, 9, 40])}"))
            edges = np.array(sorted(draw.randrange(len(names) + 1) for _ in range(4)))
            watched.find_twice(names.view("u1"), names.dtype.itemsize, edges, np.zeros(1 << 12, "i4"))
        watched.survey(block)
        if kind == "run":
            tops = run_format._Tops(draw.randrange(1, 5), with_ties=draw.random() < 0.5)
            parsed = columns.fast(block, tops.layout, block.count(b"\n"))
            assert parsed is not None or tops.take(block, block.count(b"\n")) is None
            room, width = draw.randrange(20), draw.choice([1, 3, 8, 16])
            ids, outs = np.zeros((2, room * width), "u1"), (np.zeros(room, "i8"), np.zeros(room))
            slots = np.zeros(draw.randrange(40), "i4")
            watched.tops(block, spans.FIVES, tops.depth, width, ids[0], outs[0], ids[1], outs[1], slots)
        if kind == "counts":
            names = (block.split() or [b"d"])[:: draw.randrange(1, 4)]
            wanted = Docnos.collect(np.array([name[:1024] for name in names if name.strip(b"\0")] or [b"d"]))
            room = draw.choice([1, 5, 40])
            given = *wanted.list_buffers(), wanted.slots[0], wanted.filter, np.arange(2)
            found = np.empty(room, "i8"), np.empty(room, "i8"), np.empty(len(wanted), "u4")
            later = np.empty((watched.LATER, 3), "i8")
            watched.take_counts(block, *given, *found, np.empty((len(wanted), 2)), later)


if __name__ == "__main__":
    main(*sys.argv[1:])
