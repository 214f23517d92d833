"""Files of answers are replayed and shown although their inputs were renamed and moved; no file names a folder."""

import hashlib
import json
import shlex
import shutil
from pathlib import Path

import pytest

from fairtrec.commands.results.parts import list_replayed
from fairtrec.report.recorded_paths import rename_paths, shorten_paths
from fairtrec_made.command_trials import gather_trials

GIVEN = "qrels.txt bm25.run neural.run --labels labels.tsv -m"
ANSWERS = {
    "eval": f"eval {GIVEN} nDCG@10 -m AWRF@10 -q --missing neutral -f json -o out/a.json",
    "compare": f"compare {GIVEN} nDCG@10 -m AWRF@10 --missing neutral -f json -o out/a.json",
    "check": "check qrels.txt bm25.run --labels labels.tsv --require AWRF@10>=.5 --require nDCG@10>=.99 -f json -o out/a.json",
    "named": "eval qrels.txt a=bm25.run b=neural.run --labels g=labels.tsv -m AWRF(by=g)@10 --missing neutral -f json -o out/a.json",
    "mixture": "eval qrels.txt bm25.run --labels labels.tsv -m AWRF@10 --target 0.5*shares.tsv+0.5*even --missing neutral -f json -o out/a.json",
}
ANSWERS = gather_trials("REPLAYED", ANSWERS)
REPLAYED = ", ".join(list_replayed())  # those of the lab, where it is, are among them
NAMES = {
    "qrels.txt": "deep/er/q",
    "bm25.run": "first",
    "neural.run": "deep/second.x",
    "labels.tsv": "l",
    "shares.tsv": "s",
}


@pytest.fixture
def ask(copied, fairtrec_command):
    """Run a command that writes an answer, and give the path of that."""
    (copied / "out").mkdir()
    (copied / "shares.tsv").write_text("".join(f"{qid}\tf\t0.25\n{qid}\tm\t0.75\n" for qid in range(101, 113)))

    def run(line):
        assert fairtrec_command(*shlex.split(line)).code in (0, 1)
        return copied / ("out/study/report.json" if "study" in line else "out/a.json")

    return run


def move(place):
    """Rename and move all inputs to folders below the file."""
    for old, new in NAMES.items():
        (place.parent / new).parent.mkdir(parents=True, exist_ok=True)
        Path(old).rename(place.parent / new)


@pytest.mark.long
@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_is_replayed_where_its_inputs_are_and_where_they_were_moved(
    kind, ask, fairtrec_command, tmp_path, monkeypatch
):
    place = ask(ANSWERS[kind])
    here = fairtrec_command("results", "replay", place)
    assert (here.code, here.out) == (0, ""), here.err
    move(place)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    moved = fairtrec_command("results", "replay", place)
    assert (moved.code, moved.out) == (0, ""), moved.err
    assert f"# qrels: qrels.txt is {place.parent / 'deep/er/q'} (sha256 " in moved.err
    assert list(elsewhere.iterdir()) == []


