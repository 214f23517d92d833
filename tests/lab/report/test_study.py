"""``fairtrec report``: each number is that of a command; what is left out is said; the page needs nothing else."""

import json
import platform
import re
import shlex
import shutil
from hashlib import sha256
from html import unescape
from xml.etree.ElementTree import XML

import numpy as np
import pytest

import fairtrec
from fairtrec.cli.performing import CommandAnswer
from fairtrec.evaluation.answers import Signature
from fairtrec.lab.report.methods import describe_missing
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.version import __version__
from fairtrec_made.command_trials import SHELL

ASKED = ["qrels.txt", "bm25.run", "neural.run", "fair.run", *SHELL, "-m", "nDCG@10 NFaiRR@10 ARaB@10"]
PARTS = [
    "validate",
    "eval",
    "bounds ties",
    "bounds texts",
    "bounds orders",
    "compare",
    "headroom",
]  # and those that commands declare


@pytest.fixture
def written(write_study):
    """Write a report of the example; give its folder, and what the command printed."""
    return write_study(*ASKED)


def read(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))


@pytest.mark.long
def test_each_answer_is_what_its_command_prints(written, fairtrec_command):
    folder, done = written
    found = read(folder)
    assert [*found["parts"]][: len(PARTS)] == PARTS
    for name, part in found["parts"].items():
        again = fairtrec_command(*part["arguments"])
        answer = json.loads(again.out)
        assert answer.pop("arguments", part["arguments"]) == part["arguments"], name
        assert answer == part["answer"], name
    assert done.out.splitlines()[0] == f"done: {', '.join(found['parts'])}"
    words = {name: shlex.join(part["arguments"]) for name, part in found["parts"].items()}
    assert "--sort NFaiRR@10 --confidence 0.95" in words["eval"]
    assert "--utility nDCG@10 --fairness NFaiRR@10 --loss 0,1%" in words["headroom"]


def test_inputs_have_their_digests(written):
    folder, _ = written
    found = read(folder)["inputs"]
    assert {"qrels", "docs", "background", "run bm25.run", "run neural.run", "run fair.run"} <= {*found}
    for role, file in found.items():
        if role != "terms":  # a list that comes with fairtrec
            assert file["sha256"] == sha256((folder.parent / file["path"]).read_bytes()).hexdigest()


def test_what_was_not_tested_is_said_with_the_reason(written):
    folder, done = written
    left = {each["part"]: each["why"] for each in read(folder)["not_done"]}
    assert left == {
        "bounds labels": "no labels were given (--labels FILE)",
        "bounds texts of ARaB@10": "ARaB@10 has no bounds for missing texts",
        "gold": "no labels by people (--gold SHEET); `fairtrec gold draw` draws documents to label",
    }
    page = (folder / "report.html").read_text("utf-8")
    for part, why in left.items():
        assert f"not done: {part}: {why}" in done.out
        assert why in page


def test_the_page_has_the_numbers_of_the_commands(written):
    folder, _ = written
    page, parts = (folder / "report.html").read_text("utf-8"), read(folder)["parts"]
    text = re.sub(r"<[^>]+>", " ", page)
    for run in parts["eval"]["answer"]["runs"]:
        for mean in run["means"].values():
            shown = [f"{mean[name]:.4f}" for name in ("value", "low", "high")]
            assert all(value in text for value in shown)
    for run in parts["headroom"]["answer"]["runs"]:
        assert all(f"{point['fairness']:.4f}" in text for point in run["points"])
    for row in parts["compare"]["answer"]["rows"]:
        assert f"{row['difference']:+.4f}" in text
    verdict = next(note for note in parts["compare"]["answer"]["notes"] if note["severity"] == "verdict")
    assert verdict["text"].removeprefix("verdict: ") in text
    for method in read(folder)["methods"]:
        assert method.split(" https://")[0].replace("&", "&amp;") in re.sub(r"<[^>]+>", "", page)


def test_each_command_of_the_page_is_the_line_to_type(written, fairtrec_command):
    folder, _ = written
    page = (folder / "report.html").read_text("utf-8")
    lines = [unescape(line) for line in re.findall(r"<code>(fairtrec .*?)</code>", page)]
    *parts, replay = lines
    found = read(folder)["parts"]
    shown = [part["arguments"][:-2] for name, part in found.items() if name != "bounds texts"]  # which move no value
    assert [*map(shlex.split, parts)] == [["fairtrec", *words] for words in shown]
    assert all(each["arguments"][-2:] == ["-f", "json"] for each in found.values())
    assert replay == "fairtrec results replay study/report.json"
    assert fairtrec_command(*shlex.split(replay)[1:]).code == 0


