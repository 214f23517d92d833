"""Submissions of strangers (--untrusted): what is refused, how it is raised, and that the others are scored."""

import gzip
import hashlib
import os
import re
import shlex
import shutil

import pyarrow as pa
import pytest
from pyarrow import parquet

import fairtrec
from fairtrec.formats import run
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import submissions
from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
GOOD = ("bm25", "fair", "neural", "t4", "t5")
REFUSED = {
    "deep.run": "more than 10,000 documents for one query (--untrusted); make it smaller, or raise the limit with --limit depth=N",
    "link.run": "this is a link, and links are refused; pass the file itself",
    "long.run": "1: a line of more than 1 MiB; break it up",
    "pipe.run": "a pipe or device, not a file (--untrusted); save its content to a file",
    "up\\x1b[A.run": "the name 'up\\x1b[A.run' contains wildcards, path or control characters, or invisible letters (--untrusted); rename the file",
}
EVAL = ("eval", "qrels.txt", "submissions", "-m", "nDCG@10 RR", "-f", "table")


@pytest.fixture
def board(copied):
    """Ten submissions, of which five are hostile."""
    folder = copied / "submissions"
    folder.mkdir()
    for name in GOOD:
        source = copied / (f"{name}.run" if len(name) > 2 else "bm25.run")
        (folder / f"{name}.run").write_bytes(source.read_bytes())
    (folder / "link.run").symlink_to("../fair.run")
    os.mkfifo(folder / "pipe.run")
    shutil.copy(copied / "bm25.run", folder / "up\x1b[A.run")
    (folder / "long.run").write_text(f"101 Q0 d1 1 1 {'t' * 2_000_000}\n")
    (folder / "deep.run").write_text("".join(f"101 Q0 d{rank} {rank} {-rank} t\n" for rank in range(1, 10_002)))
    return copied


def test_of_ten_submissions_five_are_refused_and_the_others_scored(board, fairtrec_command):
    done = fairtrec_command(*EVAL, "--untrusted", "--keep-going")
    assert done.code == 3
    assert done.err.splitlines() == [
        f"submissions/{name}:{' ' * (says[1] != ':')}{says}" for name, says in REFUSED.items()
    ]
    alone = fairtrec_command("eval", "qrels.txt", *(f"submissions/{name}.run" for name in GOOD), *EVAL[3:])
    assert done.out == alone.out


def test_without_keep_going_the_first_of_them_ends_the_command(board, fairtrec_command):
    done = fairtrec_command(*EVAL, "--untrusted")
    assert (done.code, done.out, len(done.err.splitlines())) == (3, "", 1)


@pytest.mark.parametrize("command", ["compare", "check", "validate"])
def test_every_command_that_reads_a_set_of_runs_refuses_them(board, fairtrec_command, command):
    words = {
        "compare": ("compare", "qrels.txt", "bm25.run", "submissions", "-m", "RR", "--keep-going"),
        "check": ("check", "qrels.txt", "submissions", "--require", "RR >= 0", "--keep-going"),
        "validate": ("validate", "submissions"),
    }[command]
    done = fairtrec_command(*words, "--untrusted")
    assert done.code == 3
    for name in REFUSED:
        assert f"submissions/{name}:" in (done.out if command == "validate" else done.err)
    assert "5 of 10 runs with errors" in done.err or command != "validate"


def test_the_environment_asks_for_it_too(board, monkeypatch, fairtrec_command):
    asked = fairtrec_command(*EVAL, "--untrusted", "--keep-going")
    monkeypatch.setenv(submissions.VARIABLE, "1")
    assert fairtrec_command(*EVAL, "--keep-going") == asked
    monkeypatch.setenv(submissions.VARIABLE, "0")
    assert fairtrec_command("eval", "qrels.txt", "submissions/link.run", "-m", "RR").code == 0


LINKED_RUNS = gather_trials("LINKED_RUNS")


@pytest.mark.parametrize("words", LINKED_RUNS.values(), ids=LINKED_RUNS)
def test_the_environment_asks_every_command_that_reads_runs(copied, monkeypatch, fairtrec_command, words):
    (copied / "eve.run").symlink_to("fair.run")
    monkeypatch.setenv(submissions.VARIABLE, "1")
    done = fairtrec_command(*shlex.split(words))
    assert (done.code, done.out) == (3, "")
    assert done.err.endswith("eve.run: this is a link, and links are refused; pass the file itself\n")


