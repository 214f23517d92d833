"""Findings of one code that differ only by query are one line, with all queries in JSON."""

import json

import pytest


@pytest.fixture
def many(tmp_path):
    """Two runs over forty queries of which three are wanted, all ranked from 0."""
    for name in ("a", "b"):
        lines = (f"{qid} Q0 d{qid}{name} 0 2 {name}\n" for qid in range(40))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "wanted.txt").write_text("1\n2\n3\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n2 0 d1 0\nx 0 d1 1\n")
    return tmp_path


def test_one_line_counts_and_names_the_first(many, fairtrec_command):
    done = fairtrec_command("validate", many / "a.run", "--queries", many / "wanted.txt")
    assert f"{many}/a.run:1: W503 37 of 40 queries are not wanted: 0, 4, 5, ...\n" in done.out
    said = "the ranks of query 0 start from 0, not from 1 (and 39 more queries: 1, 2, 3, ...)"
    assert f"{many}/a.run:1: W602 {said}\n" in done.out
    assert len(done.out.splitlines()) == 3
    assert "0 errors, 77 warnings" in done.out


def test_verbose_has_a_line_each(many, fairtrec_command):
    done = fairtrec_command("validate", many / "a.run", "--queries", many / "wanted.txt", "-v")
    assert done.out.count(": W503 ") == 21  # the first twenty, and how many more there are
    assert "W503 17 more; --all shows them" in done.out
    assert (
        fairtrec_command("validate", many / "a.run", "--queries", many / "wanted.txt", "--all").out.count("W503") == 37
    )


def test_json_has_all_queries_and_the_counts_of_before(many, fairtrec_command):
    asked = ("validate", many / "a.run", "--queries", many / "wanted.txt", "-f", "json")
    (run,) = json.loads(fairtrec_command(*asked).out)["runs"]
    (each,) = json.loads(fairtrec_command(*asked, "-v").out)["runs"]
    assert run["counts"] == each["counts"] == {"W503": 37, "W602": 40}
    first, second = run["findings"]
    assert (first["count"], len(first["qids"]), first["qids"][:2]) == (37, 37, ["0", "4"])
    assert (second["count"], second["qids"][-1]) == (40, "39")
    assert [finding["count"] for finding in each["findings"]] == [1] * 40


def test_what_all_runs_share_is_told_once_and_leaves_them_clean(many, fairtrec_command):
    for name in ("a", "b"):
        path = many / f"{name}.run"
        path.write_text(path.read_text().replace(" 0 2 ", " 1 2 "))
    runs = many / "a.run", many / "b.run"
    done = fairtrec_command("validate", *runs, "--queries", many / "wanted.txt")
    assert done.out.splitlines()[0] == "all 2 runs: W503 37 of 40 queries are not wanted: 0, 4, 5, ..."
    assert done.out.count("W503") == 1
    assert done.out.count(": clean; ") == 2
    assert "clean         2" in done.out


def test_queries_that_are_not_judged_are_told_and_not_counted(many, fairtrec_command):
    (run,) = json.loads(fairtrec_command("validate", many / "a.run", "--qrels", many / "qrels.txt", "-f", "json").out)[
        "runs"
    ]
    assert run["counts"] == {"W502": 1, "W505": 1, "W602": 40}
    told = {finding["code"]: finding for finding in run["findings"]}
    assert told["W503"]["message"] == "38 of 40 queries are not judged: 0, 3, 4, ..."
    assert told["W503"]["count"] == 38
    assert told["W502"]["qids"] == ["x"]


def test_judged_queries_need_qrels(many, fairtrec_command):
    assert fairtrec_command("validate", many / "a.run", "--queries", "judged").code == 2
    with_both = fairtrec_command("validate", many / "a.run", "--queries", "judged", "--qrels", many / "qrels.txt")
    assert with_both.out == fairtrec_command("validate", many / "a.run", "--qrels", many / "qrels.txt").out