def test_the_line_to_type_keeps_what_follows_the_format():
    words = ("eval", "-m", "P@1", "-f", "json", "--", "qrels.txt", "-odd.run")
    assert CommandAnswer(words, {}, None).line == "fairtrec eval -m P@1 -- qrels.txt -odd.run"


@pytest.mark.long
def test_a_part_is_named_as_it_begins_and_written_as_it_ends(copied, write_study):
    _, done = write_study(*ASKED)
    names = [*read(copied / "study")["parts"]]
    assert [line.partition(":")[0] for line in done.err.splitlines()[: len(names)]] == [
        f"# {at} of {len(names)}, {name}" for at, name in enumerate(names, 1)
    ]
    seen = []

    def watch(line):
        if (copied / "mine").exists():
            found = read(copied / "mine")
            waiting = [left["part"] for left in found["not_done"] if left["why"].startswith("it had not been run")]
            seen.append((line.partition(":")[0].partition(", ")[2], [*found["parts"]], waiting))
            assert "</html>" in (copied / "mine" / "report.html").read_text("utf-8")

    runs = ["bm25.run", "fair.run"]
    fairtrec.study("nDCG@10 AWRF@10", runs, qrels="qrels.txt", labels="labels.tsv", folder="mine", watch=watch)
    assert [(name, waiting[0]) for name, _, waiting in seen] == [(name, name) for name, *_ in seen]
    assert seen[0] == ("bounds ties", ["validate", "eval"], [name for name, *_ in seen])
    assert not any(left["why"].startswith("it had not") for left in read(copied / "mine")["not_done"])


def test_the_signature_has_test_correction_and_baseline(written):
    folder, _ = written
    found = read(folder)
    signature, own = (
        Signature.read(each) for each in (found["signature"], found["parts"]["eval"]["answer"]["signature"])
    )
    assert {name: signature[name] for name in ("baseline", "test", "correction")} == {
        "baseline": "bm25.run", "test": "t", "correction": "holm"}  # fmt: skip
    assert {*signature} - {*own} == {"baseline", "test", "correction"}
    assert all(signature[name] == value for name, value in own.items())
    assert found["signature"] in (folder / "report.html").read_text("utf-8")


def test_the_methods_name_what_a_paper_needs(written, write_study, copied):
    folder, _ = written
    said = " ".join(read(folder)["methods"])
    for words in (
        f"3 runs were evaluated over 12 queries with fairtrec {__version__}, Python {platform.python_version()}, numpy {np.__version__}.",
        "The baseline is bm25; a comparison is over 12 queries.",
        "p: paired t-test; 95% interval: by Student's t",
        "A difference is shown if p Holm is at most 0.05 (Holm over 6 comparisons: 2 runs x 3 measures).",
        "Every document that a measure looks at has a text or counts.",
    ):
        assert words in said
    shutil.rmtree(folder)
    write_study(
        "none", "log.csv", "--columns", "group=provider_group", "--order", "position", "-m", "AWRF@5 Exposure@5"
    )
    assert "Labels: of 60 documents in the measured ranks, 58 have a label." in read(folder)["methods"]


@pytest.mark.parametrize(
    ("missing", "notes", "said"),
    [
        ("neutral(1729)", [], ["Documents without text or counts (1,729) count as having no group words (--missing neutral)."]),
        ("skip(1)", [], ["Documents without text or counts (1) are left out (--missing skip)."]),
        ("worst(2)", [], ["Documents without text or counts (2) count as having words of one group only (--missing worst)."]),
        ("neutral", [], ["Every document that a measure looks at has a text or counts."]),
        ("even", [], ["Documents without a label count evenly for all groups (--missing even)."]),
        ("", [{"kind": "known groups", "text": "of 9, 8 have a label"}], ["Labels: of 9, 8 have a label."]),
    ],
)  # fmt: skip
def test_the_methods_say_what_missing_documents_count_as(missing, notes, said):
    signature = f"fairtrec:0.1.0 | missing:{missing}" if missing else "fairtrec:0.1.0"
    assert [*describe_missing({"signature": signature, "notes": notes})] == said


