"""Exposure pooled over queries: published figures, arithmetic written out, laws, and what is refused."""

import json
import math
import pickle

import pytest

import fairtrec
from fairtrec.evaluation.columns.pool import POOLED
from fairtrec.measures import BUILT_IN
from fairtrec.support.errors import InputError, UsageError

LABELS = {"a": "f", "b": "f", "c": "f", "x": "m", "y": "m", "z": "m", "n": "-"}
RUN = {
    "q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 3.0, "y": 2.0, "z": 1.0},
    "q3": {"a": 4.0, "u": 3.0, "x": 2.0, "n": 1.0}, "q4": {"u": 1.0},
}  # fmt: skip
QRELS = {"q1": {"a": 1, "x": 1}, "q2": {"x": 2, "b": 1}, "q3": {"a": 1, "x": 1, "y": 3}, "q4": {"a": 1}}
MEASURES = [
    "AWRF@3", "AWRF(discount=log2,base=e)@3", "AWRF(unknown=group)@3", "Exposure(group='f')@3",
    "Exposure(group='f',of='all')@3", "EED@3", "EER@3", "EEL@3", "EEL(discount=err)@3", "DP", "DP(protected='f')@2", "DTR",
    "DIR", "DTR(protected='f')@2",
]  # fmt: skip


def pooled(measures, run=RUN, pool="even", **given):
    given = {"labels": LABELS, "qrels": QRELS} | given
    scores = fairtrec.evaluate(measures, run, pool=pool, **given).scores[0]
    return [scores.columns["pooled"].value(measure) for measure in scores.measures]


def test_published_figures_of_the_example(example):
    runs = [str(example / f"{name}.run") for name in ("bm25", "fair", "neural")]
    result = fairtrec.evaluate("AWRF@10 NDKL@10", runs, labels=str(example / "labels.tsv"), pool="even")
    wanted = {"bm25": (0.9754, 0.1744, 0.9938), "fair": (0.9802, 0.1145, 0.9981), "neural": (0.8806, 0.3517, 0.9996)}
    for scores, figures in zip(result.scores, wanted.values(), strict=True):
        awrf, ndkl = scores.measures
        assert (*scores.means, scores.columns["pooled"].value(awrf)) == pytest.approx(figures, abs=5e-5)
        assert scores.columns["pooled"].value(ndkl) is None


def test_exposure_of_the_example_is_that_of_a_second_program(example):
    """Sums of dicts, where ours are matrices."""
    labels = {}
    for line in (example / "labels.tsv").read_text().splitlines()[2:]:
        docno, group, weight = line.split("\t")
        labels.setdefault(docno, {})[group] = float(weight)
    rankings = {}
    for line in (example / "neural.run").read_text().splitlines():
        qid, _, docno, _, score, _ = line.split()
        rankings.setdefault(qid, []).append((float(score), docno))
    often = {qid: at % 3 for at, qid in enumerate(sorted(rankings))}
    exposure = {"f": 0.0, "m": 0.0}
    for qid, ranked in rankings.items():
        for rank, (_, docno) in enumerate(sorted(ranked, reverse=True)[:10], 1):
            for group, weight in labels.get(docno, {}).items():
                if group != "?":
                    exposure[group] += often[qid] * weight / math.log2(max(rank, 2))
    shares = [each / sum(exposure.values()) for each in exposure.values()]
    jsd = sum((p * math.log2(p / ((p + 0.5) / 2)) + 0.5 * math.log2(0.5 / ((p + 0.5) / 2))) / 2 for p in shares)
    (found,) = pooled("AWRF@10", str(example / "neural.run"), often, labels=str(example / "labels.tsv"), qrels=None)
    assert found == pytest.approx(1 - jsd, abs=1e-12)


