"""What fuzzing by coverage begins with, and what it found once, is read or refused as it should be."""

import shutil

import pytest

from fairtrec.support.compiled import extension
from fairtrec_made import REPOSITORY, fuzzed


@pytest.mark.parametrize("name", fuzzed.NAMES)
def test_seeds_and_crashes_are_read_or_refused(name):
    if name == "extension" and extension is None:
        pytest.skip("this package was built without a compiler")
    for data in fuzzed.list_corpus(name):
        fuzzed.load(name).take(data)
    shutil.rmtree(fuzzed.make_folder())
    fuzzed.make_folder.cache_clear()


def test_each_harness_is_listed():
    files = (REPOSITORY / "tests" / "made" / "fairtrec_made" / "fuzzed").glob("[a-z]*.py")
    assert sorted(path.stem for path in files) == sorted(fuzzed.NAMES)
