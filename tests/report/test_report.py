"""Reports: the best value, names, digits, and what each format promises."""

import csv
import io
import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.report import cells, output
from fairtrec.report.result_notes import list_notes
from fairtrec.report.run_names import shorten_runs
from fairtrec.report.writers import RESULTS, refuse_view
from fairtrec.support.errors import UsageError
from fairtrec.support.notes import NoteKind
from fairtrec_made import notes_of, texts
from fairtrec_made.measures import Count, Higher, Lower, Nearer, Neither

NAN = float("nan")
INF = float("inf")
FORMS = ["trec", "table", "tsv", "csv", "json", "jsonl", "md", "latex", "html", "parquet"]


def written(result, form, **view):
    return RESULTS(form, result, **view)


def result_of(measures, *runs, names=None, tags=None, qids=None, notes=()):
    """Each run is its values [measure][query]."""
    scores = []
    for number, values in enumerate(runs):
        name = names[number] if names else f"runs/{'abcdef'[number]}.run"
        tag = tags[number] if tags else f"tag{number}"
        asked = qids or [f"q{i}" for i in range(len(values[0]))]
        scores.append(Scores(name, tag, tuple(measures), tuple(asked), np.array(values, dtype=float)))
    return Result(tuple(scores), Signature.read("fairtrec:1 | order:score"), tuple(notes_of(*notes)), {})


def best_of(measure, *means, places=4):
    return cells.compare_means(result_of([measure], *([[mean]] for mean in means)), places).best[:, 0].tolist()


@pytest.mark.parametrize(
    ("measure", "means", "marks"),
    [
        (Higher(), [0.1, 0.3, 0.2], [False, True, False]),
        (Lower(), [0.1, 0.3, 0.2], [True, False, False]),
        (Nearer(), [-0.1, 0.3, 0.2], [True, False, False]),
        (Nearer(), [-0.2, 0.3, 0.2], [True, False, True]),
        (Neither(), [0.1, 0.3, 0.2], [False, False, False]),
        (Higher(), [0.1, NAN, 0.2], [False, False, True]),
        (Lower(), [0.1, NAN, 0.2], [True, False, False]),
        (Nearer(), [NAN, NAN, 0.2], [False, False, False]),  # nothing to compare it with
        (Higher(), [NAN, NAN], [False, False]),
        (Higher(), [-INF, 0.2], [False, True]),
        (Lower(), [-INF, 0.2], [False, False]),  # nothing infinite is called best
        (Nearer(), [-INF, 0.2], [False, True]),
        (Higher(), [0.5], [False]),
    ],
)
def test_best_goes_by_the_direction_of_the_measure(measure, means, marks):
    assert best_of(measure, *means) == marks


def test_best_marks_ties_of_the_digits_that_are_printed():
    assert best_of(Higher(), 0.12341, 0.12344, places=4) == [True, True]
    assert best_of(Higher(), 0.12341, 0.12344, places=5) == [False, True]
    assert f"{0.00015:.4f} {0.00025:.4f}" == "0.0001 0.0003"  # the digits of a decimal, as printed, not np.round's
    assert best_of(Higher(), 0.00025, 0.00035, places=4) == [True, True]
    assert f"{0.00035:.4f}" == "0.0003"


def test_names_are_as_short_as_tells_them_apart():
    def names(*paths):
        return shorten_runs(result_of([Higher()], *[[[0.0]]] * len(paths), names=paths))

    assert names("a/x.run", "b/y.run.gz", "z.run.zst", "w.bz2") == ["x", "y", "z", "w"]
    assert names("a/x.run", "b/x.run") == ["a/x.run", "b/x.run"]
    assert names("x.run", "x.run.gz") == ["x.run", "x.run.gz"]
    assert names("-", "run.txt", "v1.2") == ["-", "run.txt", "v1.2"]


