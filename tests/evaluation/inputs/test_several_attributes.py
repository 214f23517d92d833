"""Several attributes: each measure by one of them, two crossed, GFR over all; and what is chosen for each by its name."""

import math
from dataclasses import replace
from itertools import chain, product

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.inputs import loading
from fairtrec.formats.labels import read
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.arguments import LabelSource
from fairtrec.testing.measures import LABELS, MeasureCollection
from fairtrec_made import texts

BM25, FAIR, NEURAL = "bm25.run", "fair.run", "neural.run"
pytestmark = pytest.mark.usefixtures("copied")


@pytest.fixture
def length(copied):
    """Labels of the number of words of each passage, in bins that begin at 40 and 50."""
    lines = (line.partition("\t") for line in (copied / "collection.tsv").read_text().splitlines())
    (copied / "length.tsv").write_text("".join(f"{docno}\t{len(text.split())}\n" for docno, _, text in lines))
    return "length.tsv:40,50"


@pytest.fixture
def both(length):
    return fairtrec.attributes(gender="labels.tsv", length=length)


def means(measures, runs=BM25, qrels="qrels.txt", **given):
    return fairtrec.evaluate(measures, runs, qrels=qrels, **given).scores[0].means.tolist()


def test_published_figures_of_the_example(both):
    measures = "AWRF@10 AWRF(by=gender*length)@10 GFR(divergence=nmd)@10"
    result = fairtrec.evaluate(measures, [BM25, FAIR, NEURAL], qrels="qrels.txt", labels=both)
    named = ("AWRF(by='gender')@10", "AWRF(by='length')@10", "AWRF(by='gender*length')@10", "GFR(divergence='nmd')@10")
    wanted = {
        BM25: (0.9754, 0.9359, 0.7965, 0.5932), FAIR: (0.9802, 0.9491, 0.7705, 0.6386),
        NEURAL: (0.8806, 0.8781, 0.7025, 0.6120),
    }  # fmt: skip
    for run, figures in wanted.items():
        assert result.means[run] == pytest.approx(dict(zip(named, figures, strict=True)), abs=5e-5)
    assert "gender: f 25, m 29; target 0.5 each" in texts(result.notes)
    assert "length, in this order: <40 21, 40-<50 24, >=50 23; target 0.333 each" in texts(result.notes)
    remarks = [str(each) for each in result.scores[0].notes]
    assert "of 120 documents in the measured ranks, 86 have a label (gender)" in remarks
    assert [int(defined) for defined in result.scores[2].defined] == [11, 12, 11, 11]
    assert list(result.groups) == ["gender", "length"]
    assert result.groups["gender"]["f"] == {"documents": 25, "target": 0.5}


@pytest.mark.parametrize("divergence", ["jsd", "nmd", "rnod"])
def test_the_parts_of_each_attribute_add_up_to_gfr(both, divergence):
    """Gender has two groups and no order, length has an order: each takes the divergence in the sum and by itself."""
    parts = [f"GFR(divergence={divergence},part=fairness,by={name})@10" for name in ("gender", "length")]
    for run in (BM25, FAIR):  # all of whose queries have a value
        whole, *several = means(
            f"GFR(divergence={divergence})@10 GFR(part=relevance)@10 {' '.join(parts)}", run, labels=both
        )
        assert whole == pytest.approx(sum(several) / 3, abs=1e-12)


TOP = 3  # the greatest grade of qrels.txt


def divergences(labels, target, ranking, grades, ordinal):
    """Sum the fairness of one attribute at the ranks at which readers stop, number by number."""
    going, total, held, seen = 1.0, 0.0, dict.fromkeys(target, 0.0), 0
    for docno in ranking:
        stop = going * (2 ** max(grades.get(docno, 0), 0) - 1) / 2**TOP
        going -= stop
        own = labels.get(docno)
        if own is not None:
            seen += 1
            for group, weight in own.items():
                held[group] += weight
        mass = sum(held.values())
        if not mass:
            continue
        shares = {group: amount / mass for group, amount in held.items()}
        if ordinal:
            run = far = 0.0
            for group in target:
                run += shares[group] - target[group]
                far += abs(run)
            total += stop * (1 - far / (len(target) - 1))
        else:
            far = 0.0
            for group, wanted in target.items():
                middle = (shares[group] + wanted) / 2
                far += sum(part / 2 * math.log2(part / middle) for part in (shares[group], wanted) if part)
            total += stop * (1 - far)
    return total


