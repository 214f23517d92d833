"""``fairtrec rerank`` against ``fairtrec eval`` of the same run, and fair exposure against its linear program."""

from time import perf_counter

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, vstack

from benchmarks.evaluation import DEPTH, DOCUMENTS, QUERIES, generate
from benchmarks.timing import BIN, FOLDER, clocked, paired, report, run
from fairtrec.formulas import discount
from fairtrec.lab.rerankers.fa_topk import adjust_table
from fairtrec.lab.rerankers.foe import constraints, mixture

N = 200


def program(utility: np.ndarray, row: np.ndarray, discounts: np.ndarray) -> None:
    """Solve for the n x n doubly stochastic matrix, as the paper and its programs do before they decompose it."""
    n = len(utility)
    cell, ones = np.arange(n * n), np.ones(n * n)
    by_row, by_column = coo_matrix((ones, (cell // n, cell))), coo_matrix((ones, (cell % n, cell)))
    equal = vstack([by_row, by_column, coo_matrix(np.outer(row, discounts).reshape(1, -1))]).tocsc()
    right = np.append(np.ones(2 * n), 0.0)
    linprog(-np.outer(utility, discounts).ravel(), A_eq=equal, b_eq=right, bounds=(0, 1), method="highs")


def main() -> None:
    large = generate(FOLDER, QUERIES, DEPTH, DOCUMENTS)
    source, table = FOLDER / "counts.tsv", FOLDER / f"{QUERIES}x{DEPTH}.arrow"
    if not table.exists():
        source.unlink(missing_ok=True)
        source.symlink_to(large["counts"].resolve())
        run([BIN / "fairtrec", "counts", "convert", source, table])
    theirs = [BIN / "fairtrec", "eval", large["qrels"], large["run"], "-m", "nDCG@10"]
    given = ["--counts", table, "--membership", "majority"]
    for by in ("DetCons@10", "FATopK(protected=f)@10", "Neutral@10"):
        ours = [BIN / "fairtrec", "rerank", "none", large["run"], "--by", by, *given]
        pair = paired(ours, theirs)
        detail = pair.detail
        report(f"7 M lines by {by}: time, of eval -m nDCG@10", pair.time_ratio, 1.5, detail)

    random = np.random.default_rng(2018)
    utility, groups = np.sort(random.random(N))[::-1], random.integers(0, 2, N)
    rows, discounts = constraints(groups, utility, "parity"), discount.log2(N)
    assert rows is not None
    began = perf_counter()
    program(utility, rows[0], discounts)
    slow = perf_counter() - began
    costs = []
    for _ in range(20):
        changed = random.permutation(utility)  # what was solved before is kept
        began = perf_counter()
        mixture(changed, rows, discounts)
        costs.append(perf_counter() - began)
    fast = float(np.median(costs))
    report(f"FOE of {N} documents: HiGHS, of ours", slow / fast, 1000, f"{fast * 1000:.2f} ms", at_least=True)
    cost = clocked(lambda: adjust_table(100, 0.3, 0.1))
    report("table of FATopK@100: seconds", cost.seconds, 0.05, cost)
