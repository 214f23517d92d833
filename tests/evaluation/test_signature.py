"""The signature names what decides by what it holds."""

import hashlib
import os
import subprocess
import sys

import pyarrow as pa
import pytest

import fairtrec
from fairtrec.counting.table.files import Table
from fairtrec.evaluation import signature as signing

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 3.0, "d2": 2.0}, "q2": {"d3": 1.0}}
FILES = {
    "qrels": "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n",
    "run": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq2 Q0 d3 1 1 t\n",
    "docs.tsv": "d1\tshe and he\nd2\the said\nd3\ta word\n",
    "terms.csv": "she,f\nhe,m\n",
    "counts.tsv": "docno\ttokens\tf\tm\nd1\t3\t1\t1\nd2\t2\t0\t1\nd3\t2\t0\t0\n",
    "stances.tsv": "d1\t0.5\nd2\t-0.5\nd3\t0.25\n",
}
GIVEN = {
    "qrels": {"measures": "RR"},
    "docs": {"measures": "TExFAIR@5", "terms": "terms.csv", "docs": "docs.tsv"},
    "counts": {"measures": "TExFAIR@5", "counts": "counts.tsv"},
    "background": {"measures": "NFaiRR@5", "counts": "counts.tsv", "background": "run"},
    "stances": {"measures": "DUO@2", "stances": "stances.tsv"},
}
CHANGES = {
    "qrels": ("d1 2", "d1 1"),
    "docs": ("he said", "he says"),
    "counts": ("d2\t2\t0\t1", "d2\t2\t1\t0"),
    "background": ("q1 Q0 d2", "q1 Q0 d3"),
    "stances": ("0.25", "0.75"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_two_versions_make_alike_is_the_same_file(folder, monkeypatch):
    """So its digest is, and no number seems to be of another input after an upgrade."""

    def made(version):
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "fairtrec" and hasattr(module, "__version__"):
                monkeypatch.setattr(module, "__version__", version)
        folder.joinpath(version).mkdir()
        for ending in ("tsv", "parquet", "arrow"):
            fairtrec.make_counts("docs.tsv", "terms.csv", f"{version}/counts.{ending}", jobs=1)
        by_tsv = signature(measures="TExFAIR@5", counts=f"{version}/counts.tsv")
        assert by_tsv["fairtrec"] == version
        return {file.name: file.read_bytes() for file in folder.joinpath(version).iterdir()}, by_tsv["counts"]

    one, other = made(fairtrec.__version__), made("99.0.0")  # first as it is: what is imported late holds that
    assert one == other
    assert sorted(one[0]) == ["counts.arrow", "counts.parquet", "counts.tsv"]


def signature(qrels="qrels", measures="RR", **given):
    return fairtrec.evaluate(measures, "run", qrels=qrels, **given).signature


@pytest.mark.parametrize("part", GIVEN)
def test_an_input_is_named_with_the_first_digits_of_its_sha256(folder, part):
    given = GIVEN[part]
    name = given.get(part, "qrels")
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    told = signature(**given)[part]
    assert told.removesuffix("/200") == f"{name}@{digest[:8]}"


@pytest.mark.parametrize("part", GIVEN)
def test_same_content_under_another_name_has_the_same_digest_and_other_content_another(folder, part):
    given = GIVEN[part]
    name = given.get(part, "qrels")
    before, times = (folder / name).read_text(), (folder / name).stat()
    (folder / "renamed").write_text(before)
    first = signature(**given)[part]
    again = signature(**(given | {part: "renamed"}))[part]
    assert (first.split("@")[1], again.split("@")[0]) == (again.split("@")[1], "renamed")
    changed = before.replace(*CHANGES[part])
    assert (len(changed), changed == before) == (len(before), False)
    (folder / name).write_text(changed)
    os.utime(folder / name, ns=(times.st_atime_ns, times.st_mtime_ns))  # nor does its date tell that
    assert signature(**given)[part] != first


def test_judgments_and_rankings_in_memory_are_told_apart_too():
    def told(qrels, background=RUN):
        given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"d1": "she", "d2": "he", "d3": "it"}}
        found = fairtrec.evaluate("RR NFaiRR@2", RUN, qrels=qrels, background=background, **given).signature
        return found["qrels"], found["background"]

    (qrels, background) = told(QRELS)
    assert qrels.startswith("given@")
    backwards = {qid: dict(reversed(grades.items())) for qid, grades in reversed(QRELS.items())}
    assert told(backwards, dict(reversed(RUN.items()))) == (qrels, background)
    others = [{**QRELS, "q2": {"d3": 2}}, {**QRELS, "q2": {"d4": 1}}, {**QRELS, "q3": {"d3": 1}}, {"q1": QRELS["q1"]}]
    others.append({"q1": {"d1": 2}, "q2": {"d2": 0, "d3": 1}})  # the same lines, in another query
    assert len({qrels, *(told(other)[0] for other in others)}) == 6
    assert told(QRELS, {**RUN, "q1": {"d2": 3.0, "d1": 2.0}}) != (qrels, background)


def test_a_table_that_is_searched_says_the_digest_of_its_rows(folder):
    for name, texts in (("a", FILES["docs.tsv"]), ("b", "d1\the said\nd2\tshe and he\nd3\ta word\n")):
        (folder / f"{name}.tsv").write_text(texts)
        fairtrec.make_counts(f"{name}.tsv", "terms.csv", f"{name}.arrow", jobs=1)
    told = [signature(measures="TExFAIR@5", counts=f"{name}.arrow")["counts"] for name in "ab"]
    assert Table("a.arrow").distribution.json == Table("b.arrow").distribution.json  # two texts changed places
    assert told[0].split("@")[1] != told[1].split("@")[1]
    digest = hashlib.sha256()
    with pa.memory_map("a.arrow") as file:
        rows = pa.ipc.open_file(file).read_all()
    for name in ("fingerprint", "tokens", "f", "m"):
        digest.update(rows[name].to_numpy().tobytes())
    assert told[0] == f"a.arrow@{digest.hexdigest()[:8]}"
    (folder / "halves").mkdir()
    for number, line in enumerate(reversed(FILES["docs.tsv"].splitlines(keepends=True))):
        (folder / "halves" / f"{number}.tsv").write_text(line)
    fairtrec.make_counts([f"halves/{number}.tsv" for number in range(3)], "terms.csv", "c.arrow", jobs=1)
    assert signature(measures="TExFAIR@5", counts="c.arrow")["counts"] == told[0].replace("a.arrow", "c.arrow")


def test_large_files_are_hashed_beside_their_reading(folder, monkeypatch):
    small = signature(**GIVEN["background"])
    monkeypatch.setattr(signing, "LARGE", 1)
    large = signature(**GIVEN["background"])
    assert small == large


def test_what_is_read_once_has_a_digest_too(folder):
    program = "import fairtrec; print(fairtrec.evaluate('RR', 'run', qrels='-').signature['qrels'])"
    command = [sys.executable, "-c", program]
    printed = subprocess.run(command, input=FILES["qrels"], capture_output=True, text=True, check=True).stdout
    assert printed == f"-@{hashlib.sha256(FILES['qrels'].encode()).hexdigest()[:8]}\n"


@pytest.mark.parametrize(
    ("measures", "told"), [("nDCG@10 P@5 RR AP Bpref IPrec@0.1", False), ("nDCG@10 Compat(p=0.8)", True)]
)
def test_ir_measures_is_named_where_it_computed_something(folder, measures, told):
    assert ("ir-measures" in signature(measures=measures)) is told
