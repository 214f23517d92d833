"""``gold judges --families``: against least squares with clustered errors, and figures of real runs."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.lab.gold.judge_families import FamilyList, compare_families
from fairtrec.measures.catalogue import registry
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import REPOSITORY

SHARED = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared"))
QIDS = [f"q{number:02}" for number in range(14)]
DOCNOS = [f"d{number}" for number in range(8)]
FAMILIES = {"one": "lexical", "two": "lexical", "three": "neural", "four": "neural", "five": "other"}


def draw_runs(seed=3):
    draw = np.random.default_rng(seed)
    return {
        run: {qid: dict(zip(DOCNOS, draw.permutation(len(DOCNOS)).astype(float).tolist(), strict=True)) for qid in QIDS}
        for run in FAMILIES
    }


def draw_grades(seed):
    draw = np.random.default_rng(seed)
    return {qid: {docno: int(draw.integers(0, 2)) for docno in DOCNOS} for qid in QIDS}


RUNS, PEOPLE, JUDGE = draw_runs(), draw_grades(1), draw_grades(2)


def audit(**more):
    families = {run: family for run, family in FAMILIES.items() if family != "other"}
    given = {"runs": RUNS, "families": families, "measures": "P@3", **more}
    return fairtrec.gold.judges(PEOPLE, {"judge": JUDGE}, **given)


def list_values(measure="P@3"):
    """Give the values by the judge less those by people [run, query], as eval prints them."""
    values = []
    for qrels in (PEOPLE, JUDGE):
        scores = fairtrec.evaluate(measure, RUNS, qrels=qrels).scores
        values.append(np.array([each.values[0] for each in scores]))
    return values[1] - values[0]


def test_a_family_is_that_of_least_squares_with_clustered_errors():
    """A dummy for the family, and one for each topic; errors clustered by topic, times Q / (Q - 1)."""
    import statsmodels.api as sm

    differences = list_values()
    found = {family.family: family for family in audit(equivalence=0.2).judges[0].families}
    for name in ("lexical", "neural"):
        rows = [
            (differences[run, query], FAMILIES[of] == name, query)
            for run, of in enumerate(FAMILIES)
            for query in range(len(QIDS))
        ]
        values, inside, topics = (np.array(column) for column in zip(*rows, strict=True))
        design = np.column_stack([inside, np.eye(len(QIDS))[topics]]).astype(float)
        ways = {"groups": topics, "use_correction": False}
        fit = sm.OLS(values, design).fit(cov_type="cluster", cov_kwds=ways, use_t=True)
        family = found[name]
        assert family.difference == pytest.approx(fit.params[0], abs=1e-9)
        error = np.sqrt(fit.cov_params()[0, 0] * len(QIDS) / (len(QIDS) - 1))
        assert family.difference_high - family.difference == pytest.approx(error * 2.1603686564610127, abs=1e-9)
        assert family.queries == len(QIDS)
        assert family.runs == 2


def test_a_family_in_arithmetic():
    differences = list_values()
    found = {family.family: family for family in audit().judges[0].families}
    lexical = differences[:2].mean(axis=0)
    others = differences[2:].mean(axis=0)
    assert found["lexical"].value == pytest.approx(lexical.mean(), abs=1e-12)
    assert found["lexical"].difference == pytest.approx((lexical - others).mean(), abs=1e-12)
    error = (lexical - others).std(ddof=1) / np.sqrt(len(QIDS))
    reach = 2.1603686564610127 * error  # t of 13 degrees of freedom
    assert found["lexical"].difference_low == pytest.approx((lexical - others).mean() - reach, abs=1e-9)


@given(st.integers(0, 1000))
def test_people_as_the_judge_favor_no_family(seed):
    runs, people = draw_runs(seed), draw_grades(seed)
    found = fairtrec.gold.judges(people, people, runs=runs, families=FAMILIES, measures="P@3 nDCG@5")
    assert len(found.judges[0].families) == 6
    for family in found.judges[0].families:
        assert (family.value, family.difference, family.p, family.verdict) == (0, 0, 1, "not shown")
        assert not family.doubtful


def test_a_judge_that_favors_a_family_is_shown():
    tops = {qid: {max(RUNS["three"][qid], key=RUNS["three"][qid].get)} for qid in QIDS}
    judge = {qid: {docno: int(docno in tops[qid] or grade > 0) for docno, grade in PEOPLE[qid].items()} for qid in QIDS}
    families = fairtrec.gold.judges(PEOPLE, judge, runs=RUNS, families={"three": "favored"}, measures="P@1")
    (family,) = families.judges[0].families
    assert (family.verdict, family.runs) == ("higher", 1)
    (back,) = (
        fairtrec.gold.judges(judge, PEOPLE, runs=RUNS, families={"three": "favored"}, measures="P@1").judges[0].families
    )
    assert back.verdict == "lower"
    assert back.difference == pytest.approx(-family.difference, abs=1e-15)


def test_holm_is_over_families_judges_and_measures():
    judges = {"one": JUDGE, "two": draw_grades(5)}
    found = fairtrec.gold.judges(PEOPLE, judges, runs=RUNS, families=FAMILIES, measures="P@3 nDCG@5")
    every = [family for audit in found.judges for family in audit.families]
    assert len(every) == 2 * 3 * 2
    order = np.argsort([family.p for family in every])
    holm = np.maximum.accumulate([min(1, (12 - at) * every[number].p) for at, number in enumerate(order)])
    assert [every[number].p_corrected for number in order] == pytest.approx(holm.tolist(), abs=1e-12)


def test_few_deciding_queries_are_doubtful():
    differences = np.zeros((3, 30))
    differences[0, :4] = 0.5
    (family,) = compare_families(
        registry.parse("P@10")[0], differences, FamilyList({"a": (0,)}, ""), Procedure(equivalence=0.5)
    )
    assert family.doubtful
    assert family.p_equivalent < 0.05


@pytest.mark.parametrize("separator", ["\t", " "])
@pytest.mark.parametrize("ending", ["", ".run", " of all endings", " by tag"])
def test_a_file_names_runs_as_they_are_printed_by_file_or_by_tag(tmp_path, separator, ending):
    names = {}
    for number, (run, rankings) in enumerate(RUNS.items()):
        path = tmp_path / f"{run}.run"
        lines = [f"{q} Q0 {d} 1 {score} tag{number}" for q, of in rankings.items() for d, score in of.items()]
        path.write_text("\n".join(lines))
        names[run] = {"": run, ".run": f"{run}.run", " of all endings": run, " by tag": f"tag{number}"}[ending]
    listed = tmp_path / "families.tsv"
    listed.write_text("".join(f"{names[run]}{separator}{family} runs\n" for run, family in FAMILIES.items()))
    found = audit(runs=sorted(tmp_path.glob("*.run")), families=listed).judges[0].families
    assert {family.family: family.runs for family in found} == {"lexical runs": 2, "neural runs": 2, "other runs": 1}
    listed.write_text("family,run\n" + "".join(f"{family},{names[run]}\n" for run, family in FAMILIES.items()))
    assert len(audit(runs=sorted(tmp_path.glob("*.run")), families=listed).judges[0].families) == 3


def test_families_are_words_with_which_names_begin():
    found = audit(families="t,tw,no").judges[0].families
    assert [(family.family, family.runs) for family in found] == [("t", 1), ("tw", 1)]


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"runs": None, "measures": None}, UsageError, "families are of runs, and there are none; add runs="),
        ({"families": None, "equivalence": 0.1, "labels": {"d0": "f", "d1": "m"}}, UsageError, "add families=, or leave"),
        ({"families": dict.fromkeys(RUNS, "all")}, UsageError, "one family has no others, and all runs are of all"),
        ({"families": None}, UsageError, "nothing decides groups"),
        ({"families": {"six": "lexical"}}, InputError, "no line names a run; the runs are one, two, three"),
        ({"families": "no-such.tsv"}, InputError, "no name begins so, and there is no such file"),
        ({"equivalence": -1}, UsageError, "the margin of equivalence is -1"),
    ],
)  # fmt: skip
def test_what_has_no_families_is_refused(given, error, says):
    with pytest.raises(error, match=says):
        audit(**given)


def test_a_run_twice_in_the_file_is_refused_with_its_line(tmp_path):
    listed = tmp_path / "families.tsv"
    listed.write_text("# families\none\tlexical\ntwo\tlexical\none\tneural\n")
    with pytest.raises(InputError, match=r"families\.tsv:4: run one is in the list twice, of lexical and of neural"):
        audit(families=listed)
    listed.write_text("one\n")
    with pytest.raises(InputError, match=r"families\.tsv:1: 1 column instead of two; write: run<TAB>family"):
        audit(families=listed)


def test_groups_and_families_go_together():
    labels = {docno: "fm"[number % 2] for number, docno in enumerate(DOCNOS)}
    both = audit(labels=labels).judges[0]
    assert len(both.differences) == 2
    alone = audit().judges[0]
    assert [group.group for group in alone.groups] == ["all"]
    assert alone.differences == ()
    assert [family.difference for family in both.families] == [family.difference for family in alone.families]


def test_json_has_the_families(tmp_path):
    audit(equivalence=0.2).write(tmp_path / "families.json")
    (judge,) = json.loads((tmp_path / "families.json").read_text())["judges"]
    assert [*judge["families"][0]] == [
        "measure", "family", "runs", "queries", "value", "low", "high", "difference", "difference_low",
        "difference_high", "p", "p_corrected", "p_equivalent", "verdict", "doubtful",
    ]  # fmt: skip
    audit(equivalence=0.2).write(tmp_path / "families.csv")
    text = (tmp_path / "families.csv").read_text()
    assert (
        text.count("family difference P@3") == text.count("family mean P@3") == text.count("family p_equivalent") == 2
    )


JUDGMENTS = "Methods/Exam/selfrate_graded/gpt4/exam_graded_qrels/qrels.max.exam_selfrate_graded_dl19.txt"


def test_gpt_4_favors_no_rerankers_of_dl_2019(tmp_path):
    """The judgments are those of a public repository, as its git directory; FAIRTREC_JUDGMENTS says where that is."""
    place = os.environ.get("FAIRTREC_JUDGMENTS", "")
    if not place or not (SHARED / "data" / "rankllm-dl19").is_dir():
        pytest.skip("the judgments by gpt-4 are not at hand; set FAIRTREC_JUDGMENTS to a git directory that has them")
    show = ["git", f"--git-dir={place}", "show", f"HEAD:{JUDGMENTS}"]
    (tmp_path / "gpt4.qrels").write_bytes(subprocess.run(show, check=True, capture_output=True).stdout)
    runs = [
        run for run in sorted((SHARED / "data" / "rankllm-dl19").glob("*.run"))
        if len(run.read_text().partition("\n")[0].split()) == 6
    ]  # fmt: skip
    families = {run.name: "LLM reranker" for run in runs if "trec_results" not in run.name}
    found = fairtrec.gold.judges(
        SHARED / "data" / "qrels" / "qrels.dl19-passage.txt", tmp_path / "gpt4.qrels", runs=runs, families=families,
        measures="P@10", relevance_level=2, judge_level=4, equivalence=0.05,
    )  # fmt: skip
    (family,) = found.judges[0].families
    assert (family.runs, family.queries, family.verdict) == (37, 43, "not shown")
    assert [round(number, 4) for number in (family.value, family.low, family.high)] == [-0.0485, -0.1473, 0.0502]
    apart = family.difference, family.difference_low, family.difference_high
    assert [round(number, 4) for number in apart] == [0.0209, -0.0059, 0.0476]
    assert [round(number, 4) for number in (family.p, family.p_corrected, family.p_equivalent)] == [
        0.1229,
        0.1229,
        0.0167,
    ]


@pytest.mark.parametrize(
    ("families", "said"),
    [
        ({"one": "lexical", "thre": "neural", "four": "neural"}, ["families: no run of runs= fits thre"]),
        ({"one": "lexical", "x": "neural", "y": "neural"}, ["families: no run of runs= fits x, nor 1 more"]),
        ({"one": "lexical", "four": "neural"}, []),
    ],
)
def test_a_name_that_fits_no_run_is_noted(families, said):
    """A misspelled run counts among the others, which changes a difference."""
    found = [str(note) for note in audit(families=families).notes]
    assert [note for note in found if note.startswith("families: ")] == said
