"""Measures of relevance by group: the same as the measure by the judgments of that group's documents alone."""

import json
import random
from math import isnan

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.columns.group_gaps import compare_groups
from fairtrec.report import terminal
from fairtrec.report.results.tables import ResultTables
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import gather_trials

DOCNOS = [f"d{number}" for number in range(50)]
PLAIN = ("nDCG@1", "nDCG@5", "nDCG", "AP", "AP@10", "RR", "P@5", "R@10", "Rprec", "Success@3", "RBP", "Bpref", "infAP")
THEIRS = {
    "nDCG@1": "ndcg_cut_1", "nDCG@5": "ndcg_cut_5", "nDCG": "ndcg", "AP": "map", "AP@10": "map_cut_10",
    "RR": "recip_rank", "P@5": "P_5", "R@10": "recall_10", "Rprec": "Rprec", "Success@3": "success_3", "Bpref": "bpref",
    "infAP": "infAP",
}  # fmt: skip


def by_group(measure, group):
    """Spell a measure by group."""
    name, at, cutoff = measure.partition("@")
    inside = name.removesuffix(")") + "," if "(" in name else f"{name}("
    return f"{inside}group='{group}'){at}{cutoff}"


def draw(seed, queries=12):
    """Draw a run, judgments and labels; some documents have two groups, some none, some no label."""
    rng = random.Random(seed)
    labels = {
        docno: rng.choice([{"f": 1.0}, {"m": 1.0}, {"f": 1.0, "m": 1.0}, {"f": 0.2, "m": 0.6}, "-"]) for docno in DOCNOS
    }
    del labels["d1"], labels["d2"]
    run = {
        f"q{number}": {docno: float(-place) for place, docno in enumerate(rng.sample(DOCNOS, 30))}
        for number in range(queries)
    }
    qrels = {
        f"q{number}": {docno: rng.choice([0, 0, 1, 2, 3]) for docno in rng.sample(DOCNOS, 20)}
        for number in range(queries)
    }
    return run, qrels, {docno: {} if group == "-" else group for docno, group in labels.items()}


def members(labels, group):
    """Name the documents of a group by the definition: its weight is above 0, and no other's is greater."""
    return {docno for docno, of in labels.items() if of.get(group, 0) > 0 and of[group] == max(of.values())}


def filtered(qrels, kept):
    return {qid: {docno: grade for docno, grade in of.items() if docno in kept} for qid, of in qrels.items()}


