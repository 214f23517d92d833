"""How many processes there are changes no byte of what is printed: for each choice of an evaluation, and at a fault."""

import pytest

from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec_made.trials import FILES

RUNS = ["qrels", "none.run", "a.run", "b.run"]
FILES_OF = {
    "words": ["--terms", "terms.csv", "--docs", "docs.tsv"],
    "few": ["--terms", "terms.csv", "--docs", "few.tsv"],  # of the documents one has a text
    "labels": ["--labels", "labels.tsv", "--missing", "neutral"],
    "counts": ["--counts", "counts.tsv"],
}
OF = {"missing": "few", "membership": "labels", "groups": "labels", "pool": "labels"}  # where it is not words
BESIDE = {
    "pool": ["-m", "AWRF@3"],
    "next_label": ["--bounds", "labels"],
    "prior": ["--bounds", "labels"],
    "collection_size": ["-m", "Gini@3", "--pool", "even"],
}
TRIALS = [(row, trial) for row in CHOICES.values() for trial in row.trials if row.name != "columns"]  # of tables


@pytest.fixture
def printed(tmp_path, monkeypatch, fairtrec_command):
    """What is printed by so many processes: the code, the report and the remarks."""
    monkeypatch.chdir(tmp_path)
    for name in (*RUNS, "bg.run", "docs.tsv", "few.tsv", "terms.csv", "labels.tsv", "counts.tsv"):
        (tmp_path / name).write_text(FILES[name])

    def of(jobs, files, *arguments):
        given = ["-m", "nDCG@3 NFaiRR@3", "--background", "bg.run", *FILES_OF[files], *arguments]
        return fairtrec_command("eval", *RUNS, *given, "-f", "json", "-q", "-j", jobs)

    return of


@pytest.mark.long
@pytest.mark.parametrize(("row", "trial"), TRIALS, ids=lambda each: str(getattr(each, "name", each)))
def test_two_processes_print_the_same_bytes(printed, row, trial):
    option = [] if row.only == ("python",) else [f"--{row.option}", *([] if row.is_flag else [trial])]
    given = [*BESIDE.get(row.name, []), *option]
    files = "labels" if "labels" in given else "few" if "texts" in given else OF.get(row.name, "words")
    one, two = (printed(jobs, files, *given) for jobs in (1, 2))
    assert one.code == 0, one.err
    assert one == two


def test_two_processes_print_the_same_bytes_of_counts(printed):
    one, two = (printed(jobs, "counts") for jobs in (1, 2))
    assert one.code == 0, one.err
    assert one == two
