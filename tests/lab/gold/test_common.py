"""What gold labels of the lab share with those of an evaluation: draws of runs without a file, and renamed groups."""

import pytest

import fairtrec
from fairtrec.support.errors import InputError, UsageError

LABELS = {"a": "f", "b": "m", "c": "m"}
RUN = {"q": {"a": 3, "b": 2, "c": 1}}
TEXTS = {"a": "she and her", "b": "he and him", "c": "nobody"}
WORDS = {"terms": {"f": ["she", "her"], "m": ["he", "him"]}, "docs": TEXTS}


def test_runs_without_a_file_are_told_by_their_names(tmp_path):
    drawn = fairtrec.gold.draw({"mine": RUN}, 2, gold=LABELS, depth=3).to_frame()
    path = tmp_path / "drawn.tsv"
    fairtrec.gold.draw({"mine": RUN}, 2, gold=LABELS, depth=3).write(path)
    assert len(drawn) == 2
    assert fairtrec.evaluate("EER@3", {"mine": RUN}, labels=LABELS, gold=path).scores[0].columns["gold"]
    with pytest.raises(InputError, match="yours was not among the runs of this draw"):
        fairtrec.evaluate("EER@3", {"yours": RUN}, labels=LABELS, gold=path)


def test_renamed_groups_agree_as_before():
    gold, renamed = {"a": "m", "b": "f", "c": "-"}, {"a": "Male", "b": "F", "c": "N"}
    one = fairtrec.gold.agree(gold, **WORDS)
    other = fairtrec.gold.agree(renamed, **WORDS, groups="f=F,m=Male,-=N")
    assert one.agreement == other.agreement
    assert other.signature["groups"] == "f=F,m=Male,-=N"


def test_an_old_name_may_stand_in_gold_only_and_one_that_none_has_is_refused():
    other = {docno: {"f": "F", "m": "Male"}[group] for docno, group in LABELS.items()}
    assert fairtrec.gold.agree(other, labels=LABELS, groups="f=F,m=Male").agreement == 1
    gone, judged = {"groups": "f=F,m=Male,-=Nobody"}, {"q": {"a": 1}}
    said = r"^no label is called Nobody; they are F, Male$"
    with pytest.raises(UsageError, match=said):
        fairtrec.gold.agree(other, labels=other, **gone)
    with pytest.raises(UsageError, match=said):
        fairtrec.gold.judges(judged, judged, labels=other, **gone)