def test_a_changed_value_is_found_after_a_move(ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    document = json.loads(place.read_text())
    document["rows"][0]["mean"] += 0.001
    place.write_text(json.dumps(document))
    move(place)
    done = fairtrec_command("results", "replay", place)
    assert done.code == 1
    assert "rows[0].mean" in done.out


def write_changed(place, change):
    """Change the object of a file."""
    document = json.loads(place.read_text())
    change(document)
    place.write_text(json.dumps(document))


def test_values_and_notes_that_differ_are_told_as_text_with_the_name_of_the_command(ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    same = fairtrec_command("results", "replay", place)
    assert " values: compare\n" in same.err
    assert "answer" not in same.err
    before = json.loads(place.read_text())
    removed, *left = before["notes"]
    added = {"kind": "x", "text": "a note of a stranger"}
    write_changed(place, lambda each: each.update(notes=[*left, added, {"kind": "of no text"}]))
    write_changed(place, lambda each: each["rows"][0].update(mean=before["rows"][0]["mean"] + 1, queries=None))
    write_changed(place, lambda each: each["rows"].append({}))
    done = fairtrec_command("results", "replay", place)
    told = " ".join(done.out.split())
    assert "compare, note only in the file: a note of a stranger compare, note only in the file: 1 entry" in told
    assert f"compare, note only in the replay: {removed['text']} compare, rows: 3 entries | 2 entries" in told
    assert not set("{}") & set(told)
    write_changed(place, lambda each: each.update(notes=[*before["notes"], removed], rows=before["rows"], runs=["a"]))
    done = fairtrec_command("results", "replay", place)
    many = len(before["notes"])
    assert f"compare, notes: {many + 1} entries | {many} entries\n" in done.out
    assert 'compare, runs: ["a"] | 2 entries\n' in done.out


def test_values_of_an_answer_that_are_the_same_within_the_tolerance_are_counted(ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    write_changed(place, lambda each: each["rows"][0].update(mean=each["rows"][0]["mean"] + 0.01))
    done = fairtrec_command("results", "replay", place, "--tolerance", "0.05")
    assert done.code == 0
    assert "values, 1 of them only within 1e-12 relative or 0.05 absolute; --exact compares bits\n" in done.out
    told = json.loads(fairtrec_command("results", "replay", place, "--tolerance", "0.05", "-f", "json").out)
    assert (told["near"], told["parts"]) == (1, ["compare"])


@pytest.mark.parametrize("name", ["neural.run", "nowhere.run"])
def test_arguments_that_do_not_match_the_inputs_are_the_cause(name, ask, copied, fairtrec_command):
    place = ask("compare qrels.txt bm25.run fair.run -m nDCG@10 -f json -o out/a.json")
    write_changed(place, lambda each: each["arguments"].__setitem__(2, name))
    for _ in range(2):
        done = fairtrec_command("results", "replay", place)
        assert (done.code, done.out, len(done.complaints)) == (3, "", 1)
        assert f"out/a.json: the arguments do not match the inputs: the part compare reads {name}, " in done.err
        assert "--root" not in done.err
        if not (copied / "out/moved.txt").exists():
            Path("qrels.txt").rename("out/moved.txt")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["replay", "out/a.json"],
            f"this is the JSON of strange, and only the JSON of {REPLAYED} and the report.json of report can be replayed; ",
        ),
        (
            ["diff", "out/a.json", "out/a.json"],
            "JSON of strange, and diff compares files of `fairtrec eval -f json`; pass",
        ),
    ],
)
def test_the_answer_of_a_command_that_is_not_run_from_a_file_names_those_that_are(words, says, ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    write_changed(place, lambda each: each.update(arguments=["strange", "qrels.txt"]))
    done = fairtrec_command("results", *words)
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1)
    assert f"out/a.json: {says}" in done.err or f"a.json: this is the {says}" in done.err
    write_changed(place, lambda each: each.pop("arguments"))
    done = fairtrec_command("results", "replay", "out/a.json")
    assert f"neither values of eval nor a command, and only the JSON of {REPLAYED} and the report.json" in done.err
    assert REPLAYED.startswith("eval, compare, check, validate")


def test_an_answer_of_compare_is_no_results_file_and_diff_names_what_takes_it(ask, fairtrec_command):
    ask(ANSWERS["compare"])
    done = fairtrec_command("results", "diff", "out/a.json", "out/a.json")
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1)
    assert "this is the JSON of compare, and diff compares files of `fairtrec eval -f json`; " in done.err
    assert "to compute it again, type: fairtrec results replay out/a.json" in done.err
    done = fairtrec_command("check", "qrels.txt", "bm25.run", "--baseline", "out/a.json", "--require", "RR >= baseline")
    assert "this is the JSON of compare, and no results file of eval; write it with: fairtrec eval" in done.err


@pytest.mark.parametrize("name", ["/dev/null", "/nowhere/a.run"])
def test_an_input_with_an_absolute_path_that_no_argument_has_is_the_cause(name, ask, fairtrec_command):
    place = ask("compare qrels.txt bm25.run fair.run -m nDCG@10 -f json -o out/a.json")
    write_changed(place, lambda each: each["inputs"]["run bm25.run"].update(path=name))
    Path("qrels.txt").rename("out/moved.txt")
    done = fairtrec_command("results", "replay", place)
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1)
    assert f"{name}: the arguments do not match the inputs, as none has this path; " in done.err
    assert "--root" not in done.err
    assert f"{name} is " not in done.err
    assert "# qrels: qrels.txt is out/moved.txt" in done.err.replace(f"{place.parent.parent}/", "")


