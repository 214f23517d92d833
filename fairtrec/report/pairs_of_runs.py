"""Comparisons of runs with several baselines, or of all with each other: a matrix, and the signs of a paper."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from fairtrec.comparison.compared import Comparison, Comparisons, CorrectedComparison
from fairtrec.report.cells import shown, signed
from fairtrec.report.document import Column, ReportTable
from fairtrec.report.markup import RAISED

SIGN_OF = dict(zip(ascii_lowercase, RAISED, strict=True))
BASES = "†‡§"  # the first three baselines, in the table of a paper
WON = ("better", "higher")
TURNED = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


def is_matrix(view: Comparisons) -> bool:
    """Tell whether there are more pairs than one table of runs against one baseline can hold."""
    return len(view.baselines) > 1 and len(view.result.scores) > 2


def letters(many: int) -> list[str]:
    """Letter so many runs.

    >>> letters(28)[-3:]
    ['z', 'aa', 'ab']
    """
    return [
        (ascii_lowercase[at // 26 - 1] if at >= 26 else "") + ascii_lowercase[at % 26]  # as the columns of a sheet
        for at in range(many)
    ]


def verdicts_of(rows: Sequence[Comparison]) -> dict[tuple[str, str], tuple[str, float, bool]]:
    """Give of each ordered pair of runs what is shown of the first, its difference, and whether that is doubtful."""
    found: dict[tuple[str, str], tuple[str, float, bool]] = {}
    for row in rows:
        found[row.run, row.against] = (row.verdict, row.tested, row.doubtful)
        found[row.against, row.run] = (TURNED.get(row.verdict, row.verdict), -row.tested, row.doubtful)
    return found


def matrix(view: Comparisons, rows: Sequence[Comparison], title: str, places: int) -> ReportTable:
    """Lay out the differences of each run from each baseline, row less column; where there is no room, their signs."""
    runs = [scores.run for scores in view.result.scores]
    names, lettered = shown(runs), dict(zip(runs, letters(len(runs)), strict=True))
    found = verdicts_of(rows)
    key = Column("run", [f"{lettered[run]} {names[run]}" for run in runs], words=True)
    wide, narrow = [], []
    for base in (runs[number] for number in view.baselines):
        pairs = [found.get((run, base)) for run in runs]
        wide.append(Column(lettered[base], [_cell(pair, places) for pair in pairs]))
        narrow.append(Column(lettered[base], [_sign(pair) for pair in pairs]))
    return ReportTable(title, [key], wide, narrow=ReportTable(title, [key], narrow))


def _cell(pair: tuple[str, float, bool] | None, places: int) -> str:
    if pair is None:
        return ""
    verdict, difference, doubtful = pair
    return signed(difference, places) + "*" * (verdict in TURNED) + "?" * doubtful


def _sign(pair: tuple[str, float, bool] | None) -> str:
    if pair is None:
        return ""
    verdict = pair[0]
    return "+" if verdict in WON else "-" if verdict in TURNED else "."


def legend(view: Comparisons) -> list[str]:
    """Say what the cells of a matrix mean."""
    by_gold = any(isinstance(row, CorrectedComparison) and row.corrected is not None for row in view.rows)
    return (
        [
            f"row less column{', as gold labels correct it' * by_gold}; *: the difference is shown",
            "where the window has no room: + the row is better, - it is worse, . not shown",
        ]
        if is_matrix(view)
        else []
    )


def marks(view: Comparisons, rows: Sequence[Comparison], runs: Sequence[str]) -> list[str]:
    """Give the raised letters of the runs, or the signs of the baselines, that each run is shown to be better than."""
    signs = signs_of(view)
    found = verdicts_of(rows)
    several = []
    for run in runs:
        beaten = [base for base in signs if (pair := found.get((run, base))) and pair[0] in WON]
        several.append("".join(signs[base] + "?" * found[run, base][2] for base in beaten))
    return several


def signs_of(view: Comparisons) -> Mapping[str, str]:
    """Give the sign of each baseline: a raised letter of each run where all are compared, else a dagger."""
    runs = [scores.run for scores in view.result.scores]
    if view.of_all or len(view.baselines) > len(BASES):
        lettered = dict(zip(runs, letters(len(runs)), strict=True))
        return {runs[at]: "".join(SIGN_OF[letter] for letter in lettered[runs[at]]) for at in view.baselines}
    return {runs[number]: sign for number, sign in zip(view.baselines, BASES, strict=False)}


def caption(view: Comparisons) -> str:
    """Say what the signs mean."""
    signs = signs_of(view)
    if any(sign in BASES for sign in signs.values()):
        names = shown(scores.run for scores in view.result.scores)
        return "; ".join(f"{sign}: better than {names[run]}" for run, sign in signs.items())
    several = [*signs.values()]
    return f"{several[0]}..{several[-1]}: better than that run"
