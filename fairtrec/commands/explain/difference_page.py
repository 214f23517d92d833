"""HTML: the differences of runs and a baseline, as one page that needs nothing else."""

from fairtrec.commands.explain.difference import Differences
from fairtrec.commands.explain.difference_report import name_runs, summarize, tables
from fairtrec.report.page import element, page


def html(differences: Differences, *, places: int) -> str:
    """Write the page: what documents of each group add, and the tables."""
    names = name_runs(differences)
    above = [
        element("p", f"{names[of_run.run]}: {line}", class_="verdict")
        for of_run in differences.runs * (not differences.detailed)
        for line in summarize(differences, of_run, places)
    ]
    facts = f"baseline: {names[differences.baseline]}"
    return page(f"{differences.measure}, difference explained", [facts], tables(differences, places=places), above)
