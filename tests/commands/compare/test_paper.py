"""The one table of a paper: what stands in it is what `compare` says of each run and measure."""

import json
import re

import pytest

MEASURES = "nDCG@10 NFaiRR@10 ARaB@10 TE@10"
MARKS = {"better": "†", "worse": "‡", "higher": "⁺", "lower": "⁻"}


@pytest.fixture
def asked(example):
    runs = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    given = ("--terms", "gender-en", "--docs", example / "collection.tsv", "--background", example / "background.run")
    return "compare", example / "qrels.txt", *runs, *given, "-m", MEASURES


def mark_of(row):
    """A sign by the verdict, and a question mark where fewer than ten differences differ from the most frequent one."""
    sign = MARKS.get(row["verdict"], "")
    return sign + ("?" if sign and row["wins"] + row["losses"] and row["deciding"] < 10 else "")


def table_of(text):
    """The cells of a Markdown table, by run and measure, without the stars of bold."""
    rows = [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    head, _, *rows = rows
    return head[1:], {row[0]: row[1:] for row in rows}


@pytest.mark.parametrize("how", [[], ["--test", "randomization", "--correction", "bh"], ["--confidence", "0.5"]])
def test_a_paper_table_says_what_the_tests_say(fairtrec_command, asked, how):
    document = json.loads(fairtrec_command(*asked, *how, "-f", "json").out)
    head, rows = table_of(fairtrec_command(*asked, *how, "-f", "md", "--paper").out)
    assert [name.split()[0].strip("|") for name in head] == list(
        dict.fromkeys(row["measure"] for row in document["rows"])
    )
    assert list(rows) == ["bm25", "neural", "fair"]
    for row in document["rows"]:
        at = [name.split()[0].strip("|") for name in head].index(row["measure"])
        name = row["run"].rpartition("/")[2].removesuffix(".run")
        assert rows[name][at].strip("*") == f"{row['mean']:.4f}{mark_of(row)}"
        assert rows["bm25"][at].strip("*") == f"{row['baseline']:.4f}"
    if not how:
        assert rows["fair"][1] == "**0.7371†**"
        assert head[2] == "|ARaB@10| ↓"
    for at, name in enumerate(head):  # the best by its own direction is bold where a test shows it, and nobody else
        bold = [run for run, cells in rows.items() if cells[at].startswith("**")]
        values = {run: float(cells[at].strip("*†‡⁺⁻?")) for run, cells in rows.items()}
        best = {"↑": max, "↓": min}.get(name[-1])
        signs = {run: cells[at].strip("*").lstrip("-.0123456789") for run, cells in rows.items()}
        shown = {run: sign == "†" for run, sign in signs.items()}
        shown["bm25"] = all(sign == "‡" for run, sign in signs.items() if run != "bm25")
        is_best = [run for run in values if best and values[run] == best(values.values())]
        assert bold == [run for run in is_best if shown[run]]


@pytest.mark.parametrize("baselines", [["all"], ["bm25.run", "fair.run"]])
def test_what_few_differences_show_makes_nothing_bold(example, asked, fairtrec_command, baselines):
    named = ["all" if baseline == "all" else example / baseline for baseline in baselines]
    options = [word for baseline in named for word in ("--baseline", baseline)]
    _, rows = table_of(fairtrec_command(*asked[:5], "-m", "nDCG@10", *options, "-f", "md", "--paper").out)
    (cell,) = next(cells for run, cells in rows.items() if "neural" in run)
    assert cell.startswith("0.9742")
    assert cell.endswith("?")


def test_the_caption_names_test_correction_and_signature(fairtrec_command, asked):
    text = fairtrec_command(*asked, "-f", "latex", "--paper", "--test", "wilcoxon", "--correction", "bonferroni").out
    (caption,) = re.findall(r"\\caption\{(.*)\}\n", text)
    assert "Means over 12 queries" in caption
    assert "Wilcoxon's signed ranks, Bonferroni over 10 comparisons: 2 runs x 5 measures, p at most 0.05" in caption
    assert r"$|$measure$|$: of the absolute values of the queries" in caption
    assert caption.endswith(r"| baseline:bm25.run | test:wilcoxon | correction:bonferroni | interval:t/0.95}")
    assert r"\texttt{\footnotesize fairtrec:" in caption
    assert text.count(r"\begin{tabular}") == text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines} == {5}
    assert r"\textbf{0.7371$^{\dagger}$}" in text
    assert caption.count("{") == caption.count("}")


def test_the_caption_says_when_queries_differ_and_when_nothing_is_shown(fairtrec_command, example, tmp_path):
    lines = (example / "neural.run").read_text().splitlines(keepends=True)
    (tmp_path / "few.run").write_text("".join(line for line in lines if not line.startswith("101 ")))
    runs = example / "bm25.run", example / "neural.run", tmp_path / "few.run"
    asked = "compare", example / "qrels.txt", *runs, "-m", "nDCG@10", "--confidence", "0.999999", "-f", "md", "--paper"
    text = fairtrec_command(*asked).out
    assert "Means over the 11 to 12 queries that run and bm25 share" in text
    assert "no run is shown to be better or worse than bm25: paired t-test" in text


def test_what_is_no_paper_table_is_refused(fairtrec_command, asked, tmp_path):
    for more, what in [
        (("-f", "csv"), "--paper is a table for documents; add -f latex or -f md"),
        ((), "--paper is a table for documents; add -f latex or -f md"),
        (("-f", "md", "--slice", "x"), "--paper compares the runs over all queries; leave out --slice"),
    ]:
        done = fairtrec_command(*asked, "--paper", *more)
        assert (done.code, done.complaints) == (2, [what])
