"""Every reader of JSON refuses a key that stands twice in one object, with its line, whoever reads the key."""

import ast
import gc
import json
import re
from contextlib import suppress

import pytest

import fairtrec
from fairtrec.formats import label_texts
from fairtrec.support.errors import InputError
from fairtrec.support.files import json_text
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.sources import list_nodes

BESIDE = {
    "qrels": "q1 0 d1 1\nq2 0 d2 1\n",
    "a.run": "q1 Q0 d1 1 2 t\nq2 Q0 d2 1 1 t\n",
    "terms": "she,f\nhe,m\n",
    "labels": "d1\tf\nd2\tm\n",
    "seq.csv": "0.0,1\n0.1,2\n",
    "truth.jsonl": "".join(
        f'{{"qid": {q}, "documents": [{{"doc_id": "d{q}", "relevance": 1}}]}}\n' for q in (1, 2)
    ),
    "authors.csv": "d1,A\nd2,B\n",
}  # fmt: skip


def lines(*objects):
    """Write objects as JSON lines."""
    return [json.dumps(each) for each in objects]


DOCUMENTS = lines({"id": "d1", "text": "she"}, {"id": "d2", "text": "he"})
OTHERS = lines({"id": "d1", "text": "she"}, {"id": "d2", "text": "he"}, {"id": "d3", "text": "he"})
ANSWERS = lines(*({"topic_id": f"q{q}", "references": [f"d{q}"], "answer": [{"citations": [0]}]} for q in (1, 2)))
RUN = lines(*({"qid": f"q{q}", "docno": f"d{q}", "score": 1.5} for q in (1, 2)))
QRELS = lines(*({"qid": f"q{q}", "docno": f"d{q}", "grade": 1} for q in (1, 2)))
LABELS = lines({"docno": "d1", "group": "f"}, {"docno": "d2", "group": "m"})
FIELD = lines({"docno": "d1", "region": {"of": ["f"]}}, {"docno": "d2", "region": {"of": ["m"]}})
VALUES = lines(*({"qid": f"q{q}", "measure": "RR", "value": 0.5} for q in (1, 2)))
READERS = {  # by the kind of file: its lines, and the commands that read it
    "run": (RUN, ("eval qrels FILE -m RR", "validate FILE", "compare qrels a.run FILE -m RR")),
    "qrels": (QRELS, ("eval FILE a.run -m RR", "validate a.run --qrels FILE")),
    "lists of relevant pages": (
        lines({"id": "q1", "rel_docs": ["d1"]}, {"id": "q2", "rel_docs": ["d2"]}),
        ("eval FILE a.run -m RR",),
    ),
    "answers": (ANSWERS, ("eval qrels FILE -m RR", "eval qrels FILE:cited -m RR", "validate --run-format rag FILE")),
    "labels": (LABELS, ("eval none a.run --labels FILE -m Exposure",)),
    "a field": (FIELD, ("eval none a.run --labels FILE:region.of -m Exposure",)),
    "texts": (
        DOCUMENTS,
        (
            "eval none a.run --docs FILE --terms terms -m RBDF",
            "counts make FILE --terms terms -o t.arrow",
        ),
    ),
    "ids of texts": (OTHERS[1:2] + OTHERS[:1], ("validate a.run --docs FILE",)),
    "values": (VALUES, ("compare --values FILE v.jsonl",)),
    "rankings of 2019": (
        lines(*({"q_num": f"0.{q - 1}", "qid": q, "ranking": [f"d{q}"]} for q in (1, 2))),
        ("validate FILE --track trec-fair-2019 --sequences seq.csv --truth truth.jsonl",),
    ),
}  # fmt: skip
READERS = gather_trials("JSON_READERS", READERS)
DOORS = [(kind, command) for kind, (_, commands) in READERS.items() for command in commands]


def repeat_first(line):
    """Write the first key of an object once more, with its value."""
    name, value = next(iter(json.loads(line).items()))
    return f"{line[:-1]}, {json.dumps(name)}: {json.dumps(value)}}}"


def repeat_escaped(line):
    """Write the first key once more, with an escape for its first letter."""
    name, value = next(iter(json.loads(line).items()))
    return f'{line[:-1]}, "\\u{ord(name[0]):04x}{name[1:]}": {json.dumps(value)}}}'


