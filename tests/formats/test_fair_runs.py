"""Runs and judgments of TREC Fair Ranking 2021 and 2022, as the track's participants and organisers write them."""

import json
import random
from pathlib import Path

import pytest

import fairtrec
from fairtrec.commands.validate import validate
from fairtrec.data import Samples
from fairtrec.formats import qrels, run
from fairtrec.support.errors import InputError
from fairtrec_made import texts
from fairtrec_made.command_trials import gather_trials

LABELS = {"11": "a", "12": "b", "13": "a", "14": "b"}
ONE = "id\tpage_id\n1\t11\n2\t13\n1\t12\n1\t13\n2\t14\n"
SEVERAL = "id\tseq_no\tpage_id\n1\t1\t11\n1\t1\t12\n1\t2\t12\n2\t1\t13\n1\t2\t11\n2\t2\t14\n"
TREC = "1 1 11 1 2 t\n1 1 12 2 1 t\n1 2 12 1 2 t\n1 2 11 2 1 t\n2 1 13 1 1 t\n2 2 14 1 1 t\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_rank_is_the_order_of_the_lines_of_a_query_wherever_they_stand():
    Path("t").write_text(ONE)
    read = run.read("t")
    assert read.qids == ("1", "2")
    assert [*map(list, (read.docnos[:3], read.docnos[3:]))] == [[b"11", b"12", b"13"], [b"13", b"14"]]
    Path("t").write_text(ONE.partition("\n")[2].replace("\t", " "))
    assert run.read("t", form="trec-fair").docnos.tolist() == read.docnos.tolist()
    assert run.read("t", "rank", depth=1, form="trec-fair").docnos.tolist() == [b"11", b"13"]


@pytest.mark.parametrize("name", ["seq_no", "rep_number"])
def test_three_columns_are_several_rankings_as_with_samples(name):
    Path("t").write_text(SEVERAL.replace("seq_no", name))
    Path("trec").write_text(TREC)
    measures = ["EED@2", "EEL@2", "AWRF@2"]
    found = fairtrec.evaluate(measures, "t", labels=LABELS)
    assert isinstance(run.split_samples(run.read("t")), Samples)
    assert found.means["t"] == fairtrec.evaluate(measures, "trec", labels=LABELS, samples=True).means["trec"]
    assert found.means["t"] == fairtrec.evaluate(measures, "t", labels=LABELS, samples=True).means["t"]
    Path("t").write_text(SEVERAL.partition("\n")[2])
    assert fairtrec.evaluate(measures, "t", labels=LABELS, run_format="trec-fair").means["t"] == found.means["t"]


def test_without_a_header_both_formats_of_three_columns_are_named():
    Path("t").write_text(SEVERAL.partition("\n")[2])
    with pytest.raises(InputError, match=r"three columns may be MS MARCO's \(qid docno rank\) or TREC Fair's"):
        run.read("t")


def test_a_page_twice_in_a_ranking_is_refused_and_in_another_ranking_is_not():
    Path("t").write_text(SEVERAL + "2\t2\t14\n")
    with pytest.raises(InputError, match="t:8: document 14 appears twice under query 2 2"):
        run.split_samples(run.read("t"))


def test_where_one_ranking_is_needed_several_are_refused_in_one_line(fairtrec_command):
    Path("t").write_text(SEVERAL)
    Path("r").write_text(TREC)
    Path("l.tsv").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    Path("q").write_text("1 0 11 1\n2 0 13 1\n")
    core = [
        "eval none t --labels l.tsv -m AWRF@2 --bounds labels",
        "eval none t --labels l.tsv -m AWRF@2 --background t --target background",
    ]
    for each in gather_trials("SEVERAL_RANKINGS", core):
        done = fairtrec_command(*each.split())
        assert done.code in (2, 3), each
        assert "this run has several rankings of each query" in done.err, (each, done.err)
        assert "fault" not in done.err


def test_judgments_are_lists_of_relevant_pages():
    Path("q.jsonl").write_text('{"id": 1, "title": "x", "rel_docs": [11, "12", 11]}\n{"id": 2, "rel_docs": [13]}\n')
    read = qrels.read("q.jsonl")
    assert (read.qids, read.docnos.tolist(), read.grades.tolist()) == (("1", "2"), [b"11", b"12", b"13"], [1, 1, 1])
    Path("t").write_text(ONE)
    assert fairtrec.evaluate("P@1", "t", qrels="q.jsonl").means["t"] == {"P@1": 1}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"id": 2, "rel_docs": 3}', "no list of ids rel_docs"),
        ('{"rel_docs": [3]}', "this line has no id"),
        ('{"id": 2, "rel_docs": ["a b"]}', "no list of ids"),
        ('{"id": 2', "this line is not JSON"),
    ],
)
def test_a_bad_line_of_judgments_is_named(line, what):
    Path("q.jsonl").write_text('{"id": 1, "rel_docs": [11]}\n' + line + "\n")
    with pytest.raises(InputError, match=rf"q\.jsonl:2: .*{what}"):
        qrels.read("q.jsonl")


