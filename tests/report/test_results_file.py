"""The results file is what its schema says, and holds nothing that the schema does not describe."""

import json
import re

import pytest

import fairtrec
from fairtrec.evaluation.answers.results_file import FORMAT
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import list_goldens

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed; make setup")
SCHEMA = json.loads((REPOSITORY / "fairtrec" / "results.schema.json").read_text("utf-8"))
WORDS = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]


def closed(schema):
    """Give a schema under which a key that it does not name is an error."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    own = {"additionalProperties": False} if "properties" in schema else {}
    return {**own, **{name: closed(each) for name, each in schema.items()}}


def refuse_unlike(document):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(closed(SCHEMA)).validate(document)


def recorded_outputs():
    """The output of each recorded command that wrote a results file."""
    for case in list_goldens():
        command, _, rest = case.read_text("utf-8").partition("\n")
        words = command.split()
        if words[2:3] in (["eval"], ["trec-fair-2019"]) and "json" in words and rest.startswith("{"):
            text = re.split(r"^--- ", rest, maxsplit=1, flags=re.MULTILINE)[0]
            yield pytest.param(json.loads(text), id=case.stem)


RECORDED = list(recorded_outputs())


@pytest.mark.parametrize("document", RECORDED)
def test_recorded_results_follow_the_schema(document):
    refuse_unlike(document)


def test_there_are_recorded_results():
    assert len(RECORDED) >= 6


@pytest.mark.parametrize(
    "options",
    [
        ["fair.run", *WORDS, "-q"],
        ["fair.run", *WORDS, "-n", "-q"],
        ["--labels", "labels.tsv", "-m", "DTR@5 NumRet KL@3", "-q"],
        ["--labels", "labels.tsv", "-m", "AWRF@5 NDKL@5", "-q", "--bounds", "labels"],
        [*WORDS, "--bounds", "texts", "-m", "NFaiRR@10", "--missing", "skip"],
        ["--bounds", "ties", "-q", "-m", "RR"],
        ["--confidence", "0.9"],
        ["--aggregate", "mean,median,<0.5", "-q"],
        ["--labels", "labels.tsv", "-m", "EER@5 P@5", "--pool", "even"],
        ["--slice", "slices.tsv", "--confidence", "0.95"],
        ["--slice", "slices.tsv", "--labels", "labels.tsv", "-m", "EER@5", "--pool", "even"],
        ["--counterfactual", "fair.run", "-m", "CRBO"],
        ["--labels", "labels.tsv", "--gold", "gold.tsv", "-m", "EER@5 AWRF@5"],
    ],
    ids=" ".join,
)
def test_results_follow_the_schema(copied, fairtrec_command, options):
    lines = [f"{qid}\t{'odd' if qid % 2 else 'even'}\n" for qid in range(101, 113)]
    (copied / "slices.tsv").write_text("".join(lines))
    labels = [line.split("\t") for line in (copied / "labels.tsv").read_text().splitlines() if line[:1] != "#"]
    rows = [f"{docno}\t{group}\t0.5\n" for docno, group, *_ in labels if group in "fm"]
    (copied / "gold.tsv").write_text("docno\tgroup\tprobability\n" + "".join(rows[::2]))
    ended = fairtrec_command("eval", "qrels.txt", "bm25.run", *options, "-f", "json")
    assert ended.code == 0, ended.err
    refuse_unlike(json.loads(ended.out))


def test_a_results_file_of_python_follows_the_schema(tmp_path):
    result = fairtrec.evaluate("RR", {"mine": {"q": {"d": 1.0}}}, qrels={"q": {"d": 1}})
    result.write(tmp_path / "a.json", per_query=True)
    refuse_unlike(json.loads((tmp_path / "a.json").read_text()))


def test_the_schema_is_of_the_format_that_is_written():
    assert SCHEMA["properties"]["format"]["const"] == FORMAT


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("format"),
        lambda document: document.update(format=2),
        lambda document: document.update(more=1),
        lambda document: document["runs"][0].update(queries=-1),
        lambda document: document["runs"][0]["means"]["RR"].update(value="NaN"),
        lambda document: document["runs"][0]["per_query"]["101"].update(RR="0.5"),
    ],
)
def test_the_schema_refuses_what_is_no_results_file(copied, fairtrec_command, change):
    document = json.loads(fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json").out)
    refuse_unlike(document)
    change(document)
    with pytest.raises(jsonschema.ValidationError):
        refuse_unlike(document)
