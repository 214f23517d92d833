"""What `validate` says of whole files: rankings upside down, other formats, runs that are the same."""

import gzip
import io
import random
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.commands.validate import report as findings
from fairtrec.commands.validate.findings import place_of
from fairtrec.commands.validate.run_check import Twins, examine, write
from fairtrec.formats import run as run_format


def run_of(score, queries=3, depth=10, tag="t"):
    """A run whose scores are this function of the rank."""
    return "".join(
        f"q{query} Q0 d{query * 31 + rank * 7} {rank} {score(rank)} {tag}\n"
        for query in range(queries)
        for rank in range(1, depth + 1)
    )


def codes(text, tmp_path):
    path = tmp_path / "a.run"
    path.write_text(text)
    return examine(path)


# ------------------------------------------------------------------------------------------------ upside down


@pytest.mark.parametrize(
    "score",
    [
        lambda rank: rank,
        lambda rank: rank / 100,
        lambda rank: rank - 1000,
        lambda rank: rank // 2,  # ties
        lambda rank: rank + 1.5 * (rank == 4),  # a document out of its place
    ],
)
@pytest.mark.parametrize("depth", [8, 10, 100])
def test_a_ranking_is_never_turned_upside_down(score, depth, tmp_path, fairtrec_command):
    path = tmp_path / "a.run"
    path.write_text(run_of(score, depth=depth))
    done = fairtrec_command("validate", path, "--fix", tmp_path / "fixed.run")
    assert done.code == 3
    assert not (tmp_path / "fixed.run").exists()
    (said,) = (line for line in done.out.splitlines() if ": E606 " in line)
    assert said.startswith(f"{path}:1: E606 the scores rise with the ranks in 3 of 3 queries, first in q0: rank 1 has ")
    assert said.endswith("is a lower one better, or column 5 the rank? write scores that fall")
    assert "W601" not in done.out
    assert "not written; what E606 found has no certain repair" in done.out


def test_one_query_upside_down_is_enough_and_the_others_are_said(tmp_path):
    text = run_of(lambda rank: -rank) + "".join(f"z Q0 d{rank} {rank} {rank} t\n" for rank in range(1, 6))
    found = codes(text + "y Q0 a 1 1 t\ny Q0 b 2 2 t\n", tmp_path).found
    assert found.many == {"E606": 1, "W601": 1}
    upside, pair = sorted(found.kept, key=place_of)
    assert (upside.line, pair.line) == (31, 37)
    assert "in 1 of 5 queries, first in z: rank 1 has 1.0, rank 5 has 5.0" in upside.message


def test_rankings_of_two_are_judged_together(tmp_path):
    rising = "".join(f"q{q} Q0 a 1 1 t\nq{q} Q0 b 2 2 t\n" for q in range(3))
    assert codes(rising, tmp_path).found.many == {"E606": 1}
    assert codes(rising.partition("q2")[0], tmp_path).found.many == {"W601": 2}
    assert codes(rising + "q3 Q0 a 1 2 t\nq3 Q0 b 2 1 t\n", tmp_path).found.many == {"W601": 3}


@pytest.mark.parametrize(
    "score",
    [
        lambda rank: -rank + 3 * (rank == 4),  # a small inversion
        lambda rank: [0.1, 0.7, 0.3, 0.9, 0.2, 0.5, 0.8, 0.4, 0.6, 0.0][rank - 1],  # no relation
        lambda rank: 1.0,  # ties
        lambda rank: "nan",
    ],
)
def test_what_is_not_upside_down_is_repaired_as_before(score, tmp_path):
    assert "E606" not in codes(run_of(score), tmp_path).found.many


