"""Runs that are not what they seem: the same rankings under two names, and scores that rise with the ranks."""

import gzip

import pytest

import fairtrec
from fairtrec.report.result_notes import list_notes
from fairtrec_made import texts, unwrapped

SAME = "same rankings in all queries, down to the measured depth (100 at most)"
RISE = "scores increase with rank"


@pytest.fixture
def desk(copied):
    """Two runs, one of them again with other scores, and one whose last documents alone are others."""
    lines = [line.split() for line in (copied / "neural.run").read_text().splitlines()]
    places = [f"{q} {zero} {docno} {rank} {1000 - int(rank)} again\n" for q, zero, docno, rank, _, _ in lines]
    (copied / "again.run").write_text("".join(places))
    last = max(range(len(lines)), key=lambda at: int(lines[at][3]))
    places[last] = places[last].replace(lines[last][2], "another")
    (copied / "nearly.run").write_text("".join(places))
    rising = [f"{q} {zero} {docno} {rank} {rank} rising\n" for q, zero, docno, rank, _, _ in lines]
    (copied / "rising.run").write_text("".join(rising))
    return copied


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_runs_of_the_same_rankings_are_named(desk, fairtrec_command, command):
    asked = command, "qrels.txt", "neural.run", "fair.run", "again.run", "nearly.run", "-m", "nDCG@5", "-f", "table"
    out = fairtrec_command(*asked, *["-m", "AP"] * (command == "eval")).out
    named = "neural, again" if command == "eval" else "neural, again, nearly"  # no deeper than is measured
    assert f"{SAME}: {named}\n" in out
    assert SAME not in fairtrec_command(command, "qrels.txt", "neural.run", "fair.run", "-m", "AP").out


def test_the_page_and_python_name_them_too(desk, fairtrec_command):
    page = fairtrec_command("eval", "qrels.txt", "neural.run", "again.run", "-m", "AP", "-f", "html").out
    assert f"{SAME}: neural, again" in page
    result = fairtrec.evaluate("AP", ["neural.run", "again.run", "nearly.run"], qrels="qrels.txt")
    assert result.same == (("neural.run", "again.run"),)
    one = {"q": {"a": 2.0, "b": 1.0}}
    assert fairtrec.evaluate("RR", {"x": one, "y": {"q": {"a": 9.0, "b": 8.0}}}, qrels={"q": {"a": 1}}).same == (
        ("x", "y"),
    )


def test_the_same_values_alone_are_not_the_same_rankings(desk):
    assert fairtrec.evaluate("NumRet", ["neural.run", "rising.run", "again.run"], qrels="qrels.txt").same == (
        ("neural.run", "again.run"),
    )


def test_scores_that_rise_with_the_ranks_are_told_once_with_the_runs(desk, fairtrec_command):
    words = "--terms", "gender-en", "--docs", "collection.tsv"
    out = unwrapped(
        fairtrec_command(
            "eval", "qrels.txt", "neural.run", "rising.run", "-m", "nDCG@5 TE@5", *words, "-f", "table"
        ).out
    )
    assert out.count(RISE) == 1
    assert (
        f"rising: {RISE}, but runs are ordered by decreasing score; if lower scores are better, add --order rank" in out
    )
    for order in ("rank", "file"):
        assert RISE not in fairtrec_command("eval", "qrels.txt", "rising.run", "-m", "nDCG@5", "--order", order).err


def test_a_file_whose_ranks_fall_as_its_scores_rise_is_sound(desk):
    lines = (desk / "neural.run").read_text().splitlines()
    by_query = {}
    for line in lines:
        by_query.setdefault(line.split()[0], []).insert(0, line)
    text = "".join(f"{line}\n" for several in by_query.values() for line in several)
    (desk / "upwards.run").write_text(text)
    for name in ("upwards.run", "neural.run"):
        assert not any(RISE in line for line in texts(list_notes(fairtrec.evaluate("RR", name, qrels="qrels.txt"))))
    (desk / "rising.run.gz").write_bytes(gzip.compress((desk / "rising.run").read_bytes()))
    assert any(RISE in line for line in texts(list_notes(fairtrec.evaluate("RR", "rising.run.gz", qrels="qrels.txt"))))
    (desk / "odd.run").write_text("101 Q0 a x 1 t\n101 Q0 b y 2 t\n101 Q0 c z 3 t\n")
    assert not any(RISE in line for line in texts(list_notes(fairtrec.evaluate("RR", "odd.run", qrels="qrels.txt"))))


def test_a_run_of_which_few_top_ranks_are_judged_is_told():
    """A nDCG@4 of 1 may rest on one document of four."""
    run = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"a": 1.0}}  # q2 is not judged
    few = fairtrec.evaluate("nDCG@4 R@1000", run, qrels={"q1": {"a": 1}})
    assert few.means["run"]["nDCG@4"] == 1.0
    assert "judged in the measured ranks of nDCG@4: 1 of 4" in texts(list_notes(few))
    assert [str(remark) for remark in few.scores[0].notes] == ["judged in the measured ranks of nDCG@4: 1 of 4"]
    all_judged = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    for measures, judged in (("nDCG@4", all_judged), ("AP", {"q1": {"a": 1}}), ("Judged@4", {"q1": {"a": 1}})):
        assert not any(
            "judged in the measured ranks" in line
            for line in texts(list_notes(fairtrec.evaluate(measures, run, qrels=judged)))
        )


def test_the_deepest_measure_that_pools_mostly_reach_is_checked_for_unjudged_documents():
    run = {"q": {f"d{rank}": -float(rank) for rank in range(40)}}
    qrels = {"q": {f"d{rank}": 1 for rank in range(5)}}

    def checked(measures):
        return [str(note) for note in fairtrec.evaluate(measures, {"r": run}, qrels=qrels).scores[0].notes]

    assert checked("P@5") == []
    assert checked("P@5 nDCG@10 P@10 R@40 AP") == ["judged in the measured ranks of nDCG@10: 5 of 10"]
    assert checked("R@40 P@30") == ["judged in the measured ranks of P@30: 5 of 30"]
