"""What is for users of the package from Python: each name is there, and says how lasting it is; the page runs."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import fairtrec
from fairtrec import commands, measure
from fairtrec_made import REPOSITORY

MODULES = {"measures", *(name for row in commands.list_rows() for name, place in row.public.items() if not place)}
PAGE = (REPOSITORY / "docs" / "python.md").read_text("utf-8")


def test_each_public_name_is_there_and_says_how_lasting_it_is():
    for name, word in fairtrec.STABILITY.items():
        assert pkgutil.resolve_name(name) is not None
        assert word in ("stable", "provisional")
    top = {name.removeprefix("fairtrec.") for name in fairtrec.STABILITY if name.count(".") == 1}
    assert top - MODULES == {*fairtrec.__all__} - {"__version__"}
    of_measure = {name.rpartition(".")[2] for name in fairtrec.STABILITY if name.startswith("fairtrec.measure.")}
    assert of_measure == {*measure.__all__}


def test_the_names_are_listed_before_they_are_imported():
    assert {*fairtrec.__all__, *MODULES} == {*dir(fairtrec)}
    assert "Result" not in vars(fairtrec)  # imported when it is used, each time from where it is defined


def test_measures_are_there_without_an_import_of_their_own():
    code = "import fairtrec; print(fairtrec.measures.NFaiRR(tau=0) @ 5)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "NFaiRR(tau=0)@5\n", done.stderr


def test_no_package_hides_a_function_of_its_name():
    for found in pkgutil.iter_modules(fairtrec.__path__, "fairtrec."):
        if found.ispkg:
            importlib.import_module(found.name)
    functions = [name for name in fairtrec.__all__ if name.islower() and not name.startswith("_")]
    assert all(callable(getattr(fairtrec, name)) for name in functions)
    assert len(functions) >= 10


def test_each_public_name_is_described_and_has_a_place_in_the_reference():
    index = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
    rows = re.findall(r"^\| \[`([\w.]+)`\]\(([\w./]+\.md)(?:#(\w+))?\) \| (.*?) \| (\w+) \|$", index, re.MULTILINE)
    assert {name: word for name, _, _, _, word in rows} == fairtrec.STABILITY
    assert len(rows) == len(fairtrec.STABILITY)
    for name, page, anchor, about, _ in rows:
        text = (REPOSITORY / "docs" / page).read_text("utf-8")
        assert about
        assert not anchor or f"\n## {name.rpartition('.')[2]}\n" in text, name


def test_a_page_of_the_reference_has_each_argument_that_python_takes():
    for name in fairtrec.STABILITY:
        thing = pkgutil.resolve_name(name)
        if not inspect.isfunction(thing) or name.count(".") > 1:
            continue
        page = (REPOSITORY / "docs" / "api" / f"{name.removeprefix('fairtrec.')}.md").read_text("utf-8")
        shown = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
        assert not [each for each in inspect.signature(thing).parameters if not re.search(rf"\b{each}\b", shown)], name


def test_the_examples_of_the_generator_hold(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY / "docs")
    assert doctest.testmod(importlib.import_module("api_pages")).failed == 0
