"""Whatever type a field of a TOML or JSON file has, a command ends with a promised code, and a refusal names the file."""

import json
from itertools import islice

import pytest

from fairtrec.commands.check import command as check
from fairtrec.support.errors import InputError
from fairtrec.support.files import typed_fields
from fairtrec_made import THOROUGH
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.strange import VALUES, toml, variants

pytestmark = pytest.mark.fuzz

FILES = {
    "qrels": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n",
    "a.run": "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d3 1 2 a\nq2 Q0 d1 2 1 a\n",
    "b.run": "q1 Q0 d2 1 3 b\nq1 Q0 d1 2 2 b\nq2 Q0 d1 1 2 b\nq2 Q0 d3 2 1 b\n",
    "docs.tsv": "d1\tshe and he\nd2\the said\nd3\tthey said\n",
    "labels.tsv": "d1\tf\nd2\tm\nd3\tm\n",
}
LINES = {  # a line of JSON, its file, and the command that reads it
    "texts": ({"id": "d1", "title": "t", "text": "she"}, "docs.jsonl", "eval qrels a.run --terms gender-en --docs docs.jsonl"),
    "counted": ({"docno": "d1", "title": "t", "contents": "she"}, "c.jsonl", "counts make c.jsonl --terms gender-en -o c.tsv --force -j 1"),
    "labels": ({"docno": "d1", "group": "f", "weight": 1, "qid": "q1"}, "l.jsonl", "eval qrels a.run -m AWRF@2 --labels l.jsonl"),
    "field": ({"docno": "d1", "of": {"in": ["f", "m"]}}, "f.jsonl", "eval qrels a.run -m AWRF@2 --labels f.jsonl:of.in"),
    "run": ({"qid": "q1", "docno": "d1", "score": 2.5, "rank": 1, "tag": "t"}, "r.jsonl", "validate r.jsonl"),
    "run, read": ({"qid": "q1", "docno": "d1", "score": 2.5, "rank": 1, "tag": "t"}, "r.jsonl", "eval qrels r.jsonl -m RR"),
    "values": ({"query_id": "q1", "measure": "RR", "value": 0.5, "run": "a"}, "v.jsonl", "compare --values v.jsonl --values v2.jsonl"),
    "sequences": ({"qid": "1", "documents": [{"doc_id": "a", "relevance": 1}]}, "truth.jsonl", "validate track.jsonl --track trec-fair-2019 --sequences seq.csv --truth truth.jsonl"),
    "track": ({"q_num": "0.1", "qid": "1", "ranking": ["a"]}, "track.jsonl", "validate track.jsonl --track trec-fair-2019 --sequences seq.csv --truth truth.jsonl"),
    **gather_trials("TYPED_LINES"),
}  # fmt: skip