def err(ranking, grades):
    going, total = 1.0, 0.0
    for rank, docno in enumerate(ranking, 1):
        stop = (2 ** grades.get(docno, 0) - 1) / 2**TOP
        total, going = total + going * stop / rank, going * (1 - stop)
    return total


def of_file(path):
    """Read labels as {docno: {group: weight}}, without unknown ones."""
    labels = loading.labels(path, None)
    rows = zip(labels.rows.names, labels.weights.tolist(), strict=True)
    return {name.decode(): dict(zip(labels.groups, row, strict=True)) for name, row in rows if not np.isnan(row).any()}


def test_gfr_is_that_of_a_second_program(both, length, copied):
    """Loops over ranks and groups, where ours are cumulated matrices."""
    grades: dict[str, dict[str, int]] = {}
    for line in (copied / "qrels.txt").read_text().splitlines():
        qid, _, docno, grade = line.split()
        grades.setdefault(qid, {})[docno] = int(grade)
    rankings: dict[str, list[tuple[float, str]]] = {}
    for line in (copied / NEURAL).read_text().splitlines():
        qid, _, docno, _, score, _ = line.split()
        rankings.setdefault(qid, []).append((float(score), docno))
    targets = ({"f": 0.4, "m": 0.6}, {"<40": 0.2, "40-<50": 0.5, ">=50": 0.3})
    files = of_file("labels.tsv"), of_file(length)
    measures = "GFR(divergence=nmd)@7 GFR@7 GFR(part=fairness)@7 GFR(part=relevance)@7 GFR(by=length,divergence=nmd)@7"
    scores = fairtrec.evaluate(
        measures, NEURAL, qrels="qrels.txt", labels=both,
        target={"gender": targets[0], "length": "<40=0.2,40-<50=0.5,>=50=0.3"},
    ).scores[0]  # fmt: skip
    checked = 0
    for column, qid in enumerate(scores.qids):
        order = [docno for _, docno in sorted(rankings[qid], reverse=True)][:7]
        of, grade = err(order, grades[qid]), grades[qid]
        gender, shuffled = (divergences(f, t, order, grade, False) for f, t in zip(files, targets, strict=True))
        of_two, ordinal = (divergences(f, t, order, grade, True) for f, t in zip(files, targets, strict=True))
        wanted = [(of + of_two + ordinal) / 3, (of + gender + shuffled) / 3, (gender + shuffled) / 2, of,
                  (of + ordinal) / 2]  # fmt: skip
        found = scores.values[:, column].tolist()
        if np.isnan(found[0]):
            assert not any(docno in files[0] for docno in order)
            continue
        assert found == pytest.approx(wanted, abs=1e-9)
        checked += 1
    assert checked > 8


def test_by_one_attribute_is_what_it_is_alone(both, length):
    measures = ["AWRF@10", "NDKL@10", "EED@10", "EEL@10", "FAIR@10", "DTR", "rND", "Groups@10", "AWRFxnDCG@5"]
    several = [measure.partition("@") for measure in measures]
    for name, source in (("gender", "labels.tsv"), ("length", length)):
        named = [f"{kind}(by={name}){sign}{cutoff}" for kind, sign, cutoff in several]
        assert means(named, labels=both) == means(measures, labels=source)
        assert means(named, labels=fairtrec.attributes(**{name: source})) == means(measures, labels=source)
        assert means(measures, labels=fairtrec.attributes(**{name: source})) == means(measures, labels=source)


@pytest.mark.parametrize(
    "of", [LABELS, {docno: dict.fromkeys(row, 1) for docno, row in LABELS.items() if docno not in "ad"}]
)
def test_every_measure_goes_by_one_attribute_as_if_it_were_alone(of):
    """Whatever other attribute is there, and whichever of the two is asked for first."""
    target = {"f": 0.1, "m": 0.3, "x": 0.6}
    weights = (1 / np.log2(2 + np.arange(1000))).tolist()
    collection = MeasureCollection.draw(target, labels=of, groups=[*target], discount=weights)
    kinds = map(registry.load_built_in, registry.BUILT_IN)
    measures = [*chain.from_iterable(map(collection.choose_measures, kinds))]
    alone = collection.scores(measures)
    named = [replace(one, by="own") if looks_at_groups(one) else one for one in measures]
    both = fairtrec.attributes(other={"a": "k", "b": "l", "c": "k", "d": "-"}, own=of)
    more = {"labels": both, "target": {"own": target}, "groups": {"own": [*target]}}
    of_other = [f"{kind}(by=other)" for kind in ("Groups", "NDKL")]
    together = collection.scores([*of_other, *named], **more)
    np.testing.assert_array_equal(together.values[2:], alone.values)
    assert len({str(measure) for measure in together.measures}) > 100


