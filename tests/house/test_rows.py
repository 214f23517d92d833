"""A walk through rows is a test that fails with each row that fails, by its name."""

import pytest

from fairtrec_made.rows import walk


def test_every_row_that_fails_is_named():
    seen = []

    @walk({"one": (1, 2), "two": (2, 2), "three": (3, 4), "four": (4, 0)})
    def even(left, right):
        seen.append(left)
        if right == 0:
            with pytest.raises(ValueError, match="never"):
                assert right == 0
        assert left % 2 == 0

    with pytest.raises(BaseExceptionGroup, match="3 of 4 rows failed") as failed:
        even()
    assert seen == [1, 2, 3, 4]
    assert [fault.__notes__ for fault in failed.value.exceptions] == [["row: one"], ["row: three"], ["row: four"]]
    assert isinstance(failed.value.exceptions[2], pytest.fail.Exception)


def test_rows_without_a_fault_pass():
    @walk(["a", "b"])
    def is_letter(text):
        assert len(text) == 1

    assert is_letter() is None
