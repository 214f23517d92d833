"""A reader sees the most important remarks beside numbers, four at most; whoever asks for all, and every file, has all."""

import hashlib
import io
import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.signature import FIELDS
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.markup import latex, md
from fairtrec.report.note_selection import MOST, select_notes
from fairtrec.report.short_signature import shorten_signature
from fairtrec.report.terminal import render
from fairtrec.support.notes import NoteKind, NoteSeverity, write_notes
from fairtrec_made import EXAMPLE, ended, notes_of, texts, unwrapped

TABLE = ReportTable("", [Column("run", ["a"], words=True)], [Column("RR", ["1"])])
LABELS = ("--labels", EXAMPLE / "labels.tsv")
MANY = ("-m", "all_fair@5", *LABELS)
MORE = re.compile(r"(?:# )?and (\d+) more notes?: -v")


def evaluated(fairtrec_command, *more, asked=MANY):
    return fairtrec_command("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", *asked, *more)


def notes_in(lines):
    """The lines that are remarks: no sign, no groups, no signature."""
    said = [line.removeprefix("# ") for line in lines]
    return [line for line in said if not line.startswith(("groups: ", "fairtrec:", "↑", "|x|"))]


def behind(table):
    """What stands behind the last row of what is printed."""
    return unwrapped(table.rpartition("\n\n")[2]).splitlines()


@pytest.mark.parametrize("form", ["table", "trec", "tsv"])
def test_four_remarks_at_most_stand_beside_numbers_and_the_others_are_counted(fairtrec_command, form):
    few = "-m", "rND@5 AWRF@5 FAIR@5 DP@5 nDCG@5", *LABELS  # no sentence has more than three clauses
    done = evaluated(fairtrec_command, "-f", form, asked=few)
    *shown, last = notes_in(behind(done.out) if form == "table" else done.err.splitlines())
    assert len(shown) == MOST
    every = evaluated(fairtrec_command, "-f", form, "-v", asked=few)
    whole = notes_in(behind(every.out) if form == "table" else every.err.splitlines())
    assert whole[:MOST] == shown
    assert int(MORE.fullmatch(last)[1]) == len(whole) - MOST


@pytest.mark.parametrize("option", ["-v", "--verbose"])
def test_verbose_folds_nothing(fairtrec_command, option):
    for form in ("table", "trec"):
        done = evaluated(fairtrec_command, "-f", form, option)
        assert done.code == 0
        assert "more note" not in done.out + done.err


@pytest.mark.parametrize("form", ["json", "md", "latex", "html"])
def test_what_is_for_files_has_all_remarks(fairtrec_command, form):
    done = evaluated(fairtrec_command, "-f", form)
    assert "more note" not in done.out + done.err
    assert "ttention decreases" in done.out  # Attention in a caption


def test_a_file_has_all_notes_in_a_table(fairtrec_command, tmp_path):
    evaluated(fairtrec_command, "-f", "table", "-o", tmp_path / "report")
    text = (tmp_path / "report").read_text("utf-8")
    assert "attention decreases" in text
    assert "more note" not in text


def test_an_answer_in_python_has_all_remarks():
    result = fairtrec.evaluate("all_fair@5", EXAMPLE / "neural.run", qrels=EXAMPLE / "qrels.txt", labels=LABELS[1])
    assert "attention decreases" in str(result)
    assert "more note" not in str(result)


def test_what_makes_a_number_wrong_comes_first_and_what_explains_it_last():
    wrong = notes_of("defined for 3", "no documents", severity=NoteSeverity.MISLEADING)
    inputs = notes_of("a shared term")
    explained = notes_of("a sign", "no part", severity=NoteSeverity.BACKGROUND)
    assert select_notes([*explained, *inputs, *wrong], None) == texts([*wrong, *inputs, *explained])


