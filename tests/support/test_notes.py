"""Notes are objects: their kinds, what they say, and that nothing reads what they say."""

import ast
import importlib
import pickle
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.measures import RaB
from fairtrec.support.notes import FEW, NoteKind, NoteSeverity, merge_measures, merge_runs
from fairtrec_made import REPOSITORY
from fairtrec_made.rows import walk

RANKS = NoteKind("ranks of a test", "{some} of {ranks} ranks{more}")


def all_kinds():
    """Every kind of note of the package, by the module and name of its constant."""
    found = {}
    for each in pkgutil.walk_packages(fairtrec.__path__, "fairtrec."):
        if each.name.endswith("__main__") or ".spark" in each.name:
            continue
        try:
            module = importlib.import_module(each.name)
        except ModuleNotFoundError:  # of what need not be installed
            continue
        for name, value in vars(module).items():
            if isinstance(value, NoteKind):
                found.setdefault(id(value), (f"{each.name}.{name}", value))
    return dict(found.values())


KINDS = all_kinds()
VALUES = {  # of kinds whose texts are functions
    "verdict": {"queries": 30, "ceiling": "27-29", "reliability": 0.21, "needed": 99},
    "verdict of a comparison": {"shown": 1, "doubtful": 0, "comparisons": 2, "queries": (9, 12), "ceilings": ""},
    "verdict of a choice": {
        "queries": 12,
        "folds": 5,
        "unsettled": "",
        "forced": "",
        "forced_by_others": 0,
        "forced_by_names": 0,
    },
}


def test_no_two_kinds_have_one_name():
    names = [kind.name for kind in KINDS.values()]
    assert len(names) > 100
    assert sorted({*names}) == sorted(names)


@walk([*KINDS])
def test_a_note_of_each_kind_has_numbers_a_severity_and_a_text(place):
    kind = KINDS[place]
    names = [name for name in kind.fields if name not in ("runs", "measures")]
    values = VALUES.get(kind.name) or {name: at + 1 for at, name in enumerate(names)}
    note = kind.note(measures=[RaB()], **values)
    assert note.numbers == {name: value for name, value in values.items() if not isinstance(value, str)}
    assert isinstance(note.severity, NoteSeverity)
    text = str(note)
    assert "RaB@10" in text
    assert "{" not in text
    assert pickle.loads(pickle.dumps(note)) == note  # which comes from another process
    with pytest.raises(TypeError, match="has the values"):
        kind.note(**dict.fromkeys(names, 1), strange=1)


def test_known_groups_mislead_only_where_some_are_unknown():
    from fairtrec.evaluation.score import KNOWN

    for known, severity in ((4, NoteSeverity.BACKGROUND), (3, NoteSeverity.MISLEADING)):
        assert KNOWN.note(known=known, ranks=4, others="").severity == severity
    several = merge_runs({KNOWN.note(known=many, ranks=many, others=""): [many] for many in (0, 1)}, ["a", "b"])
    assert [note.severity for note in several] == [NoteSeverity.BACKGROUND]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_notes_of_runs_that_differ_by_numbers_become_one(numbers):
    """The runs of a merged note, with its numbers, are those of the single notes."""
    names = [f"r{at}" for at in range(len(numbers))]
    said = {}
    for at, (some, ranks) in enumerate(numbers):
        said.setdefault(RANKS.note(some=some, ranks=ranks, more=""), []).append(at)
    (note,) = merge_runs(said, names)
    assert note.runs == tuple(names)
    columns = [each if isinstance(each, tuple) else (each,) * len(names) for each in note.values[:2]]
    assert [*zip(*columns, strict=True)] == numbers
    varies = len({*numbers}) > 1
    assert str(note).startswith("r0") is (varies and len(names) <= FEW)
    other = RANKS.note(some=9, ranks=9, more=" more")  # another text is another note
    assert len(merge_runs({**said, other: [0]}, names)) == 2


@given(st.permutations(["a", "b", "c"]))
def test_measures_of_which_the_same_is_true_are_named_together(names):
    notes = [RANKS.note(measure=name, some=1, ranks=2, more="") for name in names]
    (note,) = merge_measures(notes)
    assert str(note) == f"{', '.join(names)}: 1 of 2 ranks"
    assert merge_measures([note, notes[0]])[0].kind == RANKS


def test_braces_in_a_name_stay_what_they_are():
    note = RANKS.note(measure="a{b}", some="{ranks}", ranks=1, more=" of {runs}")
    assert str(note) == "a{b}: {ranks} of 1 ranks of {runs}"


def test_nothing_parses_the_texts_of_notes():
    """Where notes are ordered and folded no regular expression is, and no text is compared."""
    for path in ("support/notes.py", "report/result_notes.py"):
        tree = ast.parse((REPOSITORY / "fairtrec" / path).read_text("utf-8"))
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert "re" not in imported
        called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not called & {"startswith", "endswith", "partition", "search", "match"}
    folding = (REPOSITORY / "fairtrec" / "report" / "note_selection.py").read_text("utf-8")
    (select,) = (each for each in ast.parse(folding).body if getattr(each, "name", "") == "select_notes")
    called = {node.attr for node in ast.walk(select) if isinstance(node, ast.Attribute)}
    assert called <= {"severity", "LEGEND", "kind", "is_last"}
    assert not any(isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant) for node in ast.walk(select))
