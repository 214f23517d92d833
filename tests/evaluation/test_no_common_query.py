"""A run that shares no query with the judgments is broken, whatever is asked of it, and never speaks ill of others."""

import pytest

import fairtrec
from fairtrec.support.errors import InputError


@pytest.fixture
def desk(tmp_path, monkeypatch, example):
    """Three sound runs of the example and one of the same rankings, whose query ids have a prefix."""
    monkeypatch.chdir(tmp_path)
    for name in ("qrels.txt", "bm25.run", "neural.run", "fair.run", "background.run", "collection.tsv"):
        (tmp_path / name).write_bytes((example / name).read_bytes())
    lines = (example / "bm25.run").read_text().splitlines()
    (tmp_path / "prefix.run").write_text("".join(f"dl19-{line}\n" for line in lines if line[:1].isdigit()))
    return tmp_path


WORDS = "--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"
SAID = "prefix.run: the run and the qrels have no query in common; without the prefix 'dl19-', 12 of 12 would be known"


@pytest.mark.parametrize("measures", ["nDCG@10", "TExFAIR@10", "nDCG@10 TExFAIR@10", "NFaiRR@10", "NumRet"])
@pytest.mark.parametrize("more", [[], ["-c"]])
def test_a_run_without_a_judged_query_is_broken_whatever_is_measured(desk, fairtrec_command, measures, more):
    for runs in (["prefix.run"], ["bm25.run", "prefix.run"]):
        done = fairtrec_command("eval", "qrels.txt", *runs, *WORDS, "-m", measures, *more)
        assert (done.code, done.out, done.complaints) == (3, "", [SAID])


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_it_is_reported_and_the_others_are_scored_as_if_they_alone_were_there(desk, fairtrec_command, jobs):
    asked = *WORDS, "-m", "nDCG@10 TExFAIR@10", "-f", "table", "-j", jobs
    alone = fairtrec_command("eval", "qrels.txt", "bm25.run", "fair.run", *asked)
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "prefix.run", "fair.run", *asked, "--keep-going")
    assert (done.code, done.complaints) == (3, [SAID])
    assert done.out == alone.out  # no note that the others lack its queries
    assert "of the 24 queries" not in done.out + done.err
    done = fairtrec_command("compare", "qrels.txt", "bm25.run", "prefix.run", "fair.run", *asked, "--keep-going")
    assert (done.code, done.complaints) == (3, [SAID])


def test_without_judgments_a_run_has_whatever_queries_it_has(desk, fairtrec_command):
    lines = [line for line in (desk / "prefix.run").read_text().splitlines() if line.startswith("dl19-10")]
    (desk / "few.run").write_text("".join(f"{line}\n" for line in lines))
    done = fairtrec_command(
        "eval", "none", "few.run", "--terms", "gender-en", "--docs", "collection.tsv", "-m", "TE@10"
    )
    assert done.code == 0


def test_one_query_in_common_is_enough(desk, fairtrec_command):
    first = next(line for line in (desk / "bm25.run").read_text().splitlines() if line[:1].isdigit())
    with (desk / "prefix.run").open("a") as file:
        file.write(f"{first}\n")
    done = fairtrec_command("eval", "qrels.txt", "prefix.run", *WORDS[:4], "-m", "TE@10", "-f", "csv")
    assert done.code == 0
    assert ",all,13," in done.out


def test_from_python_too_and_without_a_hint_where_there_is_none():
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "he she"}}
    with pytest.raises(
        InputError, match="run: the run and the qrels have no query in common; check that they are of the same"
    ):
        fairtrec.evaluate("TE@10", {"x": {"a": 1.0}}, qrels={"7": {"a": 1}}, **given)
    with pytest.raises(InputError, match="none of the wanted queries that are judged; check queries="):
        fairtrec.evaluate("nDCG", {"x": {"a": 1.0}, "7": {"a": 1.0}}, qrels={"7": {"a": 1}}, queries=["x"])
