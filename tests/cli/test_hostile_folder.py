"""The current folder may be a checkout of somebody's pull request: none of its files is executed, in no process."""

import json
import random
import re
import shlex
import shutil

import pytest

from fairtrec_made import EXAMPLE
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.hostile import LAUNCHER, executed, plant_modules, started
from fairtrec_made.law import draws, hold

COMMANDS = gather_trials(
    "HOSTILE_FOLDERS",
    {
        "eval": "eval qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 NFaiRR@10' --terms gender-en --docs collection.tsv --background background.run -j 2",
    },
)
PROGRAM = """
import fairtrec

if __name__ == "__main__":
    found = fairtrec.evaluate("nDCG@10 RR", ["bm25.run", "neural.run"], qrels="qrels.txt", jobs=2)
    print(*(mean for scores in found.scores for mean in scores.means))
"""


@pytest.fixture
def in_both_folders(tmp_path):
    """Run a program in a copy of the example, and in one that a stranger filled; give what each printed and wrote."""

    def run(program, *arguments, **environment):
        found = []
        for name in ("plain", "hostile"):
            folder = shutil.copytree(EXAMPLE, tmp_path / name)
            if name == "hostile":
                plant_modules(folder)
            environment = {"FAIRTREC_HOME": str(tmp_path), "MPLCONFIGDIR": str(tmp_path), **environment}
            done, pythons = started(program, arguments, folder, tmp_path / f"beside-{name}", **environment)
            assert not executed(folder)
            assert [words for words, is_safe in pythons[1:] if not is_safe] == []
            written = [
                path for path in sorted(folder.rglob("*")) if path.relative_to(folder).parts[0].startswith("out")
            ]
            files = [path.read_bytes() for path in written if path.is_file()]
            said = re.sub(r"in [\d.]+ s", "", done.stderr)
            found.append((done.returncode, done.stdout, said, files, len(pythons)))
        return found

    return run


SHORT = "eval", "counts make"  # the two ways to start processes; the rest of the commands take one of them


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [pytest.param(line, id=name, marks=[] if name in SHORT else pytest.mark.slow) for name, line in COMMANDS.items()],
)
def test_files_named_like_modules_are_not_executed(in_both_folders, command):
    plain, hostile = in_both_folders(LAUNCHER, *shlex.split(command))
    assert plain[0] == 0, plain
    assert hostile == plain
    assert plain[-1] > 2, "no process was started, so nothing was tried"


@pytest.mark.long
def test_processes_that_are_not_forked_execute_no_file_either(in_both_folders, tmp_path):
    far = tmp_path / ("t" * 64)  # in which no socket fits
    far.mkdir()
    plain, hostile = in_both_folders(LAUNCHER, *shlex.split(COMMANDS["eval"]), TMPDIR=str(far))
    assert plain[0] == 0, plain
    assert hostile == plain


@pytest.mark.long
def test_a_program_that_asks_for_processes_executes_no_file(in_both_folders):
    plain, hostile = in_both_folders(PROGRAM)
    assert plain[0] == 0, plain
    assert hostile == plain
    assert plain[-1] > 2


WORDS = [
    *("gender-en", "gender-en-core", "gender-en-pairs", "none", "common", "qrels", "even", "relevance", "ideal", "collection", "run"),
    *("RR", "nDCG@10", "ARaB@10", "strip", "score", "rank", "random", "neutral", "json", "-f", "-", "--", "@list", "=", "k=3", "eval", "check"),
    *("msmarco-fair", "trec-dl-fair", "qs1", "irds:vaswani", "vaswani", "t", "holm", "fairtrec", "matplotlibrc", ".fairtrec", "setup.cfg", ".env"),
]  # fmt: skip
CONTENTS = [
    "",
    "she,m\nhe,f\n",
    "1 0 1 1\n",
    "q1\n",
    "[tool.fairtrec.check]\nrequire = ['RR >= 2']\n",
    "\0\xff",
    "{}",
    "x = [",
]
UNASKED = {  # what a stranger may write into a pyproject.toml that no command but check reads
    "junit": "'../escaped.xml'", "output": "'../escaped.txt'", "terms": "'/dev/zero'", "docs": "'vaswani'", "format": "'html'", "force": "true", "require": "['RR >= 2']",
}  # fmt: skip
READING = gather_trials(
    "STRANGE_FOLDERS",
    [
        "eval qrels.txt bm25.run neural.run -m 'nDCG@10 ARaB@10' --terms gender-en --docs collection.tsv -f json",
        "eval none bm25.run -m ARaB@10 --terms gender-en --docs collection.tsv -f json",
        "eval qrels.txt bm25.run -m AWRF@10 --terms gender-en --docs collection.tsv --target even -f json",
    ],
)


def test_files_named_like_words_change_nothing(copied, fairtrec_command, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    dice, plain = random.Random("words"), {}

    def called(command):
        done = hold(fairtrec_command, shlex.split(command), copied.parent, ("example/out", "ir_datasets"))
        written = [path.read_bytes() for path in sorted(copied.rglob("out*")) if path.is_file()]
        for path in copied.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        text = done.out
        if "-f json" in command and done.code == 0:
            record = json.loads(done.out)
            record.pop("notes", None)
            text = record
        return done.code, text, written

    for _ in range(draws(8, share=0.01)):
        command = dice.choice(READING)
        plain[command] = plain.get(command) or called(command)
        assert plain[command][0] == 0, plain[command]
        names = dice.sample(WORDS, dice.randrange(1, 8))
        for name in names:
            (copied / name).write_text(dice.choice(CONTENTS))
        options = "".join(f"{key} = {value}\n" for key, value in dice.sample(sorted(UNASKED.items()), 3))
        (copied / "pyproject.toml").write_text(f"[tool.fairtrec.{dice.choice(['check', 'eval'])}]\n{options}")
        assert called(command) == plain[command], (command, names)
        code, *_ = called("check qrels.txt bm25.run --require 'RR >= 2'")
        assert code in (1, 2, 3)
        for name in [*names, "pyproject.toml"]:
            (copied / name).unlink()
