"""Unknown groups: intervals against all labelings, written out as queries and documents of their own."""

import io
import json
import re
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.columns.intervals import ENDS
from fairtrec.evaluation.columns.unknown import _by_size as order_sizes
from fairtrec.formats.labels import read as read_labels
from fairtrec.formulas.labelings import unlabeled
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY, pages

QRELS = {"q1": {"a": 2, "b": 1, "e": 1, "g": 3}, "q2": {"a": 1, "x": 2, "c": 0, "h": 1}, "q3": {"d": 1, "b": 1}}
RUN = {
    "q1": {docno: -float(rank) for rank, docno in enumerate("gabhcd")},
    "q2": {docno: -float(rank) for rank, docno in enumerate("hxaeb")},
    "q3": {docno: -float(rank) for rank, docno in enumerate("abd")},
}
TWO = {"a": {"f": 1.0}, "b": {"m": 1.0}, "c": {"f": 0.3, "m": 0.7}, "d": {"m": 1.0}, "e": {"f": 1.0, "m": 1.0}}
THREE = {"a": {"f": 1.0}, "b": {"m": 1.0}, "c": {"f": 0.3, "m": 0.7}, "d": {"x": 1.0}, "e": {"x": 0.5, "f": 0.5}}
UNKNOWN = "ghx"  # of which nothing is known
OF_GROUPS = [
    measure
    for name in BUILT_IN
    if not name.startswith(("TREC19", "Retr", "Selected", "Impact"))
    and "membership" in (measure := registry.parse(name)[0]).needs
]
VARIANTS = [
    *map(str, OF_GROUPS),
    *(f"{measure.name}@{cutoff}" for measure in OF_GROUPS if hasattr(measure, "cutoff") for cutoff in (1, 2, 4)),
    *("AWRF(base=e)@4", "AWRF(discount=log2)@4", "AWRF(unknown=group)@4", "AWRFxnDCG(unknown=group)@3"),
    *("Skew(eps=0.1)@3", "MinSkew(eps=0.1)@3", "MaxSkew(eps=0.1)@3", "DP(protected=f)", "DP(protected=m)@4"),
    *("DTR(protected=f)", "DIR(protected=m)@4", "rND(protected=f)", "rKL(compat=True)", "rND(norm=max)", "rRD(step=2)"),
    *("GFR(divergence=nmd)@4", "GFR(divergence=rnod)@5", "GFR(part=fairness)", "GFR(part=relevance)", "GFR(max_grade=2)", "Exposure(of=all)@4"),
    *("EED(discount=err)@4", "EEL(discount=err)@4", "EER(discount=err)@4", "EEL(discount=log2)", "EED(p=0.9)"),
    *(f"FAIR(gain={gain})@4" for gain in ("ndcg", "rbp", "err_ia", "nrbp", "ap")),
]  # fmt: skip


def brute(measures, run, qrels, labels, groups, prior=None, **more):
    """Evaluate each labeling of each query on its own: {measure: {qid: [(value, chance), ..]}}.

    Query and documents are copied for each labeling, so that each copy has labels of its own.
    """
    runs, judged, known, chances = {}, {}, {}, {}
    for qid, ranking in run.items():
        named = sorted({*ranking, *qrels.get(qid, {})})
        open_ = [docno for docno in named if docno not in labels]
        for at, choice in enumerate(product(groups, repeat=len(open_))):
            copy = f"{qid}.{at}"
            full = {**labels, **{docno: {group: 1.0} for docno, group in zip(open_, choice, strict=True)}}
            runs[copy] = {f"{docno}.{copy}": score for docno, score in ranking.items()}
            judged[copy] = {f"{docno}.{copy}": grade for docno, grade in qrels.get(qid, {}).items()}
            known.update({f"{docno}.{copy}": full[docno] for docno in named})
            chances[copy] = float(np.prod([prior[group] if prior else 1 / len(groups) for group in choice]))
    more |= {"groups": [*groups]} if len(groups) > 2 else {}
    found = fairtrec.evaluate(measures, runs, qrels=judged if qrels else None, labels=known, **more).scores[0]
    values = {}
    for row, measure in enumerate(map(str, found.measures)):
        for qid, value in zip(found.qids, found.values[row].tolist(), strict=True):
            values.setdefault(measure, {}).setdefault(qid.split(".")[0], []).append((value, chances[qid]))
    return values


def check(scores, expected):
    """Compare all three with those of the labelings that are defined."""
    for row, measure in enumerate(map(str, scores.measures)):
        for column, qid in enumerate(scores.qids):
            found = [each.values[row, column] for each in scores.ends.values()]
            pairs = [(value, chance) for value, chance in expected[measure][qid] if not np.isnan(value)]
            if not pairs:
                assert np.isnan(found).all(), (measure, qid, found)
                continue
            values, chances = map(np.array, zip(*pairs, strict=True))
            with np.errstate(invalid="ignore"):
                mean = (values * chances).sum() / chances.sum()
            wanted = [values.min(), values.max(), mean]
            assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True), (measure, qid)


