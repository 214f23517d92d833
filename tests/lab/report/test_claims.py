"""Each sentence to write, or not to write, is true of the numbers of its part; and no comparison is forgotten.

Every sentence must fit one of the forms below, whose check looks its numbers up in the answers of the parts, which are
those that the commands print.
"""

import json
import re
from itertools import combinations
from math import inf

import pytest

import fairtrec
from fairtrec.lab.report.claims import list_claims
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import SHELL

N = r"[+-]?\d+\.\d+"


class Checker:
    """The answers of a report, with what its sentences say of them."""

    def __init__(self, record):
        self.parts = {name: part["answer"] for name, part in record["parts"].items()}
        self.rows = []  # of comparisons that a sentence is about

    def means(self, part, measure):
        return {short(run["run"]): run["means"][measure] for run in self.parts[part]["runs"]}

    def row(self, run, measure, against):
        (row,) = [row for row in self.parts["compare"]["rows"] if (short(row["run"]), row["measure"]) == (run, measure)]
        assert short(row["against"]) == against
        self.rows.append((run, measure))
        return row

    def better(self, measure):
        return self.parts["eval"]["measures"][measure]["better"]

    # sentences to write

    def difference(self, run, word, measure, against, mean, baseline, difference, low, high, p, tests, queries):
        row = self.row(run, measure, against)
        assert (row["verdict"] in ("better", "worse"), row["doubtful"]) == (True, False)
        assert (mean, baseline) == (f"{row['mean']:.4f}", f"{row['baseline']:.4f}")
        assert (float(mean) > float(baseline)) is (word == "higher")
        assert (difference, low, high) == tuple(f"{row[name]:+.4f}" for name in ("difference", "low", "high"))
        assert float(low) * float(high) > 0
        assert row["p_corrected"] <= 0.05
        assert p == (f"{row['p_corrected']:.4f}" if row["p_corrected"] >= 0.0001 else "<0.0001")
        assert (int(tests), int(queries)) == (len(self.parts["compare"]["rows"]), row["queries"])
        assert self.parts["compare"]["procedure"]["correction"] == "holm"

    def value(self, run, measure, value, low, high, queries):
        mean = self.means("eval", measure)[run]
        assert (value, int(queries)) == (f"{mean['value']:.4f}", mean["defined"])
        assert (low is None) is mean["doubtful"]
        assert low is None or (low, high) == (f"{mean['low']:.4f}", f"{mean['high']:.4f}")

    def reliable(self, measure, reliability, queries):
        assert float(reliability) >= 0.95

    def ends(self, what, said):
        part = {"Ties": "ties", "Unlabeled documents": "labels", "Documents without a text or counts": "texts"}[what]
        found = dict(re.findall(rf"(?:^|; )(\S+) of \S+ between ({N} and {N})", said))
        for measure in self.parts[f"bounds {part}"]["measures"]:
            several = [mean for mean in self.means(f"bounds {part}", measure).values() if "least" in mean]
            several = [mean for mean in several if None not in (mean["least"], mean["greatest"], mean["value"])]
            widest = max(
                several, key=lambda mean: mean["greatest"] - mean["least"], default={"least": 0, "greatest": 0}
            )
            if measure in found:
                assert found[measure] == f"{widest['least']:.4f} and {widest['greatest']:.4f}"
            else:
                assert widest["greatest"] - widest["least"] < 1e-4

    def closed(self, what, measures):
        self.ends(what, "")
        assert measures

    def above_chance(self, measure, said):
        self.chance(measure, said.split("; "), is_above=True)

    def chance(self, measure, said, *, is_above):
        assert self.better(measure) == "higher"
        for one in said:
            form = rf"(\S+) ({N}), a random order of its documents ({N})(?:, the best ({N}))? \(skill ({N})\)"
            run, value, expected, best, skill = re.fullmatch(form, one).groups()
            mean = self.means("bounds orders", measure)[run]
            assert (value, expected) == (f"{mean['value']:.4f}", f"{mean['expected']:.4f}")
            assert best in (None, f"{mean['greatest']:.4f}")
            assert float(skill) == pytest.approx(
                (mean["value"] - mean["expected"]) / (mean["greatest"] - mean["expected"]), abs=6e-4
            )
            assert (float(skill) >= 0.05) is is_above

    def fairer(self, utility, how, measure, said):
        assert utility == self.parts["headroom"]["utility"]
        assert bool(how) is ("qrels" in self.parts["headroom"]["inputs"])
        for one in said.split("; "):
            run, bound, could, now = re.fullmatch(rf"(\S+) (at least )?({N}) instead of ({N})", one).groups()
            own, best = self.points(run)
            assert (now, could) == (f"{own['fairness']:.4f}", f"{best['fairness']:.4f}")
            assert float(could) > float(now)
            assert best["utility"] >= own["utility"] - 1e-9
            assert best["exact"] is (bound is None)

    def points(self, run):
        (points,) = [each["points"] for each in self.parts["headroom"]["runs"] if short(each["run"]) == run]
        return points[0], next(point for point in points if point["loss"] == 0)

    def as_fair(self, runs, measure, utility):
        for run in re.split(", | or ", runs):
            own, best = self.points(run)
            assert best["exact"]
            assert best["fairness"] == pytest.approx(own["fairness"])

    def same_order(self, measure, settings):
        flips, _ = self.flips()
        assert not any(flips.values())
        assert {*re.split(", | and ", settings)} <= {*flips}

    # sentences not to write

    def doubtful(self, run, word, measure, against, difference, p, few, queries):
        row = self.row(run, measure, against)
        assert (row["verdict"] in ("better", "worse"), row["doubtful"]) == (True, True)
        assert (difference, p) == (f"{row['difference']:+.4f}", f"{row['p_corrected']:.4f}")
        assert (row["difference"] > 0) is (word == "higher")
        assert (int(few), int(queries)) == (row["deciding"], row["queries"])
        assert int(few) < 10

    def hidden(self, runs, against, size, measure, queries, ceiling):
        several = re.findall(rf"(\S+) \(({N}) \[({N}), ({N})\], p Holm (\d\.\d+)\)", runs)
        assert re.split(r" \([^)]*\)(?:, | or |$)", runs)[:-1] == [run for run, *_ in several]
        counts = []
        for run, *numbers in several:
            row = self.row(run, measure, against)
            assert row["verdict"] == "not shown"
            assert row["p_corrected"] > 0.05
            assert numbers[:3] == [f"{row[name]:+.4f}" for name in ("difference", "low", "high")]
            assert numbers[3] == f"{row['p_corrected']:.4f}"
            assert bool(size) is (row["compared"] == "absolute value")
            counts.append(row["queries"])
        assert queries == (f"{min(counts)} to {max(counts)}" if len({*counts}) > 1 else str(counts[0]))
        at_ceiling = [note["measure"] for note in self.parts["compare"]["notes"] if note["kind"] == "ceiling"]
        assert bool(ceiling) is (measure in at_ceiling)

    def skewed(self, many, of, what, measures):
        part = "compare" if what == "differences" else "eval"
        runs = self.parts[part]["runs"]
        assert int(of) == (len(self.parts[part]["rows"]) if part == "compare" else len(runs[0]["means"]))
        noted = [note["measure"] for note in self.parts[part]["notes"] if note["kind"] == "skewed"]
        assert re.split(", | and ", measures) == noted
        assert len(noted) <= int(many) <= int(of)

    def unreliable(self, measure, reliability, queries, needed):
        (note,) = [note for note in self.parts["eval"]["notes"] if note["kind"] == "verdict"]
        assert (note["measure"], reliability) == (measure, f"{note['numbers']['reliability']:.3f}")
        assert note["numbers"]["reliability"] < 0.95
        counts = [mean["defined"] for mean in self.means("eval", measure).values()]
        assert queries == (f"{min(counts)} to {max(counts)}" if len({*counts}) > 1 else str(counts[0]))
        assert needed is None or int(needed.replace(",", "")) == note["numbers"]["needed"]

    def alone(self, run):
        assert [short(each["run"]) for each in self.parts["eval"]["runs"]] == [run]
        assert "compare" not in self.parts

    def overlapping(self, measures, what):
        part = {
            "order of ties": "bounds ties",
            "unlabeled documents": "bounds labels",
            "documents without a text or counts": "bounds texts",
        }[what]
        for measure in re.split(", | or ", measures):
            ends = [(mean["least"], mean["greatest"]) for mean in self.means(part, measure).values()]
            if self.better(measure) == "nearer 0":
                ends = [(max(0, low, -high), max(-low, high)) for low, high in ends]
            assert any(one[0] <= other[1] and other[0] <= one[1] for one, other in combinations(ends, 2))

    def below_chance(self, measure, said):
        self.chance(measure, said.split("; "), is_above=False)

    def flipped(self, measure, said):
        flips, every = self.flips()
        told = re.findall(r"(\S+=\S+) (flips|ties) (\d+) of (\d+) pairs", said)
        for verb, found in (("flips", flips), ("ties", self.ties())):
            wanted = {name: many for name, many in found.items() if many}
            assert {name: int(many) for name, by, many, _ in told if by == verb} == wanted
        assert {int(pairs) for *_, pairs in told} == {every}

    def flips(self):
        found = self.ablation()
        return {f"{each['factor']}={each['variant']}": each["flipped"] for each in found["variants"]}, found["pairs"]

    def ablation(self):
        (found,) = [part for part in self.parts.values() if "variants" in part]
        return found

    def ties(self):
        found = {}
        base = {run["run"]: run["mean"] for run in self.ablation()["runs"]}
        for variant in self.ablation()["variants"]:
            means = {run["run"]: run["mean"] for run in variant["runs"]}
            tied = [
                pair
                for pair in combinations(base, 2)
                if means[pair[0]] == means[pair[1]] and base[pair[0]] != base[pair[1]]
            ]
            found[f"{variant['factor']}={variant['variant']}"] = len(tied)
        return found


