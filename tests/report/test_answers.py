"""Every answer of Python shows itself: in a notebook, as text, as a frame, as numbers, and as a file in each format."""

import html.parser
import inspect
import json
from functools import cache

import pytest

import fairtrec
from fairtrec.commands.rbo import OVERLAPS
from fairtrec.evaluation import leaderboard
from fairtrec.evaluation.answers import Answer
from fairtrec.report import writers
from fairtrec.report.writers import RESULTS, all_formats
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY, reports, unwrapped

GIVEN = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
SHELL = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
MAJORITY = {"terms": "gender-en", "docs": "collection.tsv", "membership": "majority"}
TWO = ["bm25.run", "neural.run"]
VECTORS = REPOSITORY / "tests" / "cli" / "inputs"
STANCE = [VECTORS / "tiny.run", "--embeddings", VECTORS / "vectors.npy", "--ids", VECTORS / "vectors-ids.txt"]


def both():
    return fairtrec.evaluate("nDCG@10 NFaiRR@10", TWO, "qrels.txt", **GIVEN)


def each_cutoff():
    return fairtrec.evaluate("nDCG@1 nDCG@5", TWO, "qrels.txt")


ANSWERS = {
    "evaluate": both,
    "scores": lambda: fairtrec.evaluator("nDCG@10 NFaiRR@10", "qrels.txt", **GIVEN).scores("bm25.run"),
    "one of several": lambda: both().scores[1],
    "compare": lambda: fairtrec.compare(both(), "bm25"),
    "correlate": lambda: fairtrec.correlate(both()),
    "reliability": lambda: fairtrec.reliability(fairtrec.evaluate("nDCG@10", [*TWO, "fair.run"], "qrels.txt")),
    "curves": lambda: fairtrec.curves(each_cutoff()),
    "check": lambda: fairtrec.check("NFaiRR@10 >= 0.99", TWO, "qrels.txt", **GIVEN),
    "explain": lambda: fairtrec.explain("NFaiRR@10", "neural.run", **GIVEN),
    "explain a query": lambda: fairtrec.explain("NFaiRR@10", "neural.run", query="101", **GIVEN),
    "headroom": lambda: fairtrec.headroom(TWO, "qrels.txt", **GIVEN),
    "ablate": lambda: fairtrec.ablate(TWO, None, measure="NFaiRR@10", vary=["tau=0,1"], **GIVEN),
    "select": lambda: fairtrec.select(both(), utility="nDCG@10", fairness="NFaiRR@10", beta=[0, 1]),
    "rerank": lambda: fairtrec.rerank("DetCons@10", "neural.run", **MAJORITY),
    "validate": lambda: fairtrec.validate(TWO, qrels="qrels.txt"),
    "make_positions": lambda: fairtrec.make_positions(STANCE[0], embeddings=STANCE[2], ids=STANCE[4]),
    "rbo": lambda: fairtrec.rbo(["bm25.run", "neural.run", "fair.run"]),
    "best and worst of topics": lambda: leaderboard.spread(both()),
    "gold draw": lambda: fairtrec.gold.draw(TWO, 5, docs="collection.tsv"),
    "make_queryset": lambda: fairtrec.make_queryset(
        "votes.tsv", keep="n", query_texts="queries.tsv", terms="gender-en"
    ),
    "gold agree": lambda: fairtrec.gold.agree("labels.tsv", terms="gender-en", docs="collection.tsv"),
    "gold judges": lambda: fairtrec.gold.judges("qrels.txt", {"qrels.txt": "qrels.txt"}, labels="labels.tsv"),
}
PRINTED = {  # by the command that gives the same answer
    "evaluate": ["eval", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10", *SHELL, "-f", "table"],
    "scores": ["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10 NFaiRR@10", *SHELL, "-f", "table"],
    "compare": ["compare", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10", *SHELL, "-f", "table"],
    "correlate": ["compare", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10", "--correlate", "queries", *SHELL],
    "reliability": ["compare", "qrels.txt", *TWO, "fair.run", "-m", "nDCG@10", "--reliability", "-f", "table"],
    "curves": ["compare", "qrels.txt", *TWO, "-m", "nDCG", "--cutoffs", "1,5", "-f", "table"],
    "check": ["check", "qrels.txt", *TWO, "--require", "NFaiRR@10 >= 0.99", *SHELL],
    "explain": ["explain", "none", "neural.run", "-m", "NFaiRR@10", *SHELL],
    "explain a query": ["explain", "none", "neural.run", "-m", "NFaiRR@10", "--query", "101", *SHELL],
    "headroom": ["headroom", "qrels.txt", *TWO, *SHELL],
    "ablate": ["ablate", "none", *TWO, "-m", "NFaiRR@10", "--vary", "tau=0,1", *SHELL],
    "select": ["select", "qrels.txt", *TWO, "--utility", "nDCG@10", "--fairness", "NFaiRR@10", "--beta", "0,1", *SHELL],
    "validate": ["validate", *TWO, "--qrels", "qrels.txt"],
    "make_positions": ["make", "positions", *STANCE],
    "rbo": ["rbo", "bm25.run", "neural.run", "fair.run"],
    "gold draw": ["gold", "draw", *TWO, "--number", "5", "--docs", "collection.tsv", "-o", "sheet.tsv"],
    "make_queryset": [
        "make",
        "queryset",
        "votes.tsv",
        "--keep",
        "n",
        "--query-texts",
        "queries.tsv",
        "--terms",
        "gender-en",
    ],
    "gold agree": ["gold", "agree", "labels.tsv", *SHELL[:4]],
    "gold judges": ["gold", "judges", "qrels.txt", "qrels.txt", "--labels", "labels.tsv"],
}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.cells, self.tags, self.texts = 0, set(), []
        self.feed(text)

    def handle_starttag(self, tag, _):
        self.tags.add(tag)
        self.cells += tag == "td"

    def handle_data(self, data):
        self.texts.append(data)


@cache
def made(name):
    """The answer of this name, which no test changes; each test has a copy of the files that it was made of."""
    return ANSWERS[name]()


@pytest.fixture(params=ANSWERS)
def answer(request, copied):
    return made(request.param)


def test_a_notebook_shows_a_table_with_cells_and_the_signature(answer):
    page = Page(answer._repr_html_())
    assert "table" in page.tags
    assert page.cells
    assert str(answer.signature) in "".join(page.texts)


def test_a_frame_has_rows_and_the_signature(answer):
    frame = answer.to_frame()
    assert len(frame)
    assert frame.attrs["signature"] == str(answer.signature)


def test_numbers_have_names_of_their_own(answer):
    found = answer.flat()
    assert found
    assert all(isinstance(value, int | float) and name.isidentifier() for name, value in found.items())


def test_a_representation_is_short(answer):
    assert len(repr(answer)) < 200
    assert repr(answer).startswith(f"<{type(answer).__name__} ")


def test_it_is_written_in_each_format_of_its_kind(answer, tmp_path):
    kind = all_formats()[type(answer).__name__]
    for form in kind.forms:
        place = tmp_path / f"answer.{form}"
        answer.write(place, form)
        assert place.stat().st_size, form
        if form == "json":
            assert isinstance(json.loads(place.read_text("utf-8")), dict)
    with pytest.raises(UsageError, match="there is no option digits"):
        answer.write(tmp_path / "never", next(iter(kind.forms)), digits=2)


@pytest.mark.parametrize("name", PRINTED)
def test_its_text_is_what_the_command_prints(name, copied, fairtrec_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    done = fairtrec_command(*PRINTED[name])
    assert done.code in (0, 1), done.err
    wrapped, whole = done.out.rstrip("\n"), str(ANSWERS[name]())  # which only a window wraps
    assert whole in (wrapped, unwrapped(wrapped))


WITHOUT_RUNS = {
    "best and worst of topics",
    "make_queryset",
    "gold agree",
    "gold judges",
}  # which are not of runs, or name none


@pytest.mark.parametrize("name", ANSWERS)
def test_json_lists_runs_as_objects_in_every_kind(name, copied):
    if name == "make_positions":  # which are rows alone
        return
    ANSWERS[name]().write(copied / "answer.json", "json")
    found = json.loads((copied / "answer.json").read_text("utf-8"))
    if name in WITHOUT_RUNS:
        assert "runs" not in found
    else:
        assert found["runs"]
        assert all(isinstance(run["run"], str) for run in found["runs"])


def test_what_scores_of_a_session_say_is_what_its_result_says(copied):
    session = fairtrec.evaluator("nDCG@10", "qrels.txt")
    assert str(session.scores("bm25.run")) == str(session.evaluate("bm25.run"))
    assert str(session.evaluate("bm25.run").scores[0].signature).startswith("fairtrec:")


def test_runs_in_a_new_order_are_a_frame_that_is_evaluated_as_they_are(copied, tmp_path):
    reranked = ANSWERS["rerank"]()
    reranked.write(tmp_path / "new.run")
    frame = reranked.to_frame().rename(columns={"qid": "query_id", "docno": "doc_id"})
    of_frame, of_file = (fairtrec.evaluate("NDKL@10", run, **MAJORITY).means for run in (frame, tmp_path / "new.run"))
    assert [*of_frame.values()] == [*of_file.values()]
    assert reranked.flat().keys() == {"DetCons_at_10_queries", "DetCons_at_10_documents", "DetCons_at_10_other_order"}
    both_ways = fairtrec.rerank("DetCons@10 DetCons@5", "neural.run", **MAJORITY)
    with pytest.raises(UsageError, match="these are 2 runs, and a file holds one"):
        both_ways.write(tmp_path / "two.run")


def test_samples_of_rankings_are_told_apart_in_a_frame(copied):
    reranked = fairtrec.rerank("Random", "neural.run", rankings=2)
    assert {*reranked.to_frame()["sample"]} == {1, 2}


def test_overlaps_of_queries_are_rows_of_a_frame(copied):
    overlaps = fairtrec.rbo({"a": {"q": {"d": 2.0, "e": 1.0}}, "b": {"q": {"d": 1.0, "e": 2.0}}}, baseline=0)
    assert overlaps.to_frame(per_query=True)["qid"].tolist() == ["q", "all"]
    assert overlaps.flat() == {"a_rbo": overlaps.pairs[0].mean}
    with pytest.raises(UsageError, match="leave out per_query"):
        fairtrec.compare(both()).to_frame(per_query=True)


def test_findings_come_one_run_after_the_other_and_are_rows(copied):
    (copied / "bad.run").write_text("q1 Q0 d1 1 nan t\n")
    validation = fairtrec.validate(["bad.run", "bm25.run"])
    assert [checked.path for checked in validation] == ["bad.run", "bm25.run"] == [each.path for each in validation]
    assert (validation.to_frame()["severity"] == "error").any()
    assert validation.flat()["bad_errors"] >= 1


def test_every_answer_that_python_gives_is_tried_here():
    given = {
        "attributes",
        "bibtex",
        "evaluator",
        "make_counterfactual",
        "make_counts",
        "make_labels",
        "plot",
        "read_results",
        "read_values",
    }  # no answers
    functions = {name for name in fairtrec.__all__ if inspect.isfunction(getattr(fairtrec, name))}
    assert functions - given == {name for name in ANSWERS if name.isidentifier()} - {"scores"}


def subclasses(of):
    return {each for one in of.__subclasses__() for each in (one, *subclasses(one))}


def test_every_class_of_answers_has_its_formats(copied):
    for make in ANSWERS.values():
        make()
    from fairtrec.commands.rerank.reranked import Effect
    from fairtrec.evaluation.columns.gaps import GapScores

    assert {each.__name__ for each in subclasses(Answer)} == {*all_formats()}
    assert {Effect.__name__, GapScores.__name__} <= {*all_formats()}


# --- options ---


def steps(kind, form):
    """The layout and the renderer of a format."""
    writer = kind.forms[form]
    return [kind.find(place) for place in (writer.layout, writer.renderer) if place]


def every_format():
    return {f"{kind.module} {form}": (kind, form) for kind in reports.every_kind() for form in kind.forms}


@pytest.mark.parametrize("name", every_format())
def test_a_format_heeds_only_options_that_its_kind_has(name):
    """Else it would never be given what it asks for, as when its name is misspelt."""
    kind, form = every_format()[name]
    for step in steps(kind, form):
        of, *heeded = inspect.signature(step).parameters.values()
        assert of.kind in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD)
        assert {each.kind for each in heeded} <= {inspect.Parameter.KEYWORD_ONLY}, step
        assert {each.name for each in heeded} <= {*kind.options, *writers.EVERY, "delimiter"}, step
    rounds = any("places" in inspect.signature(step).parameters for step in steps(kind, form))
    assert kind.forms[form].exact is not rounds


@pytest.mark.parametrize("kind", reports.every_kind())
def test_each_option_of_a_kind_is_heeded_by_a_format(kind):
    heeded = {name for form in kind.forms for step in steps(kind, form) for name in inspect.signature(step).parameters}
    assert {*kind.options} - {"slices"} <= heeded  # slices are made parts by the table itself


def test_an_option_that_no_format_has_is_refused():
    result = fairtrec.evaluate("RR", {"a": {"q": {"d": 1.0}}}, {"q": {"d": 1}})
    with pytest.raises(TypeError, match="per_qery: no option"):
        RESULTS("table", result, per_qery=True)
    with pytest.raises(TypeError, match="plases, sort: no option"):
        OVERLAPS("table", None, plases=4, sort=None)
