"""Selection rates and impact ratios against published audits, arithmetic written out, and all labelings."""

import csv
import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formulas.candidate_counts import CandidateCounts
from fairtrec.measures import Exposure, Impact, Selected
from fairtrec.support.errors import UsageError

RUN = {"q1": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}, "q2": {"a": 9.0, "f": 8.0, "c": 7.0, "g": 6.0}}
LABELS = {"a": "f", "b": "m", "c": "m", "d": "f", "f": "x", "g": "-"}  # of e nobody knows
STAYA = {"n": (65, 379, 130, 23, 95), "selected": (4, 18, 12, 3, 7)}  # by race, as published in 2023
STAYA_RATIOS = 0.4718, 0.3641, 0.7077, 1.0, 0.5649


def evaluate(measures, run=RUN, **given_):
    return fairtrec.evaluate(measures, run, **{"pool": "even", "labels": LABELS, **given_})


def pooled(measures, run=RUN, **given_):
    scores = evaluate(measures, run, **given_).scores[0]
    return dict(zip(map(str, scores.measures), scores.totals["pooled"], strict=True))


def numbers(measures, run=RUN, **given_):
    scores = evaluate(measures, run, **given_).scores[0]
    return {str(measure): scores.describe_total(measure) for measure in scores.measures}


def test_written_out():
    # f: a, d and a, of which a and a are in the top 2; m: b, c and c, of which b is; x: f, which is
    assert pooled("Selected(group=each)@2") == {
        "Selected(group='f')@2": pytest.approx(2 / 3),
        "Selected(group='m')@2": pytest.approx(1 / 3),
        "Selected(group='x')@2": 1,
    }
    assert pooled("Impact@2 Impact(group=each)@2") == pytest.approx(
        {"Impact@2": 1 / 3, **dict(zip((f"Impact(group='{g}')@2" for g in "fmx"), (2 / 3, 1 / 3, 1), strict=True))}
    )
    assert numbers("Selected(group=f)@2")["Selected(group='f')@2"] == {"n": 3, "selected": 2, "share": 3 / 7}


def test_published_impact_ratios_by_race():
    docnos = [(f"{group}{at}", group, at < chosen)
              for group, n, chosen in zip("abcde", STAYA["n"], STAYA["selected"], strict=True)
              for at in range(n)]  # fmt: skip
    run = {"q": {docno: 1.0 if is_chosen else 0.5 - at / 1e4 for at, (docno, _, is_chosen) in enumerate(docnos)}}
    labels = {docno: group for docno, group, _ in docnos}
    for measure in ("Impact(group=each)@44", "Impact(above=0.5,group=each)"):
        assert [*pooled(measure, run, labels=labels).values()] == pytest.approx(STAYA_RATIOS, abs=5e-5)
    assert [*pooled("Impact@44", run, labels=labels).values()] == pytest.approx([min(STAYA_RATIOS)], abs=5e-5)


def read_applicants(shared):
    """Read the applicants, as today's inputs have them, and what another program computed of them."""
    folder = shared / "specs" / "audit"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    run, sex, race = dict[str, dict[str, float]](), {}, {}
    for row in csv.DictReader((folder / "applicants.csv").read_text().splitlines()):
        run.setdefault(row["requisition"], {})[row["applicant"]] = float(row["score"])
        sex |= {row["applicant"]: row["sex"]} if row["sex"] else {}
        race |= {row["applicant"]: row["race"]} if row["race"] else {}
    rows = csv.DictReader((folder / "expected.tsv").read_text().splitlines(), delimiter="\t")
    wanted = [row for row in rows if row["file"] == "applicants.csv"]
    return run, fairtrec.attributes(sex=sex, race=race), wanted


