"""What few people do, from the command line and from Python: each is answered as the pages say, not by a traceback."""

import gzip
import io
import math
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from ir_measures import ScoredDoc
from pyarrow import parquet

import fairtrec
from fairtrec.annotation.counting import counter, documents, long
from fairtrec.annotation.counting.counter import Lexicon
from fairtrec.data import Docnos, GroupTerms
from fairtrec.errors import InputError, ResourceError, UsageError
from fairtrec.evaluation.signature import Signature
from fairtrec.files.lines import PIECE, Lines
from fairtrec.formats import datasets, labels
from fairtrec.formats import run as run_format
from fairtrec.measure import Measure
from fairtrec.report.gate.verdicts import distinct
from fairtrec.validation import collection

FILES = {
    "run": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq2 Q0 d3 1 2 t\nq2 Q0 d1 2 1 t\n",
    "other": "q1 Q0 d2 1 3 t\nq1 Q0 d1 2 2 t\nq2 Q0 d1 1 2 t\nq2 Q0 d3 2 1 t\n",
    "broken": "q1 Q0 d1 1 x t\n",
    "qrels": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n",
    "docs.tsv": "d1\tshe and he\nd2\the said\nd3\tthey said\n",
    "terms.csv": "she,f\nthey,f\nhe,m\nthey,m\n",
    "labels.tsv": "d1\tf\nd2\tm\nd3\tm\n",
    "per-query.tsv": "q1\td1\tf\nq1\td2\tm\nq2\td3\tm\nq2\td1\tf\n",
    "regions.tsv": "d1\tnorth\nd2\tsouth\nd3\tnorth\n",
    "other-labels.tsv": "q1\td1\tx\nq2\td3\ty\n",
    "targets.tsv": "q1\tf\t0.25\nq1\tm\t0.75\n",
    "nobody.tsv": "q9\tf\t1\n",
}
TEXTS = {"groups": "terms.csv", "docs": "docs.tsv"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work where these files are, in no workflow of GitHub."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def value(measure, run="run", **given):
    return fairtrec.evaluate(measure, run, given.pop("qrels", None), **given).scores[0]


# -- targets, labels and measures ------------------------------------------------------------------------------------


def test_a_target_for_each_query_is_that_of_the_query():
    of_file = value("AWRF@2", labels="labels.tsv", target="targets.tsv")
    of_all = value("AWRF@2", labels="labels.tsv", target="f=0.25,m=0.75")
    assert of_file.values[0, 0] == of_all.values[0, 0]
    assert math.isnan(of_file.values[0, 1])  # no target was given for q2
    result = fairtrec.evaluate("AWRF@2", "run", labels="labels.tsv", target="targets.tsv")
    assert [file.name for part, file in result.files.items() if part.of == "target"] == ["targets.tsv"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"target": "nobody.tsv"}, "the targets are for none of its queries"),
        ({"target": "f=0.5,f=0.5,m=0.5"}, "the target f=0.5,f=0.5,m=0.5 names a group twice"),
        ({"target": 3}, "the target is 3; it must be a word, or shares"),
        ({"labels": "qrels"}, "--labels qrels needs relevance judgements; give a qrels file"),
        ({"labels": "labels.tsv*other-labels.tsv"}, "per query and per document cannot be crossed"),
    ],
)
def test_targets_and_labels_that_do_not_fit(options, what):
    with pytest.raises((UsageError, InputError), match=re.escape(what)):
        value("AWRF@2", **{"labels": "labels.tsv", **options})


def test_counts_are_of_documents_not_of_queries():
    with pytest.raises(UsageError, match="measures of counts take one set of labels for all queries"):
        value("ARaB@2", labels="per-query.tsv")


def test_labels_that_know_few_queries_are_asked_about():
    lines = [f"q{i} Q0 d{i} 1 1 t\n" for i in range(20)]
    Path("many").write_text("".join(lines))
    Path("few.tsv").write_text("d1\tf\nd2\tm\n")
    (remark,) = value("AWRF@2", "many", labels="few.tsv").remarks
    assert str(remark).endswith(
        "2 of the 20 ranks looked at; 18 of 20 queries have no document of known group, are these the right labels?"
    )


def test_a_term_of_two_groups_is_told():
    result = fairtrec.evaluate("TExFAIR@2", "run", **TEXTS)
    assert "in the list of more than one group, so counted for each: they" in result.notes


def test_a_grade_from_which_documents_count_reaches_measures_that_have_one():
    judged = {"qrels": "qrels", "labels": "labels.tsv"}
    one = value("FAIR(gain=ap,rel=2)@2", **judged).values
    other = value("FAIR(gain=ap)@2", relevance_level=2, **judged).values
    np.testing.assert_array_equal(one, other)
    assert math.isnan(one[0, 0])  # no document of q1 has the grade 2
    assert not math.isnan(value("FAIR(gain=ap)@2", **judged).values[0, 0])


