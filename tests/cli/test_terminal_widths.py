"""No value is cut, in a real terminal of any width and kind: what stands in a wide one stands in a narrow one, too."""

import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios

import pytest

from fairtrec_made import EXAMPLE, REPOSITORY
from fairtrec_made.command_trials import gather_trials

QRELS, TEXTS = EXAMPLE / "qrels.txt", ("--terms", "gender-en", "--docs", EXAMPLE / "collection.tsv", "--background", EXAMPLE / "background.run")  # fmt: skip
RUNS = [EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")]
SEVERAL = "'nDCG@10 P@5 NFaiRR@10 ARaB(mag=tf)@10 TExFAIR@10 AWRF@10'"
WINDOWS = gather_trials(
    "WINDOWS",
    {
        "eval": f"eval QRELS RUNS TEXTS -m {SEVERAL}",
        "eval sorted": f"eval QRELS RUNS TEXTS -m {SEVERAL} --sort AWRF@10 -f table",
        "eval queries": f"eval QRELS RUN neural.run TEXTS -m {SEVERAL} -q -f table",
        "eval bounds": f"eval QRELS RUNS TEXTS -m {SEVERAL} --bounds ties -f table",
        "eval intervals": f"eval QRELS RUNS TEXTS -m {SEVERAL} --confidence 0.95 -f table",
    },
)
FILES = {
    "QRELS": [QRELS],
    "TEXTS": TEXTS,
    "RUN": RUNS[:1],
    "RUNS": RUNS,
    "neural.run": RUNS[1:2],
    "fair.run": RUNS[2:],
}
COMMANDS = {
    name: [part for word in shlex.split(line) for part in FILES.get(word, [word])] for name, line in WINDOWS.items()
}
HIDING = gather_trials("HIDING_COLUMNS")
SHORT = (60, "xterm-256color"), (80, "dumb"), (100, "xterm-256color")
UNWANTED = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHONUNBUFFERED")  # none of them is set for most users
PROGRAM = """
import json, sys
from fairtrec.cli import main
for name, arguments in json.loads(sys.argv.pop()).items():
    sys.argv[:] = ["fairtrec", *arguments]
    print(f"=== {name}", flush=True)
    try:
        main()
    except SystemExit:
        sys.stdout.flush()
"""


def shown(width, term):
    """What each command shows in a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    given = json.dumps({name: list(map(str, command)) for name, command in COMMANDS.items()})
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    environment = kept | {"PYTHONPATH": str(REPOSITORY), "TERM": term, "FAIRTREC_OFFLINE": "1"}
    command = [sys.executable, "-c", PROGRAM, given]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0, text.decode()
    plain = re.sub("\x1b\\[[0-9;]*m", "", text.decode()).replace("\r\n", "\n")
    parts = re.split("^=== (.*)\n", plain, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def wide():
    return shown(1000, "xterm-256color")


def tables(text):
    """The lines of each table without its rules; they stand between empty lines."""
    several = [part.split("\n") for part in text.split("\n\n") if "───" in part]
    return [[line for line in lines if line.strip() and "───" not in line] for lines in several]


def columns(lines):
    """The cells of each column, the head first: between columns there are two blanks in all lines."""
    long = max(map(len, lines))
    padded = [line.ljust(long) for line in lines]
    blank = "".join(" " if all(line[at] == " " for line in padded) else "x" for at in range(long))
    return [
        [line[found.start() : found.end()].strip() for line in padded] for found in re.finditer(r"x+(?: x+)*", blank)
    ]


def values(text, left=()):
    """The numbers of a report, but for those of columns that are named as left out; below the tables, the signature."""
    found = [cell for lines in tables(text) for head, *cells in columns(lines) if head not in left for cell in cells]
    if not tables(text):
        found = text.splitlines()
    return [number for cell in found for number in re.findall(r"[-+]?\d+\.\d+|nan", cell)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "term"),
    [
        pytest.param(width, term, marks=[] if (width, term) in SHORT else pytest.mark.slow)
        for term in ("dumb", "xterm-256color")
        for width in (60, 80, 100, 140)
    ],
)
def test_no_value_is_cut(wide, width, term):
    for name, text in shown(width, term).items():
        left = re.search(r"columns that do not fit the window: (.*); -f tsv has all columns", " ".join(text.split()))
        assert "…" not in text.replace(" | …", ""), f"{name}\n{text}"  # parts of a signature that are left out
        named = left[1].split(", ") if left else []
        assert name in HIDING or not named
        wanted, found = values(wide[name], named), values(text)
        assert wanted
        assert sorted(found) == sorted(wanted) or {*wanted} <= {*found}, f"{name}\n{text}"
        for head in [cells[0] for lines in tables(wide[name]) for cells in columns(lines) if cells[0] not in named]:
            assert "".join(head.split()) in "".join(text.split()), f"{name}: {head}"


@pytest.mark.long
def test_commands_show_what_they_are_asked_for(wide):
    assert {*wide} == {*COMMANDS}
    assert "columns that do not fit" not in " ".join(wide["compare"].split())
    assert not [name for name, text in wide.items() if len(values(text)) < 3]