def write_labels(labels, path):
    lines = [f"{docno}\t{group}\t{weight}\n" for docno, of in labels.items() for group, weight in of.items()]
    path.write_text("".join([*lines, *(f"{docno}\t-\t1\n" for docno, of in labels.items() if not of)]))
    return path


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_pytrec_eval_on_filtered_judgments(seed, tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels, labels = draw(seed)
    asked = [by_group(measure, group) for measure in THEIRS for group in "fm"]
    scores = fairtrec.evaluate(asked, run, qrels=qrels, labels=write_labels(labels, tmp_path / "l.tsv")).scores[0]
    for row, measure in enumerate(scores.measures):
        left = filtered(qrels, members(labels, measure.group))
        name = THEIRS[str(measure.ungrouped)]
        base = name.rpartition("_")[0] if name[-1].isdigit() else name
        asked_of_them = f"{base}.{name.rpartition('_')[2]}" if base != name else name
        theirs = pytrec_eval.RelevanceEvaluator({q: of for q, of in left.items() if of}, {asked_of_them}).evaluate(run)
        for qid, value in zip(scores.qids, scores.values[row].tolist(), strict=True):
            if any(grade >= 1 for grade in left[qid].values()):
                assert value == pytest.approx(theirs[qid][name], abs=1e-9), (str(measure), qid)
            else:
                assert isnan(value)


@pytest.mark.parametrize("measure", [*PLAIN, "P(rel=2)@5", "ERR@10", "nDCG(dcg='exp-log2')@5", "SetF", "IPrec@0.2"])
def test_every_measure_is_that_of_filtered_judgments(measure, tmp_path):
    run, qrels, labels = draw(7)
    qrels = {qid: {docno: min(grade, 4) for docno, grade in of.items()} for qid, of in qrels.items()}
    path = write_labels(labels, tmp_path / "l.tsv")
    for group in "fm":
        (values,) = fairtrec.evaluate(by_group(measure, group), run, qrels=qrels, labels=path).scores[0].values
        (plain,) = fairtrec.evaluate(measure, run, qrels=filtered(qrels, members(labels, group))).scores[0].values
        level = 2 if "rel=2" in measure else 1
        relevant = [
            any(g >= level for g in of.values()) for _, of in sorted(filtered(qrels, members(labels, group)).items())
        ]
        assert values[relevant].tolist() == plain[relevant].tolist()
        assert np.isnan(values[np.logical_not(relevant)]).all()


def test_subtopics_are_taken_away_with_their_documents(tmp_path):
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    rows = [("a", 1), ("a", 2), ("b", 1), ("c", 2), ("d", 3), ("b", 3)]
    for name, kept in (("whole", "abcd"), ("f", "ac")):
        lines = [f"q {topic} {docno} 1\n" for docno, topic in rows if docno in kept]
        (tmp_path / name).write_text("".join(lines))
    labels = {"a": "f", "b": "m", "c": "f", "d": "m"}
    asked = "alpha_nDCG(group='f')@3 StRecall(group='f')@3"
    values = fairtrec.evaluate(asked, run, qrels=tmp_path / "whole", labels=labels).scores[0].values
    plain = fairtrec.evaluate("alpha_nDCG@3 StRecall@3", run, qrels=tmp_path / "f").scores[0].values
    assert values.tolist() == plain.tolist()


def test_counts_give_the_same_as_labels_of_their_greatest_share(tmp_path):
    run, qrels, _ = draw(3)
    rng = random.Random(5)
    counts = {docno: (rng.randint(0, 2), rng.randint(0, 2)) for docno in DOCNOS}
    table = tmp_path / "counts.tsv"
    table.write_text("docno\ttokens\tf\tm\n" + "".join(f"{docno}\t9\t{f}\t{m}\n" for docno, (f, m) in counts.items()))
    kept = {group: {d for d, of in counts.items() if of[at] > 0 and of[at] == max(of)} for at, group in enumerate("fm")}
    asked = "nDCG(group=each)@5 AP(group=each) nDCG@5"
    scores = fairtrec.evaluate(asked, run, qrels=qrels, counts=table).scores[0]
    assert [*map(str, scores.measures)] == [
        "nDCG(group='f')@5", "nDCG(group='m')@5", "AP(group='f')", "AP(group='m')", "nDCG@5",
    ]  # fmt: skip
    for row, measure in enumerate(scores.measures[:4]):
        (plain,) = (
            fairtrec.evaluate([measure.ungrouped], run, qrels=filtered(qrels, kept[measure.group])).scores[0].values
        )
        there = ~np.isnan(scores.values[row])
        assert scores.values[row, there].tolist() == plain[there].tolist()
    whole = fairtrec.evaluate("nDCG@5", run, qrels=qrels).scores[0].values[0]
    assert scores.values[4].tobytes() == whole.tobytes()


def test_any_takes_each_group_with_any_weight(tmp_path):
    run, qrels, labels = draw(4)
    path = write_labels(labels, tmp_path / "l.tsv")
    (values,) = fairtrec.evaluate("nDCG(group='f')@5", run, qrels=qrels, labels=path, membership="any").scores[0].values
    kept = {docno for docno, of in labels.items() if of.get("f", 0) > 0}
    (plain,) = fairtrec.evaluate("nDCG@5", run, qrels=filtered(qrels, kept)).scores[0].values
    there = ~np.isnan(values)
    assert there.sum() > 6
    assert values[there].tolist() == plain[there].tolist()


def test_a_group_of_all_documents_is_the_measure_itself():
    run, qrels, _ = draw(5)
    labels = dict.fromkeys(DOCNOS, "all") | {"elsewhere": "other"}
    scores = fairtrec.evaluate("nDCG(group='all')@5 nDCG@5 AP(group='all') AP", run, qrels=qrels, labels=labels).scores[
        0
    ]
    assert scores.values[0].tobytes() == scores.values[1].tobytes()
    assert scores.values[2].tobytes() == scores.values[3].tobytes()


def test_documents_of_no_group_play_no_part_in_judgments(tmp_path):
    run, qrels, labels = draw(6)
    path = write_labels(labels, tmp_path / "l.tsv")
    left = filtered(qrels, {docno for docno, of in labels.items() if of})
    one, other = (
        fairtrec.evaluate("nDCG(group=each)@5 Rprec(group=each)", run, qrels=each, labels=path).scores[0].values
        for each in (qrels, left)
    )
    assert one.tobytes() == other.tobytes()


def test_holes_are_counted_among_the_documents_of_the_group():
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "p": {"b": 1.0}}
    labels = {"a": "f", "b": "m", "c": "f", "d": "f"}
    scores = fairtrec.evaluate(
        "Judged(group='f')@3", run, qrels={"q": {"a": 0, "b": 1}, "p": {"b": 1}}, labels=labels
    ).scores[0]
    assert scores.qids == ("p", "q")
    assert scores.values[0, 1] == 0.5  # a of a and c
    assert isnan(scores.values[0, 0])


