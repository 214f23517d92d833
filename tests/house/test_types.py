"""Type checkers of a consumer know each public name, and report a name that does not exist."""

import re
import subprocess
import sys
from textwrap import dedent

import pytest

import fairtrec
from fairtrec import measures
from fairtrec_made import REPOSITORY

CONSUMER = """\
import fairtrec
from fairtrec.measures import NFaiRR


def values(result: fairtrec.Result) -> dict[str, dict[str, float]]:
    result.nosuch  # attr-defined
    return result.means


result = fairtrec.evaluate(["nDCG@10", NFaiRR(tau=0)], {"mine": "my.run"}, qrels="qrels.txt", terms="gender-en")
values(result)["mine"]["nDCG@10"] + 1
values(result)["mine"]["nDCG@10"].nosuch  # attr-defined
fairtrec.compare(result).nosuch  # attr-defined
fairtrec.evalute  # attr-defined
fairtrec.measures.NFaiR  # attr-defined
fairtrec.evaluate("nDCG@10", "my.run", qrels="qrels.txt", tokeniser="space")  # call-arg
fairtrec.evaluate("nDCG@10", "my.run", qrels="qrels.txt", tokenizer="spaces")  # arg-type
NFaiRR(tua=1)  # call-arg
"""


@pytest.mark.long
def test_a_consumer_sees_every_public_name_and_no_other(tmp_path):
    """mypy keeps what it found in the package, by the content of its files, so the next time takes a tenth."""
    (tmp_path / "consumer.py").write_text(CONSUMER)
    names = [*fairtrec.STABILITY, *(f"fairtrec.measures.{name}" for name in measures.BUILT_IN)]
    if "fairtrec.rerankers" in names:
        names += [f"fairtrec.rerankers.{name}" for name in fairtrec.rerankers.BUILT_IN]
    lines = ["from {} import {} as {}".format(*name.rpartition(".")[::2], name.replace(".", "_")) for name in names]
    (tmp_path / "names.py").write_text("\n".join(lines))
    page = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    (tmp_path / "spoken.py").write_text(
        dedent(re.search(r"^   ```python\n(.*?)^   ```$", page, re.MULTILINE | re.DOTALL)[1])
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--hide-error-context",
        "--cache-dir",
        REPOSITORY / ".mypy_cache" / "consumer",
        ".",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = re.findall(r"^(\S+?):(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
    wanted = [
        ("consumer.py", str(number), line.partition("  # ")[2])
        for number, line in enumerate(CONSUMER.splitlines(), 1)
        if "  # " in line
    ]
    assert found == wanted, done.stdout + done.stderr
