"""Pooled exposure that a drawn sheet of gold labels corrects: figures of the example, laws, and formats."""

import json
import pickle

import pandas as pd
import pytest

import fairtrec

RUNS = ("bm25.run", "neural.run", "fair.run")
WORDS = {"terms": "gender-en", "docs": "collection.tsv"}


@pytest.fixture
def people(copied):
    """What one reader says of all passages of the example, with - instead of ?."""
    text = (copied / "labels.tsv").read_text("utf-8").replace("\t?", "\t-")
    (copied / "people.tsv").write_text(text, "utf-8")
    return "people.tsv"


def pool(measures, runs, gold, frequency="even", **given):
    """The corrected pooled values of each run: by measure."""
    result = fairtrec.evaluate(measures, list(runs), gold=gold, pool=frequency, **{**WORDS, **given})
    return [{str(m): s.columns["pooled"].correct(m) for m in s.measures} for s in result.scores]


def test_figures_of_the_example(people):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    bm25, neural, _ = pool("AWRF@10", RUNS, sheet)
    assert bm25["AWRF@10"][:3] == pytest.approx((0.9951, 0.9735, 1), abs=5e-5)
    assert neural["AWRF@10"][:3] == pytest.approx((0.9994, 0.9849, 1), abs=5e-5)
    assert (bm25["AWRF@10"].gold, bm25["AWRF@10"].differ) == (29, 1)
    whole = pool("AWRF@10", RUNS, people)
    assert [each["AWRF@10"].corrected for each in whole[:2]] == pytest.approx([0.9938, 0.9996], abs=5e-5)


def test_an_instrument_that_is_right_is_not_moved_and_still_has_a_width(people):
    sheet = fairtrec.gold.draw(list(RUNS), 20, gold=people).to_frame()
    given = {"terms": None, "docs": None, "labels": people, "membership": "share"}
    for each in pool("AWRF@10 Exposure(group='m')@10", RUNS, sheet, **given):
        for measure, found in each.items():
            assert found.differ == 0, measure
            assert found.low < found.high
    result = fairtrec.evaluate("AWRF@10", list(RUNS), labels=people, membership="share", pool="even")
    values = [scores.columns["pooled"].value(scores.measures[0]) for scores in result.scores]
    assert [each["AWRF@10"].corrected for each in pool("AWRF@10", RUNS, sheet, **given)] == pytest.approx(values)


def test_a_sum_over_documents_has_the_interval_of_its_mean(people):
    """Every query exposes as much: pooled and mean of='all' are the same number, and so are their intervals."""
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    measure = "Exposure(group='f',of='all')@10"
    result = fairtrec.evaluate(measure, list(RUNS), gold=sheet, pool="even", **WORDS)
    for scores in result.scores:
        mean, found = scores.settle("gold")[0], scores.columns["pooled"].correct(scores.measures[0])
        assert found[:3] == pytest.approx((mean.corrected, mean.low, mean.high), abs=1e-12)


def test_slices_have_their_own_and_what_is_sent_comes_back(people, tmp_path):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    result = fairtrec.evaluate("AWRF@10", ["bm25.run"], gold=sheet, pool="even", **WORDS)
    scores = result.scores[0]
    some = [1, 4, 7]
    part = scores.keep_queries(some).columns["pooled"].correct(scores.measures[0])
    often = {qid: int(at in some) for at, qid in enumerate(scores.qids)}
    (alone,) = pool("AWRF@10", ["bm25.run"], sheet, often)
    assert part == pytest.approx(alone["AWRF@10"], abs=1e-12)
    sent = pickle.loads(pickle.dumps(scores.columns["pooled"]))
    assert sent.correct(scores.measures[0]) == scores.columns["pooled"].correct(scores.measures[0])


def test_what_is_not_corrected_is_a_dash(people):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    measures = "KL@10 EED@10 DP AWRF(unknown='group')@10 AWRF(unknown='even')@10 Exposure(group='f',unknown='group')@10"
    assert not any(each for found in pool(measures, RUNS, sheet) for each in found.values())
    queries = fairtrec.gold.draw(list(RUNS), 5, unit="query", gold=people).to_frame()
    assert not any(each for found in pool("AWRF@10", RUNS, queries) for each in found.values())


def test_formats(people, tmp_path):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    result = fairtrec.evaluate("AWRF@10 KL@10", ["bm25.run"], gold=sheet, pool="even", **WORDS)
    for form in ("json", "jsonl", "csv", "table", "trec"):
        result.write(tmp_path / f"r.{form}", form)
    told = json.loads((tmp_path / "r.json").read_text())["runs"][0]
    assert list(told["pooled_corrected"]) == ["AWRF@10"]
    assert list(told["pooled_corrected"]["AWRF@10"]) == ["corrected", "low", "high", "gold", "differ"]
    line = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()][1]
    assert (line["qid"], line["corrected"]) == ("pooled", told["pooled_corrected"]["AWRF@10"]["corrected"])
    assert "\nAWRF@10.corrected     \tpooled\t0.9951\n" in (tmp_path / "r.trec").read_text()
    assert "\nAWRF@10.low           \tpooled\t0.9735\n" in (tmp_path / "r.trec").read_text()
    assert "0.9951 [0.9735, 1.0000]" in (tmp_path / "r.table").read_text()
    rows = pd.read_csv(tmp_path / "r.csv").set_index("qid")
    assert rows.loc["pooled", "AWRF@10.corrected"] == 0.9951