@pytest.mark.parametrize(
    ("labels", "groups"),
    [(TWO, ("f", "m")), (THREE, ("x", "f", "m")), (TWO, ("f", "m", "-")), (THREE, ("x", "f", "m", "-"))],
    ids=["two", "three", "two or none", "three or none"],
)  # fmt: skip
def test_every_measure_has_the_interval_of_all_labelings(labels, groups):
    measures = [
        measure for measure in VARIANTS if "protected" not in measure or len(groups) == 2 or "m)" not in measure
    ]
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=labels, groups=groups, bounds="labels").scores[0]
    check(scores, brute(measures, RUN, QRELS, labels, groups))
    assert not (
        scores.columns["unknown"].drawn | scores.columns["unknown"].bounded | scores.columns["unknown"].sampled
    ).any()


@pytest.mark.parametrize("target", ["f=0.2,m=0.8", "f=0,m=1"])
def test_uneven_targets_and_priors(target):
    prior = {"f": 0.9, "m": 0.1}
    measures = [measure for measure in VARIANTS if not measure.startswith("Skew(eps")]
    more = {"target": target}
    scores = fairtrec.evaluate(
        measures, RUN, qrels=QRELS, labels=TWO, bounds="labels", prior="f=0.9,m=0.1", **more
    ).scores[0]
    check(scores, brute(measures, RUN, QRELS, TWO, "fm", prior, **more))


def test_a_prior_of_zero_leaves_the_ends_alone():
    scores = fairtrec.evaluate(
        "NDKL KL AWRF rND", RUN, qrels=QRELS, labels=TWO, bounds="labels", prior={"f": 1, "m": 0}
    ).scores[0]
    check(scores, brute("NDKL KL AWRF rND", RUN, QRELS, TWO, "fm", {"f": 1.0, "m": 0.0}))


def test_the_prior_of_the_known():
    # of q2 the known are a (f), e (f and m), b (m): 2 of 4; of q3 a, b, d: 1 of 3, and nothing is unknown
    known = (
        fairtrec.evaluate("KL@10", RUN, qrels=QRELS, labels=TWO, bounds="labels", prior="known")
        .scores[0]
        .columns["unknown"]
    )
    half = fairtrec.evaluate("KL@10", RUN, qrels=QRELS, labels=TWO, bounds="labels").scores[0].columns["unknown"]
    assert known.expected[0, 1] == pytest.approx(half.expected[0, 1])
    # of q1 the known are a (f), b, d (m) and c (.3 f, .7 m): 1.3 of 4
    given_ = {"f": 1.3 / 4, "m": 2.7 / 4}
    as_given = (
        fairtrec.evaluate("KL@10", RUN, qrels=QRELS, labels=TWO, bounds="labels", prior=given_)
        .scores[0]
        .columns["unknown"]
    )
    assert known.expected[0, 0] == pytest.approx(as_given.expected[0, 0])


def test_published_intervals_of_the_example(example):
    """The figures of docs/bounds.md: brute force over all labelings of each query gives them to the fourth digit."""
    labels = read_labels(str(example / "labels.tsv"))
    of_label = {
        docno.decode(): {group: weight for group, weight in zip(labels.groups, row, strict=True) if weight}
        for docno, row in zip(labels.rows.names, labels.weights.tolist(), strict=True)
        if not np.isnan(row).any()
    }
    wanted = {
        "bm25": {"AWRF@10": (0.9754, 0.9370, 0.9951, 0.9785), "NDKL@10": (0.1744, 0.1577, 0.3017, 0.2117)},
        "fair": {"AWRF@10": (0.9802, 0.9171, 0.9988, 0.9823), "NDKL@10": (0.1145, 0.1310, 0.2984, 0.1806)},
    }
    for name, figures in wanted.items():
        path = str(example / f"{name}.run")
        scores = fairtrec.evaluate("AWRF@10 NDKL@10", path, labels=str(example / "labels.tsv"), bounds="labels").scores[
            0
        ]
        run = {}
        for line in (example / f"{name}.run").read_text().splitlines():
            qid, _, docno, _, score, _ = line.split()
            run.setdefault(qid, {})[docno] = float(score)
        falling = {
            qid: sorted(sorted(docs.items(), reverse=True), key=lambda pair: -pair[1]) for qid, docs in run.items()
        }
        top = {qid: dict(several[:10]) for qid, several in falling.items()}
        scores_top = fairtrec.evaluate("AWRF@10 NDKL@10", top, labels=of_label, bounds="labels").scores[0]
        check(scores_top, brute("AWRF@10 NDKL@10", top, {}, of_label, "fm"))
        for row, measure in enumerate(map(str, scores.measures)):
            found = [scores.means[row], *(each.means[row] for each in scores.ends.values())]
            assert [round(float(each), 4) for each in found] == list(figures[measure])


@pytest.fixture
def nothing_is_few(monkeypatch):
    """Let even two labelings be too many to try."""
    monkeypatch.setattr(unlabeled, "MOST", 1)


