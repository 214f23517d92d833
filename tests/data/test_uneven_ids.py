"""Columns of ids that are left in pieces are those that are laid out, wherever a run goes."""

import resource
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.commands.validate import entries
from fairtrec.data import Docnos, fingerprints, uneven_ids
from fairtrec.data.uneven_ids import UnevenIds, number_ids
from fairtrec.formats import columns, frames, other_runs, run
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening

IDS = st.lists(st.sampled_from([b"a", b"d7", b"x" * 100, b"y" * 9]), min_size=1, max_size=9)


@given(st.lists(IDS, min_size=1, max_size=5), st.data(), st.sampled_from([0, 1 << 26]))
def test_rows_are_those_of_one_array(parts, data, largest):
    pieces = [np.array(part) for part in parts]
    uneven, whole = UnevenIds(pieces), np.concatenate(pieces)
    assert fingerprints(uneven).tolist() == fingerprints(whole).tolist()
    assert number_ids(uneven).tolist() == number_ids(whole).tolist()
    assert (len(uneven), uneven.dtype, uneven.tolist()) == (len(whole), whole.dtype, whole.tolist())
    places = st.integers(0, len(whole) - 1)
    some = np.array(data.draw(st.lists(places)), dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uneven_ids, "LARGEST", largest)
        for which in (some, slice(len(whole) // 3, None), np.isin(np.arange(len(whole)), some)):
            assert np.asarray(uneven[which]).tolist() == whole[which].tolist()
            assert np.asarray(uneven[which][::-1]).tolist() == whole[which][::-1].tolist()
    at = data.draw(places)
    assert uneven[at] == whole[at]
    assert (uneven == whole).all()
    assert not (uneven != whole).any()
    assert Docnos.collect(uneven).names.tolist() == Docnos.collect(whole).names.tolist()


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("order", ["score", "file", "rank"])
@pytest.mark.parametrize("twice", [False, True])
def test_a_run_of_uneven_ids_is_the_run_that_it_is_elsewhere(tmp_path, monkeypatch, depth, order, twice):
    draw = np.random.default_rng(7)
    docnos = [f"d{i}" if i % 500 != 3 else "x" * 1000 + str(i) for i in range(3000)]
    lines = [f"q{i // 100} Q0 {docno} {i} {draw.integers(20)} t\n" for i, docno in enumerate(docnos)]
    lines += [f"q29 Q0 {docnos[2903]} 0 0 t\n"] * twice
    (tmp_path / "a.run").write_text("".join(lines))

    def read():
        try:
            found = run.read(tmp_path / "a.run", order, depth=depth)
        except InputError as fault:
            return str(fault)
        return found.qids, found.starts.tolist(), np.asarray(found.docnos).tolist(), found.scores.tolist()

    expected = read()
    assert isinstance(expected, str) == twice
    monkeypatch.setattr(columns, "FEW", 1)
    monkeypatch.setattr(opening, "BLOCK", 1 << 14)
    monkeypatch.setattr(uneven_ids, "LARGEST", 1000)
    monkeypatch.setattr(uneven_ids, "STRIP", 64)
    made, lay_out_unevenly = [], uneven_ids.lay_out_unevenly
    monkeypatch.setattr(
        columns, "lay_out_unevenly", lambda parts: (made.append(found := lay_out_unevenly(parts)), found)[1]
    )
    assert read() == expected
    assert isinstance(made[0], UnevenIds)


LINES = {  # of a run in other forms, and what stands above them
    "trec": ("{0} Q0 {1} {3} {2} t", ""),
    "4-columns": ("{0} {1} {3} {2}", ""),
    "jsonl": ('{{"qid": "{0}", "docno": "{1}", "score": {2}}}', ""),
    "table": ("{0}\t{1}\t{2}", "qid\tdocno\tscore\n"),
}


@pytest.mark.parametrize("form", LINES)
def test_uneven_ids_of_any_form_are_read_and_checked_as_elsewhere(tmp_path, monkeypatch, fairtrec_command, form):
    draw = np.random.default_rng(7)
    docnos = [f"d{i}" if i % 500 != 3 else "x" * 1000 + str(i) for i in range(3000)] + ["d2"]
    rows = [(f"q{i // 100 % 30}", docno, draw.integers(20), i % 100 + 1) for i, docno in enumerate(docnos)]
    line, head = LINES[form]
    path = tmp_path / "a"
    path.write_text(head + "".join(line.format(*row) + "\n" for row in rows))

    def read():
        told = fairtrec_command("validate", path, "--run-format", form, "--all", "--fix", tmp_path / "fixed", "--force")
        with pytest.raises(InputError) as fault:
            run.read(path, form=form)
        return told, str(fault.value)

    expected = read()
    assert "appears twice under query q0" in expected[1]
    made, lay_out_unevenly = [], uneven_ids.lay_out_unevenly

    def watch(parts):
        made.append(lay_out_unevenly(parts))
        return made[-1]

    for module in (columns, frames, other_runs, entries):
        monkeypatch.setattr(module, "lay_out_unevenly", watch)
    for module in (uneven_ids, frames):
        monkeypatch.setattr(module, "LARGEST", 1000)
        monkeypatch.setattr(module, "STRIP", 64)
    assert read() == expected
    assert any(isinstance(each, UnevenIds) for each in made)


@pytest.mark.long
def test_one_long_id_costs_little_more_than_itself(tmp_path):
    path, many = tmp_path / "a.run", 1_000_000
    docnos = (f"d{i}" if i != 777_777 else "x" * 1024 for i in range(many))
    path.write_text("".join(f"{i // 1000} Q0 {docno} {i % 1000} {-(i % 1000)} t\n" for i, docno in enumerate(docnos)))
    most = 1 << 29  # where the docnos would take 1 GB
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from fairtrec.formats import run; print(len(run.read(sys.argv[1]).docnos))", path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        capture_output=True, text=True, check=False, env={"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout == f"{many}\n", done.stderr[-300:]
