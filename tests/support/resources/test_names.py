"""A name of a list is that list, whatever files are in the folder; ./NAME is the file."""

import json
from pathlib import Path

import pytest

import fairtrec
from fairtrec_made import texts
from fairtrec_made.command_trials import gather_trials

NOTE = "{0} is the bundled list, not the file {0} in this folder; write ./{0} for the file"
SWAPPED = "she,m\nhe,f\n"
TEXTS = "--docs collection.tsv"
REPORTS = gather_trials("LIST_NAMES", {"eval": f"eval none bm25.run -m ARaB@10 --terms NAME {TEXTS}"})
OTHERS = gather_trials("OTHER_LIST_NAMES")


@pytest.fixture
def called(copied, fairtrec_command):
    """Call a command with a name for its list; give what it prints and writes, and what it says."""

    def call(command, name):
        for path in copied.glob("out*"):
            path.unlink()
        done = fairtrec_command(*command.replace("NAME", name).split())
        assert done.code in (0, 1), done.err
        return done.out + "".join(path.read_text() for path in sorted(copied.glob("out*"))), done.err

    return call


@pytest.mark.parametrize("command", REPORTS.values(), ids=REPORTS)
def test_a_file_called_like_a_list_is_not_taken_for_it(copied, called, command):
    def reported(name):
        record = json.loads(called(f"{command} -f json", name)[0])
        return [note["text"] for note in record.pop("notes") if note["kind"] == "list, not file"], record

    alone = reported("gender-en")
    (copied / "gender-en").write_text(SWAPPED)
    assert alone[0] == []
    assert reported("gender-en") == ([NOTE.format("gender-en")], alone[1])
    notes, swapped = reported("./gender-en")
    assert (notes, swapped == alone[1]) == ([], False)


@pytest.mark.parametrize("command", OTHERS.values(), ids=OTHERS)
def test_other_commands_say_so_before_they_begin(copied, called, command):
    name, text = ("gender-en-pairs", "he,them\n") if "pairs" in command else ("gender-en", SWAPPED)
    alone = called(command, name)
    (copied / name).write_text(text)
    beside, swapped = called(command, name), called(command, f"./{name}")
    assert beside[0] == alone[0] != swapped[0]
    assert beside[1].startswith(f"# {NOTE.format(name)}\n")
    assert NOTE.format(name) not in alone[1] + swapped[1]


def test_it_is_said_in_reports_and_in_python(copied, fairtrec_command):
    (copied / "gender-en").write_text(SWAPPED)
    done = fairtrec_command(*REPORTS["eval"].replace("NAME", "gender-en").split(), "-f", "json")
    assert NOTE.format("gender-en") in [note["text"] for note in json.loads(done.out)["notes"]]
    given = {"docs": "collection.tsv"}
    by_name, by_file, by_path = (
        fairtrec.evaluate("ARaB@10", "bm25.run", terms=terms, **given)
        for terms in ("gender-en", "./gender-en", Path("gender-en"))
    )
    assert NOTE.format("gender-en") in texts(by_name.notes)
    assert by_file.scores[0].means == by_path.scores[0].means != by_name.scores[0].means
    assert NOTE.format("gender-en") not in (*texts(by_file.notes), *texts(by_path.notes))
    for result in (by_name, by_file, by_path):
        result.write("a.json", per_query=True)
        assert fairtrec_command("results", "replay", "a.json").code == 0


@pytest.mark.parametrize("option", ["queries", "validate"])
def test_a_file_called_like_a_query_set_is_not_taken_for_it(copied, fairtrec_command, option):
    (copied / "example-fair").write_text("101\n")
    command = "eval qrels.txt bm25.run -m RR -q --queries" if option == "queries" else "validate bm25.run --queries"
    found = {name: fairtrec_command(*command.split(), name) for name in ("example-fair", "./example-fair")}
    assert found["example-fair"].out != found["./example-fair"].out
    assert f"# {NOTE.format('example-fair')}\n" in found["example-fair"].err
    assert "is the list of that name" not in found["./example-fair"].err


@pytest.mark.parametrize("folder", [".", "elsewhere"])
def test_options_of_a_file(copied, fairtrec_command, folder):
    (copied / "elsewhere").mkdir()
    (copied / folder / "gender-en").write_text(SWAPPED)
    table = "[tool.fairtrec.check]\nrequire = 'ARaB@10 <= 9'\ndocs = '{}'\nterms = '{}'\n"
    docs = "collection.tsv" if folder == "." else str(copied / "collection.tsv")
    values = {}
    for name in ("gender-en", "./gender-en"):
        (copied / folder / "o.toml").write_text(table.format(docs, name))
        done = fairtrec_command("check", "none", "bm25.run", "--config", f"{folder}/o.toml", "-f", "json")
        assert done.code == 0, done.err
        values[name] = done.out
    signatures = [json.loads(out)["signature"] for out in values.values()]
    assert "terms:gender-en@e5b8da05" in signatures[0]
    assert "terms:gender-en@e5b8da05" not in signatures[1]


def test_an_id_with_its_scheme_is_no_file(copied, fairtrec_command):
    (copied / "irds:vaswani").write_text("101 0 p001 1\n")
    assert fairtrec_command("eval", "irds:vaswani", "bm25.run", "-m", "RR").code == 4
    assert fairtrec_command("eval", "./irds:vaswani", "bm25.run", "-m", "RR").code == 0
