"""A word that stands for several, his and hers, and what an address is: as the page of counterfactual says."""

import random
import re

import pytest

import fairtrec
from fairtrec.lab.make.counterfactual.text_edits import Addresses

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"]+")
WWW = re.compile(r"(?<!\w)www\.[^\s<>\"]*", re.IGNORECASE)
MAIL = re.compile(r"(?:[^\W\d]|%)[\w.+%-]*@[\w-]+(?:\.[\w-]+)+")
PARTS = (
    "she",
    "www.",
    "WWW.",
    "http://",
    "x",
    "@",
    ".org",
    " ",
    "\u00a0",
    "<",
    ">",
    '"',
    "her",
    "é",
    "1",
    "-",
    "_",
    "://",
    "%",
)


def substituted(text, folder, pairs="gender-en-pairs"):
    (folder / "c.tsv").write_text(f"d1\t{text}\n", "utf-8")
    fairtrec.make_counterfactual(folder / "c.tsv", pairs, folder / "o.tsv", jobs=1)
    return (folder / "o.tsv").read_text("utf-8").split("\t")[1].removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("his and hers", "hers and his"),
        ("his or mine", "hers or mine"),
        ("a friend of his came", "a friend of hers came"),
        ("a friend of his who came", "a friend of hers who came"),
        ("none of his had it", "none of hers had it"),
        ("a friend of his mother came", "a friend of her father came"),
        ("because of his to-do list", "because of her to-do list"),
        ("his mother and hers", "her father and his"),
    ],
)
def test_his_is_hers_where_closed_classes_say_so(text, wanted, tmp_path):
    assert substituted(text, tmp_path) == wanted


@pytest.mark.parametrize("text", ["saw her leave", "make her happy", "called her names", "found her dead",
                                  "taught her English", "gave her flowers", "kept her busy"])  # fmt: skip
def test_what_the_page_calls_not_told_apart_becomes_his(text, tmp_path):
    assert substituted(text, tmp_path) == text.replace("her", "his")


def test_an_address_is_what_the_page_says():
    draw = random.Random(2019)
    for _ in range(4000):
        text = "".join(draw.choice(PARTS) for _ in range(draw.randint(1, 7)))
        plain = {at for each in (URL, WWW, MAIL) for m in each.finditer(text) for at in range(m.start(), m.end())}
        addresses = Addresses(text.encode())
        for word in re.finditer(r"\w+", text):
            first, last = (len(text[:at].encode()) for at in word.span())
            assert addresses.hold(first, last) == (set(range(*word.span())) <= plain), (text, word)


def command(fairtrec_command, folder, lines, *more):
    (folder / "c.tsv").write_text("d1\tthey\n")
    (folder / "pairs").write_text(lines)
    arguments = (folder / "c.tsv", "--pairs", folder / "pairs", "-o", folder / "o.tsv", *more)
    return fairtrec_command("make", "counterfactual", *arguments)


def test_a_word_that_stands_for_several_is_named(fairtrec_command, tmp_path):
    done = command(fairtrec_command, tmp_path, "she,they\nhe,they\n")
    assert done.code == 0
    assert "# they stands for she and he, and becomes the first" in done.err
    assert "stands for" not in command(fairtrec_command, tmp_path, "she,he\nher,his\nher,him\nhers,his\n").err


def test_a_word_that_stands_for_words_of_different_groups_is_refused_with_groups(fairtrec_command, tmp_path):
    done = command(fairtrec_command, tmp_path, "she,they\nhe,they\n", "--terms", "gender-en")
    assert done.code == 3
    assert "they stands for she (f) and he (m), of different groups" in done.err
    assert command(fairtrec_command, tmp_path, "mom,dad\nmum,dad\n", "--terms", "gender-en").code == 0
    bundled = fairtrec_command("make", "counterfactual", tmp_path / "c.tsv", "--pairs", "gender-en-pairs", "--terms", "gender-en",
                               "-o", tmp_path / "o.tsv")  # fmt: skip
    assert bundled.code == 0