def test_a_count_has_no_digits_behind_the_point():
    def of(measure, value, places):
        return result_of([measure], [[value]]).scores[0].spell(0, places)

    assert of(Higher(), 0.12345678, 2) == ["0.12"]
    assert of(Higher(), 3.0, 4) == ["3.0000"]
    counts = [(3.0, 4), (2.5, 4), (NAN, 4), (NAN, 0), (-INF, 4), (1e9, 0)]
    assert [of(Count(), *each)[0] for each in counts] == ["3", "2.5000", "nan", "nan", "-inf", "1000000000"]


# ---------------------------------------------------------------------------------------------------- trec


def test_trec_lines_are_those_of_trec_eval():
    result = result_of(
        [Higher(), Nearer(), Count()],
        [[0.123456, 0.5], [-12.5, NAN], [7, 5]],
        [[1, 1], [0, 0], [3, 3]],
        qids=["1", "2"],
    )
    first, *lines = written(result, "trec", per_query=True).splitlines()
    assert first == "run                   \tall\truns/a.run"  # of several runs: tags need not tell them apart
    block = [
        *(("Higher@10", "1", 0.123456), ("Nearer@10", "1", -12.5), ("Count", "1", 7)),
        *(("Higher@10", "2", 0.5), ("Nearer@10", "2", NAN), ("Count", "2", 5)),
        *(("runid", "all", "tag0"), ("num_q", "all", 2)),
        *(("Higher@10", "all", 0.311728), ("Nearer@10", "all", -12.5), ("Nearer@10.defined", "all", 1)),
        ("Count", "all", 12),
    ]
    as_in_c = [
        f"{name:<22}\t{qid}\t{f'{value:6.4f}' if isinstance(value, float) else value}" for name, qid, value in block
    ]
    assert lines[: len(block)] == as_in_c
    assert lines[len(block) + 1 : len(block) + 3] == [
        "Higher@10             \t1\t1.0000",
        "Nearer@10             \t1\t0.0000",
    ]
    assert written(result, "trec", summary=False) == ""
    queries = written(result, "trec", per_query=True, summary=False)
    assert re.findall(r"^.*\tall\t.*$", queries, re.MULTILINE) == [f"{'run':<22}\tall\truns/{x}.run" for x in "ab"]


def test_a_long_name_keeps_its_tab():
    long = "AMeasureWhoseNameIsLongerThanAllColumns"
    kind = type(long, (Higher,), {"__doc__": "Long."})
    assert written(result_of([kind()], [[0.5]]), "trec").splitlines()[-1] == f"{long}@10\tall\t0.5000"


@pytest.mark.parametrize(("places", "printed"), [(0, "     1"), (1, "   0.7"), (4, "0.6667"), (6, "0.666667")])
def test_places(places, printed):
    result = result_of([Higher()], [[2 / 3]])
    assert written(result, "trec", places=places).splitlines()[-1] == f"{'Higher@10':<22}\tall\t{printed}"
    for form in ["table", "tsv", "csv", "md", "latex"]:
        assert re.search(rf"(?<![\d.]){re.escape(printed.strip())}(?![\d.])", written(result, form, places=places))


# ---------------------------------------------------------------------------------------------------- json


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_jsonl_has_one_object_for_each_value():
    result = result_of([Higher(), Nearer()], [[1 / 3, NAN], [-1.0, INF]], qids=["q1", "ü"])
    values = [strict(line) for line in written(result, "jsonl", per_query=True).splitlines()]
    common = {"run": "runs/a.run", "tag": "tag0"}
    assert values == [
        {**common, "measure": "Higher@10", "qid": "q1", "value": 1 / 3},
        {**common, "measure": "Higher@10", "qid": "ü", "value": None},
        {**common, "measure": "Higher@10", "qid": "all", "value": 1 / 3, "defined": 1},
        {**common, "measure": "Nearer@10", "qid": "q1", "value": -1.0},
        {**common, "measure": "Nearer@10", "qid": "ü", "value": "Infinity"},
        {**common, "measure": "Nearer@10", "qid": "all", "value": "Infinity", "defined": 2},
    ]
    assert list(values[2]) == ["run", "tag", "measure", "qid", "value", "defined"]


