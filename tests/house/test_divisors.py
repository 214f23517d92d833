"""No measure divides by a sum that is 0 but for rounding.

A divisor whose terms have signs, or are subtracted, may be 1e-16 instead of 0, and the value 1e15 instead of undefined.
``quotient`` takes its ``size`` for that. Every ``quotient`` without one, and every other division by a sum or a
difference, is declared here or in the trials.py of a command, with the reason why its divisor is 0 only if it is exactly 0.
"""

import ast

import pytest

from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import TESTS, gather_trials, load_trials
from fairtrec_made.sources import parse

PACKAGE = REPOSITORY / "fairtrec"
WALKED = ("measures", "formulas", "measure", "evaluation")

DIVIDING = {"quotient": 1, "divide": 1, "true_divide": 1, "SumOverRanks": 2, "Gains": 2}  # the place of the divisor
SUMS = {"sum", "nansum", "cumsum", "total", "add", "add_groups", "weighted_sum", "weigh", "prefix_sums", "mean"}

COUNT = "a count, or a product of counts: whole numbers are exact"
WEIGHTS = "a sum of weights, amounts or counts that are all 0 or more"
SHARES = "shares or chances, all 0 or more"
GUARDED = "used only where another test has found it above 0, by more than rounding"
CALLERS = "whatever the caller gives, who declares it or gives its size"
NEVER = "never 0"
RATES = "a sum of weights that are all 0 or more, over another"
GIVEN = "a difference of numbers that are given, not computed"

