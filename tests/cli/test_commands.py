"""What few people ask of a command: each is answered as the pages say, in a line."""

import gzip
import io
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

import fairtrec
from fairtrec.support.errors import ResourceError
from fairtrec.support.files import opening
from fairtrec_made import ended
from fairtrec_made.few import FILES, value

pytestmark = pytest.mark.usefixtures("few_files")


def test_home_of_nobody(monkeypatch, fairtrec_command):
    monkeypatch.setenv("FAIRTREC_HOME", "~nobody-of-this-name/x")
    done = fairtrec_command("resources", "list")
    assert done.code == ResourceError.exit_code
    assert "FAIRTREC_HOME is ~nobody-of-this-name/x, and there is no such user" in done.err


def test_a_list_of_docnos_that_is_empty(fairtrec_command):
    Path("docnos").write_text("")
    done = fairtrec_command("validate", "run", "--docnos", "docnos")
    assert done.code == 3
    assert "docnos" in done.err


def test_queries_of_validate_are_a_query_set(fairtrec_command):
    Path("wanted").write_text("q1\nq2\nq3\n")
    done = fairtrec_command("validate", "run", "--queries", "wanted")
    assert "q3" in done.out


def test_commands_are_completed_by_the_shell(monkeypatch, capsys):
    from fairtrec.cli import command

    monkeypatch.setenv("_FAIRTREC_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "fairtrec co")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        command.main(prog_name="fairtrec")
    assert capsys.readouterr().out.splitlines() == [
        "plain,compare",
        "plain,correlate",
        "plain,counts",
        "plain,completion",
    ]


@pytest.mark.parametrize(("name", "says"), [(",", "no measure was named"), ("nDCG@10", "nDCG"), ("map", "AP")])
def test_pages_of_what_is_not_ours(fairtrec_command, name, says):
    done = fairtrec_command("measures", name)
    assert done.code == (2 if name == "," else 0)
    assert says in done.out + done.err


def test_all_runs_are_broken(fairtrec_command):
    shutil.copy("broken", "broken too")
    done = fairtrec_command("compare", "qrels", "broken", "broken too", "-m", "RR", "--keep-going")
    assert (done.code, done.out) == (3, "")
    assert [line.partition(":")[0] for line in done.complaints] == ["broken", "broken too"]


def test_a_summary_that_cannot_be_written(monkeypatch, fairtrec_command):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder")
    done = fairtrec_command("check", "qrels", "run", "--require", "RR >= 0.1")
    assert done.code == 2
    assert "cannot write $GITHUB_STEP_SUMMARY: No such file or directory; unset it" in done.err


def test_slices_that_no_requirement_is_about(fairtrec_command):
    Path("slices.tsv").write_text("q1\teasy\nq2\thard\n")
    done = fairtrec_command("check", "qrels", "run", "--require", "RR >= 0.1", "--slice", "slices.tsv")
    assert "no requirement uses slices; write: worst slice MEASURE >= BOUND" in done.out + done.err


def test_a_gate_on_values_that_were_recorded(fairtrec_command):
    for name, run in (("mine.json", "run"), ("base.json", "other")):
        assert fairtrec_command("eval", "qrels", run, "-m", "RR", "-q", "-f", "json", "-o", name).code == 0
    mine, base = map(fairtrec.read_results, ("mine.json", "base.json"))
    checked = fairtrec.check("RR >= baseline", mine, baseline=base)
    of_files = fairtrec.check("RR >= baseline", "run", qrels="qrels", baseline="base.json")
    assert [each.status for each in checked.verdicts] == [each.status for each in of_files.verdicts]
    (scores,) = mine.result().scores
    assert scores.means.tolist() == value("RR", qrels="qrels").means.tolist()


def test_results_without_queries_and_of_other_inputs_differ(fairtrec_command):
    Path("qrels.2").write_text(FILES["qrels"] + "q1 0 d9 0\n")
    for name, qrels, run in (("one.json", "qrels", "run"), ("two.json", "qrels.2", "other")):
        assert fairtrec_command("eval", qrels, run, "-m", "RR", "-f", "json", "-o", name).code == 0
    done = fairtrec_command("results", "diff", "one.json", "two.json")
    assert done.code == 1
    assert re.search(r"^input, qrels: \w{8} \| \w{8} \(sha256\)$", done.out, re.MULTILINE)


def test_options_of_a_file_that_cannot_be_read(monkeypatch, fairtrec_command):
    Path("gate.toml").write_text('[tool.fairtrec.check]\nrequire = "RR >= 0.1"\nlabels = "labels.tsv*regions.tsv"\n')
    assert fairtrec_command("check", "qrels", "run", "--config", "gate.toml").code == 0

    def refuse(path, *_):
        if str(path) == "gate.toml":
            raise PermissionError(13, "Permission denied")
        return Path(path).open("rb")

    monkeypatch.setattr(opening, "open_file", refuse)
    done = fairtrec_command("check", "qrels", "run", "--config", "gate.toml")
    assert done.code == 3
    assert "gate.toml: this file may not be read; change its permissions" in done.err


def test_a_run_that_cannot_be_mended_where_it_should_stand(monkeypatch, fairtrec_command):
    Path("untidy").write_text("q1 Q0 d2 1 2 t\nq1 Q0 d1 1 3 t\nq1 Q0 d1 1 3 t\n")

    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", refuse)
    done = fairtrec_command("validate", "untidy", "--fix", "fixed/")
    assert done.code == 2
    assert "cannot write fixed/untidy: No space left on device; write elsewhere with --fix" in done.err


def test_where_spark_runs_is_for_spark_alone(fairtrec_command):
    done = fairtrec_command("counts", "make", "docs.tsv", "--terms", "terms.csv", "-o", "c.arrow", "--master", "local")
    assert (done.code, done.err) == (2, "--master is the address of Spark; add --engine spark\n")


def test_annotate_tells_how_far_it_is_to_whoever_watches(monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    watched = Terminal()
    Path("docs.tsv.gz").write_bytes(gzip.compress(FILES["docs.tsv"].encode()))
    arguments = ["counts", "make", "docs.tsv.gz", "--terms", "terms.csv", "-o", "c.arrow", "-j", "1"]
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "argv", ["fairtrec", *arguments])
    monkeypatch.setattr(sys, "stderr", watched)
    assert ended() == 0
    assert re.search(r"3 documents, [\d,]+/s", watched.getvalue())
    assert "# 3 documents, 0.0 MB of text in" in watched.getvalue()


def test_the_bar_says_nothing_of_files_that_are_over_at_once(monkeypatch):
    from fairtrec.cli import printing
    from fairtrec.support import progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    watched = Terminal()
    times = iter([time.monotonic() - 60])
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: next(times, None) or real())
    with printing.progress():
        progress.report("runs/a.run", 10, 10)
    assert watched.getvalue() == ""


def test_tables_that_were_made_otherwise_differ_in_that(fairtrec_command):
    for name, more in (("a.tsv", []), ("b.tsv", ["--tokenizer", "word"])):
        made = fairtrec_command("counts", "make", "docs.tsv", "--terms", "terms.csv", "-o", name, "-j", "1", *more)
        assert made.code == 0
    done = fairtrec_command("counts", "diff", "a.tsv", "b.tsv")
    assert "tokenizer: strip | word" in done.out.splitlines()
