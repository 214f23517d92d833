"""``fairtrec rerank``: the files that it writes, what it prints, what it refuses; its page; plug-ins; Python."""

import json
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import MISSING, Run
from fairtrec.lab.rerank import catalogue, ordering
from fairtrec.lab.rerank.ordering import Ordering, Placement, reorder_run
from fairtrec.reranker import NEW, Order, Reranker
from fairtrec.rerankers import BUILT_IN, DetCons
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import REPOSITORY, pages

PAGES = [(REPOSITORY / "docs" / f"{name}.md").read_text("utf-8") for name in ("rerank", "rerank-computed")]
GIVEN = ("--terms", "gender-en", "--docs", "resources/example/collection.tsv", "--membership", "majority")
NEURAL = "resources/example/neural.run"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def of_chance():
    return [name for name in BUILT_IN if catalogue.find(name)().is_random]


# --- the files that it writes ---


def spelled(name):
    """Give what must be named, and no reranker that lets queries share what may be lost."""
    fields = catalogue.find(name).__dataclass_fields__
    return f"{name}(protected='f')" if "protected" in fields else f"{name}(each=True)" if "each" in fields else name


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_output_is_clean_and_the_same_in_every_order(name, fairtrec_command, tmp_path):
    out = tmp_path / "out.run"
    arguments = ("resources/example/qrels.txt", NEURAL, "--by", spelled(name), *GIVEN, "--background", NEURAL)
    assert fairtrec_command("rerank", *arguments, "-o", out).code == 0
    assert "clean" in fairtrec_command("validate", out).out
    printed = [
        fairtrec_command(
            "eval", "resources/example/qrels.txt", out, "-m", "nDCG@10 AP NDKL@10", *GIVEN, "--order", order
        )
        for order in ("score", "rank", "file")
    ]
    assert len({each.out for each in printed}) == 1, printed
    assert fairtrec_command("rerank", *arguments).out.encode() == out.read_bytes()


@pytest.mark.parametrize("name", BUILT_IN)
def test_jobs_and_other_queries_change_no_byte(name, tmp_path, fairtrec_command):
    runs = []
    for run in ("neural", "fair", "bm25"):
        runs.append(tmp_path / f"{run}.run")
        shutil.copy(f"resources/example/{run}.run", runs[-1])
    given = (*GIVEN, "--by", spelled(name), "--background", NEURAL)
    for jobs in (1, 2):
        done = fairtrec_command(
            "rerank", "resources/example/qrels.txt", *runs, *given, "-j", jobs, "-o", tmp_path / f"out{jobs}/"
        )
        assert done.code == 0, done.err
    for run in runs:
        assert (tmp_path / "out1" / run.name).read_bytes() == (tmp_path / "out2" / run.name).read_bytes()
    lines = [line for line in Path(NEURAL).read_text().splitlines(keepends=True) if line.startswith("104 ")]
    alone = tmp_path / "alone.run"
    alone.write_text("".join(lines))
    done = fairtrec_command("rerank", "resources/example/qrels.txt", alone, *given)
    whole = (tmp_path / "out1" / "neural.run").read_text().splitlines(keepends=True)
    assert done.out == "".join(line for line in whole if line.startswith("104 "))
    wanted = tmp_path / "wanted.txt"
    wanted.write_text("104\n")
    done = fairtrec_command("rerank", "resources/example/qrels.txt", NEURAL, *given, "--queries", wanted)
    assert done.out == "".join(line for line in whole if line.startswith("104 "))


def test_several_rerankers_write_to_a_folder(fairtrec_command, tmp_path):
    folder = tmp_path / "out"
    by = ("--by", "DetCons@10 DetConstSort(reading=printed)@3", "--by", "DetGreedy@5")
    done = fairtrec_command("rerank", "none", NEURAL, *by, *GIVEN, "-o", folder, "-m", "NDKL@10", "-f", "json")
    assert done.code == 0, done.err
    names = {"neural-DetCons@10.run", "neural-DetConstSort(reading='printed')@3.run", "neural-DetGreedy@5.run"}
    assert {path.name for path in folder.iterdir()} == names
    printed = json.loads(done.out)
    assert [run["by"] for run in printed["runs"]] == ["DetCons@10", "DetConstSort(reading='printed')@3", "DetGreedy@5"]
    for run in printed["runs"]:
        means = run["means"]["NDKL@10"]
        assert means["difference"] == pytest.approx(means["reranked"] - means["before"])
        path = folder / f"neural-{run['by']}.run"
        evaluated = json.loads(fairtrec_command("eval", "none", path, "-m", "NDKL@10", *GIVEN, "-f", "json").out)
        assert evaluated["runs"][0]["means"]["NDKL@10"]["value"] == means["reranked"]


