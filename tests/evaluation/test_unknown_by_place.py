"""Documents that nobody knows: told by place, and a run of many of them has no rank and no mark."""

import json

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.leaderboard import comparable
from fairtrec.report.result_notes import list_notes
from fairtrec_made import texts, unwrapped

TEXTS = {f"d{rank}": "she he" if rank % 2 else "he" for rank in range(20)}
BACKGROUND = {"q": {**{f"d{rank}": 40.0 - rank for rank in range(20)}, **{f"b{rank}": 9.0 - rank for rank in range(5)}}}
KNOWN = {"q": {f"d{rank}": 20.0 - rank for rank in range(20)}}


def ranking(unknown):
    """Rank unknown documents before known ones, twenty in all."""
    return {"q": {f"{'x' if rank < unknown else 'd'}{rank}": 20.0 - rank for rank in range(20)}}


def evaluated(runs, **more):
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "background": BACKGROUND, "missing": "neutral"}
    return fairtrec.evaluate("NFaiRR@10 TExFAIR@10 NumRet", runs, qrels={"q": {"d1": 1}}, **{**given, **more})


def test_unknown_documents_of_ranks_and_of_backgrounds_are_told_apart():
    said = fairtrec.evaluate("NFaiRR@10", {"known": KNOWN, "one": ranking(1)}, terms={"f": ["she"], "m": ["he"]},
                             docs=TEXTS, background=BACKGROUND, missing="neutral")  # fmt: skip

    lines = texts(list_notes(said))
    assert (
        "5 of 25 documents in the backgrounds have no text or counts and count as having no group words (missing=neutral)"
        in lines
    )
    assert (
        "one: 1 of 10 documents in the measured ranks have no text or counts and count as having no group words (missing=neutral)"
        in lines
    )
    assert said.signature["missing"] == "neutral(6)"


@pytest.mark.parametrize(("unknown", "marked"), [(0, True), (1, True), (2, False), (10, False)])
def test_a_run_of_more_than_a_tenth_of_unknown_documents_has_no_rank_or_mark_by_what_looks_them_up(unknown, marked):
    from fairtrec.report.cells import compare_means

    found = evaluated({"known": KNOWN, "many": ranking(unknown)})
    ranks = compare_means(found, 4).ranks
    assert (ranks[1, :2] > 0).tolist() == [marked, marked]
    assert ranks[1, 2] > 0  # NumRet looks at no text
    assert (comparable(found)[1, :2] == comparable(found)[1, :2]).all() == marked
    assert ranks[0].all()


def test_unknown_documents_below_the_cutoff_of_a_measure_take_no_mark_from_it():
    low = {"q": {f"{'d' if rank < 10 else 'x'}{rank}": 20.0 - rank for rank in range(20)}}
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "missing": "neutral"}
    found = fairtrec.evaluate("AWRF@10 DP AWRF@5", {"known": KNOWN, "low": low}, **given)
    assert np.isnan(comparable(found)).tolist() == [[False] * 3, [False, True, False]]
    assert (
        "low: 10 of 20 documents in the measured ranks have no text or counts and count as having no group words (missing=neutral)\n"
        in str(found)
    )
    assert "\nDP of low: no mark, as more than a tenth of the documents are unknown\n" in str(found)


def test_no_star_stands_behind_what_nobody_knows_and_the_remark_names_the_run(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    for name, run in (("known", KNOWN), ("strange", ranking(10)), ("background", BACKGROUND)):
        lines = [f"q Q0 {docno} 1 {score} {name}\n" for docno, score in run["q"].items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "docs.tsv").write_text("".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items()))
    (tmp_path / "words.csv").write_text("she,f\nhe,m\n")
    asked = ("eval", "none", "known.run", "strange.run", "--terms", "words.csv", "--docs", "docs.tsv",
             "--background", "background.run", "-m", "NFaiRR@10 TExFAIR@10", "--sort", "NFaiRR@10")  # fmt: skip
    done = fairtrec_command(*asked, "--missing", "neutral", "-f", "table")
    row = next(line for line in done.out.splitlines() if " strange " in line)
    assert row.split()[0] == "-"
    assert not {"*", "°", "×"} & set(row)
    assert "strange: 10 of 10 documents in the measured ranks have no text or counts and count" in unwrapped(done.out)
    unsure = "no rank and no mark, as more than a tenth of the documents are unknown"
    assert f"NFaiRR@10, TExFAIR@10 of strange: {unsure}" in done.out
    page = fairtrec_command(*asked, "--missing", "neutral", "-f", "html").out
    assert page.count('class="best"') == 0
    refused = fairtrec_command(*asked)
    assert refused.code == 3
    assert "--missing neutral|skip|worst" in refused.err


