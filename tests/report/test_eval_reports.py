"""What `eval` and its kin report: queries behind a mean, slices of queries, names of runs."""

import csv
import io
import json
import re
from pathlib import Path

import pyarrow.parquet
import pytest

import fairtrec
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import arguments

SLICES = {"short": ("101", "103", "none"), "long": ("102", "104", "105")}


@pytest.fixture
def given(example, tmp_path):
    """The example with a query missing in one of the runs, and slices."""
    neural = (example / "neural.run").read_text().splitlines(keepends=True)
    (tmp_path / "few.run").write_text("".join(line for line in neural if not line.startswith("101 ")))
    lines = [f"{qid}\t{name}\n" for name, qids in SLICES.items() for qid in qids]
    (tmp_path / "slices.tsv").write_text("".join(lines))
    return example / "qrels.txt", example / "bm25.run", tmp_path / "few.run"


def rows(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def of_slice(fairtrec_command, given, tmp_path, name, measure="nDCG@10"):
    """The values of a slice as `eval` gives them for a file of its queries."""
    (tmp_path / "qids").write_text("".join(f"{qid}\n" for qid in SLICES[name] if qid != "none"))
    done = fairtrec_command("eval", *given, "-m", measure, "-f", "csv", "--queries", tmp_path / "qids", "--places", 9)
    return {row["tag"]: (int(row["queries"]), row[measure]) for row in rows(done.out)}


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_row_says_how_many_queries_are_behind_it(fairtrec_command, given, form, delimiter):
    found = rows(fairtrec_command("eval", *given, "-m", "nDCG@10", "-q", "-f", form).out, delimiter)
    means = {row["tag"]: row["queries"] for row in found if row["qid"] == "all"}
    assert means == {"bm25": "12", "neural": "11"}
    assert {row["queries"] for row in found if row["qid"] != "all"} == {"1"}


@pytest.mark.parametrize(("form", "separator"), [("md", "|"), ("latex", "&")])
def test_a_table_for_documents_says_how_many_queries_are_behind_each_run(fairtrec_command, given, form, separator):
    text = fairtrec_command("eval", *given, "-m", "nDCG@10", "-f", form).out
    cells = [[cell.strip() for cell in line.strip("| ").split(separator)] for line in text.splitlines()]
    (head,) = (line for line in cells if line[0] == "run")
    assert head[1] == "queries"
    assert {line[0]: line[1] for line in cells if line[0] in ("bm25", "few")} == {"bm25": "12", "few": "11"}


GAPS = ("difference", "ratio")


def gaps_of(text):
    """The difference and the ratio of the two slices of each run, by what a CSV has of these."""
    found = {name: {} for name in GAPS}
    table = rows(text)
    for tag in ("bm25", "neural"):
        parts = [row for row in table if row["tag"] == tag and row["slice"] in SLICES]
        least, most = sorted(float(row["nDCG@10"]) for row in parts)
        many = sum(int(row["queries"]) for row in parts)
        found["difference"][tag], found["ratio"][tag] = (many, f"{most - least:.9f}"), (many, f"{least / most:.9f}")
    return found


def test_the_means_of_each_slice_are_those_of_its_queries(fairtrec_command, given, tmp_path):
    sliced = given, ("-m", "nDCG@10", "--slice", tmp_path / "slices.tsv", "--places", 9)
    done = fairtrec_command("eval", *sliced[0], *sliced[1], "-f", "csv")
    found = rows(done.out)
    names = ["all", "short", "long", "difference", "ratio"]
    assert [row["slice"] for row in found] == [name for name in names for _ in range(2)]
    expected = {name: of_slice(fairtrec_command, given, tmp_path, name) for name in SLICES}
    for row in found[2:6]:
        assert (int(row["queries"]), row["nDCG@10"]) == expected[row["slice"]][row["tag"]]
    assert expected["short"]["neural"][0] == 1  # it lacks 101
    assert "1 of the 6 queries of the slices are not evaluated" in done.err
    assert "slices:slices.tsv@" in done.err


def test_every_format_has_the_means_of_slices(fairtrec_command, given, tmp_path):
    """Each as its own kind writes them, and all the same values."""
    asked = "eval", *given, "-m", "nDCG@10", "--slice", tmp_path / "slices.tsv", "--places", 9
    expected = {name: of_slice(fairtrec_command, given, tmp_path, name) for name in SLICES}
    expected |= gaps_of(fairtrec_command(*asked[:-1], 17, "-f", "csv").out)
    wanted = [(tag, name, *expected[name][tag]) for tag in ("bm25", "neural") for name in (*SLICES, *GAPS)]

    trec = [line.split() for line in fairtrec_command(*asked, "-f", "trec").out.splitlines()]
    assert [line[1:] for line in trec if line[0] == "nDCG@10" and line[1] != "all"] == [
        [f"slice:{name}", value] for _, name, _, value in wanted
    ]
    assert [line[2] for line in trec if line[0] == "num_q" and line[1] != "all"] == [
        str(many) for *_, many, _ in wanted
    ]

    whole = asked[:-2]  # without --places, as all digits are there
    document = json.loads(fairtrec_command(*whole, "-f", "json", "-q").out)
    assert [
        (run["tag"], name, part["queries"], f"{part['means']['nDCG@10']['value']:.9f}")
        for run in document["runs"]
        for name, part in run["slices"].items()
    ] == wanted
    assert document["inputs"]["slices"]["path"] == "slices.tsv"

    lines = [json.loads(line) for line in fairtrec_command(*whole, "-f", "jsonl", "-q").out.splitlines()]
    found = [
        (row["tag"], row["slice"], row["defined"], f"{row['value']:.9f}") for row in lines if row["slice"] != "all"
    ]
    assert sorted(found) == sorted(wanted)
    assert len([row for row in lines if row["slice"] == "all"]) == 12 + 11 + 2

    fairtrec_command(*whole, "-f", "parquet", "-o", tmp_path / "values.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "values.parquet").to_pylist()
    found = [
        (row["tag"], row["slice"], row["defined"], f"{row['value']:.9f}") for row in table if row["slice"] != "all"
    ]
    assert sorted(found) == sorted(wanted)

    names = {"bm25": "bm25", "neural": "few"}
    for form in ("table", "md", "latex"):
        text = fairtrec_command(*asked, "-f", form).out
        for tag, name, many, value in wanted:
            (line,) = (line for line in text.splitlines() if name in line and names[tag] in line and value in line)
            assert str(many) in line

    page = fairtrec_command(*asked, "-f", "html").out
    assert "<summary>short: 2 queries</summary>" in page
    assert "<summary>long: 3 queries</summary>" in page
    for _, _, _, value in wanted:
        assert value in page


def test_one_run_alone_has_means_of_slices_too(fairtrec_command, given, tmp_path):
    qrels, bm25, _ = given
    done = fairtrec_command("eval", qrels, bm25, "-m", "nDCG@10", "--slice", tmp_path / "slices.tsv", "-f", "table")
    lines = [line.split() for line in done.out.splitlines() if "bm25" in line]
    many = {"all": "12", "short": "2", "long": "3", "difference": "5", "ratio": "5"}
    assert [(line[0], line[2]) for line in lines] == [*many.items()]


def test_each_slice_is_sorted_and_ranked_by_itself(fairtrec_command, example, tmp_path):
    values = {"101": (1, 2), "102": (2, 1), "103": (2, 1)}  # the rank of the relevant document in each run
    (tmp_path / "qrels").write_text("".join(f"{qid} 0 a 1\n" for qid in values))
    for at, name in enumerate(("one", "two")):
        text = [f"{q} Q0 {d} 0 {9 - r} {name}\n" for q, v in values.items() for d, r in [("a", v[at]), ("b", 1.5)]]
        (tmp_path / f"{name}.run").write_text("".join(text))
    (tmp_path / "s.tsv").write_text("101\tfirst\n102\tlast\n103\tlast\n")
    runs = tmp_path / "one.run", tmp_path / "two.run"
    asked = "eval", tmp_path / "qrels", *runs, "-m", "RR", "--sort", "RR", "--slice", tmp_path / "s.tsv"
    lines = [line.split() for line in fairtrec_command(*asked, "-f", "table").out.splitlines()[4:10]]
    assert [line[:3] for line in lines] == [
        ["all", "1", "two"],
        ["all", "2", "one"],
        ["first", "1", "one"],
        ["first", "2", "two"],
        ["last", "1", "two"],
        ["last", "2", "one"],
    ]


def test_results_with_slices_are_replayed(fairtrec_command, given, tmp_path):
    asked = "eval", *given, "-m", "nDCG@10", "--slice", tmp_path / "slices.tsv", "-f", "json", "-q"
    assert fairtrec_command(*asked, "-o", tmp_path / "results.json").code == 0
    done = fairtrec_command("results", "replay", tmp_path / "results.json")
    assert (done.code, done.complaints) == (0, [])


def test_slices_that_fit_nothing_are_refused(fairtrec_command, given, tmp_path):
    (tmp_path / "strange.tsv").write_text("q1\tshort\n")
    done = fairtrec_command("eval", *given, "-m", "nDCG@10", "--slice", tmp_path / "strange.tsv")
    assert done.code == 2
    assert "the runs have no query of any slice" in done.complaints[0]
    done = fairtrec_command("eval", *given, "--slice", tmp_path / "slices.tsv", "-q", "-n")
    assert (done.code, done.complaints) == (
        2,
        ["--slice asks for means, and -n leaves them out; leave out one of the two"],
    )


# ------------------------------------------------------------------------------------------------ names of runs


def test_a_run_is_called_as_the_command_line_says(fairtrec_command, given, tmp_path):
    qrels, bm25, few = given
    asked = "eval", qrels, f"Lexical={bm25}", f"My neural one={few}", "-m", "nDCG@10"
    assert [row["run"] for row in rows(fairtrec_command(*asked, "-f", "csv").out)] == ["Lexical", "My neural one"]
    document = json.loads(fairtrec_command(*asked, "-f", "json", "-q", "-o", tmp_path / "r.json").out or "null")
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["inputs"]["run Lexical"]["path"] == str(bm25.relative_to(Path.cwd()))
    assert fairtrec_command("results", "replay", tmp_path / "r.json").code == 0
    (tmp_path / "list").write_text(f"Lexical={bm25}\n{few}\n")
    listed = fairtrec_command("eval", qrels, f"@{tmp_path / 'list'}", "-m", "nDCG@10", "-f", "csv")
    assert [row["run"] for row in rows(listed.out)] == ["Lexical", str(few)]


def test_the_baseline_has_a_name_too(fairtrec_command, given, example):
    qrels, bm25, few = given
    fair = example / "fair.run"
    asked = "-m", "nDCG@10", "-f", "json"
    for runs in ([few], [few, bm25]):  # from elsewhere, or one of the runs, which then takes this name
        found = json.loads(fairtrec_command("compare", qrels, fair, *runs, "--baseline", f"base={bm25}", *asked).out)
        assert found["baseline"] == "base"
        assert {row["run"] for row in found["rows"]} == {str(fair.relative_to(Path.cwd())), few.name}
    found = json.loads(fairtrec_command("compare", qrels, f"b={bm25}", fair, "--baseline", bm25, *asked).out)
    assert found["baseline"] == "b"
    found = json.loads(fairtrec_command("compare", qrels, fair, f"b={bm25}", "--baseline", "b", *asked).out)
    assert found["baseline"] == "b"
    done = fairtrec_command("compare", qrels, fair, few, "--baseline", f"base={bm25}", "-m", "nDCG@10", "-f", "csv")
    assert {row["run"] for row in rows(done.out)} == {str(fair), str(few)}
    assert "baseline:base" in done.err
    done = fairtrec_command(
        "check", qrels, f"new={fair}", "--baseline", f"old={bm25}", "--require", "nDCG@10 >= baseline", "-f", "json"
    )
    assert '"baseline": "old"' in done.out
    assert '"new"' in done.out


def test_a_name_is_one_only_where_there_is_such_a_file(tmp_path, monkeypatch, example):
    monkeypatch.chdir(tmp_path)
    for name in ("k=5.run", "3.run", "b.run"):
        (tmp_path / name).write_text("")
    assert arguments.expand_runs(["k=5.run", "b=3.run", "x=-", "none=there", "=3.run", "*=3.run"]) == {
        "k=5.run": "k=5.run",  # a file of that name
        "b": "3.run",
        "x": "-",
        "none=there": "none=there",  # whoever reads it says that there is none
        "=3.run": "=3.run",
        "*": "3.run",
    }
    assert arguments.expand_runs(["b.run", "b.run", "b.run"]) == {
        "b.run": "b.run",
        "b.run (2)": "b.run",
        "b.run (3)": "b.run",
    }
    with pytest.raises(UsageError, match="two runs are called b; rename one of them"):
        arguments.expand_runs(["b=b.run", "b=3.run"])
    with pytest.raises(InputError, match=r"x is the name of one run, and \. is a folder; pass a file"):
        arguments.expand_runs(["x=."])
    assert arguments.paths(["x=b.run", "3.run"]) == ["b.run", "3.run"]


def test_the_measure_that_runs_are_sorted_by_stands_first(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "RR nDCG@10 P@5", "--sort", "P@5", "-f", "table")
    head = next(line for line in fairtrec_command(*arguments).out.splitlines() if "rank " in line)
    assert head.split()[:4] == ["rank", "run", "queries", "P@5"]
    neural = next(line for line in fairtrec_command(*arguments).out.splitlines() if "neural" in line)
    assert "0.8833*" in neural.split()[3]


def test_on_the_page_the_measure_that_runs_are_sorted_by_stands_first(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "RR nDCG@10 P@5", "--sort", "P@5", "-f", "html")
    page = fairtrec_command(*arguments, "-o", "board.html")
    assert page.code == 0, page.err
    board = re.search(r'<table id="board".*?</table>', Path("board.html").read_text("utf-8"), re.DOTALL).group()
    heads = re.findall(r'<th scope="col" data-measure="(\d)"(?: aria-sort="other")?>([^<]+)', board)
    assert [number for number, _ in heads] == ["2", "0", "1"]  # what the script sorts by are their numbers
    assert heads[0][1].startswith("P@5")
    values = [re.findall(r"<td[^>]*>([\d.]+)", row) for row in re.findall("<tr.*?</tr>", board, re.DOTALL)[1:]]
    table = fairtrec_command(*arguments[:-1], "csv").out.splitlines()
    means = {cells[0]: cells[4:] for cells in (line.split(",") for line in table[1:])}
    rr, ndcg, p = means["neural.run"]
    assert [p, rr, ndcg, "12"] in [row[-4:] for row in values]


@pytest.mark.parametrize("sign", "=+-@")
def test_cells_of_csv_hold_names_as_their_authors_wrote_them(sign, tmp_path):
    name = f"{sign}1+1"
    result = fairtrec.evaluate("RR", {name: {f"{sign}q": {"d": 1.0}}}, qrels={f"{sign}q": {"d": 1}})
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        result.write(tmp_path / "table", form, per_query=True)
        [row, *_] = rows((tmp_path / "table").read_text(), delimiter)
        assert (row["run"], row["qid"]) == (name, f"{sign}q")