CLOSED = [measure for measure in VARIANTS if not measure.startswith(("FAIR", "DTR", "DIR"))]


@pytest.mark.parametrize(("labels", "groups"), [(TWO, "fm"), (THREE, "fmx"), (TWO, "fm-"), (THREE, "fmx-")])
@pytest.mark.usefixtures("nothing_is_few")
def test_closed_forms_are_exact_or_bounds(labels, groups):
    measures = [measure for measure in CLOSED if "protected" not in measure or groups == "fm" or "m)" not in measure]
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=labels, groups=[*groups], bounds="labels").scores[0]
    found = scores.columns["unknown"]
    expected = brute(measures, RUN, QRELS, labels, groups)
    exact = 0
    for row, measure in enumerate(scores.measures):
        for column, qid in enumerate(scores.qids):
            values = [value for value, _ in expected[str(measure)][qid] if not np.isnan(value)]
            if not values:
                continue
            here = (measure, qid, values)
            least, greatest, mean = (getattr(found, end)[row, column] for end in ENDS)
            assert least <= min(values) + 1e-9, here
            if found.drawn[row, column]:  # of other measures than two groups' ratios
                assert isinstance(measure, registry.parse("DP")[0].__class__ | registry.parse("ABR")[0].__class__)
                assert groups in {"fmx", "fmx-"}
                continue
            assert greatest >= max(values) - 1e-9, here
            worst_is_low = measure.better == "higher"
            bounded = found.bounded[row, column]
            if not bounded or worst_is_low:
                assert least == pytest.approx(min(values), abs=1e-9), here
            if not bounded or not worst_is_low:
                assert greatest == pytest.approx(max(values), abs=1e-9), here
            assert least - 1e-9 <= mean <= greatest + 1e-9 or np.isnan(mean), here
            exact += not bounded
    assert exact > len(measures)
    assert found.bounded.any()


@pytest.mark.usefixtures("nothing_is_few")
def test_what_is_drawn_is_called_so_and_can_be_had_again():
    first, second = (
        fairtrec.evaluate("FAIR@5 AWRF@5 NDKL", RUN, qrels=QRELS, labels=TWO, bounds="labels").scores[0] for _ in "12"
    )
    alone = fairtrec.evaluate("FAIR@5", {"q1": RUN["q1"]}, qrels=QRELS, labels=TWO, bounds="labels").scores[0]
    assert first.columns["unknown"].drawn.tolist() == [[True, True, False], [False] * 3, [False] * 3]
    assert first.columns["unknown"].sampled.tolist() == [[True, True, False], [True, True, False], [False] * 3]
    np.testing.assert_array_equal(first.columns["unknown"].expected, second.columns["unknown"].expected)
    assert alone.columns["unknown"].expected[0, 0] == first.columns["unknown"].expected[0, 0]
    expected = brute("FAIR@5", RUN, QRELS, TWO, "fm")["FAIR@5"]["q1"]
    assert {round(value, 9) for value, _ in expected} >= {round(float(first.columns["unknown"].least[0, 0]), 9)}


rankings = st.lists(st.sampled_from("abcdghx"), min_size=1, max_size=6, unique=True)


@given(rankings, st.integers(1, 6), st.booleans(), st.data())
def test_any_labeling_lies_between_the_ends(ranking, cutoff, many, data):
    groups = data.draw(st.sampled_from(["fm", "fmx"]))
    labels = TWO if groups == "fm" else THREE
    measures = [f"{name}@{cutoff}" for name in dict.fromkeys(measure.name for measure in OF_GROUPS)]
    run = {"q1": {docno: -float(rank) for rank, docno in enumerate(ranking)}, "q3": {"a": 1.0}}  # of which all is known
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(unlabeled, "MOST", 1)
        scores = fairtrec.evaluate(measures, run, qrels=QRELS, labels=labels, bounds="labels").scores[0]
    given_ = data.draw(st.lists(st.sampled_from(groups), min_size=3, max_size=3))
    full = {**labels, **{docno: {group: 1.0} for docno, group in zip(UNKNOWN, given_, strict=True)}}
    labeled = fairtrec.evaluate(measures, run, qrels=QRELS, labels=full).scores[0]
    least, greatest, _ = (each.values for each in scores.ends.values())
    there = ~np.isnan(labeled.values) & ~scores.columns["unknown"].drawn
    assert (least <= labeled.values + 1e-9)[there].all()
    assert (labeled.values <= greatest + 1e-9)[there].all()
    nothing = scores.columns["unknown"].number == 0
    np.testing.assert_array_equal(least[nothing], scores.values[nothing])
    np.testing.assert_array_equal(greatest[nothing], scores.values[nothing])


