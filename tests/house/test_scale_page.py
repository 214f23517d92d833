"""The page on scale has what the benchmark measures, and no cost in it grows faster than its work."""

import re
from itertools import groupby

from benchmarks import worst_files
from benchmarks.scale import BEGIN, DIMENSIONS, END, HEAD, MOST, PAGE
from fairtrec_made import REPOSITORY
from fairtrec_made.worst_files import gather_forms


def test_the_table_has_the_two_largest_sizes_and_no_cost_that_grows_faster_than_its_work():
    head, _, *rows = PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].split("\n\n")[0].splitlines()
    assert head == HEAD
    cells = [row.strip("| ").split(" | ") for row in rows]
    sizes = {
        name: [int(row[1].replace(",", "")) for row in several] for name, several in groupby(cells, lambda r: r[0])
    }
    assert sizes == {name: [*asked[-2:]] for name, (asked, *_) in DIMENSIONS.items()}
    for name, (asked, _, is_square) in DIMENSIONS.items():
        assert asked[-1] == 2 * asked[-2]
        last = next(row for row in reversed(cells) if row[0] == name)
        for growth, most in zip(last[-2:], (4 if is_square else 2, 2), strict=True):
            found = re.fullmatch(r"below noise|([0-9.]+) times(, a square)?", growth)
            assert found is not None, (name, growth)
            assert float(found[1] or 0) <= most * MOST, (name, growth)


def test_the_table_of_worst_files_has_each_form_and_none_that_grows_faster_than_six_for_four_times_its_bytes():
    table = PAGE.read_text("utf-8").split(worst_files.BEGIN)[1].split(worst_files.END)[0].split("\n\n")[0]
    head, _, *rows = table.splitlines()
    cells = [row.strip("| ").split(" | ") for row in rows]
    assert head == worst_files.HEAD
    forms = gather_forms()
    of_others = [name for name, *_ in cells if name not in forms]
    assert not (of_others and (REPOSITORY / "fairtrec" / "lab").is_dir())  # which reads them
    assert [name for name, *_ in cells if name in forms] == [*forms]
    for name, cpu, _, cpu_times, memory, _, memory_times in cells:
        assert float(cpu.replace(",", "")) <= worst_files.DEAREST[0], name
        assert float(memory.replace(",", "")) <= worst_files.LAID_OUT_MEMORY, name
        for growth in (cpu_times, memory_times):
            found = re.fullmatch(r"below noise|([0-9.]+) times", growth)
            assert found is not None, (name, growth)
            assert float(found[1] or 0) <= worst_files.TIMES, (name, growth)
