"""Documents that are known to be of none of the groups: the label ``-``, in files, frames and objects."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.formats import labels
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import InputError, UsageError
from fairtrec.testing.measures import LABELS, MeasureCollection
from fairtrec_made import texts

RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
TARGET = {"f": 0.1, "m": 0.3, "x": 0.6}
WHOLE = {docno: dict.fromkeys(row, 1) for docno, row in LABELS.items() if docno not in "ad"}


@pytest.mark.parametrize("of", [LABELS, WHOLE], ids=["weights", "whole"])
def test_of_no_group_is_the_weight_0_for_each_by_every_measure(of):
    collection = MeasureCollection.draw(TARGET, labels=of, groups=[*TARGET])
    kinds = map(registry.load_built_in, registry.BUILT_IN)
    measures = [*chain.from_iterable(collection.choose_measures(kind) for kind in kinds)]
    said = collection.scores(measures, labels=of | {"g": "-", "a": "-"})
    written = collection.scores(measures, labels=of | {"g": dict.fromkeys(TARGET, 0), "a": {"f": 0}})
    unknown = collection.scores(measures, labels=of | {"g": "?", "a": "?"})
    np.testing.assert_array_equal(said.values, written.values)
    assert (said.values != unknown.values).any()
    assert len({str(measure) for measure in measures}) > 100


FILES = {
    "two.tsv": "d1\tf\nd2\tm\nd3\t-\n",
    "votes.tsv": "docno\tgroup\tweight\nd1\tf\t1\nd2\tm\t1\nd3\t-\t1\n",
    "lines.jsonl": '{"docno": "d1", "group": "f"}\n{"docno": "d2", "group": "m"}\n{"docno": "d3", "group": "-"}\n',
    "query.tsv": "q1\td1\tf\nq1\td2\tm\nq1\td3\t-\n",
}


@pytest.mark.parametrize("name", [*FILES, "table.parquet"])
def test_files_of_each_form_say_it(name, tmp_path):
    path = tmp_path / name
    if name in FILES:
        path.write_text(FILES[name])
    else:
        pd.DataFrame({"docno": ["d1", "d2", "d3"], "group": ["f", "m", "-"]}).to_parquet(path)
    read = labels.read(path)
    assert read.groups == ("f", "m")
    assert read.none
    assert read.weights[-1].tolist() == [0, 0]


@pytest.mark.parametrize(
    "given",
    [
        {"d1": "f", "d2": "m", "d3": "-"},
        {"d1": ["f"], "d2": ["m"], "d3": ["-"]},
        pd.DataFrame({"docno": ["d1", "d2", "d3"], "group": ["f", "m", "-"]}),
    ],
    ids=["words", "lists", "frame"],
)
def test_objects_say_it_and_the_rank_is_known(given):
    result = fairtrec.evaluate("Groups@3", RUN, labels=given)
    assert result.means["run"]["Groups@3"] == 2
    assert [*map(str, result.scores[0].notes)] == ["of 3 documents in the measured ranks, 3 have a label"]
    assert "groups: f 1, m 1, none 1; target 0.5 each" in texts(result.notes)
    assert result.signature["members"] == "f 1, m 1, none 1"
    assert list(result.groups) == ["f", "m"]


def test_it_may_be_a_part_of_the_votes(tmp_path):
    (tmp_path / "l.tsv").write_text("d1\tf\t.667\nd1\t-\t.333\nd2\tm\t1\n")
    read = labels.read(tmp_path / "l.tsv")
    assert read.weights.tolist() == [[0.667, 0], [0, 1]]
    assert read.none
    # a vote of a third is as if it were not there
    (tmp_path / "less.tsv").write_text("d1\tf\t.667\nd2\tm\t1\n")
    without = labels.read(tmp_path / "less.tsv")
    assert without.weights.tolist() == read.weights.tolist()
    assert not without.none


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("d2\tm\nd1\tf\nd1\t-\n", "f"),
        ("d2\tm\t1\nd1\t-\t.5\nd1\tf\t.6\n", "f"),
        ("d2\tm\nd1\t?\nd1\t-\n", "\\?"),
    ],
)
def test_with_another_label_of_the_document_it_is_refused(tmp_path, text, others):
    (tmp_path / "l.tsv").write_text(text)
    what = rf"l\.tsv:3: document d1 is of none of the groups \(-\), and of {others}; keep one, or add weights"
    with pytest.raises(InputError, match=what):
        labels.read(tmp_path / "l.tsv")
    with pytest.raises(InputError, match="of none of the groups"):
        fairtrec.evaluate("KL@2", RUN, labels={"d1": ["-", "f"], "d2": "m"})


def test_one_group_and_none_are_no_two_groups(tmp_path):
    (tmp_path / "l.tsv").write_text("d1\tf\nd2\t-\n")
    with pytest.raises(InputError, match="fewer than two groups"):
        labels.read(tmp_path / "l.tsv")


def test_what_the_labels_call_otherwise_is_none_where_the_groups_say_so():
    """A file that marks what is of neither gender as N is read as it is."""
    marked = {"d1": "F", "d2": "N", "d3": "M"}
    said = fairtrec.evaluate("AWRF@3 RaB@3", RUN, labels=marked, groups="F,M,-")
    same = fairtrec.evaluate("AWRF@3 RaB@3", RUN, labels=marked | {"d2": "-"})
    assert said.means == same.means
    assert said.signature["members"] == same.signature["members"] == "F 1, M 1, none 1"
    unknown = fairtrec.evaluate("AWRF@3", RUN, labels=marked, groups=["F", "M"])
    assert unknown.signature["members"] == "F 1, M 1"
    assert [str(each) for each in unknown.scores[0].notes] == ["of 3 documents in the measured ranks, 2 have a label"]
    assert "of 3 documents in the measured ranks, 3 have a label" in map(str, said.scores[0].notes)


@pytest.mark.parametrize("groups", ["F,-", "-", "F,M,-,-"])
def test_none_is_no_second_group(groups):
    with pytest.raises(UsageError, match="fewer than two different groups; pass two or more"):
        fairtrec.evaluate("AWRF@3", RUN, labels={"d1": "F", "d2": "N", "d3": "M"}, groups=groups)


def test_targets_do_not_name_it():
    marked = {"d1": "f", "d2": "-", "d3": "m"}
    with pytest.raises(UsageError, match="write a share for each: f, m"):
        fairtrec.evaluate("AWRF@3", RUN, labels=marked, target="f=.2,m=.2,-=.6")
    # of the collection a half is f, whatever is of none
    of_all = fairtrec.evaluate("KL@3", RUN, labels=marked, target="collection")
    assert of_all.means["run"]["KL@3"] == 0


def test_crossed_with_none_is_of_none(tmp_path):
    (tmp_path / "gender.tsv").write_text("d1\tf\nd2\tm\nd3\t-\n")
    (tmp_path / "place.tsv").write_text("d1\tn\nd2\t-\nd3\ts\n")
    result = fairtrec.evaluate("Groups@3", RUN, labels=f"{tmp_path}/gender.tsv*{tmp_path}/place.tsv")
    assert result.means["run"]["Groups@3"] == 1
    assert any(note.startswith("groups: f*n 1, f*s 0, m*n 0, m*s 0, none 2") for note in texts(result.notes))


UNLABELED = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "x": 1.0}}


def ends(measure="AWRF@4", **given):
    labels = {"d1": "f", "d2": "m", "d3": "-"}
    scores = fairtrec.evaluate(measure, UNLABELED, **({"labels": labels, "bounds": "labels"} | given)).scores[0]
    return [each.values.item() for each in scores.ends.values()]


def test_an_unknown_document_may_be_of_none_where_labels_say_that_some_are():
    each = [value("AWRF@4", {"d1": "f", "d2": "m", "d3": "-", "x": way}) for way in ("f", "m", "-")]
    assert ends() == pytest.approx([min(each), max(each), sum(each) / 3])
    assert ends(labels={"d1": "f", "d2": "m"}, measure="AWRF@2")[0] == value("AWRF@2", {"d1": "f", "d2": "m"})
    marked = {"d1": "f", "d2": "m", "d3": "n"}
    assert ends(labels=marked, groups="f,m,-") == ends()
    result = fairtrec.evaluate("AWRF@4", UNLABELED, labels=marked, groups="f,m,-", bounds="labels")
    assert "over all ways to assign each unknown document to one group, or none" in str(result)


def test_the_weight_0_for_each_group_says_the_same_to_bounds():
    measures = ["AWRF@4", "NDKL@4", "KL@4", "EED@4", "EER@4", "Exposure(group='f')@4", "rND", "DP", "Groups@4"]
    both = [
        fairtrec.evaluate(measures, UNLABELED, labels={"d1": "f", "d2": "m", "d3": none}, bounds="labels").scores[0]
        for none in ("-", {"f": 0, "m": 0})
    ]
    for end in ("least", "greatest", "expected"):
        one, other = (getattr(scores.columns["unknown"], end) for scores in both)
        np.testing.assert_array_equal(one, other)


def value(measure, labels):
    return fairtrec.evaluate(measure, UNLABELED, labels=labels).scores[0].values.item()


@pytest.mark.parametrize("prior", ["f=.2,m=.3,-=.5", {"f": 0.2, "m": 0.3, "-": 0.5}])
def test_the_prior_says_how_likely_it_is(prior):
    each = [value("AWRF@4", {"d1": "f", "d2": "m", "d3": "-", "x": way}) for way in ("f", "m", "-")]
    assert ends(prior=prior)[2] == pytest.approx(0.2 * each[0] + 0.3 * each[1] + 0.5 * each[2])
    # a prior that names it makes it possible, also where no label does
    open_ = [value("AWRF@4", {"d1": "f", "d2": "m", "d3": "f", "x": way}) for way in ("f", "m", "-")]
    found = ends(prior=prior, labels={"d1": "f", "d2": "m", "d3": "f"})
    assert found == pytest.approx([min(open_), max(open_), 0.2 * open_[0] + 0.3 * open_[1] + 0.5 * open_[2]])


def test_the_prior_of_the_known_counts_those_of_none():
    # of d1 f, d2 m, d3 two thirds f and a third none: f 5/3, m 1, none 1/3 of 3
    soft = {"d1": "f", "d2": "m", "d3": {"f": 2 / 3, "-": 1 / 3}}
    each = [value("AWRF@4", soft | {"x": way}) for way in ("f", "m", "-")]
    assert ends(labels=soft, prior="known")[2] == pytest.approx((5 * each[0] + 3 * each[1] + each[2]) / 9)


def test_a_prior_names_each_way():
    with pytest.raises(UsageError, match="the prior has the groups f, m; write a share for each: f, m, -"):
        ends(prior="f=.5,m=.5")
    with pytest.raises(UsageError, match=r"the prior's shares sum to 1\.1"):
        ends(prior="f=.5,m=.5,-=.1")


def test_labelings_in_which_nobody_is_of_a_group_are_left_out():
    run = {"q1": {"x": 2.0, "y": 1.0}}
    labels = {"d1": "f", "d2": "m", "d3": "-"}
    scores = fairtrec.evaluate("NDKL@2 EER@2 EED@2 AWRF@2", run, labels=labels, bounds="labels").scores[0]
    ways = [(one, other) for one in ("f", "m", "-") for other in ("f", "m", "-")]
    tried = np.stack(
        [fairtrec.evaluate("NDKL@2 EER@2 EED@2 AWRF@2", run, labels=labels | {"x": one, "y": other}).scores[0].values[:, 0]
         for one, other in ways]
    )  # fmt: skip
    for end, of_all in (("least", np.nanmin), ("greatest", np.nanmax), ("expected", np.nanmean)):
        np.testing.assert_allclose(getattr(scores.columns["unknown"], end)[:, 0], of_all(tried, axis=0), atol=1e-12)


def test_published_figures_of_passages_that_people_labeled(shared):
    """MS MARCO_FAIR by BM25, with the 893 labels of MSMGenderBias: 113 F, 144 M and 636 of none of the two."""
    run = shared / "data" / "cpjku" / "runs" / "msmarco_passage" / "BM25.run"
    given = {
        "labels": f"{shared}/data/msmgenderbias/MSMGenderBias.csv:gender_bias", "groups": "F,M,-", "bounds": "labels",
    }  # fmt: skip
    three_errors = 0.002  # of means over 215 queries of 200 drawn labelings each
    for prior, expected in (("F=.1265,M=.1613,-=.7122", 0.8536), ("even", 0.940), ("F=.5,M=.5,-=0", 0.957)):
        result = fairtrec.evaluate("AWRF@10", run, prior=prior, **given)
        scores = result.scores[0]
        assert scores.ends["expected"].means[0] == pytest.approx(expected, abs=three_errors)
    assert scores.means[0] == pytest.approx(0.7518, abs=5e-5)
    assert (scores.defined[0], len(scores.qids)) == (17, 215)
    assert "groups: F 113, M 144, none 636; target 0.5 each" in texts(result.notes)
    assert any(str(each).startswith("of 2150 documents in the measured ranks, 210 ") for each in scores.notes)
