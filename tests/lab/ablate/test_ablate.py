"""Varying the instrument: each variant is what `eval` says with that option; orders against scipy and brute force."""

import csv
import json
import math
import re
import shutil
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.counting import counter
from fairtrec.counting.counter import TermTable
from fairtrec.data import Docnos, GroupTerms
from fairtrec.formats import tsv
from fairtrec.lab.ablate.ablation import RunOrder, find_significant
from fairtrec.report.recorded_paths import rename_paths
from fairtrec.statistics.agreement import tau_ap
from fairtrec.support.errors import InputError, ResourceError, UsageError
from fairtrec_made import REPOSITORY

PAGE = (REPOSITORY / "docs" / "ablate.md").read_text("utf-8")
LIST = REPOSITORY / "resources" / "wordlists" / "gender-en.csv"


@pytest.fixture
def asked(example):
    """Runs, judgments, and what they are evaluated with."""
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    return [example / f"{name}.run" for name in ("bm25", "neural", "fair")], example / "qrels.txt", given


def ablate(asked, measure, *vary, **more):
    runs, qrels, given = asked
    return fairtrec.ablate(runs, qrels=qrels, measure=measure, vary=vary, **{**given, **more})


def evaluated(asked, measure, **more):
    runs, qrels, given = asked
    return [float(each.means[0]) for each in fairtrec.evaluate(measure, runs, qrels=qrels, **{**given, **more}).scores]


def close(means):
    return pytest.approx(means, abs=1e-12, nan_ok=True)


# --- each variant is what eval says ---

OPTIONS = [
    ("tokenizer=space,word", [{"tokenizer": "space"}, {"tokenizer": "word"}]),
    ("case=sensitive,insensitive", [{"case_sensitive": True}, {"case_sensitive": False}]),
    ("target=background,f=0.4,m=0.6,f=0.1,m=0.9", [
        {"target": "background"}, {"target": "f=0.4,m=0.6"}, {"target": "f=0.1,m=0.9"}]),
    ("background-depth=5,20", [{"background_depth": 5}, {"background_depth": 20}]),
    ("order=rank,file", [{"order": "rank"}, {"order": "file"}]),
    ("depth=3,7", [{"depth": 3}, {"depth": 7}]),
    ("undefined=0,skip", [{"undefined": "0"}, {"undefined": "skip"}]),
    ("membership=majority,any", [{"membership": "majority"}, {"membership": "any"}]),
]  # fmt: skip
BY = {"order=rank,file": "AWRF@10", "undefined=0,skip": "AWRF@10", "membership=majority,any": "AWRF@10"}


@pytest.mark.parametrize(("vary", "options"), OPTIONS, ids=[text for text, _ in OPTIONS])
def test_an_option_is_that_of_eval(asked, vary, options):
    ablation = varied(asked, BY.get(vary, "NFaiRR@10"), vary, options)
    assert any(variant.means.tolist() != ablation.base.means.tolist() for variant in ablation.variants)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["NFaiRR@10", "AWRF@10", "ARaB(mag='tf_paper')@5"])
@pytest.mark.parametrize(("vary", "options"), OPTIONS, ids=[text for text, _ in OPTIONS])
def test_so_it_is_by_other_measures(asked, measure, vary, options):
    varied(asked, measure, vary, options)


def varied(asked, measure, vary, options):
    """Vary one factor, and hold each variant against eval."""
    ablation = ablate(asked, measure, vary)
    assert len(ablation.variants) == len(options)
    for variant, option in zip(ablation.variants, options, strict=True):
        assert variant.factor == vary.partition("=")[0]
        assert variant.means.tolist() == close(evaluated(asked, measure, **option))
    assert ablation.base.means.tolist() == close(evaluated(asked, measure))
    return ablation


