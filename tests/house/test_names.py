"""Names have one meaning each: no class is called as another is, and few modules."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from fairtrec_made.sources import parse

PACKAGE = Path(__file__).parent.parent.parent / "fairtrec"

SHARED = {  # names of modules in rooms but commands/ and lab/ that occur twice or more: why
    "counts": "what documents have, how they are counted, and the option --counts",
    "discount": "the weights of ranks, and the option --discount",
    "engine": "one machine and Spark count the same; either is an engine",
    "gold": "the option --gold, and the column of means that gold labels correct",
    "groups": "what documents belong to, the table of an evaluation's groups, and the measure that counts them",
    "labels": "the reader of files of labels, the option --labels, and the column of bounds over labels",
    "options": "the table of the options of an evaluation, and the options that commands share",
    "pool": "the option --pool, and the column of pooled values",
    "qrels": "the reader of files of judgments, and judgments beside runs",
    "run": "what a run is, and how a file of one is read",
    "ties": "blocks of tied documents, and the column of bounds over their orders",
}


def statements(body):
    """Those of a block, and of the blocks within them."""
    for node in body:
        yield node
        for block in ("body", "orelse", "handlers", "finalbody"):
            yield from statements(getattr(node, block, ()))


def names_of(path):
    """The classes of a file, and its aliases of types."""
    tree = parse(path.read_text("utf-8"))
    classes = [node.name for node in statements(tree.body) if isinstance(node, ast.ClassDef)]
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None]
    targets = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in assigned]
    aliases = [target.id for target in targets if isinstance(target, ast.Name)]
    return {*classes, *(name for name in aliases if name[:1].isupper() and not name.isupper())}


def repeated(names):
    return {name for name, many in Counter(names).items() if many > 1}


def test_no_class_or_alias_is_called_as_another():
    assert repeated(name for path in PACKAGE.rglob("*.py") for name in names_of(path)) == set()


def test_modules_share_a_name_only_for_a_reason():
    modules = [path for path in PACKAGE.rglob("*.py") if path.stem not in ("__init__", "__main__")]  # Python's names
    shared = repeated(
        path.stem
        for path in modules
        if path.parent != PACKAGE and path.relative_to(PACKAGE).parts[0] not in ("commands", "lab")
    )
    assert shared == SHARED.keys()
    assert len(SHARED) <= 15


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class A:\n    class B: pass\n", {"A", "B"}),
        ("Pair = tuple[str, str]\nMOST = 3\nrows: Rows = []\nLine: TypeAlias = str\n", {"Pair", "Line"}),
    ],
)
def test_names_are_found(source, names, tmp_path):
    (tmp_path / "a.py").write_text(source)
    assert names_of(tmp_path / "a.py") == names
