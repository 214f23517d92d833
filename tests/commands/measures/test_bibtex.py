"""What to cite: each source that a measure names has an entry, and each entry is a source."""

import re

import pytest

import fairtrec
from fairtrec.measures import BUILT_IN
from fairtrec_made import REPOSITORY

ENTRIES = (REPOSITORY / "resources" / "citations.bib").read_text("utf-8").strip().split("\n\n")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.partition("{")[2].partition(",")[0])
def test_an_entry_is_bibtex(entry):
    kind, *fields, end = entry.splitlines()
    assert re.fullmatch(r"@(article|inproceedings|misc)\{\w+,", kind)
    assert end == "}"
    named = [re.fullmatch(r"  (\w+) = \{(.+)\},", field) for field in fields]
    assert all(named)
    assert {"author", "title", "year"} <= {field[1] for field in named}
    for field in named:
        depth = 0
        for letter in field[2]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            assert depth >= 0
        assert depth == 0


def test_every_source_of_a_measure_has_an_entry_and_every_entry_is_a_source():
    printed = fairtrec.bibtex(" ".join([*BUILT_IN, "nDCG"]))
    assert "note = " not in printed
    assert set(re.findall(r"@\w+\{(\w+)", printed)) == {entry.partition("{")[2].partition(",")[0] for entry in ENTRIES}


def test_fairtrec_stands_first_with_its_version_and_a_source_stands_once():
    printed = fairtrec.bibtex("NFaiRR FaiRR nDCG@10 P@5")
    assert re.findall(r"@\w+\{(\w+)", printed) == [
        "fairtrec",
        "RekabsazKopeinikSchedl2021",
        "MacAvaneyMacdonaldOunis2022",
    ]
    assert f"version = {{{fairtrec.__version__}}}" in printed.partition("\n}")[0]
    assert fairtrec.bibtex() == printed.partition("\n\n")[0] + "\n"


def test_a_measure_of_another_package_is_cited_as_its_page_says(monkeypatch):
    from fairtrec.measures.catalogue import registry
    from fairtrec_made.measures import Higher

    monkeypatch.setattr(registry, "parse", lambda _: [Higher()])
    entry = fairtrec.bibtex("Higher").split("\n\n")[1]
    assert entry.startswith("@misc{Higher,")
    assert "note = {no source named}" in entry


def test_what_is_no_measure_is_refused(fairtrec_command):
    done = fairtrec_command("measures", "NFairR@10 nDGC", "--bibtex")
    assert (done.code, done.out) == (2, "")
    assert "nDGC" in done.err
