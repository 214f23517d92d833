"""`plot groups --slice`: a line for each group of one run, from slice to slice."""

import numpy as np
import pytest

import fairtrec
from fairtrec.support.errors import UsageError

pytest.importorskip("matplotlib", reason="matplotlib, which draws, is not installed: pip install 'fairtrec[plot]'")

DOCNOS = "abcdefgh"
LABELS = dict(zip(DOCNOS, "ffmmmfmf", strict=True))
QIDS = [f"q{at}" for at in range(12)]
CLUSTER = {qid: f"user {at % 5}" for at, qid in enumerate(QIDS)}
SLICES = {"10": QIDS[:6], "9": QIDS[6:]}


def draw_run(seed):
    random = np.random.default_rng(seed)
    return {qid: {d: -float(rank) for rank, d in enumerate(random.permutation([*DOCNOS]))} for qid in QIDS}


RUN = draw_run(1)


def read_lines(axes):
    return {line.get_label(): line for line in axes.get_lines() if not line.get_label().startswith("_")}


@pytest.mark.parametrize(("pool", "cluster"), [("even", None), (None, None), ("even", CLUSTER), (None, CLUSTER)])
def test_lines_and_bars_are_the_values_of_slices(pool, cluster):
    result = fairtrec.evaluate("Exposure@3", RUN, labels=LABELS, pool=pool, cluster=cluster)
    axes = fairtrec.plot(result, "groups", slices=SLICES).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["9", "10"]
    lines, bars = read_lines(axes), [line for each in axes.collections for line in each.get_segments()]
    assert [*lines] == ["f", "m"]
    for at, (group, line) in enumerate(lines.items()):
        for place, name in enumerate(("9", "10")):
            some = {qid: RUN[qid] for qid in SLICES[name]}
            scores = fairtrec.evaluate(f"Exposure(group={group})@3", some, labels=LABELS, pool=pool, cluster=cluster)
            scores = scores.with_confidence(0.95).scores[0]
            told = scores.describe_total(scores.measures[0])
            value = scores.totals["pooled"][0] if pool else scores.means[0]
            ends = (told["low"], told["high"]) if pool else scores.intervals[0][0]
            assert line.get_ydata()[place] == pytest.approx(value)
            assert bars[2 * at + place][:, 1] == pytest.approx(ends)
    marks = [text.get_text() for text in axes.texts]
    assert marks == ["?"] * 4  # six queries decide each value


def test_rates_are_drawn_without_intervals_if_these_are_not_asked_for():
    result = fairtrec.evaluate("Selected@3 Exposure@3", RUN, labels=LABELS, pool="even")
    figure = fairtrec.plot(result, "groups", slices=SLICES, confidence=None, width="2")
    assert [axes.get_title() for axes in figure.axes] == ["Selected@3", "Exposure@3"]
    assert not [line for axes in figure.axes for each in axes.collections for line in each.get_segments()]


def test_what_is_not_drawn_is_refused():
    pooled = fairtrec.evaluate("Exposure@3", RUN, labels=LABELS, pool="even")
    plain = fairtrec.evaluate("Exposure@3 NDKL@3", {"a": RUN, "b": draw_run(2)}, labels=LABELS)
    for result, kind, options, what in (
        (pooled, "groups", {}, "drawn by the figure of groups with slices=; leave out pool="),
        (plain, "runs", {"slices": SLICES}, "drawn by the figure of groups; leave out slices="),
        (plain, "groups", {"slices": SLICES}, "draws the groups of one run; pass one, or leave out slices="),
        (plain, "groups", {"slices": SLICES, "families": ["a"]}, "groups of one run; leave out families="),
        (fairtrec.evaluate("NDKL@3", RUN, labels=LABELS), "groups", {"slices": SLICES}, "has a value for each group"),
    ):
        with pytest.raises(UsageError, match=what):
            fairtrec.plot(result, kind, **options)


def test_the_command_draws_them(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in RUN.items() for d, score in ranking.items())
    (tmp_path / "my.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "slices").write_text("".join(f"{qid}\t{name}\n" for name, qids in SLICES.items() for qid in qids))
    call = ["plot", "groups", "none", "my.run", "--labels", "labels", "-m", "Exposure@3", "-o", "a.svg"]
    ended = fairtrec_command(*call, "--pool", "even", "--slice", "slices")
    assert ended.code == 0, ended
    assert "| slices:slices@" in ended.err
    drawn = (tmp_path / "a.svg").read_text()
    assert ">m<" in drawn
    assert fairtrec_command(*call, "--slice", "slices", "--no-intervals").code == 0
    assert (tmp_path / "a.svg").read_text() != drawn
    (tmp_path / "users").write_text("".join(f"{qid}\t{user}\n" for qid, user in CLUSTER.items()))
    ended = fairtrec_command(*call, "--pool", "even", "--slice", "slices", "--cluster", "users")
    assert (ended.code, "by deletion of one cluster after the other" in ended.err) == (0, True)
    assert (tmp_path / "a.svg").read_text() != drawn
    rows = (f"{qid},{d},{at},{LABELS[d]},{name},{CLUSTER[qid]}\n" for name, qids in SLICES.items() for qid in qids
            for at, d in enumerate(sorted(RUN[qid], key=RUN[qid].get, reverse=True), 1))  # fmt: skip
    (tmp_path / "log.csv").write_text(f"qid,docno,rank,sex,day,user\n{''.join(rows)}")
    clustered = (tmp_path / "a.svg").read_text()
    columns = ["--columns", "group=sex,slice=day,cluster=user", "--order", "rank"]
    table = [*call[:3], "log.csv", *call[6:]]
    assert fairtrec_command(*table, "--pool", "even", *columns).code == 0
    assert (tmp_path / "a.svg").read_text() == clustered
    ended = fairtrec_command(*table, "--pool", "even", *columns, "--no-intervals")
    assert (ended.code, "clusters are about intervals, and none are drawn here" in ended.complaints[-1]) == (2, True)
    ended = fairtrec_command(*call, "--pool", "even")
    assert (ended.code, "leave out --pool" in ended.complaints[-1]) == (2, True)
