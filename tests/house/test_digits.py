"""The same digits on every machine: no operation whose last digit or order depends on the CPU decides a value.

Matrix products, logarithms and powers have other last digits with other BLAS kernels and SIMD levels; sorts that are not
stable order ties in another way. ``formulas/elementary.py`` and ``formulas/weighted_sums.py`` stand for them. A line
that may stay ends in ``# exact:`` and the reason.
"""

import ast

import pytest

from fairtrec_made import REPOSITORY
from fairtrec_made.sources import list_nodes, parse

PACKAGE = REPOSITORY / "fairtrec"
HELPERS = {"formulas/elementary.py", "formulas/weighted_sums.py"}
FITTED = ("lab/make/stances/", "lab/make/ranker/", "lab/rerankers/foe.py")  # the promise excepts what is fitted
PRODUCTS = {
    "dot", "vdot", "vecdot", "matmul", "matvec", "vecmat", "einsum", "inner", "tensordot", "norm", "cov", "corrcoef",
    "convolve", "polyfit", "lstsq", "solve", "inv", "svd", "eigh", "qr", "det",
}  # fmt: skip
FUNCTIONS = {
    "log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "power", "float_power", "pow", "logaddexp", "sinh", "cosh",
    "tanh", "arctanh", "arcsinh", "arccosh", "sin", "cos", "tan", "arctan2", "hypot", "cbrt",
}  # fmt: skip
SORTS = {"argsort", "argpartition"}
MODULES = {"np", "numpy", "math", "linalg"}


def find_faults(source):
    """List the lines of a file that the rule forbids, each with the operation."""
    lines = source.splitlines()
    for statement, node in walk_expressions(parse(source)):
        if found := name_fault(node):
            last = statement.body[0].lineno - 1 if getattr(statement, "body", ()) else statement.end_lineno
            if not any("# exact: " in line for line in lines[statement.lineno - 1 : last]):
                yield node.lineno, found


def walk_expressions(tree):
    """List all nodes below statements that are no statements, each with the innermost statement around it."""
    rest = [(tree, None)]
    for above, around in rest:
        statement = above if isinstance(above, ast.stmt) else around
        for node in ast.iter_child_nodes(above):
            rest.append((node, statement))
            if statement is not None and not isinstance(node, ast.stmt):
                yield statement, node


def name_fault(node):
    """Name the operation that is forbidden; an empty text for any other."""
    if isinstance(node, ast.BinOp):
        whole = isinstance(node.left, ast.Constant) and isinstance(node.left.value, int)
        return "@" if isinstance(node.op, ast.MatMult) else "**" if isinstance(node.op, ast.Pow) and not whole else ""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    name = node.func.attr
    of_module = getattr(node.func.value, "id", getattr(node.func.value, "attr", "")) in MODULES
    unstable = name in SORTS and "stable" not in ast.unparse(node)
    return name if unstable or name == "dot" or (name in PRODUCTS | FUNCTIONS and of_module) else ""


@pytest.mark.parametrize(
    "line",
    ["a @ b", "np.dot(a, b)", "a.dot(b)", "np.einsum('i,i', a, b)", "np.log(a)", "math.exp(a)", "p ** n", "2.0 ** n",
     "np.argsort(a)", "a.argsort()", "np.linalg.norm(a)"],
)  # fmt: skip
def test_the_rule_sees(line):
    assert list(find_faults(line))
    assert not list(find_faults(f"{line}  # exact: whole numbers"))


def test_the_rule_lets_pass():
    for line in ("elementary.log(a)", "weighted_sum(a, b)", "10**22", "np.argsort(a, kind='stable')", "np.sqrt(a)"):
        assert not list(find_faults(line))


@pytest.mark.long
def test_no_digit_depends_on_the_cpu():
    faults = [
        f"{name}:{line}: {found}; use formulas/elementary.py or formulas/weighted_sums.py, kind='stable', or say # exact: why"
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := path.relative_to(PACKAGE).as_posix()) not in HELPERS and not name.startswith(FITTED)
        for line, found in find_faults(path.read_text("utf-8"))
    ]
    assert not faults, "\n".join(faults)


def find_bare_unique(source):
    """List the lines that ask ``np.unique`` for values only, which it puts into a hash table."""
    calls = (node for node in list_nodes(source) if isinstance(node, ast.Call))
    return [
        call.lineno
        for call in calls
        if getattr(call.func, "attr", "") == "unique"
        and ast.unparse(call.func).endswith("np.unique")
        and not call.keywords
    ]


@pytest.mark.long
def test_distinct_values_are_found_by_sorting():
    assert find_bare_unique("np.unique(a)\nnp.unique(a, return_index=True)") == [1]
    found = {path: find_bare_unique(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
    assert not {path.name: lines for path, lines in found.items() if lines}, "write list_distinct of fairtrec.data"