def test_cut_and_candidates(fairtrec_command):
    whole = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@3", *GIVEN).out.splitlines()
    cut = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@3", *GIVEN, "--cut").out.splitlines()
    assert [line.split()[:4] for line in cut] == [line.split()[:4] for line in whole if int(line.split()[3]) <= 3]
    assert {line.split()[4] for line in cut} == {"3", "2", "1"}
    first = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@10", *GIVEN, "--candidates", 1).out
    before = [(row[0], row[2]) for row in map(str.split, Path(NEURAL).read_text().splitlines())]
    assert [(row[0], row[2]) for row in map(str.split, first.splitlines())] == before


def test_without_a_file_tables_go_to_standard_error(fairtrec_command):
    done = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@10", *GIVEN, "-m", "NDKL@10")
    assert all(len(line.split()) == 6 for line in done.out.splitlines())
    assert "reranked" in done.err
    assert "# " not in done.err  # a table carries its remarks
    done = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@10", *GIVEN, "-m", "NDKL@10", "-f", "tsv")
    assert "run\tby\tqueries\tmeasure\tbefore\treranked\tdifference\n" in done.err
    assert "# fairtrec:" in done.err


def test_all_formats_have_the_same_numbers(fairtrec_command, tmp_path):
    arguments = ("rerank", "none", NEURAL, "--by", "DetCons@10", *GIVEN, "-m", "NDKL@10", "-o", tmp_path / "out.run")
    texts = {form: fairtrec_command(*arguments, "-f", form).out for form in ("table", "tsv", "csv", "md", "latex")}
    assert all("0.3805" in text and "0.2480" in text and "0.1325" in text for text in texts.values()), texts


# --- what it refuses ---


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--by", "DetCos@10"), 2, "there is no reranker DetCos; did you mean DetCons"),
        (("--by", "DetCons@0"), 2, "ranks count from 1"),
        (("--by", "DetCons@10(x=1)"), 2, "cannot read the reranker"),
        (("--by", "DetCons(depth=3)"), 2, "has no parameter depth"),
        (("--by", "DetCons(cutoff=3)@10"), 2, "the parameter cutoff is given twice"),
        (("--by", ""), 2, "no reranker; add one"),
        (("--by", "DetCons", "--missing", "skip"), 2, "a reranker places every document"),
        (("--by", "DetCons", "--rankings", "3"), 2, "no chance in DetCons@10"),
        (("--by", "DetCons", "--candidates", "0"), 2, "candidates is 0"),
        (("--by", "Random", "--seed", "-1"), 2, "seed is -1"),
        (("--by", "DetCons DetGreedy"), 2, "2 runs need a folder"),
        (("--by", "DetCons", "-o", "resources/example/neural.run"), 2, "is also read"),
        (("--by", "DetCons", "-o", "no/such/folder/x.run"), 2, "is not there or may not be written"),
        (("--by", "DetCons", "--target", "f=0.4,m=0.4"), 2, "sum to 0.8"),
        (("--by", "DetCons", "-m", "NDKLL@10"), 2, "there is no measure NDKLL"),
        (("--by", "DetCons DetGreedy", "-o", "README.md"), 2, "is a file, and several runs need a folder"),
    ],
)
def test_wrong_usage(arguments, code, says, fairtrec_command):
    done = fairtrec_command("rerank", "none", NEURAL, *GIVEN, *arguments)
    assert done.code == code
    assert says in done.err
    assert len(done.complaints) == 1
    assert not done.out


def test_groups_are_needed_and_hard(fairtrec_command):
    done = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons")
    assert (done.code, done.complaints) == (2, [
        "DetCons@10 needs group labels; add --labels FILE, or --terms LIST with --docs COLLECTION, or --counts FILE"
    ])  # fmt: skip
    done = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons", *GIVEN[:-2])
    assert done.code == 3
    assert done.complaints[0].endswith(
        "belongs to f and m, and the reranker takes documents of one group; add --membership majority"
    )
    done = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons", "--labels", "resources/example/labels.tsv")
    assert done.code == 3
    assert "cross two attributes with --labels A*B" in done.err


