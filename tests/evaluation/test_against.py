"""``--against``: the difference of each slice of queries from one of them."""

import csv
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.evaluation.slice_differences import compare_slices, sort_slices
from fairtrec.evaluation.slices import Slices, split_result
from fairtrec.statistics.deleted_clusters import Deletions, compare_deletions
from fairtrec.support.errors import UsageError

DOCNOS = "abcdefgh"
LABELS = dict(zip(DOCNOS, "ffmmm-mf", strict=True))
POOLED = "AWRF@3 Exposure(group=f)@3 EED@3 DP Selected(group=f)@2"


def draw_run(seed, queries=18):
    random = np.random.default_rng(seed)
    return {
        f"q{at}": {d: -float(rank) for rank, d in enumerate(random.permutation([*DOCNOS])[: 4 + at % 5])}
        for at in range(queries)
    }


RUN = draw_run(1)
QIDS = [*RUN]
CLUSTER = {qid: f"user {at % 7}" for at, qid in enumerate(QIDS)}
SLICES = {"mon": QIDS[:8], "tue": QIDS[8:]}


def describe(measure, slices=SLICES, against="mon", run=RUN, correction="holm", **given_):
    """What files say of the difference of each slice."""
    result = fairtrec.evaluate(measure, run, **{"labels": LABELS, "pool": "even", **given_}).with_confidence(0.95)
    parts = compare_slices(dict(split_result(result, Slices(slices))), against, correction)
    found = {}
    for name, part in parts.items():
        scores = part.scores[0]
        for row, each in enumerate(scores.measures):
            total = scores.describe_total(each) if scores.totals.get("pooled", [None] * 99)[row] is not None else {}
            told = {**scores.columns["compared_slices"].describe_mean(scores, row), **total}
            if "against" in told:
                found[name, str(each)] = told
    return found


def pool(measure, qids):
    if not qids:
        return math.nan
    scores = fairtrec.evaluate(measure, {qid: RUN[qid] for qid in qids}, labels=LABELS, pool="even").scores[0]
    return scores.totals["pooled"][0]


def delete_one_by_one(measure, slices, cluster):
    """The value of each slice, and what the deletion of each cluster changes: 0 if it is not in the slice."""
    names = sorted({*cluster.values()})
    values = {name: pool(measure, qids) for name, qids in slices.items()}
    changes, counts = {}, {}
    for name, qids in slices.items():
        there = [each for each in names if any(cluster[qid] == each for qid in qids)]
        without = {each: pool(measure, [qid for qid in qids if cluster[qid] != each]) for each in there}
        scale = math.sqrt((len(there) - 1) / len(there))
        changes[name] = np.array([scale * (without[each] - values[name]) if each in there else 0.0 for each in names])
        counts[name] = len(there)
    return values, changes


@pytest.mark.parametrize("cluster", [None, CLUSTER], ids=["queries", "clusters"])
@pytest.mark.parametrize("measure", POOLED.split())
def test_a_cluster_of_both_slices_counts_once(measure, cluster):
    values, changes = delete_one_by_one(measure, SLICES, cluster or {qid: qid for qid in QIDS})
    if measure == "DP":  # whose groups stay; this holds if no deletion turns them
        assert not math.isnan(values["mon"])
    (found,) = [each for (name, _), each in describe(measure, cluster=cluster).items() if name == "tue"]
    difference = values["tue"] - values["mon"]
    error = math.sqrt(np.square(changes["tue"] - changes["mon"]).sum())
    freedoms = []
    for qids in SLICES.values():
        of_slice = fairtrec.evaluate(
            measure, {qid: RUN[qid] for qid in qids}, labels=LABELS, pool="even", cluster=cluster
        ).with_confidence(0.95).scores[0]  # fmt: skip
        freedoms.append(of_slice.describe_total(of_slice.measures[0])["effective"] - 1)
    reach = stats.t.isf(0.025, max(min(freedoms), 1)) * error
    assert found["difference"] == pytest.approx(difference)
    assert found["difference_high"] - found["difference"] == pytest.approx(reach)
    assert found["p"] == pytest.approx(2 * stats.t.sf(abs(difference) / error, max(min(freedoms), 1)))


def test_a_slice_is_compared_with_all_of_which_it_is_a_part():
    measure = "Exposure(group=f)@3"
    values, changes = delete_one_by_one(measure, {"all": QIDS, **SLICES}, {qid: qid for qid in QIDS})
    found = describe(measure, against="all")
    for name in SLICES:
        (told,) = [each for (slice_, _), each in found.items() if slice_ == name]
        assert told["difference"] == pytest.approx(values[name] - values["all"])
        error = math.sqrt(np.square(changes[name] - changes["all"]).sum())
        assert told["difference_high"] - told["difference"] > 0
        assert stats.t.sf(abs(told["difference"]) / error, 17) * 2 < told["p"]  # K is less than that of all queries
    assert not [name for name, _ in found if name == "all"]


