"""Values of queries that other programs have written: each format, what is wrong with files, and what is compared."""

import csv
import io
import json
import math
import shlex
import shutil
import sys
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from ir_measures.__main__ import main_cli

import fairtrec
from fairtrec.report.recorded_paths import rename_paths
from fairtrec.support.errors import FairtrecError, InputError, UsageError
from fairtrec_made import REPOSITORY, pages, texts

MEASURES = "nDCG@10 AP RR"
RUNS = ("bm25", "fair")
PAGE = REPOSITORY / "docs" / "compare.md"


@pytest.fixture(scope="module")
def result(example):
    return fairtrec.evaluate(MEASURES, [example / f"{run}.run" for run in RUNS], qrels=example / "qrels.txt")


@pytest.fixture(scope="module")
def judged(example):
    """The judgments and the runs as dicts, which pytrec_eval takes."""
    qrels, runs = {}, {}
    for line in (example / "qrels.txt").read_text("utf-8").splitlines():
        qid, _, docno, grade = line.split()
        qrels.setdefault(qid, {})[docno] = int(grade)
    for name in RUNS:
        for line in (example / f"{name}.run").read_text("utf-8").splitlines():
            qid, _, docno, _, score, _ = line.split()
            runs.setdefault(name, {}).setdefault(qid, {})[docno] = float(score)
    return qrels, runs


def numbers(of):
    """The rows of a comparison without the names of runs."""
    return [
        (row.measure, row.queries, row.mean, row.difference, row.p, row.p_corrected, row.verdict) for row in of.rows
    ]


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "json", "jsonl"])
def test_our_own_reports_are_compared_as_the_runs_are(form, result, example, tmp_path, fairtrec_command):
    files = {}
    places = [] if form.startswith("json") else ["--places", 17]
    for run in RUNS:
        files[run] = tmp_path / f"{run}.{form}"
        done = fairtrec_command(
            "eval", example / "qrels.txt", example / f"{run}.run", "-m", MEASURES, "-q", "-f", form, "-o", files[run],
            *places,
        )  # fmt: skip
        assert done.code == 0
    read = fairtrec.read_values(files)
    assert [scores.run for scores in read.scores] == list(RUNS)
    assert [scores.values.tolist() for scores in read.scores] == [scores.values.tolist() for scores in result.scores]
    assert numbers(fairtrec.compare(read)) == numbers(fairtrec.compare(result))


@pytest.mark.parametrize("form", ["trec", "csv", "json", "jsonl"])
def test_one_file_of_several_runs(form, result, example, tmp_path, fairtrec_command):
    runs = [example / f"{run}.run" for run in RUNS]
    places = [] if form.startswith("json") else ["--places", 17]
    report = ["-m", MEASURES, "-q", "-f", form, "-o", tmp_path / "both", *places]
    assert fairtrec_command("eval", example / "qrels.txt", *runs, *report).code == 0
    read = fairtrec.read_values(tmp_path / "both")
    names = {str(run): str(run.relative_to(Path.cwd())) for run in runs} if form == "json" else {}
    assert read.means == rename_paths(result.means, names)  # JSON has no absolute path
    done = fairtrec_command("compare", "--values", tmp_path / "both", "--baseline", "fair", "-f", "json")
    rows = json.loads(done.out)["rows"]
    assert [(row["run"], row["p"]) for row in rows] == [
        (names.get(row.run, row.run), row.p) for row in fairtrec.compare(result, "fair").rows
    ]


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_what_ir_measures_prints(form, example, tmp_path, monkeypatch, capsys):
    for run in RUNS:
        files = [str(example / "qrels.txt"), str(example / f"{run}.run")]
        options = ["-q", "-o", form, *["-p", "-1"] * (form == "tsv")]
        monkeypatch.setattr(sys, "argv", ["ir_measures", *files, "nDCG@10", "P(rel=2)@5", *options])
        main_cli()
        (tmp_path / run).write_text(capsys.readouterr().out, "utf-8")
    read = fairtrec.read_values([tmp_path / run for run in RUNS])
    measures = [ir_measures.parse_measure(name) for name in ("nDCG@10", "P(rel=2)@5")]
    for run in RUNS:
        judgments = list(ir_measures.read_trec_qrels(str(example / "qrels.txt")))
        ranked = list(ir_measures.read_trec_run(str(example / f"{run}.run")))
        expected = list(ir_measures.iter_calc(measures, judgments, ranked))
        found = read.per_query[str(tmp_path / run)]
        assert len(expected) == sum(map(len, found.values()))
        assert all(found[str(each.measure)][each.query_id] == each.value for each in expected)


