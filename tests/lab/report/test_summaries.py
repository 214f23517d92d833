"""What the page of a study says in short is true of the numbers of its parts."""

import json

import pytest

import fairtrec
from fairtrec.lab.report.page import describe_chance, describe_flips, describe_widest
from fairtrec_made import EXAMPLE

RUNS = ["bm25.run", "neural.run", "fair.run"]


def test_a_random_order_and_the_best_are_told_apart():
    result = fairtrec.evaluate(
        "AWRF@5", [EXAMPLE / name for name in RUNS], labels=EXAMPLE / "labels.tsv", bounds="orders"
    )
    means = {scores.run: scores for scores in result.scores}
    entries = [
        {"run": run, "means": {"AWRF@5": {"value": scores.means.item(), "skill": scores.settle("orders")[0],
         **{end: of.means.item() for end, of in scores.ends.items()}}}}
        for run, scores in means.items()
    ]  # fmt: skip
    record = {"measures": {"AWRF@5": {"better": "higher"}}, "runs": entries}
    first = describe_chance(record, "AWRF@5")[0]
    assert first.endswith("bm25: AWRF@5 0.9614, a random order of its documents 0.9368, the best 1.0000 (skill +0.390)")
    down = {"measures": {"AWRF@5": {"better": "lower"}}, "runs": entries}  # then the best is the least
    assert ", the best 0.6887" in describe_chance(down, "AWRF@5")[0]


def test_a_value_and_bounds_over_other_queries_have_their_numbers(tmp_path):
    """q3 has no labeled document, so AWRF@5 is undefined there, but bounds give it a value."""
    runs = {"A": {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 3, "a": 2}, "q3": {"x": 1}, "q4": {"b": 2, "y": 1}}}
    path = tmp_path / "bounds.json"
    fairtrec.evaluate("AWRF@5", runs, labels={"a": "f", "b": "m", "c": "f"}, bounds="labels").write(path)
    record = json.loads(path.read_text("utf-8"))
    value, least, greatest = (record["runs"][0]["means"]["AWRF@5"][name] for name in ("value", "least", "greatest"))
    said = f"AWRF@5: {value:.4f} over 3 queries could be [{least:.4f}, {greatest:.4f}] over 4 (A)"
    assert describe_widest(record) == said
    record["runs"][0]["means"]["AWRF@5"]["with_bounds"] = 3
    assert describe_widest(record) == said.replace(" over 3 queries", "").replace(" over 4", "")


MEANS = {"kept": (0.1, 0.2, 0.4), "other": (0.1, 0.2, 0.5), "tied": (0.1, 0.1, 0.5), "all tied": (0.1, 0.1, 0.1)}


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        ([("other", 0), ("other", 0)], "yes, in 2 variants with other means"),
        ([("other", 0), ("kept", 0)], "yes, in 1 variant with other means"),
        ([("kept", 0)], "no other setting changes a mean"),
        ([("other", 1), ("other", 0)], "no: 1 of 3 pairs flips with tau=0"),
        ([("other", 1), ("other", 2)], "no: 2 of 3 pairs flip with tau=1; 1 more variant flips pairs"),
        ([("other", 1), ("tied", 1), ("other", 1)], "no: 1 of 3 pairs flips with tau=0; 2 more variants flip pairs"),
        ([("other", 0), ("tied", 0)], "in part: 1 of 3 pairs ties with tau=1"),
        ([("all tied", 0), ("tied", 0)], "in part: 3 of 3 pairs tie with tau=0; 1 more variant ties pairs"),
    ],
)
def test_whether_the_order_survives_is_answered_with_yes_or_no(variants, said):
    def write_runs(name):
        return [{"run": run, "mean": mean} for run, mean in zip("abc", MEANS[name], strict=True)]

    entries = [
        {"factor": "tau", "variant": str(at), "flipped": many, "runs": write_runs(name)}
        for at, (name, many) in enumerate(variants)
    ]
    assert describe_flips({"pairs": 3, "runs": write_runs("kept"), "variants": entries}) == said


def test_a_study_of_runs_that_cannot_be_ranked_has_their_values(tmp_path, monkeypatch, fairtrec_command):
    """AWRF@1 is defined in q1 for one run and in q2 for the other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2 a\nq2 Q0 d2 1 2 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d2 1 2 b\nq2 Q0 d1 1 2 b\n")
    (tmp_path / "labels.tsv").write_text("d1\tf\nd2\t-\nd3\tm\n")
    asked = "none", "a.run", "b.run", "--labels", "labels.tsv", "-m", "AWRF@1"
    assert (
        "cannot rank by AWRF@1: no query of 2 has a value" in fairtrec_command("eval", *asked, "--sort", "AWRF@1").err
    )
    done = fairtrec_command("report", *asked, "-o", "study", "--keep-going")
    assert done.code == 0, done.err
    assert "0.6887 (1)" in (tmp_path / "study" / "report.html").read_text().replace("</span>", "").replace("<span>", "")
