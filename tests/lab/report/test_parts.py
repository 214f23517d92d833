"""``fairtrec results replay report.json``: each part is run again, and nothing that a stranger wrote writes a file."""

import json

import pytest

from fairtrec_made.command_trials import SHELL


@pytest.fixture
def study(change_study):
    """Write a report of the example, and give it as an object and a function that writes it changed."""
    return change_study("qrels.txt", "bm25.run", "fair.run", *SHELL, "-m", "nDCG@10 NFaiRR@10")


@pytest.mark.long
def test_the_same_inputs_give_the_same_answers(study, fairtrec_command, copied, monkeypatch):
    found, _ = study
    done = fairtrec_command("results", "replay", "study/report.json")
    assert (done.code, done.out) == (0, "")
    assert f"values: {', '.join(found['parts'])}" in done.err
    done = fairtrec_command("results", "replay", "study/report.json", "-f", "json")
    told = json.loads(done.out)
    assert told["same"]
    assert told["parts"] == [*found["parts"]]
    assert told["compared"] > 500
    monkeypatch.chdir("/")
    elsewhere = fairtrec_command("results", "replay", copied / "study" / "report.json", "--root", copied)
    assert (elsewhere.code, elsewhere.out) == (0, "")


@pytest.mark.long
def test_another_value_is_shown(study, fairtrec_command):
    found, write = study
    run = found["parts"]["eval"]["answer"]["runs"][0]
    run["means"]["NFaiRR@10"]["value"] += 1e-6
    found["parts"]["compare"]["answer"]["rows"].pop()
    name = write()
    done = fairtrec_command("results", "replay", name)
    assert done.code == 1
    assert "eval, runs[0].means.NFaiRR@10.value: " in done.out
    assert "compare, rows: " in done.out
    done = fairtrec_command("results", "replay", name, "--tolerance", "1e-5", "-f", "json")
    assert (done.code, [each["part"] for each in json.loads(done.out)["values"]]) == (1, ["compare"])


@pytest.mark.long
def test_a_whole_number_that_no_float_holds_differs(study, fairtrec_command):
    found, write = study
    found["parts"]["eval"]["answer"]["runs"][0]["means"]["NFaiRR@10"]["value"] = 10**400
    done = fairtrec_command("results", "replay", write())
    assert (done.code, "eval, runs[0].means.NFaiRR@10.value: 1000" in done.out) == (1, True)


def test_an_input_that_has_changed_is_named(study, fairtrec_command, copied):
    with (copied / "bm25.run").open("a") as file:
        file.write("112 Q0 p001 99 0.001 bm25\n")
    done = fairtrec_command("results", "replay", "study/report.json")
    assert (done.code, "bm25.run: this run of study/report.json has changed" in done.err) == (3, True)
    (copied / "bm25.run").unlink()
    done = fairtrec_command("results", "replay", "study/report.json")
    assert (done.code, "there is no such file, which is the run of study" in done.err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (lambda old: [*old, "-o", "stolen.txt"], "does not only print JSON"),
        (lambda old: [*old[:-1], "table"], "does not only print JSON"),
        (lambda old: ["counts", "make", "collection.tsv", "-o", "stolen.txt"], "must begin with one of eval, compare"),
        (lambda _: [], "must begin with one of"),
        (lambda _: "eval", "must be a list of texts"),
        (lambda old: [*old, "--no-such"], "No such option"),
        (lambda _: ["eval", "--help"], "asks for help"),
        (lambda _: ["validate", "bm25.run", "--fix", "stolen.txt", "-f", "json"], "does not only print JSON"),
        (lambda old: [*old, "--only", "nonsense"], "cannot be run"),
    ],
)
def test_a_file_of_a_stranger_writes_nothing(study, fairtrec_command, copied, arguments, says):
    found, write = study
    part = found["parts"]["eval"]
    part["arguments"] = arguments(part["arguments"])
    name = write()
    before = {*copied.rglob("*")}
    done = fairtrec_command("results", "replay", name)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1), done.err
    assert "; write it again with this version of fairtrec" in done.err or "choose" in done.err
    assert says in done.err
    assert {*copied.rglob("*")} == before


def test_options_for_results_of_eval_are_refused(study, fairtrec_command):
    done = fairtrec_command("results", "replay", "study/report.json", "--accept")
    assert (done.code, "--accept is for files of `fairtrec eval`; leave it out" in done.err) == (2, True)


def test_a_file_without_parts_is_refused(study, fairtrec_command):
    found, write = study
    found["parts"] = {}
    done = fairtrec_command("results", "replay", write())
    assert (done.code, "parts must have one part or more; write it again with" in done.err) == (3, True)


def test_no_input_is_written_over(study, fairtrec_command, copied):
    before = (copied / "bm25.run").read_bytes()
    done = fairtrec_command("results", "replay", "study/report.json", "-o", "bm25.run")
    assert (done.code, "the output bm25.run is also read; choose another with -o" in done.err) == (2, True)
    assert (copied / "bm25.run").read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "/etc/hostname", "-f", "json"],
        ["validate", "bm25.run", "--docs", "/dev/zero", "-f", "json"],
        ["eval", "vaswani", "bm25.run", "-m", "nDCG@10", "-f", "json"],
        ["eval", "qrels.txt", "b=neural.run", "-m", "nDCG@10", "-f", "json"],
        ["eval", "qrels.txt", "bm25.run", "-m", "AWRF@10", "--labels", "g=labels.tsv", "-f", "json"],
        ["eval", "qrels.txt", "bm25.run", "-m", "AWRF@10", "--labels", "labels.tsv*qrels.txt", "-f", "json"],
        ["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "--queries", "queries.tsv", "-f", "json"],
        ["compare", "qrels.txt", "bm25.run", "-m", "nDCG@10", "--baseline", "neural.run", "-f", "json"],
        ["eval", "qrels.txt", "bm25.run", *SHELL[:4], "-m", "AWRF@10", "--target", "labels.tsv", "-f", "json"],
    ],
    ids=" ".join,
)
def test_what_has_no_sha256_is_not_read(study, arguments, fairtrec_command):
    found, write = study
    found["parts"] = {"strange": {"arguments": arguments, "answer": {}}}
    done = fairtrec_command("results", "replay", write())
    assert done.code == 3
    assert ", of which this file has no sha256; write it again with this version of fairtrec" in done.err
    assert "the part strange reads " in done.err


@pytest.mark.parametrize("words", [["neural.run"], ["bm25.run", "--baseline", "neural.run"]], ids=" ".join)
def test_a_file_is_no_input_because_a_run_has_its_name(study, words, fairtrec_command):
    found, write = study
    found["inputs"]["run neural.run"] = found["inputs"]["run bm25.run"]
    arguments = ["compare", "qrels.txt", "fair.run", *words, "-m", "nDCG@10", "-f", "json"]
    found["parts"] = {"strange": {"arguments": arguments, "answer": {}}}
    done = fairtrec_command("results", "replay", write())
    assert done.code == 3
    assert "the part strange reads neural.run, of which this file has no sha256" in done.err


@pytest.mark.long
def test_inputs_named_in_other_ways_are_known(copied, fairtrec_command):
    asked = ["qrels.txt", "bm25.run", "Fair=fair.run", "--labels", "g=labels.tsv", "--target", "f=0.4,m=0.6"]
    more = ["--baseline", "neural.run", "--queries", "judged", "-m", "nDCG@10 AWRF@10"]
    assert fairtrec_command("report", *asked, *more, "-o", "other").code == 0
    assert fairtrec_command("results", "replay", "other/report.json").code == 0