def test_documents_without_a_text_are_missing_as_by_eval(asked):
    runs, qrels, given = asked
    texts = [line.split("\t", 1) for line in given["docs"].read_text("utf-8").splitlines()]
    some = runs, qrels, {**given, "docs": dict(texts[::2]), "missing": "neutral"}
    several = [{"missing": each} for each in ("neutral", "worst", "skip")]
    ablation = varied(some, "NFaiRR@10", "missing=neutral,worst,skip", several)
    assert len({tuple(variant.means) for variant in ablation.variants}) == 3


def test_scores_of_four_bytes_are_those_of_eval(asked, tmp_path):
    runs, qrels, given = asked
    near = tmp_path / "near.run"  # of scores that are one in four bytes
    lines = map(str.split, runs[0].read_text().splitlines())
    near.write_text("".join(f"{q} Q0 {docno} 0 {1 - int(rank) * 1e-9:.12f} t\n" for q, _, docno, rank, *_ in lines))
    ablation = varied(([near], qrels, given), "NFaiRR@10", "score-dtype=float32", [{"score_dtype": "float32"}])
    assert ablation.variants[0].means.tolist() != ablation.base.means.tolist()


@pytest.mark.parametrize(
    ("measure", "vary", "measures"),
    [
        ("NFaiRR@10", "tau=0,1,5", ["NFaiRR(tau=0)@10", "NFaiRR@10", "NFaiRR(tau=5)@10"]),
        ("NFaiRR(tau=0)@10", "cutoff=1,20", ["NFaiRR(tau=0)@1", "NFaiRR(tau=0)@20"]),
        ("ARaB@10", "mag=bool,tf", ["ARaB(mag='bool')@10", "ARaB(mag='tf')@10"]),
        ("NFaiRR@10", "measure=nDCG@10,FaiRR(tau=0)@5", ["nDCG@10", "FaiRR(tau=0)@5"]),
        ("nDCG@10", "cutoff=1,5", ["nDCG@1", "nDCG@5"]),
    ],
)
def test_a_parameter_is_that_of_the_measure(asked, measure, vary, measures):
    ablation = ablate(asked, measure, vary)
    assert [str(each.measure) for each in ablation.variants] == [str(fairtrec_measure(name)) for name in measures]
    for variant, name in zip(ablation.variants, measures, strict=True):
        assert variant.means.tolist() == close(evaluated(asked, name))


def fairtrec_measure(name):
    from fairtrec.measures.catalogue.registry import parse

    return parse(name)[0]


def test_the_list_of_words_is_that_of_eval_and_the_core_list_moves_nothing(asked, tmp_path):
    other = tmp_path / "two.csv"
    other.write_text("she,f\nher,f\nhe said,m\nhe,m\n")
    ablation = ablate(asked, "NFaiRR@10", f"terms=gender-en,gender-en-core,{other}")
    for variant, groups in zip(ablation.variants, ("gender-en", "gender-en-core", other), strict=True):
        assert variant.means.tolist() == close(evaluated(asked, "NFaiRR@10", terms=groups))
    assert ablation.variants[1].means.tolist() == ablation.base.means.tolist()
    assert [each.flipped for each in ablation.variants[:2]] == [0, 0]


def words():
    return {group: list(of) for group, of in tsv.terms(LIST).terms.items()}


def drawn(seed, number, share):
    """The subsets that a draw keeps: each group's terms in their order in the list, groups by name."""
    draw, kept = np.random.default_rng((seed, number)), {}
    for group, of in sorted(words().items()):
        kept[group] = [of[at] for at in sorted(draw.choice(len(of), round(share * len(of)), replace=False))]
    return kept


SUMS = ["NFaiRR@10", "FaiRR(tau=0)@5", "NFaiRR(tau=3)@3"]  # of what each rank adds
OTHERS = ["ARaB(mag='tf_paper')@10", "TExFAIR@10", "RaB@5", "AWRF@10", "KL@10", "TED@10", "NSetFaiRR@10",
          "Exposure(group='f')@10"]  # fmt: skip


