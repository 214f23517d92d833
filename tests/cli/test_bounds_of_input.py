"""A small file that stands for very much is refused before memory or time are taken for it, with the way out."""

import gzip

import numpy as np
import pytest

from fairtrec.data import Docnos, Labels, Qrels, Run, docnos, find_judged_lines, groups, look_up, product, take
from fairtrec.formats import tsv
from fairtrec.support.errors import InputError
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.limits import ends_within

pytestmark = pytest.mark.fuzz

LARGE = 3 << 20  # bytes of a line
GROUPS = "eval qrels a.run -m all_fair --labels many"


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n")
    (tmp_path / "b.run").write_text("q1 Q0 d2 1 2.5 tag\nq1 Q0 d1 2 1.5 tag\n")
    (tmp_path / "docs").write_text("d1\tshe\nd2\the\n")
    (tmp_path / "labels").write_text("d1\tf\nd2\tm\n")
    return tmp_path


def lines(path, *cells):
    path.write_text("".join("\t".join(each) + "\n" for each in zip(*cells, strict=True)))


def told(fairtrec_command, command):
    return fairtrec_command(*command.split())


def one_line(ended, says):
    assert ended.code == 3, ended.err
    assert [says in line for line in ended.complaints] == [True], ended.err


LONG = {
    "a run of one docno": (b"q1 Q0 " + b"x" * LARGE + b" 1 2.5 t\n", "eval qrels large -m nDCG@2"),
    "a run of cells": (b"q1 Q0" + b" x" * LARGE + b"\n", "eval qrels large -m nDCG@2"),
    "a run of JSON": (b'{"qid": "q1", "x": "' + b"x" * LARGE + b'"}\n', "eval qrels large -m nDCG@2"),
    "qrels": (b"q1 0" + b" x" * LARGE + b"\n", "eval large a.run -m nDCG@2"),
    "queries": (b"q1" + b" x" * LARGE + b"\n", "eval qrels a.run -m nDCG@2 --queries large"),
    "a list": (b"x" * LARGE + b"\n", "eval qrels @large -m nDCG@2"),
    **gather_trials("LONG_LINES"),
}


@pytest.mark.parametrize(("text", "command"), LONG.values(), ids=LONG)
def test_a_line_of_ids_has_at_most_a_mebibyte(workplace, fairtrec_command, text, command):
    (workplace / "large").write_bytes(gzip.compress(text))
    one_line(fairtrec_command(*command.split()), "large:1: a line of more than 1 MiB; break it up")


def test_a_line_that_is_too_long_is_named_by_its_number(workplace, fairtrec_command):
    run = (workplace / "a.run").read_bytes()
    (workplace / "large").write_bytes(run + b"q1 Q0 d3 3 1 " + b"x" * (1 << 20) + b"\n" + run)
    one_line(fairtrec_command("eval", "qrels", "large", "-m", "nDCG@2"), "large:3: a line of more than 1 MiB")
    assert "large:3: E105 a line of more than 1 MiB" in fairtrec_command("validate", "large").out


@pytest.mark.parametrize("over", [0, 1])
def test_eval_and_validate_agree_how_long_a_line_may_be(workplace, fairtrec_command, over):
    line = b"q1 Q0 d2 2 1.5 tag"
    (workplace / "large").write_bytes(line + b" " * ((1 << 20) + over - len(line)) + b"\nq1 Q0 d1 1 2.5 tag\n")
    codes = [fairtrec_command(*command.split()).code for command in ("eval qrels large -m nDCG@2", "validate large")]
    assert codes == [3 * over] * 2


def test_a_text_may_be_longer(workplace, fairtrec_command):
    (workplace / "docs").write_text("d1\tshe " + "x" * LARGE + "\nd2\the\n")
    (workplace / "terms").write_text("she,f\nhe,m\n")
    assert told(fairtrec_command, "eval qrels a.run --terms terms --docs docs -m TExFAIR@2").code == 0


def test_labels_may_stand_beside_a_longer_text(workplace, fairtrec_command):
    line = '{"docno": "d1", "sex": "f", "text": "' + "x" * LARGE + '"}\n{"docno": "d2", "sex": "m"}\n'
    (workplace / "l.jsonl").write_text(line)
    assert told(fairtrec_command, "eval qrels a.run --labels l.jsonl:sex -m AWRF@2").code == 0


