"""`python -m fairtrec.ir_measures` prints what the command of ir_measures prints, and our measures beside."""

import subprocess
import sys

import pytest
from ir_measures import __main__ as theirs

import fairtrec
from fairtrec.ir_measures.__main__ import main


@pytest.mark.parametrize(
    "options",
    [[], ["-q"], ["-q", "-n"], ["-p", "6"], ["-p", "-1"], ["-o", "jsonl"], ["-q", "-o", "jsonl"]],
    ids=" ".join,
)
@pytest.mark.usefixtures("at_the_example")
def test_it_prints_as_ir_measures_does(monkeypatch, capsys, options):
    arguments = ["qrels.txt", "bm25.run", "nDCG@10 RR(rel=2)", "P@5", "NumRet", "P@5", *options]
    monkeypatch.setattr(sys, "argv", ["ir_measures", *arguments])
    theirs.main_cli()
    expected = capsys.readouterr().out
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(expected.splitlines())
    assert len(lines) >= 4


@pytest.mark.usefixtures("at_the_example")
def test_our_measures_have_the_values_of_fairtrec(capsys):
    assert main(["qrels.txt", "bm25.run", "AWRF(labels='labels.tsv')@10", "RR", "-p", "-1"]) == 0
    (name, value), (_, rr) = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    result = fairtrec.evaluate("AWRF@10 RR", "bm25.run", "qrels.txt", labels="labels.tsv")
    assert (name, float(value)) == ("AWRF(labels='labels.tsv')@10", result.means["bm25.run"]["AWRF@10"])
    assert float(rr) == result.means["bm25.run"]["RR"]


@pytest.mark.usefixtures("at_the_example")
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["qrels.txt", "none.run", "RR"], 3, "none.run: there is no such file; check the name"),
        (["none.txt", "bm25.run", "RR"], 3, "none.txt: there is no such file, nor judgements of ir_datasets"),
        (["qrels.txt", "collection.tsv", "RR"], 3, "collection.tsv: ir_measures cannot read this"),
        (["qrels.txt", "bm25.run", "Nix@10"], 2, "there is no measure Nix"),
        (["qrels.txt", "bm25.run", "NFaiRR@10"], 2, "NFaiRR"),
    ],
)
def test_what_is_wrong_is_one_line(capsys, arguments, code, says):
    assert main(arguments) == code
    said = capsys.readouterr().err
    assert (says in said, said.count("\n")) == (True, 1)


def test_no_summary_alone_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as end:
        main(["q", "r", "RR", "-n"])
    assert end.value.code == 2
    assert "leaves nothing without --by_query" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", [2])
def test_a_program_from_standard_input_with_several_jobs_says_what_is_wrong(example, jobs):
    program = f"import fairtrec; fairtrec.evaluate('RR', ['bm25.run', 'neural.run'], 'qrels.txt', jobs={jobs})"
    done = subprocess.run(
        [sys.executable, "-"], input=program, cwd=example, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        "fairtrec.errors.UsageError: this program was read from standard input, which other processes cannot read again; "
        "write it into a file, or give jobs=1"
    )