@pytest.mark.long
def test_the_figure_has_a_dot_for_each_run(written, write_study):
    folder, _ = written
    page = (folder / "report.html").read_text("utf-8")
    (figure,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert re.findall(r"<title>(.*?)</title>", figure) == ["bm25", "neural", "fair"]
    front = re.findall(r'class="point front.*?<title>(.*?)</title>', figure, re.DOTALL)
    assert sorted(front) == ["fair", "neural"]  # bm25 has less of both than fair
    assert "nDCG@10, higher is better" in figure
    assert "NFaiRR@10, higher is better" in figure
    shutil.rmtree(folder)
    write_study("qrels.txt", "bm25.run", "--labels", "labels.tsv", "-m", "nDCG@10 AWRF@10")
    assert "<svg" not in (folder / "report.html").read_text("utf-8")


def test_bounds_that_move_no_value_are_one_line(written):
    folder, _ = written
    page = (folder / "report.html").read_text("utf-8")
    assert {*re.findall(r'<section id="bounds-(\w+)">', page)} == {"ties", "orders"}
    assert 'href="#bounds-texts"' not in page
    assert "<li>How much do documents without a text leave open?<br>no value changes</li>" in page


def test_the_page_runs_no_script_and_loads_nothing(written):
    folder, _ = written
    page = (folder / "report.html").read_text("utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert not re.findall(r"(?:src|srcset|@import|url\()\s*=?\s*[\"'(]?http", page)
    whole = XML(re.sub(r"<(meta|br)([^>]*)>", r"<\1\2/>", page.partition("\n")[2]))
    links = [each.get("href") for each in whole.iter("a")]
    assert {link for link in links if link.startswith("#")} <= {f"#{each.get('id')}" for each in whole.iter("section")}
    assert any(link.startswith("https://doi.org/") for link in links)


@pytest.mark.long
def test_a_part_that_fails_is_listed_and_changes_the_exit_code(copied, fairtrec_command):
    (copied / "broken.tsv").write_text("nothing\there\n")
    asked = [
        "report",
        "qrels.txt",
        "bm25.run",
        "--labels",
        "labels.tsv",
        "-m",
        "nDCG@10 AWRF@10",
        "--gold",
        "broken.tsv",
    ]
    done = fairtrec_command(*asked, "-o", "one")
    assert done.code == 3
    left = {each["part"]: each["why"] for each in read(copied / "one")["not_done"]}
    assert left["gold"].startswith("broken.tsv:1: ")
    assert left["compare"] == "there is one run; compare takes two or more"
    assert fairtrec_command(*asked, "-o", "two", "--keep-going").code == 0
    assert read(copied / "two") == read(copied / "one")


def test_a_file_of_answers_is_two_runs_and_is_validated_once(copied, fairtrec_command):
    ranked = [line.split()[:3] for line in (copied / "bm25.run").read_text("utf-8").splitlines()]
    topics = {qid: [docno for each, _, docno in ranked if each == qid] for qid, *_ in ranked}
    answers = [
        {"topic_id": qid, "references": docnos, "answer": [{"text": "", "citations": [1, 0]}]}
        for qid, docnos in topics.items()
    ]
    (copied / "rag.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in answers), "utf-8")
    done = fairtrec_command("report", "qrels.txt", "rag.jsonl", "-m", "nDCG@10", "-o", "study")
    assert done.code == 0, done.err
    parts = read(copied / "study")["parts"]
    assert parts["validate"]["arguments"][1:3] == ["rag.jsonl", "--qrels"]
    names = [run["run"] for run in parts["eval"]["answer"]["runs"]]
    assert names == ["rag.jsonl:retrieved", "rag.jsonl:cited"]


def test_runs_that_cannot_be_evaluated_leave_no_report(copied, fairtrec_command):
    (copied / "bad.run").write_text("q1 Q0 d1\n")
    done = fairtrec_command("report", "qrels.txt", "bad.run", "-o", "study")
    assert (done.code, len(done.complaints)) == (3, 1)
    assert not (copied / "study").exists()
    done = fairtrec_command("report", "qrels.txt", "bm25.run", "--labels", "labels.tsv", "-m", "AWRF@10", "--tokenizer",
                            "space", "-o", "study")  # fmt: skip
    assert (done.code, "--tokenizer has no effect" in done.err) == (2, True)
    assert not (copied / "study").exists()


def test_a_folder_that_is_not_empty_is_kept(copied, fairtrec_command):
    (copied / "study").mkdir()
    (copied / "study" / "mine.txt").write_text("mine")
    asked = ("report", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-o", "study")
    done = fairtrec_command(*asked)
    assert (done.code, "the folder study is not empty; " in done.err) == (2, True)
    assert fairtrec_command(*asked, "--force").code == 0
    assert (copied / "study" / "mine.txt").read_text() == "mine"
    assert {each["part"] for each in read(copied / "study")["not_done"]} >= {"compare", "headroom", "gold"}


def test_a_baseline_that_there_is_not_leaves_no_report(copied, fairtrec_command):
    asked = ("report", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10", "-o", "study", "--baseline")
    done = fairtrec_command(*asked, "fiar.run")
    assert (done.code, "there is no run or file fiar.run; name the baseline as one of" in done.err) == (2, True)
    assert not (copied / "study").exists()


@pytest.mark.long
def test_a_run_that_is_called_like_an_option_is_a_run(copied, fairtrec_command):
    (copied / "bm25.run").rename(copied / "-obm25.run")
    asked = ("qrels.txt", "--labels", "labels.tsv", "-m", "nDCG@10 AWRF@10", "-o", "study", "--", "-obm25.run")
    done = fairtrec_command("report", *asked, "fair.run")
    assert (done.code, (copied / "bm25.run").exists()) == (0, False), done.err
    assert {"validate", "eval", "compare", "headroom"} <= {*read(copied / "study")["parts"]}
    assert fairtrec_command("results", "replay", "study/report.json").code == 0


@pytest.mark.long
def test_an_option_without_effect_on_a_part_is_left_out_of_it(copied, fairtrec_command):
    asked = ["report", "qrels.txt", "bm25.run", "fair.run", "--labels", "labels.tsv", "-m", "nDCG@10 AWRF@10"]
    done = fairtrec_command(
        *asked, "-o", "study", "--queries", "judged", "--baseline", "fair.run", "--target", "f=0.4,m=0.6"
    )
    assert done.code == 0, done.err
    parts = read(copied / "study")["parts"]
    assert "--target" in parts["headroom"]["arguments"]
    assert parts["compare"]["answer"]["baseline"] == "fair.run"
    assert "--queries" not in parts["validate"]["arguments"]
    assert all("--queries" in parts[name]["arguments"] for name in ("eval", "compare", "headroom"))


@pytest.mark.long
def test_python_writes_the_same_report(written):
    folder, _ = written
    given = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
    runs = ["bm25.run", "neural.run", "fair.run"]
    found = fairtrec.study("nDCG@10 NFaiRR@10 ARaB@10", runs, qrels="qrels.txt", folder="again", jobs=None, **given)
    assert found.record["parts"] == read(folder)["parts"]
    assert (folder.parent / "again" / "report.json").read_bytes() == (folder / "report.json").read_bytes()
    page = (folder.parent / "again" / "report.html").read_text("utf-8")
    replay = "fairtrec results replay again/report.json"
    assert page.replace(replay, replay.replace("again", "study")) == (folder / "report.html").read_text("utf-8")


def test_python_refuses_what_is_no_file(copied):
    with pytest.raises(UsageError, match="a report names files, and runs holds data; write it to a file"):
        fairtrec.study("nDCG@10", {"q1": {"d1": 1.0}}, qrels="qrels.txt", folder="study")
    with pytest.raises(UsageError, match="labels holds data"):
        fairtrec.study("AWRF@10", "bm25.run", qrels="qrels.txt", folder="study", labels={"p001": "f"})
    with pytest.raises(InputError):
        fairtrec.study("nDCG@10", "no-such.run", qrels="qrels.txt", folder="study")
    assert not (copied / "study").exists()


@pytest.mark.long
def test_several_attributes_are_named_again(copied, fairtrec_command):
    asked = ["report", "none", "bm25.run", "fair.run", "--labels", "one=labels.tsv", "--labels", "two=labels.tsv"]
    done = fairtrec_command(*asked, "-m", "AWRF(by='one')@10", "--target", "one=f=0.4,m=0.6", "-o", "study")
    assert done.code == 0, done.err
    words = read(copied / "study")["parts"]["eval"]["arguments"]
    assert words[words.index("--labels") :][:4] == ["--labels", "one=labels.tsv", "--labels", "two=labels.tsv"]
    assert "one=f=0.4,m=0.6" in words
    headroom = read(copied / "study")["parts"]["headroom"]["arguments"]
    assert headroom[headroom.index("--utility") + 1] == "scores"


def test_a_folder_may_have_the_ending_of_a_file_if_it_exists_or_ends_in_a_slash(copied, fairtrec_command):
    (copied / "old.html").mkdir()
    for folder in ("old.html", "new.html/"):
        assert "names a folder" not in fairtrec_command("report", "none", "no-such.run", "-o", folder).err
    assert (
        fairtrec_command("report", "none", "no-such.run", "-o", "new.html").err == "-o names a folder; write -o new\n"
    )