def test_what_trec_eval_prints(judged, tmp_path):
    qrels, runs = judged
    names = ("map", "P_5", "ndcg_cut_10", "recip_rank", "num_ret", "gm_map")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P.5", "ndcg_cut.10", "recip_rank", "num_ret", "gm_map"})
    for run in RUNS:  # print_eval of trec_eval: the name in 22 places, query, value
        found = evaluator.evaluate(runs[run])
        rows = [f"{name:<22}\t{qid}\t{values[name]!r}" for qid, values in found.items() for name in names]
        rows += [
            f"{'runid':<22}\tall\t{run}",
            f"{'num_q':<22}\tall\t12",
            f"{'map':<22}\tall\t0.5",
            "relstring_3\t1\t'01-'",
        ]
        (tmp_path / run).write_text("\n".join(rows) + "\n", "utf-8")
    read = fairtrec.read_values([tmp_path / run for run in RUNS])
    spelled = ["AP", "P@5", "nDCG@10", "RR", "gm_map"]
    assert [str(measure) for measure in read.scores[0].measures] == spelled  # counts are left out, unless asked for
    assert "direction unknown: gm_map; higher and lower are shown instead of better and worse" in texts(read.notes)
    found = read.per_query[str(tmp_path / "fair")]
    expected = evaluator.evaluate(runs["fair"])
    for name, here in zip(("map", "P_5", "ndcg_cut_10", "recip_rank", "gm_map"), spelled, strict=True):
        assert found[here] == {qid: values[name] for qid, values in expected.items()}
    counts = fairtrec.read_values([tmp_path / run for run in RUNS], "num_ret gm_map P.5")
    assert [str(measure) for measure in counts.scores[0].measures] == ["NumRet", "gm_map", "P@5"]
    assert {row.verdict for row in fairtrec.compare(counts).rows} <= {"not shown", "higher", "lower", "better", "worse"}


SHEETS = {
    "elinor": "query_id,ndcg@3,precision@3,f1@3\nq1,0.5,1,0.25\nq2,0.25,0,0.5\n",
    "tabs, and a frame's index": "\tqid\tnDCG@3\tP@3\tf1@3\n0\tq1\t0.5\t1\t0.25\n1\tq2\t0.25\t0.0\t0.5\n",
    "long": "name,qid,measure,value\na,q1,nDCG@3,.5\na,q1,P_3,1\na,q1,f1@3,.25\na,q2,nDCG@3,.25\na,q2,P_3,0\na,q2,f1@3,.5\n",
    "columns": "# said\nq1 nDCG@3 0.5\nq1 P@3 1\nq1 f1@3 0.25\n\nq2 nDCG@3 0.25\nq2 P@3 0\nq2 f1@3 0.5\nall nDCG@3 0.375\n",
    "lines": '{"query_id": "q1", "measure": "nDCG@3", "value": 0.5}\n{"query_id": "q2", "measure": "nDCG@3", "value": 0.25}\n'
    '{"qid": "q1", "metric": "P@3", "score": 1}\n{"qid": "q2", "metric": "P@3", "score": "0"}\n'
    '{"qid": "q1", "metric": "f1@3", "score": 0.25}\n{"qid": "q2", "metric": "f1@3", "score": 0.5}\n',
}  # fmt: skip


@pytest.mark.parametrize("form", SHEETS)
def test_the_same_in_many_formats(form, tmp_path):
    (tmp_path / "a").write_text(SHEETS[form], "utf-8")
    (read,) = fairtrec.read_values(tmp_path / "a").scores
    assert [str(measure) for measure in read.measures] == ["nDCG@3", "P@3", "f1@3"]
    assert [measure.better for measure in read.measures] == ["higher", "higher", "neither"]
    assert (read.qids, read.values.tolist()) == (("q1", "q2"), [[0.5, 0.25], [1.0, 0.0], [0.25, 0.5]])
    assert read.run == ("a" if form == "long" else str(tmp_path / "a"))