def test_means_are_compared_too_and_independent_slices_as_by_welch():
    qrels = {qid: {docno: (at + place) % 2 for place, docno in enumerate(DOCNOS)} for at, qid in enumerate(QIDS)}
    ((_, found),) = describe("nDCG@3", pool=None, qrels=qrels, labels=None).items()
    scores = fairtrec.evaluate("nDCG@3", RUN, qrels=qrels).scores[0]
    values = dict(zip(scores.qids, scores.values[0].tolist(), strict=True))
    one, other = (np.array([values[qid] for qid in SLICES[name]]) for name in ("tue", "mon"))
    error = math.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
    t = (one.mean() - other.mean()) / error
    assert found["difference"] == pytest.approx(one.mean() - other.mean())
    assert found["p"] == pytest.approx(2 * stats.t.sf(abs(t), min(len(one), len(other)) - 1))
    assert found["difference_doubtful"]  # fewer than ten queries


def test_p_is_corrected_over_all_differences_of_a_report():
    slices = {name: QIDS[at::3] for at, name in enumerate("xyz")}
    plain = describe(POOLED, slices, "x", correction="none")
    p = sorted(each["p"] for each in plain.values())
    assert len(p) == 10
    holm = dict(zip(p, np.minimum(1, np.maximum.accumulate(np.array(p) * np.arange(len(p), 0, -1))), strict=True))
    for each in describe(POOLED, slices, "x").values():
        assert each["p_corrected"] == pytest.approx(holm[each["p"]])
    for each in describe(POOLED, slices, "x", correction="bonferroni").values():
        assert each["p_corrected"] == pytest.approx(min(1, 10 * each["p"]))


def test_the_other_way_round_the_sign_changes():
    one, other = describe(POOLED, against="mon"), describe(POOLED, against="tue")
    for (_, measure), found in one.items():
        turned = other["mon", measure]
        assert turned["difference"] == -found["difference"]
        assert turned["difference_low"] == pytest.approx(-found["difference_high"])
        assert turned["p"] == found["p"]


def test_a_slice_of_the_same_queries_does_not_differ():
    for each in describe(f"{POOLED} NDKL@3", {"one": QIDS, "two": QIDS[::-1]}, "one", cluster=CLUSTER).values():
        assert (each["difference"], each["p"], each["difference_doubtful"]) == (pytest.approx(0), 1, False)


def test_values_without_an_interval_have_a_difference_only():
    result = fairtrec.evaluate("Retrievability(group=f)@3", RUN, labels=LABELS, pool="even")
    part = compare_slices(dict(split_result(result, Slices(SLICES))), "mon")["tue"].scores[0]
    found = part.describe_total(part.measures[0])
    assert not math.isnan(found["difference"])
    assert math.isnan(found["p"])


@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_the_differences_of_a_group_are_balanced(many, random):
    # the exposure of a group in all queries is that of all slices together
    slices = {f"s{at}": [] for at in range(many)}
    for at, qid in enumerate(QIDS):
        slices[f"s{at % many}" if at < many else random.choice([*slices])].append(qid)
    found = describe("Exposure(group=f)@3", slices, "all")
    weights = 1 / np.log2(np.arange(2, 5))
    exposed = {
        name: sum(
            weights[rank]
            for qid in qids
            for rank, docno in enumerate(sorted(RUN[qid], key=RUN[qid].get, reverse=True)[:3])
            if LABELS[docno] != "-"
        )
        for name, qids in slices.items()
    }
    assert sum(exposed[name] * each["difference"] for (name, _), each in found.items()) == pytest.approx(0, abs=1e-12)


def test_deletions_of_one_value_are_scaled_by_its_own_clusters():
    one, other = Deletions(0.5, np.array([0.1, -0.1]), 2, 30.0), Deletions(0.2, np.array([0.0, 0.2, -0.2]), 2, 20.0)
    found = compare_deletions(one, other, 0.95)
    assert found.error == pytest.approx(math.sqrt(0.5) * math.sqrt(0.1**2 + 0.3**2 + 0.2**2))
    assert found.effective == 20


def test_slices_stand_in_the_order_of_numbers_or_texts():
    assert [*sort_slices(Slices({"10": [], "9": [], "1e1": []}))] == ["9", "10", "1e1"]
    assert [*sort_slices(Slices({"2026-03-04": [], "2026-03-02": []}))] == ["2026-03-02", "2026-03-04"]
    assert [*sort_slices(Slices({"nan": [], "9": [], "10": []}))] == ["10", "9", "nan"]


# --- the log of the specification ---