MANY = [f"n{i}" for i in range(5000)]
FILES = {
    "terms": ("eval qrels a.run --terms many --docs docs", (MANY, MANY), "many:4097: more than 4,096 groups; "),
    "slices": ("compare qrels a.run b.run -m nDCG --slice many", (MANY, MANY), "many:1001: more than 1,000 slices; "),
    "counts": (
        "eval none a.run -m TExFAIR@2 --counts many",
        (["docno", "d1"], ["tokens", "1"], *([name, "0"] for name in MANY)),
        "many: 5,000 groups, and 4,096 is the most; ",
    ),
    "measures for each group": (
        GROUPS,
        (MANY, MANY),
        "is a measure for each of 5,000 groups, more than 4,096",
    ),
    **gather_trials("MANY_NAMES"),
}


@pytest.mark.long
@pytest.mark.parametrize(("command", "columns", "says"), FILES.values(), ids=FILES)
def test_more_than_there_can_be_is_refused(workplace, fairtrec_command, command, columns, says):
    lines(workplace / "many", *columns)
    with ends_within(30):
        one_line(fairtrec_command(*command.split()), says)


@pytest.mark.long
def test_all_measures_of_many_groups_end(workplace, fairtrec_command):
    names = MANY[:1300]
    ranks = [str(1300 - i) for i in range(1300)]
    lines(workplace / "many", ["d1", "d2", *names], ["n1", "n2", *names])
    lines(workplace / "a.run", ["q1"] * 1300, ["Q0"] * 1300, names, ranks, ranks, ["t"] * 1300)
    with ends_within(60):  # where each of the 3,900 measures looked through all labels, some minutes
        assert fairtrec_command(*GROUPS.split(), "-o", "out").code == 0


def test_counts_of_more_groups_than_the_compiled_loop_takes_are_read(workplace, fairtrec_command):
    lines(workplace / "many", ["docno", "d1", "d2"], ["tokens", "2", "2"], *([name, "0", "1"] for name in MANY[:1100]))
    assert told(fairtrec_command, "eval none a.run -m TExFAIR@2 --counts many").code == 0


def test_targets_of_many_queries_are_refused(workplace, fairtrec_command, monkeypatch):
    monkeypatch.setattr(tsv, "MOST_SHARES", 8)
    lines(workplace / "target", MANY[:9], ["f"] * 9, ["1"] * 9)
    ended = told(fairtrec_command, "eval qrels a.run -m AWRF@2 --labels labels --target target")
    one_line(
        ended, "target:6: targets of 5 queries over 2 groups do not fit into memory; use one target for all queries"
    )


RUN = Run("r", "t", ("q1", "q2"), np.array([0, 3, 4]), np.array([b"a", b"b", b"c", b"d"]), np.zeros(4))
LABELS = Labels("l", ("f", "m"), Docnos.collect(np.array([b"a", b"b"])), np.eye(2))
QRELS = Qrels(RUN.qids, RUN.starts, RUN.docnos, np.ones(4, np.int64), np.array([b"0"] * 4))
WIDE = {
    "3 documents of 2 queries": lambda: RUN.top(RUN.qids, None),
    "3 documents of 2 queries, judged": lambda: find_judged_lines(QRELS, RUN.qids),
    "2 groups of 3 documents of 1 queries": lambda: look_up(LABELS, ["q1"], RUN.docnos, np.array([[0, 1, 2]])),
    "2 groups of 3 documents of 1 queries, counted": lambda: take(np.zeros((2, 2)), np.zeros((1, 3), np.int64)),
    "4 groups of 2 documents": lambda: product(LABELS, LABELS),
}


@pytest.mark.parametrize("what", WIDE)
def test_an_array_of_more_numbers_than_fit_is_refused(monkeypatch, what):
    WIDE[what]()
    monkeypatch.setattr(docnos, "MOST_CELLS", 5)
    with pytest.raises(InputError, match=f"{what.partition(',')[0]} do not fit into memory; choose fewer groups"):
        WIDE[what]()


def test_labels_are_looked_through_in_pieces(monkeypatch):
    monkeypatch.setattr(groups, "PIECE", 2)
    rows = Docnos.collect(np.array([b"a", b"b", b"c"]))
    hard, soft = np.array([[1, 0], [np.nan, np.nan], [0, 1]]), np.array([[1, 0], [0, 1], [0.5, 0.5]])
    assert [Labels("l", ("f", "m"), rows, weights).is_hard for weights in (hard, soft)] == [True, False]
    assert not Labels("l", ("f", "m"), rows, hard, others=np.array([0.5, 0.5])).is_hard