def short(run):
    return run.rpartition("/")[2].removesuffix(".run")


WRITE = {
    "difference": rf"(\S+) has a (higher|lower) (\S+) than (\S+): ({N}) against ({N}), difference ({N}), 95% interval "
    rf"\[({N}), ({N})\], p Holm (<?\d\.\d+) \(paired t-test; Holm over (\d+) comparisons?\), (\d+) queries\.",
    "value": rf"(\S+) has (\S+) ({N})(?:, 95% interval \[({N}), ({N})\])?, in the mean over (\d+) queries\.",
    "reliable": rf"The order of the runs by (\S+) is reliable: reliability ({N}) over (\d+) queries\.",
    "ends": r"(Ties|Unlabeled documents|Documents without a text or counts) leave these means open most: (.*)\.",
    "closed": r"(Ties|Unlabeled documents|Documents without a text or counts) change no mean (.*) by 0.0001 or more\.",
    "above_chance": r"By (\S+), against the other orders of the documents: (.*)\.",
    "fairer": r"With no less (.*), other orders of the same documents( \(found with the qrels\))? are fairer by (\S+): (.*)\.",
    "as_fair": r"No order of the documents of (.*) is fairer by (\S+) with no less (.*)\.",
    "same_order": r"The order of the means by (\S+) is the same with (.*)\.",
}  # fmt: skip
REFUSE = {
    "doubtful": rf"that (\S+) has a (higher|lower) (\S+) than (\S+) \(({N}), p Holm (\d\.\d+)\): only (\d+) of (\d+) "
    r"differences differ from the most frequent one, too few to trust the interval and p \(\?\)\.",
    "hidden": r"that (.*) differs from (\S+) in (the size of )?(\S+), or that they are equal: (\d+(?: to \d+)?) queries "
    r"do not show a difference(, and most rankings of a run have the best value \(ceiling\))?\.",
    "skewed": r"that each 95% interval covers 95%: skewed values make (\d+) of (\d+) (differences|means) \((.*)\) less "
    r"certain than their intervals say\.",
    "unreliable": rf"that the order of the runs by (\S+) would hold for other queries: reliability ({N}) over "
    r"(\d+(?: to \d+)?) queries(?:; 0.95 takes ([\d,]+) queries)?\.",
    "alone": r"that (\S+) is better or worse than another system: there is one run, and nothing to compare it with\.",
    "overlapping": r"which run is better by (.*), whatever the (.*): the bounds of some runs overlap\.",
    "below_chance": r"that these orders are fairer than chance by (\S+): (.*)\.",
    "flipped": r"that the order of the means by (\S+) survives other settings: (.*)\.",
}  # fmt: skip