def test_several_processes_and_sessions_give_the_same():
    run, qrels, _ = draw(8)
    labels = {docno: "fm"[number % 2] for number, docno in enumerate(DOCNOS)}
    runs = {"a": run, "b": {qid: dict(list(of.items())[5:]) for qid, of in run.items()}}
    whole = fairtrec.evaluate("nDCG(group=each)@5", runs, qrels=qrels, labels=labels)
    session = fairtrec.evaluator("nDCG(group=each)@5", qrels, labels=labels)
    part = dict(list(run.items())[:4])
    session.scores(part)
    for scores in whole.scores:
        assert session.scores(runs[scores.run]).values.tobytes() == scores.values.tobytes()


@pytest.mark.parametrize(
    ("measure", "given", "said"),
    [
        ("nDCG(group=x)@5", {"labels": {"d1": "f", "d3": "m"}}, "there is no group 'x'; the groups are f, m"),
        ("nDCG(group=f)@5", {}, r"nDCG\(group='f'\)@5 needs groups; add labels=, counts= or terms="),
        ("nDCG(group=each)@5", {}, r"nDCG\(group='each'\)@5 needs groups; add labels=, counts= or terms="),
        ("AP(group=f,judged_only=True)", {"labels": {"d1": "f", "d3": "m"}}, "leave out one of the two"),
        ("AP(group=1)", {"labels": {"d1": "f", "d3": "m"}}, "it must be of type str"),
        ("nDCG(group=f)@5", {"labels": {"d1": "f", "d3": "m"}, "bounds": "labels"}, "no bounds over labels"),
        ("nDCG(group=f)@5", {"labels": {"d1": "f", "d3": "m"}, "gold": {"d1": "f"}}, "not corrected by gold labels"),
    ],
)
def test_what_does_not_fit_is_refused_before_a_run_is_read(measure, given, said):
    with pytest.raises(UsageError, match=said):
        fairtrec.evaluate(measure, "no.run", qrels={"q": {"d1": 1}}, **given)


def test_ties_are_tried():
    run = {"q": {"a": 1.0, "b": 1.0}}
    scores = fairtrec.evaluate(
        "RR(group='f')", run, qrels={"q": {"a": 1, "b": 1}}, labels={"a": "f", "b": "m"}, bounds="ties"
    )
    ends = scores.scores[0].ends
    assert [ends[end].values.item() for end in ("least", "greatest", "expected")] == [0.5, 1.0, 0.75]


# --- gaps ---