DECLARED = {
    "evaluation/answers/scores.py": {
        "Scores.means: np.where(totals & (many > 0), 1, many)": COUNT,
    },
    "evaluation/columns/gaps.py": {
        "fieller: lead": GUARDED,
        "gap: a": "the mean of values that are all 0 or more: only these have a ratio",
        "gap: error": "of values that differ in ten queries or more",
        "permute_gaps: many": COUNT,
        "permute_gaps: np.where(flat, 1.0, error)": GUARDED,
    },
    "evaluation/columns/group_gaps.py": {
        "_solve: lead": GUARDED,
        "_solve: many": COUNT,
        "compare_groups: total": "the mean of values of relevance measures, all 0 or more",
    },
    "evaluation/columns/orders.py": {
        "compute_skill: way": GUARDED,
    },
    "evaluation/columns/ties.py": {
        "try_orders: defined": COUNT,
        "try_orders: defined * (defined - 1)": COUNT,
    },
    "evaluation/fronts/exposure_fairness.py": {
        "_by_ratio: weights.sum()": GUARDED,
    },
    "evaluation/fronts/relaxation.py": {
        "_below: steep - flat": "of lines in the order of their slopes; a crossing that is far off is beyond all values",
    },
    "evaluation/fronts/walks.py": {
        "Walks.refine: left - right": "corners of a hull differ in utility, and their slope only guides a search",
        "Walks.walk: loss": GUARDED,
    },
    "evaluation/given/gold.py": {
        "Gold.majority_membership: many[:, None]": COUNT,
    },
    "evaluation/gold_correction.py": {
        "_mean_of_defined: known.sum(axis=0)": COUNT,
    },
    "evaluation/inputs/several_attributes.py": {
        "_wanted: amounts.sum()": WEIGHTS,
    },
    "evaluation/inputs/targets.py": {
        "attribute: share": GIVEN,
    },
    "evaluation/leaderboard.py": {
        "_mean: known": COUNT,
    },
    "evaluation/relevance/__init__.py": {
        "RelevanceEvaluator.values: most[found.numbers]": WEIGHTS,
    },
    "evaluation/relevance/dict_runs.py": {
        "formula_of.add_precisions: most": WEIGHTS,
        "formula_of.count_relevant: most": WEIGHTS,
        "formula_of.invert_first: most": WEIGHTS,
        "formula_of: most": WEIGHTS,
    },
    "evaluation/relevance/diversity.py": {
        "_ap_ia: of.judged[0].sum(axis=0)": COUNT,
    },
    "evaluation/relevance/group_values.py": {
        "_count_holes: members.sum(axis=1)": COUNT,
    },
    "evaluation/relevance/trec_eval.py": {
        "_accuracy: wrong * many": COUNT,
        "_bpref: most[:, 0]": COUNT,
        "_bpref: np.minimum(wrong, most)": COUNT,
        "_exponential_ndcg: most": WEIGHTS,
        "_gained: plain.ideal_gain(ranked.judged)": WEIGHTS,
        "_inf_ap: _relevant(ranked.judged, params)": COUNT,
        "_inf_ap: above": COUNT,
        "_inf_ap: ranked.places": COUNT,
        "_inf_ap: right + wrongs + 2 * SMALL": NEVER,
        "_iprec: ranked.places": COUNT,
        "_judged: np.minimum(ranked.count_first(cutoff), cutoff)": COUNT,
        "_relative_p: np.minimum(_relevant(ranked.judged, params), params['cutoff'])": COUNT,
        "_rprec: most": WEIGHTS,
        "_set_ap: ranked.many * _relevant(ranked.judged, params)": COUNT,
        "_set_f: r + beta * p": WEIGHTS,
        "_set_p: most": WEIGHTS,
        "_set_r: _relevant(ranked.judged, params)": COUNT,
    },
    "evaluation/score.py": {
        "_of_samples: defined": COUNT,
    },
    "evaluation/unknown_documents.py": {
        "compute_prior: shares.shape[1]": COUNT,
    },
    "formulas/candidate_counts.py": {
        "CandidateCounts._bring_together: first + second": COUNT,
        "CandidateCounts._bring_together: np.fmax(one, other)": RATES,
        "CandidateCounts._bring_together: of_first + others": COUNT,
        "CandidateCounts._bring_together: of_second - others": "at least the candidates that are known: whole numbers",
        "CandidateCounts.bound_least_ratio: high[None, :]": RATES,
        "CandidateCounts.bound_least_ratio: low[None, :]": RATES,
        "CandidateCounts.bound_rates: self.candidates + left": WEIGHTS,
        "CandidateCounts.bound_rates: self.candidates + taken": WEIGHTS,
        "CandidateCounts.bound_ratio: high[others]": RATES,
        "CandidateCounts.bound_ratio: low[others]": RATES,
        "CandidateCounts.compute_ratios: greatest": RATES,
        "CandidateCounts.rates: self.candidates": WEIGHTS,
        "CandidateCounts.shares: self.known": WEIGHTS,
    },
    "formulas/distribution.py": {
        "divide_sums: rows[:, 1]": CALLERS,
        "match_distance: p.shape[-1] - 1": COUNT,
        "normalize_rounded: p.sum()": "a sum of shares that is 1 but for rounding in the fifth place",
        "order_aware: p.shape[-1] - 1": COUNT,
        "quotient: divisor": CALLERS,
        "shares: add_groups(amounts)[..., None]": WEIGHTS,
    },
    "formulas/elementary.py": {
        "_two_parts_of_log: c": NEVER,
    },
    "formulas/fronts.py": {
        "merge_hulls: loss": "corners of a hull, which are apart by more than rounding",
        "thin_out: utility[0] - utility[-1]": "choices that no other beats, which are apart by more than rounding",
    },
    "formulas/labelings/exposures.py": {
        "Ratio.find_ends: due": WEIGHTS,
        "pour_amount: wide": WEIGHTS,
        "pour_amount: widths": WEIGHTS,
    },
    "formulas/labelings/sums.py": {
        "Finals.find_ends: likely": SHARES,
    },
    "formulas/labelings/unlabeled.py": {
        "mean: total": SHARES,
    },
    "formulas/neutrality.py": {
        "_rate_neutrality: known.sum(axis=-1, keepdims=True)": WEIGHTS,
    },
    "formulas/overlap.py": {
        "_Pair.ext: 1 - self.p": GIVEN,
    },
    "formulas/prefix_fronts.py": {
        "Layers.hull: spans[0]": "a scale of a search; 0 is taken for 1",
        "Layers.hull: spans[1]": "a scale of a search; 0 is taken for 1",
    },
    "formulas/prefix_means.py": {
        "average_paths: every - above": COUNT,
        "average_paths: whole": SHARES,
    },
    "formulas/ranks.py": {
        "mean: (~np.isnan(values)).sum(axis=1)": COUNT,
    },
    "formulas/retrieved_documents.py": {
        "gini: weigh(rising, np.ones(many))": WEIGHTS,
    },
    "formulas/spread.py": {
        "bound_spread: np.arange(1, n + 1)": NEVER,
    },
    "formulas/weighted_sums.py": {
        "split_for_counts: unit": NEVER,
    },
    "measure/forms.py": {
        "First.interval: left": COUNT,
        "Precisions.interval: self.divisor": "of Precisions: the number of relevant documents",
        "Precisions.value: self.divisor": "of Precisions: the number of relevant documents",
        "fix_ratio: whole[len(pair):]": WEIGHTS,
    },
    "measure/group_forms.py": {
        "GroupPrefixes.over_labels: np.reshape(self.divisor, (-1, 1))": WEIGHTS,
        "GroupPrefixes.sum_costs: self.divisor": WEIGHTS,
        "_bound_shares.off: np.sqrt(target)": SHARES,
    },
    "measures/arab.py": {
        "RaB.formula: number": COUNT,
    },
    "measures/awrf.py": {
        "awrf_slope: exposure.sum(axis=-1, keepdims=True)": WEIGHTS,
        "ndcg: weighted_sum(_sort_gains(judged_relevance)[:, :len(weights)], weights)": WEIGHTS,
    },
    "measures/duo.py": {
        "DUO.order_at_end: high - low if high > low else 1.0": GIVEN,
        "DUO.over_prefixes: high - low": GIVEN,
        "DUO.over_prefixes: most - least": GUARDED,
        "_Spread.normalized: (most - bound)[wide]": GUARDED,
        "group_by_length: high - low": GIVEN,
    },
    "measures/expected_exposure.py": {
        "_compare_means: sums[..., -1:]": COUNT,
        "_find_off: sums[..., -1:]": COUNT,
        "expected_exposure: np.where(known, rows, 0)[:, None]": COUNT,
    },
    "measures/exposure.py": {
        "Surplus.over_ranks: weighted_sum(mass[:, :self.cutoff], weights)": WEIGHTS,
        "Surplus.over_labels.value: got.sum(axis=-1)": WEIGHTS,
        "Surplus.over_labels: handed[:, None]": WEIGHTS,
        "_bound_surplus: handed": WEIGHTS,
        "_bound_surplus: handed.sum()": WEIGHTS,
        "_of_sums: sums[..., 2]": WEIGHTS,
        "surplus: weighted_sum(mass, weights)": WEIGHTS,
    },
    "measures/exposure_ratio.py": {
        "ComparedRates.fix: due.sum(axis=0)": WEIGHTS,
        "_Ratio.ratio: due": WEIGHTS,
        "compare_attention: due": WEIGHTS,
        "first_to_second: second": WEIGHTS,
        "least_to_most: np.where(several, most, 0.0)": WEIGHTS,
    },
    "measures/fair.py": {
        "FAIR.divide_sums: ideal": WEIGHTS,
    },
    "measures/gfr.py": {
        "GFR.combine_attributes: np.where(number > 0, number + both, np.nan)": COUNT,
        "GFR.formula: sum(self._counted)": COUNT,
    },
    "measures/nfairr.py": {
        "setfairr: size": COUNT,
    },
    "measures/pairwise.py": {
        "Unevenness._of_totals: most - least": GUARDED,
        "Unevenness._of_totals: parts": COUNT,
        "Unevenness._of_totals: parts[:, None]": COUNT,
        "_divergence: 1 - q": "of lists that are mixed: the share of the others, at least one in the length",
        "rd: length - marked": COUNT,
        "rd: rank - count": COUNT,
    },
    "measures/retrievability.py": {
        "_divide: np.array([size])": COUNT,
    },
    "measures/skew.py": {
        "of_totals: target + eps": SHARES,
    },
    "measures/texfair.py": {
        "sum_terms: divisor": WEIGHTS,
        "per_token: tokens[..., None]": COUNT,
    },
    "measures/trec_fair_2019.py": {
        "means: many": COUNT,
    },
    "measures/utility.py": {
        "Utility.formula: ideal": WEIGHTS,
        "Utility.formula: divisor": COUNT,
        "Utility.sum_gains: np.where(relevant, places, np.inf).min(axis=1, initial=np.inf)": COUNT,
        "Utility.sum_gains: places": COUNT,
    },
}


