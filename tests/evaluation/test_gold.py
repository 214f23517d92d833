"""Values corrected by gold labels: what all labels give, laws, a plain program, and what is refused."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fairtrec
from fairtrec.data.ranking import depth
from fairtrec.measure import Floats, Ints, Measure, SumOverRanks
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts
from fairtrec_made.command_trials import gather_trials

DOCNOS = [f"d{at}" for at in range(14)]
GROUPS = ["f", "m", "n"]
SUMS = "Exposure(of='all')@5 Exposure(of='all',discount='log2_clipped')@3 EER@5 EER(discount='log2')@4"
LISTS = "AWRF@5 KL@4 NDKL@5 nDRKL@5 Exposure@5 DP@5"
WORDS = "FaiRR(tau=0)@5 RBDF@5 RaB(mag='bool')@5 ARaB(mag='bool')@4"
TEXTS = {"f": "she and her", "m": "he and him", "": "nobody", "fm": "she and he"}
TERMS = {"f": ["she", "her"], "m": ["he", "him"]}


def ranking(qids, random):
    """Rank some documents for each query."""
    return {qid: {str(d): -float(at) for at, d in enumerate(random.permutation(DOCNOS)[:7])} for qid in qids}


def labeled(random, groups, none=0.2):
    """Give each document a group, none, or two."""
    drawn = {d: random.choice(groups, 1 + (random.random() < 0.1), replace=False).tolist() for d in DOCNOS}
    return {d: ["-"] if random.random() < none else of for d, of in drawn.items()}


def sheet(tmp_path, rows, *, head="docno\tgroup\tprobability", made="", name="sheet.tsv"):
    """Write a sheet of gold labels."""
    lines = [*[made] * bool(made), head, *("\t".join(map(str, row)) for row in rows)]
    path = tmp_path / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def corrected(result, run=0):
    """The corrected means of a run, by measure."""
    scores = result.scores[run]
    return dict(zip(map(str, scores.measures), scores.settle("gold"), strict=True))


def alike(one, other):
    return math.isclose(one, other, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))


@given(st.integers(0, 10_000), st.sampled_from([SUMS, LISTS]))
def test_all_documents_labeled_is_evaluation_with_these_labels(seed, measures):
    """Whatever the instrument says, and with no width (law 1)."""
    random = np.random.default_rng(seed)
    run, gold = ranking("abcde", random), labeled(random, ["f", "m"], none=0.0)
    words = labeled(random, ["f", "m"], none=0.0)
    assume(all(len({group for of in each.values() for group in of}) == 2 for each in (gold, words)))
    found = corrected(fairtrec.evaluate(measures, run, labels=words, gold=gold))
    for name, value in fairtrec.evaluate(measures, run, labels=gold).means["run"].items():
        assert alike(found[name].corrected, value) or not math.isfinite(value), name
        assert alike(found[name].low, found[name].high)


@given(st.integers(0, 10_000))
def test_of_counts_too_where_a_label_says_enough(seed):
    random = np.random.default_rng(seed)
    run, gold = ranking("abc", random), labeled(random, ["f", "m"])
    texts = {d: TEXTS[str(random.choice([*TEXTS]))] for d in DOCNOS}
    found = corrected(fairtrec.evaluate(WORDS, run, terms=TERMS, docs=texts, gold=gold))
    for name, value in fairtrec.evaluate(WORDS, run, labels=gold).means["run"].items():
        assert alike(found[name].corrected, value), name
        assert alike(found[name].low, value), name  # which are cut where values of the measure end, to the last digit
        assert alike(found[name].high, value), name


@given(st.integers(0, 10_000), st.sampled_from([SUMS, LISTS]))
def test_an_instrument_that_is_right_is_not_corrected_and_still_not_certain(seed, measures):
    """Law 2: nobody knows that no other document is wrong."""
    random = np.random.default_rng(seed)
    run, gold = ranking([f"q{at}" for at in range(40)], random), labeled(random, ["f", "m"], none=0.0)
    if measures == LISTS:
        drawn = [(qid, d, g, 0.8) for qid in sorted(run)[:32] for d in run[qid] for g in gold[d]]
        columns = ("qid", "docno", "group", "probability")
    else:
        drawn, columns = [(d, g, 0.5) for d in DOCNOS[:8] for g in gold[d]], ("docno", "group", "probability")
    pandas = pytest.importorskip("pandas")
    result = fairtrec.evaluate(measures, run, labels=gold, gold=pandas.DataFrame(drawn, columns=columns))
    for name, found in corrected(result).items():
        assert alike(found.corrected, result.means["run"][name])
        assert found.differ == 0
        assert found.low < found.high if measures == SUMS else math.isnan(found.low)


@given(seed=st.integers(0, 10_000))
def test_what_one_group_gains_the_others_lose(seed, tmp_path_factory):
    """Law 3: of two groups and a third for none, in instrument and gold, the corrected exposures add up to 0."""
    random = np.random.default_rng(seed)
    run = ranking("abcdefgh", random)
    words, gold = ({d: str(random.choice(GROUPS)) for d in DOCNOS} for _ in range(2))
    words |= {DOCNOS[at]: group for at, group in enumerate(GROUPS)}
    path = sheet(tmp_path_factory.mktemp("gold"), [(d, gold[d], 0.3 + at / 20) for at, d in enumerate(DOCNOS[3:])])
    found = corrected(fairtrec.evaluate("Exposure(of='all')@5", run, labels=words, gold=path))
    assert sum(each.corrected for each in found.values()) == pytest.approx(0, abs=1e-12)


def test_the_order_of_lines_and_the_other_runs_change_nothing(tmp_path):
    """Law 4, of the correction."""
    random = np.random.default_rng(4)
    run, other, words = ranking("abcd", random), ranking("abcd", random), labeled(random, GROUPS)
    rows = [(d, "f", 0.5) for d in DOCNOS[:6]]
    one = fairtrec.evaluate(SUMS, {"r": run}, labels=words, gold=sheet(tmp_path, rows))
    turned = {qid: dict(reversed(ranks.items())) for qid, ranks in reversed(run.items())}
    several = {"other": other, "r": turned, "again": run}
    many = fairtrec.evaluate(SUMS, several, labels=words, gold=sheet(tmp_path, rows[::-1], name="b.tsv"))
    for at in (1, 2):
        for name, found in corrected(many, at).items():
            assert found.corrected == pytest.approx(corrected(one)[name].corrected, abs=1e-15)
            assert found.high == pytest.approx(corrected(one)[name].high, abs=1e-15)


def test_two_instruments_agree_within_their_intervals(tmp_path):
    """Law 7."""
    random = np.random.default_rng(7)
    run, gold = ranking([f"q{at}" for at in range(60)], random), {d: str(random.choice(["f", "m"])) for d in DOCNOS}
    path = sheet(tmp_path, [(d, gold[d], 0.6) for d in DOCNOS if random.random() < 0.6])
    careless = [dict.fromkeys(DOCNOS, "f") | {"x": "m"}, {d: str(random.choice(["f", "m"])) for d in DOCNOS}]
    found = [corrected(fairtrec.evaluate(SUMS, run, labels=each, gold=path)) for each in careless]
    for name, one in found[0].items():
        other = found[1][name]
        assert max(one.low, other.low) <= min(one.high, other.high)


def plain(run, words, rows, cutoff, group):
    """Correct the share of exposure of a group, document by document."""
    of_document, total, gold = {}, 0.0, {d: (g, p) for d, g, p in rows}
    for ranks in run.values():
        order = sorted(ranks, key=ranks.get, reverse=True)[:cutoff]
        every = sum(1 / math.log2(at + 2) for at in range(len(order)))
        for at, docno in enumerate(order):
            part = 1 / math.log2(at + 2) / every / len(run)
            of_document[docno] = of_document.get(docno, 0.0) + part
            total += part * (words[docno] == group)
    drawn = {d: w for d, w in of_document.items() if d in gold}
    weighed = sum(w / gold[d][1] for d, w in drawn.items())
    error = {d: (gold[d][0] == group) - (words[d] == group) for d in drawn}
    mean = sum(w / gold[d][1] * error[d] for d, w in drawn.items()) / weighed
    whole = sum(of_document.values())
    a = {d: w / gold[d][1] for d, w in drawn.items()}
    chance = {d: 1 - gold[d][1] for d in drawn}
    number = sum(a[d] for d in a if chance[d]) ** 2 / sum(a[d] ** 2 for d in a if chance[d])
    variance = sum(
        chance[d] * ((whole / weighed * a[d] * (error[d] - mean)) ** 2 + 2 * a[d] ** 2 / (number + 2)) for d in drawn
    )
    return total - 0.5 + whole * mean, variance, number - 1


def test_a_plain_program_gives_the_same(tmp_path):
    from scipy import stats

    random = np.random.default_rng(11)
    run = ranking([f"q{at}" for at in range(9)], random)
    words, gold = ({d: str(random.choice(["f", "m"])) for d in DOCNOS} for _ in range(2))
    rows = [(d, gold[d], p) for d, p in zip(DOCNOS, [0.2, 0.5, 1, 0.9, 0.35, 0.6, 0.8], strict=False)]
    found = corrected(
        fairtrec.evaluate("Exposure(group='f',of='all')@5", run, labels=words, gold=sheet(tmp_path, rows))
    )
    value, variance, freedom = plain(run, words, rows, 5, "f")
    (one,) = found.values()
    assert one.corrected == pytest.approx(value, abs=1e-13)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    assert (one.low, one.high) == pytest.approx((max(value - half, -0.5), min(value + half, 0.5)), abs=1e-12)
    looked_at = {d for ranks in run.values() for d in sorted(ranks, key=ranks.get, reverse=True)[:5]}
    assert one.gold == len(looked_at & {*DOCNOS[:7]})
    assert one.differ == sum((words[d] == "f") != (gold[d] == "f") for d in looked_at & {*DOCNOS[:7]})


def test_neutrality_by_gold_is_that_of_the_formula(tmp_path):
    # b of q is neutral by words (1), one-sided by two of three votes: 1 - 1/3 = .6667 less 1/3 of none: lean 2/3
    run, texts = {"q": {"a": 2, "b": 1}}, {"a": "she her", "b": "she he"}
    rows = [("a", "f", 1, 1.0), ("b", "f", 1, 0.667), ("b", "-", 1, 0.333)]
    path = sheet(tmp_path, rows, head="docno\tgroup\tprobability\tweight")
    found = corrected(fairtrec.evaluate("FaiRR@2 RBDF@2", run, terms=TERMS, docs=texts, gold=path))
    assert found["FaiRR@2"].corrected == pytest.approx((1 - 0.667) * 0.6309298, abs=1e-6)
    assert found["RBDF@2"].corrected == pytest.approx((1 + 0.667 * 0.6309298) / 1.6309298, abs=1e-6)


def test_a_document_that_nobody_can_tell_moves_both_ends_out(tmp_path):
    run = {"q": {"a": 3, "b": 2, "c": 1}}
    known = sheet(tmp_path, [("a", "f", 0.5), ("b", "m", 0.5), ("c", "m", 1)])
    untold = sheet(tmp_path, [("a", "f", 0.5), ("b", "?", 0.5), ("c", "m", 1)], name="b.tsv")
    measure = "Exposure(group='f',of='all')@3"
    (one,), (other,) = (
        corrected(fairtrec.evaluate(measure, run, labels={"a": "f", "b": "m", "c": "m"}, gold=each)).values()
        for each in (known, untold)
    )
    assert other.corrected == one.corrected == pytest.approx(1 / 2.1309298 - 0.5, abs=1e-7)
    assert other.low <= one.low
    assert other.high >= one.high


@dataclass(frozen=True)
class Shouting(Measure):
    """A plug-in that is a sum over documents, with a constant."""

    cutoff: int = 3
    better = "higher"

    def __call__(self, membership: Floats) -> Floats:
        return 5 - np.nan_to_num(membership[:, : self.cutoff, 0]).sum(axis=1)

    def formula(self, membership: Floats) -> SumOverRanks:
        gains = -np.nan_to_num(membership[..., 0])
        return SumOverRanks(gains, np.ones(self.cutoff), by_labels=lambda weights: -weights[..., 0])


@dataclass(frozen=True)
class Ranks(Measure):
    """One that looks at ranks alone."""

    cutoff: int = 3

    def __call__(self, ranked: Ints) -> Floats:
        return (ranked >= 0).sum(axis=1).astype(np.float64)


def test_a_plug_in_says_by_itself_that_it_is_a_sum(tmp_path):
    run = {"q": {"a": 3, "b": 2, "c": 1}, "r": {"c": 1}}
    words, rows = {"a": "f", "b": "m", "c": "m"}, [("c", "f", 0.5), ("a", "f", 0.5)]
    result = fairtrec.evaluate([Shouting(), Ranks()], run, labels=words, gold=sheet(tmp_path, rows))
    # W of a .5, of b .5, of c 1, T = 2; e of c -1: m = (2 * -1) / (2 + 1), the value 4.5
    found, of_ranks = result.scores[0].settle("gold")
    assert found.corrected == pytest.approx(4.5 - 2 * 2 / 3)
    assert of_ranks is None
    (row, _) = result.scores[0].columns["gold"].rows
    value, _ = row.take_drawn().gold_alone()
    assert value == pytest.approx(5 - 2)  # both drawn are of the first group


@pytest.mark.parametrize(("words", "helps"), [("fmfmfmfm", False), ("ffffffff", True)])
def test_gold_labels_alone_are_noted_if_they_are_surer(words, helps):
    """All eight are of f, of which the first instrument says half; the errors of the second are 0."""
    pandas = pytest.importorskip("pandas")
    drawn = pandas.DataFrame([(d, "f", 0.5) for d in "abcdefgh"], columns=["docno", "group", "probability"])
    run = {"q": {d: -float(at) for at, d in enumerate("abcdefgh")}}
    labels = dict(zip("abcdefgh", words, strict=True)) | {"x": "m"}
    result = fairtrec.evaluate("Exposure(group='f',of='all')@8", run, labels=labels, gold=drawn)
    assert ("the instrument does not help: gold labels without it" not in str(result)) == helps


def of_queries(run, gold, qids, probability):
    return [(qid, d, g, probability) for qid in qids for d in run[qid] for g in gold[d]]


COLUMNS = "qid\tdocno\tgroup\tprobability"


def test_drawn_queries_correct_every_measure_of_ranked_groups(tmp_path):
    """By the values of evaluate with each set of labels."""
    random = np.random.default_rng(3)
    run, words = ranking([f"q{at:02}" for at in range(50)], random), labeled(random, ["f", "m"], none=0.0)
    gold, qids = labeled(random, ["f", "m"], none=0.0), [f"q{at:02}" for at in range(3, 38)]
    path = sheet(tmp_path, of_queries(run, gold, qids, 0.7), head=COLUMNS)
    measures = f"{SUMS} {LISTS}"
    result = fairtrec.evaluate(measures, run, labels=words, gold=path)
    by_gold = fairtrec.evaluate(measures, run, labels=gold).per_query["run"]
    for name, found in corrected(result).items():
        values = result.per_query["run"][name]
        errors = np.array([by_gold[name][qid] - values[qid] for qid in qids])
        assert found.corrected == pytest.approx(result.means["run"][name] + errors.mean(), abs=1e-12), name
        unseen = 2 * (np.abs(errors).max() / 37) ** 2
        half = 2.0322445 * math.sqrt(0.3 * (errors.var(ddof=1) / 35 + unseen))  # t of 95 % and 34 degrees of freedom
        if found.low > -1:
            assert found.corrected - found.low == pytest.approx(half, abs=1e-7), name
        assert found.gold == 35
        assert not found.doubtful


def test_few_drawn_queries_and_few_that_differ(tmp_path):
    random = np.random.default_rng(5)
    run, words = ranking([f"q{at:02}" for at in range(50)], random), labeled(random, ["f", "m"], none=0.0)
    qids = [f"q{at:02}" for at in range(29)]
    few = sheet(tmp_path, of_queries(run, words, qids, 0.58), head=COLUMNS)
    found = corrected(fairtrec.evaluate("AWRF@5", run, labels=words, gold=few))["AWRF@5"]
    assert math.isnan(found.low)
    assert found.gold == 29
    qids = [f"q{at:02}" for at in range(35)]
    other = {d: words[d] for d in DOCNOS} | {next(iter(run["q00"])): ["m"], DOCNOS[0]: ["f"]}
    rare = sheet(tmp_path, of_queries(run, other, qids, 0.7), head=COLUMNS, name="b.tsv")
    found = corrected(fairtrec.evaluate("KL@1", run, labels=words, gold=rare))["KL@1"]
    assert found.differ == 0
    assert math.isnan(found.low)


def test_slices_are_corrected_by_their_own_documents(tmp_path):
    random = np.random.default_rng(8)
    run, words, gold = ranking("abcdef", random), labeled(random, ["f", "m"]), labeled(random, ["f", "m"])
    rows = [(d, g, 0.5) for d in DOCNOS[:9] for g in gold[d]]
    path = sheet(tmp_path, rows)
    result = fairtrec.evaluate(SUMS, run, labels=words, gold=path)
    from fairtrec.evaluation.slices import split_result

    parts = dict(split_result(result, {"few": ["b", "d"]}))
    alone = fairtrec.evaluate(SUMS, {qid: run[qid] for qid in "bd"}, labels=words, gold=path)
    assert corrected(parts["few"]) == corrected(alone)


def test_queries_are_a_sample_too_with_a_confidence(tmp_path):
    random = np.random.default_rng(9)
    run, words, gold = ranking("abcdefgh", random), labeled(random, ["f", "m"]), labeled(random, ["f", "m"])
    path = sheet(tmp_path, [(d, g, 0.5) for d in DOCNOS[:9] for g in gold[d]])
    result = fairtrec.evaluate("EER@5", run, labels=words, gold=path)
    (row,) = result.scores[0].columns["gold"].rows
    (found,) = corrected(result.with_confidence(0.8)).values()
    variance = row.estimate().sampled
    assert variance > row.estimate().variance
    assert found.high - found.corrected == pytest.approx(1.4149239 * math.sqrt(variance), abs=1e-6)  # t of 80 %, 7
    with pytest.raises(UsageError, match="uses Student's t"):
        result.with_confidence(0.8, interval="bca")


def test_per_query_labels_take_a_draw_of_queries(tmp_path):
    pandas = pytest.importorskip("pandas")
    run = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}
    labels = pandas.DataFrame([("1", "a", "f"), ("1", "b", "m"), ("2", "a", "m")], columns=["qid", "docno", "group"])
    rows = [("1", "a", "m", 1), ("1", "b", "m", 1), ("2", "a", "f", 1)]
    given = {"labels": labels, "gold": sheet(tmp_path, rows, head=COLUMNS)}
    (found,) = corrected(fairtrec.evaluate("Exposure(group='f',of='all')@2", run, **given)).values()
    assert found.corrected == found.low == 0.0  # 0 and 1 of the exposure, less a half each
    with pytest.raises(InputError, match="labels per query need draws of queries"):
        fairtrec.evaluate("AWRF@2", run, labels=labels, gold=sheet(tmp_path, [("a", "f", 1)], name="b.tsv"))


RUN = {"q": {"a": 3, "b": 2, "c": 1}}
LABELS = {"a": "f", "b": "m", "c": "m"}


@pytest.mark.parametrize(
    ("measure", "given", "why"),
    [
        ("AWRF@3", {}, "it is not a sum over documents, so drawn documents cannot correct it; draw queries"),
        ("Exposure(group='f')@3", {}, "it is not a sum over documents"),
        ("FAIR@3", {"qrels": {"q": {"a": 1}}}, "its ideal is made of judged documents"),
        ("IFaiRR@3", {"background": RUN}, "it uses other documents than the run"),
        ("SetFaiRR@3", {"background": RUN}, "it uses other documents than the run"),
        ("TExFAIR@3", {}, "it counts words"),
        ("RaB@3", {}, "it counts words"),
        ("DUO@3", {"stances": {"a": 1.0, "b": 0.5, "c": -1.0}}, "it uses stances"),
    ],
)
def test_a_measure_that_gold_does_not_correct_says_why(measure, given, why, tmp_path):
    rows = [("a", "m", 0.5), ("b", "m", 0.5), ("c", "f", 1)]
    both = f"{measure} Exposure(group='f',of='all')@3"
    scores = fairtrec.evaluate(both, RUN, **given, labels=LABELS, gold=sheet(tmp_path, rows)).scores[0]
    found, other = scores.settle("gold")
    assert math.isnan(found.corrected)
    assert found.why.startswith(why)
    assert not math.isnan(other.corrected)
    assert any(f"not corrected: {why}" in str(remark) for remark in scores.notes)


def test_what_nothing_was_drawn_of_is_not_corrected(tmp_path):
    path = sheet(tmp_path, [("x", "f", 0.5)])
    (found,) = corrected(fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=path)).values()
    assert math.isnan(found.corrected)
    assert found.why == "nothing that it looks at was drawn"


SIGNED = "# fairtrec:1 | gold:document | number:2 of 3 | seed:0 | depth:2 | order:score | runs:{}"


def signed(run, **changed):
    from hashlib import sha256

    line = SIGNED.format(f"{run.name}@{sha256(run.read_bytes()).hexdigest()[:8]}")
    for old, new in changed.items():
        line = line.replace(old, new)
    return line


def test_a_sheet_is_of_the_runs_the_depth_and_the_order_that_it_was_drawn_from(tmp_path):
    run, other = tmp_path / "a.run", tmp_path / "b.run"
    run.write_text("q Q0 a 1 3 r\nq Q0 b 2 2 r\nq Q0 c 3 1 r\n")
    other.write_text("q Q0 c 1 3 s\n")
    rows = [("a", "m", 0.5), ("b", "m", 0.5)]
    path = sheet(tmp_path, rows, made=signed(run))
    (found,) = corrected(fairtrec.evaluate("EER@2", str(run), labels=LABELS, gold=path)).values()
    assert not math.isnan(found.corrected)
    with pytest.raises(InputError, match=r"b\.run was not among the runs of this draw; draw again: fairtrec gold draw"):
        fairtrec.evaluate("EER@2", [str(run), str(other)], labels=LABELS, gold=path)
    with pytest.raises(InputError, match="EER@3 looks at 3 ranks, and this was drawn from the first 2"):
        fairtrec.evaluate("EER@3", str(run), labels=LABELS, gold=path)
    assert fairtrec.evaluate("EER@3", str(run), labels=LABELS, gold=path, depth=2).scores[0].columns["gold"]
    with pytest.raises(InputError, match="drawn with score_dtype=float64; add that"):
        fairtrec.evaluate("EER@2", str(run), labels=LABELS, gold=path, score_dtype="float32")
    among = sheet(tmp_path, rows, made=signed(run, **{" | runs:": " | queries:few@12345678 | runs:"}), name="c.tsv")
    with pytest.raises(InputError, match="drawn among the queries few@12345678; pass these with queries="):
        fairtrec.evaluate("EER@2", str(run), labels=LABELS, gold=among, queries=["q"])
    with pytest.raises(InputError, match="drawn with order=score; add that"):
        fairtrec.evaluate("EER@2", str(run), labels=LABELS, gold=path, order="rank")


def test_labels_that_were_at_hand_correct_nothing(tmp_path):
    path = sheet(tmp_path, [("a", "m"), ("b", "m")], head="docno\tgroup")
    with pytest.raises(InputError, match="does not record how its documents were drawn") as fault:
        fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=path)
    assert "document c, rank 3 of run, has no gold label" in str(fault.value)
    assert fairtrec.evaluate("EER@2", RUN, labels=LABELS, gold=path).scores[0].columns["gold"]


def test_a_drawn_query_must_be_labeled_as_deep_as_is_looked(tmp_path):
    path = sheet(tmp_path, [("q", "a", "m", 0.5), ("q", "b", "m", 0.5)], head=COLUMNS)
    with pytest.raises(InputError, match="query q: document c, rank 3 of run, has no gold label; label it"):
        fairtrec.evaluate("AWRF@3", RUN, labels=LABELS, gold=path)


def test_no_group_of_an_instrument_has_another_name(tmp_path):
    path = sheet(tmp_path, [("a", "N", 0.5)])
    with pytest.raises(
        InputError, match="the gold labels have the group N, the instrument f, m; write its name, or - for none"
    ):
        fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=path)


@pytest.mark.parametrize(
    "choice",
    [{"bounds": "labels"}, {"bounds": "ties"}, {"missing": "skip"}, {"undefined": "0"}, {"undefined": "worst"},
     {"samples": True}],
    ids=str,
)  # fmt: skip
def test_choices_that_gold_does_not_go_with_are_refused(choice):
    (name,) = choice
    with pytest.raises(UsageError, match="gold=") as fault:
        fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=LABELS, **choice)
    assert f"{name}=" in str(fault.value)


def test_of_several_attributes_none_is_corrected():
    labels = fairtrec.attributes(gender=LABELS, kind={"a": "x", "b": "y", "c": "x"})
    with pytest.raises(UsageError, match="gold= corrects the values of one attribute"):
        fairtrec.evaluate("EER@3", RUN, labels=labels, gold=LABELS)


def test_in_several_processes_it_is_the_same(tmp_path):
    random = np.random.default_rng(21)
    words, gold = labeled(random, ["f", "m"]), labeled(random, ["f", "m"])
    path = sheet(tmp_path, [(d, g, 0.5) for d in DOCNOS[:8] for g in gold[d]])
    files = []
    for name in "abc":
        file = tmp_path / f"{name}.run"
        ranks = ranking("qrs", random)
        lines = (f"{q} Q0 {d} 1 {score} t\n" for q, ranked in ranks.items() for d, score in ranked.items())
        file.write_text("".join(lines))
        files.append(str(file))
    one, two = (fairtrec.evaluate(SUMS, files, labels=words, gold=path, jobs=jobs) for jobs in (1, 2))
    for run in range(3):
        assert corrected(one, run) == corrected(two, run)


def test_subtopics_have_no_gold_labels():
    qrels = [("q", "1", "a", 1), ("q", "2", "b", 1)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(qrels, columns=["query_id", "iteration", "doc_id", "relevance"])
    with pytest.raises(UsageError, match="gold labels cannot correct subtopics"):
        fairtrec.evaluate("AWRF@3", RUN, qrels=frame, labels="qrels", gold=LABELS)


NO_GOLD = gather_trials(
    "NO_GOLD", {"evaluator": lambda _, labels: fairtrec.evaluator("EER@3", labels=labels, gold=labels)}
)


@pytest.mark.parametrize("ask", NO_GOLD.values(), ids=NO_GOLD)
def test_no_other_command_takes_gold_labels(ask):
    with pytest.raises(UsageError, match="there is no option gold"):
        ask(RUN, LABELS)


def test_what_looks_at_single_queries_refuses_corrected_results():
    result = fairtrec.evaluate("EER@3 AWRF@3", {"one": RUN, "two": {"q": {"a": 1}}}, labels=LABELS, gold=LABELS)
    for ask in gather_trials("NO_GOLD_RESULT"):
        with pytest.raises(UsageError, match="gold labels correct means"):
            ask(result)


def test_the_signature_names_the_sheet(tmp_path):
    path = sheet(tmp_path, [("a", "m", 0.5)])
    result = fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=path)
    from hashlib import sha256

    assert result.signature["gold"] == f"sheet.tsv@{sha256(path.read_bytes()).hexdigest()[:8]}"
    assert "gold" not in fairtrec.evaluate("EER@3", RUN, labels=LABELS).signature
    assert replace(result.scores[0], columns={}).decisions == {}


def test_labels_that_differ_are_counted(tmp_path):
    rows = [("a", "m", 1), ("b", "m", 1), ("c", "f", 1)]
    measure = "Exposure(group='f',of='all')@3"
    for differing in (1, 2):
        labels = {"a": "f", "b": "mf"[differing - 1], "c": "f", "d": "m"}
        found = fairtrec.evaluate(measure, RUN, labels=labels, gold=sheet(tmp_path, rows)).scores[0]
        assert f"{measure}: gold labels that differ from the instrument: {differing} of 3" in map(str, found.notes)


def test_what_stays_that_of_the_instrument_is_said(tmp_path):
    path = sheet(tmp_path, [("a", "m", 0.5)])
    given = {"labels": LABELS, "background": RUN, "gold": path, "target": "background"}
    said = [str(each) for each in fairtrec.evaluate("EER@3 NFaiRR@3", RUN, **given).scores[0].notes]
    assert "the target of the background is not corrected" in said
    assert "NFaiRR@3: its ideal is not corrected" in said
    trusted = "sheet.tsv lists no runs; fairtrec assumes that every document looked at could be drawn"
    assert trusted in said
    assert "gold labels for 1 of the 3 documents in the measured ranks" in said


@pytest.mark.parametrize("measures", [SUMS, LISTS])
def test_rankings_of_many_lengths_are_corrected_part_by_part(measures, monkeypatch, tmp_path):
    random = np.random.default_rng(12)
    many = [f"e{at}" for at in range(90)]
    run = {f"q{at}": dict.fromkeys(many[: 3 + 29 * (at % 4)], 1.0) for at in range(40)}
    words, gold = ({d: str(random.choice(["f", "m"])) for d in many} for _ in range(2))
    rows = [(qid, d, gold[d], 0.9) for qid in sorted(run)[:36] for d in run[qid]]
    path = (
        sheet(tmp_path, rows, head=COLUMNS)
        if measures == LISTS
        else sheet(tmp_path, [(d, gold[d], 0.99) for d in many])
    )
    deep = measures.replace("@5", "@80").replace("@4", "@70")
    whole = fairtrec.evaluate(deep, run, labels=words, gold=path).scores[0]
    monkeypatch.setattr(depth, "CELLS", 0)
    monkeypatch.setattr(depth, "TIMES", 0)
    parts = fairtrec.evaluate(deep, run, labels=words, gold=path).scores[0]
    for one, other in zip(whole.settle("gold"), parts.settle("gold"), strict=True):
        assert other.corrected == pytest.approx(one.corrected, abs=1e-13)
        assert other.low == pytest.approx(one.low, abs=1e-12, nan_ok=True)
        assert (other.gold, other.differ) == (one.gold, one.differ)
    assert parts.notes == whole.notes


class Summed(Shouting):
    """One whose values are added up over queries."""

    total = True


def test_a_sum_over_queries_is_not_corrected(tmp_path):
    path = sheet(tmp_path, [("a", "m", 0.5)])
    (found,) = fairtrec.evaluate(Summed(), RUN, labels=LABELS, gold=path).scores[0].settle("gold")
    assert found.why == "it is not a mean over queries, and gold labels correct only these"


def test_what_people_could_not_tell_leaves_a_list_open():
    gold = {"a": "f", "b": "?", "c": "m"}
    found = corrected(fairtrec.evaluate("AWRF@3 AWRF@1 EER@3", RUN, labels=LABELS, gold=gold))
    assert found["AWRF@3"].why == "nobody could tell the group of some documents, and it is not a sum over documents"
    assert found["AWRF@1"].corrected == found["AWRF@1"].low
    assert found["EER@3"].low < found["EER@3"].corrected < found["EER@3"].high


def test_a_document_of_a_drawn_query_needs_a_group(tmp_path):
    rows = [("q", "a", "m", 1), ("q", "b", "?", 1), ("q", "c", "f", 1)]
    path = sheet(tmp_path, rows, head=COLUMNS)
    with pytest.raises(
        InputError, match=r"sheet\.tsv:3: the group of b is \?, and each document of a drawn query needs"
    ):
        fairtrec.evaluate("AWRF@3", RUN, labels=LABELS, gold=path)
    path = sheet(tmp_path, [row if row[2] != "?" else (*row[:2], "-", 1) for row in rows], head=COLUMNS)
    assert corrected(fairtrec.evaluate("AWRF@3", RUN, labels=LABELS, gold=path))["AWRF@3"].gold == 1


SPELLED = {"f": "F", "m": "Male", "-": "N"}  # as another file has them


def test_groups_of_labels_and_of_gold_may_be_renamed(tmp_path):
    """One is none of the groups; what is not named is unknown."""
    labels = {"a": "f", "b": "m", "c": "-", "d": "?"}
    other = {docno: SPELLED.get(group, "X") for docno, group in labels.items()}
    plain, found = (
        fairtrec.evaluate("AWRF@4 Groups@4", {"q": dict(zip("abcd", (4.0, 3.0, 2.0, 1.0), strict=True))}, labels=each, **more)
        for each, more in ((labels, {}), (other, {"groups": "f=F, m=Male, -=N"}))
    )  # fmt: skip
    assert found.scores[0].values.tolist() == plain.scores[0].values.tolist()
    assert texts(found.notes) == texts(plain.notes)
    assert found.signature["groups"] == "f=F,m=Male,-=N"
    assert "groups" not in plain.signature
    assert [*map(str, found.scores[0].notes)] == [*map(str, plain.scores[0].notes)]
    path = tmp_path / "labels.tsv"
    path.write_text("".join(f"{docno}\t{group}\n" for docno, group in other.items()))
    again = fairtrec.evaluate(
        "AWRF@4 Groups@4", {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}, labels=path, groups=["f=F", "m=Male", "-=N"]
    )
    assert again.scores[0].values.tolist() == plain.scores[0].values.tolist()


def test_renamed_groups_of_gold_correct_words(tmp_path):
    given = {"terms": TERMS, "docs": {"a": TEXTS["f"], "b": TEXTS["m"], "c": TEXTS[""]}}
    rows = [("a", "m", 1), ("b", "f", 1), ("c", "-", 1)]
    plain = fairtrec.evaluate("EER@3", RUN, **given, gold=sheet(tmp_path, rows))
    other = sheet(tmp_path, [(docno, SPELLED[group], 1) for docno, group, _ in rows], name="other.tsv")
    with pytest.raises(InputError, match="the gold labels have the group Male, the instrument f, m"):
        fairtrec.evaluate("EER@3", RUN, **given, gold=other)
    found = fairtrec.evaluate("EER@3", RUN, **given, gold=other, groups="f=F,m=Male,-=N")
    assert corrected(found)["EER@3"].corrected == corrected(plain)["EER@3"].corrected
    assert found.signature["groups"] == "f=F,m=Male,-=N"


@pytest.mark.parametrize(
    ("groups", "what"),
    {
        "f=F,m=Male,x=F": "the group F is renamed to f and to x; choose one name",
        "f=Fem,m=Male": "no label is called Fem; they are F, Male, N",
        "f=F,m=Male,-=X": "no label is called X; they are F, Male, N",
        "f=F,f=F,m=Male": "the group F is renamed to f and to f; choose one name",
        "f=F,F": "the group F is renamed to f and to F; choose one name",
        "f=F,-=N": "these are fewer than two different groups; pass two or more",
    }.items(),
)
def test_groups_that_cannot_be_renamed_are_told(groups, what):
    with pytest.raises(UsageError, match=what):
        fairtrec.evaluate("AWRF@2", RUN, labels={"a": "F", "b": "Male", "c": "N"}, groups=groups)


def test_a_group_without_an_old_name_is_itself():
    labels = {"a": "F", "b": "Male", "c": "N"}
    whole = fairtrec.evaluate("AWRF@2", RUN, labels=labels, groups="F=F,Male=Male,-=N")
    short = fairtrec.evaluate("AWRF@2", RUN, labels=labels, groups="F,Male,-=N")
    assert str(short) == str(whole)
    assert short.signature["groups"] == "F=F,Male=Male,-=N"


def test_an_old_name_may_stand_in_gold_or_in_labels_only():
    """The labels have the new names already, gold has the old ones; a name that neither has is refused."""
    other = {docno: SPELLED[group] for docno, group in LABELS.items()}
    given = {"labels": LABELS, "membership": "share"}
    plain = fairtrec.evaluate("EER@3", RUN, **given, gold=LABELS)
    found = fairtrec.evaluate("EER@3", RUN, **given, gold=other, groups="f=F,m=Male")
    assert corrected(found)["EER@3"] == corrected(plain)["EER@3"]
    gone = {"groups": "f=F,m=Male,-=Nobody"}
    with pytest.raises(UsageError, match=r"^no label is called Nobody; they are F, Male$"):
        fairtrec.evaluate("EER@3", RUN, labels=other, **gone)
    with pytest.raises(UsageError, match="no label is called Nobody; they are F, Male, f, m"):
        fairtrec.evaluate("EER@3", RUN, **given, gold=other, **gone)


def test_any_labels_are_gold_of_documents_that_all_have_one(tmp_path):
    """As for `gold agree`: a file without a first line that names the columns, and a field of a table."""
    sheet_ = sheet(tmp_path, [("a", "m"), ("b", "m"), ("c", "f")], head="docno\tgroup")
    (tmp_path / "plain.tsv").write_text("a\tm\nb\tm\nc\tf\n")
    (tmp_path / "table.csv").write_text("doc_id,gender\na,m\nb,m\nc,f\n")
    wanted = corrected(fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=sheet_))["EER@3"]
    for name in ("plain.tsv", "table.csv:gender"):
        result = fairtrec.evaluate("EER@3", RUN, labels=LABELS, gold=str(tmp_path / name))
        assert corrected(result)["EER@3"] == wanted
        assert result.signature["gold"].startswith(f"{name}@")
        assert len(result.signature["gold"]) == len(name) + 9
        assert "gold" in {str(part) for part in result.files}
