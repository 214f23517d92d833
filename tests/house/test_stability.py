"""docs/stability.md and docs/schema.md list what the code has, and each thing that recorded outputs show."""

import json
import re

from fairtrec.cli import find_rows
from fairtrec.support import errors
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import list_goldens

PAGE = (REPOSITORY / "docs" / "stability.md").read_text("utf-8")
WRITTEN, _, MADE = PAGE.partition("<!-- made from the code")
SCHEMA = (REPOSITORY / "docs" / "schema.md").read_text("utf-8")
GOLDEN = list_goldens()


def section(title):
    """Give the words in code font of a section that is made from the code."""
    return set(re.findall(r"`([^`]+)`", MADE.partition(f"## {title}\n")[2].partition("\n## ")[0]))


def recorded(command):
    """Give the recorded outputs of a command."""
    texts = (case.read_text("utf-8") for case in GOLDEN)
    return [text for text in texts if text.startswith(f"$ fairtrec {command} ")]


def test_each_exit_code_is_that_of_its_error():
    rows = dict(re.findall(r"^\| (\d) \|.*`fairtrec\.(\w+)`", WRITTEN, re.MULTILINE))
    assert {int(code): name for code, name in rows.items()} == {
        each.exit_code: each.__name__ for each in (errors.UsageError, errors.InputError, errors.ResourceError)
    }


def test_every_command_is_stable_or_provisional():
    assert {row.lasting for row in find_rows()} == {"stable", "provisional"}
    listed = {name.partition(" ")[0] for name in section("Commands and options")}
    assert listed >= {row.name for row in find_rows()}


def test_every_recorded_signature_field_is_listed():
    texts = [text for command in ("eval", "check", "compare") for text in recorded(command)]
    lines = [line for text in texts for line in re.findall(r"fairtrec:VERSION \| [^\n]*", text)]
    found = {part.partition(":")[0] for line in lines for part in re.split(r" \| (?=[a-z-]+:)", line)}
    assert len(found) > 20
    assert found <= section("Signature fields")


def test_every_recorded_column_of_eval_is_listed():
    listed = set(re.findall(r"`([^`]+)`", SCHEMA.partition("## Columns\n")[2]))
    heads = [text.splitlines()[1].split("\t") for text in recorded("eval") if "-f tsv" in text.splitlines()[0]]
    assert len(heads) > 2
    for head in heads:
        assert set(head[: head.index("queries") + 1]) <= listed


def paths(value, path=""):
    """Give the keys of a report, the last part of each, and no further into notes."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from paths(each, key) if key not in ("notes", "inputs", "options", "ways") else ()
    elif isinstance(value, list):
        for each in value:
            yield from paths(each, path)


def test_every_recorded_key_of_a_report_is_on_the_page_of_the_schema():
    """But for names of runs, queries, documents, groups and measures."""
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"^\| `([^`]+)`", SCHEMA, re.MULTILINE))))
    seen = 0
    for case in GOLDEN:
        head, _, text = case.read_text("utf-8").partition("\n")
        if not re.search(r"-f json\b", head) or not text.startswith("{"):
            continue
        record, _ = json.JSONDecoder().raw_decode(text)
        keys = {key for key in paths(record) if re.fullmatch(r"[a-z]+_[a-z_]+", key)}
        assert keys <= listed, case.name
        seen += 1
    assert seen > 10