@pytest.fixture
def log(shared, tmp_path, monkeypatch):
    """The log as a TREC run: an unlabeled document stands at each position that has no row."""
    path = shared / "specs" / "audit" / "log.csv"
    if not path.is_file():
        pytest.skip(f"needs {path}")
    of = {"group": {}, "user_id": {}, "day": {}}
    run = dict[str, dict[int, str]]()
    for row in csv.DictReader(path.read_text().splitlines()):
        run.setdefault(row["request_id"], {})[int(row["position"])] = row["item_id"]
        of["group"] |= {row["item_id"]: row["provider_group"]} if row["provider_group"] else {}
        for name in ("user_id", "day"):
            of[name][row["request_id"]] = row[name]
    lines = [
        f"{qid} Q0 {at.get(rank, f'gap-{qid}-{rank}')} {rank} {-rank} log\n"
        for qid, at in run.items()
        for rank in range(1, max(at) + 1)
    ]
    (tmp_path / "log.run").write_text("".join(lines))
    for name, values in of.items():
        (tmp_path / name).write_text("".join(f"{key}\t{value}\n" for key, value in values.items()))
    monkeypatch.chdir(tmp_path)
    return [*csv.DictReader((path.parent / "expected.tsv").read_text().splitlines(), delimiter="\t")]


def read_tables(text):
    """The cells of all lines of tables in Markdown."""
    lines = [line.replace("\\", "") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


EVAL = (
    "eval",
    "none",
    "log.run",
    "--labels",
    "group",
    "--pool",
    "even",
    "--slice",
    "day",
    "-m",
    "Exposure(group=local)@5",
)
AGAINST = (*EVAL, "--against", "first", "--confidence", ".95")


def test_the_digits_of_another_program(log, fairtrec_command):
    tried = 0
    for row in log:
        where, _, p = row["options"].partition(", p ")
        if not p:
            continue
        call = [*AGAINST, *["--cluster", "user_id"] * ("cluster" in where), "-f", "json"]
        found = json.loads(fairtrec_command(*call).out)["runs"][0]["slices"]
        day = where.partition("slice ")[2].partition(" less")[0]
        told = found[day]["pooled_numbers"]["Exposure(group='local')@5"]
        numbers = [told[name] for name in ("difference", "difference_low", "difference_high")]
        assert numbers == pytest.approx([float(row[name]) for name in ("value", "low", "high")], abs=1e-9)
        assert told["p"] == pytest.approx(float(p), abs=1e-6)
        assert told["against"] == "2026-03-02"
        tried += 1
    assert tried == 4


def test_the_table_of_the_specification(log, fairtrec_command):
    ended = fairtrec_command(*AGAINST, "-f", "md")
    assert ended.code == 0, ended
    lines = read_tables(ended.out)
    assert lines[0] == ["slice", "queries", "Exposure(group='local')@5, pooled", "less 2026-03-02", "p Holm"]
    assert lines[2:] == [
        ["all", "15", "-0.0473 [-0.1599, 0.0704]", "", ""],
        ["2026-03-02", "5", "0.0266 [-0.1800, 0.2245] ?", "", ""],
        ["2026-03-03", "5", "0.1192 [-0.0584, 0.2698] ?", "+0.0926 [-0.1828, +0.3680] ?", "0.3797"],
        ["2026-03-04", "5", "-0.2786 [-0.3356, -0.2087] ?", "-0.3052 [-0.5301, -0.0804] ?", "0.0431"],
    ]
    assert "difference" not in {line[0] for line in lines}
    assert "| against:2026-03-02 | correction:holm" in ended.out
    table = fairtrec_command(*AGAINST, "-f", "table")
    assert "less 2026-03-02: difference, its 95% interval, p by deletion of one query after the other" in " ".join(
        table.out.split()
    )


def test_groups_and_slices_are_a_matrix(log, fairtrec_command):
    call = [*EVAL[:-1], "Exposure(group=each)@5", "--against", "all", "--confidence", ".95", "--cluster", "user_id"]
    ended = fairtrec_command(*call, "-f", "md")
    lines = read_tables(ended.out)
    found = json.loads(fairtrec_command(*call, "-f", "json").out)["runs"][0]["slices"]
    assert "**Exposure@5, pooled**" in ended.out
    assert lines[0] == ["slice", "queries", "chain", "local"]
    assert lines[2] == ["all", "15", "0.0473", "-0.0473"]
    for at, day in enumerate(("2026-03-02", "2026-03-03", "2026-03-04")):
        told = [found[day]["pooled_numbers"][f"Exposure(group='{group}')@5"] for group in ("chain", "local")]
        values = [found[day]["pooled"][f"Exposure(group='{group}')@5"] for group in ("chain", "local")]
        assert lines[3 + 2 * at] == [day, "5", *(f"{value:.4f}" for value in values)]
        marks = ["*" * (each["p_corrected"] <= 0.05) + "?" * each["difference_doubtful"] for each in told]
        cells = [f"{each['difference']:+.4f}{mark}" for each, mark in zip(told, marks, strict=True)]
        assert lines[4 + 2 * at] == ["less all", "", *cells]
    several = fairtrec_command(*call, "-f", "md", "-m", "AWRF@5").out
    assert several.count("| slice |") == 2  # a table of the measure of all groups, and the matrix


def test_more_than_eight_groups_are_rows(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    groups = {docno: f"g{at}" for at, docno in enumerate("abcdefghi")}
    random = np.random.default_rng(3)
    lines = [
        f"q{at} Q0 {docno} 1 {-rank} r\n"
        for at in range(12)
        for rank, docno in enumerate(random.permutation([*groups]))
    ]
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in groups.items()))
    (tmp_path / "slices").write_text("".join(f"q{at}\t{at % 2}\n" for at in range(12)))
    call = ["eval", "none", "a.run", "--labels", "labels", "-m", "Selected@3", "--pool", "even"]
    ended = fairtrec_command(*call, "--slice", "slices", "--against", "all", "-f", "md")
    lines = read_tables(ended.out)
    assert lines[0] == ["group", "all (12)", "0 (6)", "1 (6)"]
    assert [line[0] for line in lines[2:6]] == ["g0", "less all", "g1", "less all"]
    assert lines[3][1] == ""
    assert len(lines) == 2 + 18