def check_claims(record):
    """Check each sentence of a report, and that each comparison has one; give the forms of all sentences."""
    checker, found = Checker(record), []
    for key, forms in (("write", WRITE), ("do_not_write", REFUSE)):
        for text in record[key]:
            fitting = [(name, match) for name, form in forms.items() if (match := re.fullmatch(form, text))]
            assert len(fitting) == 1, text
            ((name, match),) = fitting
            getattr(checker, name)(*match.groups())
            found.append(name)
    rows = checker.parts["compare"]["rows"] if "compare" in checker.parts else []
    assert sorted(checker.rows) == sorted((short(row["run"]), row["measure"]) for row in rows)
    return found


def read(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))


@pytest.mark.long
def test_the_sentences_on_the_example_are_true(write_study):
    folder, _ = write_study(
        "qrels.txt", "bm25.run", "neural.run", "fair.run", *SHELL, "-m", "nDCG@10 NFaiRR@10 ARaB@10"
    )
    found = read(folder)
    forms = check_claims(found)
    assert {"difference", "doubtful", "hidden", "ends", "closed", "fairer", "unreliable"} <= {*forms}
    page = re.sub(r"<[^>]+>", "", (folder / "report.html").read_text("utf-8")).replace("&#x27;", "'")
    assert all(text in page for text in [*found["write"], *found["do_not_write"]])


