"""`results replay` reads no file whose sha256 is not in the file that it replays, however a stranger asks for one."""

import ast
import json
import shutil

import pytest

from fairtrec.support.files import admission
from fairtrec_made import REPOSITORY
from fairtrec_made.planted import is_read, plant
from fairtrec_made.sources import parse

EVAL = ["eval", "qrels.txt", "bm25.run"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_inputs_are_found_in_all_forms(copied, fairtrec_command, jobs):
    """What the file names is read in other processes too, packed, as Parquet, as counts, and as a folder."""
    shutil.copytree(copied, copied / "other", ignore=lambda _, names: {*names} - {"bm25.run", "fair.run"})
    counts = ["counts", "make", "collection.tsv", "--terms", "gender-en", "-o", "counts.arrow"]
    assert fairtrec_command(*counts).code == 0
    asked = ["eval", "qrels.txt", "bm25.run", "fair.run", "--counts", "counts.arrow", "--missing", "neutral"]
    assert fairtrec_command(*asked, "-m", "NFaiRR@10 nDCG@10", "--background", "background.run", "-j", jobs, "-q", "-f", "json", "-o", "a.json").code == 0  # fmt: skip
    assert fairtrec_command("results", "replay", "a.json").code == 0
    asked = ["eval", "qrels.txt", "bm25.run", "fair.run", "--counterfactual", "other", "-m", "CRBO@10"]
    assert fairtrec_command(*asked, "-q", "-f", "json", "-o", "b.json").code == 0
    assert fairtrec_command("results", "replay", "b.json").code == 0


OF_RESULTS = {
    "labels": ("secret.tsv", "labels.tsv", "secret.tsv:1"),
    "target": ("strip", "labels.tsv", "strip"),
    "queries": ("secret.tsv", "queries.tsv", "secret.tsv"),
    "qrels": ("secret.txt", "qrels.txt", "secret.txt"),
    "background": ("bm25.run:zz", "neural.run", "bm25.run:zz"),
    "gold": ("secret.tsv", "labels.tsv", "secret.tsv"),
    "pool": ("secret.tsv", "labels.tsv", "secret.tsv"),
}


@pytest.mark.parametrize("option", OF_RESULTS)
def test_no_option_of_a_results_file_leads_to_another(copied, option, fairtrec_command):
    name, of, value = OF_RESULTS[option]
    asked = [*EVAL, "--labels", "labels.tsv", "-m", "AWRF@10 nDCG@10", "--missing", "neutral"]
    asked += ["--background", "background.run"] * (option == "background")
    asked += ["--target", "background"] * (option == "background")
    assert fairtrec_command(*asked, "-q", "-f", "json", "-o", "a.json").code == 0
    document = json.loads((copied / "a.json").read_text())
    document["options"][option] = value
    document["inputs"] = {("of another" if part == option else part): file for part, file in document["inputs"].items()}
    (copied / "a.json").write_text(json.dumps(document))
    planted = plant(copied, name, of)
    done = fairtrec_command("results", "replay", "a.json")
    assert (done.code, done.out, len(done.complaints)) == (3, "", 1), done.err
    assert not is_read(planted)


READING = {"open", "memory_map", "OSFile", "ParquetFile", "ZipFile", "read_text", "read_bytes", "np.load"}
ASKS = {"refuse_unrecorded", "open_file"}
OTHER = {  # functions that read no input of a command that is replayed
    *("support/entry_points.py:_read", "cli/completion.py:_read_names"),  # what is installed
    *("evaluation/signature.py:_version_of_ir_measures", "commands/measures/pages.py:_bundled"),
    *("report/page/__init__.py:file", "support/version.py:_read"),
    *("support/resources/fetch.py:digest", "support/resources/fetch.py:_answer"),  # lists, against their sha256
    "support/files/admission.py:hash_file",  # what asks
    *("support/jobs/shared_work.py:load", "support/jobs/shared_work.py:write_work"),  # what processes send each other
    *("counting/table/build.py:write_table", "ir_measures/__main__.py:_finite"),  # what is being made; another program
    "commands/check/config.py:_line",  # of a file of options, which a replay passes over
    *("report/output.py:_fill", "commands/check/report.py:is_verdicts"),  # what is written, and what that replaces
}
FOLDERS = (
    "support/files/atomic.py",
    "support/files/compression.py",  # of what is open
    "counting/local/",
    "counting/spark/",
    "lab/make/",
    "commands/validate/run_check.py",
)
WRITTEN = "'w", "'a", "'wb", "'ab", "devnull"


def name_called(call):
    """Name what is called by its last word; load of numpy has both."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="np"), attr="load"):
            return "np.load"
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


@pytest.mark.long
def test_all_that_opens_an_input_asks_first():
    """A reader that opens a file by its name asks in the same function; so no new reader is forgotten."""
    strange, asking = [], 0
    for path in sorted((REPOSITORY / "fairtrec").rglob("*.py")):
        name = path.relative_to(REPOSITORY / "fairtrec").as_posix()
        for function in ast.walk(parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
            called = {*map(name_called, calls)}
            opening = [ast.unparse(each) for each in calls if name_called(each) in READING]
            reads = [each for each in opening if not any(word in each for word in WRITTEN)]
            asking += bool(reads) and not called.isdisjoint(ASKS)
            known = f"{name}:{function.name}" in OTHER or name.startswith(FOLDERS)
            if reads and called.isdisjoint(ASKS) and not known:
                strange.append(f"{name}:{function.name}: {reads[0]}")
    assert strange == []
    assert asking > 4


def test_only_what_is_admitted_is_opened(tmp_path):
    for name in ("known", "other"):
        (tmp_path / name).write_text(name)
    digest, identity = admission.hash_file(tmp_path / "known")
    assert len(digest) == 64
    with admission.admit_only({identity: str(tmp_path / "known")}):
        admission.open_file(tmp_path / "known").close()
    with (
        pytest.raises(admission.UnrecordedFileError, match="other has no recorded sha256, so it is not read; evaluate"),
        admission.admit_only({identity: str(tmp_path / "known")}),
    ):
        admission.open_file(tmp_path / "other")
    admission.open_file(tmp_path / "other").close()