def test_json_carries_the_same_notes(tmp_path):
    evaluated({"many": ranking(5)}).write(tmp_path / "out.json")
    (note,) = (n for n in json.loads((tmp_path / "out.json").read_text())["notes"] if n["kind"] == "unknown documents")
    assert note["numbers"] == {"unknown": 5, "documents": 10}
    assert "5 of 10 documents in the measured ranks have no text" in note["text"]


@pytest.mark.parametrize(
    "choices", [{"missing": "neutral"}, {"missing": "skip"}, {"missing": "worst"}, {"bounds": "texts"}]
)
def test_the_note_counts_the_same_documents_whatever_takes_the_place_of_the_unknown(choices):
    """Those of the first ranks of the background; below, a document is looked at only in the place of another."""
    background = {"q": {f"d{number}": 99.0 - number for number in range(20)}}
    docs = {f"d{number}": "she" for number in (0, 1, 3, 7)}
    run = {"q": {"d0": 2.0, "d1": 1.0}}
    found = fairtrec.evaluate(
        "NFaiRR@2",
        run,
        terms={"f": ["she"], "m": ["he"]},
        docs=docs,
        background=background,
        background_depth=5,
        **choices,
    )
    (line,) = [note for note in texts(found.notes) if "backgrounds" in note]
    assert line.startswith("2 of 5 documents in the backgrounds have no text or counts and ")


def test_unknown_judged_documents_are_not_counted_as_those_of_backgrounds():
    """DTR looks at the judged documents: d1 has a text, b0 and b1 of the background, j1 and j2 of no other have none."""
    qrels = {"q": {"d1": 1, "b0": 1, "b1": 0, "j1": 1, "j2": 1}}
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "background": BACKGROUND, "missing": "neutral"}
    found = fairtrec.evaluate("NFaiRR@10 FAIR@10", {"known": KNOWN}, qrels=qrels, **given)
    counted = [line.partition(" have")[0] for line in texts(list_notes(found)) if " have no text" in line]
    assert counted == ["5 of 25 documents in the backgrounds", "4 of 5 documents in the judgments"]


def test_the_whole_rankings_that_bounds_look_at_are_counted_too():
    low = {"q": {f"{'x' if 8 < rank < 16 else 'd'}{rank}": 20.0 - rank for rank in range(20)}}
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "missing": "neutral"}
    runs = {"known": KNOWN, "low": low}
    assert texts(list_notes(fairtrec.evaluate("FaiRR@10", runs, bounds="orders", **given)))[1:3] == [
        "low: 1 of 10 documents in the measured ranks have no text or counts and count as having no group words (missing=neutral)",
        "low: 7 of 20 documents in the whole rankings, all of which bounds=orders looks at, have no text or counts and count as having no group words (missing=neutral)",
    ]
    assert "whole" not in "".join(texts(list_notes(fairtrec.evaluate("FaiRR@10", runs, bounds="ties", **given))))
    assert "whole" not in "".join(texts(list_notes(fairtrec.evaluate("DP FaiRR@10", runs, bounds="orders", **given))))


def test_in_python_the_way_out_is_a_keyword():
    with pytest.raises(fairtrec.InputError, match=r"choose how they count with missing=neutral\|skip\|worst"):
        evaluated({"one": ranking(1)}, missing="error")
