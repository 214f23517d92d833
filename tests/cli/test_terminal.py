"""What files and names hold never steers a terminal, in any format, and no message repeats more than a little of it."""

import json
import os
import pty
import re
import subprocess
import sys
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from fairtrec.commands.results import DIFFERENCES
from fairtrec.report import output, writers
from fairtrec.report.output import Terminal
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import InputError, UsageError, make_visible, plain, short
from fairtrec_made import REPOSITORY, ended, reports
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.hostile import EVIL, NAME

STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
COLOR = re.compile("\x1b\\[[0-9;]*m")  # our own, around texts that were drawn for a terminal


class Watched(Terminal):
    """Standard output that somebody watches, which keeps what it shows."""

    def __init__(self):
        self.shown = BytesIO()
        super().__init__(self.shown)

    def isatty(self):
        return True


class Listener(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def on_a_terminal(monkeypatch):
    """Run ``fairtrec`` where somebody watches; give the exit code, and what is shown of output and of messages."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "FAIRTREC_DEBUG", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        out, err = Watched(), Listener()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["fairtrec", *map(str, arguments)])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = ended()
            return code, out.shown.getvalue().decode("utf-8", "surrogateescape"), err.getvalue()

    return run


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Files in which each text that others chose holds what a terminal would obey."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    lines = [f"{EVIL}{qid} {{}} {EVIL}{doc}" for qid in "12" for doc in "xyz"]
    texts = {
        "qrels": "".join(f"{line.format(EVIL + 's' + line[-1])} {len(line) % 2 + 1}\n" for line in lines),
        NAME: "".join(f"{line.format('Q0')} {n} {9 - n} {EVIL}\n" for n, line in enumerate(lines)),
        "b.run": "".join(f"{line.format('Q0')} {n} {n} {EVIL}\n" for n, line in enumerate(lines)),
        "groups": f"she,{EVIL}f\nhe,{EVIL}m\n",
        "docs.tsv": "".join(f"{EVIL}{doc}\tshe said, he said {EVIL}\n" for doc in "xyz"),
        "labels": "x\tf\ny\tm\n",
        "slices": f"{EVIL}1\t{EVIL}short\n{EVIL}2\t{EVIL}long\n",
        "queries": f"qid\n{EVIL}1\n{EVIL}2\n",
        "target": "".join(f"{EVIL}{qid}\t{EVIL}{group}\t0.5\n" for qid in "12" for group in "fm"),
        "counts": f"docno tokens {EVIL}f {EVIL}m\n" + "".join(f"{EVIL}{doc} 9 {doc > 'x':d} 2\n" for doc in "xyz"),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def shown_safely(ended):
    """Hold that nothing steers the terminal but colors of ours, which are none of the evil name's."""
    code, out, err = ended
    for text in (COLOR.sub("", out), err):
        assert not STEERING.search(text), repr(text)
    return code, out, err


GIVEN = ["-m", "nDCG@2 RR P@1"]
FORMS = gather_trials("REPORTS", {
    **{f"eval {form}": ["eval", "qrels", NAME, "b.run", *GIVEN, "-q", "--slice", "slices", "-f", form] for form in RESULTS.forms if form not in ("html", "parquet", "flat")},
    "eval flat": ["eval", "qrels", NAME, "b.run", *GIVEN, "--slice", "slices", "-f", "flat"],
    "eval html": ["eval", "qrels", NAME, "b.run", *GIVEN, "-f", "html"],
    "eval trec of one": ["eval", "qrels", NAME, *GIVEN, "-f", "trec"],
    "eval sorted": ["eval", "qrels", NAME, "b.run", *GIVEN, "--sort", "RR", "-f", "table"],
    "eval of words": ["eval", "qrels", NAME, "--terms", "groups", "--docs", "docs.tsv", "-m", "TE@2 AWRF@2", "-f", "trec"],
    "eval of counts": ["eval", "none", NAME, "--counts", "counts", "-m", "TE@2", "-f", "tsv", "-q"],
    "eval of judgments": ["eval", "qrels", NAME, "-m", "nDCG@2", "--queries", "queries", "-f", "csv"],
    "eval of targets": ["eval", "qrels", NAME, "-m", "AWRF@2", "--counts", "counts", "--target", "target", "-f", "json"],
})  # fmt: skip


@pytest.mark.parametrize("arguments", FORMS.values(), ids=FORMS)
def test_no_report_steers_a_terminal(workplace, on_a_terminal, arguments):
    (workplace / "fewer").write_text("".join((workplace / "counts").read_text("utf-8").splitlines(True)[:-1]), "utf-8")
    code, out, err = shown_safely(on_a_terminal(*arguments))
    assert code in (0, 1, 3), err
    assert "title" in out  # what it holds is there, as text
    assert "fault" not in err


@pytest.mark.parametrize("form", DIFFERENCES.forms)
def test_no_difference_of_results_steers_a_terminal(workplace, on_a_terminal, fairtrec_command, form):
    for name, run in (("one", NAME), ("other", "b.run")):
        assert fairtrec_command("eval", "qrels", run, *GIVEN, "-q", "-f", "json", "-o", f"{EVIL}{name}.json").code == 0
    code, out, _ = shown_safely(on_a_terminal("results", "diff", f"{EVIL}one.json", f"{EVIL}other.json", "-f", form))
    assert (code, "title" in out) == (1, True)


def test_what_a_table_of_counts_says_of_itself_steers_no_terminal(workplace, on_a_terminal, fairtrec_command):
    (workplace / f"{EVIL}.tsv").write_bytes((workplace / "docs.tsv").read_bytes())
    made = fairtrec_command("counts", "make", f"{EVIL}.tsv", "--terms", "groups", "-o", "o.arrow", "-j", "1")
    assert made.code == 0, made.err
    code, out, _ = shown_safely(on_a_terminal("counts", "info", "o.arrow"))
    assert (code, out.count("title") > 3) == (0, True)


def test_faults_of_the_track_steer_no_terminal(workplace, on_a_terminal):
    record = {"q_num": f"{EVIL}0.0", "qid": EVIL, "ranking": [EVIL]}
    (workplace / NAME).write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
    (workplace / "sequences").write_text("0.0,1\n")
    (workplace / "truth").write_text('{"qid": 1, "documents": [{"doc_id": "d1", "relevance": 1}]}\n')
    given = [NAME, "--sequences", "sequences", "--truth", "truth"]
    code, out, _ = shown_safely(on_a_terminal("validate", "--track", "trec-fair-2019", *given))
    assert (code, "title" in out) == (3, True)


MESSAGES = {
    "a run": ["eval", "qrels", "evil"],
    "a run that goes on": ["eval", "qrels", "evil", NAME, "--keep-going", "-m", "RR"],
    "a compared run": ["compare", "qrels", "evil", NAME, "b.run", "--keep-going", "-m", "RR"],
    "a checked run": ["check", "qrels", "evil", NAME, "--keep-going", "--require", "RR > 0"],
    "no such file": ["eval", "qrels", EVIL],
    "no such option": ["eval", "qrels", NAME, f"--{EVIL}"],
    "no such choice": ["eval", "qrels", NAME, "-f", EVIL],
    "no such number": ["eval", "qrels", NAME, "--places", EVIL],
    "no such command": [EVIL],
    "too many arguments": ["results", "diff", "a", "b", EVIL],
    "no such measure": ["eval", "qrels", NAME, "-m", EVIL],
    "no such page": ["measures", EVIL],
    "no such group": ["eval", "qrels", NAME, "-m", "AWRF", "--labels", "labels", "--groups", EVIL],
    "no such target": ["eval", "qrels", NAME, "-m", "AWRF", "--counts", "counts", "--target", EVIL],
    "no such resource": ["resources", "show", EVIL],
    "no such list": ["eval", "qrels", NAME, "--terms", EVIL, "--docs", "docs.tsv"],
    "no such baseline": ["compare", "qrels", NAME, "b.run", "-m", "RR", "--baseline", f"{EVIL}x"],
    "no such requirement": ["check", "qrels", NAME, "--require", EVIL],
    "no such place": ["eval", "qrels", NAME, "-m", "RR", "-o", f"{EVIL}/out"],
    "a bad label": ["eval", "qrels", NAME, "-m", "AWRF", "--labels", "evil"],
    "bad counts": ["eval", "qrels", NAME, "--counts", "evil"],
    "bad texts": ["eval", "qrels", NAME, "--terms", "groups", "--docs", "evil.jsonl"],
    "bad TOML": ["check", "qrels", NAME, "--config", "evil.toml"],
    "bad results": ["results", "diff", "evil.jsonl", "evil.jsonl"],
    "a bad list": ["eval", "qrels", "@evil"],
    "an unknown document": ["eval", "qrels", NAME, "--counts", "fewer"],
}


@pytest.mark.parametrize("arguments", MESSAGES.values(), ids=MESSAGES)
def test_no_message_steers_a_terminal(workplace, on_a_terminal, arguments):
    (workplace / "evil").write_text(f"q1 Q0 d1 1 {EVIL} t\n", "utf-8")
    (workplace / "evil.jsonl").write_text(f'{{"{EVIL}": "x"}}\n', "utf-8")
    (workplace / "evil.toml").write_text(f"[tool.fairtrec.check]\n'{EVIL.replace(chr(27), '')}' = 1\n", "utf-8")
    (workplace / "fewer").write_text(f"docno tokens {EVIL}f {EVIL}m\n{EVIL}x 9 1 2\n", "utf-8")
    code, _, err = shown_safely(on_a_terminal(*arguments))
    assert code in (2, 3, 4), err
    assert "fault" not in err
    with_input = [line for line in err.splitlines() if "title" in line or line.startswith("evil")]
    assert with_input, err


def test_a_real_terminal_shows_names_as_escapes(workplace):
    """All of the command line, with a terminal at its end."""
    ours, theirs = pty.openpty()
    program = "import sys; sys.argv[0] = 'fairtrec'; from fairtrec.cli import main; main()"
    command = [sys.executable, "-c", program, "eval", "qrels", NAME, *GIVEN, "-f", "tsv"]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not shown:
            break
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    assert process.wait() == 0, text
    assert not STEERING.search(text)
    assert "a\\x1b]0;title\\x07\\x1b[2J\\x9bK\\u202eb.run\ta\\x1b" in text


@pytest.mark.parametrize("form", ["trec", "tsv", "csv"])
def test_files_and_pipes_have_tags_and_query_ids_as_they_are(workplace, fairtrec_command, form):
    ended = fairtrec_command("eval", "qrels", NAME, "-m", "RR", "-q", "-f", form)
    assert f"\t{EVIL}1\t" in ended.out.replace(",", "\t")
    assert EVIL in ended.out.replace(f"{EVIL}1", "").replace(f"{EVIL}2", "")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_escapes_as_json_does_and_is_exact(workplace, fairtrec_command, form):
    out = fairtrec_command("eval", "qrels", NAME, "-m", "RR", "-q", "-f", form).out
    assert not STEERING.search(out)
    record = json.loads(out) if form == "json" else json.loads(out.splitlines()[0])
    assert EVIL in str(record["runs"][0]["tag"] if form == "json" else record["tag"])
    assert (record["runs"][0] if form == "json" else record)["run"] == NAME


def test_a_device_that_is_a_terminal_is_one_too():
    ours, theirs = pty.openpty()
    output.emit(f"{EVIL}\n", Path(os.ttyname(theirs)))
    assert os.read(ours, 1000).decode() == "a\\x1b]0;title\\x07\\x1b[2J\\x9bK\\u202eb\r\n"
    os.close(ours)
    os.close(theirs)


def test_the_bar_shows_names_as_escapes(monkeypatch):
    from fairtrec.cli import printing
    from fairtrec.support import progress

    watched = Listener()
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    times = iter([0.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times, 60.0))
    with printing.progress():
        progress.report(f"runs/{EVIL}", 5, 10)
    assert "\\x1b]0;title\\x07" in watched.getvalue()
    assert "\x1b]0" not in watched.getvalue()


# --- how much of it a message repeats ---

LONG = "y" * 6000
WORDS = "one two " * 1000  # has places to break at
LENGTHY = {
    "a name": ["eval", "qrels", LONG],
    "a name of words": ["eval", "qrels", WORDS],
    "a measure": ["eval", "qrels", "b.run", "-m", LONG],
    "measures": ["eval", "qrels", "b.run", "-m", WORDS],
    "a parameter": ["eval", "qrels", "b.run", "-m", f"NFaiRR(tau='{WORDS}')@10"],
    "a requirement": ["check", "qrels", "b.run", "--require", WORDS],
    "a target": ["eval", "qrels", "b.run", "-m", "AWRF", "--labels", "labels", "--target", WORDS],
    "a group": ["eval", "qrels", "b.run", "-m", "AWRF", "--labels", "labels", "--groups", WORDS],
    "a list": ["eval", "qrels", "b.run", "--terms", WORDS, "--docs", "docs.tsv"],
    "an option": ["eval", "qrels", "b.run", f"--{LONG}"],
    "a choice": ["eval", "qrels", "b.run", "-f", WORDS],
    "a number": ["eval", "qrels", "b.run", "--places", WORDS],
    "a command": [WORDS],
    "a page": ["measures", WORDS],
    "a resource": ["resources", "fetch", WORDS],
    "a baseline": ["compare", "qrels", NAME, "b.run", "-m", "RR", "--baseline", WORDS],
    "cutoffs": ["plot", "cutoffs", "qrels", NAME, "b.run", "-m", "RR", "--cutoffs", WORDS, "-f", "table"],
    "a place": ["eval", "qrels", "b.run", "-m", "RR", "-o", LONG],
    "a pattern": ["eval", "qrels", f"{LONG}*"],
    "a folder of tables": ["counts", "convert", LONG, "x.arrow"],
    "a line of labels": ["eval", "qrels", "b.run", "-m", "AWRF", "--labels", "long"],
    "a line of counts": ["eval", "qrels", "b.run", "--counts", "long"],
    "a line of a run": ["eval", "qrels", "long"],
    "a line of a run, checked": ["validate", "long"],
    "a cell of a run": ["eval", "qrels", "wide"],
    "a cell of a run, checked": ["validate", "wide"],
    "a line of terms": ["eval", "qrels", "b.run", "--terms", "long", "--docs", "docs.tsv"],
    "a group of terms": ["eval", "none", "b.run", "--terms", "named", "--docs", "docs.tsv", "-m", "TE(group=x)@2"],
    "a line of texts": ["eval", "qrels", "b.run", "--terms", "groups", "--docs", "long.jsonl"],
    "a line of slices": ["compare", "qrels", NAME, "b.run", "-m", "RR", "--slice", "long"],
    "TOML": ["check", "qrels", "b.run", "--config", "long.toml"],
    "results": ["results", "diff", "long.jsonl", "long.jsonl"],
    "a list of runs": ["eval", "qrels", "@list"],
}  # fmt: skip


@pytest.mark.parametrize("arguments", LENGTHY.values(), ids=LENGTHY)
def test_no_message_repeats_more_than_300_letters(workplace, fairtrec_command, arguments):
    (workplace / "long").write_text(f"{WORDS}\n{LONG} {LONG}\n")
    (workplace / "wide").write_text(f"{LONG[:900]} Q0 {LONG[:900]} 1 {LONG} {LONG[:900]}\n" * 2)
    (workplace / "named").write_text(f"she,{LONG}\nhe,m\n")
    (workplace / "long.jsonl").write_text(f'{{"{WORDS}": "{LONG}"}}\n')
    (workplace / "long.toml").write_text(f"[tool.fairtrec.check]\n'{WORDS}' = 1\n")
    (workplace / "list").write_text(f"{LONG}\n")
    ended = fairtrec_command(*arguments)
    assert ended.code in (2, 3, 4), ended.err[:2000]
    said = [*ended.err.splitlines(), *(ended.out.splitlines() if arguments[0] == "validate" else ())]
    assert said
    for line in said:
        assert len(line) <= 2 * 300 + 60, line  # a place and a message, a code or the word Error
        for repeated in (r"y{301,}", r"(?:one two ){38,}"):
            assert not re.search(repeated, line), line


def test_an_error_is_short_and_plain_for_python_too():
    for error in (InputError(EVIL * 100, EVIL * 100, 7), UsageError(EVIL * 100)):
        assert not STEERING.search(str(error))
        assert len(str(error)) < 700
    assert InputError(LONG, LONG, 7).path == LONG  # which programs may want whole
    assert str(InputError("x", LONG, 7)) == f"{'y' * 150}…{'y' * 149}:7: x"


@pytest.mark.parametrize("size", [1, 299, 300, 301, 450, 600, 601, 10_000_000])
def test_what_is_long_keeps_its_start_and_its_end(size):
    text = ("start " + "x" * size + " end")[-max(size, 10) :] if size < 10 else "s" + "x" * (size - 2) + "e"
    cut = short(text)
    assert len(cut) == min(len(text), 300)
    assert (cut[0], cut[-1]) == (text[0], text[-1])
    assert (cut == text) == (len(text) <= 300)


def test_lines_and_tabs_stay_in_reports_and_not_in_messages():
    assert make_visible("a\tb\n\x1b") == "a\tb\n\\x1b"
    assert plain("a\tb\n\x1b") == "a\\tb\\n\\x1b"
    assert make_visible("\u00e9\u5973 \U0001f600") == "\u00e9\u5973 \U0001f600"


def test_whatever_is_colored_is_drawn_and_nothing_else():
    assert len(reports.every_kind()) >= 8
    for kind in reports.every_kind():
        for form, each in kind.forms.items():
            lines = kind in gather_trials("DRAWN_TEXTS") and form == "text"
            assert each.draws == (each.renderer == "terminal:render" or lines), each
    assert writers.RESULTS.forms["table"].draws
    assert not writers.RESULTS.forms["tsv"].draws