def test_other_processes_refuse_the_same(board, fairtrec_command):
    words = ("--untrusted", "--keep-going", "--limit", "lines=130")
    one = fairtrec_command(*EVAL, *words)
    assert "submissions/bm25.run: more than 130 lines" in one.err
    assert (
        fairtrec_command(
            "eval",
            "qrels.txt",
            *sorted(f"submissions/{name}.run" for name in (*GOOD, "link", "deep", "long")),
            *EVAL[3:],
            *words,
            "-j",
            "2",
        ).out
        == one.out
    )


def test_nothing_looks_into_what_is_refused(board, monkeypatch, fairtrec_command):
    opened = []
    read = run.read
    monkeypatch.setattr(run, "read", lambda path, *more, **how: opened.append(path) or read(path, *more, **how))
    words = ("eval", "qrels.txt", "submissions", "--labels", "labels.tsv", "--queries", "common", "--keep-going")
    assert fairtrec_command(*words, "--untrusted", "-m", "AWRF@5").code == 3
    assert len(opened) > len(GOOD)
    assert not [path for path in opened if "link" in path or "pipe" in path or "\x1b" in path]


def test_python_asks_for_it_too(board):
    runs = sorted(str(path) for path in (board / "submissions").iterdir())
    found = fairtrec.evaluate("RR", runs, qrels="qrels.txt", untrusted=True, keep_going=True)
    assert len(found.failed) == len(found.scores) == 5
    assert found.untrusted
    with pytest.raises(InputError, match="this is a link"):
        fairtrec.check("RR >= 0", ["submissions/link.run"], qrels="qrels.txt", untrusted=True)
    codes = [
        code for one in fairtrec.validate(runs, untrusted=True) for code in one.found.many if code in ("E107", "E105")
    ]
    assert len(codes) == 5
    deep = "submissions/deep.run"
    assert len(fairtrec.evaluate("RR", deep, qrels="qrels.txt", untrusted={"depth": 20_000}).scores) == 1
    with pytest.raises(UsageError, match="there is no limit widths; choose one of bytes, lines, depth, groups"):
        fairtrec.evaluate("RR", deep, untrusted={"widths": 1})
    assert submissions.border() is None


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("lines=119", "more than 119 lines"),
        ("bytes=999", "more than 999 bytes"),
        ("depth=9", "more than 9 documents for one query"),
        ("groups=1", "more than 1 groups"),
    ],
)
def test_a_limit_is_named_and_raised(copied, fairtrec_command, limit, says):
    words = ("eval", "qrels.txt", "fair.run", "-m", "RR AWRF@5", "--labels", "labels.tsv", "--untrusted", "--limit")
    done = fairtrec_command(*words, limit)
    assert (done.code, done.out) == (3, "")
    assert (
        f"{says} (--untrusted); make it smaller, or raise the limit with --limit {limit.partition('=')[0]}=N"
        in done.err
    )
    assert fairtrec_command(*words, limit.partition("=")[0] + "=1000000").code == 0


def test_a_bomb_is_refused_before_it_is_unpacked_to_its_end(copied, fairtrec_command):
    (copied / "bomb.run").write_bytes(gzip.compress(b"101 Q0 d1 1 1 t\n" * 2_000_000, mtime=0))
    done = fairtrec_command("eval", "qrels.txt", "bomb.run", "-m", "RR", "--untrusted")
    assert "bomb.run: more than 200 times as large when it is unpacked" in done.err


def test_a_link_in_a_folder_is_refused_whatever_it_leads_to(copied, fairtrec_command):
    (copied / "runs").mkdir()
    shutil.copy(copied / "fair.run", copied / "runs" / "fair.run")
    (copied / "runs" / "eve.txt").symlink_to("../README.md")
    assert fairtrec_command("eval", "qrels.txt", "runs", "-m", "RR").code == 0  # it is left out with a note
    for option in ("--untrusted", "--no-links"):
        done = fairtrec_command("eval", "qrels.txt", "runs", "-m", "RR", option)
        assert (done.code, done.err) == (
            3,
            "runs/eve.txt: this is a link, and links are refused; pass the file itself\n",
        )