def test_rates_and_ratios_of_applicants(shared):
    run, labels, wanted = read_applicants(shared)
    several = [row for row in wanted if row["measure"].startswith(("Selected", "Impact"))]
    assert len(several) == 38
    for row in several:
        by, _, only = row["options"].removeprefix("by=").partition(", query ")
        inside = row["measure"].replace("(", f"(by={by},") if "(" in row["measure"] else None
        measure = inside or row["measure"].replace("Impact", f"Impact(by={by})")
        queries = {"queries": [only.partition(" ")[0]]} if only else {}
        ((value,), (told,)) = ([*each(measure, run, labels=labels, **queries).values()] for each in (pooled, numbers))
        assert value == pytest.approx(float(row["value"]), abs=1e-10), row
        if row["n"]:
            assert (told["n"], told["selected"]) == (float(row["n"]), float(row["selected"]))


def test_bounds_of_applicants(shared):
    run, labels, _ = read_applicants(shared)
    found = numbers("Selected(by=sex)@5 Impact(by=sex)@5", run, labels=labels, bounds="labels")
    rate, ratio = found["Selected(by='sex',group='F')@5"], found["Impact(by='sex')@5"]
    assert (rate["least"], rate["greatest"]) == pytest.approx((0.1830, 0.2107), abs=5e-5)
    assert (ratio["least"], ratio["bounded"]) == (pytest.approx(0.7968, abs=5e-5), False)


def test_a_threshold_selects_scores_above_it():
    # above 4: a of q1; a, f, c and g of q2
    assert pooled("Selected(above=4)") == pytest.approx(
        {"Selected(group='f',above=4.0)": 2 / 3, "Selected(group='m',above=4.0)": 1 / 3,
         "Selected(group='x',above=4.0)": 1}
    )  # fmt: skip
    # the median of 1 to 9 is 5, and a of q1 is not above it
    assert pooled("Selected(above=median,group=f)") == {"Selected(group='f',above='median')": pytest.approx(1 / 3)}
    # of q1 only, it is 3: a and b
    (one,) = pooled("Selected(above=median,group=f)", queries=["q1"]).values()
    assert one == 1 / 2


def test_small_groups_take_no_part():
    # of 7 candidates of known group x is one, whose rate is the greatest
    assert pooled("Impact(min_share=0.15)@2") == {"Impact(min_share=0.15)@2": pytest.approx(1 / 2)}
    found = pooled("Impact(min_share=0.15,group=each)@2")
    assert math.isnan(found["Impact(group='x',min_share=0.15)@2"])
    assert found["Impact(group='f',min_share=0.15)@2"] == 1
    assert math.isnan(pooled("Impact(min_share=0.5)@2")["Impact(min_share=0.5)@2"])  # none has half of them
    (note,) = [each for each in evaluate("Impact(min_share=0.15)@2").scores[0].notes
               if each.kind.name == "below min_share"]  # fmt: skip
    assert str(note) == "below min_share, 15 %: x; no reference, no ratio"
    # 1 of 7 is enough
    assert pooled(f"Impact(min_share={1 / 7!r})@2") == pytest.approx({f"Impact(min_share={1 / 7!r})@2": 1 / 3})


def test_nothing_selected_is_undefined():
    labels = {"a": "f", "d": "m"}
    assert pooled("Impact(above=10)", labels=labels).keys() == {"Impact(above=10.0)"}
    assert all(map(math.isnan, pooled("Impact(above=10)", labels=labels).values()))
    assert pooled("Selected(above=10)", labels=labels) == {
        "Selected(group='f',above=10.0)": 0,
        "Selected(group='m',above=10.0)": 0,
    }


def test_frequencies_weigh_queries():
    # q2 three times: f 1 + 3 of 2 + 3
    (rate,) = pooled("Selected(group=f)@2", pool={"q1": 1, "q2": 3}).values()
    assert rate == pytest.approx(4 / 5)


def test_rankings_of_one_query_are_averaged_first(tmp_path):
    lines = ["q1 1 a 1 2 t", "q1 1 b 2 1 t", "q1 2 b 1 2 t", "q1 2 a 2 1 t", "q2 1 a 1 2 t", "q2 1 d 2 1 t"]
    (tmp_path / "samples.run").write_text("\n".join(lines) + "\n")
    # f: 1/2 of one candidate of q1, and one of two of q2
    (rate,) = pooled("Selected(group=f)@1", str(tmp_path / "samples.run"), samples=True).values()
    assert rate == pytest.approx(1.5 / 3)