def test_numbers_of_measures():
    (whole,) = fairtrec.evaluate("GFR(p=1)@2", "run", "qrels", labels="labels.tsv").scores[0].measures
    assert str(whole) == "GFR(p=1.0)@2"
    with pytest.raises(UsageError, match=r"the parameter tau is 99999999999; it must be at most 2,147,483,647"):
        value("NFaiRR(tau=99999999999)@10", **TEXTS)


def test_a_measure_that_cannot_be_computed():
    with pytest.raises(TypeError, match="Measure does not say how it is computed; give it a __call__"):
        Measure()()

    @dataclass(frozen=True)
    class Faulty(Measure):
        def __call__(self, lengths):
            return np.zeros(len(lengths) + 1)

    with pytest.raises(UsageError, match=r"Faulty gave values of the shape \(3,\) for 2 queries; it has a fault"):
        value(Faulty())


def test_samples_are_read_from_files():
    with pytest.raises(UsageError, match="several rankings for each query are read from files; give a path"):
        value("RR", {"q1": {"d1": 1.0}}, qrels="qrels", samples=True)


def test_a_run_in_memory_need_not_stand_query_by_query():
    rows = [("q1", "d1", 3), ("q2", "d3", 2), ("q1", "d2", 2), ("q2", "d1", 1)]
    run = [ScoredDoc(*row) for row in rows]
    assert value("RR nDCG", run, qrels="qrels").values.tolist() == value("RR nDCG", qrels="qrels").values.tolist()


@pytest.mark.parametrize("twice", [False, True])
def test_large_runs_are_looked_through_beside_their_ranking(monkeypatch, twice):
    small = run_format.read("run")
    monkeypatch.setattr(run_format, "LARGE", 2)
    if not twice:
        assert run_format.read("run").docnos.tolist() == small.docnos.tolist()
        return
    Path("run").write_text(FILES["run"] + "q1 Q0 d1 3 1 t\n")
    with pytest.raises(InputError, match=r"run:5: document d1 stands twice under query q1 \(first on line 1\)"):
        run_format.read("run")


def test_a_signature_is_a_mapping():
    signature = fairtrec.evaluate("RR", "run", "qrels").signature
    assert isinstance(signature, Signature)
    assert len(signature) == len(list(signature)) == 3


# -- files -----------------------------------------------------------------------------------------------------------


def test_of_a_line_without_an_end_only_the_start_is_kept():
    text = b"a" * (3 * PIECE + 7) + b"\nb\n"
    lines = Lines(io.BufferedReader(io.BytesIO(text), 1), 10, 100)
    kept = b"".join(lines)
    assert kept.endswith(b"\nb\n")
    assert 100 < len(kept) < len(text)
    assert lines.damage == ""


@pytest.mark.parametrize(("patched", "code"), [("open", 3), ("iterdir", 3)])
def test_what_may_not_be_read_is_told(monkeypatch, fairtrec_command, patched, code):
    Path("runs").mkdir()

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    if patched == "open":
        monkeypatch.setattr("fairtrec.files.opening.open", refuse, raising=False)
    else:
        monkeypatch.setattr(Path, patched, refuse)
    done = fairtrec_command("eval", "qrels", "run" if patched == "open" else "runs", "-m", "RR")
    assert done.code == code
    (line,) = done.complaints
    assert "may not be read; change its permissions" in line


def test_home_of_nobody(monkeypatch, fairtrec_command):
    monkeypatch.setenv("FAIRTREC_HOME", "~nobody-of-this-name/x")
    done = fairtrec_command("resources", "list")
    assert done.code == ResourceError.exit_code
    assert "FAIRTREC_HOME is ~nobody-of-this-name/x, and there is no such user" in done.err


