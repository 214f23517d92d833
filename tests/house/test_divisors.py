"""No measure divides by a sum that is 0 but for rounding.

A divisor whose terms have signs, or are subtracted, may be 1e-16 instead of 0, and the value 1e15 instead of undefined.
``quotient`` takes its ``size`` for that. Every ``quotient`` without one, and every other division by a sum or a
difference, is declared here, with the reason why its divisor is 0 only if it is exactly 0.
"""

import ast

import pytest

from fairtrec_made import REPOSITORY

PACKAGE = REPOSITORY / "fairtrec"
WALKED = ("measures", "formulas", "measure", "evaluation", "commands/explain", "commands/ablate")

SUMS = {"sum", "nansum", "cumsum", "total", "add", "add_groups", "weighted_sum", "weigh", "prefix_sums", "mean"}

COUNT = "a count, or a product of counts: whole numbers are exact"
WEIGHTS = "a sum of weights, amounts or counts that are all 0 or more"
SHARES = "shares or chances, all 0 or more"
GUARDED = "used only where another test has found it above 0, by more than rounding"
CALLERS = "whatever the caller gives, who declares it or gives its size"
NEVER = "never 0"
GIVEN = "a difference of numbers that are given, not computed"

DECLARED = {
    "commands/ablate/ablation.py": {
        "apart": COUNT,
    },
    "commands/explain/shapley.py": {
        "players": COUNT,
    },
    "commands/explain/split.py": {
        "divisor": "2 (1 - the least target) is at least 1 for two groups or more",
        "exposure.sum(axis=1)[:, None]": WEIGHTS,
        "sum(counts)": COUNT,
        "tokens[..., None]": COUNT,
    },
    "evaluation/answers/scores.py": {
        "np.where(totals & (many > 0), 1, many)": COUNT,
    },
    "evaluation/columns/gaps.py": {
        "a": "the mean of values that are all 0 or more: only these have a ratio",
        "error": "of values that differ in ten queries or more",
        "lead": GUARDED,
        "many": COUNT,
        "np.where(flat, 1.0, error)": GUARDED,
    },
    "evaluation/columns/group_gaps.py": {
        "lead": GUARDED,
        "many": COUNT,
        "total": "the mean of values of relevance measures, all 0 or more",
    },
    "evaluation/columns/orders.py": {
        "way": GUARDED,
    },
    "evaluation/columns/ties.py": {
        "defined": COUNT,
        "defined * (defined - 1)": COUNT,
    },
    "evaluation/fronts/exposure_fairness.py": {
        "weights.sum()": GUARDED,
    },
    "evaluation/fronts/relaxation.py": {
        "steep - flat": "of lines in the order of their slopes; a crossing that is far off is beyond all values",
    },
    "evaluation/fronts/walks.py": {
        "left - right": "corners of a hull differ in utility, and their slope only guides a search",
        "loss": GUARDED,
    },
    "evaluation/gold_correction.py": {
        "known.sum(axis=0)": COUNT,
    },
    "evaluation/gold_match.py": {
        "many[:, None]": COUNT,
    },
    "evaluation/inputs/several_attributes.py": {
        "amounts.sum()": WEIGHTS,
    },
    "evaluation/inputs/targets.py": {
        "share": GIVEN,
    },
    "evaluation/leaderboard.py": {
        "known": COUNT,
    },
    "evaluation/relevance/__init__.py": {
        "most[found.numbers]": WEIGHTS,
    },
    "evaluation/relevance/dict_runs.py": {
        "most": WEIGHTS,
    },
    "evaluation/relevance/diversity.py": {
        "of.judged[0].sum(axis=0)": COUNT,
        "of.many * weigh(weights, fresh)": WEIGHTS,
        "weigh(of.ideal(params.get('alpha', 0.5), told), weights)": WEIGHTS,
    },
    "evaluation/relevance/group_values.py": {
        "members.sum(axis=1)": COUNT,
    },
    "evaluation/relevance/trec_eval.py": {
        "_relevant(ranked.judged, params)": COUNT,
        "above": COUNT,
        "most": WEIGHTS,
        "most[:, 0]": COUNT,
        "np.minimum(_relevant(ranked.judged, params), params['cutoff'])": COUNT,
        "np.minimum(ranked.many, cutoff)": COUNT,
        "np.minimum(wrong, most)": COUNT,
        "plain.ideal_gain(ranked.judged)": WEIGHTS,
        "r + beta * p": WEIGHTS,
        "ranked.many * _relevant(ranked.judged, params)": COUNT,
        "ranked.places": COUNT,
        "right + wrongs + 2 * SMALL": NEVER,
        "wrong * many": COUNT,
    },
    "evaluation/score.py": {
        "defined": COUNT,
    },
    "evaluation/unknown_documents.py": {
        "shares.shape[1]": COUNT,
    },
    "formulas/distribution.py": {
        "add_groups(amounts)[..., None]": WEIGHTS,
        "divisor": CALLERS,
        "p.shape[-1] - 1": COUNT,
        "p.sum()": "a sum of shares that is 1 but for rounding in the fifth place",
    },
    "formulas/elementary.py": {
        "c": NEVER,
    },
    "formulas/fronts.py": {
        "loss": "corners of a hull, which are apart by more than rounding",
    },
    "formulas/labelings/exposures.py": {
        "due": WEIGHTS,
        "wide": WEIGHTS,
        "widths": WEIGHTS,
    },
    "formulas/labelings/sums.py": {
        "likely": SHARES,
    },
    "formulas/labelings/unlabeled.py": {
        "total": SHARES,
    },
    "formulas/neutrality.py": {
        "known.sum(axis=-1, keepdims=True)": WEIGHTS,
    },
    "formulas/overlap.py": {
        "1 - self.p": GIVEN,
    },
    "formulas/prefix_fronts.py": {
        "spans[0]": "a scale of a search; 0 is taken for 1",
        "spans[1]": "a scale of a search; 0 is taken for 1",
    },
    "formulas/prefix_means.py": {
        "every - above": COUNT,
        "whole": SHARES,
    },
    "formulas/ranks.py": {
        "(~np.isnan(values)).sum(axis=1)": COUNT,
    },
    "formulas/retrieved_documents.py": {
        "weigh(rising, np.ones(many))": WEIGHTS,
    },
    "formulas/spread.py": {
        "np.arange(1, n + 1)": NEVER,
    },
    "formulas/weighted_sums.py": {
        "unit": NEVER,
    },
    "measure/forms.py": {
        "left": COUNT,
        "self.divisor": "of Precisions: the number of relevant documents",
    },
    "measure/group_forms.py": {
        "np.reshape(self.divisor, (-1, 1))": WEIGHTS,
        "self.divisor": WEIGHTS,
    },
    "measures/awrf.py": {
        "exposure.sum(axis=-1, keepdims=True)": WEIGHTS,
        "ranks.ideal(ranks.gains(judged_relevance), weights)": WEIGHTS,
    },
    "measures/duo.py": {
        "(most - bound)[wide]": GUARDED,
        "high - low": GIVEN,
        "high - low if high > low else 1.0": GIVEN,
        "most - least": GUARDED,
    },
    "measures/expected_exposure.py": {
        "np.where(known, rows, 0)[:, None]": COUNT,
        "sums[-1:]": COUNT,
    },
    "measures/exposure.py": {
        "got.sum(axis=-1)": WEIGHTS,
        "handed[:, None]": WEIGHTS,
        "sums[2:]": WEIGHTS,
        "weighted_sum(mass, weights)": WEIGHTS,
    },
    "measures/exposure_ratio.py": {
        "due": WEIGHTS,
        "np.where(several, most, 0.0)": WEIGHTS,
        "second": WEIGHTS,
    },
    "measures/fair.py": {
        "ideal": WEIGHTS,
    },
    "measures/gfr.py": {
        "np.where(number > 0, number + both, np.nan)": COUNT,
        "sum(self._counted)": COUNT,
    },
    "measures/nfairr.py": {
        "size": COUNT,
    },
    "measures/pairwise.py": {
        "1 - q": "of lists that are mixed: the share of the others, at least one in the length",
        "length - marked": COUNT,
        "most - least": GUARDED,
        "parts": COUNT,
        "parts[:, None]": COUNT,
        "rank - count": COUNT,
    },
    "measures/retrievability.py": {
        "np.array([size])": COUNT,
    },
    "measures/skew.py": {
        "target + eps": SHARES,
    },
    "measures/texfair.py": {
        "tokens[..., None]": COUNT,
    },
    "measures/trec_fair_2019.py": {
        "many": COUNT,
    },
    "measures/utility.py": {
        "np.where(relevant, places, np.inf).min(axis=1, initial=np.inf)": COUNT,
        "places": COUNT,
    },
}