def test_queries_that_a_run_lacks_are_treated_as_by_compare(tmp_path):
    (tmp_path / "a").write_text("qid,RR,AP\n1,.5,.1\n2,nan,.2\n3,.25,.3\n4,1,.4\n", "utf-8")
    (tmp_path / "b").write_text("qid,AP,RR\n5,.1,1\n4,.5,.5\n3,.4,.75\n2,.3,1\n", "utf-8")
    view = fairtrec.compare(fairtrec.read_values({"a": tmp_path / "a", "b": tmp_path / "b"}, "RR AP"))
    assert [(row.measure, row.queries, row.baseline, row.mean) for row in view.rows] == [
        ("RR", 2, 0.625, 0.625),
        ("AP", 3, pytest.approx(0.3), pytest.approx(0.4)),
    ]
    assert texts(view.notes)[0] == "b has not the 4 queries of the baseline; only queries that both have are compared"
    sliced = fairtrec.compare(view.result, slices={"odd": ["1", "3"]})
    assert sliced.rows[2].queries == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this file holds no values; write"),
        ("q1 0 d1 1\n", "neither 0 nor d1 is the name of a measure that is known; write CSV"),
        ("map 1 0.5\nmap 2\n", "f:2: not three columns"),
        ("map 1 0.5\nmap 2 high\n", "f:2: the value of map is 'high', which is not a number; correct it, or choose"),
        ("map 1 1_0\n", "f:1: the value of map is '1_0', which is not a number"),
        ("map 1 0.5\nmap 1 0.5\n", "f:2: a second value of map of query 1; remove one, or add a column run"),
        ("map 1 0.5\nAP 1 0.5\n", "f:2: a second value of AP of query 1"),
        ("map all 0.5\n", "only means"),
        ("mine 1 0.5\n", "neither mine nor 1 is the name of a measure that is known; write CSV"),
        ("map\t\t0.5\n", "f:1: an empty name of a query, measure or run"),
        ("runid all x\n", "only means"),
        ("qid,map\n1,.5\n\n2\n", "f:4: 1 column instead of the 2 of the first line"),
        ('qid,map\n1,".5\n', "cannot be split into columns"),
        ("qid,map\n,.5\n", "f:2: a row without the name of its query or run"),
        ("qid,map,map\n1,.5,.5\n", "f:1: two columns are called map; rename one"),
        ("qid,tag\n1,a\n", "f:1: there is no column of values; call one by its measure"),
        ("qid,measure,number\n1,map,.5\n", "f:1: next to the column measure there is no column of values; call it value"),
        ("qid,map\n1,.5\n2,x\n", "f:3: the value of map is 'x'"),
        ('{"qid": 1, "measure": "RR", "value": 1}\n{"qid"\n', "f:2: this line is not JSON"),
        ('{"qid": 1, "measure": "RR"}\n', "f:1: no object with a query, a measure and a value"),
        ('{"qid": 1, "measure": 2, "value": 1}\n', "f:1: the names of query, measure and run are not text"),
        ('{"qid": 1, "measure": "RR", "value": true}\n', "f:1: the value of RR is True, which is not a number"),
        ('{"runs": []}\n', "write it with: fairtrec eval -f json -q"),
        ("{\n", "not JSON"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text(text, "utf-8")
    with pytest.raises(InputError) as fault:
        fairtrec.read_values("f")
    assert str(fault.value).startswith("f:")
    assert message in str(fault.value)


def test_runs_of_one_name_and_of_other_measures(tmp_path, monkeypatch, example):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a": "qid,run,RR\n1,x,1\n",
        "b": "qid,run,AP\n1,x,1\n",
        "c": "qid,run,RR\n1,x,1\n1,y,0\n",
        "e": "qid,run,RR\n1,x,1\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UsageError, match="two runs are called x; rename one: NAME=e"):
        fairtrec.read_values(["a", "e"])
    assert [str(each) for each in fairtrec.read_values(["a", "b"]).scores[0].measures] == ["RR", "AP"]
    with pytest.raises(UsageError, match="no measure in common: p has RR; q has AP; pass files"):
        fairtrec.read_values({"p": "a", "q": "b"})
    with pytest.raises(UsageError, match="p is the name of one run, and c holds 2; leave it out"):
        fairtrec.read_values({"p": "c"})
    with pytest.raises(InputError, match=r"^b: here is no RR of q, only AP; choose one of these"):
        fairtrec.read_values({"p": "a", "q": "b"}, ["RR"])
    summary = fairtrec.evaluate("RR", example / "bm25.run", qrels=example / "qrels.txt")
    from fairtrec.report.writers import RESULTS

    (tmp_path / "d").write_text(RESULTS("json", summary), "utf-8")
    with pytest.raises(InputError, match=r"^d: no values of queries to compare; evaluate with per_query=True"):
        fairtrec.read_values("d")


def test_results_that_were_made_otherwise_are_remarked_on(result, tmp_path):
    from dataclasses import replace

    from fairtrec.report.writers import RESULTS

    files = {}
    for number, order in enumerate(("score", "rank")):
        of = replace(result, scores=(result.scores[number],), signature=result.signature | {"order": order})
        files[RUNS[number]] = tmp_path / f"{order}.json"
        files[RUNS[number]].write_text(RESULTS("json", of, per_query=True), "utf-8")
    assert "the files were made with different choices: order" in texts(fairtrec.read_values(files).notes)


def test_the_command_refuses_what_evaluates(tmp_path, fairtrec_command):
    (tmp_path / "a.csv").write_text("qid,RR\n1,.5\n2,1\n3,1\n", "utf-8")
    (tmp_path / "b.csv").write_text("qid,RR\n1,1\n2,1\n3,.5\n", "utf-8")
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for options in (["-c"], ["--keep-going"], ["--background", "x"]):
        done = fairtrec_command("compare", "--values", *files, *options)
        assert done.code == 2
        assert "--values reads values from files and evaluates no run; leave out" in done.err
    assert "only one run" in fairtrec_command("compare", "--values", files[0]).err
    assert "Missing argument" in fairtrec_command("compare", files[0]).err
    assert fairtrec_command("compare", "--values", *files, "-o", files[0]).code == 2
    beside = fairtrec_command("compare", "--values", files[1], "--baseline", files[0], "-f", "csv").out
    assert beside == fairtrec_command("compare", "--values", *files, "-f", "csv").out
    piped = fairtrec_command("compare", "--values", files[0], "-", "-f", "csv", stdin=files[1].read_bytes()).out
    assert piped == beside.replace(str(files[1]), "-")


ids = st.sampled_from(["1", "2", "10", "dl19-3", "é", "q_4"])
values = st.floats(-9e149, 9e149) | st.sampled_from([np.nan, np.inf, -np.inf])  # larger ones are refused


@given(table=st.dictionaries(ids, st.tuples(values, values), min_size=1, max_size=8))
def test_what_is_written_is_read(table, tmp_path_factory):
    file = tmp_path_factory.mktemp("values") / "f"
    names = ("nDCG@10", "NFaiRR(tau=0)@10")
    stream = io.StringIO()
    csv.writer(stream).writerows([["qid", *names], *[[qid, *map(repr, row)] for qid, row in table.items()]])
    lines = [(name, qid, row[at]) for qid, row in table.items() for at, name in enumerate(names)]
    trec = "".join(f"{name:<22}\t{qid}\t{value!r}\n" for name, qid, value in lines)
    theirs = "".join(f"{qid}\t{name}\t{value!r}\n" for name, qid, value in lines)
    for text in (stream.getvalue(), trec, theirs):
        file.write_text(text, "utf-8", newline="")
        (read,) = fairtrec.read_values(file).scores
        assert read.qids == tuple(sorted(table))
        np.testing.assert_array_equal(read.values, np.array([table[qid] for qid in read.qids]).T)


@given(text=st.text(st.sampled_from("qid,measure\tvalue\n map 1 nDCG@10 {}\":0.5#'all\x00é"), max_size=60))
def test_no_file_makes_a_traceback(text, tmp_path_factory):
    file = tmp_path_factory.mktemp("values") / "f"
    file.write_text(text, "utf-8", newline="")
    try:
        (scores, *_) = fairtrec.read_values(file).scores
    except FairtrecError as fault:
        assert str(fault).startswith(str(file)) or isinstance(fault, UsageError)  # noqa: PT017 - which of two
        return
    assert not math.isnan(scores.values.size)


def test_the_commands_of_the_page(example, tmp_path, monkeypatch, fairtrec_command, capsys):
    for name in ("qrels.txt", "bm25.run", "fair.run"):
        shutil.copy(example / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    section = PAGE.read_text("utf-8").partition("## Values from other programs\n")[2].partition("\n## ")[0]
    commands = [shlex.split(line)[1:] for line in pages.shell_commands(section)]
    *_, last = [fairtrec_command(*command) for command in commands]
    assert last.code == 0
    assert "AP ↑, against bm25" in last.out