@pytest.mark.parametrize("measure", [*SUMS, *OTHERS])
def test_leaving_a_term_out_is_eval_without_it(asked, measure):
    ablation = ablate(asked, measure, "terms=each")
    assert ablation.terms == (24, 360)
    assert len(ablation.variants) == 24
    texts = [line.partition("\t")[2].lower() for line in (asked[2]["docs"]).read_text("utf-8").splitlines()]
    for variant in ablation.variants[:: 1 if measure == SUMS[0] else 12]:
        rest = {group: [term for term in of if term != variant.variant] for group, of in words().items()}
        assert variant.means.tolist() == close(evaluated(asked, measure, terms=rest))
        assert 0 < variant.documents <= sum(variant.variant in text for text in texts)


@pytest.mark.parametrize(
    ("measure", "missing"), [*((each, "error") for each in (*SUMS[:2], *OTHERS[:2], "AWRF@10")), (SUMS[0], "neutral")]
)
def test_a_draw_is_eval_with_that_half(asked, measure, missing):
    ablation = ablate(asked, measure, "terms=half x 7", seed=3, missing=missing)
    assert [each.variant for each in ablation.variants] == [f"half {number}" for number in range(1, 8)]
    for number in (1, 7):
        mine = ablation.variants[number - 1].means.tolist()
        assert mine == close(evaluated(asked, measure, terms=drawn(3, number, 0.5), missing=missing))
    (small,) = ablate(asked, measure, "terms=10% x 1", seed=3, missing=missing).variants
    assert small.means.tolist() == close(evaluated(asked, measure, terms=drawn(3, 1, 0.1), missing=missing))


def test_terms_of_another_setting(asked):
    grid = ablate(asked, "NFaiRR@10", "tau=0,2", "tokenizer=space", "terms=half x 2", grid=True)
    assert [each.variant for each in grid.variants] == [
        f"tau={tau} tokenizer=space terms=half {number}" for tau, number in product((0, 2), (1, 2))
    ]
    assert {each.factor for each in grid.variants} == {"tau tokenizer terms"}
    for variant, (tau, number) in zip(grid.variants, product((0, 2), (1, 2)), strict=True):
        more = {"terms": drawn(0, number, 0.5), "tokenizer": "space"}
        assert variant.means.tolist() == close(evaluated(asked, f"NFaiRR(tau={tau})@10", **more))


def test_a_draw_depends_on_the_seed_and_its_number_alone(asked):
    few, many = (ablate(asked, "NFaiRR@10", f"terms=half x {times}", "tau=0", seed=5).variants for times in (3, 9))
    assert [each.means.tolist() for each in few[:3]] == [each.means.tolist() for each in many[:3]]
    other = ablate(asked, "NFaiRR@10", "terms=half x 3", seed=6).variants
    assert [each.means.tolist() for each in few[:3]] != [each.means.tolist() for each in other]


def test_tied_documents_are_put_in_other_orders(tmp_path):
    run, counts = tmp_path / "a.run", tmp_path / "c.tsv"
    run.write_text("".join(f"q{query} Q0 d{number} 1 {number // 4} t\n" for query in (1, 2) for number in range(8)))
    counts.write_text(
        "docno\ttokens\tf\tm\n" + "".join(f"d{number}\t9\t{number}\t{7 - number}\n" for number in range(8))
    )
    given = {"counts": counts, "background": run}
    ablation = fairtrec.ablate([run], measure="NFaiRR@3", vary="ties=40", **given)
    seen = {round(float(each.means[0]), 12) for each in ablation.variants}
    reach = fairtrec.evaluate("NFaiRR@3", [run], bounds="ties", **given).scores[0].ends
    assert len(seen) > 5
    assert min(seen) >= reach["least"].means[0] - 1e-12
    assert max(seen) <= reach["greatest"].means[0] + 1e-12
    assert np.mean([each.means[0] for each in ablation.variants]) == pytest.approx(reach["expected"].means[0], abs=0.05)
    assert math.isnan(ablation.base.tau_b)