@given(st.lists(st.integers(0, 30), min_size=3, max_size=12))
def test_what_fix_writes_is_never_the_reverse_of_the_ranks(tmp_path_factory, scores):
    """Whatever the scores: a file is written only if its order is not the ranks' own, read from the end."""
    from scipy.stats import spearmanr

    folder = tmp_path_factory.mktemp("fix")
    path, fixed = folder / "a.run", folder / "b.run"
    path.write_text("".join(f"q Q0 d{rank:02} {rank} {score} t\n" for rank, score in enumerate(scores, 1)))
    checked = examine(path)
    if checked.obstacles:
        assert spearmanr(range(len(scores)), scores)[0] > 0.9
        return
    write(checked, fixed)
    order = [docno.decode() for docno in run_format.read(fixed).docnos.tolist()]
    assert len(set(scores)) == 1 or not spearmanr(range(len(scores)), scores)[0] > 0.9
    if len(set(scores)) == len(scores):
        assert order != [f"d{rank:02}" for rank in range(len(scores), 0, -1)]


# ---------------------------------------------------------------------------------------------- other formats


def test_the_three_columns_of_ms_marco_are_said_once(tmp_path, fairtrec_command):
    path = tmp_path / "marco.tsv"
    path.write_text("".join(f"{query}\t{rank * 31}\t{rank}\n" for query in range(100) for rank in range(1, 51)))
    done = fairtrec_command("validate", path)
    assert done.code == 3
    said = "this looks like MS MARCO's qid docno rank in each of 5,000 lines; "
    said += "add --run-format msmarco, and --fix OUT to write TREC's"
    assert done.out == (f"{path}:1: E201 {said}\n{path}: 1 error, 0 warnings; 5,000 lines, none of them an entry\n")
    path.write_text("q1 d7 1\nq1 Q0 d8 2 0.5 t\n")
    assert "it looks like MS MARCO's qid docno rank" in fairtrec_command("validate", path).out


def test_a_run_of_four_columns_is_written_anew(tmp_path, fairtrec_command):
    path, mended = tmp_path / "four.tsv", tmp_path / "mended.run"
    path.write_text("q1 d7 1 0.75\nq1 d8 2 0.5\n")
    done = fairtrec_command("validate", path)
    said = "this looks like qid docno rank score in each of 2 lines; add --run-format 4-columns, and --fix OUT"
    assert f"{path}:1: E201 {said}" in done.out
    done = fairtrec_command("validate", path, "--run-format", "4-columns", "--fix", mended)
    assert done.code == 0, done.out
    assert mended.read_text() == "q1 Q0 d7 1 0.75 four.tsv\nq1 Q0 d8 2 0.5 four.tsv\n"


TEXT = run_of(lambda rank: -rank, queries=40)


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.run", TEXT)
    return stream.getvalue()


def tarred(mode="w"):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        member = tarfile.TarInfo("a.run")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT.encode()))
    return stream.getvalue()


OTHERS = {
    "utf-16": (TEXT.encode("utf-16"), "E103 this is UTF-16; save it as UTF-8, as with: iconv -f UTF-16LE -t UTF-8"),
    "utf-16-le": (TEXT.encode("utf-16-le"), "E103 this is UTF-16; save it as UTF-8"),
    "utf-16-be": (TEXT.encode("utf-16-be"), "E103 this is UTF-16; save it as UTF-8, as with: iconv -f UTF-16BE"),
    "zip": (zipped(), "E101 this is a zip archive; unpack it"),
    "tar": (tarred(), "E101 this is a tar archive; unpack it"),
    "tar.gz": (tarred("w:gz"), "E101 this is a tar archive; unpack it"),
    "tar.xz": (tarred("w:xz"), "E101 this is a tar archive; unpack it"),
    "utf-16.gz": (gzip.compress(TEXT.encode("utf-16")), "E103 this is UTF-16"),
}