@pytest.mark.long
def test_the_sentences_on_real_runs_with_counts_are_true(shared, tmp_path):
    data = shared / "data"
    runs = [
        data / "cpjku" / "runs" / "trecdl2019_passage" / f"{name}.run" for name in ("BM25", "bert_L4", "advbert_L4")
    ]
    given = {"counts": data / "dl19-dl20-counts" / "gender.strip.tsv", "missing": "neutral", "background": runs[0]}
    qrels = data / "qrels" / "qrels.dl19-passage.txt"
    fairtrec.study("nDCG@10 NFaiRR@10 TExFAIR@10", runs, qrels=qrels, folder=tmp_path / "s", depth=12, **given)
    found = read(tmp_path / "s")
    assert {"difference", "hidden", "closed", "skewed", "below_chance"} <= {*check_claims(found)}
    assert any("(ceiling)" in text for text in found["do_not_write"])
    assert ") count as having no group words (--missing neutral)." in " ".join(found["methods"])


@pytest.mark.long
def test_the_sentences_on_real_runs_with_few_labels_are_true(shared, tmp_path):
    data = shared / "data"
    runs = [data / "cpjku" / "runs" / "msmarco_passage" / f"{name}.run" for name in ("BM25", "bert_L4", "advbert_L4")]
    given = {"labels": f"{data}/msmgenderbias/MSMGenderBias.csv:gender_bias", "groups": "F,M,-", "depth": 10}
    fairtrec.study("AWRF@10 Exposure@10", runs, folder=tmp_path / "s", **given)
    forms = check_claims(read(tmp_path / "s"))
    assert {"hidden", "overlapping", "ends", "as_fair", "skewed"} <= {*forms}
    assert "difference" not in forms


def test_the_sentences_on_a_log_are_true(copied, write_study):
    write_study(
        "none", "log.csv", "--columns", "group=provider_group", "--order", "position", "-m", "AWRF@5 Exposure@5"
    )
    forms = check_claims(read(copied / "study"))
    assert forms == ["value", "value", "value", "ends", "skewed", "alone", "below_chance"]


@pytest.mark.long
def test_the_sentences_on_one_run_are_true(copied, write_study):
    write_study("qrels.txt", "bm25.run", "--labels", "labels.tsv", "-m", "nDCG@10 AWRF@10")
    assert {"value", "alone", "fairer"} <= {*check_claims(read(copied / "study"))}


def test_the_page_quotes_sentences_of_its_example(copied, fairtrec_command):
    page = (REPOSITORY / "docs" / "report.md").read_text("utf-8")
    quoted = [" ".join(re.findall(r"> (.*)\n", block)) for block in re.findall(r"(?:^> .*\n)+", page, re.MULTILINE)]
    asked = ["qrels.txt", "bm25.run", "neural.run", "fair.run", *SHELL, "-m", "nDCG@10 NFaiRR@10", "-f", "json"]
    claims = list_claims({"compare": json.loads(fairtrec_command("compare", *asked).out)}, "NFaiRR@10")
    assert len(quoted) == 2
    assert {*quoted} <= {claim.text if claim.is_shown else f"… {claim.text}" for claim in claims}