def test_json_holds_everything():
    result = result_of([Higher(), Count()], [[1 / 3, NAN], [2, 3]], [[NAN, NAN], [0, 0]], notes=["take care"])
    document = strict(written(result, "json", per_query=True))
    assert document["signature"] == str(result.signature)
    care, undefined = document["notes"]
    assert care == {"kind": "any", "severity": "input", "measure": None, "runs": [], "numbers": {}, "text": "take care"}
    assert (undefined["kind"], undefined["measure"]) == ("undefined", "Higher@10")
    assert undefined["runs"] == ["runs/a.run", "runs/b.run"]
    assert undefined["numbers"] == {"undefined": [1, 2], "queries": 2}
    assert document["measures"]["Higher@10"] == {"better": "higher", "aggregate": "mean"}
    assert document["measures"]["Count"]["aggregate"] == "sum"
    assert document["runs"][0]["means"] == {
        "Higher@10": {"value": 1 / 3, "defined": 1},
        "Count": {"value": 5, "defined": 2},
    }
    assert document["runs"][0]["per_query"]["q1"] == {"Higher@10": None, "Count": 3}
    assert document["runs"][1]["means"]["Higher@10"] == {"value": None, "defined": 0}
    assert "per_query" not in strict(written(result, "json"))["runs"][0]
    assert "means" not in strict(written(result, "json", per_query=True, summary=False))["runs"][0]


# ----------------------------------------------------------------------------------- tables for documents


def test_csv_and_tsv_are_read_back():
    result = result_of([Higher()], [[0.5, NAN]], names=['a,"b.run'], tags=["x\ty"], qids=["1", "2"])
    for form, delimiter in [("csv", ","), ("tsv", "\t")]:
        text = written(result, form, per_query=True)
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        assert rows[0] == ["run", "tag", "qid", "queries", "Higher@10", "Higher@10.defined"]
        assert rows[1:] == [
            ['a,"b.run', "x\ty", qid, many, value, defined]
            for qid, many, value, defined in [
                ("1", "1", "0.5000", ""),
                ("2", "1", "nan", ""),
                ("all", "2", "0.5000", "1"),
            ]
        ]


def test_markdown_is_escaped_and_marked():
    result = result_of(
        [Higher(), Lower()], [[0.5], [0.5]], [[0.6], [0.6]], names=["a|b_c.run", "<i>.run"], qids=["q|*1"]
    )
    text = written(result, "md", per_query=True)
    rows = [re.split(r"(?<!\\)\|", line) for line in text.splitlines() if line.startswith("|")]
    assert {len(row) for row in rows} == {7}
    assert r"| a\|b\_c | q\|\*1 |  | 0.5000 | 0.5000 |" in text
    assert r"| \<i> | all | 1 | **0.6000** | 0.6000 |" in text
    assert r"| a\|b\_c | all | 1 | 0.5000 | **0.5000** |" in text
    assert "| Higher@10 ↑ | Lower@10 ↓ |" in text
    assert text.endswith("\n`fairtrec:1 | order:score`\n")


def test_latex_is_escaped_and_marked():
    result = result_of(
        [Higher(), Nearer()], [[-0.5], [-0.1]], [[-0.6], [INF]], names=["a_b%c&.run", "d#{~^\\$.run"], notes=["careful"]
    )
    text = written(result, "latex")
    assert r"a\_b\%c\& & 1 & \textbf{$-$0.5000} & \textbf{$-$0.1000} \\" in text
    assert r"d\#\{\textasciitilde{}\textasciicircum{}\textbackslash{}\$ & 1 & $-$0.6000 & inf \\" in text
    assert r"run & queries & Higher@10 $\uparrow$ & Nearer@10 $\rightarrow 0$ \\" in text
    assert text.startswith("\\begin{table}\n\\centering\n\\caption{")
    assert r"careful. \texttt{\footnotesize fairtrec:1 | order:score}}" in text.splitlines()[2]
    assert text.splitlines()[3] == r"\begin{tabular}{lrrr}"
    assert text.endswith("\\end{tabular}\n\\end{table}\n")
    assert written(result, "latex", per_query=True).splitlines()[3] == r"\begin{tabular}{llrrr}"