def test_every_format_has_them(log, tmp_path, fairtrec_command):
    for form in ("tsv", "jsonl", "trec", "tira", "flat", "latex"):
        ended = fairtrec_command(*AGAINST, "-f", form)
        assert ended.code == 0, ended
        assert "0.0926" in ended.out or "0.092595" in ended.out, form
    means = [each for each in AGAINST if each not in ("--pool", "even")]
    page = fairtrec_command(*means, "-f", "html")
    assert page.code == 0, page
    assert "less 2026-03-02" in page.out
    assert re.search(r"\+0\.084\d \[-0\.\d{4}, \+0\.\d{4}\]", page.out)
    rows = [*csv.DictReader(fairtrec_command(*AGAINST, "-f", "csv").out.splitlines())]
    (row,) = [each for each in rows if (each["slice"], each["qid"]) == ("2026-03-04", "pooled")]
    names = ("difference", "difference_low", "difference_high", "p", "p_corrected")
    assert [row[f"Exposure(group='local')@5.{name}"] for name in names] == [
        "-0.3052", "-0.5301", "-0.0804", "0.0216", "0.0431",
    ]  # fmt: skip
    assert fairtrec_command(*AGAINST, "-f", "json", "-o", "a.json").code == 0
    assert fairtrec_command("results", "replay", "a.json").code == 0
    result = fairtrec.evaluate("Exposure(group=local)@5", "log.run", labels="group", pool="even").with_confidence(0.95)
    result.write(tmp_path / "b.json", slices="day", against="first")
    one, other = (json.loads((tmp_path / name).read_text())["runs"][0]["slices"] for name in ("a.json", "b.json"))
    assert one == other


def test_queries_stand_before_the_slices(log, fairtrec_command):
    for form in ("table", "md"):
        out = fairtrec_command(*AGAINST, "-q", "-f", form).out
        assert out.index("r01" if "r01" in out else "req") < out.index("less 2026-03-02")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("--against first", "--against needs --slice; add --slice FILE, or leave it out"),
        (
            "--slice day --against noon",
            "--against noon is no slice; choose first, all or 2026-03-02, 2026-03-03, 2026-03-04",
        ),
        ("--slice day --correction bh", "--correction needs --against; add --against first, or leave it out"),
        (
            "--slice day --against first --bounds labels",
            "--against compares single values, and --bounds prints a range",
        ),
        (
            "--slice day --against first --aggregate median",
            "--against compares means, and --aggregate prints other values",
        ),
        ("--slice day --against first --gold group", "leave out --gold, or --against"),
        ("--slice day --against first --spread", "leave out --against"),
    ],
)
def test_what_does_not_fit_is_refused(log, options, what, fairtrec_command):
    ended = fairtrec_command(
        "eval", "none", "log.run", "--labels", "group", "-m", "Exposure(group=local,of=all)@5", *options.split()
    )
    assert (ended.code, ended.out) == (2, ""), ended
    assert what in ended.complaints[-1]


def test_python_refuses_the_same():
    result = fairtrec.evaluate("AWRF@3", RUN, labels=LABELS)
    with pytest.raises(UsageError, match="against= needs slices="):
        result.write("a.json", against="first")
