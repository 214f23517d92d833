"""Values are not swapped: other things that are named like a list or a pattern, other halves of characters."""

import json
import os
import re
import shutil

import numpy as np
import pytest

import fairtrec
from fairtrec.support.errors import InputError
from fairtrec_made.law import hold

WORDS = "eval qrels.txt bm25.run -m AWRF@10 --terms gender-en --docs collection.tsv --target even -f json"


def plant_folder(place):
    place.mkdir()
    (place / "gender-en.csv").write_text("she,m\nhe,f\n")


PLANTED = {
    "a folder": plant_folder,
    "a link": lambda place: place.symlink_to("mine"),
    "a link to nothing": lambda place: place.symlink_to("nothing"),
    "a pipe": os.mkfifo,
    "a passport": lambda place: place.with_suffix(".toml").write_text("title = 'x'\n"),
    "a list": lambda place: place.with_suffix(".csv").write_text("she,m\nhe,f\n"),
}


@pytest.mark.parametrize("kind", PLANTED)
@pytest.mark.parametrize("name", ["gender-en", "even", "wordlists", "resources", "fairtrec"])
def test_nothing_else_with_the_name_of_a_word_changes_a_value(copied, fairtrec_command, kind, name):
    plain = json.loads(fairtrec_command(*WORDS.split()).out)
    (copied / "mine").write_text("she,m\nhe,f\n")
    PLANTED[kind](copied / name)
    done = hold(fairtrec_command, WORDS.split(), copied)
    assert done.code == 0, done.err
    again = json.loads(done.out)
    assert [run["means"] for run in again["runs"]] == [run["means"] for run in plain["runs"]]


@pytest.mark.parametrize("way", ["./gender-en", "../example/gender-en", "/gender-en", "gender-en.csv"])
def test_a_file_is_a_list_only_if_its_path_is_typed(copied, fairtrec_command, way):
    for name in ("gender-en", "gender-en.csv"):
        (copied / name).write_text("she,m\nhe,f\n")
    typed = str(copied / "gender-en") if way.startswith("/") else way
    plain, mine = (fairtrec_command(*WORDS.replace("gender-en", each).split()) for each in ("gender-en", typed))
    digests = [json.loads(done.out)["inputs"]["terms"]["sha256"] for done in (plain, mine)]
    assert digests[0] != digests[1]


# --- patterns ---


@pytest.mark.parametrize("name", ["[ab]*.run", "?m25.run", "**", "*", "[!x]*.run"])
def test_no_sign_of_a_pattern_hides_other_files(copied, fairtrec_command, name):
    shutil.copy(copied / "fair.run", copied / name)
    done = fairtrec_command("eval", "qrels.txt", "[ab]*.run" if name == "*" else name, "-m", "RR", "-f", "json")
    named = [run["run"] for run in json.loads(done.out)["runs"]] if done.code == 0 else []
    assert "bm25.run" in named or done.code in (2, 3), done.err
    if name == "[ab]*.run":
        assert {"bm25.run", "background.run", name} - {name} <= {*named}


@pytest.mark.parametrize("name", ["*.run", "[b]m25.run"])
def test_a_folder_with_the_name_of_a_pattern_hides_no_file(copied, fairtrec_command, name):
    (copied / name).mkdir()
    shutil.copy(copied / "fair.run", copied / name / "fair.run")
    done = fairtrec_command("eval", "qrels.txt", name, "-m", "RR", "-f", "json")
    named = [run["run"] for run in json.loads(done.out)["runs"]] if done.code == 0 else []
    assert {"bm25.run", f"{name}/fair.run"} <= {*named}, done.err


# --- halves of characters ---

HALF = "\\ud800"
LINES = {
    "qrels": ('{{"qid": "q1", "docno": "{0}", "grade": 1}}', "eval FILE bm25.run -m RR"),
    "query of qrels": ('{{"qid": "{0}", "docno": "d1", "grade": 1}}', "eval FILE bm25.run -m RR"),
    "qrels in one object": ('{{"q1": {{"{0}": 1}}}}', "eval FILE bm25.run -m RR"),
    "run in one object": ('{{"q1": {{"{0}": 1}}}}', "eval qrels.txt FILE -m RR"),
    "labels": ('{{"docno": "{0}", "group": "f"}}', "eval none bm25.run -m AWRF@10 --labels FILE"),
    "group": ('{{"docno": "p001", "group": "{0}"}}', "eval none bm25.run -m AWRF@10 --labels FILE"),
    "checked texts": ('{{"id": "{0}", "text": "she"}}', "validate bm25.run --docs FILE"),
    "counted texts": ('{{"id": "{0}", "text": "she"}}', "counts make FILE --terms gender-en -o c.tsv -j 1"),
    "answers": ('{{"topic_id": "101", "references": ["{0}"], "answer": [{{"citations": [0]}}]}}', "eval qrels.txt FILE -m RR"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("half", [HALF, "\\udc00", "d\\ud83d", "\\ude00d"])
def test_half_a_character_is_no_other_id_in_any_json(copied, fairtrec_command, kind, half):
    line, command = LINES[kind]
    (copied / "x.jsonl").write_text(f"{line.format(half)}\n")
    done = hold(fairtrec_command, command.replace("FILE", "x.jsonl").split(), copied, codes=(3,))
    assert "x.jsonl" in done.err + done.out
    assert re.search(r"half a (character|letter)|write it as text|is no text", done.err + done.out), done.err + done.out


IN_PYTHON = {
    "qrels": ({"qrels": {"101": {"?": 1, "\ud800": 2}}}, "half a character"),
    "labels": ({"labels": {"?": "f", "\ud800": "m"}}, "half a character"),
    "group": ({"labels": {"p001": "?\ud800"}}, "no text or number"),
}


@pytest.mark.parametrize(("given", "says"), IN_PYTHON.values(), ids=IN_PYTHON)
def test_half_a_character_is_no_other_id_of_an_object(copied, given, says):
    with pytest.raises(InputError, match=says):
        fairtrec.evaluate("AWRF@10", "bm25.run", **{"qrels": "qrels.txt", "labels": "labels.tsv"} | given)


def test_half_a_character_in_a_text_of_python_names_no_other_document():
    docs = {"?": "he", "\ud800": "she", "?\ud800": "she"}
    plain, odd = (fairtrec.evaluate("ARaB@1", {"q1": {"?": 1.0}}, terms="gender-en", docs=each).scores[0].means[0] for each in ({"?": "he"}, docs))  # fmt: skip
    assert plain == odd


def test_marks_that_look_alike_are_not_one_id(copied):
    """A letter with an accent is one character or two; a file says which."""
    run = {"q1": {"caf\u00e9": 2.0, "cafe\u0301": 1.0}}
    values = [fairtrec.evaluate("RR", run, qrels={"q1": {docno: 1}}).scores[0].means[0] for docno in run["q1"]]
    assert np.allclose(values, [1, 0.5])
