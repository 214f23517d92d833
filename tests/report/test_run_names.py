"""Names of runs are shortened by one function: what all share, dates and times, the middle; and they stay apart."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairtrec.report.document import Column, Document, ReportTable, RunCell
from fairtrec.report.run_names import shorten_names
from fairtrec.report.terminal import SHORTENED, fold_text, render

words = st.sampled_from(
    ["bm25", "monobert-large", "rm3", "7b", "2023-09-13T12-01-59.097613", "20240101", "v2", "x" * 30]
)
names = st.lists(words, min_size=1, max_size=5).map("_".join) | st.text(st.characters(codec="ascii"), min_size=1)


@given(st.lists(names, min_size=1, max_size=12), st.integers(8, 60))
def test_short_names_fit_and_stay_apart(several, width):
    short = shorten_names(several, width)
    assert all(len(name) <= width for name in short)
    assert len({*zip(several, short, strict=True)}) == len({*several}) == len({*short})
    files = shorten_names(several)  # as long as they are
    assert all(file in name for file, name in zip(files, several, strict=True))
    assert len({*files}) == len({*several})
    if all(len(name) <= width for name in files):
        assert short == files
    assert shorten_names(several[::-1], width)[::-1] == short or len({*map(len, short)}) > 1


@pytest.mark.parametrize(
    ("several", "width", "short"),
    [
        (["dl19_bm25", "dl19_neural"], 11, ["dl19_bm25", "dl19_neural"]),  # which fit
        (["dl19_bm25", "dl19_neural"], 10, ["bm25", "neural"]),
        (["a/dl19_bm25.x", "b/dl19_bm25.x"], 10, ["a", "b"]),  # folders, and what stands in the middle
        (["bm25_2023-09-13T12-01", "neural_20230914"], 10, ["bm25", "neural"]),
        (["bm25_2023-09-13T12-01", "bm25_2023-09-13T12-02"], 19, ["01", "02"]),
        (["bm25_20230913T1201", "bm25_20230914T1202"], 9, ["2023…1201", "2023…1202"]),  # alike without the time
        (["team_bm25", "team_bm25_rm3"], 9, ["bm25", "bm25_rm3"]),  # nothing would be left of the first
        (["model_4096_1002_1901", "bm25"], 10, ["model…1901", "bm25"]),  # no date
        (["2023-09-13", "bm25-large"], 9, ["2023…9-13", "bm25…arge"]),  # nothing would be left
    ],
)
def test_what_tells_runs_apart_stays_longest(several, width, short):
    assert shorten_names(several, width) == short


LONG = [f"{name}_{'long' * 10}_2023-09-13T12-01-59" for name in ("bm25", "bert", "knrm")]


def drawn(tables, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    return render(Document(tables), window=True)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_each_name_in_a_cell_is_shortened_by_itself_and_as_in_other_tables(monkeypatch, width):
    order = Column("order", [RunCell("", LONG[0], "=", LONG[1], " ", LONG[2]), RunCell("same in 2 of 3")], words=True)
    heads = [Column(name, ["0.1234", "0.5678"], of_run=True) for name in LONG]
    first = ReportTable("first", [Column("varied", ["base", "tau=0"], words=True)], [order, *heads])
    second = ReportTable(
        "second", [Column("run", [*LONG, RunCell("all runs")], words=True, runs=True)], [Column("n", list("1234"))]
    )
    text = drawn([first, second], monkeypatch, width)
    assert "bm25=bert knrm" in text
    for name in ("bm25", "bert", "knrm", "all runs", "same in 2 of 3"):
        assert f" {name} " in text
    assert " ".join(text.split()).count(SHORTENED) == 1
    assert max(map(len, text.splitlines()[:-1])) <= width
    assert SHORTENED not in drawn([second], monkeypatch, 200)
    assert LONG[0] in drawn([second], monkeypatch, 200)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" ")), st.integers(8, 30))
@example("0000000\U0001d3000", 8)
def test_folded_text_loses_nothing(text, width):
    from rich.cells import cell_len

    lines = fold_text(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert len(lines) == 1 or all(cell_len(line) <= width for line in lines)


@pytest.mark.parametrize("width", [60, 80])
def test_words_that_have_no_room_go_on_in_another_line(monkeypatch, width):
    why = "the whole 95 % interval of the difference lies below 0.05, which no other run does"
    head = "a measure with a very long name that has no room beside others"
    table = ReportTable.from_rows(
        "",
        3,
        ["verdict", "run", "why", head],
        [["FAILED", "a", why, "0.123456"]],
    )
    text = drawn([table], monkeypatch, width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for word in (*why.split(), "0.123456", *head.split()):
        assert word in text.split()