def test_options_are_no_dashes_in_latex():
    """Two hyphens are an en dash in LaTeX, so that a reader would copy another sign."""
    result = result_of([Higher()], [[0.5, 0.4]], [[0.5, 0.6]], notes=["some have no text; --missing neutral"])
    assert "-{}-missing neutral" in written(result, "latex")
    assert "--missing" not in written(result, "latex")


def test_bars_and_minus_signs_beside_a_number_are_mathematics_in_latex():
    """LaTeX prints a bar as a dash in its usual encoding, and a larger-than as a question mark upside down."""
    result = result_of([Nearer()], [[-0.5, 0.4]], [[0.1, 0.2]], names=["a>b", "c"])
    assert r"a$>$b & 2 & $-$0.0500 $|$0.4500$|$ \\" in written(result, "latex")


def test_what_a_report_does_not_say_is_said_beside_it():
    result = result_of([Higher()], [[0.5, NAN]], [[0.5, 0.6]], notes=["careful"])
    said = ["careful", "undefined: Higher@10 in 1 of 2 queries, first in q1 (a); the mean leaves out such queries"]
    assert texts(list_notes(result)) == said
    apart = result_of([Higher()], [[0.5, NAN]], [[NAN, 0.6]])
    assert texts(list_notes(apart)) == ["undefined: Higher@10 in 1 of 2 queries; the mean leaves out such queries"]
    carried = {form: writer.carries for form, writer in RESULTS.forms.items()}
    assert {form for form in carried if carried[form] == "all"} == {"table", "md", "latex", "json", "html"}
    assert set(carried.values()) == {"all", "nothing"}
    for form in ["table", "md", "latex", "html"]:
        assert all(line[1:] in written(result, form) for line in [*said, "fairtrec:1 | order:score"])


# --------------------------------------------------------------------------------------------------- table


def test_what_is_said_of_many_runs_with_other_numbers_is_one_line():
    runs = result_of([Higher()], *[[[0.5, 0.5]]] * 5)
    odd, spoken = NoteKind("odd", "{odd} of {rankings} rankings are odd"), NoteKind("spoken", "a 7 and {text}")
    counted = [odd.note(measure=Higher(), odd=number, rankings=2) for number in range(5)]
    spoken = [spoken.note(measure=Lower(), text="{}")] * 5
    scores = [replace(each, notes=(one, other)) for each, one, other in zip(runs.scores, counted, spoken, strict=True)]
    said = texts(list_notes(replace(runs, scores=tuple(scores))))
    assert said == ["Higher@10: 0-4 of 2 rankings are odd", "Lower@10: a 7 and {}"]
    said = texts(list_notes(replace(runs, scores=tuple(scores[:2]))))
    assert said[0] == "Higher@10 of a, b: 0 and 1 of 2 rankings are odd"


def table(result, monkeypatch=None, window=None, **options):
    if window:
        monkeypatch.setenv("COLUMNS", str(window))
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
    return written(result, "table", terminal=window is not None, **options)


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_table_marks_the_best_and_says_what_its_signs_mean():
    result = result_of([Higher(), Lower(), Neither()], [[0.5], [0.5], [0]], [[0.6], [0.6], [0]])
    text = table(result)
    assert [line.split() for line in text.splitlines()[1:6] if "─" not in line] == [
        ["run", "queries", "Higher@10", "↑", "Lower@10", "↓", "Neither@10"],
        ["a", "1", "0.5000", "0.5000*", "0.0000"],
        ["b", "1", "0.6000*", "0.6000", "0.0000"],
        [],
    ]
    assert text.endswith("\n↑ higher is better, ↓ lower is better; * the best\nfairtrec:1 | order:score\n")
    assert "\x1b" not in text
    points = {line.index(".", 20) for line in text.splitlines()[3:5]}
    assert len(points) == 1  # the digits stand below each other, star or not
    assert "*" not in table(result_of([Higher()], [[0.5]]))


