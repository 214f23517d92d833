"""Docnos of labels are those of runs, whatever letters they are made of."""

import pytest

from fairtrec.formats import labels
from fairtrec.support.errors import InputError


def test_a_docno_with_a_zero_width_joiner_is_taken(tmp_path, fairtrec_command):
    (tmp_path / "labels.tsv").write_text("d\u200d1\tf\nd2\tm\n", "utf-8")
    (tmp_path / "run").write_text("q Q0 d\u200d1 1 2 t\nq Q0 d2 2 1 t\n", "utf-8")
    done = fairtrec_command("eval", "none", tmp_path / "run", "--labels", tmp_path / "labels.tsv", "-m", "AWRF@2")
    assert (done.code, done.complaints) == (0, [])
    assert "of 2 documents in the measured ranks, 2 have a label" in done.err


@pytest.mark.parametrize("mark", ["\x00", "\x1b", "\x85"])
def test_a_docno_with_a_control_character_is_refused(mark, tmp_path):
    (tmp_path / "labels.tsv").write_bytes(f"d{mark}1\tf\nd2\tm\n".encode())
    with pytest.raises(InputError):
        labels.read(tmp_path / "labels.tsv")