FAULTS = {  # how the second line gets a key twice, and how all lines end if they have a key that nobody reads
    "a key that is read": (repeat_first, ""),
    "escaped": (repeat_escaped, ""),
    "a key that nobody reads": (lambda line: f'{line[:-1]}, "more": 2}}', ', "more": 1'),
    "in an object": (lambda line: line.replace('"more": {"a": 1', '"more": {"a": 1, "a": 1'), ', "more": {"a": 1}'),
    "in a list": (lambda line: line.replace('[{"a": 1', '[{"a": 1, "a": 1'), ', "more": [{"a": 1}]'),
}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    for name, text in BESIDE.items():
        (tmp_path / name).write_text(text, "utf-8")
    for name, kind in (("2019.jsonl", "rankings of 2019"), ("pages.jsonl", "pages of 2022"), ("v.jsonl", "values")):
        if kind in READERS:
            (tmp_path / name).write_text("\n".join(READERS[kind][0]), "utf-8")
    return tmp_path


def list_trials():
    """List a file, a command, a fault and a way to read: each command with two of the five faults, others by make slow."""
    for at, (kind, command) in enumerate(DOORS):
        for number, fault in enumerate(FAULTS):
            marks = [] if (number - at) % len(FAULTS) < 2 else pytest.mark.slow
            for large in (False, True):
                name = f"{kind}: {command[:20]}-{fault}-by {'Arrow' if large else 'lines'}"
                yield pytest.param(kind, command, fault, large, id=name, marks=marks)


@pytest.mark.parametrize(("kind", "command", "fault", "large"), list(list_trials()))
def test_a_key_twice_is_refused_with_its_line(desk, fairtrec_command, monkeypatch, kind, command, fault, large):
    monkeypatch.setattr(label_texts, "LARGE", 1 if large else 1 << 20)
    repeat, ending = FAULTS[fault]
    rows = [f"{line[:-1]}{ending}}}" for line in READERS[kind][0]]
    words = command.replace("FILE", "in.jsonl").split()
    (desk / "in.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")
    good = fairtrec_command(*words)
    assert good.code == 0, good.err
    for made in ("t.arrow", "o.jsonl", "o.tsv"):
        (desk / made).unlink(missing_ok=True)
    (desk / "in.jsonl").write_text(f"{rows[0]}\n{repeat(rows[1])}\n", "utf-8")
    ended = fairtrec_command(*words, *(["--force"] if "-o o" in command and "labels" in command else []))
    said = [line for line in [*ended.complaints, *ended.out.splitlines()] if "appears twice in one object" in line]
    assert ended.code == 3, ended.err
    assert len(said) == 1, ended
    place = r"in\.jsonl(:cited)?:2: (E\d+ )?the key '\w+' appears twice in one object; remove one of the two"
    assert re.fullmatch(place, said[0])


@pytest.mark.parametrize("command", ["eval qrels FILE -m RR", "eval FILE a.run -m RR"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"q1": {"d1": 1,\n "d1": 2}}', 2),
        ('{"q1": {"d1": 1},\n\n "q1": {"d2": 2}}', 3),
        ('{"q1":\n {"d1": 1, "d\\u0031": 1}}', 2),
    ],
)
def test_one_object_is_refused_with_the_line_of_the_key(desk, fairtrec_command, command, text, line):
    (desk / "in.json").write_text(text, "utf-8")
    ended = fairtrec_command(*command.replace("FILE", "in.json").split())
    (said,) = ended.complaints
    assert ended.code == 3
    assert re.fullmatch(rf"in\.json:{line}: the key '[qd]1' appears twice in one object; remove one of the two", said)


@pytest.mark.parametrize(
    "command", ["compare --values r.json v.jsonl", "results diff r.json r.json", "results replay r.json"]
)
def test_results_are_refused_with_the_line_of_the_key(desk, fairtrec_command, command):
    assert fairtrec_command("eval", "qrels", "a.run", "-m", "RR", "-q", "-f", "json", "-o", "r.json").code == 0
    text = (desk / "r.json").read_text("utf-8")
    at = text.index('"runs"')
    (desk / "r.json").write_text(f'{text[:at]}"runs": [],\n{text[at:]}', "utf-8")
    ended = fairtrec_command(*command.split())
    line = text.count("\n", 0, at) + 2
    assert ended.code == 3
    assert ended.complaints == [f"r.json:{line}: the key 'runs' appears twice in one object; remove one of the two"]


@pytest.mark.parametrize("key", ["id", "docno"])
def test_a_document_that_nobody_wants_does_not_become_one_that_somebody_wants(desk, key):
    """The last of two ids was that of the document, unless the line was passed over for the first."""
    (desk / "docs.jsonl").write_text(f'{{"{key}": "d9", "text": "she", "{key}": "d1"}}\n', "utf-8")
    with pytest.raises(InputError, match=rf"docs\.jsonl:1: the key '{key}' appears twice in one object"):
        fairtrec.evaluate("RBDF", "a.run", docs="docs.jsonl", terms="terms")


