"""Every interval and verdict takes its ? from fairtrec/statistics/doubt.py, and writes it by one function of that file."""

import ast

from fairtrec_made import REPOSITORY
from fairtrec_made.sources import list_nodes

PACKAGE = REPOSITORY / "fairtrec"
RULE = PACKAGE / "statistics" / "doubt.py"
ENDS = {"low", "high"}
ASKED = {"doubtful", "is_doubtful"}
NO_INTERVALS = {  # classes that have a low and a high end, but no interval over queries of their own
    "Open": "bounds: the lowest and highest value by labels",
    "TiedSingles": "numbers of kinds of pairs",
    "Evidence": "of a Verdict, which has the answer",
    "Interval": "of an Agreement or its Category, which have the answer",
    "CorrectedPool": "over drawn documents, whose errors make it wide enough",
}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        if path != RULE:
            yield path.relative_to(PACKAGE).as_posix(), list_nodes(path.read_text("utf-8"))


def compares_with_the_limit(node):
    """Whether a comparison, or min and the like, looks at DECIDING."""
    is_comparison = isinstance(node, ast.Compare)
    return is_comparison and any(isinstance(each, ast.Name) and each.id == "DECIDING" for each in ast.walk(node))


def writes_the_mark(node):
    """Whether an expression writes ? behind something: " ?", "?" * doubtful, or f"{verdict} ?"."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value == " ?"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = node.left, node.right
        return any(isinstance(side, ast.Constant) and str(side.value).strip() == "?" for side in sides)
    if isinstance(node, ast.JoinedStr):
        texts = [each.value for each in node.values if isinstance(each, ast.Constant)]
        return any(text == " ?" or text.startswith((" ? ", " ?:")) for text in texts)
    return False


def find(holds, source=None):
    files = modules() if source is None else [("source", list_nodes(source))]
    return [f"{path}:{node.lineno}" for path, nodes in files for node in nodes if holds(node)]


def test_the_searches_find_what_they_look_for():
    assert find(compares_with_the_limit, "few = many < DECIDING") == ["source:1"]
    assert find(compares_with_the_limit, "few = max(many) >= DECIDING and more") == ["source:1"]
    for line in ('x = f"{verdict} ?"', 'x = text + " ?" * few', 'x = sign + "?" * few', "x = f'[{low}]{\" ?\" * few}'"):
        assert find(writes_the_mark, line), line
    assert not find(writes_the_mark, 'x = {"?": 1}; y = f"did you mean {near}?"[:-1] if near else "?"')


def test_no_other_file_compares_with_the_limit():
    assert find(compares_with_the_limit) == [], "ask is_doubtful of fairtrec/statistics/doubt.py"


def test_no_other_file_writes_the_mark():
    assert find(writes_the_mark) == [], "write it by mark_doubt of fairtrec/statistics/doubt.py"


def list_classes_with_ends():
    """The classes that have a low and a high end, each with the names of its fields and properties."""
    for path, nodes in modules():
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
                names = fields | {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                if fields >= ENDS:
                    yield f"{path}:{node.name}", node.name, names


def test_what_has_an_interval_over_queries_says_whether_it_is_doubtful():
    found = list(list_classes_with_ends())
    lacking = {name for _, name, names in found if name not in NO_INTERVALS and not names & ASKED}
    assert not lacking
    assert NO_INTERVALS.keys() <= {name for _, name, _ in found}
