"""Ids that strangers chose so that they want one place of a hash table cost little more than other ids."""

import os
import resource
import subprocess
import sys

import pytest

from fairtrec.support.compiled import extension
from fairtrec_made import REPOSITORY, colliding

MANY = 60_000
DEPTH = 6_000
TIMES = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("floods")
    for name, ids in (("flood", colliding.list_ids(MANY)), ("other", colliding.list_other_ids(MANY))):
        places = [(i // DEPTH, i % DEPTH, docno) for i, docno in enumerate(ids)]
        texts = {
            "run": "".join(f"q{q} Q0 {docno} {rank + 1} {-rank} t\n" for q, rank, docno in places),
            "qrels": "".join(f"q{q} 0 {docno} {rank % 7 == 0:d}\n" for q, rank, docno in places),
            "tsv": "docno\ttokens\tf\tm\n"
            + "".join(f"{docno}\t9\t{rank % 3}\t{rank % 2}\n" for _, rank, docno in places[::-1]),
            "labels": "docno\tgroup\n" + "".join(f"{docno}\t{'fm'[rank % 2]}\n" for _, rank, docno in places[::-1]),
        }
        for suffix, text in texts.items():
            (made / f"{name}.{suffix}").write_text(text)
    return made


def spend(folder, name, options, plain):
    """Evaluate a run; give what is printed and the CPU seconds."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "fairtrec",
        "eval",
        f"{name}.qrels",
        f"{name}.run",
        "-f",
        "csv",
        "--untrusted",
    ]
    env = os.environ | {"PYTHONPATH": str(REPOSITORY), "FAIRTREC_PLAIN": plain, "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, *(option.format(name) for option in options)],
        cwd=folder, env=env, capture_output=True, text=True, check=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout.replace(name, ""), seconds


OPTIONS = {
    "counts": ("-m", "nDCG R@4000 NFaiRR@4000", "--counts", "{}.tsv", "--background", "{}.run"),
    "labels": ("-m", "nDCG R@4000 AWRF@4000", "--labels", "{}.labels"),
}


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "plain",
    ["1", pytest.param("", marks=pytest.mark.skipif(extension is None, reason="this package was built without it"))],
)
def test_ids_that_collide_cost_at_most_three_times_as_much(folder, options, plain):
    flood, seconds = spend(folder, "flood", OPTIONS[options], plain)
    other, usual = spend(folder, "other", OPTIONS[options], plain)
    assert flood == other  # values depend on ranks
    assert seconds <= TIMES * usual, (seconds, usual)