def test_the_document_that_moves_the_value_most():
    # linear: an unknown rank moves EER by its weight times what the targets differ by, so the topmost comes first
    run = {"q1": {"a": 3.0, "g": 2.0, "h": 1.0}, "q2": {"a": 1.0}}
    given_ = {"labels": TWO, "target": {"f": 0.8, "m": 0.2}}
    found = (
        fairtrec.evaluate("EER(p=0.5)@3", run, **given_, bounds="labels", next_label=True).scores[0].columns["unknown"]
    )
    assert (found.rank[0].tolist(), found.docno[0].tolist()) == ([2, 0], ["g", ""])
    whole = 1 + 0.5 + 0.25  # the exposure that is spread by the target
    assert found.moves[0, 0] == pytest.approx(0.5 * whole * (0.8 - 0.2))
    assert np.isnan(found.moves[0, 1])
    assert found.documents[0].tolist() == [("g", "h"), ()]
    plain_ = fairtrec.evaluate("EER@3", run, **given_, bounds="labels").scores[0].columns["unknown"]
    assert (plain_.rank.tolist(), plain_.documents[0].tolist()) == ([[0, 0]], [(), ()])


def test_only_the_topmost_are_looked_at_for_what_to_label_next(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.columns.labels.FIRST", 1)
    run = {"q1": {"g": 3.0, "a": 2.0, "h": 1.0}}
    found = (
        fairtrec.evaluate(
            "DP FAIR(gain=ndcg)", run, qrels={"q1": {"h": 1}}, labels=TWO, bounds="labels", next_label=True
        )
        .scores[0]
        .columns["unknown"]
    )
    assert found.docno[:, 0].tolist() == ["g", "g"]


def test_a_judged_document_moves_a_value_but_has_no_rank():
    run, qrels = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 1, "b": 1, "g": 3}}
    found = (
        fairtrec.evaluate("DTR", run, qrels=qrels, labels=TWO, bounds="labels", next_label=True)
        .scores[0]
        .columns["unknown"]
    )
    assert (found.rank[0, 0], found.docno[0, 0], found.number[0, 0]) == (0, "", 1)
    assert found.least[0, 0] < found.greatest[0, 0]


def test_a_measure_of_somebody_else_may_look_at_the_background():
    @dataclass(frozen=True)
    class Both(Measure):
        """What share of f there is, for each document of the background."""

        def __call__(self, membership, background):
            held = np.nan_to_num(membership)[..., 0].sum(axis=1)
            return held / background.documents.sum(axis=1)

    labels = {docno: max(row, key=row.get) for docno, row in TWO.items()}
    run = {"q1": RUN["q1"], "q3": RUN["q3"]}
    given_ = {"labels": labels, "background": {"q1": dict.fromkeys("ab", 1.0), "q3": {"a": 1.0}}, "missing": "neutral"}
    scores = fairtrec.evaluate(Both(), run, **given_, bounds="labels").scores[0]
    held = [sum(labels.get(docno) == "f" for docno in run[qid]) for qid in ("q1", "q3")]
    assert scores.columns["unknown"].least.tolist() == [[held[0] / 2, held[1] / 1]]
    assert scores.columns["unknown"].greatest.tolist() == [[(held[0] + 2) / 2, held[1] / 1]]  # g and h are unknown


def test_a_measure_of_somebody_else_needs_to_say_nothing():
    @dataclass(frozen=True)
    class Changes(Measure):
        """How often the first group changes from rank to rank."""

        def __call__(self, membership):
            return np.abs(np.diff(np.nan_to_num(membership)[..., 0], axis=1)).sum(axis=1)

    scores = fairtrec.evaluate(Changes(), RUN, labels=TWO, bounds="labels").scores[0]
    check(scores, brute(Changes(), RUN, {}, TWO, "fm"))


def test_costs_that_are_infinite_or_differ_by_query():
    # a group of target 0 makes NDKL infinite wherever it has a share; soft labels and targets by query are not looked up
    hard = {docno: row for docno, row in TWO.items() if docno != "c"}
    for labels in (TWO, hard):
        for target in ("f=0,m=1", "f=0.5,m=0.5"):
            scores = fairtrec.evaluate(
                "NDKL@4 nDRKL@4 KL@4", RUN, qrels=QRELS, labels=labels, target=target, bounds="labels"
            ).scores[0]
            check(scores, brute("NDKL@4 nDRKL@4 KL@4", RUN, QRELS, labels, "fm", target=target))


def test_targets_of_queries(tmp_path):
    path = tmp_path / "targets.tsv"
    lines = [
        f"{qid}\t{group}\t{share}\n"
        for qid, f in (("q1", 0.0), ("q3", 0.3))
        for group, share in (("f", f), ("m", 1 - f))
    ]
    path.write_text("".join(lines))
    measures = "NDKL@4 KL GFR InfeasibleIndex AWRF EEL EER Skew rND DP FAIR AWRFxnDCG GFR(part=relevance)"
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=TWO, target=str(path), bounds="labels").scores[0]
    undefined = [
        str(measure)
        for measure, row in zip(scores.measures, scores.ends["least"].values, strict=True)
        if np.isnan(row[1])
    ]
    assert {"NDKL@4", "KL@10", "AWRF@10", "EEL@10", "EER@10", "GFR@10"} <= {*undefined}
    assert "rND" not in undefined
    assert "GFR(part='relevance')@10" not in undefined
    copies = tmp_path / "copies.tsv"
    copies.write_text(
        "".join(f"{qid}.{at}\t{rest}" for line in lines for qid, _, rest in [line.partition("\t")] for at in range(8))
    )
    check(scores, brute(measures, RUN, QRELS, TWO, "fm", target=str(copies)))


