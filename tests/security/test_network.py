"""No network unasked: names that look like addresses are names of files, and a results file leads to no other file."""

import json
import os
import shutil
import socket

import pytest

from fairtrec.commands.results import replay
from fairtrec_made.law import hold
from fairtrec_made.planted import forget_reading, is_read, plant

ADDRESSES = [
    *("https://host.invalid/a.run", "http://127.0.0.1:9/a", "ftp://host.invalid/a", "s3://bucket/a.parquet"),
    *("gs://bucket/a.parquet", "hf://datasets/a/b", "file:///etc/hostname", "//host.invalid/share/a", "git+ssh://host.invalid/a"),
]  # fmt: skip
READING = {
    "run": "eval qrels.txt ADDRESS -m RR",
    "qrels": "eval ADDRESS bm25.run -m RR",
    "labels": "eval none bm25.run -m AWRF@10 --labels ADDRESS",
    "counts": "eval none bm25.run -m AWRF@10 --counts ADDRESS",
    "texts": "eval none bm25.run -m AWRF@10 --terms gender-en --docs ADDRESS",
    "terms": "eval none bm25.run -m AWRF@10 --terms ADDRESS --docs collection.tsv",
    "queries": "eval qrels.txt bm25.run -m RR --queries ADDRESS",
    "background": "eval qrels.txt bm25.run -m RR --background ADDRESS",
    "list": "eval qrels.txt @ADDRESS -m RR",
    "options": "check qrels.txt bm25.run --config ADDRESS",
    "results": "results replay ADDRESS",
    "values": "compare --values ADDRESS ADDRESS",
    "passport": "resources add ADDRESS",
    "output": "eval qrels.txt bm25.run -m RR -o ADDRESS",
}


@pytest.fixture
def contacts(monkeypatch):
    """Whom this process asks for, by name or by number."""
    asked = []

    def refuse(*arguments, **_):
        asked.append(arguments)
        raise OSError("nothing is contacted here")

    monkeypatch.delenv("FAIRTREC_OFFLINE")
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return asked


@pytest.mark.parametrize("kind", READING)
def test_an_address_is_the_name_of_a_file_that_is_not_there(copied, contacts, fairtrec_command, kind):
    for address in ADDRESSES:
        words = [word.replace("ADDRESS", address) for word in READING[kind].split()]
        hold(fairtrec_command, words, copied, codes=(2, 3, 4))
    assert contacts == []


PASSPORT = {
    "url": "http://127.0.0.1:9/set.tsv", "kind": "queryset", "title": "t", "source": "http://127.0.0.1:9", "license": "l", "citation": "c",
    "language": "en", "format": "tsv", "file": "set.tsv", "count": 1, "sha256": "0" * 64,
}  # fmt: skip


def test_the_addresses_in_a_passport_are_not_asked(copied, contacts, fairtrec_command):
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in PASSPORT.items())
    (copied / "mine.toml").write_text(text)
    (copied / "set.tsv").write_text("101\n")
    own = copied.parent / "own" / "mine"  # as one that was added: FAIRTREC_HOME is the folder above
    shutil.copytree(copied, own, ignore=lambda _, names: {*names} - {"mine.toml"})
    for words in ("resources add mine.toml", "resources list", "resources show mine", "resources verify", "eval qrels.txt bm25.run -m RR --queries mine"):  # fmt: skip
        hold(fairtrec_command, words.split(), copied)
    assert contacts == []


# --- results replay ---

EVAL = ["eval", "qrels.txt", "bm25.run", "fair.run", "--labels", "labels.tsv", "-m", "AWRF@10 RR"]


@pytest.fixture
def change_results(copied, fairtrec_command):
    """Write a results file, in which a stranger changes what a function says; give how its replay ends."""
    assert fairtrec_command(*EVAL, "-q", "-f", "json", "-o", "a.json").code == 0
    text = (copied / "a.json").read_text()

    def write(change):
        document = json.loads(text)
        change(document)
        (copied / "a.json").write_text(json.dumps(document))
        return fairtrec_command("results", "replay", "a.json")

    return write


DIGESTS = {"empty": "", "of nothing": "0" * 64, "a start": None, "a number": 0, "null": None, "a list": []}


@pytest.mark.parametrize("kind", DIGESTS)
def test_a_file_with_another_sha256_is_not_taken(change_results, copied, kind):
    def change(document):
        for file in document["inputs"].values():
            file["sha256"] = file["sha256"][:8] if kind == "a start" else DIGESTS[kind]

    done = change_results(change)
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err


@pytest.mark.parametrize("path", ["secret.run", "./secret.run", "../example/secret.run", "link", "."])
def test_the_sha256_of_a_file_admits_no_other(change_results, copied, path):
    planted = plant(copied, "secret.run")
    (copied / "link").symlink_to("secret.run")

    def change(document):
        part = next(name for name in document["inputs"] if "bm25" in name)
        document["inputs"][part]["path"] = path

    done = change_results(change)
    if path == ".":
        assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    else:  # the file of that sha256 lies beside it, and is taken
        assert (done.code, f"{path} is bm25.run (sha256 " in done.err) == (0, True), done.err
    assert planted.read_bytes()


ODD_RUNS = ["@secret.txt", "sec*.run", "x=secret.run", "secret", "bm25.run:secret", "secret.run.gz", "-", "/dev/stdin"]


@pytest.mark.parametrize("name", ODD_RUNS)
def test_no_name_of_a_run_in_results_leads_to_another(change_results, copied, name):
    planted = [plant(copied, each) for each in ("secret.run", "secret/a.run", "bm25.run:secret")]
    plant(copied, "secret.txt", "queries.tsv")

    def change(document):
        document["inputs"] = {
            (f"run {name}" if part == "run bm25.run" else part): file for part, file in document["inputs"].items()
        }
        for run in document["runs"]:
            run["path"] = name if run.get("path") == "bm25.run" else run.get("path")

    done = change_results(change)
    assert done.code in (0, 3), done.err  # what is left is what was recorded
    assert not any(map(is_read, planted))


@pytest.mark.parametrize(
    ("option", "value"),
    [("queries", ["secret.tsv"]), ("labels", {"a": "secret.tsv"}), ("qrels", {"path": "secret.tsv"}), ("docs", 7), ("terms", "secret.tsv"), ("discount", "secret.tsv"), ("counterfactual", "secret"), ("stances", "secret.tsv")],
)  # fmt: skip
def test_no_type_of_an_option_in_results_leads_to_another(change_results, copied, option, value):
    planted = [plant(copied, "secret.tsv", "labels.tsv"), plant(copied, "secret/bm25.run")]
    done = change_results(lambda document: document["options"].update({option: value}))
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    assert not any(map(is_read, planted))


@pytest.mark.parametrize("way", ["another file", "a link"])
def test_an_input_of_results_that_is_exchanged_is_not_read(change_results, copied, monkeypatch, way):
    """The file is another one as soon as all have been hashed."""
    planted, find_inputs = plant(copied, "secret.run"), replay.find_inputs

    def exchange(*arguments):
        found = find_inputs(*arguments)
        (copied / "other").symlink_to("secret.run") if way == "a link" else os.link(planted, copied / "other")
        (copied / "other").replace(copied / "bm25.run")
        forget_reading(planted)
        return found

    monkeypatch.setattr(replay, "find_inputs", exchange)
    done = change_results(lambda document: None)
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    assert "bm25.run would be read, of which this file has no sha256" in done.err
    assert not is_read(planted)