def test_labels_of_a_parquet_file():
    parquet.write_table(pa.table({"docno": [b"d1", b"d2"], "group": ["b", "a"]}), "labels.parquet")
    assert labels.read("labels.parquet").groups == ("a", "b")
    Path("labels.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="this is no Parquet file"):
        labels.read("labels.parquet")


class Doc(NamedTuple):
    doc_id: str
    text: str
    region: list[str] | None


class Dataset:
    """A dataset of ir_datasets, with a field for groups."""

    def has_docs(self):
        return True

    def docs_cls(self):
        return Doc

    def docs_iter(self):
        return iter([Doc("d1", "she", ["north"]), Doc("d2", "he", ["south"]), Doc("d3", "it", None)])


def test_labels_of_a_field_of_a_dataset(monkeypatch):
    monkeypatch.setattr("ir_datasets.load", lambda _: Dataset())
    found = datasets.labels("mine:region")
    assert datasets.labels("irds:mine:region").groups == found.groups
    assert found.groups == ("north", "south")
    crossed = datasets.labels("mine:region, region")
    assert len(crossed.groups) == 4
    with pytest.raises(InputError, match="its documents have no field colour; they have doc_id, text, region"):
        datasets.labels("mine:colour")
    with pytest.raises(InputError, match="for an ir_datasets id name a field too, like id:gender"):
        datasets.labels("mine")


def test_docnos_of_a_dataset_are_looked_up(monkeypatch):
    monkeypatch.setattr(datasets, "texts", lambda _, wanted: iter([(0, "she")][: len(wanted)]))
    monkeypatch.setattr(datasets, "_dataset", lambda *_: Dataset())
    found, _ = collection.of_texts("mine", ["run"])
    assert found.names.tolist() == [b"d1"]


def test_a_list_of_docnos_that_is_empty(fairtrec_command):
    Path("docnos").write_text("")
    done = fairtrec_command("validate", "run", "--docnos", "docnos")
    assert done.code == 3
    assert "docnos" in done.err


def test_queries_of_validate_are_a_query_set(fairtrec_command):
    Path("wanted").write_text("q1\nq2\nq3\n")
    done = fairtrec_command("validate", "run", "--queries", "wanted")
    assert "q3" in done.out


def test_a_docno_may_begin_with_a_blank():
    texts = documents.of_tsv(b" d1\tshe\n  \nd2 she\n", 100)
    assert texts.lines.tolist() == [1]
    assert [(line, what.partition(";")[0]) for line, what in texts.faults] == [
        (3, "this line has no tab behind a docno")
    ]


def test_documents_in_memory_are_checked_as_those_of_files():
    texts = documents.of_pairs([("d1", "she"), (" ", "he"), ("d3", "x" * 101)], 100)
    assert texts.lines.tolist() == [1]
    assert [what for _, what in texts.faults] == [
        "an empty docno; name the document",
        "a document of more than 100 bytes; break it up, or raise --max-doc-bytes",
    ]


@pytest.mark.parametrize("text", ["." * 50, "she" + "." * 50 + " he", "." * 50 + "she he"])
def test_signs_without_end_change_no_count(monkeypatch, text):
    monkeypatch.setattr(long, "PIECE", 8)
    lexicon = Lexicon.of(GroupTerms("", {"f": ("she",), "m": ("he",)}))
    both = [
        counter.annotate([(0, each)], Docnos.of(np.array([b"d"])), lexicon)
        for each in (text, long.shortened(text.encode(), lexicon).decode())
    ]
    assert both[0].counts.tolist() == both[1].counts.tolist()
    assert both[0].tokens.tolist() == both[1].tokens.tolist()


# -- commands --------------------------------------------------------------------------------------------------------


def test_commands_are_completed_by_the_shell(monkeypatch, capsys):
    from fairtrec.cli import command

    monkeypatch.setenv("_FAIRTREC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "fairtrec ann")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        command.main(prog_name="fairtrec")
    assert capsys.readouterr().out.splitlines() == ["plain,annotate", "plain,annotations"]


@pytest.mark.parametrize(("name", "says"), [(",", "no measure was named"), ("nDCG@10", "nDCG"), ("map", "AP")])
def test_pages_of_what_is_not_ours(fairtrec_command, name, says):
    done = fairtrec_command("measures", name)
    assert done.code == (2 if name == "," else 0)
    assert says in done.out + done.err


def test_all_runs_are_broken(fairtrec_command):
    done = fairtrec_command("compare", "qrels", "broken", "broken", "-m", "RR", "--keep-going")
    assert (done.code, done.out) == (3, "")


def test_no_order_of_runs_that_are_alike(fairtrec_command):
    done = fairtrec_command("compare", "qrels", "run", "run", "-m", "P@1", "--cutoffs", "1,2")
    assert done.code == 0
    assert "the runs have no order, for all are alike" in done.out + done.err


def test_a_measure_without_a_cutoff_has_no_curve():
    result = fairtrec.evaluate("RR", ["run", "other"], "qrels")
    with pytest.raises(UsageError, match="RR has no cutoff to vary; leave it out"):
        fairtrec.curves(result)


def test_a_summary_that_cannot_be_written(monkeypatch, fairtrec_command):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder")
    done = fairtrec_command("check", "qrels", "run", "--require", "RR >= 0.1")
    assert done.code == 2
    assert "cannot write $GITHUB_STEP_SUMMARY: No such file or directory; unset it" in done.err


def test_slices_that_no_requirement_is_about(fairtrec_command):
    Path("slices.tsv").write_text("q1\teasy\nq2\thard\n")
    done = fairtrec_command("check", "qrels", "run", "--require", "RR >= 0.1", "--slice", "slices.tsv")
    assert "no requirement is about slices; write: worst slice MEASURE >= BOUND" in done.out + done.err


def test_a_gate_on_values_that_were_recorded(fairtrec_command):
    for name, run in (("mine.json", "run"), ("base.json", "other")):
        assert fairtrec_command("eval", "qrels", run, "-m", "RR", "-q", "-f", "json", "-o", name).code == 0
    mine, base = map(fairtrec.read_results, ("mine.json", "base.json"))
    checked = fairtrec.check("RR >= baseline", mine, baseline=base)
    of_files = fairtrec.check("RR >= baseline", "run", "qrels", baseline="base.json")
    assert [each.status for each in checked.verdicts] == [each.status for each in of_files.verdicts]
    (scores,) = mine.result().scores
    assert scores.means.tolist() == value("RR", qrels="qrels").means.tolist()


def test_results_without_queries_and_of_other_inputs_differ(fairtrec_command):
    Path("qrels.2").write_text(FILES["qrels"] + "q1 0 d9 0\n")
    for name, qrels, run in (("one.json", "qrels", "run"), ("two.json", "qrels.2", "other")):
        assert fairtrec_command("eval", qrels, run, "-m", "RR", "-f", "json", "-o", name).code == 0
    done = fairtrec_command("diff", "one.json", "two.json")
    assert done.code == 1
    assert re.search(r"^input, qrels: \w{8} \| \w{8} \(sha256\)$", done.out, re.MULTILINE)


def test_numbers_that_no_digits_tell_apart():
    assert distinct(1e-30, 2e-30, 4) == ("1e-30", "2e-30")


def test_options_of_a_file_that_cannot_be_read(monkeypatch, fairtrec_command):
    Path("gate.toml").write_text('[tool.fairtrec.check]\nrequire = "RR >= 0.1"\nlabels = "labels.tsv*regions.tsv"\n')
    assert fairtrec_command("check", "qrels", "run", "--config", "gate.toml").code == 0
    real = Path.open

    def refuse(path, *args, **options):
        if path.name == "gate.toml":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **options)

    monkeypatch.setattr(Path, "open", refuse)
    done = fairtrec_command("check", "qrels", "run", "--config", "gate.toml")
    assert done.code == 3
    assert "gate.toml: cannot be read (Permission denied); check --config" in done.err


def test_a_run_that_cannot_be_mended_where_it_should_stand(monkeypatch, fairtrec_command):
    Path("untidy").write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 1 3 t\nq1 Q0 d1 1 3 t\n")

    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", refuse)
    done = fairtrec_command("validate", "untidy", "--fix", "fixed")
    assert done.code == 2
    assert "cannot write fixed: No space left on device; write elsewhere with --fix" in done.err


def test_where_spark_runs_is_for_spark_alone(fairtrec_command):
    done = fairtrec_command("annotate", "docs.tsv", "--groups", "terms.csv", "-o", "c.arrow", "--master", "local")
    assert (done.code, done.err) == (2, "--master says where Spark runs; add --engine spark\n")


def test_annotate_tells_how_far_it_is_to_whoever_watches(monkeypatch, capsys):
    from fairtrec import cli

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    watched = Terminal()
    Path("docs.tsv.gz").write_bytes(gzip.compress(FILES["docs.tsv"].encode()))
    arguments = ["annotate", "docs.tsv.gz", "--groups", "terms.csv", "-o", "c.arrow", "-j", "1"]
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "argv", ["fairtrec", *arguments])
    monkeypatch.setattr(sys, "stderr", watched)
    assert cli._run() == 0
    assert re.search(r"3 documents, [\d,]+/s", watched.getvalue())
    assert "# 3 documents, 0.0 MB of text in" in watched.getvalue()


def test_the_bar_says_nothing_of_files_that_are_over_at_once(monkeypatch):
    from fairtrec import progress
    from fairtrec.cli import bar

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    watched = Terminal()
    times = iter([time.monotonic() - 60])
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: next(times, None) or real())
    with bar.progress():
        progress.report("runs/a.run", 10, 10)
    assert watched.getvalue() == ""


def test_tables_that_were_made_otherwise_differ_in_that(fairtrec_command):
    for name, more in (("a.tsv", []), ("b.tsv", ["--tokenizer", "word"])):
        made = fairtrec_command("annotate", "docs.tsv", "--groups", "terms.csv", "-o", name, "-j", "1", *more)
        assert made.code == 0
    done = fairtrec_command("annotations", "diff", "a.tsv", "b.tsv")
    assert "tokenizer: strip | word" in done.out.splitlines()