@given(st.lists(st.sampled_from(NoteSeverity), max_size=9), st.none() | st.integers(0, 5))
def test_the_order_of_notes_is_by_severity_alone(severities, most):
    """Legends come before all and are not counted; no note is lost or shown twice."""
    notes = [note for at, each in enumerate(severities) for note in notes_of(f"note {at}", severity=each)]
    lines = select_notes(notes, most)
    several = [note for note in notes if note.severity > NoteSeverity.LEGEND]
    legends = len(notes) - len(several)
    left = 0 if most is None else max(len(several) - most, 0)
    assert len(lines) == legends + len(several) - left + bool(left)
    shown = sorted(notes, key=lambda note: note.severity)[: len(notes) - left]  # which keeps the order of equals
    assert lines[: len(shown)] == texts(shown)
    if left:
        assert int(MORE.fullmatch(lines[-1])[1]) == left


def test_one_remark_too_many_is_one_more_remark():
    notes = notes_of(*"abcde")
    assert select_notes(notes, MOST) == [*"abcd", "and 1 more note: -v"]
    assert select_notes(notes[:MOST], MOST) == list("abcd")


def test_signs_and_groups_are_no_remarks():
    signs = ["↑ higher is better", "|x|: the mean size"]
    legends = notes_of("groups: f 1, m 2", "[low, high]: t", severity=NoteSeverity.LEGEND)
    document = Document([TABLE], [*legends, *notes_of(*"abcde")], "fairtrec:1", signs=signs)
    lines = render(document, most=MOST).splitlines()
    assert lines[-9:] == [*signs, *texts(legends), *"abcd", "and 1 more note: -v", "fairtrec:1"][-9:]


def test_documents_have_signs_and_all_remarks():
    document = Document([TABLE], notes_of(*"abcdef"), "fairtrec:1", signs=["* the best"])
    assert re.findall("^- (.*)$", md(document), re.MULTILINE) == [r"\* the best", *"abcdef"]
    assert "{* the best. a. b. c. d. e. f. " in latex(document)


def test_what_played_no_part_is_one_of_the_four(fairtrec_command):
    more = ("--background", EXAMPLE / "background.run")
    done = evaluated(fairtrec_command, "-f", "table", *more)
    assert done.err.endswith("\n")
    assert done.err.startswith("# --background has no effect on ")
    shown = notes_in([*behind(done.out), *done.err.splitlines()])
    assert len([line for line in shown if not MORE.fullmatch(line)]) == MOST