def test_gaps_are_paired_and_relative_to_both_means():
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 40))
    gap = compare_groups("nDCG@5", ("a", "b"), x, y, 0.95)
    from scipy import stats

    test = stats.ttest_rel(x, y)
    interval = test.confidence_interval(0.95)
    assert (gap.difference, gap.p) == pytest.approx((x.mean() - y.mean(), test.pvalue), abs=1e-12)
    assert (gap.low, gap.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert gap.relative == pytest.approx((x.mean() - y.mean()) / ((x.mean() + y.mean()) / 2), abs=1e-12)
    # a value r is in Fieller's set if mean(d - r s) is not different from 0 by the paired t-test
    for end in (gap.relative_low, gap.relative_high):
        assert stats.ttest_1samp((x - y) - end / 2 * (x + y), 0).pvalue == pytest.approx(0.05, abs=1e-9)
    assert gap.relative_low < gap.relative < gap.relative_high
    turned = compare_groups("nDCG@5", ("b", "a"), y, x, 0.95)
    assert (turned.low, turned.relative_high) == pytest.approx((-gap.high, -gap.relative_low), abs=1e-12)


@pytest.mark.parametrize(("differences", "doubtful"), [([0.0] * 30, False), ([0.1] * 30, True)])
def test_a_gap_is_doubtful_if_few_differences_decide(differences, doubtful):
    gap = compare_groups("P@1", ("a", "b"), 0.5 + np.array(differences), np.full(30, 0.5), 0.95)
    assert gap.doubtful is doubtful
    many = compare_groups("P@1", ("a", "b"), np.linspace(0, 1, 30), np.full(30, 0.5), 0.95)
    assert not many.doubtful


def test_gaps_end_where_values_do():
    x = np.r_[np.zeros(4), 0.1]
    far = compare_groups("P@1", ("a", "b"), np.r_[np.ones(3), 0.0], np.zeros(4), 0.95, bounds=(0.0, 1.0))
    assert far.high == 1.0
    assert compare_groups("P@1", ("a", "b"), np.r_[np.ones(3), 0.0], np.zeros(4), 0.95).high > 1.0
    assert compare_groups("P@1", ("a", "b"), 1 - x, x, 0.95, bounds=(0.0, 1.0)).relative_high == 2.0


def test_there_is_no_interval_where_the_means_may_be_0():
    gap = compare_groups("P@1", ("a", "b"), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0]), 0.95)
    assert isnan(gap.relative_low)
    assert gap.doubtful
    assert isnan(compare_groups("P@1", ("a", "b"), np.zeros(3), np.zeros(3), 0.95).relative)
    assert compare_groups("P@1", ("a", "b"), np.array([]), np.array([])).queries == 0


@pytest.fixture
def result():
    run, qrels, _ = draw(9, queries=20)
    labels = {docno: "fm"[number % 2] for number, docno in enumerate(DOCNOS)}
    return fairtrec.evaluate("nDCG(group=each)@5 AP(group=f) AP(group=m)", {"a": run}, qrels=qrels, labels=labels)


def test_gaps_stand_in_json_lines_and_tables(result, tmp_path):
    confident = result.with_confidence(0.9)
    confident.write(tmp_path / "a.json")
    told = json.loads((tmp_path / "a.json").read_text())["gaps"]
    assert [gap["measure"] for gap in told] == ["nDCG@5", "AP"]
    assert [*told[0]] == [
        "run", "measure", "groups", "queries", "means", "difference", "low", "high", "p", "relative", "relative_low",
        "relative_high", "doubtful",
    ]  # fmt: skip
    assert told[0]["groups"] == ["f", "m"]
    assert told[0]["difference"] == pytest.approx(confident.gaps[0]["difference"], abs=1e-9)
    confident.write(tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["measure"] for row in rows if row.get("qid") == "gap"] == ["nDCG@5", "AP"]
    confident.write(tmp_path / "a.tsv")
    lines = [line.split("\t") for line in (tmp_path / "a.tsv").read_text().splitlines()]
    (gap,) = (line for line in lines if "gap" in line)
    head = next(line for line in lines if "qid" in line)
    assert gap[head.index("nDCG(group='f')@5")] == f"{told[0]['difference']:.4f}"
    assert gap[head.index("nDCG(group='m')@5")] == f"{told[0]['relative']:.4f}"
    text = str(confident)
    assert "f - m" in text
    assert "relative difference" in text
    assert "2 contrasts, not corrected" in text
    assert isnan(result.gaps[0]["low"])


