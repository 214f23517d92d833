"""``ablate --vary counts=``: tables of counts instead of texts, against the evaluations that they stand for."""

import numpy as np
import pytest

import fairtrec
from fairtrec.lab.ablate import ABLATIONS
from fairtrec.support.errors import InputError, UsageError

RUNS = {"r": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "s": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}}
TABLES = {
    "base.tsv": "docno\ttokens\tf\tm\na\t9\t3\t0\nb\t9\t0\t0\nc\t9\t1\t1\n",
    "other.tsv": "docno\ttokens\tf\tm\na\t9\t2\t2\nc\t9\t4\t0\nd\t9\t0\t0\n",
    "groups.tsv": "docno\ttokens\tf\tx\na\t9\t2\t2\n",
}


@pytest.fixture(autouse=True)
def _tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)


def test_a_table_gives_what_an_evaluation_with_it_gives():
    given = {"missing": "neutral", "measure": "FaiRR@3", "counts": "base.tsv"}
    found = fairtrec.ablate(RUNS, vary="counts=other.tsv,base.tsv", **given)
    for variant in found.variants:
        scores = fairtrec.evaluate("FaiRR@3", RUNS, counts=variant.variant, missing="neutral").scores
        assert variant.means.tolist() == [one.means[0] for one in scores]
    assert [variant.variant for variant in found.variants] == ["other.tsv", "base.tsv"]
    assert found.variants[0].flipped == 1  # omega: 0 1 1 of a b c in the base, 1 1 0 in the other, b being neutral
    assert np.isfinite(found.base.means).all()


def test_documents_of_one_table_alone_are_counted():
    found = fairtrec.ablate(RUNS, measure="FaiRR@3", counts="base.tsv", vary="counts=other.tsv", missing="neutral")
    said = "counts=other.tsv: 1 documents have counts only in the base, 0 only in this table"
    assert said in ABLATIONS("json", found)
    with pytest.raises(InputError, match="b"):
        fairtrec.ablate(RUNS, measure="FaiRR@3", counts="base.tsv", vary="counts=other.tsv")


def test_other_groups_and_a_base_without_counts_are_refused():
    with pytest.raises(InputError, match="the counts are of the groups f, x, those of the base of f, m"):
        fairtrec.ablate(RUNS, measure="FaiRR@3", counts="base.tsv", vary="counts=groups.tsv")
    given = {"labels": {"a": "f", "b": "m", "c": "m"}}
    with pytest.raises(UsageError, match="add counts=TABLE"):
        fairtrec.ablate(RUNS, measure="AWRF@3", vary="counts=base.tsv", **given)
