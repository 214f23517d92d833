"""The current folder may be a checkout of somebody's pull request: none of its files is executed, in no process."""

import re
import shlex
import shutil

import pytest

from fairtrec_made import EXAMPLE
from fairtrec_made.hostile import LAUNCHER, executed, plant_modules, started

TEXTS = "--terms gender-en --docs collection.tsv"
COMMANDS = {
    "eval": f"eval qrels.txt bm25.run neural.run fair.run -m 'nDCG@10 NFaiRR@10' {TEXTS} --background background.run -j 2",
    "compare": f"compare qrels.txt bm25.run neural.run -m TExFAIR@10 {TEXTS} -j 2",
    "check": f"check qrels.txt bm25.run neural.run --require 'nDCG@10 >= 0.1' {TEXTS} -j 2",
    "ablate": f"ablate qrels.txt bm25.run neural.run -m ARaB@10 --vary cutoff=5,10 {TEXTS} -j 2",
    "rerank": f"rerank qrels.txt bm25.run neural.run --by neutral {TEXTS} -j 2 -o out",
    "annotate": "annotate collection.tsv --terms gender-en -o out.tsv -j 3",
    "counterfactual": "counterfactual collection.tsv --pairs gender-en-pairs -o out.tsv -j 2",
    "plot": f"plot frontier qrels.txt bm25.run neural.run -m 'nDCG@10 ARaB@10' {TEXTS} -j 2 -o out.svg",
}
PROGRAM = """
import fairtrec

if __name__ == "__main__":
    found = fairtrec.evaluate("nDCG@10 RR", ["bm25.run", "neural.run"], "qrels.txt", jobs=2)
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


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_files_named_like_modules_are_not_executed(in_both_folders, command):
    plain, hostile = in_both_folders(LAUNCHER, *shlex.split(command))
    assert plain[0] == 0, plain
    assert hostile == plain
    assert plain[-1] > 2, "no process was started, so nothing was tried"


def test_processes_that_are_not_forked_execute_no_file_either(in_both_folders, tmp_path):
    far = tmp_path / ("t" * 64)  # in which no socket fits
    far.mkdir()
    plain, hostile = in_both_folders(LAUNCHER, *shlex.split(COMMANDS["eval"]), TMPDIR=str(far))
    assert plain[0] == 0, plain
    assert hostile == plain


def test_a_program_that_asks_for_processes_executes_no_file(in_both_folders):
    plain, hostile = in_both_folders(PROGRAM)
    assert plain[0] == 0, plain
    assert hostile == plain
    assert plain[-1] > 2