def test_a_gap_in_a_table_of_its_own_has_its_measure_without_the_group(result, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    text = terminal.render(ResultTables(result.with_confidence(0.9)).make_document(), window=True)
    heads = [line.split("queries")[1].split() for line in text.splitlines() if line.startswith("  run")]
    assert [" ".join(head) for head in heads] == [
        "nDCG(group='f')@5 ↑", "nDCG(group='m')@5 ↑", "nDCG@5 f - m", "nDCG@5 relative difference",
        "AP(group='f') ↑", "AP(group='m') ↑", "AP f - m", "AP relative difference",
    ]  # fmt: skip


def test_of_three_groups_the_greatest_and_the_least_are_compared():
    run, qrels, _ = draw(10)
    labels = {docno: "abc"[number % 3] for number, docno in enumerate(DOCNOS)}
    found = fairtrec.evaluate("nDCG(group=each)@5", run, qrels=qrels, labels=labels)
    means = dict(zip("abc", found.scores[0].means.tolist(), strict=True))
    (gap,) = found.gaps
    assert gap["groups"] == [max(means, key=means.get), min(means, key=means.get)]
    assert "greatest - least" in str(found)


def test_slices_compare_and_vary_follow(result, tmp_path):
    assert "nDCG(group='f')@5" in str(fairtrec.compare(fairtrec.evaluate(
        "nDCG(group=each)@5", {"a": draw(9)[0], "b": draw(11)[0]}, qrels=draw(9)[1],
        labels={docno: "fm"[number % 2] for number, docno in enumerate(DOCNOS)},
    ), "a"))  # fmt: skip
    result.write(tmp_path / "a.md", slices={"one": ["q1", "q2", "q3"], "other": ["q4", "q5"]})
    assert "f - m" in (tmp_path / "a.md").read_text()


def test_one_group_has_no_gap():
    run, qrels, _ = draw(12)
    labels = {docno: "fm"[number % 2] for number, docno in enumerate(DOCNOS)}
    assert fairtrec.evaluate("nDCG(group=f)@5 nDCG@5", run, qrels=qrels, labels=labels).gaps == []


@pytest.mark.parametrize(
    "asked",
    [
        ("explain", "-m", "nDCG(group=f)@5"),
        *gather_trials("EXCHANGING"),
    ],
    ids=lambda asked: asked[0],
)
def test_commands_that_exchange_documents_refuse_it(asked, copied, fairtrec_command):
    done = fairtrec_command(asked[0], "qrels.txt", "bm25.run", *asked[1:], "--labels", "labels.tsv")
    assert done.code == 2
    assert "goes by those of one group; leave out group=" in done.err


@pytest.mark.parametrize(("queries", "confidence"), [(0, 0.95), (1, 0.95), (20, None)])
def test_a_gap_without_an_interval_is_not_doubtful(queries, confidence):
    found = compare_groups("P@1", ("a", "b"), np.ones(queries), np.zeros(queries), confidence)
    assert np.isnan([found.low, found.high, found.p]).all()
    assert not found.doubtful
    assert found.queries == queries


def test_relative_differences_end_at_2_only_if_no_value_is_below_0():
    x, y = np.array([1.0, 0.0, 1.0, 0.5, 1.0, 0.0]), np.array([0.0, 0.25, 0.0, 0.0, 0.125, 0.0])
    free, above_0, of_any = (
        compare_groups("P@1", ("a", "b"), x, y, 0.95, bounds=bounds)
        for bounds in ((None, None), (0.0, None), (-1.0, 1.0))
    )
    assert free.relative_high > 2
    assert (above_0.relative_low, above_0.relative_high) == (free.relative_low, 2)
    assert of_any.relative_high == free.relative_high
