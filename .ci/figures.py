"""Print how large the package is: ``make figures``.

Lines, tokens, files; the complexity of functions, counted as radon does; and how many branches ask which of the things
that may stand next to a value is there. No number here is a goal, but for the complexity of one function.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "fairtrec"
WORD = re.compile(r"\w+|[^\w\s]")
BESIDE = {  # what may stand next to a value, by the attributes of Scores
    *(
        "ties",
        "unknown",
        "gold",
        "pooled",
        "confidence",
        "within",
        "is_gap",
        "ends",
        "strange",
        "corrected",
        "doubtful",
    ),
}
KINDS = {"Samples", "Aggregated", "GapScores", "UnknownIntervals", "Utility"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def complexities(source: str) -> Iterator[tuple[str, int]]:
    """Give each function of a file, and its complexity; what a function defines within it is counted on its own."""
    for name, function in _functions(ast.parse(source), ""):
        yield name, 1 + sum(map(_count, function.body))


def _functions(within: ast.AST, path: str) -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(within):
        named = isinstance(node, ast.ClassDef | Function)
        name = f"{path}{node.name}" if named else path
        if isinstance(node, Function):
            yield name, node
        yield from _functions(node, f"{name}." if named else path)


def _count(node: ast.AST) -> int:
    """Count the decisions of a statement or expression, without those of functions and classes defined in it."""
    if isinstance(node, ast.ClassDef | Function):
        return 0
    if isinstance(node, ast.Assert):
        return 1  # whatever it asserts
    own = 0
    match node:
        case ast.If() | ast.IfExp():
            own = 1
        case ast.For() | ast.AsyncFor() | ast.While():
            own = 1 + bool(node.orelse)
        case ast.Try() | ast.TryStar():
            own = len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            own = len(node.values) - 1
        case ast.comprehension():
            own = 1 + len(node.ifs)
        case ast.Match():
            rest = any(isinstance(each.pattern, ast.MatchAs) and each.pattern.pattern is None for each in node.cases)
            own = max(0, len(node.cases) - rest)
    return own + sum(map(_count, ast.iter_child_nodes(node)))


def branches(source: str) -> int:
    """Count the tests of what stands next to a value, by attribute, class or key."""
    tests = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            tests.append(node.test)
        elif isinstance(node, ast.comprehension):
            tests += node.ifs
    return sum(len({*_asked(test)}) for test in tests)


def _asked(test: ast.expr) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute) and node.attr in BESIDE:
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in BESIDE:
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name) and each.id in KINDS)


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
    print(f"tests of what stands next to a value: {sum(map(branches, sources.values()))}")


if __name__ == "__main__":
    main()