# --- reports ---


@pytest.fixture
def result(example):
    runs = {name: str(example / f"{name}.run") for name in ("bm25", "neural", "fair")}
    given_ = {"labels": str(example / "labels.tsv"), "bounds": "labels", "next_label": True}
    return fairtrec.evaluate("AWRF@10 NDKL@10 nDCG@10", runs, qrels=str(example / "qrels.txt"), **given_)


def test_reports_have_all_three(result):
    fair = result.scores[2]
    table = pyarrow.parquet.read_table(io.BytesIO(RESULTS("parquet", result, per_query=True))).to_pylist()
    rows = [row for row in table if (row["run"], row["measure"], row["qid"]) == ("fair", "NDKL@10", None)]
    assert [(row["least"], row["greatest"], row["expected"]) for row in rows] == [
        tuple(each.means[1] for each in fair.ends.values())
    ]
    for form in ("table", "html", "md", "latex"):
        text = RESULTS(form, result).replace("\\[", "[").replace(r"\textasciitilde{}", "~")
        assert " [0.1310, 0.2984] ~0.1806 outside" in text, form
        assert "the bounds overlap" in text
    assert RESULTS("table", result, per_query=True).count(" outside") > 5
    assert "NDKL@10.least         \tall\t0.1310" in RESULTS("trec", result)
    assert "NDKL@10.expected" in RESULTS("csv", result)
    lines = [json.loads(line) for line in RESULTS("jsonl", result, per_query=True).splitlines()]
    means = next(line for line in lines if (line["run"], line["measure"], line["qid"]) == ("neural", "AWRF@10", "all"))
    assert {key: means[key] for key in ("defined", "with_bounds", "drawn", "bounded", "sampled")} == {
        "defined": 11, "with_bounds": 12, "drawn": 0, "bounded": 0, "sampled": 0
    }  # fmt: skip
    first = json.loads(RESULTS("json", result, per_query=True))["runs"][2]
    assert first["means"]["NDKL@10"]["outside"] == 5
    assert first["unknown"]["least"]["101"]["NDKL@10"] == fair.columns["unknown"].least[1, 0]
    assert first["label_next"]["101"]["NDKL@10"]["docno"] == fair.columns["unknown"].docno[1, 0]
    assert set(first["label_next"]["101"]) == {"AWRF@10", "NDKL@10"}


def test_what_is_said_below_the_numbers(result, example):
    notes = RESULTS("table", result).split("→0")[-1]
    assert (
        "AWRF@10: unknown documents can change values of 3 of 3 runs, in 12 queries at most; for up to 1 no labeling gives"
        in notes
    )
    assert "for up to 1 the value is undefined, but its bounds are not" in notes
    assert "AWRF@10, NDKL@10: the bounds overlap, so they do not show which of some runs is fairer" in notes
    one = fairtrec.evaluate("EER@3", {"r": {"q": {"a": 1.0}}}, labels=TWO, bounds="labels")
    assert "unknown documents change no value" in RESULTS("table", one)
    one = fairtrec.evaluate("EER@3", {"r": {"q": {"a": 2.0, "g": 1.0}}}, labels=TWO, bounds="labels")
    assert "for 1 no labeling gives the value" in RESULTS("table", one)  # of an even target all labelings are alike
    one = fairtrec.evaluate(
        "KL FAIR(gain=ndcg)@9", {"r": RUN}, qrels=QRELS, labels=TWO, bounds="labels", target="relevance"
    )
    text = RESULTS("table", one)
    assert "unknown documents can change the value of 2 of 3 queries" in text
    assert "1 of 3 unknown documents are ranked for several queries, so the ends of a mean may be out of reach" in text
    assert "the target is computed from the documents of known group in the relevance" in text


@pytest.mark.usefixtures("nothing_is_few")
def test_reports_say_what_is_drawn_and_what_is_a_bound():
    one = fairtrec.evaluate("FAIR@5 AWRF@5", {"r": RUN}, qrels=QRELS, labels=TWO, bounds="labels")
    text = RESULTS("table", one)
    assert (
        "FAIR@5: unknown documents can change the value of 2 of 3 queries; for 2 only 200 random labelings were tried: no bounds"
        in text
    )
    assert "for 2 an end is a bound that no labeling need attain; for 2 the expected is that of 200 random ones" in text
    two = fairtrec.evaluate("FAIR@5", {"r": RUN, "s": {"q1": RUN["q1"]}}, qrels=QRELS, labels=TWO, bounds="labels")
    assert "for up to 2 only 200 random labelings were tried" in RESULTS("table", two)