def take_some(tried):
    """Take all, or each seventh: of 26 values at each place these are other ones from place to place."""
    return [*islice(tried, 0, None, 1 if THOROUGH else 7)]


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for line, name, _ in LINES.values():
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    (tmp_path / "v2.jsonl").write_text('{"query_id": "q1", "measure": "RR", "value": 1, "run": "b"}\n')
    (tmp_path / "seq.csv").write_text("0.1,1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    for name in ("FAIRTREC_AUTOFETCH", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    return tmp_path


@pytest.fixture
def refused(fairtrec_command):
    """Call a command that reads a strange file; tell whether it refuses it, which it does in one line."""

    def call(command, *names):
        done = fairtrec_command(*command.split())
        assert done.code in (0, 1, 2, 3, 4), done.err
        assert "Traceback" not in done.err
        if done.code == 3:
            lines = [*done.err.splitlines(), *done.out.splitlines()]
            assert not names or any(line.startswith(names) for line in lines), done.err
        return done.code == 3

    return call


@pytest.mark.long
@pytest.mark.parametrize("command", ["results diff a.json good.json", "results replay a.json", "check qrels a.run --baseline a.json --require RR>=baseline", "compare --values a.json --values good.json"])  # fmt: skip
def test_a_results_file(workplace, fairtrec_command, refused, command):
    given = "eval qrels a.run -m RR --labels labels.tsv -m AWRF@2 --missing neutral -q -f json -o good.json"
    assert fairtrec_command(*given.split()).code == 0
    good = json.loads((workplace / "good.json").read_text())
    tried, many = take_some(variants(good)), 0
    for _, _, changed in tried:
        (workplace / "a.json").write_text(json.dumps(changed))
        many += refused(command)
    assert many > 100


@pytest.mark.long
@pytest.mark.parametrize("option", [each.name for each in check.command.params if each.opts[0].startswith("--")])
def test_options_of_a_file(workplace, refused, option):
    parameter = next(each for each in check.command.params if each.name == option)
    many = 0
    for value in VALUES[1:]:
        table = f"require = 'RR >= 0.1'\n{parameter.opts[-1].removeprefix('--')} = {toml(value)}\n"
        (workplace / "o.toml").write_text(f"[tool.fairtrec.check]\n{table}")
        many += refused("check qrels a.run --config o.toml")
    assert many > 3


@pytest.mark.parametrize("way", ["tool", "tool.fairtrec", "tool.fairtrec.check"])
def test_tables_of_options_that_are_none(workplace, refused, way):
    for value in VALUES[1:]:
        (workplace / "o.toml").write_text(f"{way} = {toml(value)}\n")
        assert refused("check qrels a.run --config o.toml") or value == {}


@pytest.mark.long
@pytest.mark.parametrize("line", [0, 1])
@pytest.mark.parametrize(
    "command", ["counts info c.tsv", "eval qrels a.run --counts c.tsv -m NFaiRR@2 --background b.run"]
)
def test_metadata_of_counts(workplace, fairtrec_command, refused, command, line):
    assert fairtrec_command(*["counts", "make", "docs.tsv", "--terms", "gender-en", "-o", "c.tsv"]).code == 0
    lines = (workplace / "c.tsv").read_text().splitlines(keepends=True)
    good, many = json.loads(lines[line][2:]), 0
    for _, _, changed in take_some(variants(good)):
        (workplace / "c.tsv").write_text("".join([*lines[:line], f"# {json.dumps(changed)}\n", *lines[line + 1 :]]))
        many += refused(command, "c.tsv")
    assert many > 20 or (line == 1 and "eval" in command)  # which looks at no distribution


@pytest.mark.long
@pytest.mark.parametrize("name", LINES)
def test_lines_of_json(workplace, refused, name):
    line, file, command = LINES[name]
    many = 0
    for _, _, changed in variants(line):
        (workplace / file).write_text(json.dumps(changed) + "\n")
        many += refused(command)
    assert many > 10


def test_a_refusal_names_the_field_and_the_type():
    fields = typed_fields.parse_json(b'{"a": [{"b": 1.5}], "n": null, "big": 1e999, "t": true}', "f.json", "mend it")
    assert fields.objects("a")[0].get("b", float) == 1.5
    assert (fields.take_optional("n", str), fields.take_optional("none", str)) == (None, None)
    for wrong, said in (
        (lambda: fields.objects("a")[0].get("b", int), "a[0].b must be a whole number"),
        (lambda: fields.objects("a")[0].get("c", int), "a[0].c is missing"),
        (lambda: fields.get("big", float), "big must be a finite number"),
        (lambda: fields.get("t", int), "t must be a whole number"),
        (lambda: fields.count("t"), "t must be a whole number"),
        (lambda: fields.object("a"), "a must be an object"),
        (lambda: fields.take_list("a", str), "a[0] must be text"),
        (lambda: fields.refuse_others({"a"}), "n is not a field of such a file"),
    ):
        with pytest.raises(InputError) as fault:
            wrong()
        assert str(fault.value) == f"f.json: {said}; mend it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" + ".a" * 40 + " = 1", "a key has more than 32 parts"),
        ("[t" + ".'a b'" * 40 + "]", "a key has more than 32 parts"),
        ("x = {" + r'"\"" . ' * 40 + "a = 1}", "a key has more than 32 parts"),
        ("a = " + "[" * 5000, "not TOML (it is nested too deeply)"),
        ("a = " + "7" * 5000, "not TOML (a number has too many digits)"),
        ("a = 1\na = 2", "not TOML (Cannot overwrite a value (at end of document))"),
    ],
    ids=["dotted", "header", "inline", "nested", "digits", "twice"],
)
def test_toml_that_takes_for_ever_is_refused(text, said):
    with pytest.raises(InputError) as fault:
        typed_fields.parse_toml(text.encode(), "f.toml", "mend it")
    assert str(fault.value) == f"f.toml: {said}; mend it"


def test_long_words_and_few_parts_of_toml_are_read():
    text = f"a.b.c = '{'x.' * 4000}'\n{'k' * 100_000} = 1\n"
    assert typed_fields.parse_toml(text.encode(), "f.toml", "").object("a").object("b").get("c", str) == "x." * 4000


@pytest.mark.parametrize(
    "command",
    gather_trials(
        "LONG_NUMBERS",
        [
            "eval qrels a.run --terms gender-en --docs n.jsonl",
            "eval qrels a.run -m AWRF@2 --labels n.jsonl",
            "eval qrels n.jsonl -m RR",
        ],
    ),
)
def test_numbers_of_any_length_are_refused_without_a_word_about_python(workplace, fairtrec_command, command):
    digits = "7" * 5000
    (workplace / "n.toml").write_text(f"a = {digits}\n")
    (workplace / "n.jsonl").write_text(f'{{"docno": {digits}, "text": "she"}}\n')
    (workplace / "n.json").write_text(f"[[{digits}, 1]]\n")
    ended = fairtrec_command(*(word.replace("N", digits).replace("xN", f" x {digits}") for word in command.split()))
    assert ended.code in (2, 3), ended.err
    assert "set_int_max_str_digits" not in ended.err
    assert len(ended.complaints) == 1 or "Usage" in ended.err
