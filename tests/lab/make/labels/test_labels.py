"""``fairtrec make labels``: what the files of a track become, and what is refused; values are in test_trec_fair_page.py."""

import gzip
import json

import pytest

import fairtrec
from fairtrec.support.errors import UsageError

PAGE = {
    "page_id": 7, "qual_cat": "Start", "gender": ["transgender female", "non-binary", "cisgender female"],
    "page_subcont_regions": ["Polynesia", "Melanesia", "Western Africa"],
    "source_subcont_regions": {"UNK": 2, "Polynesia": 3, "Micronesia": 1}, "title": "x",
}  # fmt: skip
BARE = {"page_id": 8, "qual_cat": "?", "gender": [], "page_subcont_regions": [], "source_subcont_regions": {}}
QRELS = '{"id": 1, "rel_docs": [9, 7, 7, 8]}\n{"id": "2", "rel_docs": []}\n'
WORLD = 'Rank,Name,Population\n1,Western Africa,400000000\n2,"Oceania",45.5\n'
NAMES = ["gender.tsv", "graded.qrels", "src_geo.tsv", "sub_geo.tsv", "world-gender.tsv", "world.tsv"]


@pytest.fixture
def track(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [PAGE, BARE, {**PAGE, "gender": ["male"]}]  # of a page that appears twice the first line counts
    with gzip.open(tmp_path / "pages.gz", "wt") as file:
        file.writelines(f"{json.dumps(page)}\n" for page in lines)
    (tmp_path / "reldocs.jsonl").write_text(QRELS)
    (tmp_path / "world-pop.csv").write_text(WORLD)
    return tmp_path


GIVEN = ["make", "labels", "--track", "trec-fair-2022", "pages.gz", "--qrels", "reldocs.jsonl"]


def test_files_become_labels_qrels_and_targets(track, fairtrec_command):
    done = fairtrec_command(*GIVEN, "--world", "world-pop.csv", "-o", "labels/")
    assert (done.code, done.out) == (0, "")
    names = "gender.tsv, sub_geo.tsv, src_geo.tsv, graded.qrels, world.tsv, world-gender.tsv"
    assert done.err == f"# 2 pages; {names} in labels\n"
    made = {path.name: path.read_text() for path in (track / "labels").iterdir()}
    assert sorted(made) == NAMES
    assert made["gender.tsv"] == "docno\tgroup\tcount\n7\tfemale\t1\n7\tNB\t1\n"
    assert made["sub_geo.tsv"] == "docno\tgroup\tcount\n7\tOceania\t2\n7\tWestern Africa\t1\n"
    assert made["src_geo.tsv"] == "docno\tgroup\tcount\n7\t?\t2\n7\tOceania\t4\n"
    assert made["graded.qrels"] == "1 0 7 5\n1 0 8 0\n1 0 9 0\n"
    assert made["world.tsv"] == "group\tcount\nWestern Africa\t400000000\nOceania\t45.5\n"
    assert made["world-gender.tsv"] == "female\t0.495\nmale\t0.495\nNB\t0.01\n"


def test_python_does_the_same_and_leaves_out_what_is_not_asked_for(track):
    made = fairtrec.make_labels("pages.gz", "labels")
    assert (made.pages, made.files) == (2, ("gender.tsv", "sub_geo.tsv", "src_geo.tsv", "world-gender.tsv"))
    assert {path.name for path in (track / "labels").iterdir()} == {*made.files}
    with pytest.raises(UsageError, match="there is no track '2021'; choose trec-fair-2022"):
        fairtrec.make_labels("pages.gz", "labels", track="2021")


def test_a_folder_that_is_not_empty_asks_for_force(track, fairtrec_command):
    assert fairtrec_command(*GIVEN, "-o", "labels").code == 0
    again = fairtrec_command(*GIVEN, "-o", "labels")
    assert (again.code, again.complaints) == (
        2, ["the folder labels is not empty; choose another, or add --force to write into it"],
    )  # fmt: skip
    assert fairtrec_command(*GIVEN, "-o", "labels", "--force").code == 0
    assert fairtrec_command(*GIVEN, "-o", "pages.gz").complaints == ["pages.gz is a file; name a folder"]


def test_what_is_read_is_not_replaced(track, fairtrec_command):
    (track / "graded.qrels").write_text(QRELS)
    done = fairtrec_command(*GIVEN[:-1], "graded.qrels", "-o", ".", "--force")
    assert (done.code, done.complaints) == (
        2, ["graded.qrels is an input and would be replaced; choose another folder with -o"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"page_id": "7"}, "the page_id '7' is not a whole number from 0 on"),
        ({"page_id": True}, "the page_id True is not a whole number from 0 on"),
        ({"gender": "female"}, "the value of gender is not a list"),
        ({"gender": [3]}, "the group 3 is not text, or holds a tab or a line end"),
        ({"page_subcont_regions": ["a\tb"]}, r"the group 'a\tb' is not text, or holds a tab or a line end"),
        ({"source_subcont_regions": []}, "the value of source_subcont_regions is not an object"),
        ({"source_subcont_regions": {"a": 0.5}}, "the count of a 0.5 is not a whole number from 0 on"),
    ],
)
def test_pages_of_another_form_are_refused(track, fairtrec_command, change, says):
    (track / "pages").write_text(f"{json.dumps(BARE)}\n{json.dumps({**PAGE, **change})}\n")
    done = fairtrec_command("make", "labels", "--track", "trec-fair-2022", "pages", "-o", "labels")
    (complaint,) = done.complaints
    assert (done.code, complaint.startswith(f"pages:2: {says}; write each line as {{")) == (3, True), complaint
    assert not (track / "labels").exists(), "no folder, and no half of a file"


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("--qrels", '{"id": 1}\n', ":1: the object has no rel_docs; write each line as"),
        ("--qrels", '{"id": "a b", "rel_docs": []}\n', ":1: the id 'a b' holds white space; write each line as"),
        ("--qrels", f"{QRELS}{QRELS}", ":3: query 1 appears twice; keep one line"),
        ("--qrels", "", ": this file has no lines; was it written to the end?"),
        ("--world", "Name,Count\na,1\n", ":1: there is no column Population; pass world-pop.csv"),
        ("--world", "Name,Population\na,many\n", ":2: 'a' has the population 'many'; write a name and a number"),
        ("--world", "Name,Population\na\n", ":2: 'a' has the population ''; write a name and a number"),
        ("--world", "Name,Population\n", ": the file has no regions; pass world-pop.csv"),
    ],
)
def test_other_files_of_another_form_are_refused(track, fairtrec_command, option, text, says):
    (track / "bad").write_text(text)
    done = fairtrec_command("make", "labels", "--track", "trec-fair-2022", "pages.gz", option, "bad", "-o", "labels")
    (complaint,) = done.complaints
    assert (done.code, complaint.startswith(f"bad{says}")) == (3, True), complaint


def test_a_track_is_named(track, fairtrec_command):
    done = fairtrec_command("make", "labels", "pages.gz", "-o", "labels")
    assert (done.code, "--track" in done.err) == (2, True)