def test_a_star_is_explained_only_if_the_table_has_one():
    complete, lacking = [[0.5, 0.7]], [[0.6, np.nan]]
    assert "the best" not in table(result_of([Higher()], complete, lacking))  # one of two means can be compared
    text = table(result_of([Higher()], complete, lacking, [[0.4, 0.6]]))
    assert ("0.6000*" in text, "* the best" in text) == (True, True)
    assert "the best" not in table(result_of([Higher()], complete, [[0.4, 0.6]]), per_query=True, summary=False)


def test_table_on_a_terminal_is_colored(monkeypatch):
    result = result_of([Higher()], [[0.5]], [[0.6]])
    text = table(result, monkeypatch, 80)
    assert re.search(r"\x1b\[1;32m\s*0\.6000\*\x1b\[0m", text)
    assert not re.search(r"\x1b\[1;32m\s*0\.5000", text)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "32m" not in written(result, "table", terminal=True)


@pytest.mark.parametrize("window", [20, 40, 80, 200])
def test_table_in_a_narrow_window_loses_no_digit(monkeypatch, window):
    measures = [Higher(cutoff) for cutoff in range(1, 9)]
    rows = np.arange(16).reshape(8, 2) / 100 + 0.1
    result = result_of(measures, rows, rows + 0.5, names=["a-rather-long-name.run", "b.run"])
    for per_query in [False, True]:
        text = plain(table(result, monkeypatch, window, per_query=per_query))
        assert "…" not in text
        for measure, row in zip(measures, rows, strict=True):
            assert f"{measure} ↑" in text
            assert f" {row.mean():.4f}" in text
        numbers = [line for line in text.splitlines() if re.search(r"\d\.\d{4}", line)]
        assert all(len(line) <= max(window, 60) for line in numbers)
    assert ("Higher@1 ↑   Higher@2 ↑" in plain(table(result, monkeypatch, window))) is (window >= 80)


def test_table_takes_names_as_they_are():
    text = table(result_of([Higher()], [[0.5]], names=["[bold]x.run"], qids=["[red]1"]), per_query=True)
    assert text.startswith("[bold]x\n")
    assert "[red]1" in text


# ------------------------------------------------------------------------------------------ the leader board


BOARD = [
    [[0.5], [0.3], [0.1], [7]],
    [[0.9], [-0.1], [0.2], [5]],
    [[0.9], [0.2], [0.2], [6]],
    [[NAN], [0.2], [0.3], [6]],
]


def board():
    return result_of([Higher(), Nearer(), Lower(), Count()], *BOARD)


def test_a_sorted_table_has_ranks_and_marks_and_says_what_they_mean():
    rows = [line.split() for line in table(board(), sort=Higher()).splitlines() if "─" not in line]
    assert rows[0][:6] == ["verdict:", "0", "to", "1", "queries:", "too"]  # of d, and of the others
    assert rows[2:7] == [
        ["rank", "run", "queries", "Higher@10", "↑", "Nearer@10", "→0", "Lower@10", "↓", "Count"],
        ["1", "b", "1", "0.9000*", "-0.1000*", "0.2000", "5"],
        ["1", "c", "×", "1", "0.9000*", "0.2000", "0.2000", "6"],  # as useful and as low as b, and farther from 0
        ["3", "a", "1", "0.5000°", "0.3000°", "0.1000*", "7"],
        [
            "-",
            "d",
            "1",
            "nan",
            "0.2000",
            "0.3000°",
            "6",
        ],  # without a value it cannot be compared, so it is not dominated
    ]
    below = table(board(), sort=Higher()).splitlines()[-5:]
    assert below == [
        (
            "rank: by Higher@10, highest first; ranks are not tested, see fairtrec compare; "
            "↑ higher is better, ↓ lower is better, →0 nearer 0 is better; "
            "* the best, ° the worst"
        ),
        "× dominated: another run is as good or better in every measure with an arrow, and better in one",
        "no rank: d, because Higher@10 is undefined in all queries",
        "undefined: Higher@10 in 1 of 1 queries (d); the mean leaves out such queries",
        "fairtrec:1 | order:score",
    ]