@pytest.mark.parametrize(("qid", "docno", "says"), [("101", "p 1", "docno 'p 1'"), ("1 01", "p1", "query id '1 01'")])
def test_ids_that_no_trec_file_can_hold_are_written_to_none(fairtrec_command, tmp_path, qid, docno, says):
    blank = tmp_path / "b.jsonl"
    blank.write_text(
        f'{{"qid": "101", "docno": "p2", "score": 2}}\n{{"qid": "{qid}", "docno": "{docno}", "score": 1}}\n'
    )
    to = tmp_path / "fair.run"
    done = fairtrec_command(
        "rerank", "none", blank, "--by", "DetCons@10", "--labels", "resources/example/labels.tsv", "-o", to
    )
    assert (done.code, to.exists(), list(tmp_path.iterdir())) == (3, False, [blank])
    assert done.complaints == [f"{blank}: the {says} contains a blank, which TREC files cannot have; rename it"]


def test_two_runs_of_one_name_need_another(fairtrec_command, tmp_path):
    (tmp_path / "other").mkdir()
    shutil.copy(NEURAL, tmp_path / "other" / "neural.run")
    both = (NEURAL, tmp_path / "other" / "neural.run")
    done = fairtrec_command("rerank", "none", *both, "--by", "DetCons", *GIVEN, "-o", tmp_path / "out")
    assert (done.code, "two runs would be written to" in done.err) == (2, True)
    named = (NEURAL, f"second.run={tmp_path / 'other' / 'neural.run'}")
    assert fairtrec_command("rerank", "none", *named, "--by", "DetCons", *GIVEN, "-o", tmp_path / "out/").code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"neural.run", "second.run"}


@pytest.mark.parametrize("name", ["..", ".", "x" * 256, "a/..", "taken"])
@pytest.mark.parametrize("command", ["rerank", "eval"])
def test_a_name_that_no_file_can_have_is_refused_before_anything_is_written(fairtrec_command, tmp_path, command, name):
    out = tmp_path / "out"
    for taken in ("taken", "taken.txt") if name == "taken" else ():
        (out / taken).mkdir(parents=True)
    more = ("--by", "DetCons", *GIVEN) if command == "rerank" else ("-m", "P@1", "--spread", "-f", "table")
    qrels = "none" if command == "rerank" else "resources/example/qrels.txt"
    done = fairtrec_command(command, qrels, NEURAL, f"{name}={NEURAL}", *more, "-o", f"{out}/", "--force")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    if command == "rerank" or name in ("taken", "x" * 256):
        assert (done.code, written) == (2, [])
        assert "cannot be a file in" in done.err or "is a folder; pass a file" in done.err
    else:  # with its ending it is a name like others
        assert (done.code, {path.parent for path in written}) == (0, {out})


def test_a_run_of_other_queries_is_refused(tmp_path):
    with pytest.raises(InputError, match="have no query in common"):
        fairtrec.rerank("DetCons", {"r": {"x": {"d": 1.0}}}, qrels={"q": {"d": 1}}, labels={"d": "f", "e": "m"})
    given = {"terms": {"f": ["f"], "m": ["m"]}, "membership": "majority"}
    with pytest.raises(InputError, match="such as d at rank 1 of query x"):
        fairtrec.rerank("DetCons", {"r": {"x": {"d": 1.0, "e": 0.5}}}, docs={"e": "f"}, **given)


# --- the pages ---


def test_the_list_and_a_page(fairtrec_command):
    listed = fairtrec_command("measures").out.partition("rerankers, for `fairtrec rerank --by`:\n")[2]
    assert [line.split("@")[0].split()[0] for line in listed.splitlines()[: len(BUILT_IN)]] == [*BUILT_IN]
    page = fairtrec_command("measures", "detcons")
    assert page.out.startswith("DetCons@10\n\nWhich group would soonest be short of documents?\n")
    assert fairtrec_command("measures", "Nothing").code == 2


def test_the_reranker_of_the_page_draws_each_document_first():
    _, own = (program for page in PAGES for program in pages.programs(page))
    names = {"__name__": "lottery"}
    pages.run_program(own, names, "rerank-computed.md")
    lottery = names["Lottery"]()
    run = {"q": dict(zip("abcdef", range(6, 0, -1), strict=True))}
    firsts = {next(iter(fairtrec.rerank(lottery, {"r": run}, seed=seed).runs[0].rankings["q"])) for seed in range(60)}
    assert firsts == set("abcdef")


