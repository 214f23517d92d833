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
    result = fairtrec.evaluate("AWRF@10 RR", "bm25.run", qrels="qrels.txt", labels="labels.tsv")
    assert (name, float(value)) == ("AWRF(labels='labels.tsv')@10", result.means["bm25.run"]["AWRF@10"])
    assert float(rr) == result.means["bm25.run"]["RR"]


@pytest.mark.usefixtures("at_the_example")
def test_measures_of_relevance_that_no_other_program_here_has_are_those_of_fairtrec(capsys):
    names = ["RBP", "RBP(p=0.5,rel=2)@10", "alpha_nDCG@5", "NRBP", "nDCG@10"]
    assert main(["qrels.txt", "bm25.run", *names, "-p", "-1"]) == 0
    found = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    wanted = fairtrec.evaluate(names, "bm25.run", qrels="qrels.txt", complete=True).means["bm25.run"]
    assert {fair_name: float(value) for fair_name, value in found.items()} == pytest.approx(
        dict(zip(found, wanted.values(), strict=True)), abs=1e-12
    )


def test_measures_of_subtopics_have_the_judgments_of_each(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 b 1\n2 1 a 1\n3 1 c 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n2 Q0 x 1 1 r\n4 Q0 x 1 1 r\n")
    assert main([str(tmp_path / "qrels"), str(tmp_path / "run"), "StRecall@1", "-q"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert sorted(rows) == [
        ["1", "StRecall@1", "0.5000"], ["2", "StRecall@1", "0.0000"], ["3", "StRecall@1", "0.0000"],
        ["all", "StRecall@1", "0.1667"],
    ]  # fmt: skip


@pytest.mark.parametrize("score", ["nan", "inf", "-Infinity"])
def test_a_score_that_is_no_number_is_told_with_its_line(tmp_path, capsys, score):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text(f"1 Q0 b 1 2 r\n\n1 Q0 a 2 {score} r\n")
    assert main([str(tmp_path / "qrels"), str(tmp_path / "run"), "nDCG@10"]) == 3
    said = f"{tmp_path}/run:3: the score {float(score)} is not a finite number; correct it\n"
    assert capsys.readouterr().err == said


@pytest.mark.usefixtures("at_the_example")
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["qrels.txt", "none.run", "RR"], 3, "none.run: there is no such file; check the name"),
        (["none.txt", "bm25.run", "RR"], 3, "none.txt: there is no such file; check the name"),
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
    program = f"import fairtrec; fairtrec.evaluate('RR', ['bm25.run', 'neural.run'], qrels='qrels.txt', jobs={jobs})"
    done = subprocess.run(
        [sys.executable, "-"], input=program, cwd=example, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        "fairtrec.support.errors.UsageError: this program was read from standard input, which other processes cannot read again; "
        "write it into a file, or pass jobs=1"
    )
