"""Print how large the package is: ``make figures``.

Lines, tokens, files; the complexity of functions, counted by radon; how many branches ask which of the things that
may stand next to a value is there; and how many functions have a name that says nothing to somebody who searches. No
number here is a goal, but for the complexity of one function.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from radon.visitors import ComplexityVisitor, Function

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "fairtrec"
WORD = re.compile(r"\w+|[^\w\s]")
BESIDE = {  # words of what may stand next to a value; the names of columns are added to them
    *("ties", "unknown", "gold", "pooled", "confidence", "within", "is_gap", "ends", "find_missing", "corrected"),
    *("doubtful", "is_doubtful", "keeps_ties", "intervals", "is_corrected", "corrects_means"),
}
OPEN = {"ties", "labels", "texts"}  # values of --bounds, which are other things elsewhere
KINDS = {"Samples", "Aggregated", "GapScores", "Utility"}  # the classes of columns are added to them
COLUMNS = PACKAGE / "evaluation" / "columns"
COMPARED = {
    "ties": "a factor that is varied: other orders of tied documents",
    "doubtful": "of a comparison",
    "is_doubtful": "of a comparison",
    "corrected": "of a difference",
}
ELSEWHERE = {  # words that are something else in a folder or file, so that nobody asks for a column there
    "measures/": {"unknown": "a parameter: what becomes of documents of unknown group"},
    "lab/rerankers/": {"unknown": "a parameter: where documents of unknown group may stand"},
    "formulas/": {"ends": "of a front"},
    "statistics/procedure.py": {"confidence": "a number that is checked"},
    "commands/": COMPARED,
    "lab/": COMPARED,
    "formats/sheets.py": {"gold": "a field of a file"},
    "evaluation/gold_correction.py": {"gold": "the labels: how they were drawn", "unknown": "a field of the sheet"},
    "evaluation/given/gold.py": {"unknown": "a field of the sheet"},
    "evaluation/columns/gold.py": {"doubtful": "of a corrected mean"},
    "testing/": {"ties": "what a formula gives", "gold": "what a formula gives"},
}
VAGUE = re.compile(  # participles and prepositions, which do not say what a function does
    "found|told|held|kept|given|made|taken|shown|drawn|written|built|meant|begun|known|left|lost|sent|said|hung|chosen|"
    r"(?!seed|speed|need)[a-z]+ed|([a-z]\w*_)?of|by|in|at|on|over|beside|between|among|within|without|behind|than|"
    r"(of|by|in|at|on)_\w+"
)


@cache
def parse(source: str) -> ast.Module:
    """Parse a file, which several figures look at, once."""
    return ast.parse(source)


def complexities(source: str) -> Iterator[tuple[str, int]]:
    """Give each function of a file, and its complexity; what a function defines within it is counted on its own."""
    for block in ComplexityVisitor.from_ast(parse(source)).blocks:
        if isinstance(block, Function):
            yield from ((f"{block.fullname}{within}", each.complexity) for within, each in _nested(block))


def _nested(block: Function) -> Iterator[tuple[str, Function]]:
    yield "", block
    for each in block.closures:
        yield from ((f".{each.name}{within}", inner) for within, inner in _nested(each))


def find_columns(source: str) -> tuple[set[str], set[str]]:
    """Give the names of the columns that a file defines, and their classes."""
    names, classes = set(), set()
    for node in parse(source).body:
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            is_name = isinstance(each, ast.AnnAssign) and getattr(each.target, "id", "") == "name"
            if is_name and isinstance(each.value, ast.Constant):
                names.add(str(each.value.value))
                classes.add(node.name)
    return names, classes


@cache
def find_all_columns() -> tuple[set[str], set[str]]:
    """Give the names of all columns, and their classes."""
    several = [find_columns(path.read_text("utf-8")) for path in COLUMNS.glob("*.py")]
    names, classes = (set().union(*each) for each in zip(*several, strict=True))
    return names, classes


def branches(source: str, path: str = "") -> int:
    """Count the tests of what stands next to a value, by attribute, key or class; the file of a column knows its own."""
    return sum(len(words) for _, words in find_branches(source, path))


def find_branches(source: str, path: str = "") -> Iterator[tuple[int, set[str]]]:
    """Give the line of each such test, and what it asks for."""
    names, classes = find_all_columns()
    own = find_columns(source) if path.startswith("evaluation/columns/") else (set(), set())
    others = {word for folder, words in ELSEWHERE.items() if path.startswith(folder) for word in words}
    words, kinds = (BESIDE | names) - own[0] - others, (KINDS | classes) - own[1]
    for node in ast.walk(parse(source)):
        tests = node.ifs if isinstance(node, ast.comprehension) else []
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            tests = [node.test]
        for test in tests:
            if asked := {*_asked(test, words, kinds)}:
                yield test.lineno, asked


def _asked(test: ast.expr, words: set[str], kinds: set[str]) -> Iterator[str]:
    is_of_bounds = any(getattr(node, "attr", getattr(node, "id", "")) in ("bounds", "over") for node in ast.walk(test))
    for node in ast.walk(test):
        word = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
        if isinstance(word, str) and (word in words or (is_of_bounds and word in OPEN)):
            yield word
        elif isinstance(node, ast.Name) and node.id in kinds:
            yield node.id


def find_vague_names(sources: Mapping[str, str]) -> set[str]:
    """Find the functions and methods named by a participle or preposition that another file uses, by the same name."""
    defined: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    for path, source in sources.items():
        tree = parse(source)
        for body in (tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))):
            for node in body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and VAGUE.fullmatch(node.name):
                    defined.setdefault(node.name, set()).add(path)
        for node in ast.walk(tree):
            word = getattr(node, "attr", getattr(node, "id", getattr(node, "name", "")))
            if isinstance(node, ast.Attribute | ast.Name | ast.alias):
                used.setdefault(word, set()).add(path)
    return {name for name, paths in defined.items() if any(used.get(name, set()) - {path} for path in paths)}


def main() -> None:
    """Print the figures, room by room and in all."""
    sources = {path.relative_to(PACKAGE): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    lines: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, text in sources.items():
        for room in ("in all", path.parts[0]):
            lines[room] += text.count("\n")
            tokens[room] += len(WORD.findall(text))
            files[room] += 1
    print(f"{'room':<14}{'files':>7}{'lines':>9}{'tokens':>10}")
    for room, many in lines.most_common():
        print(f"{room:<14}{files[room]:>7,}{many:>9,}{tokens[room]:>10,}")
    found = sorted(
        ((many, f"{path}:{name}") for path, text in sources.items() for name, many in complexities(text)), reverse=True
    )
    for least in (20, 25, 30):
        print(f"functions of complexity {least} or more: {sum(many >= least for many, _ in found)}")
    for many, name in found[:15]:
        print(f"{many:>6}  {name}")
    print(
        f"tests of what stands next to a value: {sum(branches(text, path.as_posix()) for path, text in sources.items())}"
    )
    vague = find_vague_names({path.as_posix(): text for path, text in sources.items()})
    print(f"names of functions by a participle or preposition, used in another file: {len(vague)}")


if __name__ == "__main__":
    main()
