"""What each command may import: start-up is short because heavy libraries wait until they are needed."""

from importlib.util import find_spec

import pytest

from fairtrec.support import jobs
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.imports import SEVERAL, imported_by

RUN = "tests/cli/inputs/tiny.run"
FROM_COUNTS = (
    f"eval none {RUN} --counts tests/cli/inputs/counts.tsv --missing neutral -m 'ARaB(mag=bool)@10 TExFAIR@10'"
)
VECTORS = "--embeddings tests/cli/inputs/vectors.npy --ids tests/cli/inputs/vectors-ids.txt"


@pytest.mark.long
@pytest.mark.parametrize(
    ("allowed", "lines"),
    [
        ("", ["--help", "--version", "eval --help", "resources --help", "resources list"]),
        ("numpy", ["measures NFaiRR", FROM_COUNTS, f"{FROM_COUNTS} -q -f json",
                   f"eval tests/cli/inputs/qrels.txt {RUN} -m 'nDCG@10 RR P@5'"]),
        ("numpy rich", [f"{FROM_COUNTS} -f table"]),
        *gather_trials("IMPORTING"),
        ("numpy ir_measures", ["measures"]),
        ("numpy ir_measures pytrec_eval", [f"eval tests/cli/inputs/qrels.txt {RUN} -m Bpref"]),
    ],
)  # fmt: skip
def test_commands_import_only_what_they_need(allowed, lines):
    """Those that need the same are called in one process."""
    heavy, errors = imported_by(SEVERAL, *lines)
    assert [line for line in errors if line.startswith("exit ")] == ["exit 0"] * len(lines)
    assert heavy <= {*allowed.split()}


def test_the_package_imports_nothing_until_it_is_used():
    heavy, _ = imported_by("import sys, fairtrec; print(*sys.modules, file=sys.stderr)")
    assert heavy == set()


def test_evaluate_imports_numpy_alone():
    heavy, _ = imported_by("import sys; from fairtrec import evaluate; print(*sys.modules, file=sys.stderr)")
    assert heavy == {"numpy"}


def test_an_evaluation_without_measures_imports_nothing_of_measures_that_lack_inputs():
    """Small modules add up: a start of 0.15 s is what a loop over files pays each time."""
    program = SEVERAL.replace('{name.partition(".")[0] for name in sys.modules}', "sys.modules")
    _, errors = imported_by(f"{program}\nprint(file=sys.stderr)", f"eval tests/cli/inputs/qrels.txt {RUN}")
    modules = {*errors[-1].split()}
    assert {"fairtrec.measures.utility", "numpy"} <= modules
    of_others = {f"fairtrec.evaluation.given.{name}" for name in ("counts", "labels", "stances", "counterfactual")}
    assert not modules & {"json", "numpy.typing", "pathlib", "urllib.parse", "fairtrec.measures.awrf", *of_others}


def test_a_missing_file_is_refused_without_a_library_of_datasets():
    heavy, errors = imported_by(SEVERAL, f"eval topics/none.txt {RUN}", f"eval none {RUN} --labels none.tsv:gender")
    assert errors.count("exit 3") == 2
    assert "topics/none.txt: there is no such file; check the name" in errors
    assert heavy == {"numpy"}


def test_annotate_leaves_pandas_alone(tmp_path):
    (tmp_path / "c.tsv").write_text("d1\tshe\nd2\the\n")
    lines = [f"counts make {tmp_path}/c.tsv --terms gender-en -o {tmp_path}/t.{end} -j 1" for end in ("arrow", "tsv")]
    heavy, errors = imported_by(SEVERAL, *lines)
    assert errors.count("exit 0") == 2
    assert "pandas" not in heavy


@pytest.mark.parametrize(
    "arguments",
    [
        ["counts", "make", "c.tsv", "--terms", "gender-en", "-o", "counts.tsv"],
        *gather_trials("STARTING"),
        ["eval", "qrels", "a.run", "b.run", "-m", "P@1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_processes_import_first_is_there(arguments, tmp_path, monkeypatch, fairtrec_command):
    """A name of no module is passed over in silence, and each process imports everything anew."""
    asked, context = [], jobs.context
    monkeypatch.setattr(jobs, "context", lambda preload: asked.append(preload) or context(preload))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.tsv").write_text("d1\tshe met him\n")
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    for run in ("a.run", "b.run"):
        (tmp_path / run).write_text("1 Q0 d1 1 1 t\n")
    assert fairtrec_command(*arguments, "-j", "3").code == 0
    assert asked[0]
    assert [name for preload in asked for name in preload if find_spec(name) is None] == []
