"""What the pages of docs/ and the README promise in words is so."""

import re

from fairtrec.catalogue import registry
from fairtrec_made import REPOSITORY


def test_the_page_says_that_ids_of_ir_datasets_are_exempt():
    assert "An id of ir_datasets needs no such leave" in (REPOSITORY / "docs" / "eval.md").read_text("utf-8")


def test_the_page_says_that_names_of_trec_eval_are_printed_otherwise():
    page = (REPOSITORY / "docs" / "eval.md").read_text("utf-8")
    assert "`AP` for `map`" in page
    assert list(map(str, registry.parse("map ndcg_cut_10"))) == ["AP", "nDCG@10"]


def test_the_counts_of_the_readme_are_made_before_they_are_used():
    text = (REPOSITORY / "README.md").read_text("utf-8")
    assert 0 < text.find("-o counts.tsv") < text.find("--counts counts.tsv")


def test_no_page_speaks_of_a_tag():
    pages_with_code = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    assert not [page.name for page in pages_with_code if "rev: v" in page.read_text("utf-8")]


def test_the_page_of_commands_has_the_short_option_for_help_too():
    page = (REPOSITORY / "docs" / "cli.md").read_text("utf-8")
    assert page.count("-h, --help") == len(re.findall("^Usage: ", page, re.MULTILINE))
    assert not re.search("^  --help", page, re.MULTILINE)