def find_divisions(source):
    """List the divisions of a file that need a size or a declaration: line, and "function: divisor"."""
    for name, function in list_functions(parse(source)):
        bound = find_bound(function)
        for node in walk_own(function):
            divisor, always = find_divisor(node)
            if divisor is not None and not is_bounded(divisor) and (always or is_sum(divisor, bound)):
                yield node.lineno, f"{name}: {ast.unparse(divisor)}"


def list_functions(tree, of=""):
    """List the functions of a module, with the classes and functions that they are in: name and node."""
    for node in ast.iter_child_nodes(tree):
        is_named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        name = f"{of}.{node.name}".lstrip(".") if is_named else of
        if isinstance(node, ast.FunctionDef):
            yield name, node
        yield from list_functions(node, name)


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
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        named = {each.arg: each.value for each in node.keywords}
        at = DIVIDING.get(name, len(node.args))
        divisor = node.args[at] if at < len(node.args) else named.get("divisor")
        return (None if "size" in named or name not in DIVIDING else divisor), True
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
    """List the files of the rooms that compute values, and of the commands that declare divisors."""
    declaring = [folder for folder, trials in load_trials().items() if "DIVISORS" in trials]
    folders = [*WALKED, *(folder.relative_to(TESTS).as_posix() for folder in declaring)]
    return sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))