@pytest.mark.parametrize(
    ("measure", "order", "ranks", "how"),
    [
        (Higher(), "bcad", "113-", "highest first"),
        (Nearer(), "bcda", "1224", "nearest 0 first"),
        (Lower(), "abcd", "1224", "lowest first"),
        (Count(), "acdb", "1224", "highest first"),
    ],
)
def test_the_rank_goes_by_the_direction_of_the_measure(measure, order, ranks, how):
    text = written(board(), "md", sort=measure)
    rows = [line.split(" | ")[:2] for line in text.splitlines() if re.match(r"\| [\d-] \|", line)]
    assert rows == [[f"| {rank}", run] for rank, run in zip(ranks, order, strict=True)]
    assert f"- rank: by {measure}, {how}; " in text


@pytest.mark.parametrize("form", ["trec", "tsv", "csv", "json", "jsonl", "parquet"])
def test_formats_for_programs_are_sorted_and_keep_their_shape(form):
    result = board()
    sorted_by_hand = Result(tuple(result.scores[at] for at in (1, 2, 0, 3)), result.signature, (), {})
    mine, theirs = written(result, form, sort=Higher(), per_query=True), written(sorted_by_hand, form, per_query=True)
    if form == "json":  # which names the measure, and has a verdict and reasons for no rank only if runs are sorted
        mine, theirs = json.loads(mine), json.loads(theirs)
        assert [mine["notes"].pop(0)["kind"] for _ in range(2)] == ["verdict", "no rank without values"]
        assert mine.pop("sort") == "Higher@10"
    assert mine == theirs
    assert written(result, form, sort=Higher()) != written(result, form)


def test_one_run_has_no_rank_and_no_marks():
    result = result_of([Higher(), Lower()], [[0.5], [0.5]])
    for form in ["table", "md", "csv"]:
        assert written(result, form, sort=Higher()) == written(result, form)


def test_the_rank_is_that_of_the_printed_digits():
    result = result_of([Higher()], [[0.12341]], [[0.12344]], [[0.1]])
    ranks = {
        places: re.findall(r"^ +(\d) +([abc]) ", table(result, sort=Higher(), places=places), re.MULTILINE)
        for places in (4, 5)
    }
    assert ranks == {4: [("1", "b"), ("1", "a"), ("3", "c")], 5: [("1", "b"), ("2", "a"), ("3", "c")]}


def test_a_sorted_markdown_table_has_as_many_cells_in_each_row():
    text = written(board(), "md", sort=Higher(), per_query=True)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {10}
    assert rows[:3] == [
        "| rank | run |  | query | queries | Higher@10 ↑ | Nearer@10 →0 | Lower@10 ↓ | Count |",
        "| --: | :-- | :-- | :-- | --: | --: | --: | --: | --: |",
        "|  | b |  | q0 |  | 0.9000 | -0.1000 | 0.2000 | 5 |",
    ]
    assert "| 1 | b |  | all | 1 | **0.9000** | **-0.1000** | 0.2000 | 5 |" in rows
    assert "| 3 | a |  | all | 1 | *0.5000* | *0.3000* | **0.1000** | 7 |" in rows
    assert "rank" not in written(board(), "md", sort=Higher(), per_query=True, summary=False).partition("\n\n")[0]


def test_no_reader_of_a_latex_table_misses_what_stands_in_a_comment():
    several = [[0.5, NAN]], [[0.5, 0.6]]
    result = result_of([Higher()], *several, notes=["50% & more"])
    text = written(result, "latex")
    assert "%" not in text.replace(r"\%", "")
    assert r"$\uparrow$ higher is better" in text
    assert r"50\% \& more. " in text
    assert "Undefined: Higher@10 in 1 of 2 queries, first in q1 (a); the mean leaves out such queries. " in text
    assert text.count(r"\caption") == 1