def test_sizes_of_what_is_fair_near_0_are_from_the_nearest_to_the_farthest_value():
    run = {"q1": {"a": 3.0, "g": 2.0, "b": 1.0}, "q2": {"a": 3.0, "c": 2.0, "g": 1.0}, "q3": {"d": 2.0, "g": 1.0}}
    scores = fairtrec.evaluate("Exposure(group='f')@3 AWRF@3", {"r": run}, labels=TWO, bounds="labels").scores[0]
    low, high = (scores.ends[end].values for end in ("least", "greatest"))
    least, greatest = (each.values for each in order_sizes(scores))
    spans = [*zip(low[0].tolist(), high[0].tolist(), strict=True)]
    assert {(one < 0) + (other < 0) for one, other in spans} >= {0, 1}
    nearest = [0.0 if one < 0 < other else min(abs(one), abs(other)) for one, other in spans]
    assert least[0].tolist() == nearest
    assert greatest[0].tolist() == [max(abs(one), abs(other)) for one, other in spans]
    assert (least[1].tolist(), greatest[1].tolist()) == (low[1].tolist(), high[1].tolist())


def test_runs_whose_intervals_do_not_overlap_can_be_told_apart():
    runs = {"good": {"q": {"a": 3.0, "b": 2.0, "g": 0.5}}, "bad": {"q": {"b": 3.0, "d": 2.0, "g": 0.5}}}
    text = RESULTS("table", fairtrec.evaluate("EEL(p=0.1)@3", runs, labels=TWO, bounds="labels"))
    assert "unknown documents can change values of 2 of 2 runs" in text
    assert "overlap" not in text


def test_slices_and_undefined_values_keep_their_ends(result, example):
    part = RESULTS("table", result, slices={"half": list(result.scores[0].qids[:6])})
    assert "half" in part
    assert part.count("outside") >= 2
    labels = str(example / "labels.tsv")
    worst = fairtrec.evaluate(
        "AWRF@10", str(example / "neural.run"), labels=labels, bounds="labels", undefined="worst"
    ).scores[0]
    plain = fairtrec.evaluate("AWRF@10", str(example / "neural.run"), labels=labels, bounds="labels").scores[0]
    assert worst.defined.tolist() == [12]
    np.testing.assert_array_equal(worst.columns["unknown"].least, plain.columns["unknown"].least)


def test_processes_find_the_same(example):
    runs = [str(example / f"{name}.run") for name in ("bm25", "fair")]
    alone, together = (
        fairtrec.evaluate(
            "NDKL@10 nDCG@10",
            runs,
            qrels=str(example / "qrels.txt"),
            labels=str(example / "labels.tsv"),
            bounds="labels",
            next_label=True,
            jobs=jobs,
        ).scores
        for jobs in (1, 2)
    )
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.columns["unknown"].least, other.columns["unknown"].least)
        assert one.columns["unknown"].docno.tolist() == other.columns["unknown"].docno.tolist()


REFUSED = {
    "samples": (
        {"samples": True},
        "bounds=labels is about one ranking of each query; leave out bounds=, or samples=",
    ),
    "group": ({"groups": "f,m", "labels": THREE}, "leave out bounds=labels, or pass all groups"),
    "no labels": (
        {"measures": "nDCG@3", "labels": None},
        "add labels=FILE, or for documents without a text bounds=texts",
    ),
    "subtopics": ({"labels": "qrels", "qrels": "diversity"}, "any number of subtopics"),
    "stances": ({"measures": "DUO", "stances": {"a": [0.5]}}, "DUO: stances are not groups"),
    "a prior for nothing": ({"bounds": None, "prior": "known"}, "which needs bounds=labels"),
    "the next for nothing": ({"bounds": "ties", "next_label": True}, "next_label names one of them"),
    "no such prior": ({"prior": "odd"}, "choose one of even, known, or f=0.4,m=0.6"),
    "a prior of 1.1": ({"prior": "f=0.5,m=0.6"}, "the prior's shares sum to 1.1"),
    "a prior of one group": ({"prior": {"f": 1.0}}, "the prior has the groups f; write a share for each: f, m"),
    "a prior of no type": ({"prior": 3}, "prior= is 3; it must be a word, or shares"),
    "no such word": ({"bounds": "later"}, "choose one of ties, labels, texts"),
}