@pytest.mark.parametrize(
    "body",
    ["return quotient(a, b)", "return SumOverRanks(a, b, c)", "return SumOverRanks(a, b, divisor=c)", "return a / (b - c)", "return a / b.sum()", "d = b - c\n    return a / d", "a /= b - c",
     "return np.divide(a, b, where=b > 0)", "b -= c\n    return a / b", "return a / -b", "return a / (1 - b)"],
)  # fmt: skip
def test_the_rule_sees(body):
    assert list(find_divisions(f"def f(a, b, c):\n    {body}\n"))


@pytest.mark.parametrize(
    "body",
    [
        "return quotient(a, b, size=c)",
        "return SumOverRanks(a, b, c, size=a)",
        "return SumOverRanks(a, b)",
        "return a / 2",
        "return a / b",
        "return a / np.maximum(b - c, 1)",
    ],
)
def test_the_rule_lets_pass(body):
    assert not list(find_divisions(f"def f(a, b, c):\n    {body}\n"))


@pytest.mark.long
def test_every_divisor_that_may_be_0_but_for_rounding_has_a_size():
    found = {
        (path.relative_to(PACKAGE).as_posix(), divisor): f"{path.relative_to(REPOSITORY)}:{line}: {divisor}"
        for path in list_walked()
        for line, divisor in find_divisions(path.read_text("utf-8"))
    }
    declared = {(file, divisor) for file, of_file in gather_trials("DIVISORS", DECLARED).items() for divisor in of_file}
    faults = [
        f'{text}: give quotient its size=, or say in DECLARED why not: "{file}": {{"{divisor}": ...}},'
        for (file, divisor), text in found.items()
        if (file, divisor) not in declared
    ]
    assert not faults, "\n".join(faults)
    assert not sorted(declared - set(found)), "declared, but no longer there"
    assert len(found) > 80, "the walk has lost its way"