@pytest.mark.parametrize("more", [{"a": 1}, 1, "x", [], None, {str(n): n for n in range(20)}, [[[[[1]]]]]])
def test_keys_that_nobody_reads_change_nothing(desk, monkeypatch, more):
    """Arrow parses lines with few other values of the types of the first line; the rest is parsed line by line."""
    monkeypatch.setattr(label_texts, "LARGE", 1)
    rows = [{"qid": "q1", "docno": f"d{n}", "score": -n} for n in range(5)]
    odd = [*[{**row, "more": more} for row in rows[:3]], {**rows[3], "more": True, "other": 1}, rows[4]]
    groups = [{"docno": f"d{n}", "group": "fm"[n % 2]} for n in range(5)]
    given = {"qrels": {"q1": {"d1": 1}}, "labels": "labels.jsonl"}
    for many, text in (("plain", rows), ("odd", odd)):
        (desk / f"{many}.jsonl").write_text("".join(f"{row}\n" for row in lines(*text)), "utf-8")
    (desk / "labels.jsonl").write_text("".join(f"{row}\n" for row in lines(*groups)), "utf-8")
    plain = fairtrec.evaluate("RR RBDF Exposure", "plain.jsonl", **given).scores[0].values
    (desk / "labels.jsonl").write_text(
        "".join(f"{row}\n" for row in lines(*({**row, "more": more} for row in groups))), "utf-8"
    )
    values = fairtrec.evaluate("RR RBDF Exposure", "odd.jsonl", **given).scores[0].values
    assert values.tolist() == plain.tolist()


HUGE = "1" + "0" * 400
ODD = {
    "an empty object": "{}",
    "an empty list": "[]",
    "a list of objects of other keys": '[{"a": "q1", "b": "d1", "c": 1}]',
    "a number": "7",
    "null": "null",
    "a text": '"q1"',
    "objects in objects": '{"q1": {"d1": {"x": 1}}}',
    "nan": '{"qid": "q1", "docno": "d1", "score": NaN, "grade": NaN, "value": [], "measure": 1, "id": NaN, "text": NaN}',
    "a huge number": f'{{"qid": "q1", "docno": "d1", "score": {HUGE}, "grade": {HUGE}, "id": "d1", "text": {HUGE}}}',
    "truth": '{"qid": true, "docno": false, "score": true, "grade": true, "group": true, "id": true, "text": true}',
    "brackets": "[" * 100_000,
}
FORMS = [f"eval qrels FILE -m RR --run-format {form}" for form in ("json", "jsonl", "rag")]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("command", [*(command for _, command in DOORS if not command.startswith("validate")), *FORMS])
def test_odd_values_end_in_one_line_with_a_way_out(desk, fairtrec_command, command, odd):
    (desk / "in.jsonl").write_text(f"{ODD[odd]}\n", "utf-8")
    ended = fairtrec_command(*command.replace("FILE", "in.jsonl").split())
    assert ended.code == 3, ended.err
    (said,) = ended.complaints
    assert re.match(r"in\.jsonl(:1|:cited)?: .*[;?] ?", said), said


PARSERS = {"loads", "load", "JSONDecoder", "raw_decode"}
OWN = {  # what fairtrec has written itself a moment before
    "fairtrec/cli/performing.py", "fairtrec/lab/make/ranker/train.py", "fairtrec/counting/local/engine.py",
    "fairtrec/counting/local/part.py", "fairtrec/counting/spark/engine.py", "fairtrec/counting/table/__init__.py",
}  # fmt: skip


def test_no_other_function_parses_json():
    found = set()
    for path in (REPOSITORY / "fairtrec").rglob("*.py"):
        text = path.read_text("utf-8")
        for node in list_nodes(text) if "json" in text else ():
            if isinstance(node, ast.Attribute) and node.attr in PARSERS and getattr(node.value, "id", "") == "json":
                found.add(path.relative_to(REPOSITORY).as_posix())
    own = {path for path in OWN if (REPOSITORY / path).is_file()}
    assert found == own | {"fairtrec/support/files/json_text.py"}


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("end", ["]", "}"])
def test_the_collector_of_cycles_is_as_it_was_after_a_long_text(is_on, end):
    was_on = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        with suppress(json_text.JsonError):
            json_text.parse("[" + "1," * json_text.LONG + f"1{end}")
        assert gc.isenabled() == is_on
    finally:
        (gc.enable if was_on else gc.disable)()
