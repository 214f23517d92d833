"""SECURITY.md names a test for each promise, and each of these tests is there; nothing that is read can run code."""

import ast
import re

import pytest

from fairtrec_made import REPOSITORY
from fairtrec_made.rows import walk
from fairtrec_made.sources import list_nodes

PAGE = (REPOSITORY / "SECURITY.md").read_text("utf-8")
ROWS = re.findall(r"^\| (.*) \| `(tests/\S+?)::(\w+)` \|$", PAGE, re.MULTILINE)
ATTACKS = {
    promise: re.findall(r"`(tests/\S+?)::(\w+)`", cell)
    for promise, cell in re.findall(
        r"^\| (.*) \| (.*) \|$", (REPOSITORY / "tests/security/README.md").read_text("utf-8"), re.MULTILINE
    )
}
FILES = sorted((REPOSITORY / "fairtrec").rglob("*.py"))
RUNNING = {"pickle", "marshal", "shelve", "yaml", "dill", "joblib", "cloudpickle"}
OWN = {"fairtrec/support/jobs/shared_work.py"}  # what one process of ours sends to another


def has_test(path, name):
    nodes = list_nodes((REPOSITORY / path).read_text("utf-8"))
    return name in [each.name for each in nodes if isinstance(each, ast.FunctionDef)]


@walk({f"{path}::{name}": (promise, path, name) for promise, path, name in ROWS})
def test_each_promise_has_its_test(promise, path, name):
    assert has_test(path, name), promise


@walk({f"{path}::{name}": (promise, path, name) for promise, path, name in ROWS})
def test_each_promise_is_attacked_in_two_ways_more(promise, path, name):
    attacks = {*ATTACKS[promise]} - {(path, name)}
    assert len(attacks) >= 2, promise
    assert [each for each in attacks if not has_test(*each)] == []


def test_no_attack_stands_for_two_promises():
    of_promises = [ATTACKS[promise] for promise, _, _ in ROWS]
    assert [*ATTACKS][1:] == [promise for promise, _, _ in ROWS]  # below the names of the columns
    every = [attack for attacks in of_promises for attack in attacks]
    assert sorted({*every}) == sorted(every)


def test_each_row_of_the_table_names_a_test():
    table = PAGE.partition("## What it promises")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(ROWS) > 30
    assert len({(path, name) for _, path, name in ROWS}) == len(ROWS)
    begun = [each[2:] for each, *_ in ROWS if each.startswith("**")]
    for promise in (
        "No code runs",
        "Nothing is written outside",
        "No network",
        "Bounded memory",
        "Bounded time",
        "One line",
    ):
        assert any(each.startswith(promise) for each in begun), promise


def test_the_page_says_how_to_start_it_and_how_to_report():
    for words in (
        "python -P -m fairtrec",
        "--untrusted",
        "FAIRTREC_OFFLINE=1",
        "security/advisories/new",
        "within two weeks",
    ):
        assert words in PAGE


@pytest.mark.long
def test_nothing_that_can_run_code_is_read():
    for path in FILES:
        name = path.relative_to(REPOSITORY).as_posix()
        for node in list_nodes(path.read_text("utf-8")):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = (
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
                )
                assert name in OWN or RUNNING.isdisjoint(module.partition(".")[0] for module in modules), name
            if isinstance(node, ast.Call):
                called, given = ast.unparse(node.func), {each.arg: ast.unparse(each.value) for each in node.keywords}
                assert called not in ("eval", "exec", "compile", "__import__"), name
                assert called != "np.load" or "mmap_mode" in given or given.get("allow_pickle") == "False", name
                assert given.get("allow_pickle", "False") == "False", name
                assert called != "torch.load" or given.get("weights_only") == "True", name
                assert given.get("trust_remote_code", "False") == "False", name