def test_limits_hold_of_what_is_unpacked_and_of_rows_of_parquet(copied, fairtrec_command, monkeypatch):
    (copied / "bomb.run").write_bytes(gzip.compress((copied / "fair.run").read_bytes() * 100, mtime=0))
    done = fairtrec_command("eval", "qrels.txt", "bomb.run", "-m", "RR", "--untrusted", "--limit", "bytes=100000")
    assert "bomb.run: more than 100,000 bytes" in done.err
    rows = {"qid": ["101"] * 200, "docno": [f"d{number}" for number in range(200)], "score": [1.0] * 200}
    parquet.write_table(pa.table(rows), copied / "one.parquet")
    done = fairtrec_command("eval", "qrels.txt", "one.parquet", "-m", "RR", "--untrusted", "--limit", "lines=199")
    assert "one.parquet: more than 199 lines" in done.err
    monkeypatch.setattr(parquet, "ParquetFile", None)  # which reads: it is refused before
    for words in (("eval", "qrels.txt", "one.parquet", "-m", "RR"), ("validate", "one.parquet")):
        for limit in ("lines=199", "bytes=500"):
            done = fairtrec_command(*words, "--untrusted", "--limit", limit)
            assert f"more than {limit[6:]} " in done.out + done.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--limit", "lines=5"), "--limit raises what --untrusted bounds; add --untrusted"),
        (("--untrusted", "--limit", "lines"), "--limit lines is not a limit; write NAME=N, with one of bytes, lines"),
        (("--untrusted", "--limit", "=5"), "--limit =5 is not a limit; write NAME=N, with one of bytes, lines"),
        (
            ("--untrusted", "--limit", "lines=many"),
            "the limit of lines is 'many', which is not a whole number; write it like --limit lines=10000000",
        ),
        (
            ("--untrusted", "--limit", "bytes=9..9"),
            "the limit of bytes is '9..9', which is not a whole number; write it like --limit bytes=1073741824",
        ),
        (
            ("--untrusted", "--limit", "bytes=99999999999999999999"),
            "the limit of bytes has more than 18 digits; write a smaller number",
        ),
        (
            ("--untrusted", "--limit", "width=many"),
            "there is no limit width; choose one of bytes, lines, depth, groups",
        ),
        (("--untrusted", "--limit", "lines=0"), "the limit of lines is 0; it must be a whole number of 1 or more"),
        (("--untrusted", "--limit", "width=1"), "there is no limit width; choose one of bytes, lines, depth, groups"),
    ],
)
def test_a_limit_that_there_is_not_is_wrong_usage(copied, fairtrec_command, words, says):
    done = fairtrec_command("eval", "qrels.txt", "fair.run", "-m", "RR", *words)
    assert (done.code, says in done.err) == (2, True), done.err


def test_a_submission_has_the_values_that_it_has_elsewhere(copied, fairtrec_command):
    words = ("eval", "qrels.txt", "bm25.run", "fair.run", "--terms", "gender-en", "--docs", "collection.tsv")
    for more in (
        (),
        ("--bounds", "ties"),
        ("-M", "5"),
        ("--background", "bm25.run"),
        ("--queries", "common"),
        ("-j", "2"),
    ):
        usual = fairtrec_command(*words, *more, "-q")
        assert usual.code == 0
        assert fairtrec_command(*words, *more, "-q", "--untrusted") == usual


def test_a_local_file_with_the_name_of_a_list_changes_no_value(copied, fairtrec_command):
    words = (
        "eval",
        "qrels.txt",
        "bm25.run",
        "-m",
        "ARaB@10",
        "--terms",
        "gender-en",
        "--docs",
        "collection.tsv",
        "--untrusted",
    )
    usual = fairtrec_command(*words)
    (copied / "gender-en").write_text("the,f\na,m\n")
    assert fairtrec_command(*words).out.splitlines()[-1] == usual.out.splitlines()[-1]


@pytest.mark.parametrize(
    "words", [("vaswani", "bm25.run"), ("qrels.txt", "bm25.run", "--terms", "gender-en", "--docs", "irds:vaswani")]
)
def test_no_id_of_ir_datasets_is_taken(copied, fairtrec_command, words):
    done = fairtrec_command("eval", *words, "--untrusted")
    assert done.code == 3
    assert "there is no such file, and --untrusted refuses ir_datasets ids; check the name" in done.err