def test_what_is_made_up_in_another_query():
    run = {qid: RUN[qid] for qid in ("q1", "q2")}
    scores = fairtrec.evaluate("AWRF@3", run, labels=LABELS, pool="even").scores[0]
    assert scores.means[0] == pytest.approx(0.689, abs=5e-4)
    assert scores.columns["pooled"].value(scores.measures[0]) == 1
    # three times f, once m: shares .75 and .25
    twice = pooled("Exposure(group='f')@3", run, {"q1": 3, "q2": 1})
    assert twice == [pytest.approx(0.25)]


@pytest.mark.parametrize("qid", ["q1", "q2", "q3"])
def test_of_one_query_it_is_its_value(qid):
    scores = fairtrec.evaluate(MEASURES, {qid: RUN[qid]}, qrels=QRELS, labels=LABELS, pool="even").scores[0]
    for measure, value in zip(scores.measures, scores.values[:, 0].tolist(), strict=True):
        assert scores.columns["pooled"].value(measure) == pytest.approx(value, nan_ok=True), measure


def test_a_query_that_stands_twice_is_one_of_frequency_2():
    run, qrels = ({**of, "q1 again": of["q1"]} for of in (RUN, QRELS))
    run, qrels = ({name.replace(" ", "-"): each for name, each in of.items()} for of in (run, qrels))
    often = {"q1": 2, "q2": 1, "q3": 1, "q4": 1}
    assert pooled(MEASURES, run, qrels=qrels) == pytest.approx(pooled(MEASURES, pool=often), nan_ok=True)
    never = {"q1": 1, "q2": 1, "q3": 1, "q4": 0}
    less = {qid: ranking for qid, ranking in RUN.items() if qid != "q4"}
    assert pooled(MEASURES, pool=never) == pytest.approx(pooled(MEASURES, less), nan_ok=True)


def test_queries_that_are_each_on_target_are_on_target_pooled(tmp_path):
    (tmp_path / "targets.tsv").write_text("q1\tf\t1\nq1\tm\t0\nq2\tf\t0\nq2\tm\t1\n")  # q3 and q4 have none
    scores = fairtrec.evaluate(
        "AWRF@3 Exposure@3", RUN, labels=LABELS, target=str(tmp_path / "targets.tsv"), pool="even"
    )
    of_all, *groups = [scores.scores[0].columns["pooled"].value(measure) for measure in scores.scores[0].measures]
    assert of_all == pytest.approx(1)
    assert groups == [pytest.approx(0, abs=1e-12)] * 2


def test_rankings_of_one_query_are_averaged_first(tmp_path):
    lines = [
        f"q1 {at} {docno} 1 {-rank} t\n" for at, order in ((1, "abc"), (2, "xyz")) for rank, docno in enumerate(order)
    ]
    lines += [f"q2 1 {docno} 1 {-rank} t\n" for rank, docno in enumerate("abc")]
    (tmp_path / "samples.run").write_text("".join(lines))
    measures = ["EED@1", "Exposure(group='f')@3", "EED@3"]
    first, *found = pooled(measures, str(tmp_path / "samples.run"), samples=True, qrels=None)
    # q1 hands W/2 to each group, q2 W to f: f has 3/4 of all, and in the mean 3/4 W, m 1/4 W; EED weighs 1, 1/2, 1/4
    assert found == [pytest.approx(0.25), pytest.approx((0.75**2 + 0.25**2) * 1.75**2)]
    assert first == pytest.approx(0.75**2 + 0.25**2)


def test_slices_and_attributes_have_their_own(tmp_path):
    (tmp_path / "slices").write_text("q1\tone\nq2\tone\nq1\ttwo\n")
    kind = {docno: "k" if docno in "axn" else "l" for docno in "abcxyzn"}
    both = fairtrec.attributes(gender=LABELS, kind=kind)
    result = fairtrec.evaluate("AWRF@3", RUN, labels=both, pool="even")
    result.write(tmp_path / "r.json", slices=str(tmp_path / "slices"))
    found = json.loads((tmp_path / "r.json").read_text())["runs"][0]
    assert found["slices"]["one"]["pooled"]["AWRF(by='gender')@3"] == 1
    alone = [pooled("AWRF@3", {"q1": RUN["q1"]}, labels=labels)[0] for labels in (LABELS, kind)]
    assert [*found["slices"]["two"]["pooled"].values()] == pytest.approx(alone)