# --- plug-ins, and what is wrong with them ---


@dataclass(frozen=True)
class Mine(Reranker):
    """Which document is the last?

    Groups: none. Chance: none. Edges: none. Source: this test.
    """

    ranks: str = ""

    def __call__(self, lengths):
        return Order(np.array(json.loads(self.ranks)))


@dataclass(frozen=True)
class Wishing(Reranker):
    def __call__(self, prices):
        return prices


def announced(monkeypatch, name, value):
    point = EntryPoint(name, value, "fairtrec.rerankers")
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda *, group, name=None: [point] if group == point.group and name in (None, point.name) else [],
    )


def test_plug_ins_are_found_by_their_entry_points(monkeypatch):
    announced(monkeypatch, "Mine", "test_rerank:Mine")
    monkeypatch.setitem(sys.modules, "test_rerank", sys.modules[__name__])
    assert catalogue.parse("Mine(ranks='[[1, 0]]')") == [Mine("[[1, 0]]")]
    assert "Mine" in catalogue.overview()
    assert catalogue.page("Mine").startswith("Mine\n\nWhich document is the last?")
    with pytest.raises(UsageError, match="Mine has no cutoff; leave out @5"):
        catalogue.parse("Mine@5")
    announced(monkeypatch, "Mine", "dataclasses:dataclass")
    with pytest.raises(UsageError, match="is no reranker; it must be a dataclass derived from Reranker"):
        catalogue.parse("Mine")


@pytest.mark.parametrize(
    ("ranks", "says"),
    [
        ("[[0, 0]]", "places a document twice"),
        ("[[0, 2]]", "places what is not there"),
        ("[[-1, 0]]", "leaves a rank open"),
        ("[0, 1]", "gave an order of the shape"),
        ("[[0], [1]]", "gave an order of the shape"),
    ],
)
def test_a_faulty_reranker_is_told(ranks, says):
    with pytest.raises(UsageError, match=says):
        fairtrec.rerank(Mine(ranks), {"r": {"q": {"a": 2.0, "b": 1.0}}})


def test_an_input_that_there_is_not_is_told():
    with pytest.raises(UsageError, match="asks for prices, which does not exist"):
        fairtrec.rerank(Wishing(), {"r": {"q": {"a": 2.0, "b": 1.0}}})
    with pytest.raises(TypeError, match="does not define how it orders"):
        Reranker()()
    with pytest.raises(UsageError, match="has no cutoff to cut at"):
        fairtrec.rerank(Mine("[[0]]"), {"r": {"q": {"a": 2.0}}}, cut=True)


def test_unknown_options_are_refused():
    with pytest.raises(UsageError, match="there is no option bounds"):
        fairtrec.rerank("DetCons", NEURAL, bounds="ties")


def test_judged_documents_are_inserted():
    run = Run("r", "t", ("q1", "q2"), np.array([0, 2, 3]), np.array([b"a", b"b", b"c"]), np.array([2.0, 1.0, 1.0]))
    judged = np.array([[b"a-long-one", b"b"], [b"x", b"y"]])
    placed = Placement(("q1", "q2"), np.array([[NEW, 1], [NEW - 1, MISSING]]), judged)
    new = reorder_run(run, [placed], "this")
    assert new.docnos.tolist() == [b"a-long-one", b"b", b"a", b"y", b"c"]
    assert new.starts.tolist() == [0, 3, 5]
    assert new.scores.tolist() == [3, 2, 1, 2, 1]


