"""Reports control nothing: other lines that become the start of one, other places of a name, other cells."""

import re
import shlex
import subprocess
import sys

import pytest
from markdown_it import MarkdownIt

from fairtrec.support.errors import defuse
from fairtrec_made import REPOSITORY

# --- commands of a CI runner ---

SPACES = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e", "\u200b", "\ufeff", "\xa0", "\u3000", "\t", "\r"]


@pytest.fixture
def in_a_job(copied, monkeypatch, tmp_path):
    """Standard streams of a job: a pipe each, of which the lines are given."""

    def run(*words, **environment):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fairtrec", *words], capture_output=True, check=False,
            env={"PATH": "/bin", "PYTHONPATH": str(REPOSITORY), "FAIRTREC_HOME": str(tmp_path), "OPENBLAS_NUM_THREADS": "1", **environment},
        )  # fmt: skip
        assert done.returncode in (0, 1, 2, 3), done.stderr
        return (done.stdout + b"\n" + done.stderr).decode("utf-8", "surrogateescape")

    return run


def list_commands(text):
    """List lines that a runner takes for commands, if it ends lines where Python, a terminal or YAML does."""
    lines = [line.lstrip("\ufeff\u200b \t\xa0\u3000") for line in text.splitlines()]
    return [
        line for line in lines if line.startswith("::") and not re.match("::(error|warning) [^:]*title=fairtrec", line)
    ]


ASKED = ["eval qrels.txt {} -m RR -f table", "eval none {} -m AWRF@10", "validate {}"]


@pytest.mark.parametrize("command", ASKED)
def test_no_other_sign_begins_a_line_with_a_command(copied, in_a_job, command):
    runs = [f"a{space}::error::b.run" for space in SPACES]
    lines = (copied / "bm25.run").read_text().splitlines()
    for run, space in zip(runs, SPACES, strict=True):
        text = "\n".join(
            lines if space.isspace() else [line.replace("p001", f"p001{space}::error::") for line in lines]
        )
        (copied / run).write_text(f"{text}\n101 Q0\n" if command.startswith("validate") else text)
    words = [each for word in command.split() for each in (runs if word == "{}" else [word])]
    assert list_commands(in_a_job(*words, GITHUB_ACTIONS="true", COLUMNS="40")) == []


@pytest.mark.long
@pytest.mark.parametrize(
    "columns", ["40", *(pytest.param(each, marks=pytest.mark.slow) for each in ("20", "60", "80"))]
)
def test_no_line_that_is_wrapped_begins_with_a_command(copied, in_a_job, columns):
    """Notes and messages are wrapped at blanks, behind which a name may begin as a command does."""
    names = [f"{'a' * n} ::error::b {'c' * n} ##[group]d" for n in (1, 9, 17, 25)]
    for name in names:
        (copied / f"{name}.run").write_bytes((copied / "bm25.run").read_bytes())
    runs = [f"{name}.run" for name in names]
    for words in (["eval", "qrels.txt", *runs, "-m", "RR", "-f", "table"], ["check", "qrels.txt", *runs, "--require", "RR > 1"], ["eval", "qrels.txt", f"{runs[2]}x", "-m", "RR"]):  # fmt: skip
        printed = in_a_job(*words, CI="true", COLUMNS=columns)
        assert list_commands(printed) == []
        assert "##[" not in printed


def test_a_sign_of_a_line_end_is_no_end_in_front_of_a_command():
    for space in ("\r", "\n", "\r\n", "\n\t", "\n\u3000"):
        assert f"{space}::" not in defuse(f"a{space}::error::b")


# --- Markdown ---

MARKS = ["<img src=x>", "[x](javascript:1)", "![x](y)", "`</code><b>`", "<!-- x", "a|<b>", "\\|<i>", "&lt;b&gt;<b>", "<http://x.invalid>", "~~~<b>", "\\`<b>"]  # fmt: skip
QUERIES = [mark.replace(" ", "_") for mark in MARKS]


def list_html(text):
    """List what Markdown takes for HTML or a link, as GitHub reads it."""
    tokens = [*MarkdownIt("commonmark").enable("table").parse(text)]
    every = [*tokens, *(each for token in tokens for each in token.children or ())]
    return [token.content for token in every if token.type in ("html_block", "html_inline", "link_open", "image")]


@pytest.fixture
def marked(tmp_path, monkeypatch):
    """Files whose queries, documents, groups, slices and tags are Markdown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    rows = [(mark, f"d{number}{mark}") for mark in QUERIES for number in range(3)]
    texts = {
        "qrels": "".join(f"{qid} 0 {docno} {at % 2}\n" for at, (qid, docno) in enumerate(rows)),
        "a.run": "".join(f"{qid} Q0 {docno} 1 {at} {MARKS[0].split()[0]}\n" for at, (qid, docno) in enumerate(rows)),
        "b.run": "".join(f"{qid} Q0 {docno} 1 {-at} {MARKS[1]}\n" for at, (qid, docno) in enumerate(rows)),
        "labels": "".join(f"{docno}\t{MARKS[at % len(MARKS)]}\n" for at, (_, docno) in enumerate(rows)),
        "slices": "".join(f"{qid}\t{MARKS[at % 4]}\n" for at, (qid, _) in enumerate(rows) if at % 3 == 0),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


IN_MARKDOWN = {
    "queries": "eval qrels a.run b.run -m 'RR nDCG@3' -q -f md",
    "slices": "eval qrels a.run b.run -m 'RR nDCG@3' --slice slices -f md",
    "groups": "eval qrels a.run b.run -m 'Exposure@3 AWRF@3' --labels labels -f md",
    "labels of some": "eval qrels a.run b.run -m AWRF@3 --labels labels --bounds labels -v -f md",
    "compared slices": "compare qrels a.run b.run -m RR --slice slices -f md",
}


@pytest.mark.parametrize("command", IN_MARKDOWN.values(), ids=IN_MARKDOWN)
def test_no_name_in_a_file_is_html(marked, fairtrec_command, command):
    done = fairtrec_command(*shlex.split(command))
    assert done.code == 0, done.err
    assert list_html(done.out) == []


@pytest.mark.parametrize("mark", MARKS)
def test_no_name_that_is_typed_is_html(marked, fairtrec_command, mark):
    words = {
        "name of a run": ["eval", "qrels", f"x{mark}=a.run".replace("/", "-"), "-m", "RR"],
        "attribute": ["eval", "qrels", "a.run", "-m", "AWRF@3", "--labels", "labels", "--groups", f"{MARKS[0]}={mark}"],
        "requirement": ["check", "qrels", "a.run", "--require", "RR > 2", "--labels", f"{mark}"],
    }
    for each in words.values():
        done = fairtrec_command(*each, "-f", "md")
        assert done.code in (0, 1, 2, 3), done.err
        assert list_html(done.out) == []
