"""Reports of the example, each of which is made once."""

import json
import shutil

import pytest

from fairtrec_made import EXAMPLE


@pytest.fixture(scope="session")
def written_reports(tmp_path_factory, fairtrec_command):
    """Give the folder ``study`` of a report of the example, and what the command printed, made once of the same words."""
    kept = {}

    def find(asked):
        if asked not in kept:
            folder = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("report") / "example")
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                patch.setenv("FAIRTREC_HOME", str(folder.parent))
                patch.setenv("FAIRTREC_OFFLINE", "1")
                patch.setenv("COLUMNS", "120")
                kept[asked] = folder / "study", fairtrec_command("report", *asked, "-o", "study")
        return kept[asked]

    return find


@pytest.fixture
def write_study(copied, written_reports):
    """Write a report into the copy of the example; give its folder, and what the command printed."""

    def write(*asked):
        folder, done = written_reports(asked)
        assert done.code == 0, done.err
        return shutil.copytree(folder, copied / "study"), done

    return write


@pytest.fixture
def change_study(write_study):
    """Write a report, and give it as an object and a function that writes it changed."""

    def start(*asked):
        path = write_study(*asked)[0] / "report.json"
        found = json.loads(path.read_text("utf-8"))

        def write():
            path.write_text(json.dumps(found), "utf-8")
            return "study/report.json"

        return found, write

    return start