def test_texts_are_read_once(asked):
    runs, qrels, given = asked
    texts = dict(line.split("\t", 1) for line in given["docs"].read_text("utf-8").splitlines())
    looked_up = []

    class Once(dict):
        def __getitem__(self, docno):
            looked_up.append(docno)
            return super().__getitem__(docno)

    vary = ["tau=0,5", "cutoff=5,10", "tokenizer=space,strip", "terms=gender-en-core", "terms=half x 5"]
    ablation = fairtrec.ablate(runs, qrels=qrels, measure="NFaiRR@10", vary=vary, **{**given, "docs": Once(texts)})
    assert len(ablation.variants) == 12
    assert max(looked_up.count(docno) for docno in set(looked_up)) <= 2  # the reader looks at each text twice


# --- the ten runs of the paper, by counts ---


@pytest.mark.long
def test_of_ten_runs_each_variant_is_that_of_eval(ten):
    vary = [
        "tau=0,2,5",
        "cutoff=5,20",
        "missing=worst,skip",
        "background-depth=50",
        "target=background",
        "measure=nDCG@10",
    ]
    ablation = ablate(ten, "NFaiRR@10", *vary)
    expected = [
        *(("NFaiRR(tau=0)@10", {}), ("NFaiRR(tau=2)@10", {}), ("NFaiRR(tau=5)@10", {}), ("NFaiRR@5", {})),
        *(("NFaiRR@20", {}), ("NFaiRR@10", {"missing": "worst"}), ("NFaiRR@10", {"missing": "skip"})),
        *(("NFaiRR@10", {"background_depth": 50}), ("NFaiRR@10", {"target": "background"}), ("nDCG@10", {})),
    ]
    for variant, (measure, more) in zip(ablation.variants, expected, strict=True):
        means = evaluated(ten, measure, **more)
        assert variant.means.tolist() == close(means)
        if variant.queries == 30:
            base = ablation.base.means
            assert variant.tau_b == pytest.approx(stats.kendalltau(base.round(12), np.round(means, 12)).statistic)
            assert variant.tau_ap == pytest.approx(tau_ap(-base, -np.array(means)))
            pairs = [(base[a] - base[b]) * (means[a] - means[b]) < -1e-20 for a, b in combinations(range(10), 2)]
            assert variant.flipped == sum(pairs)
    assert ablation.pairs == 45
    assert ablation.variants[-1].flipped > 0


def test_pairs_are_told_apart_as_compare_does(ten):
    runs, qrels, given = ten
    result = fairtrec.evaluate("nDCG@10", runs, qrels=qrels, **given)
    p = {}
    for number in range(len(runs)):
        for row in fairtrec.compare(result, number, correction="none").rows:
            p[frozenset((str(runs[number]), row.run))] = row.p
    ordered = sorted(p.values())
    holm = np.maximum.accumulate([min(1.0, each * (45 - place)) for place, each in enumerate(ordered)])
    many = int((holm <= 0.05).sum())
    ablation = ablate(ten, "nDCG@10", "cutoff=1")
    assert ablation.settled == many > 0
    apart = {frozenset(pair) for pair, each in p.items() if each <= ordered[many - 1]}
    base, other = ablation.base.means, ablation.variants[0].means
    flips = [frozenset((str(runs[a]), str(runs[b]))) for a, b in combinations(range(10), 2)
             if (base[a] - base[b]) * (other[a] - other[b]) < -1e-20]  # fmt: skip
    assert ablation.variants[0].settled == sum(pair in apart for pair in flips)
    assert ablation.never == 45 - len(flips)


