"""``make ranker`` says how far it has come, wherever its lines go."""

import itertools
import sys

import pytest

from fairtrec.cli import main


def test_a_line_stands_in_the_log_at_least_each_half_minute(monkeypatch, capsys):
    clock = itertools.count(step=10)

    def train(_, *, watcher, **__):
        for step in range(1, 10):
            watcher("base", step, 9, 0.5)
        yield from ()

    monkeypatch.setitem(sys.modules, "fairtrec.lab.make.ranker.train", type(sys)("train"))
    monkeypatch.setattr(sys.modules["fairtrec.lab.make.ranker.train"], "train", train, raising=False)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    command = ["make", "ranker", "t.tsv", "--model", "m", "--terms", "gender-en", "-o", "out"]
    monkeypatch.setattr("sys.argv", ["fairtrec", *command])
    with pytest.raises(SystemExit):
        main()
    lines = [line for line in capsys.readouterr().err.splitlines() if "steps, loss" in line]
    assert lines[0].startswith("# base: 3 of 9 steps, loss 0.50")
    assert len(lines) >= 2