def compare(*rows, notes=()):
    """Make the record of comparisons; each row is a run and what it has other than usual."""
    usual = {
        "slice": "all", "against": "base", "measure": "M@10", "better": "higher", "compared": "value", "queries": 40,
        "baseline": 0.5, "mean": 0.7, "difference": 0.2, "low": 0.1, "high": 0.3, "p_corrected": 0.01, "deciding": 30,
        "doubtful": False, "verdict": "better",
    }  # fmt: skip
    procedure = {
        "test": "wilcoxon",
        "correction": "bh",
        "interval": "t",
        "confidence": 0.9,
        "equivalence": None,
        "resamples": 10_000,
        "seed": 0,
    }
    several = [usual | {"run": run} | own for run, own in rows]
    runs = [{"run": run} for run in ("base", *dict.fromkeys(run for run, _ in rows))]
    family = f"Benjamini-Hochberg over {len(rows)} comparisons: {len(rows)} runs x 1 measure"
    return {"procedure": procedure, "runs": runs, "rows": several, "notes": [*notes], "family": family}


def list_texts(records, fairness="M@10"):
    return [("write " if claim.is_shown else "refuse ") + claim.text for claim in list_claims(records, fairness)]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({}, "a has a higher M@10 than base: 0.7000 against 0.5000"),
        ({"better": "lower", "verdict": "worse"}, "a has a higher M@10 than base: "),
        ({"better": "lower"}, "a has a lower M@10 than base: "),
        ({"verdict": "worse"}, "a has a lower M@10 than base: "),
        ({"better": "neither", "verdict": "higher"}, "a has a higher M@10 than base: "),
        ({"better": "neither", "verdict": "lower"}, "a has a lower M@10 than base: "),
        (
            {"better": "nearer 0", "compared": "absolute value"},
            "a has M@10 nearer to 0 than base: mean absolute value 0.7000 against 0.5000",
        ),
        (
            {"better": "nearer 0", "verdict": "worse", "compared": "absolute value"},
            "a has M@10 farther from 0 than base: ",
        ),
        ({"slice": "long"}, "a has a higher M@10 in long than base: "),
    ],
)
def test_a_difference_is_told_by_the_direction_of_its_measure(own, said):
    (text,) = list_texts({"compare": compare(("a", own))})
    assert text.startswith(f"write {said}")
    assert text.endswith(
        "difference +0.2000, 90% interval [+0.1000, +0.3000], p BH 0.0100 (Wilcoxon's signed ranks; Benjamini-Hochberg over "
        "1 comparisons), 40 queries."
    )


def test_many_runs_are_cut_and_none_is_forgotten():
    runs = [(f"r{at}", {}) for at in range(8)]
    texts = list_texts({"compare": compare(*runs)})
    assert len(texts) == 7
    assert texts[-1] == "write 2 more runs differ from base in M@10; the table has their numbers."
    hidden = [(run, {"verdict": "not shown", "p_corrected": 0.3}) for run, _ in runs]
    (text,) = list_texts({"compare": compare(*hidden)})
    assert "r5 (+0.2000 [+0.1000, +0.3000], p BH 0.3000) or 2 more runs differs from base in M@10" in text
    untested = {"verdict": "not tested"} | dict.fromkeys(("mean", "difference", "low", "high", "p_corrected"))
    (text,) = list_texts({"compare": compare(("a", untested))})
    assert text == "refuse how a compares with base in M@10: no test was possible."


def test_an_order_is_written_only_if_it_is_reliable():
    def judge(reliability, queries):
        numbers = {"queries": queries, "reliability": reliability, "needed": 70}
        notes = [{"kind": "verdict", "measure": "M@10", "numbers": numbers}]
        return list_texts({"eval": {"runs": [{"run": "a"}, {"run": "b"}], "notes": notes}})

    assert judge(0.951, 60) == ["write The order of the runs by M@10 is reliable: reliability 0.951 over 60 queries."]
    assert judge(0.949, [50, 60]) == [
        (
            "refuse that the order of the runs by M@10 would hold for other queries: reliability 0.949 over 50 to 60 queries; "
            "0.95 takes 70 queries."
        )
    ]
    assert judge(0.99, 9)[0].startswith("refuse ")  # so few decide that the reliability itself is in doubt
    assert judge(None, 60) == []


def test_a_doubtful_interval_of_one_run_is_not_written():
    means = {"A": {"value": 0.5, "low": 0.4, "high": 0.6, "doubtful": True, "defined": 12}, "B": {"value": None}}
    first, second, _ = list_texts({"eval": {"runs": [{"run": "a.run", "means": means}], "notes": []}})
    assert first == "write a has A 0.5000, in the mean over 12 queries."
    assert second == (
        "refuse the 95% interval [0.4000, 0.6000] for A: fewer than 10 values differ from the most frequent one, so the "
        "interval is too narrow (?)."
    )