@pytest.mark.parametrize("kind", ["eval", "compare"])
def test_a_copy_that_is_read_because_the_named_file_has_changed_is_noted(
    kind, ask, copied, fairtrec_command, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "400")  # so that no path is cut, wherever the tests write
    place = ask(ANSWERS[kind])
    shutil.copy("bm25.run", place.parent / "bak.run")
    was, now = (hashlib.sha256(each).hexdigest()[:8] for each in (Path("bm25.run").read_bytes(), b"other\n"))
    Path("bm25.run").write_bytes(b"other\n")
    done = fairtrec_command("results", "replay", place)
    assert (done.code, done.out) == (0, "")
    read = f"# run bm25.run: bm25.run is {place.parent / 'bak.run'} (sha256 {was})"
    assert f"{read}, as bm25.run has changed: its sha256 is {now}\n" in done.err
    shown = json.loads(fairtrec_command("results", "show", place, "-f", "json").out)["inputs"]
    assert [each["changed"] for each in shown] == [each["part"] == "run bm25.run" for each in shown]
    assert "bak.run; changed" in fairtrec_command("results", "show", place).out
    Path("bm25.run").unlink()
    done = fairtrec_command("results", "replay", place)
    assert (f"{read}\n" in done.err, "changed" in done.err) == (True, False)