def test_orders_go_by_the_mean_size_where_nearer_0_is_better(ten):
    runs, qrels, given = ten
    ablation = ablate(ten, "ARaB(mag=tf)@10", "cutoff=5,20")
    for variant, cutoff in zip((ablation.base, *ablation.variants), (10, 5, 20), strict=True):
        result = fairtrec.evaluate(f"ARaB(mag=tf)@{cutoff}", runs, qrels=qrels, **given)
        sizes = np.array([np.abs(each.values[0]).mean() for each in result.scores]).round(12)
        assert variant.ranks.tolist() == [1 + int((sizes < size).sum()) for size in sizes]
        assert variant.means.tolist() == close([each.means[0] for each in result.scores])


# --- orders ---

few = st.lists(st.integers(-3, 3).map(float) | st.just(math.nan), min_size=2, max_size=7)


@given(st.data(), st.sampled_from(["higher", "lower", "nearer 0", "neither"]))
def test_orders_are_those_of_brute_force(data, better):
    first = np.array(data.draw(few))
    second = np.array(data.draw(st.lists(st.integers(-3, 3).map(float), min_size=len(first), max_size=len(first))))
    one, two = RunOrder.sort_means(first, better), RunOrder.sort_means(second, "higher")
    turned = {"lower": first, "nearer 0": abs(first)}.get(better, -first)
    known = ~np.isnan(turned)
    expected = [1 + sum(other < own for other in turned[known]) if own == own else 0 for own in turned]
    assert one.ranks.tolist() == expected
    pairs = [(a, b) for a, b in combinations(range(len(first)), 2) if known[a] and known[b]]
    flips = {(a, b) for a, b in pairs if (turned[a] - turned[b]) * (second[b] - second[a]) < 0}
    assert set(zip(*map(np.ndarray.tolist, np.nonzero(one.find_flipped(two))), strict=True)) == flips
    tau = stats.kendalltau(turned[known], -second[known]).statistic if known.sum() > 1 else math.nan
    assert one.tau_b(two) == pytest.approx(tau, abs=1e-12, nan_ok=True)


def test_what_agrees_to_12_digits_is_tied():
    assert RunOrder.sort_means(np.array([0.1 + 0.2, 0.3, 0.2]), "higher").ranks.tolist() == [1, 1, 3]


def test_pairs_are_compared_where_both_have_a_value():
    values = np.array([[0.9, 0.8, 0.9, math.nan], [0.1, 0.2, 0.15, 0.9], [0.1, 0.2, 0.15, 0.5]])
    told, doubtful = find_significant(values, "higher", alpha=0.05)
    assert told.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert doubtful.tolist() == told.tolist()  # three queries decide nothing
    turned = np.array([[1, -1, 1.1, -1.0], [0.1, 0.1, 0.2, -0.1]])
    assert find_significant(turned, "nearer 0", alpha=0.05)[0][0, 1]
    assert not find_significant(turned, "higher", alpha=0.05)[0][0, 1]


def test_a_pair_that_eleven_queries_decide_is_not_doubtful():
    better = np.linspace(0.8, 0.9, 11)
    for queries, few in ((10, True), (11, False)):
        told, doubtful = find_significant(np.array([better, np.full(11, 0.1)])[:, :queries], "higher", alpha=0.05)
        assert (bool(told[0, 1]), bool(doubtful[0, 1])) == (True, few)


# --- documents x terms ---