def test_a_pyproject_that_nobody_named_is_passed_over_and_the_report_says_so(copied, monkeypatch, fairtrec_command):
    (copied / "pyproject.toml").write_text('[tool.fairtrec.check]\nrequire = ["RR >= 2"]\n')
    words = ("check", "qrels.txt", "bm25.run")
    assert fairtrec_command(*words).code == 1
    done = fairtrec_command(*words, "--require", "RR >= 0.1", "--untrusted")
    assert done.code == 0
    assert "ignored pyproject.toml (--untrusted); use --config pyproject.toml to read it" in done.out
    assert fairtrec_command(*words, "--untrusted", "--config", "pyproject.toml").code == 1
    monkeypatch.setenv(submissions.VARIABLE, "1")
    done = fairtrec_command(*words)
    assert (done.code, "add --require REQUIREMENT, or --config pyproject.toml" in done.err) == (2, True)
    assert fairtrec_command(*words, "--config", "pyproject.toml").code == 1


def test_a_page_of_submissions_has_a_sha256_of_each(copied, fairtrec_command):
    words = ("eval", "qrels.txt", "bm25.run", "fair.run", "-m", "RR", "-f", "html")
    page = fairtrec_command(*words, "--untrusted").out
    digests = [hashlib.sha256((copied / name).read_bytes()).hexdigest() for name in ("bm25.run", "fair.run")]
    assert re.findall("<code>([0-9a-f]{64})</code>", page) == digests
    assert not re.search("<code>[0-9a-f]{64}", fairtrec_command(*words).out)
    result = fairtrec.evaluate("RR", {"q1": {"d1": 1.0}}, qrels={"q1": {"d1": 1}}, untrusted=True)
    assert result.untrusted


@pytest.mark.parametrize("runs", ["teams/eve.run", "teams/*.run", "teams", "linked/bm25.run", "li*/bm25.run", "@list"])
def test_links_are_refused_alone_or_in_a_linked_folder(copied, fairtrec_command, runs):
    (copied / "teams").mkdir()
    (copied / "teams" / "eve.run").symlink_to("../fair.run")
    (copied / "linked").symlink_to(".")
    (copied / "list").write_text("teams/*.run\n")
    words = ("eval", "qrels.txt", runs, "-m", "RR")
    assert fairtrec_command(*words).code == 0
    done = fairtrec_command(*words, "--no-links")
    assert (done.code, done.out) == (3, "")
    assert "is a link, and links are refused; pass the file itself" in done.err
    done = fairtrec_command("validate", runs, "--no-links")
    assert (done.code, ": E107 " in done.out) == (3, True)


def test_a_link_is_a_warning_of_validate(copied, fairtrec_command):
    (copied / "eve.run").symlink_to("fair.run")
    done = fairtrec_command("validate", "eve.run")
    assert (done.code, "eve.run: W115 a link to 'fair.run'; submit the file itself" in done.out) == (0, True)
    assert fairtrec_command("validate", "eve.run", "--fail-on", "warning").code == 3
    assert "W115" not in fairtrec_command("validate", "fair.run").out


@pytest.mark.parametrize(
    "name",
    ["a*b.run", "a[1].run", "a\nb.run", "a\u202eb.run", "a:b.run", "a\\b.run", "-x.run", "x=y.run", "a?.run"]
    + [f"a{letter}.run" for letter in "\u3164\u034f\ufe0f\u2800\xa0\u200b"]  # which look like a.run
    + ["e\u0301quipe.run"],
)
def test_odd_names_are_refused(copied, fairtrec_command, name):
    (copied / "runs").mkdir()
    shutil.copy(copied / "fair.run", copied / "runs" / name)
    done = fairtrec_command("eval", "qrels.txt", "runs", "-m", "RR", "--untrusted")
    assert (done.code, "contains wildcards, path or control characters" in done.err) == (3, True), done.err
    assert len(done.err.splitlines()) == 1


def test_names_of_all_languages_are_taken(copied, fairtrec_command):
    (copied / "runs").mkdir()
    for name in ("my run (2).run", "équipe-1.run", "हिन्दी.run", "团队_3+.run", "README.run"):
        shutil.copy(copied / "fair.run", copied / "runs" / name)
    assert fairtrec_command("eval", "qrels.txt", "runs", "-m", "RR", "--untrusted").code == 0
