"""Every answer of Python shows itself: in a notebook, as text, as a frame, as numbers, and as a file in each format."""

import html.parser
import inspect
import json
import pkgutil
from functools import cache

import pyarrow as pa
import pytest

import fairtrec
from fairtrec.commands.eval import SPREADS
from fairtrec.evaluation import leaderboard
from fairtrec.evaluation.answers import Answer
from fairtrec.report import writers
from fairtrec.report.writers import RESULTS, all_formats
from fairtrec.support.errors import UsageError
from fairtrec_made import reports, unwrapped
from fairtrec_made.command_trials import GIVEN, SHELL, TWO, evaluate_both, gather_trials
from fairtrec_made.rows import walk

ANSWERS = gather_trials(
    "ANSWERS",
    {
        "evaluate": evaluate_both,
        "scores": lambda: fairtrec.evaluator("nDCG@10 NFaiRR@10", "qrels.txt", **GIVEN).scores("bm25.run"),
        "one of several": lambda: evaluate_both().scores[1],
        "best and worst of topics": lambda: leaderboard.spread(evaluate_both()),
    },
)
PRINTED = gather_trials(  # by the command that gives the same answer
    "PRINTED",
    {
        "evaluate": ["eval", "qrels.txt", *TWO, "-m", "nDCG@10 NFaiRR@10", *SHELL, "-f", "table"],
        "scores": ["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10 NFaiRR@10", *SHELL, "-f", "table"],
    },
)


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


def test_a_table_of_arrow_has_what_the_frame_has(answer):
    table, frame = answer.to_arrow(), answer.to_frame()
    frame = frame.reset_index() if frame.index.name else frame
    assert table.column_names == [*map(str, frame.columns)]
    assert table.schema.metadata[b"signature"].decode() == str(answer.signature)
    for place, cells in enumerate(table.columns):
        held = [None if cell != cell or cell is None else cell for cell in frame.iloc[:, place].tolist()]
        assert [*map(str, cells.to_pylist())] == [*map(str, held)] or cells.to_pylist() == held
    assert pa.table(answer).equals(table)


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


WITHOUT_RUNS = {"best and worst of topics", *gather_trials("WITHOUT_RUNS")}  # which are not of runs, or name none


@pytest.mark.parametrize("name", ANSWERS)
def test_json_lists_runs_as_objects_in_every_kind(name, copied):
    if name in gather_trials("ROWS_ONLY"):
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


def test_every_answer_that_python_gives_is_tried_here():
    given = {"attributes", "bibtex", "evaluator", "retrievability", *gather_trials("NO_ANSWERS")}  # no answers
    functions = {name for name in fairtrec.__all__ if inspect.isfunction(getattr(fairtrec, name))}
    assert functions - given == {name for name in ANSWERS if name.isidentifier()} - {"scores"}


def subclasses(of):
    return {each for one in of.__subclasses__() for each in (one, *subclasses(one))}


def test_every_class_of_answers_has_its_formats(copied):
    for make in ANSWERS.values():
        make()
    from fairtrec.evaluation.columns.gaps import GapScores

    others = [GapScores, *map(pkgutil.resolve_name, gather_trials("OTHER_ANSWERS"))]
    assert {each.__name__ for each in subclasses(Answer)} == {*all_formats()}
    assert {each.__name__ for each in others} <= {*all_formats()}


# --- options ---


def steps(kind, form):
    """The layout and the renderer of a format."""
    writer = kind.forms[form]
    return [kind.find(place) for place in (writer.layout, writer.renderer) if place]


def every_format():
    return {f"{kind.module} {form}": (kind, form) for kind in reports.every_kind() for form in kind.forms}


@walk(every_format())
def test_a_format_heeds_only_options_that_its_kind_has(kind, form):
    """Else it would never be given what it asks for, as when its name is misspelt."""
    for step in steps(kind, form):
        of, *heeded = inspect.signature(step).parameters.values()
        assert of.kind in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD)
        assert {each.kind for each in heeded} <= {inspect.Parameter.KEYWORD_ONLY}, step
        assert {each.name for each in heeded} <= {*kind.options, *writers.EVERY, "delimiter"}, step
    rounds = any("places" in inspect.signature(step).parameters for step in steps(kind, form))
    assert kind.forms[form].exact is not rounds


@walk({f"{at} {kind.module}": (kind,) for at, kind in enumerate(reports.every_kind())})
def test_each_option_of_a_kind_is_heeded_by_a_format(kind):
    heeded = {name for form in kind.forms for step in steps(kind, form) for name in inspect.signature(step).parameters}
    of_parts = {"slices", "against", "correction"}  # slices are made parts, and compared, by the table itself
    assert {*kind.options} - of_parts <= heeded


def test_an_option_that_no_format_has_is_refused():
    result = fairtrec.evaluate("RR", {"a": {"q": {"d": 1.0}}}, qrels={"q": {"d": 1}})
    with pytest.raises(TypeError, match="per_qery: no option"):
        RESULTS("table", result, per_qery=True)
    with pytest.raises(TypeError, match="plases, sort: no option"):
        SPREADS("table", None, plases=4, sort=None)
