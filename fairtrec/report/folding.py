"""Which remarks a reader sees beside numbers: the most important; the others are counted, and -v shows them all."""

import re
import textwrap
from collections.abc import Sequence

MOST = 4
NARROWEST = 20  # letters behind an indent
SIGNS = re.compile(  # what begins so tells what stands in a table: groups with their sizes, and signs
    r"([\w.-]+(, in this order)?: (.+ (\d+|\(no label\)), )+.+ (\d+|\(no label\))( and \d+ more)?(, none \d+)?"
    r"(; target |$)|\[|\?: |outside: )"
)
_WRONG = re.compile(  # by which a number is wrong, or not to be compared
    r"^means over |^struck out, |evaluate them apart$"
    r"|^runs with the same documents in the same order|uses the judgements"
    r"|scores rise with the ranks"
    r"| documents in the .* have no |no rank and no mark|^groups are known for (?!(\d+) of the \1 )|defined for "
    r"|infinite for |count as the maximum"
    r"|rankings have the |have a value above 1|over fewer queries|^orders over the |left out|in no slice"
    r"|^not all exact|proved only within bounds|change (the value|values) of "
    r"|do not tell which|so the means are too good|^the choice depends on the fold"
    r"|^DPFR .* (can be compared|nan: )|less than 1 % of the labels"
)
_EXPLAINED = re.compile(  # what a number is, and what it does not depend on
    r"no part in |above 0 leans to |documents of grade 1 or more are relevant|^attention fades |^all_fair leaves out "
    r"|the list is the first |terms occur in |^groups are known for |^exact, |^documents: |^options from "
    r"|of \d+.* (gold labels .* differs?|labelled queries .* another value)$"
    r"|: its ideal stays as it is,|^runs are marked, and sorted"
    r"|^with groups: |^same grades: |^most: |^DPFR |^from: |loss(, .*)?: the fairest |^flipped: |^tau-b: |^best: "
)


def folded(remarks: Sequence[str], most: int | None) -> list[str]:
    """Put the most important remarks first, so many at ``most`` (None: all), and count the others in a line.

    First stands by which a number is wrong, last what it is. What tells of the signs of a table is no remark, and
    stands before them.

    >>> folded(["RaB@5: above 0 leans to m, below 0 to f", "RR: defined for 3 of 12 queries"], 1)
    ['RR: defined for 3 of 12 queries', 'and 1 more remark: -v']
    """
    signs = [line for line in remarks if SIGNS.match(line)]
    several = [line for line in remarks if not SIGNS.match(line)]
    place = {line: 0 if _WRONG.search(line) else 2 if _EXPLAINED.search(line) else 1 for line in several}
    several.sort(key=place.__getitem__)
    left = 0 if most is None else len(several) - most
    if left <= 0:
        return [*signs, *several]
    return [*signs, *several[:most], f"and {left} more remark{'s' * (left > 1)}: -v"]


def hung(line: str, width: int | None, indent: int) -> list[str]:
    """Break a line that is wider than a window between words, but in no interval; what goes on stands to the right.

    >>> hung("passed  0.5 of 3 queries, [0.1, 0.9]", 32, 8)
    ['passed  0.5 of 3 queries,', '        [0.1, 0.9]']
    """
    if width is None or len(line) <= width:
        return [line]
    kept = re.sub(
        r"\[[^][]{,40}\]|\([^()]{,40}\)|\d %", lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), line
    )
    room = max(width, indent + NARROWEST)
    behind = " " * indent
    parts = textwrap.wrap(
        kept, room, subsequent_indent=behind, break_on_hyphens=False, break_long_words="://" not in line
    )
    return [part.replace("\N{NO-BREAK SPACE}", " ") for part in parts]


def cut(line: str, width: int) -> str:
    """Leave out the last parts of a signature that is wider than a window; no part is cut.

    >>> cut("fairtrec:1 | order:score | tau:1", 29), cut("fairtrec:1 | order:score | tau:1", 99)
    ('fairtrec:1 | order:score | …', 'fairtrec:1 | order:score | tau:1')
    """
    if len(line) <= width:
        return line
    end = line.rfind(" | ", 0, width - 1)
    return f"{line[:end]} | …" if end > 0 else line
