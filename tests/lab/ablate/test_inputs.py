"""Inputs that ablate varies or tells apart: files of weights, and texts that are given in memory."""

import numpy as np
import pytest

import fairtrec

LOG2 = (1 / np.log2(np.arange(2, 14))).tolist()  # of the twelve ranks of the example
GROUPED = {"labels": "labels.tsv"}
RUN = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "2": {"d": 3.0, "b": 2.0, "a": 1.0}}
TERMS = {"f": ["she"], "m": ["he"]}
DOCS = {"a": "she", "b": "he he", "c": "she he", "d": "it"}


def test_files_of_weights_can_be_varied(copied, fairtrec_command):
    (copied / "a.tsv").write_text("".join(f"{at}\t{weight!r}\n" for at, weight in enumerate(LOG2, 1)))
    (copied / "b.tsv").write_text("".join(f"{at} 1\n" for at in range(1, 6)))
    found = fairtrec.ablate("bm25.run", measure="AWRF@5", vary="discount=log2,a.tsv,b.tsv", **GROUPED)
    means = {row.variant: row.means[0] for row in found.variants}
    assert means["a.tsv"] == pytest.approx(means["log2"], abs=1e-12)
    even = fairtrec.evaluate("AWRF(discount=given)@5", "bm25.run", **GROUPED, discount=[1] * 5)
    assert means["b.tsv"] == even.scores[0].means[0] != means["a.tsv"]
    done = fairtrec_command(
        "ablate", "none", "bm25.run", "--labels", "labels.tsv", "-m", "AWRF@5", "--vary", "discount=no.tsv"
    )
    assert done.code == 2
    assert "the parameter discount cannot be 'no.tsv'" in done.err


def test_an_ablation_tells_its_texts_apart():
    told = {
        fairtrec.ablate({"a": RUN, "b": RUN}, measure="TExFAIR@3", vary="cutoff=2", terms=TERMS, docs=docs).signature[
            "docs"
        ]
        for docs in (DOCS, DOCS | {"d": "she"})
    }
    assert len(told) == 2
    assert all(each.startswith("given@") for each in told)