def test_crossed_is_what_two_files_crossed_are(both, length):
    crossed = means("AWRF(by=gender*length)@10 NDKL(by='length*gender')@10", labels=both)
    assert crossed == means("AWRF@10 NDKL@10", labels=f"labels.tsv*{length}")


def test_a_measure_for_each_group_is_one_for_each_group_of_each_attribute(both):
    scores = fairtrec.evaluate("Exposure@10 nDCG@10", BM25, qrels="qrels.txt", labels=both).scores[0]
    assert [str(each) for each in scores.measures] == [
        "Exposure(by='gender',group='f')@10", "Exposure(by='gender',group='m')@10", "Exposure(by='length',group='40-<50')@10",
        "Exposure(by='length',group='<40')@10", "Exposure(by='length',group='>=50')@10", "nDCG@10",
    ]  # fmt: skip


def test_measures_of_counts_go_by_an_attribute_too():
    (length,) = [{f"d{at}": "ab"[at % 2] for at in range(4)}]
    gender = {f"d{at}": "fm"[at // 2] for at in range(4)}
    run = {"q": {f"d{at}": -float(at) for at in range(4)}}
    both = fairtrec.attributes(gender=gender, length=length)
    named = means("RaB@3 RaB(by=length)@3 FaiRR(by=gender,tau=0)@3", run, None, labels=both)
    assert named[2:] == [*means("RaB@3", run, None, labels=length), *means("FaiRR(tau=0)@3", run, None, labels=gender)]
    assert named[:2] == [*means("RaB@3", run, None, labels=gender), *means("RaB@3", run, None, labels=length)]
    with pytest.raises(InputError, match="1 of 3 documents that the measures look at have no label, such as d0"):
        means("RaB@3", run, None, labels=fairtrec.attributes(gender=gender, length={**length, "d0": "?"}))


RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 3.0, "b": 2.0}}
QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}}
GENDER = {"a": "f", "b": "m", "c": "m"}


def test_labels_per_query_take_part_in_the_queries_that_they_name(tmp_path):
    (tmp_path / "stars.tsv").write_text("qid\tdocno\tgroup\nq1\ta\t1\nq1\tb\t2\nq1\tc\t3\n")
    both = fairtrec.attributes(gender=GENDER, stars=tmp_path / "stars.tsv")
    measures = "GFR(max_grade=1)@3 AWRF@3 Groups(by=stars)@3 GFR(part=fairness,max_grade=1)@3 nDCG"
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=both).scores[0]
    values = dict(zip(map(str, scores.measures), scores.values.tolist(), strict=True))
    assert np.isnan(values["AWRF(by='stars')@3"][1])
    assert np.isnan(values["Groups(by='stars')@3"][1])
    assert not np.isnan(values["AWRF(by='gender')@3"]).any()
    alone = fairtrec.evaluate(
        "GFR(max_grade=1)@3 GFR(part=fairness,max_grade=1)@3", RUN, qrels=QRELS, labels=GENDER
    ).scores[0]
    assert values["GFR(max_grade=1)@3"][1] == alone.values[0, 1]  # of one attribute: (relevance + fairness) / 2
    assert values["GFR(part='fairness',max_grade=1)@3"][1] == alone.values[1, 1]
    parts = fairtrec.evaluate(
        "GFR(part=relevance,max_grade=1)@3 GFR(by=gender,part=fairness,max_grade=1)@3 "
        "GFR(by=stars,part=fairness,max_grade=1)@3", RUN, qrels=QRELS, labels=both,
    ).scores[0].values[:, 0]  # fmt: skip
    assert values["GFR(max_grade=1)@3"][0] == pytest.approx(parts.sum() / 3)
    assert "NaN" not in str(values["nDCG"])