def enumerate_labelings(tally):
    """Give the rates of each way to put the unknown candidates into groups."""
    taken, left = int(tally.unknown_selected), int(tally.unknown - tally.unknown_selected)
    groups = range(len(tally.candidates))
    for chosen in product(product(groups, repeat=taken), product(groups, repeat=left)):
        more = np.array([np.bincount(each, minlength=len(groups)) if each else 0 * tally.candidates for each in chosen])
        with np.errstate(invalid="ignore"):
            yield (tally.selected + more[0]) / (tally.candidates + more.sum(axis=0))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=3), st.integers(0, 3),
    st.integers(0, 3),
)  # fmt: skip
def test_bounds_are_those_of_all_labelings(groups, taken, left):
    selected, rest = np.array(groups, dtype=float).T
    candidates = selected + rest
    tally = CandidateCounts(selected, candidates, candidates.sum(), 0.0, 0.0, float(taken), float(taken + left))
    rates = np.array([*enumerate_labelings(tally)])
    least, greatest = tally.bound_rates()
    for group in np.flatnonzero(candidates):
        assert least[group] == pytest.approx(np.nanmin(rates[:, group]))
        assert greatest[group] == pytest.approx(np.nanmax(rates[:, group]))
    compared = np.flatnonzero(candidates)
    rates = rates[:, compared]
    rates = rates[rates.max(axis=1) > 0] if len(compared) else rates
    if np.isnan(tally.compute_ratios(0)).all():
        return
    ratios = rates.min(axis=1) / rates.max(axis=1)
    low, high, is_bound = tally.bound_least_ratio(0, may_be_none=False)
    assert low == pytest.approx(ratios.min())
    assert high >= ratios.max() - 1e-12
    if len(groups) == len(compared) == 2:
        assert (high, is_bound) == (pytest.approx(ratios.max()), False)
    for at, group in enumerate(compared):
        low, high, is_bound = tally.bound_ratio(group, 0)
        own = rates[:, at] / rates.max(axis=1)
        assert low <= own.min() + 1e-12
        assert high >= own.max() - 1e-12
        if len(compared) == 2 == len(groups):
            assert (low, high, is_bound) == (pytest.approx(own.min()), pytest.approx(own.max()), False)


rankings = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-5, 5).map(float), min_size=1, max_size=8), min_size=1,
)  # fmt: skip


@given(rankings, st.integers(1, 4))
def test_laws(run, cutoff):
    labels = dict(zip("abcdefgh", ["f", "f", "m", "m", "m", "x", "-", "f"], strict=True))
    asked = f"Selected@{cutoff} Impact@{cutoff} Selected(above=median)"
    found = [*pooled(asked, run, labels=labels).values()]
    renamed = {docno: {"f": "c", "m": "b", "x": "a"}.get(group, group) for docno, group in labels.items()}
    other = [*pooled(asked, run, labels=renamed).values()]
    assert [found[at] for at in (2, 1, 0, 3)] == pytest.approx(other[:4], nan_ok=True)
    monotone = {qid: {docno: score**3 for docno, score in ranking.items()} for qid, ranking in run.items()}
    assert [*pooled(asked, monotone, labels=labels).values()] == pytest.approx(found, nan_ok=True)
    twice = {f"{qid} {at}": ranking for qid, ranking in run.items() for at in (1, 2)}
    assert [*pooled(asked, twice, labels=labels).values()] == pytest.approx(found, nan_ok=True)
    (whole,) = pooled("Impact@8", run, labels=labels).values()
    assert math.isnan(whole) or whole == 1


