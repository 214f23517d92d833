"""Manual pages have what the help has, and no reader of manual pages finds a fault in one."""

import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import click
import pytest

from fairtrec.cli import command, find_rows
from fairtrec.commands import list_names
from fairtrec_made import REPOSITORY


@pytest.fixture(scope="module")
def man():
    spec = spec_from_file_location("man", REPOSITORY / "docs" / "man.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(man):
    return man.write_pages()


def test_each_command_has_a_page_with_all_of_its_options(pages):
    known = {name: f"fairtrec-{name.replace(' ', '-')}.1" for name in list_names()}
    assert {"fairtrec.1", "fairtrec-counts-merge.1", *known.values()} <= {*pages}
    for name, page in known.items():
        found = command
        for word in name.split():
            found = found.get_command(click.Context(found), word)
        for option in found.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert re.search(
                    rf"^\\fB.*{re.escape(option.opts[0].replace('-', chr(92) + '-'))}",
                    pages[page],
                    re.MULTILINE,
                )


def test_the_page_of_fairtrec_lists_the_commands(pages):
    for name, text in ((row.name, row.text) for row in find_rows()):
        escaped = [each.replace("-", "\\-") for each in (name, text)]
        assert f".TP\n\\fB{escaped[0]}\\fR\n{escaped[1]}\n" in pages["fairtrec.1"]


def test_each_page_has_the_parts_of_a_manual_page(pages):
    for name, text in pages.items():
        parts = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
        assert parts[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"], name
        assert "EXIT STATUS" in parts
        assert len(parts) == len({*parts}), name
        assert f"\\fB{name.removesuffix('.1').replace('-', ' ').split()[0]}" in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_finds_no_fault(pages):
    command = ["groff", "-man", "-Tutf8", "-ww", "-z"]
    done = subprocess.run(command, input="".join(pages.values()), capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == ""


def test_no_text_is_read_as_a_command_of_roff(man):
    assert man.escape(".TH -q") == "\\&.TH \\-q"
    assert man.escape("'a' \\ b") == "\\&'a' \\e b"


def test_the_program_writes_each_page_to_a_file(tmp_path, pages):
    subprocess.run([sys.executable, REPOSITORY / "docs" / "man.py", tmp_path / "man"], check=True)
    assert {path.name: path.read_text("utf-8") for path in (tmp_path / "man").iterdir()} == pages
