"""Measures of ours in ir_measures: by all its ways, with the values of ``fairtrec.evaluate``, to the last bit."""

import math
import pickle
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, ScoredDoc, nDCG

import fairtrec
import fairtrec.ir_measures as fair
from fairtrec.commands.measures import pages
from fairtrec.ir_measures import bound_measures, provider
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import opening
from fairtrec_made import REPOSITORY
from fairtrec_made.pages import section

pytestmark = pytest.mark.usefixtures("at_the_example")
PAGE = section((REPOSITORY / "docs" / "ir-measures.md").read_text("utf-8"), "ir_measures")
RUNS = ("bm25.run", "neural.run", "fair.run")
TEXTUAL = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
SOURCES = {
    "texts": (TEXTUAL, "NFaiRR@10 FaiRR(tau=0)@5 ARaB(mag='tf')@10 TE(group='m')@10 TExFAIR@10"),
    "labels": ({"labels": "labels.tsv"}, "AWRF@10 NDKL@10 Skew(group='f')@10 MinSkew@5 EED@10 rND ABR(p=0.8)@10"),
    "labels and judgments": (
        {"labels": "labels.tsv", "relevance_level": 2},
        "AWRFxnDCG@10 GFR@10 DTR EEL(discount='err')@10 FAIR@10",
    ),
    "the target is judged": ({"labels": "labels.tsv", "target": "relevance"}, "AWRF@10 KL@10"),
    "stances": ({"stances": "stances.tsv", "background": "bm25.run"}, "DUO@10 InputBias(axis=1) OutputBias(axis=1)@5"),
    "another run": ({"counterfactual": "fair.run"}, "CRBO@10"),
}  # fmt: skip


@pytest.fixture
def opened(monkeypatch):
    """Count how often each file is opened by us."""
    times = Counter()
    real = opening.open_input
    monkeypatch.setattr(opening, "open_input", lambda path, *buffer: times.update([str(path)]) or real(path, *buffer))
    return times


def judgments():
    return list(ir_measures.read_trec_qrels("qrels.txt"))


def ranked(path):
    return list(ir_measures.read_trec_run(path))


def per_query(metrics):
    values = {}
    for metric in metrics:
        values.setdefault(str(metric.measure), {})[metric.query_id] = metric.value
    return values