@pytest.mark.parametrize(
    ("text", "form"), [(ONE, "auto"), (SEVERAL, "auto"), (SEVERAL.partition("\n")[2], "trec-fair")]
)
def test_validate_reads_such_runs_and_writes_trec_ones(text, form, fairtrec_command):
    Path("t").write_text(text)
    (checked,) = validate.validate("t", run_format=form)
    assert {*checked.found.many} <= {"W501"}  # the lines of a query do not stand together
    done = fairtrec_command("validate", "t", "--fix", "out", "--run-format", form)
    assert done.code == 0, done.err
    several = "seq" in text or form != "auto"
    measures, given = ["EED@3", "AWRF@3"], {"labels": LABELS, "samples": several}
    again = fairtrec.evaluate(measures, "out", **given).means["out"]
    assert again == fairtrec.evaluate(measures, "t", run_format=form, **given).means["t"]


def test_large_files_are_read_as_small_ones_are(monkeypatch):
    draw = random.Random(3)
    rows = [(q, s, p) for q in range(30) for s in range(1, 30) for p in draw.sample(range(1000), 20)]
    Path("t").write_text("id\tseq_no\tpage_id\n" + "".join(f"{q}\t{s}\t{p}\n" for q, s, p in rows))
    read = run.split_samples(run.read("t"))
    assert isinstance(read, Samples)
    assert [int(docno) for docno in read.runs[0].docnos[:20]] == [p for q, s, p in rows if (q, s) == (0, 1)]
    assert len(read.runs) == 29


def test_a_blank_in_the_id_of_a_query_tells_no_rankings_apart():
    rows = ['{"qid": "a b", "docno": "d1", "score": 2}', '{"qid": "a c", "docno": "d2", "score": 1}']
    Path("t.jsonl").write_text("\n".join(rows) + "\n")
    assert run.split_samples(run.read("t.jsonl")).qids == ("a b", "a c")


def test_validate_counts_queries_and_their_rankings(fairtrec_command):
    first, *lines = SEVERAL.splitlines(keepends=True)
    Path("t").write_text(first + "".join(sorted(lines)))
    done = fairtrec_command("validate", "t")
    assert done.out == "t: clean; 7 lines, 2 queries, 4 rankings, 4 documents, 1 to 2 deep, median 1.5\n"
    Path("q.tsv").write_text("1\tone\n")
    done = fairtrec_command("validate", "t", "--queries", "q.tsv", "-f", "json")
    (run,) = json.loads(done.out)["runs"]
    assert run["queries"] == 2
    assert run["counts"] == {"W503": 1}  # of the two rankings of query 2


def test_a_run_without_a_first_line_is_told(tmp_path):
    path = tmp_path / "task1"
    path.write_text("12\t345\n12\t6\n")
    what = (
        r"task1:1: 2 columns instead of 6; if they are qid docno, as TREC Fair's id page_id, add run_format=trec-fair"
    )
    with pytest.raises(InputError, match=what):
        run.read(path)
    assert run.read(path, form="trec-fair").docnos.tolist() == [b"345", b"6"]


@pytest.mark.parametrize(("between", "names"), [(" ", ""), ("\t", "; if they are names, ")])
def test_a_plain_list_of_documents_is_told_which_option_reads_it(tmp_path, between, names):
    path = tmp_path / "list"
    path.write_text("".join(f"{between.join(line.split())}\n" for line in ("q1 d9", "q1 d2", "q2 d2")))
    with pytest.raises(InputError, match=r"list:1: 2 columns .* qid docno, .* add run_format=trec-fair") as fault:
        run.read(path)
    assert names in str(fault.value)
    found = run.read(path, form="trec-fair")
    assert ([*found.qids], found.docnos.tolist()) == (["q1", "q2"], [b"d9", b"d2", b"d2"])


def test_a_table_of_two_columns_with_a_known_name_is_a_table(tmp_path):
    path = tmp_path / "table"
    path.write_text("qid\toffer\n1\td2\n")
    with pytest.raises(InputError, match=r"but qid, offer; name it with .*docno=COLUMN") as fault:
        run.read(path)
    assert "trec-fair" not in str(fault.value)


def test_runs_of_both_tasks_in_one_table_are_noted(tmp_path):
    (tmp_path / "one").write_text("id\tpage_id\n1\t11\n1\t12\n")
    (tmp_path / "two").write_text("id\tseq_no\tpage_id\n1\t1\t11\n1\t2\t12\n")
    one, two = tmp_path / "one", tmp_path / "two"
    note = "one ranking of each query in 2 runs and several in 1 run, as in tasks 1 and 2 of TREC Fair Ranking; "
    note += "their values are not comparable, so evaluate them separately"
    labels = {"11": "f", "12": "m"}
    assert note in texts(fairtrec.evaluate("AWRF@2", {"a": one, "b": two, "c": one}, labels=labels).notes)
    for runs in ([one], [two], [two, two]):
        assert not any(
            "tasks 1 and 2" in note for note in texts(fairtrec.evaluate("AWRF@2", runs, labels=labels).notes)
        )