class Watched(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def in_a_window(monkeypatch):
    """Run ``fairtrec`` in a window of 60 columns: what it prints, without colors, and what it says."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")

    def run(*arguments):
        out, err = Watched(), Watched()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["fairtrec", *map(str, arguments)])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            assert ended() == 0
        return re.sub("\x1b\\[[0-9;]*m", "", out.getvalue()), err.getvalue()

    return run


@pytest.mark.parametrize("form", ["table", "trec"])
def test_a_terminal_shows_the_short_signature_and_verbose_all(in_a_window, form):
    command = ("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", "-m", "AWRF@5", *LABELS, "-f", form)
    whole = fairtrec.evaluate("AWRF@5", EXAMPLE / "neural.run", qrels=EXAMPLE / "qrels.txt", labels=LABELS[1]).signature
    printed, said = in_a_window(*command)
    last = (printed if form == "table" else said).splitlines()[-1].removeprefix("# ")
    digest = hashlib.sha256(str(whole.content).encode()).hexdigest()[:8]
    assert last == f"fairtrec:{whole['fairtrec'].partition('+')[0]} | {digest}"
    printed, _ = in_a_window(*command, "--pool", "even")
    assert f" | pool:even | {digest}" not in printed  # it is another evaluation
    assert (" | pool:even | " in printed) is (form == "table")
    printed, said = in_a_window(*command, "-v")
    assert (printed if form == "table" else said).splitlines()[-1].removeprefix("# ") == str(whole)


@given(st.dictionaries(st.sampled_from([*FIELDS]), st.text("abc:/ @é|", min_size=1, max_size=30)), st.integers(0, 99))
def test_a_short_signature_has_at_most_60_letters_and_another_digest_for_another_choice(choices, number):
    signature = Signature({**choices, "fairtrec": f"0.1.0.dev{number}+gabcdef.d20260101"})
    short = shorten_signature(str(signature))
    assert len(short) <= 60 + len(f".dev{number}")
    assert short.startswith(f"fairtrec:0.1.0.dev{number} | ")
    other = Signature({**signature, "seed": "7"})
    assert shorten_signature(str(other))[-8:] != short[-8:]
    older = Signature({**signature, "fairtrec": "0.1.0"})
    assert shorten_signature(str(older))[-8:] == short[-8:]


def test_off_a_terminal_the_signature_is_whole(fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    command = ("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", "-m", "AWRF@5", *LABELS)
    signature = json.loads(fairtrec_command(*command, "-f", "json").out)["signature"]
    assert fairtrec_command(*command, "-f", "table").out.splitlines()[-1] == signature


SPARSE = {"d1": "f", "d2": "m", "d3": "n"} | {f"x{i}": "f" for i in range(300)}  # m and n may be slips
OVERLAP = {"f": ("x",), "m": ("x", "y")}
INPUTS = {
    "labels": {"labels": SPARSE},
    "words of two groups": {"terms": OVERLAP, "docs": {"d1": "x", "d2": "y", "d3": "z"}},
}


@pytest.mark.parametrize("inputs", [*INPUTS, "labels of queries"])
def test_what_inputs_have_is_said_only_where_a_number_is_of_them(inputs, tmp_path):
    of_queries = tmp_path / "labels.tsv"
    of_queries.write_text("q\td1\tf\nq\td2\tm\nr\td1\tf\n")
    inputs = INPUTS.get(inputs, {"labels": of_queries})
    run, qrels = {"q": {"d1": 2.0, "d2": 1.0}}, {"q": {"d1": 1}}
    silent = texts(fairtrec.evaluate("RR", run, qrels=qrels, **inputs).notes)
    assert silent == ()
    spoken = texts(fairtrec.evaluate("RR AWRF", run, qrels=qrels, **inputs).notes)
    assert any(
        words in note
        for note in spoken
        for words in ("less than 1 %", "some group has no label", "terms in several groups")
    )


def test_what_is_typed_as_it_is_by_default_played_no_part_either(fairtrec_command):
    done = fairtrec_command("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", "-m", "RR", "--prior", "even")
    assert "# --prior has no effect on RR\n" in done.err


AT_BEST = NoteKind(
    "at best in a test",
    "{measures} has {best} in {at} of {queries} queries",
    again="{measures} in {at}",
    tail="few decide",
)


def at_best(*several):
    return [AT_BEST.note(measure=name, best=best, at=at, queries=9) for name, best, at in several]


def test_a_clause_says_no_less_than_what_differs_from_the_clause_before():
    """TExFAIR has its maximum, not the value 0, although ARaB, which has that, was noted before it."""
    notes = at_best(("RR", "its maximum", 8), ("ARaB", "the value 0", 7), ("TExFAIR", "its maximum", 6))
    of_best = "RR has its maximum in 8 of 9 queries, TExFAIR in 6"
    assert select_notes(notes, 4) == [
        f"at best in a test: {of_best}, ARaB has the value 0 in 7 of 9 queries; few decide"
    ]


def test_more_than_three_clauses_are_counted_and_are_notes_of_their_own_in_all_notes():
    notes = at_best(("RR", "its maximum", 8), ("A", "the value 0", 7), ("P", "its maximum", 6), ("Q", "its maximum", 5))
    assert select_notes(notes, 4) == [
        "at best in a test: RR has its maximum in 8 of 9 queries, P in 6, Q in 5, and 1 more measure; few decide"
    ]
    assert select_notes(notes, None) == [
        f"at best in a test: {name} has {best} in {at} of 9 queries; few decide"
        for name, best, at in (
            ("RR", "its maximum", 8),
            ("A", "the value 0", 7),
            ("P", "its maximum", 6),
            ("Q", "its maximum", 5),
        )
    ]


@given(st.lists(st.tuples(st.sampled_from(["its maximum", "the value 0"]), st.integers(0, 3)), min_size=1, max_size=6))
def test_each_measure_is_behind_what_is_said_of_it(several):
    """Read from the left, the last predicate before the name of a measure is its own."""
    named = [(f"M{at}", best, many) for at, (best, many) in enumerate(several)]
    text = str(write_notes(at_best(*named)))
    for name, best, _ in named:
        before = text[: text.index(f"{name}")] + text[text.index(f"{name}") :].partition(" of ")[0].partition(", ")[0]
        said = max(("its maximum", "the value 0"), key=before.rfind)
        assert said == best, text