def same(one, other):
    """Hold two values, or dicts of such, to be the same to the last bit."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key, value in one.items():
            same(value, other[key])
    else:
        assert np.float64(one).tobytes() == np.float64(other).tobytes() or (math.isnan(one) and math.isnan(other))


@pytest.mark.filterwarnings("ignore:.*is undefined for")
@pytest.mark.parametrize(("keywords", "measures"), SOURCES.values(), ids=SOURCES)
def test_values_are_those_of_evaluate_to_the_last_bit(keywords, measures):
    bound = fair.given("it", **keywords)
    asked = [
        getattr(bound, each.NAME)(**each.params) for each in fair.parse(measures)
    ]  # as bound.NFaiRR @ 10, spelled out
    core = {str(measure): str(measure.core) for measure in asked}
    evaluator = ir_measures.evaluator([*asked, RR], judgments())
    for run in RUNS:
        ours = fairtrec.evaluate(measures, run, qrels="qrels.txt", complete=True, **keywords)
        found = {
            core[name]: values for name, values in per_query(evaluator.iter_calc(ranked(run))).items() if name in core
        }
        same(found, ours.per_query[run])
        means = ir_measures.calc_aggregate(asked, judgments(), ranked(run))
        same({core[str(measure)]: value for measure, value in means.items()}, ours.means[run])
        both = ir_measures.calc(asked, judgments(), ranked(run))
        same({str(measure): value for measure, value in both.aggregated.items()}, {str(m): v for m, v in means.items()})


def test_runs_and_judgments_come_in_any_form_of_ir_measures():
    gender = fair.given("gender", **TEXTUAL)
    asked = [gender.NFaiRR @ 10, nDCG @ 10]
    expected = ir_measures.calc_aggregate(asked, judgments(), ranked("neural.run"))
    nested, grades = {}, {}
    for row in ranked("neural.run"):
        nested.setdefault(row.query_id, {})[row.doc_id] = row.score
    for row in judgments():
        grades.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    for run in (nested, pd.DataFrame(ranked("neural.run")), iter(ranked("neural.run"))):
        assert ir_measures.calc_aggregate(asked, judgments(), run) == expected
    for qrels in (grades, pd.DataFrame(judgments()), iter(judgments())):
        assert ir_measures.calc_aggregate(asked, qrels, ranked("neural.run")) == expected
    theirs = ir_measures.calc_aggregate([nDCG @ 10], judgments(), ranked("neural.run"))
    assert expected[nDCG @ 10] == theirs[nDCG @ 10]


def test_each_measure_takes_part_but_those_of_other_inputs():
    assert {*fair.__all__, *registry.BUILT_IN} - {*dir(fair)} == {
        "TREC19Unfairness", "TREC19Utility", "Gini", "Retrievability", "Selected", "Impact"
    }  # fmt: skip
    for name in {*dir(fair)} - {*fair.__all__}:
        assert ir_measures.measures.registry[name] == getattr(fair, name)
    with pytest.raises(AttributeError, match="TREC19Utility"):
        _ = fair.TREC19Utility
    with pytest.raises(AttributeError, match="fairtrec has no measure NFair"):
        _ = fair.given("gender", **TEXTUAL).NFair
    assert "NFaiRR" in dir(fair.given("gender", **TEXTUAL))
    assert ir_measures.providers.registry["fairtrec"] in ir_measures.DefaultPipeline.providers


def test_what_fairtrec_lists_is_what_it_lists_without_the_bridge():
    assert max(Counter(registry.names()).values()) == 1
    assert not registry.list_foreign_names() & {"NFaiRR", "AWRF"}
    assert "nDCG" in registry.list_foreign_names()
    assert pages.overview().count("\nNFaiRR ") == 1


def test_a_judged_query_that_a_run_lacks_is_an_empty_ranking():
    gender = fair.given("gender", **TEXTUAL, undefined="skip")
    asked = [gender.NFaiRR @ 10, gender.TExFAIR @ 10, gender.AWRF @ 10]
    cut = [row for row in ranked("bm25.run") if row.query_id not in {"103", "107"}]
    nested = {}
    for row in cut:
        nested.setdefault(row.query_id, {})[row.doc_id] = row.score
    ours = fairtrec.evaluate("NFaiRR@10 TExFAIR@10 AWRF@10", nested, qrels="qrels.txt", complete=True, **TEXTUAL)
    found = per_query(ir_measures.iter_calc(asked, judgments(), cut))
    assert len(found[str(asked[0])]) == 12
    same({str(measure.core): found[str(measure)] for measure in asked}, ours.per_query["run"])
    assert found[str(asked[0])]["103"] == 0
    assert math.isnan(found[str(asked[2])]["103"])
    empty = per_query(ir_measures.iter_calc(asked, judgments(), []))
    assert {*empty[str(asked[0])].values()} == {0.0}
    same(empty, per_query(ir_measures.iter_calc(asked, judgments(), {"101": {}})))


def test_queries_are_those_of_the_run_where_nothing_is_judged():
    gender = fair.given("gender", **TEXTUAL)
    ours = fairtrec.evaluate("NFaiRR@10", "fair.run", **TEXTUAL)
    for nothing in ([], {}, pd.DataFrame(columns=["query_id", "doc_id", "relevance"])):
        same(
            ir_measures.calc_aggregate([gender.NFaiRR @ 10], nothing, ranked("fair.run"))[gender.NFaiRR @ 10],
            ours.means["fair.run"]["NFaiRR@10"],
        )
    with pytest.raises(InputError, match="no query to evaluate"):
        ir_measures.calc_aggregate([gender.NFaiRR @ 10], [], [])
    with pytest.warns(UserWarning, match="have no query in common"):
        ir_measures.calc_aggregate([gender.NFaiRR @ 10], judgments(), [ScoredDoc("0101", "p001", 1.0)])


LETTERS = st.sampled_from("abcdef")
RANKINGS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(LETTERS, st.integers(0, 3).map(float), min_size=1), min_size=1
)


@given(
    run=RANKINGS,
    grades=st.dictionaries(
        st.sampled_from(["q1", "q2"]), st.dictionaries(LETTERS, st.integers(0, 2), min_size=1), min_size=1
    ),
)
@pytest.mark.filterwarnings("ignore:.*(is undefined for|no query in common)")
def test_any_world_has_the_values_of_evaluate(run, grades):
    labels = {"a": "x", "b": "y", "c": "x", "d": "y", "e": "z", "f": ["x", "y"]}
    bound_measures._bound.clear()
    provider._kept.clear()
    world = fair.given("world", labels=labels, background=run, background_depth=3)
    asked = [world.NFaiRR @ 3, world.AWRF @ 3, world.AWRFxnDCG @ 3, world.InfeasibleIndex @ 2]
    found = per_query(ir_measures.iter_calc(asked, grades, run))
    if grades.keys() & run.keys():
        names = " ".join(str(measure.core) for measure in asked)
        ours = fairtrec.evaluate(
            names, run, qrels=grades, labels=labels, background=run, background_depth=3, complete=True
        )
        same(found, {str(measure): ours.per_query["run"][str(measure.core)] for measure in asked})
    else:
        assert all(values.keys() == grades.keys() for values in found.values())


def test_nothing_is_read_twice(opened):
    gender = fair.given("gender", **TEXTUAL)
    asked = [nDCG @ 10, gender.NFaiRR @ 10, gender.TED(undefined=0.0) @ 10, gender.TE(group="f", undefined=0.0) @ 10]
    for run in RUNS:
        ir_measures.calc_aggregate(asked, judgments(), ranked(run))
        ir_measures.calc_aggregate(asked, judgments()[:40], ranked(run))  # as PyTerrier hands over batches
    assert opened["background.run"] == 1
    assert len(provider._kept) == 1
    before = opened["collection.tsv"]
    ir_measures.calc_aggregate(asked, judgments(), ranked("bm25.run"))
    assert opened["collection.tsv"] == before


def test_a_file_that_is_written_again_is_read_again(tmp_path):
    labels = tmp_path / "labels.tsv"
    labels.write_text("d1\tf\nd2\tm\n")
    measure, run = fair.AWRF(labels=labels) @ 1, {"q": {"d1": 1.0}}
    assert measure == fair.AWRF(labels=str(labels)) @ 1
    assert measure.calc_aggregate({}, run) < 1
    labels.write_text("docno\tgroup\tweight\nd1\tf\t0.5\nd1\tm\t0.5\nd2\tm\t1\n")
    assert measure.calc_aggregate({}, run) == 1


@pytest.mark.filterwarnings("ignore:.*is undefined for")
def test_few_sessions_are_kept():
    for depth in range(1, 12):
        measure = (
            fair.KL(labels="labels.tsv", target="background", background="background.run", background_depth=depth) @ 5
        )
        ir_measures.calc_aggregate([measure], judgments(), ranked("bm25.run"))
    assert len(provider._kept) == provider.MOST
    assert measure.keywords["background_depth"] == 11


def test_an_undefined_value_is_nan_is_left_out_of_the_mean_and_warned_of():
    gender = fair.given("gender", **TEXTUAL)
    ours = fairtrec.evaluate("TED@10", "neural.run", qrels="qrels.txt", **TEXTUAL)
    assert np.isnan(ours.scores[0].values).sum() == 1
    said = re.escape("TED(given='gender')@10 is undefined for 1 of 12 queries")
    with pytest.warns(UserWarning, match=f"{said}.*undefined=0.0"):
        values = list(gender.TED.iter_calc(judgments(), ranked("neural.run")))
    assert sum(math.isnan(metric.value) for metric in values) == 1
    with pytest.warns(UserWarning, match=said):
        mean = (gender.TED @ 10).calc_aggregate(judgments(), ranked("neural.run"))
    same(mean, ours.means["neural.run"]["TED@10"])


@pytest.mark.parametrize(
    ("undefined", "counts_as"), [(0.0, 0.0), ("0", 0.0), (-2, -2.0), (0.25, 0.25), ("worst", 2.0), ("skip", math.nan)]
)
def test_an_undefined_value_counts_as_what_is_said(undefined, counts_as):
    found = {}
    for measure in (
        fair.given("a", **TEXTUAL).TED(undefined=undefined) @ 10,
        fair.given("b", **TEXTUAL, undefined=undefined).TED @ 10,
    ):
        found = {metric.query_id: metric.value for metric in measure.iter_calc(judgments(), ranked("neural.run"))}
        ours = fairtrec.evaluate("TED@10", "neural.run", qrels="qrels.txt", **TEXTUAL).per_query["neural.run"]["TED@10"]
        same(found, {qid: counts_as if math.isnan(value) else value for qid, value in ours.items()})


def test_no_value_may_be_undefined_if_that_is_said():
    measure = fair.given("gender", **TEXTUAL).TED(undefined="error") @ 10
    with pytest.raises(InputError, match="TED@10 is undefined for 1 of 12 queries, such as 1"):
        measure.calc_aggregate(judgments(), ranked("neural.run"))
    for wrong in ("none", True):
        with pytest.raises(UsageError, match=r"undefined is .* choose a number, or one of skip, 0, worst, error"):
            fair.TED(undefined=wrong)


def test_the_order_of_parameters_makes_no_difference():
    one = fair.NFaiRR(tau=0, terms="gender-en", counts="c.arrow", background="b.run") @ 10
    other = (fair.NFaiRR @ 10)(background="b.run", counts="c.arrow", terms="gender-en", tau=0)
    assert one == other
    assert hash(one) == hash(other)
    assert str(one) == "NFaiRR(background='b.run',counts='c.arrow',tau=0,terms='gender-en')@10"
    assert fair.NFaiRR == fair.NFaiRR(tau=1) @ 10  # as they are if nothing is said
    assert fair.NFaiRR @ 5 != fair.NFaiRR
    assert fair.NFaiRR["tau"] == 1
    assert one["background"] == "b.run"
    assert one["nothing"] is None


MEASURES = [
    "NFaiRR(background='it\\'s a.run',counts='c.arrow',tau=0)@5",
    "AWRF(labels='run:gender',target='f=0.4,m=0.6',undefined=0.0)@10",
    "TExFAIR(docs='run:text',rbdf=False,terms='gender-en')@20",
    "rND(labels='labels.tsv',protected='f')",
    "ARaB(mag='tf')@10",
]


@pytest.mark.parametrize("text", MEASURES)
def test_a_measure_can_be_read_again_and_sent(text):
    (measure,) = fair.parse(text)
    assert str(measure) == text
    assert fair.parse(str(measure)) == [measure]
    assert pickle.loads(pickle.dumps(measure)) == measure
    if sys.version_info < (3, 14):  # where the parser of ir_measures fails
        assert ir_measures.parse_measure(text) == measure
    assert fair.AWRF(labels="run:gender", target={"m": 0.6, "f": 0.4}, undefined=0.0) in fair.parse(MEASURES[1])


def test_measures_of_both_are_read():
    fair.given("gender", **TEXTUAL)
    assert fair.parse("nDCG@10, NFaiRR(given=gender)@5 P.5,10 awrf") == [
        nDCG @ 10, fair.NFaiRR(given="gender") @ 5, ir_measures.P @ 5, ir_measures.P @ 10, fair.AWRF @ 10,
    ]  # fmt: skip
    for text, why in {
        "NFaiR@10": "there is no measure NFaiR; did you mean NFaiRR",
        "NFaiRR(tua=1)@10": "NFaiRR has no parameter tua; did you mean tau",
        "NFaiRR(cutoff=5)@10": "cutoff is given twice",
        "AWRF(bakground='b.run')": "AWRF has no parameter bakground; did you mean background",
        "AWRF(given='nobody')": "nothing is given as 'nobody'",
        "KL(samples=True)": "KL has no parameter samples; it has: cutoff, ",
        "TE(group=1)": "the parameter group is 1",
        "TREC19Utility": "TREC19Utility is a measure of sequences of rankings; `fairtrec trec-fair-2019` has it",
        "Gini@10": "Gini@10 is over all queries and has no value of one; `fairtrec eval --pool` has it",
        "all_fair": "all_fair is what the inputs allow, which are not known here; name the measures",
    }.items():
        with pytest.raises(UsageError, match=re.escape(why)):
            fair.parse(text)


def test_a_name_has_one_meaning():
    texts = {"d1": "she", "d2": "he"}
    one = fair.given("gender", terms="gender-en", docs=texts)
    assert fair.given("gender", terms="gender-en", docs=dict(texts)) is one
    for other in (
        {"docs": texts},
        {"terms": "gender-en", "docs": {"d1": "he"}},
        {"terms": "gender-en", "docs": pd.DataFrame(texts.items())},
    ):
        with pytest.raises(UsageError, match="'gender' is the name of something else that was given before"):
            fair.given("gender", **other)
    arrays = {"d1": np.array([1.0, 2.0])}
    fair.given("stance", stances=arrays)
    with pytest.raises(UsageError, match="something else"):
        fair.given("stance", stances={"d1": np.array([1.0, 2.0])})
    with pytest.raises(UsageError, match=re.escape("given('it') has no parameter bakground; did you mean background")):
        fair.given("it", bakground="b.run")
    with pytest.raises(UsageError, match="has no parameter queries"):
        fair.given("it", queries="example-fair")


def test_an_object_is_no_parameter():
    with pytest.raises(
        UsageError, match=re.escape("background is no path, word or number, as a parameter is; bind objects")
    ):
        fair.NFaiRR(background={"q": {"d": 1.0}})


def test_what_is_bound_is_sent_with_a_measure(monkeypatch):
    labels = {"d1": "f", "d2": "m"}
    measure = fair.given("gender", labels=labels).AWRF @ 1
    sent = pickle.dumps([measure, measure(undefined=0.0)])
    monkeypatch.setattr(bound_measures, "_bound", {})  # as in another process
    with pytest.raises(UsageError, match="nothing is given as 'gender'"):
        _ = fair.AWRF(given="gender")
    assert pickle.loads(sent)[0] == pickle.loads(sent)[0] == measure
    assert bound_measures._bound["gender"].keywords == {"labels": labels}
    value = measure.calc_aggregate({}, {"q": {"d1": 1.0}})
    assert value == fairtrec.evaluate("AWRF@1", {"q": {"d1": 1.0}}, labels=labels).means["run"]["AWRF@1"]
    monkeypatch.setattr(bound_measures, "_bound", {})
    fair.given("gender", labels={"d1": "m", "d2": "f"})
    with pytest.raises(UsageError, match="something else"):
        pickle.loads(sent)


def test_one_value_for_each_group_is_refused_when_the_evaluator_is_made():
    gender = fair.given("gender", **TEXTUAL)
    for measure in (gender.TE @ 10, gender.Skew @ 10, gender.Exposure @ 10):
        with pytest.raises(UsageError, match=r"is one value for each group; name one, like .*\(group='f'\)"):
            ir_measures.evaluator([measure, nDCG @ 10], judgments())
    with pytest.raises(UsageError, match="there is no group 'x'; the groups are f, m"):
        ir_measures.evaluator([gender.TE(group="x") @ 10], judgments())
    with pytest.raises(UsageError, match="NFaiRR@10 needs a background set"):
        ir_measures.evaluator([fair.NFaiRR(labels="labels.tsv") @ 10], judgments())


def frame(path="bm25.run", **columns):
    run = pd.DataFrame(ranked(path))
    return run.assign(**{name: run["doc_id"].map(said) for name, said in columns.items()})


def test_columns_of_the_run_say_what_documents_are():
    texts = dict(line.split("\t", 1) for line in Path("collection.tsv").read_text("utf-8").splitlines())
    gender = {docno: ("f", "m", None)[number % 3] for number, docno in enumerate(sorted(texts))}
    stance = {docno: number / 100 for number, docno in enumerate(sorted(texts))}
    asked = [
        fair.AWRF(labels="run:gender") @ 10,
        fair.TExFAIR(terms="gender-en", docs="run:text") @ 10,
        fair.DUO(stances="run:stance") @ 5,
        fair.AWRFxnDCG(labels="run:gender") @ 10,
    ]
    assert {*ir_measures.run_inputs(asked)} == {"query_id", "doc_id", "score", "gender", "text", "stance"}
    assert {*ir_measures.run_inputs([fair.AWRF(labels="labels.tsv"), nDCG])} == {"query_id", "doc_id", "score"}
    run = frame(gender=gender, text=texts, stance=stance)
    found = {str(measure.core): value for measure, value in ir_measures.calc_aggregate(asked, judgments(), run).items()}
    known = {docno: group for docno, group in gender.items() if group}
    ours = fairtrec.evaluate("AWRF@10 AWRFxnDCG@10", "bm25.run", qrels="qrels.txt", labels=known).means
    texts_of = fairtrec.evaluate("TExFAIR@10", "bm25.run", qrels="qrels.txt", terms="gender-en", docs=texts).means
    stances = fairtrec.evaluate("DUO@5", "bm25.run", qrels="qrels.txt", stances=stance).means
    same(found, {name: ({**ours["bm25.run"], **texts_of["bm25.run"], **stances["bm25.run"]})[name] for name in found})
    several = frame(gender={docno: ["f", "m"] if group is None else [group] for docno, group in gender.items()})
    both = {docno: [group] if group else ["f", "m"] for docno, group in gender.items()}
    same(
        asked[0].calc_aggregate(judgments(), several),
        fairtrec.evaluate("AWRF@10", "bm25.run", qrels="qrels.txt", labels=both).means["bm25.run"]["AWRF@10"],
    )
    numbers = frame(gender={docno: int(group == "f") for docno, group in gender.items()})
    words = {docno: str(int(group == "f")) for docno, group in gender.items()}
    same(
        asked[0].calc_aggregate(judgments(), numbers),
        fairtrec.evaluate("AWRF@10", "bm25.run", qrels="qrels.txt", labels=words).means["bm25.run"]["AWRF@10"],
    )


def test_a_column_that_lacks_or_contradicts_itself_is_named():
    measure = fair.AWRF(labels="run:gender") @ 10
    with pytest.raises(InputError, match="the run has no column gender for the labels; it has query_id, doc_id, score"):
        measure.calc_aggregate(judgments(), frame())
    with pytest.raises(InputError, match="no column gender for the labels; it has none, for it is no frame"):
        measure.calc_aggregate(judgments(), ranked("bm25.run"))
    run = pd.DataFrame(
        {"query_id": ["q", "q", "r"], "doc_id": ["d", "e", "d"], "score": [2.0, 1.0, 1.0], "gender": ["f", "m", "m"]}
    )
    with pytest.raises(InputError, match="the column gender of the run has two values for document d; keep one"):
        measure.calc_aggregate([], run)


def test_the_bridge_brings_no_library_but_ir_measures():
    code = "import sys, fairtrec.ir_measures; print(*{'pandas', 'scipy', 'pyarrow', 'pyterrier', 'ir_datasets'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "\n", done.stderr


def test_subtopics_of_the_judgments_are_labels():
    qrels = [
        ir_measures.Qrel("q", "d1", 1, "a"),
        ir_measures.Qrel("q", "d2", 1, "b"),
        ir_measures.Qrel("q", "d3", 1, "b"),
    ]
    run = {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
    ours = fairtrec.evaluate("FAIR@2 KL@3", run, qrels=qrels, labels="qrels")
    for judged in (qrels, pd.DataFrame(qrels), iter(qrels)):
        found = ir_measures.calc_aggregate([fair.FAIR(labels="qrels") @ 2, fair.KL(labels="qrels") @ 3], judged, run)
        same({str(measure.core): value for measure, value in found.items()}, ours.means["run"])