def test_a_sorted_latex_table_explains_itself_in_its_caption():
    text = written(result_of([Higher(), Nearer()], [[-0.5], [-0.1]], [[-0.6], [-0.2]]), "latex", sort=Higher())
    assert text.splitlines()[2].startswith(
        r"\caption{Verdict: 1 query: too few to rely on the order by Higher@10. "
        r"Rank: by Higher@10, highest first; ranks are not tested, see fairtrec compare; "
        r"$\uparrow$ higher is better, $\rightarrow 0$ nearer 0 is better; bold the best, "
    )
    assert r"\begin{tabular}{rllrrr}" in text
    assert r"1 & a &  & 1 & \textbf{$-$0.5000} & \textbf{$-$0.1000} \\" in text
    assert r"2 & b & $\times$ & 1 & \textit{$-$0.6000} & \textit{$-$0.2000} \\" in text


# ------------------------------------------------------------------------------------------------- parquet


def parquet(result, **view):
    return pyarrow.parquet.read_table(io.BytesIO(written(result, "parquet", **view)))


def test_parquet_has_the_rows_of_jsonl():
    result = result_of(
        [Higher(), Nearer()],
        [[1 / 3, NAN], [-1.0, INF]],
        [[NAN, NAN], [0.0, 1e-300]],
        qids=["q1", "ü"],
        notes=["careful"],
    )
    for view in [{}, {"per_query": True}, {"per_query": True, "summary": False}]:
        rows = parquet(result, **view).to_pylist()
        lines = [strict(line) for line in written(result, "jsonl", **view).splitlines()]
        infinite = {"Infinity": INF, "-Infinity": -INF}
        assert rows == [
            {
                **{name: line[name] for name in ("run", "tag", "measure")},
                "better": "higher" if line["measure"] == "Higher@10" else "nearer 0",
                "qid": None if line["qid"] == "all" else line["qid"],
                "value": infinite.get(line["value"], line["value"]),
                "defined": line.get("defined"),
            }
            for line in lines
        ]


def test_parquet_says_where_it_comes_from_and_of_which_types_it_is():
    table = parquet(result_of([Higher()], [[0.5, NAN]], names=["\udcff.run"], notes=["careful"]))
    assert table.schema.metadata[b"signature"] == b"fairtrec:1 | order:score"
    assert strict(table.schema.metadata[b"notes"]) == [
        "careful",
        "undefined: Higher@10 in 1 of 2 queries, first in q1; the mean leaves out such queries",
    ]
    assert [str(kind) for kind in table.schema.types] == ["string"] * 5 + ["double", "int64"]
    assert table["run"].to_pylist() == [r"\udcff.run"]


