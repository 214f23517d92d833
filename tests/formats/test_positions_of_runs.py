"""Runs whose ranks are kept as positions: what they say in files and frames, and what is refused."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formats import run as run_format
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made.command_trials import gather_trials

LOG = "q Q0 a 1 9 t\nq Q0 b 4 8 t\nr Q0 b 2 5 t\nr Q0 a 3 4 t\n"
LABELS = {"a": "f", "b": "m"}
COLUMNS = "group=provider_group,cluster=user_id,slice=day"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("labels.tsv").write_text("a\tf\nb\tm\n")
    Path("x.run").write_text(LOG)
    return tmp_path


def written(text, name="other.run"):
    Path(name).write_text(text)
    return name


def test_column_4_of_a_trec_run_is_kept(folder):
    run = run_format.read("x.run", "position")
    assert (run.positions.tolist(), run.depths.tolist()) == ([1, 4, 2, 3], [4, 3])
    assert run_format.read("x.run", "position", depth=3).positions.tolist() == [1, 2, 3]


def test_the_signature_and_the_notes_tell_positions(folder, fairtrec_command):
    given_ = ["eval", "none", "x.run", "-m", "AWRF@4", "--labels", "labels.tsv", "--order"]
    kept, renumbered = (fairtrec_command(*given_, order) for order in ("position", "rank"))
    assert "order:position" in kept.err
    assert "positions" not in kept.err.replace("order:position", "")
    said = "# ranks of 2 of 2 queries are not 1 to n and are counted 1, 2, 3; --order position keeps them\n"
    assert said in renumbered.err
    assert kept.out != renumbered.out


@pytest.mark.parametrize("ranks", ["1 2 1 2", "0 1 0 1"])
def test_whole_rankings_are_not_renumbered(folder, fairtrec_command, ranks):
    lines = zip(LOG.splitlines(), ranks.split(), strict=True)
    text = "".join(f"{' '.join([*line.split()[:3], rank, *line.split()[4:]])}\n" for line, rank in lines)
    done = fairtrec_command("eval", "none", written(text), "-m", "AWRF@4", "--labels", "labels.tsv", "--order", "rank")
    assert "not 1 to n" not in done.err
    assert run_format.read("other.run", "position").positions is None


def test_positions_from_0_are_read_from_1(folder, fairtrec_command):
    lower = "".join(
        f"{' '.join([*line.split()[:3], str(int(line.split()[3]) - 1), '1 t'])}\n" for line in LOG.splitlines()
    )
    given_ = ["-m", "AWRF@4 nDCG@2", "--labels", "labels.tsv", "--order", "position"]
    Path("qrels").write_text("q 0 a 1\nr 0 a 1\n")
    one, other = (fairtrec_command("eval", "qrels", name, *given_) for name in ("x.run", written(lower, "y.run")))
    assert other.out == one.out.replace("\tt\n", "\tt\n")
    assert "a position is 0 in 1 of 2 queries" in other.err
    assert "positions begin at 0" not in one.err


def test_a_single_position_0_shifts_all_and_is_noted_first(folder, fairtrec_command):
    text = "qid,docno,position\nq,a,0\nq,b,3\nr,a,1\nr,b,2\n"
    given_ = ["-m", "nDCG@2", "--order", "position"]
    Path("qrels").write_text("q 0 b 1\nr 0 a 1\n")
    done = fairtrec_command("eval", "qrels", written(text, "some.csv"), *given_)
    said = "# a position is 0 in 1 of 2 queries, so all positions of the file are read as one more; if its positions begin "
    assert done.err.splitlines()[0] == f"{said}at 1, correct the 0"
    higher = written("qid,docno,position\nq,a,1\nq,b,4\nr,a,2\nr,b,3\n", "higher.csv")
    other = fairtrec_command("eval", "qrels", higher, *given_)
    assert done.out.replace("some.csv", "higher.csv") == other.out  # a file from 0 is the same as one from 1
    both = fairtrec_command("eval", "qrels", written(text.replace("r,a,1", "r,a,0")), *given_)
    assert "# positions begin at 0; read as 1\n" in both.err
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv("some.csv")
    notes = fairtrec.evaluate("nDCG@2", frame, qrels="qrels", order="position").notes
    assert any("a position is 0 in 1 of 2 queries" in str(note) for note in notes)


FAULTS = [
    ("q Q0 a 1 9 t\nq Q0 b -1 8 t\n", "other.run:2: the position -1 is below 0; positions begin at 1, or at 0\n"),
    ("q Q0 a 1 9 t\nq Q0 b 1.5 8 t\n", "other.run:2: "),
    ("q Q0 a 1 9 t\nq Q0 b 9007199254740992 8 t\n", "other.run:2: the position 9007199254740992 is too large"),
    ("q Q0 c 1 9 t\nq Q0 b 3 8 t\nr Q0 a 1 1 t\nq Q0 a 3 1 t\n",
     "other.run:4: a and b both stand at position 3 of query q; correct one, or add --samples if column 2 numbers"),
    ("qid,docno,position\nq,a,1\nq,b,1.5\n", "other.run:3: the column position of the run is not an integer everywhere"),
    ("qid,docno,position\nq,a,3\nq,b,3\n",
     "other.run:3: a and b both stand at position 3 of query q; if the rows are several rankings, add --samples --col"),
    ("qid,docno,score\nq,a,3\nq,b,3\n", "other.run: this run has none of the columns rank, position, but qid, docno, score; name it with --columns rank=COLUMN\n"),
    ("id page_id\n1 7\n1 8\n", "other.run: a run of qid docno, as TREC Fair's id page_id has no ranks; leave out --order position\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_what_is_no_position_is_one_line(folder, fairtrec_command, text, said):
    done = fairtrec_command(
        "eval", "none", written(text), "-m", "AWRF@4", "--labels", "labels.tsv", "--order", "position"
    )
    assert (done.code, done.err.startswith(said), done.err.count("\n"), done.out) == (3, True, 1, ""), done.err


def test_samples_may_share_positions(folder):
    table = written("qid,docno,position,view\nq,a,3,1\nq,b,3,2\n")
    given_ = {"order": "position", "samples": True, "columns": "sample=view", "labels": LABELS}
    value = fairtrec.evaluate("EED@3", table, **given_).scores[0].values
    assert value.tolist() == [[0.5 * 0.25]] or np.isfinite(value).all()
    trec = written("q 1 a 1 9 t\nq 2 b 1 9 t\nq 2 a 1 9 t\n")
    with pytest.raises(InputError, match=r":3: a and b both stand at position 1 of query q 2; correct one$"):
        fairtrec.evaluate("EED@3", trec, order="position", samples=True, labels=LABELS)


def test_frames_have_positions_and_dicts_have_none():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "position": [3, 3]})
    with pytest.raises(
        InputError, match="a and b both stand at position 3 of query q; if the rows are several rankings"
    ):
        fairtrec.evaluate("AWRF@3", frame, order="position", labels=LABELS)
    with pytest.raises(InputError, match="the run run: the position -3 is below 0"):
        fairtrec.evaluate("AWRF@3", frame.assign(position=[1, -3]), order="position", labels=LABELS)
    with pytest.raises(UsageError, match="only files and frames have positions, and run is neither"):
        fairtrec.evaluate("AWRF@3", {"q": {"a": 1.0}}, order="position", labels=LABELS)
    notes = fairtrec.evaluate("AWRF@3", frame.assign(position=[3, 7]), order="rank", labels=LABELS).notes
    assert any("ranks of 1 of 1 queries are not 1 to n" in str(note) for note in notes)


REFUSED = [
    ("eval none x.run -m AWRF@2 --only others", "--only others numbers the ranks that are left anew, and --order position"),
    ("eval none x.run -m AWRF@2 --missing skip", "--missing skip numbers the ranks that are left anew, and --order position"),
    ("eval none x.run -m AWRF@2 --bounds ties", "ties are equal scores, and --order position ignores scores"),
    ("eval none x.run -m AWRF@2 --bounds texts", "--bounds texts numbers the ranks that are left anew, and --order"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), gather_trials("RANKED_ANEW", REFUSED))
def test_what_numbers_ranks_anew_keeps_no_positions(folder, fairtrec_command, words, said):
    Path("y.run").write_text(LOG)
    done = fairtrec_command(*words.split(), "--labels", "labels.tsv", "--order", "position")
    assert (done.code, said in done.err, done.out) == (2, True, ""), done.err


def test_a_background_has_no_positions(folder):
    Path("bg.run").write_text("q Q0 a 7 9 t\nq Q0 b 7 8 t\nr Q0 a 1 1 t\n")
    result = fairtrec.evaluate("AWRF@4", "x.run", order="position", labels=LABELS, background="bg.run",
                               target="background")  # fmt: skip
    assert np.isfinite(result.scores[0].values).all()


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.randoms(use_true_random=False), st.integers(0, 1))
def test_without_gaps_positions_are_ranks_and_rows_may_have_any_order(tmp_path_factory, lengths, random, first):
    rows = [(f"q{at}", f"d{rank}", rank) for at, many in enumerate(lengths) for rank in range(first, many + first)]
    folder, labels = tmp_path_factory.mktemp("rows"), {f"d{rank}": "fm"[rank % 2] for rank in range(8)}
    values = []
    for number, order in enumerate(("position", "rank")):
        random.shuffle(rows)
        path = folder / f"{number}.csv"
        path.write_text("qid,docno,position\n" + "".join(f"{qid},{docno},{rank}\n" for qid, docno, rank in rows))
        scores = fairtrec.evaluate("AWRF@4 NDKL Exposure(group='f')@3", path, order=order, labels=labels).scores[0]
        values.append((scores.qids, scores.values.tobytes()))
    assert values[0] == values[1]


def test_positions_decide_the_exposure(folder):
    """Weights 1, .3868528 and .3010300 of ranks 1, 5, 9; f has rank 1, 1 of 1.6878828 together, less .5."""
    table = written("qid,docno,position\nq,a,1\nq,b,5\nq,c,9\n")
    given_ = {"labels": {"a": "f", "b": "m", "c": "m"}}
    found = [
        fairtrec.evaluate("Exposure(group='f',discount='log2')@9", table, order=order, **given_).scores[0].values.item()
        for order in ("position", "rank")
    ]
    weights = 1 / np.log2(np.array([[1, 5, 9], [1, 2, 3]]) + 1)
    np.testing.assert_allclose(found, weights[:, 0] / weights.sum(axis=1) - 0.5, rtol=1e-12)
    np.testing.assert_allclose(found, [0.0924, -0.0307], atol=1e-4)  # as the study has it


def test_the_digits_of_another_program_from_the_log_itself(shared):
    folder = shared / "specs" / "audit"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    rows = csv.DictReader(io.StringIO((folder / "expected.tsv").read_text()), delimiter="\t")
    given_, tried = {"columns": COLUMNS, "order": "position", "pool": "even"}, 0
    whole = fairtrec.evaluate("AWRF@5", folder / "log.csv", **given_)
    for row in rows:
        if row["file"] != "log.csv" or ", p " in row["options"]:
            continue
        day = row["options"].partition("slice ")[2]
        queries = {"queries": whole.slices[day]} if day else {}
        scores = fairtrec.evaluate(row["measure"], folder / "log.csv", **given_, **queries).scores[0]
        names = [whole.clusters[qid] if "cluster" in row["options"] else qid for qid in scores.qids]
        column = scores.columns["pooled"]
        pool = column.pools[scores.measures[0]]
        found = pool.find_interval(column.frequency, np.unique(names, return_inverse=True)[1], 0.95)
        digits = pool.compute(column.frequency), found.low, found.high
        assert digits == pytest.approx([float(row[name]) for name in ("value", "low", "high")], abs=1e-9), row
        tried += 1
    assert tried == 26