def test_a_word_stands_for_each_group():
    assert Exposure(group="each") == Exposure()
    assert pooled("Exposure(group=each)@3").keys() == pooled("Exposure@3").keys()
    assert str(Impact(group="each")) == "Impact(group='each')@10"
    assert Impact(group="each") != Impact()
    assert [*pooled("Impact Impact(group=each) Impact(group=f)")] == [
        "Impact@10", "Impact(group='f')@10", "Impact(group='m')@10", "Impact(group='x')@10", "Impact(group='f')@10",
    ][:4]  # fmt: skip


def test_no_ranking_longer_than_the_cutoff_is_noted():
    kinds = [[note.kind.name for note in evaluate(f"Selected@{k}").scores[0].notes] for k in (4, 5)]
    assert ["all selected" in each for each in kinds] == [False, True]


def test_soft_labels_and_attributes():
    labels = {"a": {"f": 0.5, "m": 0.5}, "b": {"m": 1.0}, "c": {"f": 1.0}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    found = numbers("Selected@1", run, labels=labels)
    assert found["Selected(group='f')@1"] == {"n": 1.5, "selected": 0.5, "share": 0.5}
    both = fairtrec.attributes(sex=LABELS, kind={docno: "kl"[docno > "b"] for docno in LABELS})
    (crossed,) = pooled("Selected(by='sex*kind',group='f*l')@2", labels=both).values()
    assert crossed == 0  # only d


@pytest.mark.parametrize(
    ("measure", "options", "what"),
    [
        ("Selected(above=1)@5", {}, "above selects by score, and @5 by rank"),
        ("Selected(above=mean)", {}, "above is 'mean'; it is a number, or median"),
        ("Impact(min_share=1)", {}, "min_share is 1.0; it is a share from 0 to below 1"),
        ("Selected(above=1)", {"order": "rank"}, "selects by score; leave out order=rank"),
        ("Impact@2", {"bounds": "ties"}, "Impact@2 has no bounds"),
        ("Impact@2", {"pool": None}, "Impact@2 is over all queries; add pool=even"),
        ("Impact(group=q)@2", {}, "there is no group 'q'"),
    ],
)
def test_what_does_not_fit_is_refused(measure, options, what):
    with pytest.raises(UsageError, match=what.replace("(", r"\(")):
        evaluate(measure, **options)


def test_the_median_is_of_one_ranking_for_each_query(tmp_path):
    (tmp_path / "samples.run").write_text("q1 1 a 1 2 t\nq1 2 b 1 2 t\n")
    with pytest.raises(UsageError, match="is of one ranking for each query; leave out samples="):
        pooled("Selected(above=median)", str(tmp_path / "samples.run"), samples=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in RUN.items() for d, score in ranking.items())
    (tmp_path / "my.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "slices").write_text("q1\tone\nq2\ttwo\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVAL = ["eval", "none", "my.run", "--labels", "labels", "--pool", "even", "-m"]


def test_a_table_has_a_row_for_each_group(folder, fairtrec_command):
    ended = fairtrec_command(*EVAL, "Selected(group=each)@2 Impact@2", "-f", "table")
    rows = [line.split() for line in ended.out.splitlines()]
    assert rows[1] == ["group", "n", "share", "selected", "rate", "ratio", "to", "x"]
    assert rows[3:9] == [
        ["f", "3", "42.9", "%", "2", "0.6667", "0.6667"],
        ["m", "3", "42.9", "%", "1", "0.3333", "0.3333"],
        ["x", "1", "14.3", "%", "1", "1.0000", "reference"],
        ["none", "1", "0", "0.0000"],
        ["unknown", "1", "0", "0.0000"],
        ["Impact@2", "0.3333"],
    ]


def test_what_has_no_mean_has_no_interval_of_one(folder, fairtrec_command):
    lines = fairtrec_command(*EVAL, "Impact@2 AWRF@2", "--confidence", "0.9").out.splitlines()
    of_impact = [line.split()[:2] for line in lines if line.startswith("Impact@2")]
    assert of_impact == [["Impact@2", "pooled"], ["Impact@2.low", "pooled"], ["Impact@2.high", "pooled"]]
    assert any(line.split()[:2] == ["AWRF@2.low", "all"] for line in lines)
    cells = fairtrec_command(*EVAL, "Impact@2", "--confidence", "0.9", "-f", "csv").out.splitlines()[1]
    assert cells.endswith(",,,")


def test_other_measures_keep_their_table(folder, fairtrec_command):
    ended = fairtrec_command(*EVAL, "Selected(group=f)@2 DP", "-f", "md", "--slice", "slices")
    tables = ended.out.split("**")
    assert "Selected" not in tables[0]
    assert "| slice | run | queries | DP" in tables[0]
    assert tables[1::2] == ["all", "one", "two"]
    assert "| f | 2 | 50.0 % | 1 | 0.5000 |" in tables[4]


def test_json_has_the_counts_and_the_bounds(folder, fairtrec_command):
    ended = fairtrec_command(*EVAL, "Selected(group=f)@2 Impact@2", "-f", "jsonl", "--bounds", "labels")
    rate, ratio = map(json.loads, ended.out.splitlines())
    assert {name: rate[name] for name in ("qid", "value", "n", "selected", "bounded")} == {
        "qid": "pooled", "value": 2 / 3, "n": 3, "selected": 2, "bounded": False
    }  # fmt: skip
    assert (rate["least"], rate["greatest"]) == (2 / 4, 2 / 3)  # e is not selected
    assert ratio["least"] == 1 / 4
    ended = fairtrec_command(*EVAL, "Selected(group=f)@2", "-f", "json")
    (run,) = json.loads(ended.out)["runs"]
    assert run["pooled_numbers"] == {"Selected(group='f')@2": {"n": 3, "selected": 2, "share": 3 / 7}}


def test_results_are_replayed(folder, fairtrec_command):
    assert fairtrec_command(*EVAL, "Selected@2 Impact(above=median)", "-f", "json", "-o", "a.json").code == 0
    assert fairtrec_command("results", "replay", "a.json").code == 0
    assert Selected().uses_scores is False


def test_the_ratio_of_one_group_is_bounded_over_all_labelings():
    labels = {"a": "f", "b": "m", "c": "f", "d": "m"}
    (scores,) = fairtrec.evaluate(
        "Impact(group='f')@2", {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "e": 0.5}}, labels=labels, pool="even",
        bounds="labels",
    ).scores  # fmt: skip
    found = scores.describe_total(scores.measures[0])
    assert (found["least"], found["greatest"]) == (
        pytest.approx(2 / 3),
        1.0,
    )  # e is of f: 1/3 to 1/2; of m: 1/2 is most


def test_what_is_undefined_has_no_interval():
    runs, labels = {"q": {"a": 2.0, "b": 1.0}, "r": {"c": 2.0, "d": 1.0}}, dict.fromkeys("abcd", "f") | {"z": "m"}
    for measure in ("Impact@1", "DTR@2"):
        given_ = {"qrels": {"q": {"a": 1}, "r": {"c": 1}}, "labels": labels, "pool": "even"}
        result = fairtrec.evaluate(measure, runs, **given_).with_confidence(0.95)
        found = result.scores[0].describe_total(result.scores[0].measures[0])
        assert math.isnan(found.get("low", math.nan))


def test_exposure_with_targets_that_differ_is_bounded_as_itself(tmp_path):
    (tmp_path / "t.tsv").write_text(
        "qid\tgroup\tshare\nq\tf\t0.5\nq\tm\t0.5\nr\tf\t0.2\nr\tm\t0.8\ns\tf\t0.4\ns\tm\t0.6\n"
    )
    runs = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"b": 3.0, "a": 2.0, "c": 1.0}, "s": {"c": 2.0, "b": 1.0}}
    given_ = {"labels": {"a": "f", "b": "m", "c": "m"}, "target": str(tmp_path / "t.tsv"), "pool": "even"}
    result = fairtrec.evaluate("Exposure(group='f')@3", runs, **given_).with_confidence(0.95)
    found, value = result.scores[0].describe_total(result.scores[0].measures[0]), result.scores[0].totals["pooled"][0]
    assert found["low"] < value < found["high"]
