"""A reader sees the most important remarks beside numbers, four at most; whoever asks for all, and every file, has all."""

import io
import json
import re
import sys

import pytest

import fairtrec
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.folding import MOST, folded
from fairtrec.report.markup import latex, md
from fairtrec.report.terminal import render
from fairtrec_made import EXAMPLE, ended

TABLE = ReportTable("", [Column("run", ["a"], words=True)], [Column("RR", ["1"])])
LABELS = ("--labels", EXAMPLE / "labels.tsv")
MANY = ("-m", "all_fair@5", *LABELS)
MORE = re.compile(r"(?:# )?and (\d+) more remarks?: -v")


def evaluated(fairtrec_command, *more):
    return fairtrec_command("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", *MANY, *more)


def remarks_of(lines):
    """The lines that are remarks: no sign, no groups, no signature."""
    said = [line.removeprefix("# ") for line in lines]
    return [line for line in said if not line.startswith(("groups: ", "fairtrec:", "↑", "|x|"))]


def behind(table):
    """What stands behind the last row of what is printed."""
    return table.rpartition("\n\n")[2].splitlines()


@pytest.mark.parametrize("form", ["table", "trec", "tsv"])
def test_four_remarks_at_most_stand_beside_numbers_and_the_others_are_counted(fairtrec_command, form):
    done = evaluated(fairtrec_command, "-f", form)
    *shown, last = remarks_of(behind(done.out) if form == "table" else done.err.splitlines())
    assert len(shown) == MOST
    every = evaluated(fairtrec_command, "-f", form, "-v")
    whole = remarks_of(behind(every.out) if form == "table" else every.err.splitlines())
    assert whole[:MOST] == shown
    assert int(MORE.fullmatch(last)[1]) == len(whole) - MOST


@pytest.mark.parametrize("option", ["-v", "--verbose"])
def test_verbose_folds_nothing(fairtrec_command, option):
    for form in ("table", "trec"):
        done = evaluated(fairtrec_command, "-f", form, option)
        assert done.code == 0
        assert "more remark" not in done.out + done.err


@pytest.mark.parametrize("form", ["json", "md", "latex", "html"])
def test_what_is_for_files_has_all_remarks(fairtrec_command, form):
    done = evaluated(fairtrec_command, "-f", form)
    assert "more remark" not in done.out + done.err
    assert "ttention fades" in done.out  # Attention in a caption


def test_a_file_has_all_remarks_of_a_table(fairtrec_command, tmp_path):
    evaluated(fairtrec_command, "-f", "table", "-o", tmp_path / "report")
    text = (tmp_path / "report").read_text("utf-8")
    assert "attention fades" in text
    assert "more remark" not in text


def test_an_answer_in_python_has_all_remarks():
    result = fairtrec.evaluate("all_fair@5", EXAMPLE / "neural.run", EXAMPLE / "qrels.txt", labels=LABELS[1])
    assert "attention fades" in str(result)
    assert "more remark" not in str(result)


def test_what_makes_a_number_wrong_comes_first_and_what_explains_it_last():
    wrong = [
        "means over 3 of the 5 queries of all runs: a (-c counts the rest as empty rankings)",
        "2 of 9 documents in the measured ranks have no text or counts; --missing neutral",
        "uses the judgements, so it is a bound and no system",
        "Skew@5: infinite for 2 of 12 queries, so that the mean is infinite, too",
        "RR: 12 of 12 rankings have the maximum, so no query tells runs apart",
        "RR: defined for 3 of 12 queries",
        "groups are known for 44 of the 60 ranks looked at",
    ]
    cautions = ["in 2 of 4 comparisons only 6 differences are not 0: too few to trust the interval and p"]
    explained = [
        "ARaB@5: above 0 leans to m, below 0 to f",
        "--background plays no part in RR",
        "groups are known for 60 of the 60 ranks looked at",
    ]
    assert folded([*explained, *cautions, *wrong], None) == [*wrong, *cautions, *explained]


def test_one_remark_too_many_is_one_more_remark():
    assert folded(list("abcde"), MOST) == [*"abcd", "and 1 more remark: -v"]
    assert folded(list("abcd"), MOST) == list("abcd")


def test_signs_and_groups_are_no_remarks():
    signs = ["↑ higher is better", "|x|: the mean size"]
    document = Document([TABLE], ["groups: f 1, m 2", "[low, high]: t", *"abcde"], "fairtrec:1", signs=signs)
    lines = render(document, most=MOST).splitlines()
    assert (
        lines[-9:]
        == [*signs, "groups: f 1, m 2", "[low, high]: t", *"abcd", "and 1 more remark: -v", "fairtrec:1"][-9:]
    )


def test_documents_have_signs_and_all_remarks():
    document = Document([TABLE], list("abcdef"), "fairtrec:1", signs=["* the best"])
    assert re.findall("^- (.*)$", md(document), re.MULTILINE) == [r"\* the best", *"abcdef"]
    assert "{* the best. a. b. c. d. e. f. " in latex(document)


def test_what_played_no_part_is_one_of_the_four(fairtrec_command):
    more = ("--background", EXAMPLE / "background.run")
    done = evaluated(fairtrec_command, "-f", "table", *more)
    assert done.err.endswith("\n")
    assert done.err.startswith("# --background plays no part in ")
    shown = remarks_of([*behind(done.out), *done.err.splitlines()])
    assert len([line for line in shown if not MORE.fullmatch(line)]) == MOST


class Watched(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def in_a_window(monkeypatch):
    """Run ``fairtrec`` in a window of 60 columns: what it prints, without colours, and what it says."""
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
def test_a_terminal_shows_one_line_of_the_signature_and_verbose_all(in_a_window, form):
    command = ("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", "-m", "AWRF@5", *LABELS, "-f", form)
    whole = fairtrec.evaluate("AWRF@5", EXAMPLE / "neural.run", EXAMPLE / "qrels.txt", labels=LABELS[1]).signature
    printed, said = in_a_window(*command)
    last = (printed if form == "table" else said).splitlines()[-1]
    assert len(last) <= 60
    assert last.endswith(" | …")
    parts = last.removeprefix("# ").removesuffix(" | …").split(" | ")
    assert parts == str(whole).split(" | ")[: len(parts)]  # each of them whole
    assert len(last) + len(str(whole).split(" | ")[len(parts)]) + 3 > 60  # and as many as there is room for
    printed, said = in_a_window(*command, "-v")
    assert (printed if form == "table" else said).splitlines()[-1].removeprefix("# ") == str(whole)


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


@pytest.mark.parametrize("given", [*INPUTS, "labels of queries"])
def test_what_inputs_have_is_said_only_where_a_number_is_of_them(given, tmp_path):
    of_queries = tmp_path / "labels.tsv"
    of_queries.write_text("q\td1\tf\nq\td2\tm\nr\td1\tf\n")
    inputs = INPUTS.get(given, {"labels": of_queries})
    run, qrels = {"q": {"d1": 2.0, "d2": 1.0}}, {"q": {"d1": 1}}
    silent = fairtrec.evaluate("RR", run, qrels, **inputs).notes
    assert silent == ()
    spoken = fairtrec.evaluate("RR AWRF", run, qrels, **inputs).notes
    assert any(
        words in note
        for note in spoken
        for words in ("less than 1 %", "name not all groups", "terms of more than one group")
    )


def test_what_is_typed_as_it_is_by_default_played_no_part_either(fairtrec_command):
    done = fairtrec_command("eval", EXAMPLE / "qrels.txt", EXAMPLE / "neural.run", "-m", "RR", "--prior", "even")
    assert "# --prior plays no part in RR\n" in done.err
