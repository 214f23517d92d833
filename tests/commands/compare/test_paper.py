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


def read_caption(text):
    """Read the caption of a LaTeX table, without commands of signs."""
    (caption,) = re.findall(r"\\caption\{(.*)\}\n", text)
    return caption


def read_notes(text):
    """Read the sentences below the tabular, and the signature."""
    (below,) = re.findall(r"\\begin\{minipage\}.*\n((?:.*\n)*)\\end\{minipage\}", text)
    return below.splitlines()


def test_the_caption_is_short_and_the_notes_are_below_the_table(fairtrec_command, asked):
    text = fairtrec_command(*asked, "-f", "latex", "--paper", "--test", "wilcoxon", "--correction", "bonferroni").out
    caption, (*notes, signature) = read_caption(text), read_notes(text)
    assert caption.startswith("Means of 5 measures over 12 queries; bold: significantly best; ")
    assert r"$^{\dagger}$ significantly better than bm25." in caption
    family = "Bonferroni over 10 comparisons: 2 runs x 5 measures"
    assert f"Significant: p at most 0.05 (Wilcoxon's signed ranks); {family}." in notes
    assert "$|$measure$|$: the mean of the absolute values of the queries." in notes
    assert signature.endswith("| baseline:bm25.run | test:wilcoxon | correction:bonferroni | interval:t/0.95}")
    assert signature.startswith(r"\texttt{\footnotesize fairtrec:")
    assert text.count(r"\begin{tabular}") == text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert text.index(r"\caption") < text.index(r"\end{tabular}") < text.index(r"\begin{minipage}")
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines} == {5}
    assert r"\textbf{0.7371$^{\dagger}$}" in text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    "how",
    [["-m", "nDCG@10 NFaiRR@10 RBDF@10"], ["--baseline", "all"], ["-m", MEASURES, "--confidence", "0.6"]],
)
def test_no_caption_has_more_than_forty_words_or_an_option(asked, fairtrec_command, how):
    text = fairtrec_command(*asked, *how, "-f", "latex", "--paper").out
    caption, (*notes, _) = read_caption(text), read_notes(text)
    assert len(caption.split()) <= 40
    for said in (caption, *notes):
        assert not re.search(r"(?:^|[\s(])-{1,2}(?:\{\}-)?[a-z]|fairtrec [a-z]", said), said
        assert said.endswith(".")
        assert said[0].isupper() or said[0] in "$?" or said.split("@")[0] in MEASURES, said


def test_a_note_on_missing_texts_is_a_sentence_for_readers_of_a_paper(copied, fairtrec_command):
    lines = (copied / "collection.tsv").read_text("utf-8").splitlines(keepends=True)
    (copied / "part.tsv").write_text("".join(lines[5:]), "utf-8")
    given = ["--terms", "gender-en", "--docs", "part.tsv", "--missing", "neutral", "-m", "RBDF@10"]
    text = fairtrec_command("compare", "none", "bm25.run", "fair.run", *given, "-f", "latex", "--paper").out
    found = [line for line in read_notes(text) if "no text or counts" in line]
    assert found
    assert found[0].endswith(
        "documents in the measured ranks have no text or counts and count as having no group words."
    )


def test_the_caption_says_when_queries_differ_and_when_nothing_is_shown(fairtrec_command, example, tmp_path):
    lines = (example / "neural.run").read_text().splitlines(keepends=True)
    (tmp_path / "few.run").write_text("".join(line for line in lines if not line.startswith("101 ")))
    runs = example / "bm25.run", example / "neural.run", tmp_path / "few.run"
    asked = "compare", example / "qrels.txt", *runs, "-m", "nDCG@10", "--confidence", "0.999999", "-f", "md", "--paper"
    text = fairtrec_command(*asked).out
    assert "Means of nDCG@10 over 11 to 12 queries; no run is significantly better or worse than bm25.\n" in text
    assert "- Each mean is over the queries that the run and bm25 share.\n" in text


def test_what_is_no_paper_table_is_refused(fairtrec_command, asked, tmp_path):
    for more, what in [
        (("-f", "csv"), "--paper is a table for documents; add -f latex or -f md"),
        ((), "--paper is a table for documents; add -f latex or -f md"),
        (("-f", "md", "--slice", "x"), "--paper compares the runs over all queries; leave out --slice"),
    ]:
        done = fairtrec_command(*asked, "--paper", *more)
        assert (done.code, done.complaints) == (2, [what])


def test_one_query_is_counted_as_one(fairtrec_command, example, tmp_path):
    for name in ("bm25", "fair"):
        lines = (example / f"{name}.run").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / f"{name}.run").write_text("".join(line for line in lines if line.startswith("101 ")), "utf-8")
    done = fairtrec_command(
        *("compare", example / "qrels.txt", tmp_path / "bm25.run", tmp_path / "fair.run", "-m", "nDCG@10"),
        *("-f", "md", "--paper"),
    )
    assert "Means of nDCG@10 over 1 query;" in done.out
    assert "1 queries" not in done.out