def test_bytes_are_written_as_they_are(tmp_path, capfdbinary):
    output.emit(b"PAR1\xff\n", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"PAR1\xff\n"
    output.emit(b"PAR1\xff\n", None)
    assert capfdbinary.readouterr().out == b"PAR1\xff\n"


def test_what_a_format_cannot_show_is_refused(monkeypatch):
    with pytest.raises(
        UsageError, match="-n leaves the values of queries out of the page, and per_query= asks for them"
    ):
        refuse_view("html", None, summary=False, per_query=True)
    with pytest.raises(UsageError, match="nothing is left to print; add per_query=True"):
        refuse_view("trec", None, summary=False)
    with pytest.raises(UsageError, match="title= is the heading of a page, or begins a caption; add format=html"):
        refuse_view("table", None, title="x")
    refuse_view("parquet", None, summary=True)  # into a pipe
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    refuse_view("html", None, summary=True, title="x")
    refuse_view("html", None, summary=False)
    refuse_view("parquet", Path("x"), summary=False, per_query=True)
    for refused in [lambda: refuse_view("parquet", None, summary=True), lambda: output.emit(b"PAR1", None)]:
        with pytest.raises(UsageError, match="cannot be shown in a terminal; choose a file"):
            refused()


# -------------------------------------------------------------------------------------------------- output


def test_output_is_written_whole(tmp_path):
    place = tmp_path / "report.txt"
    output.emit("grün\n", place)
    assert place.read_bytes() == "grün\n".encode()
    output.emit("neu\n", place)
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]
    assert place.read_text() == "neu\n"


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failing_write_leaves_nothing_and_touches_nothing(tmp_path, monkeypatch, fault):
    place = tmp_path / "report.txt"
    place.write_text("old\n")

    def fail(path, data):
        with path.open("wb") as stream:
            stream.write(data[:3])
        raise fault

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    expected = UsageError if isinstance(fault, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        output.emit("new new new\n", place)
    assert place.read_text() == "old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_output_to_a_bad_place_is_refused_early(tmp_path):
    with pytest.raises(UsageError, match=r"folder of .*nowhere/x.txt is not there"):
        output.refuse_unwritable(tmp_path / "nowhere" / "x.txt")
    output.refuse_unwritable(tmp_path / "x.txt")
    output.refuse_unwritable(None)


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        output.refuse_unwritable(pipe)
        output.emit("text\n", pipe)
        assert os.read(reader, 100) == b"text\n"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("form", FORMS)
def test_every_format_ends_its_last_line_and_is_the_same_each_time(form):
    result = result_of([Higher(), Count()], [[0.5, NAN], [1, 2]], [[NAN, NAN], [1, NAN]])
    for view in [{}, {"per_query": True}, {"per_query": True, "summary": False}]:
        text = written(result, form, **view)
        assert isinstance(text, bytes) or text.endswith("\n")
        assert text == written(result, form, **view)


HOSTILE = "a\n\x1b[2J\u2028\u202e|&.run"


@pytest.mark.parametrize("form", ["trec", "table", "md", "latex"])
def test_names_of_files_steer_no_terminal_and_break_no_line(form):
    text, other = (
        written(result_of([Higher()], [[0.5, NAN]], [[0.5, 0.5]], names=[name, "b.run"]), form, per_query=True)
        for name in (HOSTILE, "a.run")
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202e]", text.replace("\t", ""))
    assert text.count("\n") == other.count("\n")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_is_utf_8_whatever_the_name(form):
    name = os.fsdecode(b"\xff.run")
    first = written(result_of([Higher()], [[0.5]], names=[name]), form).encode().split(b"\n")
    read = json.loads(first[0]) if form == "jsonl" else json.loads(b"".join(first))["runs"][0]
    assert read["run"] == name


def test_long_names_leave_room_for_the_measures_in_a_narrow_window(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    names = [f"{start}{'x' * 70}{end}" for start, end in ("ab", "ac", "bc")]
    result = result_of([Higher(), Lower()], *[[[0.5], [0.5]]] * 3, names=names)
    text = re.sub("\x1b[^m]*m", "", written(result, "table", terminal=True))
    assert [line.split()[0] for line in text.splitlines()[3:6]] == [f"{name[:12]}…{name[-11:]}" for name in names]
    assert max(map(len, text.splitlines()[:6])) <= 60
    alike = result_of([Higher()], [[0.5]], [[0.5]], names=["x" * 70 + "1" + "x" * 70, "x" * 70 + "2" + "x" * 70])
    text = re.sub("\x1b[^m]*m", "", written(alike, "table", terminal=True))
    names = [line.split()[0] for line in text.splitlines()[3:5]]
    assert [name.strip("x") for name in names] == [f"…{sign}{'x' * (len(names[0]) - 3)}…" for sign in "12"]
    assert max(map(len, text.splitlines()[:5])) <= 60


def test_a_latex_table_begins_its_caption_with_the_title_and_has_a_label():
    from fairtrec.report.writers import RESULTS
    from fairtrec_made.reports import result_of

    text = RESULTS("latex", result_of(), title="Runs & fairness", latex_label="tab:runs")
    (caption,) = [line for line in text.splitlines() if line.startswith(r"\caption")]
    assert caption.startswith(r"\caption{Runs \& fairness. ")
    assert caption.endswith(r"}\label{tab:runs}")
    assert r"\label" not in RESULTS("latex", result_of())
    with pytest.raises(UsageError, match="latex_label= is what a LaTeX table is referred to by; add format=latex"):
        refuse_view("md", None, latex_label="x")
    with pytest.raises(UsageError, match="has characters other than"):
        refuse_view("latex", None, latex_label="x}y")