def test_an_input_that_is_nowhere_is_one_line(ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    move(place)
    (place.parent / "l").write_text("docno\tgroup\np001\tf\n")
    done = fairtrec_command("results", "replay", place)
    assert (done.code, done.out) == (3, "")
    assert "of the labels, labels.tsv; choose a folder that has it with --root" in done.err


def test_options_of_a_file_are_in_the_answer_and_that_file_is_not_read_again(ask, copied, fairtrec_command):
    require = 'require = ["AWRF@10 >= .5"]\nlabels = "labels.tsv"\nmissing = "neutral"\nstrict = true\n'
    (copied / "pyproject.toml").write_text(f"[tool.fairtrec.check]\n{require}")
    place = ask("check qrels.txt bm25.run -f json -o out/a.json")
    assert "--strict" in json.loads(place.read_text())["arguments"]
    (copied / "pyproject.toml").write_text('[tool.fairtrec.check]\njunit = "written.xml"\n')
    done = fairtrec_command("results", "replay", place)
    assert (done.code, done.out) == (0, ""), done.err
    assert not (copied / "written.xml").exists()


@pytest.mark.parametrize(
    "line",
    [
        "check qrels.txt neural.run --require 'AWRF@10 >= .5' --labels labels.tsv --slice slices.tsv --junit x.xml -o out/a.json",
        "check --config x.toml --junit=x.xml -o out/a.json -- qrels.txt neural.run",
        "check qrels.txt neural.run --require 'nDCG@10 >= baseline - .5' --baseline base.json -o out/a.json",
    ],
)
def test_a_check_is_replayed_with_its_slices_its_baseline_and_the_options_of_a_file(
    line, ask, copied, fairtrec_command
):
    (copied / "slices.tsv").write_text("101\todd\n102\teven\n103\todd\n")
    (copied / "x.toml").write_text(
        "[tool.fairtrec.check]\nrequire = ['every slice nDCG@10 >= baseline - .5']\n"
        "baseline = 'bm25.run'\nslice = 'slices.tsv'\n"
    )
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-q", "-o", "base.json")
    place = ask(line)
    for name in ("x.toml", "x.xml"):
        (copied / name).unlink(missing_ok=True)
    done = fairtrec_command("results", "replay", place)
    assert (done.code, done.out) == (0, ""), done.err
    assert not (copied / "x.xml").exists()


@pytest.mark.parametrize("more", [["--config", "x.toml"], ["--config=x.toml"], ["-o", "x"], ["--junit", "x"]])
def test_an_answer_of_a_stranger_writes_nothing_and_reads_no_options(more, ask, copied, fairtrec_command):
    place = ask(ANSWERS["check"])
    document = json.loads(place.read_text())
    document["arguments"] = [*document["arguments"][:-2], *more, "-f", "json"]
    place.write_text(json.dumps(document))
    (copied / "x.toml").write_text("[tool.fairtrec.check]\nstrict = true\n")
    done = fairtrec_command("results", "replay", place)
    assert done.code == 3
    assert not (copied / "x").exists()


@pytest.mark.parametrize("words", [["counts", "make"], ["rerank", "bm25.run"], ["results", "replay", "x"], [], "eval"])
def test_only_commands_that_answer_are_run(words, ask, fairtrec_command):
    place = ask(ANSWERS["compare"])
    document = json.loads(place.read_text())
    document["arguments"] = words
    place.write_text(json.dumps(document))
    assert fairtrec_command("results", "replay", place).code == 3


@pytest.mark.long
@pytest.mark.parametrize("kind", ANSWERS)
def test_no_answer_has_the_path_of_a_folder(kind, ask, copied, fairtrec_command):
    line = ANSWERS[kind]
    for name in NAMES:
        line = line.replace(name, str(copied / name))
    place = ask(line)
    assert str(copied) not in place.read_text()
    assert fairtrec_command("results", "replay", place).code == 0


def test_paths_outside_of_the_folder_keep_as_many_parts_as_tell_them_apart(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    paths = [f"{tmp_path}/in/x", "/a/x", "/b/x", "/b/a/x", "y/x"]
    names = shorten_paths(paths)
    assert names == {f"{tmp_path}/in/x": "in/x", "/a/x": "x", "/b/x": "b/x", "/b/a/x": "a/x"}
    value = {"runs": ["n=/a/x", "/a/xy", "/b/x:f", "0.5*/a/x+0.5*even"], "depth": 3}
    assert rename_paths(value, names) == {"runs": ["n=x", "/a/xy", "b/x:f", "0.5*x+0.5*even"], "depth": 3}


def test_too_many_files_are_not_looked_through(ask, fairtrec_command, monkeypatch):
    monkeypatch.setattr("fairtrec.commands.results.moved_inputs.MOST_FILES", 3)
    place = ask(ANSWERS["compare"])
    move(place)
    done = fairtrec_command("results", "replay", place)
    assert done.code == 3
    assert "more than 3 files to look through; choose a folder with --root" in done.err


@pytest.mark.long
@pytest.mark.parametrize("kind", ANSWERS)
def test_show_has_values_notes_signature_and_inputs(kind, ask, fairtrec_command):
    place = ask(ANSWERS[kind])
    document = json.loads(place.read_text())
    shown = fairtrec_command("results", "show", place).out
    assert "qrels.txt" in shown
    assert document["inputs"]["qrels"]["sha256"][:8] in shown
    if kind != "study":
        assert document["signature"] in " ".join(shown.split())
        flowing = " ".join(shown.split())
        assert all(" ".join(note["text"].split()) in flowing for note in document["notes"])
    assert shown.splitlines()[-1].startswith(
        "not verified: this is what the file holds; only `fairtrec results replay`"
    )
    if kind == "eval":
        assert f"{document['runs'][0]['means']['nDCG@10']['value']:.4f}" in shown
    shutil.rmtree("cf", ignore_errors=True)
    Path("qrels.txt").unlink()
    found = json.loads(fairtrec_command("results", "show", place, "-f", "json").out)
    assert {each["part"]: each["place"] for each in found["inputs"]}["qrels"] is None


@pytest.mark.parametrize(
    "text", ["{}", '{"inputs": {}}', '{"signature": "x"}', "[1]", '{"signature": 1, "inputs": {}}']
)
def test_what_is_no_answer_is_not_shown(text, copied, fairtrec_command):
    (copied / "x.json").write_text(text)
    done = fairtrec_command("results", "show", "x.json")
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1)


@pytest.mark.parametrize("more", [[], ["--confidence", "0.95"], ["--confidence", "0.95", "--against", "first"]])
def test_slices_of_a_column_are_replayed_and_shown(more, copied, fairtrec_command):
    words = ["eval", "none", "log.csv", "--columns", "group=provider_group,slice=day", "--order", "position"]
    asked = [*words, "--pool", "even", "-m", "Exposure(group=local)@5", *more, "-f", "json", "-o", "a.json"]
    assert fairtrec_command(*asked).code == 0
    Path("log.csv").rename("other.csv")
    done = fairtrec_command("results", "replay", "a.json")
    assert (done.code, done.out) == (0, ""), done.err
    shown = fairtrec_command("results", "show", "a.json").out
    assert "2026-03-04" in shown
    assert "-0.2786" in shown
    assert ("-0.3052" in shown) is ("--against" in more)


@pytest.mark.parametrize(
    "wrong", [{"pooled": 5}, {"pooled_numbers": {"AWRF@5": 1}, "pooled": {"AWRF@5": 1}}, {"means": []}]
)
def test_slices_of_a_stranger_are_shown_or_refused(wrong, copied, fairtrec_command):
    words = [
        "eval",
        "none",
        "log.csv",
        "--columns",
        "group=provider_group,slice=day",
        "-m",
        "AWRF@5",
        "--order",
        "rank",
    ]
    assert fairtrec_command(*words, "-f", "json", "-o", "a.json").code == 0
    document = json.loads(Path("a.json").read_text())
    document["runs"][0]["slices"]["2026-03-02"] |= wrong
    Path("a.json").write_text(json.dumps(document))
    done = fairtrec_command("results", "show", "a.json")
    assert (done.code, len(done.complaints)) == (3, 1)
