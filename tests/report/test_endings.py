"""The ending of a file that is written says its format, in every command and in Python."""

from pathlib import Path

import pytest

import fairtrec
from fairtrec.report.writers import ENDINGS, RESULTS
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.written_json import drop_arguments

EVAL = "eval qrels.txt bm25.run -m nDCG@10"
COMPARE = "compare qrels.txt bm25.run fair.run -m nDCG@10"
CHECK = "check qrels.txt bm25.run --require nDCG@10>=0.1"


@pytest.mark.parametrize("ending", sorted({*ENDINGS} - {"xml"}))
def test_a_file_has_the_format_of_its_ending(copied, fairtrec_command, ending):
    form = ENDINGS[ending][0]
    assert fairtrec_command(*EVAL.split(), "-f", form, "-o", "asked").code == 0
    assert fairtrec_command(*EVAL.split(), "-o", f"by.{ending.upper()}").code == 0
    assert (copied / f"by.{ending.upper()}").read_bytes() == (copied / "asked").read_bytes()
    fairtrec.evaluate("nDCG@10", "bm25.run", qrels="qrels.txt").write(f"python.{ending}")
    assert (copied / f"python.{ending}").read_bytes() == drop_arguments((copied / "asked").read_bytes())


@pytest.mark.parametrize(
    ("words", "begins"),
    gather_trials(
        "ENDINGS",
        [
            (f"{COMPARE} -o c.md", "**verdict: "),
            (f"{CHECK} -o c.xml", "<?xml"),
            (f"{CHECK} -o c.md", "### fairtrec check"),
            ("explain none fair.run -m NDKL@10 --labels labels.tsv --query 101 -o e.html", "<!DOCTYPE html>"),
            ("correlate qrels.txt bm25.run fair.run neural.run -m nDCG@10 -m RR -o c.csv", "slice,"),
            (f"{EVAL} -f flat -o c.json", '{\n "nDCG_at_10"'),
            (f"{EVAL} -f auto -o c.csv", "run,tag"),
            (f"{EVAL} -f csv -o c.txt", "run,tag"),
            (f"{EVAL} -o c.txt", "runid "),
            (f"{EVAL} -o c.dat", "runid "),
            (f"{EVAL} --spread -o c.csv", "query,"),
        ],
    ),
)
def test_commands_take_the_format_of_the_ending(copied, fairtrec_command, words, begins):
    (copied / "labels.tsv").write_text("d1\tf\nd2\tm\n", "utf-8")
    done = fairtrec_command(*words.split(), *["--missing", "neutral"] * ("labels" in words))
    assert done.code == 0, done.err
    assert Path(words.rpartition(" ")[2]).read_text("utf-8").startswith(begins)


@pytest.mark.parametrize(
    ("words", "said"),
    gather_trials(
        "UNFIT_ENDINGS",
        [
            (f"{EVAL} -f json -o new.csv", "-f json does not fit new.csv; leave out one"),
            (f"{EVAL} -f trec -o new.json", "-f trec does not fit new.json; leave out one"),
            (f"{CHECK} -f github -o new.md", "-f github does not fit new.md; leave out one"),
            (
                f"{CHECK} -o new.csv",
                "there is no format for the ending of new.csv; choose another (formats: text, json, github, md, junit)",
            ),
            (
                f"{EVAL} -o new.csv.gz",
                f"new.csv.gz would not be compressed; leave out .gz (formats: {', '.join(RESULTS.forms)})",
            ),
        ],
    ),
)
def test_a_format_that_does_not_fit_the_ending_is_refused(copied, fairtrec_command, words, said):
    done = fairtrec_command(*words.split())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
    assert not list(copied.glob("new.*"))