LETTERS = st.text("ab -", max_size=20)
TERMS = st.lists(st.text("ab ", min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=4, unique=True)


@given(
    st.lists(LETTERS, min_size=1, max_size=5), TERMS, TERMS, st.sampled_from(["strip", "space", "word"]), st.booleans()
)
def test_the_product_is_what_counting_gives(texts, first, second, tokenizer, case):
    first, second = ([" ".join(term.split()) for term in of] for of in (first, second))
    docs = {f"d{number}".encode(): text for number, text in enumerate(texts)}
    wanted = Docnos.collect(np.array([*docs, b"unknown"]))
    terms = GroupTerms("", {"f": tuple(first), "m": tuple(second)})
    lexicon = counter.Lexicon.from_terms(terms, tokenizer, case_sensitive=case)

    def reader(names):
        return ((row, docs[name]) for row, name in enumerate(names.names.tolist()) if name in docs)

    table = TermTable([*first, *second, "b a"], reader)
    expected = counter.count_texts(reader(wanted), wanted, lexicon)
    for part in (Docnos.collect(wanted.names[:1]), wanted):  # what is not known yet is read then
        found = table.look_up_counts(part, lexicon)
        whole = expected.take_documents(part)
        assert found.counts.tolist() == whole.counts.tolist()
        assert (found.known.tolist(), found.tokens.tolist()) == (whole.known.tolist(), whole.tokens.tolist())
        assert found.log_counts == pytest.approx(whole.log_counts, abs=1e-12)


# --- what cannot be varied ---


@pytest.mark.parametrize(
    ("vary", "more", "what"),
    [
        ((), {}, "nothing is varied"),
        (("tau",), {}, "cannot read 'tau'; write what is varied as FACTOR=VALUE"),
        (("tau=",), {}, "cannot read 'tau='"),
        (("tau=1,,2",), {}, "there is an empty value"),
        (("tau=x",), {}, "tau"),
        (("colour=1",), {}, "'colour' cannot be varied with NFaiRR@10; there are ties, measure, cutoff, terms"),
        (("cutoff=0",), {}, "cutoff=0 is not a whole number of 1 or more"),
        (("background-depth=x",), {}, "background-depth=x is not a whole number"),
        (("case=yes",), {}, "case=yes is not known; choose sensitive or insensitive"),
        (("missing=maybe",), {}, "missing='maybe' is not known"),
        (("terms=1.5 x 3",), {}, "the share in terms=1.5 x 3 is 1.5; it lies between 0 and 1"),
        (("terms=1.2.3 x 3",), {}, "1.2.3 in terms=1.2.3 x 3 is not a share"),
        (("terms=half x 0",), {}, "draws no subset"),
        (("terms=half x 20000",), {}, "these are 20000 variants, and 10000 are the most"),
        (("terms=half x 200", "ties=100"), {"grid": True}, "these are 20000 variants"),
        (("tau=1",), {"seed": -1}, "the seed is -1"),
        (("tau=1",), {"measure": "NFaiRR RR"}, "has 2"),
        (("terms=each",), {"measure": "nDCG@10"}, "nDCG@10 uses no terms"),
        (("cutoff=5",), {"measure": "TE@10"}, "TE@10 has a value for each group"),
        (("terms=each",), {"terms": {"f": ["she"], "m": ["he", "his"]}}, "'she' is the only term of the group f"),
    ],
)
def test_what_cannot_be_varied_is_refused(asked, vary, more, what):
    more = dict(more)
    measure = more.pop("measure", "NFaiRR@10")
    with pytest.raises(UsageError, match=re.escape(what)):
        ablate(asked, measure, *vary, **more)


@pytest.mark.parametrize("vary", ["terms=each", "terms=gender-en", "tokenizer=space", "case=sensitive"])
def test_counts_do_not_allow_what_texts_do(ten, vary):
    with pytest.raises(UsageError, match=rf"{vary} needs the texts; add docs=COLLECTION with terms=LIST"):
        ablate(ten, "NFaiRR@10", vary)


def test_bad_input_is_told_as_eval_tells_it(asked, tmp_path):
    runs, qrels, given = asked
    (tmp_path / "bad.run").write_text("q1 Q0 d1\n")
    with pytest.raises(InputError, match=r"bad.run:1"):
        fairtrec.ablate([*runs, tmp_path / "bad.run"], qrels=qrels, measure="NFaiRR@10", vary="tau=0", **given)
    (tmp_path / "one.csv").write_text("she,f\n")
    with pytest.raises(InputError, match="fewer than two groups"):
        ablate(asked, "NFaiRR@10", f"terms={tmp_path / 'one.csv'}")
    with pytest.raises(ResourceError, match="some"):
        ablate(asked, "NFaiRR@10", "terms=some")


def test_a_list_that_is_called_as_a_way_to_vary_is_given_as_a_path(asked, tmp_path, monkeypatch):
    (tmp_path / "each").write_text("she,f\nhe,m\n")
    monkeypatch.chdir(tmp_path)
    (variant,) = ablate(asked, "NFaiRR@10", "terms=./each").variants
    assert variant.means.tolist() == close(evaluated(asked, "NFaiRR@10", terms="./each"))


def test_undefined_values_leave_the_queries_of_both(asked):
    ablation = ablate(asked, "NFaiRR@10", "background-depth=5")
    (variant,) = ablation.variants
    assert (variant.queries, ablation.every) == (11, 12)
    assert variant.means.tolist() == close(evaluated(asked, "NFaiRR@10", background_depth=5))


def test_a_run_without_a_value_by_any_variant_has_no_interval(asked):
    undefined = fairtrec.ablate(
        {"r": {"q1": {"a": 1.0}}}, measure="DUO@5", vary="order=score,rank", stances={"a": [1.0]}
    )
    assert np.isnan(undefined.intervals).all()
    assert undefined.rank_intervals.tolist() == [[0, 0]]


@pytest.mark.parametrize(("vary", "seed"), [("terms=half x 2", "4"), ("ties=2", "4"), ("terms={}/box.csv", None)])
def test_the_signature_has_the_seed_where_something_is_drawn(asked, tmp_path, vary, seed):
    (tmp_path / "box.csv").write_text("she,f\nhe,m\n", "utf-8")
    assert ablate(asked, "NFaiRR@10", vary.format(tmp_path), seed=4).signature.get("seed") == seed


def test_samples_are_read_as_they_are(tmp_path):
    run, counts = tmp_path / "a.run", tmp_path / "c.tsv"
    run.write_text("".join(f"q {sample} d{number} 1 {sample * number} t\n" for sample in (1, 2) for number in range(4)))
    counts.write_text(
        "docno\ttokens\tf\tm\n" + "".join(f"d{number}\t9\t{number}\t{3 - number}\n" for number in range(4))
    )
    given = {"counts": counts, "samples": True}
    ablation = fairtrec.ablate([run], measure="FaiRR@3", vary=["tau=0"], **given)
    assert ablation.variants[0].means[0] == fairtrec.evaluate("FaiRR(tau=0)@3", [run], **given).scores[0].means[0]
    with pytest.raises(UsageError, match="leave out ties=, or samples="):
        fairtrec.ablate([run], measure="FaiRR@3", vary=["ties=2"], **given)


# --- the report ---


@pytest.fixture
def command(example):
    runs = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    given = ("--terms", "gender-en", "--docs", example / "collection.tsv", "--background", example / "background.run")
    return "ablate", example / "qrels.txt", *runs, *given, "-m", "NFaiRR@10"


VARY = ("--vary", "tau=0,5", "--vary", "terms=each", "--vary", "terms=half x 5", "--vary", "ties=2")


@pytest.mark.long
def test_every_format_has_the_same_numbers(fairtrec_command, command):
    names = {str(each.relative_to(Path.cwd())): str(each) for each in command[2:5]}
    whole = rename_paths(json.loads(fairtrec_command(*command, *VARY, "-f", "json").out), names)
    lines = [json.loads(line) for line in fairtrec_command(*command, *VARY, "-f", "jsonl").out.splitlines()]
    assert whole["variants"] == lines
    assert len(lines) == 2 + 24 + 5 + 2
    assert {"factor", "variant", "runs", "tau_b", "flipped"} <= lines[0].keys()
    rows = list(csv.DictReader(fairtrec_command(*command, *VARY, "-f", "csv", "--places", "17").out.splitlines()))
    assert len(rows) == 3 * (len(lines) + 1)
    for row, (line, run) in zip(rows[3:], product(lines, whole["runs"]), strict=True):
        assert (row["factor"], row["variant"], row["run"]) == (line["factor"], line["variant"], run["run"])
        assert float(row["mean"]) == next(each["mean"] for each in line["runs"] if each["run"] == run["run"])
        assert (float(row["tau_b"]), int(row["flipped"])) == (line["tau_b"], line["flipped"])
    for at, ends in enumerate(whole["runs"]):
        means = [line["runs"][at]["mean"] for line in [whole, *lines]]
        ranks = [line["runs"][at]["rank"] for line in [whole, *lines]]
        assert (ends["least"], ends["greatest"], ends["ranks"]) == (min(means), max(means), [min(ranks), max(ranks)])
    for form in ("table", "md", "latex", "html"):
        text = fairtrec_command(*command, *VARY, "-f", form).out
        assert all(f"{mean:.4f}" in text for line in lines[:2] for run in line["runs"] for mean in [run["mean"]])


@pytest.mark.parametrize("form", ["json", pytest.param("html", marks=pytest.mark.slow)])
def test_the_same_bytes_by_one_process_and_by_two(fairtrec_command, command, form):
    one, two = (fairtrec_command(*command, *VARY, "-f", form, "-j", jobs).out for jobs in (1, 2))
    assert one == two


def test_many_runs_have_no_column_each(fairtrec_command, command, example, tmp_path):
    copies = [tmp_path / f"copy{number}.run" for number in range(5)]
    for number, copy in enumerate(copies):
        lines = (example / "neural.run").read_text().splitlines(keepends=True)
        copy.write_text("".join(line for place, line in enumerate(lines) if place % 7 != number))
    out = fairtrec_command(*command[:5], *copies, *command[5:], *VARY).out
    assert "best: rank of fair, the best run of the base\n" in out
    assert "largest" in out
    assert "copy3" in out


def test_one_run_has_means_and_no_order(fairtrec_command, command):
    done = fairtrec_command(*command[:3], *command[5:], "--vary", "tau=0,5", "--vary", "terms=each")
    assert done.code == 0
    assert "tau-b" not in done.out
    assert "0.9551" in done.out


def test_what_nothing_moves_or_flips_is_told(fairtrec_command, command):
    out = fairtrec_command(*command, "--vary", "terms=gender-en,gender-en-core", "--vary", "target=background").out
    assert "no variant flips a pair of runs\n" in out
    assert "no mean changes with terms\n" in out


def test_a_page_holds_text_as_text_and_no_script(fairtrec_command, command, example, tmp_path):
    evil = tmp_path / "<script>alert(1)</script>.run".replace("/", "\u2215")
    shutil.copy(example / "neural.run", evil)
    words = tmp_path / "words.csv"
    words.write_text("she,f\n<b>her</b>,f\nhe,m\nhis,m\n")
    given = ["--terms", words, "--vary", "terms=each", "--vary", "tau=0", "-f", "html"]
    page = fairtrec_command(*command[:3], evil, *command[7:], *given).out
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert page.count("<circle") == 1 + 1 + 3 + 1  # a ring; base, three terms that occur, tau=0


def test_a_variant_of_a_grid_keeps_its_own_values_only(asked):
    grid = ablate(asked, "NFaiRR@10", "tau=0,1,2,3", "cutoff=1,2,3,4", grid=True)
    assert len(grid.variants) == 16
    assert all(held(each.values) == each.values.nbytes for each in (grid.base, *grid.variants))


def held(values):
    """Count the bytes that an array keeps alive: those of the array that it is a view of."""
    while values.base is not None:
        values = values.base
    return values.nbytes


def test_a_grid_of_one_factor_is_that_factor(asked):
    one, other = (ablate(asked, "NFaiRR@10", "tau=0,5", grid=grid) for grid in (True, False))
    assert [(each.factor, each.variant) for each in one.variants] == [
        (each.factor, each.variant) for each in other.variants
    ]


# --- the page ---
