"""In no command a mark is made from means that cannot be compared, those over other queries than those of other runs.

Two runs over 4 of the 12 queries, the best and the worst that there can be, neither have a mark nor give or take one.
Where commands compare pairs of runs, or all of them, they do so over the queries of both, or of all.
"""

import json
import re

import pytest

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.few import PARTIAL as FEW
from fairtrec_made.few import THREE, write_partial_runs

INPUTS = "--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"
TWO = "nDCG@5 NFaiRR@5"
BOTH = "-m", TWO


@pytest.fixture
def desk(copied):
    """The example, two runs over its first four queries, and a list of these."""
    return write_partial_runs(copied)


def of_table(text):
    """The rank and the marks of each run: bold, italics, a sign."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if re.match(r"\| +(\d|-) ", line)]  # fmt: skip
    return {row[1]: (row[0], *[re.sub(r"[\w.]", "", cell) for cell in (row[2], *row[-2:])]) for row in rows}


def of_page(text):
    """The sign of each run, the classes of its values, and those of its point."""
    rows = re.findall(r'<tr data-run="(\d+)">.*?<td class="sign">(.*?)</td>(.*?)</tr>', text, re.DOTALL)
    points = re.findall(r'<g class="point([^"]*)" data-run="(\d+)"', text)
    found = {run: [sign, *re.findall(r'<td class="(best|worst)"|<td>', cells)[:2]] for run, sign, cells in rows}
    for names, run in points:
        found[run].append("front" in names.split())
    return found


NOTHING = {"md": ("-", "", "", ""), "html": ["", "", "", False]}


@pytest.mark.parametrize(("form", "read"), [("md", of_table), ("html", of_page)])
def test_tables_and_pages_of_eval(desk, fairtrec_command, form, read):
    more = ("--sort", "nDCG@5") if form == "md" else ()
    asked = (*BOTH, *INPUTS, *more, "-f", form)
    alone, found = (read(fairtrec_command("eval", "qrels.txt", *runs, *asked).out) for runs in (THREE, (*THREE, *FEW)))
    three = {name: found[name] for name in alone}
    assert three == alone
    assert len(alone) == 3
    assert any("×" in row for row in alone.values())
    assert [row for name, row in found.items() if name not in alone] == [NOTHING[form]] * 2


# what each command says of runs, of its JSON: it is the same where all runs have only the four queries
OVER_THE_SAME = gather_trials("SAME_QUERIES")


@pytest.mark.parametrize("command", OVER_THE_SAME)
def test_choices_and_orders_are_over_the_queries_of_all(desk, fairtrec_command, command):
    asked, parts = OVER_THE_SAME[command]
    done, named = (
        fairtrec_command(command, "qrels.txt", *THREE, *FEW, *INPUTS, *asked, *more, "-f", "json")
        for more in ((), ("--queries", "four.txt"))
    )
    assert done.code == named.code == 0, done.err
    one, two = ([*places(json.loads(each.out), parts)] for each in (done, named))
    assert one == two
    assert one


def places(thing, names):
    """Give what stands under these names, however deep."""
    if isinstance(thing, dict):
        for name, value in thing.items():
            yield from [(name, value)] if name in names else places(value, names)
    elif isinstance(thing, list):
        for value in thing:
            yield from places(value, names)


PAIRED = gather_trials("PAIRED_QUERIES")


@pytest.mark.parametrize("command", PAIRED)
def test_pairs_are_over_the_queries_of_both(desk, fairtrec_command, command):
    """A run that is not over all queries is judged as if nobody had more; and all others as without it."""
    asked = PAIRED[command]
    runs = (THREE[1:] if "--baseline" in asked else THREE) + FEW
    first = ("bm25.run",) if command == "compare" else ()

    def rows(some, *more):
        form = "json" if command == "check" else "csv"
        done = fairtrec_command(command, "qrels.txt", *first, *some, *INPUTS, *asked, *more, "-f", form)
        assert done.code in (0, 1), done.err
        if command == "check":
            verdicts = [{**each, "reason": None} for each in json.loads(done.out)["verdicts"]]
            return {name: [each for each in verdicts if each["run"] == name] for name in some}
        return {name: [line for line in done.out.splitlines() if name in line] for name in some}

    together, less = rows(runs), rows([name for name in runs if name in THREE])
    assert {name: together[name] for name in less} == less
    assert {name: together[name] for name in FEW} == rows(FEW, "--queries", "four.txt")
    assert all(together.values())
