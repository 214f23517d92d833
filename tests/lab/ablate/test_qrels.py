"""``ablate --vary qrels=``: other judgments, against the evaluations that they stand for."""

import pytest

import fairtrec
from fairtrec.support.errors import InputError, UsageError

RUNS = {
    "r": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}},
    "s": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}, "2": {"b": 2.0, "a": 1.0}},
    "t": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}, "2": {"c": 2.0, "b": 1.0}},
}
QRELS = {
    "people.txt": "1 0 a 2\n1 0 b 1\n2 0 a 1\n",
    "judge.txt": "1 0 c 2\n1 0 a 0\n2 0 b 1\n3 0 b 1\n",
    "twice.txt": "1 0 c 2\n1 0 c 1\n",
}
LABELS = {"a": "f", "b": "m", "c": "m"}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in QRELS.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("measure", ["nDCG@3", "DIR@3", "AP"])
def test_a_judge_gives_what_an_evaluation_with_it_gives(measure):
    found = fairtrec.ablate(RUNS, qrels="people.txt", measure=measure, vary="qrels=judge.txt,people.txt", labels=LABELS)
    for variant in found.variants:
        scores = fairtrec.evaluate(measure, RUNS, qrels=variant.variant, labels=LABELS).scores
        assert variant.means.tolist() == pytest.approx([one.means[0] for one in scores], abs=1e-15, nan_ok=True)
    assert found.variants[1].flipped == 0
    if measure == "nDCG@3":  # people rank r 1, s .62, t .43; the judge s 1, and r and t the same
        assert found.base.ranks.tolist() == [1, 2, 3]
        assert found.variants[0].ranks.tolist() == [2, 1, 2]
        assert (found.variants[0].flipped, found.variants[0].tau_b) == (1, 0)


def test_it_goes_with_other_factors():
    found = fairtrec.ablate(RUNS, qrels="people.txt", measure="nDCG@3", vary=["qrels=judge.txt", "cutoff=1"], grid=True)
    assert [variant.variant for variant in found.variants] == ["qrels=judge.txt cutoff=1"]
    scores = fairtrec.evaluate("nDCG@1", RUNS, qrels="judge.txt").scores
    assert found.variants[0].means.tolist() == [one.means[0] for one in scores]


def test_what_cannot_be_varied_is_refused():
    with pytest.raises(UsageError, match="AWRF@3 does not depend on judgments; leave it out"):
        fairtrec.ablate(RUNS, qrels="people.txt", measure="AWRF@3", vary="qrels=judge.txt", labels=LABELS)
    with pytest.raises(UsageError, match="of the base, which are none; add a qrels file"):
        fairtrec.ablate(RUNS, measure="DIR@3", vary="qrels=judge.txt", labels=LABELS)
    with pytest.raises(InputError, match=r"twice\.txt:2: document c is judged twice for query 1; keep one grade"):
        fairtrec.ablate(RUNS, qrels="people.txt", measure="nDCG@3", vary="qrels=twice.txt")
    target = {"measure": "AWRF@3", "target": "qrels", "labels": LABELS}
    assert fairtrec.ablate(RUNS, qrels="people.txt", vary="qrels=judge.txt", **target).variants[0].queries


def test_the_command_ends_with_2(fairtrec_command, tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    (tmp_path / "labels.tsv").write_text("a\tf\nb\tm\n")
    done = fairtrec_command("ablate", "none", "a.run", "-m", "nDCG@3", "--vary", "qrels=judge.txt")
    assert (done.code, done.err.count("\n")) == (2, 1)
    given = ["a.run", "--labels", "labels.tsv", "--vary", "qrels=judge.txt"]
    done = fairtrec_command("ablate", "people.txt", *given, "-m", "AWRF@3")
    assert (done.code, done.err) == (2, "AWRF@3 does not depend on judgments; leave it out\n")
    assert fairtrec_command("ablate", "people.txt", *given, "-m", "DIR@3").code == 0