@given(
    st.lists(
        st.permutations(range(5)).flatmap(lambda p: st.tuples(st.integers(0, 5), st.integers(0, 5), st.just(p))),
        max_size=4,
    )
)
def test_placed_documents_come_first_and_the_others_keep_their_order(drawn):
    rankings, wanted, rows = [], [], []
    for query, (many, placed, order) in enumerate(drawn):
        rankings.append([b"%d-%d" % (query, rank) for rank in range(many)])
        ranks = [rank for rank in order if rank < many][:placed]
        wanted += [rankings[-1][rank] for rank in ranks]
        wanted += [docno for rank, docno in enumerate(rankings[-1]) if rank not in ranks]
        rows.append([*ranks, *[MISSING] * (5 - len(ranks))])
    qids, starts = tuple(map(str, range(len(drawn)))), np.cumsum([0, *map(len, rankings)])
    docnos = np.array([docno for ranking in rankings for docno in ranking], "S8")
    run = Run("r", "t", qids, starts, docnos, np.zeros(len(docnos)))
    new = reorder_run(run, [Placement(qids, np.array(rows, np.int64).reshape(-1, 5))], "this")
    assert new.docnos.tolist() == wanted
    assert new.scores.tolist() == [float(score) for ranking in rankings for score in range(len(ranking), 0, -1)]


def test_python_gives_what_the_command_writes(fairtrec_command):
    given = {"terms": "gender-en", "docs": "resources/example/collection.tsv", "membership": "majority"}
    reranking = fairtrec.rerank([DetCons(cutoff=3), "DetGreedy"], NEURAL, **given)
    assert [str(one.by) for one in reranking.runs] == ["DetCons@3", "DetGreedy@10"]
    assert str(reranking.signature).startswith(
        f"fairtrec:{fairtrec.__version__} | by:DetCons@3 DetGreedy@10 | seed:0 | order:score"
    )
    written = fairtrec_command("rerank", "none", NEURAL, "--by", "DetCons@3", *GIVEN).out.splitlines()
    rankings = reranking.runs[0].rankings
    rows = [line.split() for line in written]
    assert rows == [
        [qid, "Q0", docno, str(rank), f"{score:.0f}", "neural-DetCons"]
        for qid, ranking in rankings.items()
        for rank, (docno, score) in enumerate(ranking.items(), 1)
    ]


def test_parts_of_a_run_give_what_the_whole_gives(monkeypatch):
    given = {"terms": "gender-en", "docs": "resources/example/collection.tsv", "membership": "majority"}
    given |= {"qrels": "resources/example/qrels.txt", "background": NEURAL}
    by = [*(spelled(name) for name in BUILT_IN), "Neutral(require=0.97)@3"]
    whole = fairtrec.rerank(by, NEURAL, **given)
    monkeypatch.setattr(ordering, "CELLS", 40)
    for before, after in zip(whole.runs, fairtrec.rerank(by, NEURAL, **given).runs, strict=True):
        assert before.rankings == after.rankings, after.by
        if after.by.name != "FOE":  # which names the least probability of each part
            assert before.notes == after.notes, after.by


@pytest.mark.parametrize("by", ["FATopK(protected='f',p=0.1)@1", "DetCons@1"])
def test_targets_and_groups_that_only_some_queries_have(by, tmp_path, monkeypatch):
    rankings = {query: {f"{query}{rank:02}": -rank for rank in range(30)} for query in "abcd"}
    (tmp_path / "labels.tsv").write_text("a05\tf\nb29\tm\nd29\tf\n")
    (tmp_path / "targets.tsv").write_text("a\tf\t0.5\na\tm\t0.5\nc\tf\t1\n")
    given = {"labels": tmp_path / "labels.tsv", "target": str(tmp_path / "targets.tsv")}
    monkeypatch.setattr(Ordering, "_looks_first", False)
    whole = fairtrec.rerank(by, rankings, **given).runs[0]
    monkeypatch.undo()
    assert str(whole.notes[0]) == "order kept in 1 of 4 queries: no document of known group"
    monkeypatch.setattr(ordering, "CELLS", 60)
    for queries in ("abcd", "acbd", "bcad"):
        parts = fairtrec.rerank(by, {query: rankings[query] for query in queries}, **given).runs[0]
        assert (parts.rankings, parts.notes) == (whole.rankings, whole.notes)


def test_documents_that_a_choice_drops_are_not_reranked(monkeypatch):
    def keep_three(system, *_):
        return system.keep_where(lambda run: run.find_ranks(np.arange(len(run.docnos))) <= 3)

    monkeypatch.setattr("fairtrec.lab.rerank.rerank.keep_documents", keep_three)
    rankings = {"q": {f"d{rank}": -rank for rank in range(9)}}
    (found,) = fairtrec.rerank("DetCons", rankings, labels={f"d{rank}": "mf"[rank // 2 % 2] for rank in range(9)}).runs
    assert sorted(found.rankings["q"]) == ["d0", "d1", "d2"]
