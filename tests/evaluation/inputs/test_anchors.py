"""The published figures of paper 000 on TREC DL_FAIR, by one ``fairtrec eval`` over the ten runs (MEASURES, section 2)."""

import json

import pytest

UTILITY = {  # RR, nDCG@10, R@10; the paper's row of TK belongs to another run
    "BM25": (0.850, 0.534, 0.133),
    "RM3": (0.841, 0.556, 0.141),
    "match_pyramid": (0.961, 0.578, 0.136),
    "knrm": (0.849, 0.552, 0.137),
    "conv_knrm": (0.877, 0.595, 0.144),
    "bert_L2": (0.939, 0.684, 0.150),
    "advbert_L2": (0.917, 0.645, 0.144),
    "bert_L4": (0.933, 0.672, 0.154),
    "advbert_L4": (0.903, 0.636, 0.140),
}
NFAIRR = {
    "BM25": 0.984,
    "RM3": 0.986,
    "match_pyramid": 0.988,
    "conv_knrm": 0.974,
    "tk": 0.970,
    "bert_L4": 0.974,
    "advbert_L2": 0.986,
    "advbert_L4": 0.988,
}
WITHIN = {"knrm": 0.981, "bert_L2": 0.967}  # 1 and 3 of the passages in their top tens have no counts
TO_THREE_DECIMALS = 0.0005 + 1e-6


@pytest.fixture
def evaluated(shared, tmp_path, monkeypatch, fairtrec_command):
    """Evaluate the ten runs on TREC DL_FAIR; give each run's means and the whole document."""
    data = shared / "data"
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    query_set = data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv"
    assert fairtrec_command("resources", "add", "trec-dl-fair", query_set).code == 0
    runs = data / "cpjku" / "runs" / "trecdl2019_passage"

    def evaluate(measures, missing):
        done = fairtrec_command(
            *("eval", data / "qrels" / "qrels.dl19-passage.txt", *sorted(runs.glob("*.run")), "-f", "json"),
            *("--counts", data / "dl19-dl20-counts" / "gender.strip.tsv", "--background", runs / "BM25.run"),
            *("--queries", "trec-dl-fair", "--missing", missing, "-m", measures),
        )
        assert done.code == 0, done.err
        document = json.loads(done.out)
        means = {
            run["run"].rsplit("/", 1)[-1].removesuffix(".run"): {
                name: mean["value"] for name, mean in run["means"].items()
            }
            for run in document["runs"]
        }
        assert len(means) == 10
        assert all(mean["defined"] == 30 for run in document["runs"] for mean in run["means"].values())
        return means, document

    return evaluate


def test_the_published_figures(evaluated):
    means, document = evaluated("RR nDCG@10 R@10 NFaiRR@10 NFaiRR(tau=0)@10", "neutral")
    for run, (rr, ndcg, recall) in UTILITY.items():
        expected = {"RR": rr, "nDCG@10": ndcg, "R@10": recall}
        got = {name: means[run][name] for name in expected}
        assert got == pytest.approx(expected, rel=0, abs=TO_THREE_DECIMALS), run
    for run, expected in NFAIRR.items():
        assert means[run]["NFaiRR@10"] == pytest.approx(expected, rel=0, abs=TO_THREE_DECIMALS), run
    for run, values in means.items():
        assert values["NFaiRR(tau=0)@10"] < values["NFaiRR@10"] - 0.02, run
    for choice in ("order:score", "tau:0,1", "queries:trec-dl-fair@", "missing:neutral(", "background:BM25.run@"):
        assert choice in document["signature"]

    worst, _ = evaluated("NFaiRR@10", "worst")
    for run, published in WITHIN.items():
        least, most = worst[run]["NFaiRR@10"], means[run]["NFaiRR@10"]
        assert least - TO_THREE_DECIMALS <= published <= most + TO_THREE_DECIMALS, run
        assert most - least > 0.002
    assert worst["BM25"]["NFaiRR@10"] == means["BM25"]["NFaiRR@10"]  # its top tens have all their counts