@pytest.mark.parametrize(
    ("one", "other", "better", "is_told"),
    [
        ((0.2, 0.4), (0.3, 0.3), "higher", True),
        ((0.2, 0.4), (0.41, 0.5), "lower", False),
        ((0.3, 0.3), (0.3, 0.3), "higher", False),
        ((0.2, 0.4), (0.3, 0.5), "neither", False),
    ],
)
def test_ties_that_could_turn_two_runs_are_told(one, other, better, is_told):
    means = [{"value": least, "least": least, "greatest": greatest, "defined": 4} for least, greatest in (one, other)]
    runs = [{"run": name, "means": {"M": mean}} for name, mean in zip("ab", means, strict=True)]
    texts = list_texts({"bounds ties": {"measures": {"M": {"better": better}}, "runs": runs, "notes": []}})
    told = "refuse which run is better by M, whatever the order of ties: the bounds of some runs overlap."
    assert (told in texts) is is_told


def point(name, fairness, loss=None, *, exact=True):
    return {"point": name, "loss": loss, "fairness": fairness, "exact": exact}


@pytest.mark.parametrize(
    ("own", "best", "said"),
    [
        (0.5, point("loss", 0.7, 0, exact=False), "are fairer by M@10: a at least 0.7000 instead of 0.5000."),
        (0.5, point("loss", 0.3, 0, exact=False), "are fairer by M@10: a at most 0.3000 instead of 0.5000."),
        (0.5, point("loss", 0.5, 0), "write No order of the documents of a is fairer by M@10 with no less U."),
        (0.5, point("loss", 0.5, 0, exact=False), None),
        (0.5, point("loss", 0.50001, 0), None),
        (None, point("loss", None, 0), None),
    ],
)
def test_headroom_is_written_as_far_as_it_is_proven(own, best, said):
    runs = [{"run": "a", "points": [point("run", own), best]}]
    texts = list_texts({"headroom": {"fairness": "M@10", "utility": "U", "runs": runs, "notes": []}})
    assert [text.endswith(said) for text in texts] == [True] if said else texts == []


def test_faults_corrections_and_the_only_pair_have_sentences():
    faults = {"runs": [{"run": "a.run", "errors": 2}, {"run": "b.run", "errors": 0}]}
    assert list_texts({"validate": faults}) == ["refuse any value of a: the file has errors; repair it first"]
    mean = {"value": 0.5, "corrected": 0.55, "low": 0.4, "high": 0.7}
    gold = {"measures": ["A", "B"], "runs": [{"run": "a", "means": {"A": mean, "B": {"value": 0.1}}}]}
    assert list_texts({"gold": gold}) == [
        "write Corrected by labels of people, A is: a 0.5500 [0.4000, 0.7000] instead of 0.5000."
    ]
    runs = [{"run": "a", "mean": 0.5}, {"run": "b", "mean": 0.6}]
    variant = {
        "factor": "tau",
        "variant": "0",
        "flipped": 1,
        "runs": [{"run": "a", "mean": 0.7}, {"run": "b", "mean": 0.6}],
    }
    varied = {"pairs": 1, "measure": "M@10", "runs": runs, "variants": [variant]}
    (text,) = list_texts({"a guest": varied})
    assert text.endswith("the order of the means by M@10 survives other settings: tau=0 flips it.")
    assert list_texts({"a guest": varied | {"pairs": 0}}) == []
    kept = variant | {"flipped": 0}
    assert list_texts({"a guest": varied | {"variants": [kept, kept | {"variant": "1", "runs": runs}]}}) == [
        "write The order of the means by M@10 is the same with tau=0."
    ]


def test_chance_is_told_of_measures_with_a_best_end():
    mean = {"value": 0.3, "expected": 0.5, "least": 0.1, "greatest": inf, "skill": 0.5}
    record = {"measures": {"M@10": {"better": "lower"}}, "notes": [], "runs": [{"run": "a", "means": {"M@10": mean}}]}
    (text,) = list_texts({"bounds orders": record})
    assert text.endswith("a 0.3000, a random order of its documents 0.5000, the best 0.1000 (skill +0.500).")
    assert list_texts({"bounds orders": record}, fairness="other") == []
    record["measures"]["M@10"]["better"] = "nearer 0"
    assert list_texts({"bounds orders": record}) == []