def find_divisions(source):
    """List the divisions of a file that need a size or a declaration: function, line, and text of the divisor."""
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        bound = find_bound(function)
        for node in walk_own(function):
            divisor, always = find_divisor(node)
            if divisor is not None and not is_bounded(divisor) and (always or is_sum(divisor, bound)):
                yield function.name, node.lineno, ast.unparse(divisor)


def walk_own(function):
    """List the nodes of a function, without those of functions in it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef):
            yield node
            waiting += ast.iter_child_nodes(node)


def find_divisor(node):
    """Give what a node divides by, if it does so without a size, and whether it always needs a declaration."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right, False
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
        return node.value, False
    if isinstance(node, ast.Call) and len(node.args) > 1:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "quotient":
            return (None if any(each.arg == "size" for each in node.keywords) else node.args[1]), True
        if name in {"divide", "true_divide"}:
            return node.args[1], True
    return None, False


def is_bounded(divisor):
    """Tell whether a divisor is never 0 by its form: max(x, 1), np.maximum(x, 1), x.clip(min=1)."""
    if not isinstance(divisor, ast.Call):
        return False
    name = getattr(divisor.func, "attr", getattr(divisor.func, "id", ""))
    ends = {
        "max": divisor.args,
        "maximum": divisor.args,
        "clip": [each.value for each in divisor.keywords if each.arg == "min"],
    }
    return any(isinstance(each, ast.Constant) and each.value > 0 for each in ends.get(name, ()))


