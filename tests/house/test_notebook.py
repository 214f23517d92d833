"""docs/notebook.ipynb runs from its first cell to its last, and prints what it shows."""

import json
import os
import re

import pytest

from fairtrec_made import REPOSITORY, pages, precision

PATH = REPOSITORY / "docs" / "notebook.ipynb"


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Work in an empty folder, with nothing fetched; the notebook makes a folder and enters it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def test_the_cells_run_and_print_what_the_notebook_shows(work):
    notebook = json.loads(PATH.read_text("utf-8"))
    names = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        printed = pages.run_program("".join(cell["source"]), names, PATH.name)
        printed = re.sub(r"(fairtrec:|version = \{)(\d+\.\d+\.\d+)[^ \n}]*", r"\1\2", printed)
        if os.environ.get("FAIRTREC_UPDATE"):
            stream = {"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}
            cell.update(execution_count=number, outputs=[stream] if printed else [])
            continue
        shown = "".join(line for output in cell["outputs"] for line in output["text"])
        assert precision.agree(pages.unversioned(printed), pages.unversioned(shown))
    if os.environ.get("FAIRTREC_UPDATE"):
        PATH.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert len(cells) > 5
    assert {"counts.tsv", "table.tex"} <= {path.name for path in (work / "example").iterdir()}


def test_the_notebook_and_the_tutorial_have_the_same_sentence():
    notebook = json.loads(PATH.read_text("utf-8"))
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    (ours,) = re.findall(r"^> (On 12 queries.*)$", text, re.MULTILINE)
    page = (REPOSITORY / "docs" / "study.md").read_text("utf-8")
    (theirs,) = re.findall(r"^(> On 12 queries.*(?:\n>.*)*)", page, re.MULTILINE)
    assert " ".join(theirs.replace("\n>", " ").removeprefix(">").split()) == ours