@pytest.mark.parametrize(("given_", "message"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_refused(given_, message, tmp_path):
    (tmp_path / "q").write_text("q1 1 a 1\nq1 2 b 1\n")
    given_ = {"measures": "AWRF@3", "qrels": QRELS, "labels": TWO, "bounds": "labels"} | given_
    if given_["qrels"] == "diversity":
        given_["qrels"] = str(tmp_path / "q")
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        fairtrec.evaluate(runs=RUN, **given_)


# --- the gate ---


@pytest.mark.parametrize(
    ("requirement", "status", "reason"),
    [
        ("NDKL@10 <= 0.3", "passed", ""),
        ("NDKL@10 <= 0.1", "failed", "the mean is above 0.1, whatever is unknown"),
        ("NDKL@10 <= 0.2", "undecided", "not decided: label 23 documents, first p042 (rank 1 of query 107)"),
        ("NDKL@10 >= 0.2", "undecided", "not decided: label 23 documents, first p042 (rank 1 of query 107)"),
        ("nDCG@10 >= 0.5", "passed", ""),
        ("NDKL@10 <= baseline", "undecided", "not decided: label 23 documents, first p042 (rank 1 of query 107)"),
        ("NDKL@10 <= baseline + 0.5", "passed", ""),
        ("NDKL@10 <= baseline - 0.5", "failed", "whatever is unknown"),
        ("|Skew(group=f)@10| <= 0.9", "passed", ""),
        ("|Skew(group=f)@10| <= 0.7", "undecided", "not decided: label"),
        ("every slice NDKL@10 <= 0.4", "passed", ""),
        ("worst slice NDKL@10 <= 0.2", "undecided", "not decided: label"),
    ],
)
def test_the_gate_is_open_closed_or_undecided(requirement, status, reason, example):
    qids = [str(qid) for qid in range(101, 113)]
    given_ = {"labels": str(example / "labels.tsv"), "bounds": "labels", "baseline": str(example / "neural.run")}
    found = fairtrec.check(
        requirement,
        str(example / "fair.run"),
        qrels=str(example / "qrels.txt"),
        slices={"a": qids[:6], "b": qids[6:]},
        **given_,
    )
    verdict = max(found.verdicts, key=lambda each: each.status != "passed")
    assert verdict.status == status, verdict
    assert verdict.reason.endswith(reason) if status == "failed" else verdict.reason.startswith(reason)
    assert found.passed == (status == "passed")
    if "NDKL" in requirement and "slice" not in requirement:
        assert verdict.ends == pytest.approx((0.1310, 0.2984), abs=1e-4)
        assert (verdict.label is not None) == (status == "undecided")


def test_a_value_that_no_labeling_gives_is_not_what_is_judged():
    # a is in f, g in either group: the target is even, so EER is (1 + .5) times half of 1.75 whatever g is, not 1 times that
    run = {"q": {"a": 2.0, "g": 1.0}}
    found = fairtrec.check("EER@3 >= 1.2", run, labels=TWO, bounds="labels")
    assert [(each.status, round(each.value, 3)) for each in found.verdicts] == [("passed", 0.875)]
    assert found.verdicts[0].ends == pytest.approx((1.3125, 1.3125))


@pytest.mark.usefixtures("nothing_is_few")
def test_what_was_drawn_proves_nothing():
    found = fairtrec.check("FAIR@5 >= 0.01", RUN, qrels=QRELS, labels=TWO, bounds="labels")
    assert [verdict.status for verdict in found.verdicts] == ["warning"]
    assert "only 200 random labelings were tried, so this is no proof" in found.verdicts[0].reason


def test_a_result_without_names_still_says_that_it_is_open(example):
    result_ = fairtrec.evaluate(
        "NDKL@10", str(example / "fair.run"), labels=str(example / "labels.tsv"), bounds="labels"
    )
    (verdict,) = fairtrec.check("NDKL@10 <= 0.2", result_).verdicts
    assert (verdict.status, verdict.reason, verdict.label) == ("undecided", "not decided: 12 queries are open", None)


def test_a_results_file_is_no_baseline_where_labels_are_open(example, fairtrec_command, tmp_path):
    given_, results = (
        (example / "qrels.txt", example / "fair.run", "--labels", example / "labels.tsv"),
        tmp_path / "r.json",
    )
    assert (
        fairtrec_command("eval", *given_, "-m", "NDKL@10", "--bounds", "labels", "-f", "json", "-q", "-o", results).code
        == 0
    )
    asked = ("--require", "NDKL@10 <= baseline", "--baseline", results)
    assert fairtrec_command("check", *given_, *asked).code == 0
    ended = fairtrec_command("check", *given_, *asked, "--bounds", "labels")
    assert (ended.code, ended.complaints) == (
        2,
        ["a results file holds no labels; pass the run that was the baseline, or leave out --bounds labels"],
    )
    assert fairtrec_command("results", "replay", results).code == 0


# --- documents without a text ---

TERMS = {"f": ["she"], "m": ["he"]}
TEXTS = {"a": "she she he", "b": "he he", "c": "she he", "d": "nobody", "e": "he he he she"}
ANY = ("she she", "he he", "she he", "nobody at all", "she she she he")  # what a missing text may say
SHOWN = {"q1": {"a": 4.0, "x": 3.0, "b": 2.0}, "q2": {"c": 2.0, "d": 1.0}, "q3": {"e": 2.0, "y": 1.0}}
BEHIND = {"q1": dict.fromkeys("abcx", 1.0), "q2": dict.fromkeys("cdab", 1.0), "q3": dict.fromkeys("aebcdy", 1.0)}
OF_TEXTS = "FaiRR@2 NFaiRR@2 NFaiRR@3 IFaiRR@2 SetFaiRR@3 RaB(mag=bool)@3 ARaB(mag=bool)@3 FaiRR(tau=0)@3"


@pytest.mark.parametrize("target", ["even", "f=0.3,m=0.7"])
def test_missing_texts_lie_between_the_ends(target):
    given_ = {"terms": TERMS, "background": BEHIND, "target": target}
    scores = fairtrec.evaluate(OF_TEXTS, SHOWN, docs=TEXTS, bounds="texts", **given_).scores[0]
    every = [
        fairtrec.evaluate(OF_TEXTS, SHOWN, docs={**TEXTS, "x": x, "y": y}, **given_).scores[0].values
        for x, y in product(ANY, repeat=2)
    ]
    values = np.stack(every)
    least, greatest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    found = scores.columns["unknown"]
    assert (found.least <= least + 1e-9).all()
    assert (greatest <= found.greatest + 1e-9).all()
    moved = found.number > 0
    assert (moved == ~np.isclose(found.least, found.greatest)).all()
    np.testing.assert_allclose(found.least[~moved], least[~moved])
    for missing in ({}, {"missing": "neutral"}):  # which says what stands beside the ends
        beside = fairtrec.evaluate(OF_TEXTS, SHOWN, docs=TEXTS, bounds="texts", **missing, **given_).scores[0]
        plain = fairtrec.evaluate(OF_TEXTS, SHOWN, docs=TEXTS, **{"missing": "skip", **missing}, **given_).scores[0]
        np.testing.assert_array_equal(beside.values, plain.values)
        np.testing.assert_array_equal(beside.columns["unknown"].least, found.least)
        np.testing.assert_array_equal(beside.columns["unknown"].greatest, found.greatest)
    if target == "even":  # all the ends are attained by some text, but for those that are called bounds
        exact = ~found.bounded
        np.testing.assert_allclose(found.least[exact], least[exact])
        np.testing.assert_allclose(found.greatest[exact], greatest[exact])
    assert found.bounded.any()
    assert not found.bounded[[0, 3, 4, 5, 6, 7]].any()
    assert np.isnan(found.expected[0]).all()


def test_an_ideal_that_may_be_0_leaves_the_ratio_open():
    shown, behind = {"q": {"a": 1.0, "x": 0.5}}, {"q": {"b": 1.0, "x": 0.5}}
    given_ = {"terms": TERMS, "background": behind, "docs": {"a": "she he", "b": "he he"}}
    scores = fairtrec.evaluate("NFaiRR@2", shown, **given_, bounds="texts").scores[0]
    assert (scores.columns["unknown"].least[0, 0], scores.columns["unknown"].greatest[0, 0]) == (1.0, np.inf)
    text = RESULTS("table", fairtrec.evaluate("NFaiRR@2", shown, **given_, bounds="texts"))
    assert "nan [1.0000, inf]" in text
    assert "over all texts that are missing" in text


def test_what_texts_do_not_bound_is_refused():
    given_ = {"terms": TERMS, "docs": TEXTS, "background": BEHIND, "bounds": "texts"}
    for measures in ("ARaB@3", "RaB(mag=tf)@3", "TE@3", "TExFAIR@3", "NSetFaiRR@3", "AWRF@3"):
        with pytest.raises(UsageError, match="has no bounds for missing texts"):
            fairtrec.evaluate(measures, SHOWN, **given_)
    with pytest.raises(UsageError, match="leave out bounds=, or samples="):
        fairtrec.evaluate("FaiRR@3", SHOWN, **given_, samples=True)
    with pytest.raises(UsageError, match="no measure here reads texts"):
        fairtrec.evaluate("nDCG@3", SHOWN, qrels=QRELS, **given_)


def test_where_labels_stand_for_counts_a_document_without_one_has_no_text():
    given_ = {"labels": {"a": "f", "b": "m"}, "background": BEHIND, "bounds": "texts"}
    result_ = fairtrec.evaluate("NFaiRR(tau=0)@3 FaiRR(tau=0)@3", {"q1": SHOWN["q1"]}, **given_)
    assert (result_.scores[0].columns["unknown"].number[:, 0] > 0).all()
    assert "[least, greatest]: over all texts that are missing" in RESULTS("table", result_)


# --- docs/bounds.md ---


def test_the_page_prints_what_it_says(copied, fairtrec_command):
    page = (REPOSITORY / "docs" / "bounds.md").read_text("utf-8")
    assert len(pages.commands(page)) == 4  # that of the part of a collection is of two, in tests/house/test_docs.py
    for words, printed in pages.commands(page):
        ended = fairtrec_command(*words)
        assert (ended.code, ended.complaints) == (1 if "check" in words else 0, [])
        out = "".join(f"{line.rstrip()}\n" for line in ended.out.splitlines())
        assert pages.unversioned(printed) in pages.unversioned(out)
    found = json.loads((copied / "fair.json").read_text())["runs"][0]["label_next"]["101"]["NDKL@10"]
    shown = re.search(r'"label_next": \{"101": \{"NDKL@10": (\{.*?\})', page)[1]
    assert json.loads(shown) == {**found, "moves": round(found["moves"], 4)}
