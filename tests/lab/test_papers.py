"""The page of papers: the command of each row runs, and its numbers of published runs are those that it shows."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from fairtrec_made import REPOSITORY, pages

DOCS = REPOSITORY / "docs"
PAGE = (DOCS / "papers.md").read_text("utf-8")
ROWS = re.findall(r"^\| ([^|`]+) \| `(fairtrec [^`]+)` \| \[[^\]]+\]\(([\w./-]+)(?:#[\w-]+)?\) \|$", PAGE, re.MULTILINE)
SPECIFIED = {
    "Rekabsaz": "Table 2, Table 3, Table 4, Figure 3, Figure 4, Eq. 1, Eq. 2, Eq. 3, Eq. 4, Eq. 5",
    "Abolghasemi": "Table 1, Table 2, Figure 2, Eq. 14",
    "Gao": "Eq. 6, Algorithm 1, Table 1, Table 2, Table 3, Table 4",
    "Biega": "Eq. 1, Eq. 2, Eq. 3, Eq. 4, Eq. 5, Eq. 6, Eq. 7, Eq. 8",
    "Ziems": "rND, rKL, rRD, DUO, Table 4, Stances",
}
TRACK = {  # two requests of one query; p = .7 of d1, which is of A
    "seq.csv": "0.0,1\n0.1,1\n",
    "truth.jsonl": '{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}, {"doc_id": "d2", "relevance": 0}]}\n',
    "level.csv": "d1,A\nd2,B\n",
    "my-run.jsonl": "".join(
        f'{{"q_num": "0.{number}", "qid": 1, "ranking": ["{first}", "{second}"]}}\n'
        for number, (first, second) in enumerate([("d1", "d2"), ("d2", "d1")])
    ),
}


@pytest.fixture
def folder(copied):
    """Work in the folder of the demo, with stand-ins for what readers bring: vectors, a swapped run, a track's files."""
    docnos = sorted({line.partition("\t")[0] for line in (copied / "collection.tsv").read_text("utf-8").splitlines()})
    vectors = np.random.default_rng(0).normal(size=(len(docnos), 4))
    np.savez(copied / "vectors.npz", vectors=vectors, docnos=np.array(docnos))
    (copied / "cf").mkdir()
    (copied / "cf" / "bm25.run").write_bytes((copied / "bm25.run").read_bytes())
    for name, text in TRACK.items():
        (copied / name).write_text(text, "utf-8")
    return copied


def list_run_commands(page):
    """List the commands that the test of pages runs, as words."""
    blocks = pages.blocks((DOCS / page).read_text("utf-8"))
    return [shlex.split(line, comments=True) for block in blocks if not block.parsed for line in block.lines]


def expand(labels):
    """Expand what the first cell of a row has: Eq. 4 and 5 is Eq. 4, Eq. 5."""
    for kind, numbers in re.findall(r"(Eq\.|Tables?|Figure|Algorithm) (\d[\d, and to]*)", labels):
        listed = [int(number) for number in re.findall(r"\d+", numbers)]
        if " to " in numbers:
            listed = range(listed[0], listed[1] + 1)
        yield from (f"{kind.removesuffix('s')} {number}" for number in listed)
    yield from re.findall(r"rND|rKL|rRD|DUO|Stances", labels)


def test_each_table_figure_and_equation_has_a_row():
    papers = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert len(papers) == len(SPECIFIED)
    for paper, (author, wanted) in zip(papers, SPECIFIED.items(), strict=True):
        assert paper.startswith(author)
        found = {label for labels, _, _ in ROWS if f"| {labels} | " in paper for label in expand(labels)}
        assert {*wanted.split(", ")} <= found, author
        assert "Not reproduced: " in paper


def test_the_page_of_a_row_has_the_measures_or_the_command_of_the_row():
    assert len(ROWS) == PAGE.count("| `fairtrec ")
    for labels, line, page in ROWS:
        text = (DOCS / page).read_text("utf-8")
        words = shlex.split(line)
        is_run = words in list_run_commands(page)
        measures = " ".join(words[place + 1] for place, word in enumerate(words) if word in ("-m", "--by"))
        names = {re.match(r"\w+", measure)[0] for measure in measures.split()}
        command = " ".join(words[:3] if words[1] in ("plot", "make") else words[:2])
        assert is_run or command in text or any(name in text for name in names), labels


def test_the_command_of_each_row_runs(folder, fairtrec_command):
    printed = {}
    for _, line, page in ROWS:
        words = shlex.split(line)
        if words[1] == "plot" or (words in list_run_commands(page) and "counts.arrow" not in line):
            pages.parse(line)  # the other page runs it, or draws such a figure
            continue
        done = fairtrec_command(*words[1:])
        assert done.code == 0, f"{line}\n{done.err}"
        printed[line] = done.out
    assert len(printed) > 20
    # first d1, then d2: 1 - .5 (1 - .7) = .15 for B; the other order: 1 and .5, so A has 1.5 of 2.65, and all relevance
    (unfairness,) = [text for line, text in printed.items() if "--variant paper my-run" in line]
    assert f"{2**0.5 * (1 - 1.5 / 2.65):.4f}" in unfairness
    assert f"{(0.7 + 0.5 * 0.7) / 2:.4f}" in unfairness  # Eq. 8


@pytest.fixture
def published(shared, tmp_path, monkeypatch):
    """Work in a folder with the published runs of TREC DL_FAIR, by the names that the page has."""
    data = shared / "data"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    (tmp_path / "runs").symlink_to(data / "cpjku" / "runs" / "trecdl2019_passage")
    (tmp_path / "counts.tsv").symlink_to(data / "dl19-dl20-counts" / "gender.strip.tsv")
    (tmp_path / "qrels.dl19-passage.txt").symlink_to(data / "qrels" / "qrels.dl19-passage.txt")
    return data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv"


def test_the_numbers_of_published_runs_are_those_of_the_page(published, fairtrec_command):
    assert fairtrec_command("resources", "add", "trec-dl-fair", published).code == 0
    (block,) = pages.blocks(PAGE)
    done = fairtrec_command(*shlex.split(block.lines[0])[1:])
    assert done.code == 0, done.err
    assert "".join(line for line in done.out.splitlines(keepends=True) if line.startswith("| ")) in PAGE


def test_the_signs_of_published_runs_are_those_of_the_paper(published):
    given = {"counts": "counts.tsv", "background": "runs/BM25.run", "missing": "neutral", "queries": published}
    runs = sorted(Path("runs").glob("*.run"))
    result = fairtrec.evaluate("NFaiRR@10 RR nDCG@10 R@10", runs, qrels="qrels.dl19-passage.txt", **given)
    compared = fairtrec.compare(result, "BM25", correction="none")
    better = {(Path(row.run).stem, row.measure) for row in compared.rows if row.verdict == "better"}
    assert better == {(name, "nDCG@10") for name in ("tk", "bert_L2", "advbert_L2", "bert_L4", "advbert_L4")}