@pytest.mark.parametrize(("data", "said"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_text_is_said_once(data, said, tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(data)
    checked = examine(path)
    (finding,) = sorted(checked.found.kept, key=place_of)
    assert f"{finding.code.name} {finding.message}".startswith(said)
    assert "".join(findings.text([(checked, None)])).count("\n") == 2


def test_bytes_that_are_odd_are_no_other_format(tmp_path):
    path = tmp_path / "a.run"
    for data in (b"\xff\xfe" + TEXT.encode(), b"\0" * 3 + TEXT.encode(), b"PK" + TEXT.encode()):
        path.write_bytes(data)
        assert len(examine(path).rows.lines) >= 399


# -------------------------------------------------------------------------------------------- the same twice


def shuffled(text):
    """The same rankings: other scores, other order of queries and lines."""
    lines = [line.split() for line in text.splitlines()]
    random.Random(1).shuffle(lines)
    return "".join(f"{q} Q0 {d} {r} {1000 + 2 * float(s)} other\n" for q, _, d, r, s, _ in lines)


def test_runs_of_the_same_rankings_and_of_the_same_tag_are_said(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    one, reverse = run_of(lambda rank: -rank), run_of(lambda rank: rank if rank < 3 else -rank)
    for name, text in {"a": one, "b": shuffled(one), "c": reverse, "d": one.replace("d7 ", "d777 ")}.items():
        (tmp_path / f"{name}.run").write_text(text)
    out = fairtrec_command("validate", "a.run", "b.run", "c.run", "d.run").out
    assert [line for line in out.splitlines() if "W71" in line and "W711" not in line] == [
        "b.run: W713 the same documents in the same order for all queries as a.run; is it the same run?",
        "c.run: W712 the tag is 't', as that of a.run; use a different tag for each run",
        "W712 also in d.run: the tag is 't', as that of a.run; use a different tag for each run",
    ]
    assert fairtrec_command("validate", "a.run", "b.run").code == 0
    assert fairtrec_command("validate", "a.run", "b.run", "--fail-on", "warning").code == 3
    assert "W71" not in fairtrec_command("validate", "a.run", "a.run").out  # the same file is no other run


def test_what_a_broken_run_ranks_is_not_known(tmp_path):
    twins = Twins()
    for name, text in (("a", "q Q0 d 1 2 t\nq Q0 e 2 x t\n"), ("b", "q Q0 d 1 2 u\n"), ("c", "q Q0 d 1 9 v\nz\n")):
        (tmp_path / name).write_text(text)
        checked = examine(tmp_path / name)
        twins.look(checked)
        assert not {"W712", "W713"} & set(checked.found.many)


def test_ties_and_long_ids_are_compared_as_they_are_ranked(tmp_path):
    """Equal scores are ordered by falling docno, and ids of another width are no other ids."""
    twins, many = Twins(), []
    for name, text in {
        "a": "q Q0 d 1 2 t\nq Q0 e 2 2 t\nq Q0 f 3 1 t\n",
        "b": "q Q0 e 1 3 u\nq Q0 d 2 2 u\nq Q0 f 3 1 u\n",
        "c": f"q Q0 e 1 3 v\nq Q0 d 2 2 v\nq Q0 f 3 1 v\nr Q0 {'x' * 40} 1 1 v\n",
        "d": f"r Q0 {'x' * 40} 1 1 w\nq Q0 e 1 3 w\nq Q0 d 2 2 w\nq Q0 f 3 1 w\n",
    }.items():
        (tmp_path / name).write_text(text)
        checked = examine(tmp_path / name)
        twins.look(checked)
        many.append(checked.found.many["W713"])
    assert many == [0, 1, 0, 1]


def test_the_runs_of_rankllm_have_one_tag(shared, fairtrec_command):
    runs = sorted((shared / "data" / "rankllm-dl19").glob("REP_LLAMA*40c750.run"))
    runs += sorted((shared / "data" / "rankllm-dl19").glob("BM25__vicuna-13b*.run"))
    out = fairtrec_command("validate", *runs).out
    said = f"the tag is 'rank', as that of {runs[0]}; use a different tag for each run"
    assert out.count(said) == 2
    assert f"{runs[1]}: W712 {said}" in out
    assert f"W712 also in {runs[2]}: {said}" in out