def test_of_unknown_groups_bounds_of_gfr_are_those_of_all_labelings():
    gender, stars = {"a": "f", "b": "m"}, {"a": "1", "b": "3", "d": "2"}
    run = {"q1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "q2": {"c": 2.0, "d": 1.0}}
    qrels = {"q1": {"a": 1, "c": 1, "d": 1}, "q2": {"c": 1, "d": 1}}
    measures = ["GFR(divergence=nmd)@4", "GFR(part=fairness)@3", "AWRF(by=gender)@4", "Skew(by=stars,group='1')@4"]
    found = fairtrec.evaluate(
        measures,
        run,
        qrels=qrels,
        labels=fairtrec.attributes(gender=gender, stars=stars),
        bounds="labels",
        next_label=True,
    ).scores[0]
    values = []
    for one, two, three in product("fm", "fm", "123"):
        full = fairtrec.attributes(gender={**gender, "c": one, "d": two}, stars={**stars, "c": three})
        values.append(fairtrec.evaluate(measures, run, qrels=qrels, labels=full).scores[0].values)
    tried = np.stack(values)
    for end, of_all in (("least", np.nanmin), ("greatest", np.nanmax), ("expected", np.nanmean)):
        np.testing.assert_allclose(getattr(found.columns["unknown"], end), of_all(tried, axis=0), atol=1e-9)
    assert found.columns["unknown"].documents[0, 0] == ("c", "d")
    assert found.columns["unknown"].docno[0, 0] == "c"


def test_ties_and_samples_go_by_the_attribute(both, tmp_path):
    tied = {"q1": {"p001": 1.0, "p003": 1.0, "p004": 1.0, "p005": 0.5}}
    measures = ["EER(by=length)@3", "EER(by=gender)@3"]
    scores = fairtrec.evaluate(measures, tied, labels=both, bounds="ties").scores[0]
    for row, source in enumerate(("length.tsv:40,50", "labels.tsv")):
        alone = fairtrec.evaluate("EER@3", tied, labels=source, bounds="ties").scores[0]
        assert [ends.values[row] for ends in scores.ends.values()] == [ends.values[0] for ends in alone.ends.values()]
    lines = [f"101 {at} {docno} 1 {-rank} t\n" for at, order in ((1, ("p001", "p003")), (2, ("p003", "p004")))
             for rank, docno in enumerate(order)]  # fmt: skip
    (tmp_path / "samples.run").write_text("".join(lines))
    named = means(
        "EED(by=length)@2 EED(by=gender)@2 AWRF(by=length)@2", str(tmp_path / "samples.run"), labels=both, samples=True
    )
    alone = [
        *means("EED@2", str(tmp_path / "samples.run"), labels="length.tsv:40,50", samples=True),
        *means("EED@2", str(tmp_path / "samples.run"), labels="labels.tsv", samples=True),
        *means("AWRF@2", str(tmp_path / "samples.run"), labels="length.tsv:40,50", samples=True),
    ]
    assert named == alone


def test_what_is_chosen_for_each(both, length):
    alone = means("AWRF@10", labels="labels.tsv", target="f=0.4,m=0.6"), means("AWRF@10", labels=length, target="qrels")
    assert means("AWRF@10", labels=both, target={"gender": "f=0.4,m=0.6", "length": "qrels"}) == [*alone[0], *alone[1]]
    assert means("AWRF@10", labels=both, target={"gender": {"f": 0.4, "m": 0.6}, "": "qrels"}) == [*alone[0], *alone[1]]
    some = means("AWRF(by=length)@10", labels=both, groups={"length": "<40,>=50"})
    assert some == means("AWRF@10", labels=length, groups="<40,>=50")
    result = fairtrec.evaluate("AWRF@10", BM25, labels=both, target={"gender": "f=0.4,m=0.6", "": "even"})
    assert result.signature["target"] == "gender=f=0.4,m=0.6;even"


def test_the_signature_names_each_and_a_file_of_results_is_replayed(both, copied):
    result = fairtrec.evaluate("AWRF@10", BM25, labels=both, target={"length": "even"})
    called = {name: f"{part}@{digest}" for name, part, digest in
              (("gender", "labels.tsv", read("labels.tsv").sha256[:8]), ("length", "length.tsv:40,50", read(LabelSource("length.tsv", "", ("40", "50"))).sha256[:8]))}  # fmt: skip
    assert result.signature["labels"] == f"gender={called['gender']},length={called['length']}"
    assert result.signature["members"] == "gender f 25, m 29; length <40 21, 40-<50 24, >=50 23, in this order"
    assert result.options["labels"] == {"gender": "labels.tsv", "length": "length.tsv:40,50"}
    assert {part.name for part in result.files if part.of == "labels"} == {"gender", "length"}
    result.write("results.json", format="json")
    from fairtrec.commands.results import replay

    again = replay.evaluate(fairtrec.read_results("results.json"))
    assert again.result.means == result.means
    (copied / "length.tsv").write_text("p001\t3\np002\t60\n")
    with pytest.raises(InputError, match=r"this labels of .* has changed"):
        replay.evaluate(fairtrec.read_results("results.json"))


def test_a_source_of_two_attributes_is_read_once(monkeypatch):
    times = []
    reader = loading.labels
    monkeypatch.setattr(loading, "labels", lambda *args: times.append(args[0]) or reader(*args))
    means("AWRF@10", labels=fairtrec.attributes(one="labels.tsv", two="labels.tsv", three="labels.tsv"))
    assert times == ["labels.tsv"]


REFUSED = {
    "no such attribute": ("AWRF(by=x)@3", {}, r"AWRF\(by='x'\)@3: there is no attribute 'x'; there are gender, length"),
    "no part of a crossing": ("AWRF(by=gender*x)@3", {}, "there is no attribute 'x'"),
    "crossed with itself": ("AWRF(by=gender*gender)@3", {}, "an attribute is crossed with itself"),
    "no groups": ("CRBO(by=gender)@3", {}, "CRBO has no parameter by"),
    "shares of which": ("AWRF@3", {"target": "f=.4,m=.6"}, "several attributes; like target=gender=f=0.4,m=0.6"),
    "groups of which": ("AWRF@3", {"groups": "f,m"}, "several attributes; like groups=gender=F,M"),
    "a choice for none": ("AWRF@3", {"target": {"x": "even"}}, "target=: there is no attribute 'x'; there are gender"),
    "an unordered one": ("GFR(by=gender*length,divergence=nmd)", {}, "needs the order of the groups"),
}


@pytest.mark.parametrize(("measures", "given_", "message"), REFUSED.values(), ids=REFUSED)
def test_what_there_is_not_is_refused(measures, given_, message, both):
    with pytest.raises(UsageError, match=message):
        means(measures, labels=both, **given_)


def test_labels_without_a_name_have_no_attribute():
    with pytest.raises(UsageError, match="there is no attribute 'gender'; name it, like labels=gender=FILE"):
        means("AWRF(by=gender)@3", labels="labels.tsv")
    with pytest.raises(UsageError, match="target=: there is no attribute 'gender'; labels= has no named attribute"):
        means("AWRF@3", labels="labels.tsv", target={"gender": "even"})
    utility = fairtrec.evaluate("nDCG", BM25, qrels="qrels.txt").scores[0].measures[0]
    with pytest.raises(UsageError, match="does not depend on groups; leave out by"):
        means([replace(utility, by="gender")], labels=fairtrec.attributes(gender="labels.tsv"))


def test_names_of_attributes():
    with pytest.raises(UsageError, match="'a b' cannot be the name of an attribute; use letters, digits, _, - and"):
        fairtrec.attributes(**{"a b": "labels.tsv"})
    with pytest.raises(UsageError, match="f is the name of an attribute and of a group"):
        means("AWRF@3", labels=fairtrec.attributes(f="labels.tsv", g="labels.tsv"))


@pytest.mark.usefixtures("at_the_example")
def test_measures_of_ir_measures_name_their_attribute():
    import ir_measures

    from fairtrec import ir_measures as fair

    fair.given("both", labels=fairtrec.attributes(gender="labels.tsv", kind={"p001": "a", "p002": "b"}))
    run, qrels = [*ir_measures.read_trec_run(BM25)], [*ir_measures.read_trec_qrels("qrels.txt")]
    (named,) = ir_measures.calc_aggregate(fair.parse("AWRF(by='gender',given='both')@10"), qrels, run).values()
    assert [named] == means("AWRF@10", labels="labels.tsv")
    with pytest.raises(UsageError, match=r"AWRF@10 can mean AWRF\(by='gender'\)@10, AWRF\(by='kind'\)@10; choose one"):
        ir_measures.calc_aggregate(fair.parse("AWRF(given='both')@10"), qrels, run)


def test_labels_per_query_and_per_document_are_not_crossed(tmp_path):
    (tmp_path / "stars.tsv").write_text("qid\tdocno\tgroup\nq1\ta\t1\nq1\tb\t2\n")
    both = fairtrec.attributes(gender=GENDER, stars=tmp_path / "stars.tsv")
    with pytest.raises(UsageError, match="labels per query and per document cannot be crossed"):
        means("AWRF(by=gender*stars)@3", RUN, None, labels=both)


def test_a_crossing_of_too_many_groups_is_refused():
    many = fairtrec.attributes(**{name: {f"d{at}": str(at) for at in range(70)} for name in "xyz"})
    with pytest.raises(UsageError, match=r"x\*y has 4,900 groups, and 4,096 is the most"):
        means("NDKL(by=x*y)@3", {"q": {"d1": 1.0}}, None, labels=many)


def test_a_plain_dict_stays_documents():
    assert means("AWRF@2", {"q": {"gender": 2.0, "x": 1.0}}, None, labels={"gender": "f", "x": "m"})
