"""Messages spell options as whoever asks writes them: typed on the command line, keywords in Python."""

import re

import pytest

import fairtrec
from fairtrec.evaluation.inputs.options import CHOICES, VIEWS
from fairtrec.support.errors import FairtrecError, spell_keywords

WORDS = {"terms": "gender-en", "docs": "collection.tsv"}
ASKED = {
    "no background": ("NFaiRR@10", WORDS, "add background=RUN or background=collection"),
    "no labels": ("AWRF@10", {}, "add labels=FILE, or terms=LIST with docs=COLLECTION, or counts=FILE"),
    "no texts": ("TExFAIR@10", WORDS | {"docs": "queries.tsv"}, "how they count with missing=neutral|skip|worst"),
    "no qrels": ("nDCG@10", {"queries": "judged"}, "queries=judged needs QRELS"),
    "no queries": ("TExFAIR@10", WORDS | {"queries": "wanted.txt"}, "none of the wanted queries; check queries="),
    "two choices": ("AWRF@10", {"labels": "labels.tsv", "bounds": "labels", "missing": "even"}, "missing=even "),
    "no word": ("AWRF@10", {"labels": "labels.tsv", "order": "best"}, "order='best' is not known"),
}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
def test_python_has_keywords(copied, asked):
    measure, given, said = ASKED[asked]
    (copied / "wanted.txt").write_text("none\n")
    with pytest.raises(FairtrecError) as fault:
        fairtrec.evaluate(measure, "bm25.run", **given)
    assert said in str(fault.value)
    assert "--" not in str(fault.value)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("asked", ["no background", "no texts", "no queries"])
def test_the_command_line_has_options(copied, fairtrec_command, asked, jobs):
    """Also where another process finds the fault."""
    measure, given, said = ASKED[asked]
    (copied / "wanted.txt").write_text("none\n")
    words = [word for name, value in given.items() for word in (f"--{name}", value)]
    done = fairtrec_command("eval", "none", "bm25.run", "neural.run", "-m", measure, "-j", jobs, *words)
    assert done.code in (2, 3)
    (message,) = done.complaints
    assert spell_keywords(message) != message
    assert said in spell_keywords(message)


def test_a_note_has_keywords_in_python_and_options_in_a_file(copied, fairtrec_command):
    """So a file from Python is replayed."""
    result = fairtrec.evaluate("AWRF@10", "bm25.run", labels="labels.tsv")
    said = next(note for note in map(str, result.notes) if "equal scores" in note)
    assert "; bounds=ties prints the lowest and highest possible value" in said
    result.write("a.json", per_query=True)
    assert "; --bounds ties prints the lowest and highest possible value" in (copied / "a.json").read_text("utf-8")
    assert fairtrec_command("results", "replay", "a.json").code == 0


def test_an_option_has_the_name_of_its_keyword():
    for name, row in {**CHOICES, **VIEWS}.items():
        if name != "summary":  # -n leaves it out
            assert spell_keywords(f"--{row.option}") == f"{name}="


def test_words_that_an_option_takes_follow_it():
    for row in CHOICES.values():
        for word in row.literals:
            assert re.fullmatch(r"[a-z_]+=\S+ or another", spell_keywords(f"--{row.option} {word} or another"))


def test_names_of_users_stay_as_they_are(copied):
    """Also where they look like an option."""
    odd = "a --labels x"
    result = fairtrec.evaluate("AWRF@10 nDCG@10", {odd: "bm25.run"}, qrels="qrels.txt", labels="labels.tsv")
    assert f"  {odd} " in str(result)
    assert all("labels= " not in str(note) for note in result.notes)
    with pytest.raises(FairtrecError, match=r"/--no-such/--foo\.tsv"):
        result.write(copied / "--no-such" / "--foo.tsv", "tsv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("this run names no query; -c counts the queries of the qrels", "this run names no query; complete= counts the queries of the qrels"),
        ("write: measure and value (trec_eval -q), or CSV", "write: measure and value (trec_eval -q), or CSV"),
        ("iconv -f UTF-16LE -t UTF-8", "iconv -f UTF-16LE -t UTF-8"),
        ("allow more with ulimit -n, or use -j 1", "allow more with ulimit -n, or use jobs=1"),
        ("the folder of x with -o/a.csv is not there; choose another with -o", "the folder of x with -o/a.csv is not there; choose another"),
        ("choose another place with -o, or add --force", "choose another place, or add force=True"),
        ("add -m rND, or -f md", "add measures=rND, or format=md"),
        ("runs/-m and x-m", "runs/-m and x-m"),
    ],
)  # fmt: skip
def test_letters_of_options_are_keywords_too(text, said):
    assert spell_keywords(text) == said
