"""Stances from vectors: the axes, their signs, what is taken out before, and how they agree with labels."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.lab.make.stances import axes
from fairtrec_made import REPOSITORY, texts

random = np.random.default_rng(11)


def eigen(fit, documents, number):
    """Stances by the textbook: eigenvectors of the covariance matrix, greatest first, greatest entry positive."""
    mean = sum(fit) / len(fit)
    covariance = (fit - mean).T @ (fit - mean)
    values, vectors = np.linalg.eigh(covariance)
    columns = []
    for direction in vectors[:, np.argsort(values)[::-1][:number]].T:
        sign = 1 if direction[np.argmax(np.abs(direction))] > 0 else -1
        columns.append([sign * float((vector - mean) @ direction) for vector in documents])
    return np.array(columns).T, np.sort(values)[::-1][:number] / values.sum()


def run_of(*queries):
    """A run of queries with as many documents, which are called q0d0, q0d1, .."""
    return {f"q{q}": {f"q{q}d{d}": float(-d) for d in range(many)} for q, many in enumerate(queries)}


def vectors_of(run, dimensions=5, seed=3):
    draw = np.random.default_rng(seed)
    return {docno: draw.normal(size=dimensions) for docnos in run.values() for docno in docnos}


def placed_rows(placed):
    keys = zip(placed.qids, placed.docnos, strict=True)
    return dict(zip(keys, placed.values.tolist(), strict=True))


# ------------------------------------------------------------------------------------------------------ axes


@pytest.mark.parametrize(("n", "dimensions"), [(2, 3), (3, 2), (12, 5), (30, 8), (8, 384), (60, 40), (200, 96)])
@pytest.mark.parametrize("number", [1, 2])
def test_axes_are_the_eigenvectors_of_the_covariance(n, dimensions, number):
    if number > n - 1:
        assert axes.fit_axes(random.normal(size=(n, dimensions)), number) is None
        return
    fit = random.normal(size=(n, dimensions)).astype(np.float32).astype(np.float64) + 3
    documents = random.normal(size=(7, dimensions))
    found = axes.fit_axes(fit, number)
    stances, explained = eigen(fit, documents, number)
    assert found.stances(documents) == pytest.approx(stances, abs=1e-9)
    assert found.explained == pytest.approx(explained, rel=1e-9)
    assert found.determined


def test_axes_are_those_of_scikit_learn():
    decomposition = pytest.importorskip("sklearn.decomposition", reason="scikit-learn is not installed; make embed")
    for n, dimensions, number in [(8, 384, 1), (20, 6, 5), (50, 384, 3), (200, 1024, 1), (90, 12, 12), (12, 90, 11)]:
        fit = random.normal(size=(n, dimensions)).astype(np.float32) * np.float32(0.05)
        documents = random.normal(size=(9, dimensions))
        theirs = decomposition.PCA(n_components=number, svd_solver="full").fit(fit.astype(np.float64))
        ours = axes.fit_axes(fit.astype(np.float64), number)
        assert np.abs(ours.stances(documents) - theirs.transform(documents)).max() <= 1e-6
        assert np.abs(ours.explained - theirs.explained_variance_ratio_).max() <= 1e-9


def test_faint_axes_are_as_exact_as_strong_ones():
    """The products of vectors alone would lose an axis a million times weaker than the first."""
    basis = np.linalg.qr(random.normal(size=(6, 6)))[0]
    scores = np.linalg.qr(random.normal(size=(10, 3)) @ np.eye(3))[0]
    scores = np.linalg.qr(scores - scores.mean(axis=0))[0]
    fit = scores @ np.diag([1.0, 1e-4, 1e-9]) @ basis[:3]
    found = axes.fit_axes(fit, 3)
    expected = np.sign([row[np.abs(row).argmax()] for row in basis[:3]])[:, None] * basis[:3]
    assert np.abs(found.directions - expected).max() < 1e-5


@given(
    st.integers(2, 9).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 3)), min_size=3, max_size=3),
            min_size=n,
            max_size=n,
        )
    ),
    st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=3, max_size=3),
)
def test_laws_of_an_axis(rows, shift):
    fit = np.array(rows)
    found = axes.fit_axes(fit)
    if found is None:
        assert np.ptp(fit, axis=0).max() < 1e-6
        return
    stances = found.stances(fit)[:, 0]
    assert stances.mean() == pytest.approx(0, abs=1e-9)
    assert 0 < found.explained[0] <= 1 + 1e-12
    variance = ((fit - fit.mean(axis=0)) ** 2).sum()
    assert (stances**2).sum() == pytest.approx(found.explained[0] * variance)
    assert np.linalg.norm(found.directions, axis=1) == pytest.approx([1])
    spread = max((((fit - fit.mean(axis=0)) @ axis) ** 2).sum() for axis in np.eye(3))
    assert (stances**2).sum() >= spread * (1 - 1e-9)  # no axis of the space itself spreads more
    if found.determined:
        moved = axes.fit_axes(fit + np.array(shift)).stances(fit + np.array(shift))[:, 0]
        gap = 1e-6 * max(1.0, np.abs(stances).max())
        if _clear(fit):
            assert min(np.abs(moved - stances).max(), np.abs(moved + stances).max()) < gap


def _clear(fit):
    """Whether the first axis is so much stronger than the second that rounding does not turn it."""
    singular = np.linalg.svd(fit - fit.mean(axis=0), compute_uv=False)
    return singular[0] - singular[1] > 1e-3 * singular[0]


def test_an_axis_that_is_not_determined_says_so():
    square = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    assert not axes.fit_axes(square).determined
    assert axes.fit_axes(square * [1.001, 1]).determined
    assert not axes.fit_axes(
        np.array([[9.0, 0, 0], [-9, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]), 2
    ).determined


def test_what_spans_too_little_has_no_axes():
    assert axes.fit_axes(np.ones((5, 3))) is None
    assert axes.fit_axes(np.array([[0.1, 0.2]] * 3)) is None  # whose mean is not exactly theirs
    line = np.outer(np.arange(5.0), [1.0, 2.0, 3.0])
    assert axes.fit_axes(line, 1) is not None
    assert axes.fit_axes(line, 2) is None
    assert axes.fit_axes(np.array([[1.0, 2.0]])) is None


def test_a_document_in_the_middle_stands_on_no_side():
    found = axes.fit_axes(np.array([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]))
    assert found.stances(np.array([[0.2, 0.6]])).tolist() == [[0.0]]


# -------------------------------------------------------------------------------------------- spurious axes


def test_what_is_spurious_is_taken_out_both_ways():
    run = run_of(10)
    vectors = vectors_of(run, 6)
    distractors = {f"s{i}": random.normal(size=6) + (2 if i < 3 else -1) for i in range(5)}
    spurious = {"q0": {docno: "one" if docno < "s3" else "two" for docno in distractors}}
    one, two = (np.array([distractors[f"s{i}"] for i in of]) for of in (range(3), range(3, 5)))
    normed = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (one, two)]
    difference, published = one.mean(axis=0) - two.mean(axis=0), normed[0].mean(axis=0) - normed[1].mean(axis=0)
    ranked = np.array(list(vectors.values()))
    for how, b in (("unit", difference / np.linalg.norm(difference)), ("published", published)):
        taken = np.array([vector - (vector @ b) * b for vector in ranked])
        expected, _ = eigen(taken, taken, 1)
        placed = fairtrec.make_stances(run, embeddings={**vectors, **distractors}, spurious=spurious, spurious_as=how)
        rows = placed_rows(placed)
        assert [rows["q0", docno][0] for docno in vectors] == pytest.approx(expected[:, 0].tolist(), abs=1e-9)
        assert placed.signature["spurious"].startswith("given@")
        assert placed.signature["spurious"].endswith(f"/{how}")
        turned = {"q0": {docno: "two" if side == "one" else "one" for docno, side in spurious["q0"].items()}}
        other = fairtrec.make_stances(run, embeddings={**vectors, **distractors}, spurious=turned, spurious_as=how)
        assert other.signature["spurious"] != placed.signature["spurious"]
        left = np.abs(taken @ (b / np.linalg.norm(b)) / (ranked @ (b / np.linalg.norm(b))))
        assert left == pytest.approx(np.full(10, 0.0 if how == "unit" else abs(1 - b @ b)), abs=1e-9)


def test_a_planted_difference_of_style_is_taken_out():
    """Style spreads the vectors three times as much as stance; with it taken out, the axis is the stance."""
    run = run_of(12)
    stance, style = np.eye(8)[0], np.eye(8)[1]
    signs = {docno: ((-1) ** d, (-1) ** (d // 2)) for d, docno in enumerate(run["q0"])}
    noise = np.random.default_rng(5)
    vectors = {docno: a * stance + 3 * b * style + 0.1 * noise.normal(size=8) for docno, (a, b) in signs.items()}
    about = {"s1": 5 * style, "s2": -5 * style}
    labels = {docno: "pro" if a > 0 else "con" for docno, (a, _) in signs.items()}
    plain = fairtrec.make_stances(run, embeddings=vectors, labels=labels)
    cleared = fairtrec.make_stances(
        run, embeddings={**vectors, **about}, labels=labels, spurious={"q0": {"s1": "x", "s2": "y"}}
    )
    assert plain.agreement.accuracy[0] < 0.7
    assert cleared.agreement.accuracy[0] == 1


def test_queries_without_spurious_documents_are_left_and_counted():
    run = run_of(4, 4, 4)
    vectors = vectors_of(run) | {"s1": np.ones(5), "s2": -np.ones(5)}
    spurious = {"q0": {"s1": "a", "s2": "b"}, "q1": {"q1d0": "a"}}
    with pytest.raises(fairtrec.InputError, match="query q1 has spurious documents of one side"):
        fairtrec.make_stances(run, embeddings=vectors, spurious=spurious)
    spurious = {"q0": {"s1": "a", "s2": "b"}, "q1": {"q1d0": "a", "q1d1": "b"}}
    same = vectors | {"q1d1": vectors["q1d0"]}
    placed = fairtrec.make_stances(run, embeddings=same, spurious=spurious)
    assert "2 queries have no spurious difference: left as they are" in texts(placed.notes)
    plain = placed_rows(fairtrec.make_stances(run, embeddings=same))
    assert all(plain[key] == row for key, row in placed_rows(placed).items() if key[0] != "q0")


# ------------------------------------------------------------------------------------- accuracy and chance


def brute_chance(n, labeled, on_side):
    """Try every choice of the documents on the upper side."""
    values = []
    for chosen in itertools.combinations(range(n), on_side):
        same = sum((i in chosen) == (i < labeled) for i in range(n))
        values.append(max(same, n - same) / n)
    return sum(values) / len(values)


def brute_published(n, labeled):
    """Try every way to toss a coin for each document."""
    values = []
    for up in itertools.product([0, 1], repeat=n):
        of_groups = [up[:labeled], up[labeled:]]
        values.append(sum(max(sum(some), len(some) - sum(some)) for some in of_groups) / n)
    return sum(values) / len(values)


@pytest.mark.parametrize(("n", "labeled"), [(1, 0), (1, 1), (2, 1), (5, 2), (7, 7), (8, 4), (9, 3)])
def test_chance_is_what_all_possibilities_give(n, labeled):
    for on_side in range(n + 1):
        assert axes.chance(n, labeled, on_side) == pytest.approx(brute_chance(n, labeled, on_side), abs=1e-12)
    assert axes.published_chance(n, labeled) == pytest.approx(brute_published(n, labeled), abs=1e-12)


def test_chance_of_four_and_four_the_published_way():
    # E max(h, 4 - h) of four coins: (2 * 4 + 8 * 3 + 6 * 2) / 16 = 2.75 of 4
    assert axes.published_chance(8, 4) == 0.6875
    # of four drawn from eight: h = 0..4 in 1, 16, 36, 16, 1 ways of 70, max(2 h, 8 - 2 h) = 8, 6, 4, 6, 8
    assert axes.chance(8, 4, 4) == pytest.approx((2 * 8 + 32 * 6 + 36 * 4) / 70 / 8)


def test_chance_of_many_documents_is_that_of_the_hypergeometric_distribution():
    from scipy.stats import hypergeom

    for n, labeled, on_side in [(200, 77, 120), (1500, 700, 800)]:
        h = np.arange(max(0, on_side + labeled - n), min(on_side, labeled) + 1)
        same = 2 * h + n - on_side - labeled
        expected = (hypergeom(n, labeled, on_side).pmf(h) * np.maximum(same, n - same)).sum() / n
        assert axes.chance(n, labeled, on_side) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_laws_of_accuracy(pairs):
    side, label = np.array(pairs).T
    n, labeled, on_side = len(pairs), int(label.sum()), int(side.sum())
    value, by_chance = axes.accuracy(side, label), axes.chance(n, labeled, on_side)
    assert 0.5 <= value <= axes.published_accuracy(side, label) <= 1
    assert value == axes.accuracy(~side, label) == axes.accuracy(side, ~label)
    assert 0.5 <= by_chance <= 1
    assert by_chance == pytest.approx(axes.chance(n, n - labeled, on_side))
    assert axes.accuracy(label, label) == 1


def test_accuracy_is_printed_beside_chance():
    run = run_of(8, 8)
    vectors = {docno: [1.0 if int(docno[-1]) < 4 else -1.0, 0.1 * i] for i, docno in enumerate(vectors_of(run))}
    labels = {docno: "pro" if int(docno[-1]) in (0, 1, 2, 4) else "con" for docno in vectors}
    of_first = {docno: [1, 0] if x > 0 else [-1, 0] for docno, (x, _) in vectors.items()}
    placed = fairtrec.make_stances(run, embeddings=of_first, labels=labels)
    line = "accuracy against labels: 0.750 of the documents on the right side; 0.629 is chance for these labels"
    assert texts(placed.list_notes())[1] == f"{line}: the axis may not be what you mean"
    best = "accuracy the published way, each group's better side: 0.750; 0.688 is chance"
    assert texts(placed.list_notes("published"))[2] == best
    right = fairtrec.make_stances(
        run, embeddings=of_first, labels={d: "pro" if int(d[-1]) < 4 else "con" for d in vectors}
    )
    assert texts(right.list_notes())[1].endswith(
        "1.000 of the documents on the right side; 0.629 is chance for these labels"
    )


def test_accuracy_is_over_labeled_documents_and_queries_that_have_some():
    run = run_of(6, 4)
    vectors = vectors_of(run, 3)
    labels = {"q0d0": "a", "q0d1": "b", "q0d2": "a", "q0d3": "b", "q0d5": "?"}
    placed = fairtrec.make_stances(run, embeddings=vectors, labels=labels)
    rows = placed_rows(placed)
    above = [rows["q0", f"q0d{i}"][0] > 0 for i in range(4)]
    same = sum(side == label for side, label in zip(above, [False, True, False, True], strict=True))
    assert placed.agreement.queries == 1
    assert placed.agreement.accuracy.tolist() == [max(same, 4 - same) / 4]
    assert placed.agreement.chance == pytest.approx([brute_chance(4, 2, sum(above))])
    assert fairtrec.make_stances(run, embeddings=vectors, labels={"x": "a", "y": "b"}).agreement is None


# ------------------------------------------------------------------------------------------- whole stances


def test_each_query_has_an_axis_of_its_own_that_all_runs_share(tmp_path):
    first, second = run_of(9, 7), {"q1": {f"q1d{d}": float(d) for d in range(3, 12)}}
    vectors = vectors_of(first) | vectors_of({"q1": {f"q1d{d}": 0 for d in range(12)}}, seed=8)
    placed = fairtrec.make_stances([first, second], embeddings=vectors, axes=2, depth=5)
    # of the first five of each: q1d0..4 of the first run, q1d11..7 of the second
    for qid, numbers in (("q0", range(5)), ("q1", [0, 1, 2, 3, 4, 7, 8, 9, 10, 11])):
        fit = np.array([vectors[f"{qid}d{d}"] for d in numbers])
        expected, explained = eigen(fit, fit, 2)
        rows = placed_rows(placed)
        assert [rows[qid, f"{qid}d{d}"] for d in numbers] == [pytest.approx(row, abs=1e-9) for row in expected.tolist()]
        assert placed.explained[int(qid[1])] == pytest.approx(explained)
    assert len(placed.qids) == 15
    assert placed.columns == ("qid", "docno", "x", "y")
    swapped = fairtrec.make_stances([second, first], embeddings=vectors, axes=2, depth=5)
    assert placed_rows(swapped) == placed_rows(placed)


def test_fit_names_the_documents_that_define_the_axis():
    run = run_of(6, 6)
    vectors = vectors_of(run) | {f"f{i}": random.normal(size=5) for i in range(4)}
    placed = fairtrec.make_stances(run, embeddings=vectors, fit={"q0": ["f0", "f1", "f2", "q0d0"], "q9": ["f3"]})
    fit = np.array([vectors[name] for name in ("f0", "f1", "f2", "q0d0")])
    expected, _ = eigen(fit, [vectors[f"q0d{d}"] for d in range(6)], 1)
    assert placed.values == pytest.approx(expected, abs=1e-9)
    assert set(placed.qids) == {"q0"}
    assert any(note.startswith("1 query has no axis") and "6 stances left out" in note for note in texts(placed.notes))


def test_labels_point_the_axis():
    run = run_of(8, 8, 8)
    vectors = vectors_of(run)
    labels = {docno: "pro" if int(docno[-1]) % 3 == 0 else "con" for docno in vectors if docno[1] != "2"}
    plain, pro, con = (
        fairtrec.make_stances(run, embeddings=vectors, labels=labels, toward=to) for to in (None, "pro", "con")
    )
    rows, at = placed_rows(pro), placed_rows(plain)
    for qid in ("q0", "q1"):
        inside = [x for (q, d), (x,) in rows.items() if q == qid and labels[d] == "pro"]
        rest = [x for (q, d), (x,) in rows.items() if q == qid and labels[d] == "con"]
        assert np.mean(inside) > np.mean(rest)
        same = [rows[key] == at[key] for key in rows if key[0] == qid]
        mirrored = [rows[key][0] == -at[key][0] for key in rows if key[0] == qid]
        assert all(same) or all(mirrored)
    assert all(con_x == -rows[key][0] for key, (con_x,) in placed_rows(con).items() if key[0] != "q2")
    assert "the sign of the axis is arbitrary for 1 query: no document is of pro, or none of another group" in texts(
        pro.notes
    )
    assert any("of SignedDUO are arbitrary" in note for note in texts(plain.notes))
    assert pro.signature["toward"] == "pro"
    assert plain.signature["sign"] == "arbitrary"


def test_an_evaluation_says_whose_sign_means_nothing(tmp_path):
    run = run_of(8)
    vectors = vectors_of(run)
    labels = {docno: "pro" if int(docno[-1]) % 3 == 0 else "con" for docno in vectors}
    plain = fairtrec.make_stances(run, embeddings=vectors, labels=labels)
    pointed = fairtrec.make_stances(run, embeddings=vectors, labels=labels, toward="pro")
    says = "the sign of SignedDUO@5 is arbitrary: `fairtrec make stances` made the axes without toward="
    for placed, is_arbitrary in ((plain, True), (pointed, False)):
        (tmp_path / "p.tsv").write_text(placed.tsv)
        for given_stances in (placed, tmp_path / "p.tsv"):
            found = fairtrec.evaluate("SignedDUO@5 DUO", run, stances=given_stances)
            assert (says in texts(found.notes)) is is_arbitrary
            assert says not in str(fairtrec.evaluate("DUO DUO_random", run, stances=given_stances))
    own = {docno: 1.0 * i for i, docno in enumerate(vectors)}
    assert says not in str(fairtrec.evaluate("SignedDUO@5", run, stances=own))


def test_labels_may_be_of_each_query_and_soft(tmp_path):
    run = {"q0": {f"d{d}": float(-d) for d in range(6)}, "q1": {f"d{d}": float(-d) for d in range(6)}}
    (tmp_path / "l.tsv").write_text(
        "qid\tdocno\tgroup\tweight\n"
        + "".join(
            f"q{q}\td{d}\t{'ab'[(d + q) % 2]}\t0.6\nq{q}\td{d}\t{'ba'[(d + q) % 2]}\t0.4\n"
            for q in (0, 1)
            for d in range(5)
        )
        + "q0\td5\ta\t0.5\nq0\td5\tb\t0.5\nq1\td5\ta\t1\n"
    )  # d5 of q0 is of neither group
    placed = fairtrec.make_stances(run, embeddings=vectors_of(run), labels=tmp_path / "l.tsv", toward="a")
    rows = placed_rows(placed)
    for q, many in ((0, 5), (1, 6)):
        of_a = [(d + q) % 2 == 0 or d == 5 for d in range(many)]
        at = np.array([rows[f"q{q}", f"d{d}"][0] for d in range(many)])
        assert at[of_a].mean() > at[np.logical_not(of_a)].mean()
    same = [
        sum((rows[f"q{q}", f"d{d}"][0] > 0) == ((d + q) % 2 == 1 and d < 5) for d in range(n))
        for q, n in ((0, 5), (1, 6))
    ]
    assert placed.agreement.accuracy == pytest.approx(
        [(max(same[0], 5 - same[0]) / 5 + max(same[1], 6 - same[1]) / 6) / 2]
    )


def test_more_than_two_groups_point_an_axis_and_have_no_accuracy():
    run = run_of(6)
    labels = {f"q0d{i}": "abc"[i % 3] for i in range(6)}
    placed = fairtrec.make_stances(run, embeddings=vectors_of(run), labels=labels, toward="b")
    assert placed.agreement is None
    assert "no accuracy: it needs two groups, and these labels have 3" in texts(placed.notes)
    with pytest.raises(fairtrec.UsageError, match="accuracy needs two groups"):
        fairtrec.make_stances(run, embeddings=vectors_of(run), labels=labels)


def test_normalize_brings_vectors_to_length_one():
    run = run_of(7)
    vectors = vectors_of(run)
    units = {docno: vector / math.sqrt(sum(x * x for x in vector)) for docno, vector in vectors.items()}
    placed = fairtrec.make_stances(run, embeddings=vectors, normalize=True)
    assert placed.values == pytest.approx(fairtrec.make_stances(run, embeddings=units).values, abs=1e-12)
    assert placed.signature["normalize"] == "yes"


def test_a_function_of_texts_is_a_model():
    run = run_of(5)
    vectors = vectors_of(run)
    texts = {docno: f"{docno} " * (9 - int(docno[-1])) for docno in vectors}
    asked = []

    def model(several):
        asked.append(several)
        return [vectors[text.split()[0]] for text in several]

    placed = fairtrec.make_stances(run, docs=texts | {"other": "of no run"}, model=model)
    assert placed_rows(placed) == placed_rows(fairtrec.make_stances(run, embeddings=vectors))
    assert asked == [[texts[f"q0d{i}"] for i in range(5)]]  # once, the longest first
    assert placed.signature["model"] == "given"


def test_what_is_written_is_what_eval_reads(tmp_path):
    run = run_of(9, 9)
    placed = fairtrec.make_stances(run, embeddings=vectors_of(run), axes=4)
    path = tmp_path / "p.tsv"
    path.write_text(placed.tsv)
    assert placed.tsv.startswith("qid\tdocno\tx\ty\tz\tx4\nq0\tq0d0\t")
    assert Signature.read(path.read_text().splitlines()[-1].removeprefix("# "))["axes"] == "4"
    measures = "DUO@10 SignedDUO@10 DUO_random@10 DUO(axis=4)@5"
    from_file, held = (fairtrec.evaluate(measures, run, stances=each).scores[0].values for each in (path, placed))
    assert np.isfinite(held).all()
    assert held == pytest.approx(from_file, abs=1e-6)
    assert pa.table(placed)["x"].to_pylist() == placed.values[:, 0].tolist()
    for line in placed.tsv.splitlines()[1:-1]:
        cells = line.split("\t")[2:]
        assert all(cell == f"{float(cell):.9g}" for cell in cells)


# --------------------------------------------------------------------------------------------- command line


@pytest.fixture
def desk(tmp_path):
    """A run, vectors of its documents, and their labels, as files."""
    run = run_of(9, 7)
    vectors = vectors_of(run)
    lines = [f"{qid} Q0 {docno} 1 {score} t\n" for qid, docs in run.items() for docno, score in docs.items()]
    (tmp_path / "a.run").write_text("".join(lines))
    names = [*list(vectors)[::-1], "unranked"]
    np.save(tmp_path / "v.npy", np.array([*list(vectors.values())[::-1], np.full(5, np.nan)], dtype=np.float32))
    (tmp_path / "ids.txt").write_text("".join(f"{name}\n" for name in names))
    (tmp_path / "sides.tsv").write_text(
        "".join(f"{name}\t{'pro' if i % 2 else 'con'}\n" for i, name in enumerate(names))
    )
    return tmp_path


def given_vectors(desk):
    return ["make", "stances", desk / "a.run", "--embeddings", desk / "v.npy", "--ids", desk / "ids.txt"]


def test_the_command_writes_what_python_makes(desk, fairtrec_command):
    labels = ["--labels", desk / "sides.tsv", "--toward", "pro"]
    done = fairtrec_command(*given_vectors(desk), *labels, "-o", desk / "p.tsv")
    placed = fairtrec.make_stances(
        desk / "a.run", embeddings=desk / "v.npy", ids=desk / "ids.txt", labels=desk / "sides.tsv", toward="pro"
    )
    assert (done.code, done.out) == (0, "")
    assert (desk / "p.tsv").read_text() == placed.tsv
    assert done.err == "".join(f"# {line}\n" for line in texts(placed.list_notes()))
    assert done.err.startswith("# 2 queries, 16 documents, 5 dimensions; axis 1 explains ")
    measures = "DUO@10 SignedDUO@10 DUO_random@10"
    scored = fairtrec_command("eval", "none", desk / "a.run", "--stances", desk / "p.tsv", "-m", measures)
    assert scored.code == 0
    assert [line.split()[0] for line in scored.out.splitlines()[2:]] == measures.split()
    assert "nan" not in scored.out


def test_saved_embeddings_give_the_same_bytes(desk, fairtrec_command):
    saved = ["--save-embeddings", desk / "s.parquet", "-o", desk / "p.tsv"]
    assert fairtrec_command(*given_vectors(desk), *saved).code == 0
    again = [
        "make",
        "stances",
        desk / "a.run",
        "--embeddings",
        desk / "s.parquet",
        "--save-embeddings",
        desk / "t.parquet",
    ]
    assert fairtrec_command(*again, "-o", desk / "q.tsv").code == 0
    assert fairtrec_command(*again, "-o", desk / "r.tsv").code == 0
    first, second = ((desk / name).read_text().splitlines() for name in ("p.tsv", "q.tsv"))
    assert first[:-1] == second[:-1]  # all but the signature, which names the file of vectors
    assert (desk / "q.tsv").read_bytes() == (desk / "r.tsv").read_bytes()
    assert (desk / "s.parquet").read_bytes() == (desk / "t.parquet").read_bytes()
    from pyarrow import parquet

    table = parquet.read_table(desk / "s.parquet").to_pydict()
    assert table["docno"] == sorted(table["docno"])
    assert len(table["docno"]) == 16


@pytest.mark.long
def test_same_vectors_same_bytes_whatever_the_threads(desk):
    written = []
    for threads in ("1", "2"):
        command = [sys.executable, "-m", "fairtrec", *map(str, given_vectors(desk))]
        done = subprocess.run(
            command, env={"PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": threads}, capture_output=True, check=True
        )
        written.append(done.stdout)
    assert written[0] == written[1]
    assert len(written[0].splitlines()) == 18


def test_the_signature_names_what_numbers_depend_on(desk, fairtrec_command):
    import hashlib

    (desk / "fit.tsv").write_text("qid docno\n" + "".join(f"q0 q0d{i}\n" for i in range(5)))
    done = fairtrec_command(
        *given_vectors(desk), "--fit", desk / "fit.tsv", "-M", "5", "--normalize", "--order", "file"
    )
    signature = Signature.read(done.out.splitlines()[-1].removeprefix("# "))
    of = {name: hashlib.sha256((desk / name).read_bytes()).hexdigest()[:8] for name in ("v.npy", "fit.tsv")}
    assert signature["vectors"] == f"v.npy@{of['v.npy']}"
    assert signature["fit"] == f"fit.tsv@{of['fit.tsv']}"
    assert [signature[name] for name in ("depth", "axes", "order", "normalize")] == ["5", "1", "file", "yes"]


def test_a_very_large_file_is_named_with_its_size(desk, monkeypatch):
    from fairtrec.lab.make.stances import vectors

    monkeypatch.setattr(vectors, "LARGEST_HASHED", 10)
    placed = fairtrec.make_stances(desk / "a.run", embeddings=desk / "v.npy", ids=desk / "ids.txt")
    assert placed.signature["vectors"] == f"v.npy/{(desk / 'v.npy').stat().st_size}"


def test_what_two_versions_place_alike_is_the_same_file(tmp_path, monkeypatch):
    run = run_of(3, 2)
    vectors = vectors_of(run)
    fairtrec.make_stances(run, embeddings=vectors).write(tmp_path / "one.tsv")
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "fairtrec" and hasattr(module, "__version__"):
            monkeypatch.setattr(module, "__version__", "99.0.0")
    fairtrec.make_stances(run, embeddings=vectors).write(tmp_path / "other.tsv")
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "other.tsv").read_bytes()