def find_bound(function):
    """Map the names that a function binds to the expressions that they are bound to."""
    bound = {}
    for node in walk_own(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
                for name in names:
                    bound.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
            bound.setdefault(node.target.id, []).append(node.value)
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
                bound[node.target.id].append(ast.UnaryOp(ast.USub(), node.value))
    return bound


def is_sum(expression, bound, seen=frozenset()):
    """Tell whether an expression, or one that a name in it is bound to, subtracts or adds up."""
    for node in ast.walk(expression):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Sub):
            return True
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and not isinstance(node.operand, ast.Constant)
        ):
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in SUMS:
            return True
        of_name = bound.get(node.id, ()) if isinstance(node, ast.Name) and node.id not in seen else ()
        if any(is_sum(each, bound, seen | {node.id}) for each in of_name):
            return True
    return False


def list_walked():
    return sorted(path for folder in WALKED for path in (PACKAGE / folder).rglob("*.py"))


@pytest.mark.parametrize(
    "body",
    ["return quotient(a, b)", "return a / (b - c)", "return a / b.sum()", "d = b - c\n    return a / d", "a /= b - c",
     "return np.divide(a, b, where=b > 0)", "b -= c\n    return a / b", "return a / -b", "return a / (1 - b)"],
)  # fmt: skip
def test_the_rule_sees(body):
    assert list(find_divisions(f"def f(a, b, c):\n    {body}\n"))


@pytest.mark.parametrize(
    "body", ["return quotient(a, b, size=c)", "return a / 2", "return a / b", "return a / np.maximum(b - c, 1)"]
)
def test_the_rule_lets_pass(body):
    assert not list(find_divisions(f"def f(a, b, c):\n    {body}\n"))


def test_every_divisor_that_may_be_0_but_for_rounding_has_a_size():
    found = {
        (path.relative_to(PACKAGE).as_posix(), divisor): f"{path.relative_to(REPOSITORY)}:{line}: {function}: {divisor}"
        for path in list_walked()
        for function, line, divisor in find_divisions(path.read_text("utf-8"))
    }
    declared = {(file, divisor) for file, of_file in DECLARED.items() for divisor in of_file}
    faults = [
        f"{text}: give quotient its size=, or declare why not" for key, text in found.items() if key not in declared
    ]
    assert not faults, "\n".join(faults)
    assert not sorted(declared - set(found)), "declared, but no longer there"
    assert len(found) > 80, "the walk has lost its way"