def test_what_is_pooled_comes_back_from_the_process_that_read_the_run():
    scores = fairtrec.evaluate(MEASURES, RUN, qrels=QRELS, labels=LABELS, pool="even").scores[0]
    sent = pickle.loads(pickle.dumps(scores.columns["pooled"]))
    assert [sent.value(measure) for measure in scores.measures] == pooled(MEASURES)


def test_measures_that_are_no_exposure_have_none():
    pooled = {
        "AWRF",
        "Exposure",
        "EED",
        "EER",
        "EEL",
        "DP",
        "DTR",
        "DIR",
        "Gini",
        "Retrievability",
        "Selected",
        "Impact",
    }
    for name in sorted({*BUILT_IN} - pooled):
        kind = getattr(fairtrec.measures, name)
        assert not kind.supports("pool"), name


def test_frequencies_of_a_file(tmp_path):
    (tmp_path / "often.tsv").write_text("# how often\nq1\t3\nq2 1\nq3\t0\nq4\t0\n")
    result = fairtrec.evaluate("Exposure(group='f')@3", RUN, labels=LABELS, pool=str(tmp_path / "often.tsv"))
    (measure,) = result.scores[0].measures
    assert result.scores[0].columns["pooled"].value(measure) == pytest.approx(0.25)
    assert result.signature["pool"].startswith("often.tsv@")
    assert [file.name for part, file in result.files.items() if part.of == "pool"] == [str(tmp_path / "often.tsv")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("q1\t1\nq2\t-1\n", r":2: the frequency '-1' is not a number of 0 or more"),
        ("q1\t1\nq1\t1\n", r":2: query q1 has two frequencies; keep one"),
        ("q1\n", r":1: 1 column instead of two; write: qid<TAB>frequency"),
        ("q1\t1\nq2\t1\nq3\t1\n", "query q4 has no frequency; add one for each query of the run"),
    ],
)
def test_wrong_frequencies_are_refused(text, what, tmp_path):
    (tmp_path / "often.tsv").write_text(text)
    with pytest.raises(InputError, match=what):
        pooled("AWRF@3", pool=str(tmp_path / "often.tsv"))


def test_what_cannot_be_pooled_is_refused(tmp_path):
    with pytest.raises(
        UsageError, match=r"there is no file often\.tsv; pass pool= a file of qid<TAB>frequency, or even"
    ):
        pooled("AWRF@3", pool="often.tsv")
    with pytest.raises(UsageError, match="pool= sums exposure over queries, and no measure here uses exposure"):
        pooled("NDKL@3")
    with pytest.raises(UsageError, match="the frequency -1 of query q1 is not a number of 0 or more"):
        pooled("AWRF@3", pool={"q1": -1})
    result = fairtrec.evaluate("AWRF@3", RUN, labels=LABELS, pool="even")
    for name in ("r.html", "r.parquet"):
        with pytest.raises(UsageError, match="pool= prints a line below each mean"):
            result.write(tmp_path / name)


def test_values_that_are_pooled_are_explained_next_to_measures_that_have_no_others():
    run, labels = {"q": {"a": 2.0, "b": 1.0}, "r": {"b": 1.0}}, {"a": "f", "b": "m"}
    for measures, explained in (("Exposure(group=f)@2 Gini@2", True), ("Exposure(group=f)@2", True), ("Gini@2", False)):
        result = fairtrec.evaluate(measures, run, labels=labels, pool="even")
        assert (str(POOLED.note()) in map(str, result.notes)) == explained
