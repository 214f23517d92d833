"""Results files: read with nothing believed, as baselines, compared with diff, evaluated again with replay."""

import contextlib
import json
import math
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.results import DIFFERENCES, difference, replay, results
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Part
from fairtrec.measures.catalogue.registry import parse as measures
from fairtrec.report import records
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import InputError, UsageError

WORDS = ["--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"]
VALUES = st.sampled_from([0.0, -0.0, 1.0, 1 / 3, 1e-320, 1.7e308, math.nan, math.inf, -math.inf]) | st.floats()


def document(**changes):
    """A results file of one run and one query, as it is written."""
    run = {"run": "a.run", "tag": "a", "queries": 1, "means": {"RR": {"value": 0.5, "defined": 1}}}
    whole = {
        "format": 1, "fairtrec": "1", "signature": "fairtrec:1 | order:score", "inputs": {"qrels": {"path": "q", "sha256": "0" * 64}},
        "options": {}, "notes": [], "measures": {"RR": {"better": "higher", "aggregate": "mean"}},
        "runs": [{**run, "per_query": {"q1": {"RR": 0.5}}}],
    }  # fmt: skip
    return {**whole, **changes}


def read(text):
    return results.parse(text.encode() if isinstance(text, str) else text, "a.json")


def of_values(values, name="a.run", **changes):
    """Results with these values of one measure."""
    rows = {f"q{number}": {"RR": value} for number, value in enumerate(values)}
    run = {"run": name, "tag": "a", "queries": len(rows), "per_query": rows}
    return read(records.json(document(runs=[run], **changes)))


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_values_come_back_to_the_last_bit(values):
    scores = of_values(values).take_baseline(measures("RR"))
    np.testing.assert_array_equal(scores.values, [values])
    assert scores.qids == tuple(f"q{number}" for number in range(len(values)))


RUN = document()["runs"][0]
BROKEN = [
    ("", "not JSON"),
    ("{", "not JSON"),
    (b"\xff{}", "not UTF-8"),
    ("[]", "the file must be an object"),
    ("{}", "this is not a results file of format 1; write it with: fairtrec eval -f json -q"),
    ('{"format": 1}', "a.json: measures is missing; write it with: "),
    ('{"a": 1, "a": 2}', "a.json:1: the key 'a' appears twice in one object; remove one of the two"),
    ('{"a": NaN}', "NaN is not a JSON number"),
    ('{"a": "\\ud800"}', "a text holds half a character"),
    ('{"\\uDFFF": 1}', "a text holds half a character"),
    ('{"a": -Infinity}', "-Infinity is not a JSON number"),
    ("[" * 100_000, "nested too deeply"),
    ('{"a": ' + "9" * 5000 + "}", "a number has too many digits"),
    (document(runs=[]), "one run or more"),
    (document(runs={}), "runs must be a list"),
    (document(runs=[RUN, RUN]), "names a run twice"),
    (document(signature=1), "signature must be text"),
    (document(inputs={"qrels": {"path": "q", "sha256": "0"}}), "64 hexadecimal digits"),
    (document(inputs={"qrels": {"path": "q\0", "sha256": "0" * 64}}), "inputs.qrels.path must be the path of a file"),
    (document(inputs={"qrels": "q"}), "inputs.qrels must be an object"),
    (document(options=[]), "options must be an object"),
    (document(measures={}), "has other measures"),
    (document(runs=[{**RUN, "queries": 2}]), "has 1 queries, and says that they are 2"),
    (document(runs=[{**RUN, "queries": True}]), "runs[0].queries must be a whole number"),
    (document(runs=[{**RUN, "per_query": {"q1": {"RR": "0.5"}}}]), "runs[0].per_query.q1.RR must be a number"),
    (document(runs=[{**RUN, "per_query": {"q1": {"RR": True}}}]), "must be a number"),
    (document(runs=[{**RUN, "per_query": {"q1": {}}}]), "has other measures"),
    (document(runs=[{**RUN, "per_query": {"q1": 3}}]), "runs[0].per_query.q1 must be an object"),
    (document(runs=[{**RUN, "means": {"RR": 3}}]), "must be an object"),
    (json.dumps(document()).replace("0.5}", "1e999}"), "per_query.q1.RR must be a finite number"),
    (json.dumps(document()).replace("0.5}", "1" + "0" * 400 + "}"), "per_query.q1.RR must be a finite number"),
]


@pytest.mark.parametrize(("broken", "says"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_results_file_is_refused(broken, says):
    with pytest.raises(InputError) as fault:
        read(json.dumps(broken) if isinstance(broken, dict) else broken)
    assert str(fault.value).startswith("a.json:")
    assert says in str(fault.value)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)), st.sampled_from(sorted(document())))  # fmt: skip
def test_any_value_anywhere_is_read_or_refused(value, where):
    try:
        read(json.dumps(document(**{where: value}), allow_nan=True))
    except InputError:
        return


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "LARGEST_FILE", 100)
    (tmp_path / "a.json").write_text(json.dumps(document()))
    with pytest.raises(InputError, match="more than"):
        results.read_results(tmp_path / "a.json")


def test_tells_results_from_runs(tmp_path):
    (tmp_path / "a").write_text("\ufeff\n  {}", "utf-8")
    (tmp_path / "b").write_text("q1 Q0 d1 1 1.0 tag\n")
    assert results.is_results(tmp_path / "a")
    assert not results.is_results(tmp_path / "b")


def test_a_baseline_is_one_run_with_its_queries():
    two = read(json.dumps(document(runs=[RUN, {**RUN, "run": "b.run"}])))
    means = read(json.dumps(document(runs=[{name: RUN[name] for name in ("run", "tag", "queries", "means")}])))
    for which, measure, says in ((two, "RR", "one run, and here are 2: a.run, b.run"), (means, "RR", "evaluate with per_query=True"),
                                 (of_values([1.0]), "AP", "here is no AP, only RR")):  # fmt: skip
        with pytest.raises(InputError, match=says):
            which.take_baseline(measures(measure))


OLD = "this is not a results file of format 1; write it with: fairtrec eval -f json -q"
NEW = (
    "this results file has format {}, and this fairtrec reads format 1; upgrade it with: pip install --upgrade fairtrec"
)
READERS = {
    "diff, the first": ["results", "diff", "a.json", "one.json"],
    "diff, the second": ["results", "diff", "one.json", "a.json"],
    "replay": ["results", "replay", "a.json"],
    "check": ["check", "qrels.txt", "bm25.run", "--baseline", "a.json", "--require", "RR >= baseline"],
    "compare": ["compare", "--values", "one.json", "--values", "a.json"],
}
FORMATS = [
    (None, OLD),
    (0, OLD),
    (-1, OLD),
    ("1", OLD),
    (True, OLD),
    (1.0, OLD),
    (2, NEW.format(2)),
    (10**9, NEW.format(10**9)),
]


@pytest.mark.parametrize(("form", "says"), FORMATS)
def test_a_file_of_another_format_is_refused_by_every_reader(recorded, fairtrec_command, form, says):
    written = json.loads(recorded.read_text())
    written.update(format=form)
    if form is None:
        del written["format"]
    recorded.write_text(json.dumps(written))
    for name, command in READERS.items():
        ended = fairtrec_command(*command)
        assert (name, ended.code, ended.out, ended.complaints) == (name, 3, "", [f"a.json: {says}"])
    for read_file in (fairtrec.read_results, fairtrec.read_values):
        with pytest.raises(InputError) as fault:
            read_file(recorded)
        assert str(fault.value).endswith(f"a.json: {says}")


# --- what tells results apart ---


def test_differences_are_counted_and_the_largest_named():
    one, other = of_values([0.1, 0.2, math.nan, 0.4, 0.5]), of_values([0.1, 0.3, math.nan, 0.0, math.nan])
    (apart,) = difference.compare_results(one, other).values
    assert (apart.differing, apart.queries, apart.largest) == (3, 5, math.inf)
    assert [qid for qid, _, _ in apart.most] == ["q4", "q3", "q1"]
    (apart,) = difference.compare_results(one, other, difference.Tolerance(0.2)).values
    assert apart.differing == 2


@given(st.lists(VALUES, min_size=1, max_size=5), st.lists(VALUES, min_size=1, max_size=5))
def test_nothing_differs_from_itself_and_differences_are_mutual(one, other):
    mine, yours = of_values(one), of_values(other)
    assert difference.compare_results(mine, of_values(one)).same
    there, back = difference.compare_results(mine, yours), difference.compare_results(yours, mine)
    assert there.same == back.same
    assert [apart.differing for apart in there.values] == [apart.differing for apart in back.values]


def test_choices_inputs_runs_and_measures_are_compared():
    one = of_values([0.5])
    other = of_values([0.5], signature="fairtrec:1 | order:rank", inputs={"qrels": {"path": "q", "sha256": "1" * 64}})
    found = difference.compare_results(one, other)
    assert found.signature == {"order": ("score", "rank")}
    assert found.inputs == {"qrels": ("0" * 64, "1" * 64)}
    assert not found.same
    assert not found.values
    two = read(json.dumps(document(runs=[RUN, {**RUN, "run": "b.run"}])))
    assert difference.compare_results(one, two).runs == (("", "b.run"),)


@pytest.mark.parametrize(
    ("here", "there", "agree"),
    [
        ("order:score", "order:score", True),
        ("order:score", "order:rank", False),
        ("order:score", "order:score | depth:5", False),
        ("order:score", "order:score | ir-measures:1 | tokenizer:strip | tau:1 | missing:error", True),  # for others
        ("order:score | tokenizer:strip | missing:error", "order:score", False),
        ("tokenizer:strip | missing:error", "tokenizer:strip | case:sensitive | missing:error", False),
        ("tokenizer:strip | missing:skip(3)", "tokenizer:strip | missing:skip(7)", True),  # documents of the run
        ("tokenizer:strip | missing:skip(3)", "tokenizer:strip | missing:neutral", False),
        ("tau:1 | missing:error", "tau:0,1 | missing:error", True),  # each measure spells its own
    ],
)
def test_a_baseline_agrees_in_all_that_is_asked_for(here, there, agree):
    baseline = of_values([0.5], signature=there)
    with contextlib.nullcontext() if agree else pytest.raises(InputError, match=r"in a\.json"):
        difference.refuse_other(baseline, Signature.read(here), {Part("qrels"): "0" * 64})


def test_a_baseline_from_other_qrels_is_refused():
    with pytest.raises(InputError, match=r"qrels: sha256 11111111 here, 00000000 in a\.json"):
        difference.refuse_other(of_values([0.5]), Signature.read("fairtrec:1 | order:score"), {Part("qrels"): "1" * 64})


def of_runs(**runs):
    """Results of runs by name: the sha256 of each, and its value of one query."""
    inputs = {f"run {name}": {"path": name, "sha256": digest * 64} for name, (digest, _) in runs.items()}
    rows = [
        {"run": name, "tag": "t", "queries": 1, "per_query": {"q1": {"RR": value}}} for name, (_, value) in runs.items()
    ]
    return read(json.dumps(document(runs=rows, inputs=inputs)))


def test_runs_of_other_names_are_matched_by_sha256():
    one = of_runs(a=("1", 0.1), b=("2", 0.2), c=("3", 0.3), d=("", 0.4))
    found = difference.compare_results(one, of_runs(y=("2", 0.25), a=("1", 0.1), d2=("", 0.4), x=("3", 0.3)))
    assert found.renamed == (("b", "y"), ("c", "x"))
    assert found.runs == (("d", ""), ("", "d2"))  # no file, so no sha256
    assert [(apart.run, apart.most) for apart in found.values] == [("b | y", (("q1", 0.2, 0.25),))]
    assert (found.compared, found.alike, found.near, dict(found.inputs)) == (3, 2, 0, {})
    (note,) = difference.note_renamed(found.renamed)
    assert str(note) == "runs of two names, matched by sha256: b | y, c | x"
    assert "p3 | r3, and 2 more" in str(*difference.note_renamed([(f"p{at}", f"r{at}") for at in range(1, 6)]))


def test_two_runs_of_the_same_bytes_are_matched_once_each():
    one = of_runs(a=("1", 0.1), b=("1", 0.1), c=("1", 0.1))
    found = difference.compare_results(one, of_runs(x=("1", 0.1), y=("1", 0.1)))
    assert (found.renamed, found.runs) == ((("a", "x"), ("b", "y")), (("c", ""),))


def test_files_of_other_runs_say_that_no_value_is_compared():
    found = difference.compare_results(of_runs(a=("1", 0.1), b=("2", 0.1)), of_runs(x=("3", 0.1), y=("4", 0.1)))
    assert "no value is compared: " in DIFFERENCES("text", found, names=("a.json", "b.json"))


def test_some_values_may_differ_and_others_be_the_same_within_the_tolerance():
    found = difference.compare_results(
        of_values([0.1, 0.2, 0.3]), of_values([0.1, 0.21, 0.4]), difference.Tolerance(0.05)
    )
    told = DIFFERENCES("text", found, names=("a.json", "b.json")).splitlines()[-1]
    assert (
        told
        == "the same in 2 of 3 values, 1 of them only within 1e-12 relative or 0.05 absolute; --exact compares bits"
    )


# --- the commands ---


@pytest.fixture
def folder(tmp_path, example, monkeypatch):
    for path in example.iterdir():
        shutil.copy(path, tmp_path)
    docnos = [line.split("\t")[0] for line in (example / "labels.tsv").read_text().splitlines() if line[0] == "p"]
    lines = [f"{docno}\t{'new' if number % 2 else 'old'}\n" for number, docno in enumerate(docnos)]
    (tmp_path / "age.tsv").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_results_file_does_for_its_run(folder, fairtrec_command):
    fairtrec_command("eval", "qrels.txt", "bm25.run", *WORDS, "-q", "-f", "json", "-o", "main.json")
    asked = ["check", "qrels.txt", "fair.run", *WORDS, "--require", "NFaiRR@10 >= baseline", "--require", "RR@10 > 0.1"]
    by_file, by_run = (fairtrec_command(*asked, "-f", "json", "--baseline", name) for name in ("main.json", "bm25.run"))
    assert json.loads(by_file.out)["verdicts"] == json.loads(by_run.out)["verdicts"]
    ended = fairtrec_command(*asked, "--baseline", "main.json", "--tokenizer", "space", "-M", "5")
    assert ended.code == 3
    assert "depth: 5 here, none in main.json; tokenizer: space here, strip in main.json" in ended.err


@pytest.mark.parametrize(
    "options",
    [
        ["bm25.run", "fair.run", *WORDS, "-m", "nDCG@10 P(rel=1)@5 NFaiRR(tau=0)@5 TE@10", "-l", "2"],
        ["bm25.run", "--terms", "gender-en", "--docs", "collection.tsv", "--tokenizer", "word", "-M", "7", "--order", "rank"],
        ["bm25.run", "--labels", "labels.tsv * age.tsv", "-m", "AWRF@5", "--background", "background.run"],
        ["bm25.run", "--labels", "labels.tsv", "--target", "f=0.3,m=0.7", "-c", "--queries", "example-fair"],
        ["bm25.run", "--stances", "stances.tsv", "-m", "DUO", "--score-dtype", "float32"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", [["-q"], [], ["-q", "-n"]])
def test_replays_to_the_last_bit(folder, fairtrec_command, options, more, tmp_path_factory, monkeypatch):
    assert fairtrec_command("eval", "qrels.txt", *options, *more, "-f", "json", "-o", "a.json").code == 0
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    ended = fairtrec_command("results", "replay", folder / "a.json", "--root", folder, "--exact")
    assert (ended.code, ended.out) == (0, "")
    assert fairtrec_command("results", "replay", folder / "a.json", "--exact").code == 0  # from the folder of the file


def change_value(path, change):
    """Change the value of the first query in a results file."""
    written = json.loads(path.read_text())
    row = written["runs"][0]["per_query"]["101"]
    row["RR"] = change(row["RR"])
    path.write_text(json.dumps(written))


@pytest.fixture
def recorded(folder, fairtrec_command):
    """The values of a run twice: in one file as they are, in the other to be changed."""
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", "one.json")
    shutil.copy("one.json", "a.json")
    return folder / "a.json"


COMPARISONS = [("results", "replay", "a.json"), ("results", "diff", "a.json", "one.json")]


@pytest.mark.parametrize("command", COMPARISONS, ids=" ".join)
def test_a_value_that_differs_in_its_last_digit_is_the_same_and_counted(recorded, fairtrec_command, command):
    change_value(recorded, lambda value: math.nextafter(value, 0.0))
    ended = fairtrec_command(*command)
    told = "the same in 13 values, 1 of them only within 1e-12 relative; --exact compares bits\n"
    assert (ended.code, ended.out) == (0, told)
    found = json.loads(fairtrec_command(*command, "-f", "json").out)
    assert {name: found[name] for name in ("same", "exact", "compared", "near", "values")} == {
        "same": True, "exact": False, "compared": 13, "near": 1, "values": [],
    }  # fmt: skip


@pytest.mark.parametrize("command", COMPARISONS, ids=" ".join)
def test_exact_finds_a_value_that_differs_in_its_last_digit(recorded, fairtrec_command, command):
    assert (fairtrec_command(*command, "--exact").code, fairtrec_command(*command, "--exact").out) == (0, "")
    change_value(recorded, lambda value: math.nextafter(value, 0.0))
    ended = fairtrec_command(*command, "--exact")
    assert (ended.code, ended.err) == (1, "")
    said = " ".join(ended.out.split())
    assert "by 1.11e-16 at most; mean 1.0000 | 1.0000; 1 of 12 queries differs, most 101 " in said
    assert "101 (0.9999999999999999 | 1.0000000000000000)" in said
    found = json.loads(fairtrec_command(*command, "--exact", "-f", "json").out)
    assert (found["same"], found["exact"], found["near"]) == (False, True, 0)


@pytest.mark.parametrize("command", COMPARISONS, ids=" ".join)
def test_a_value_that_differs_by_1e_9_is_found_unless_it_is_tolerated(recorded, fairtrec_command, command):
    change_value(recorded, lambda value: value - 1e-9)
    assert fairtrec_command(*command).code == 1
    ended = fairtrec_command(*command, "--tolerance", "2e-9")
    told = "the same in 13 values, 1 of them only within 1e-12 relative or 2e-09 absolute; --exact compares bits\n"
    assert (ended.code, ended.out) == (0, told)


@pytest.mark.parametrize("change", [lambda _: None, lambda _: "Infinity", lambda _: "-Infinity"])
def test_a_value_that_became_undefined_or_infinite_is_found_whatever_is_tolerated(recorded, fairtrec_command, change):
    change_value(recorded, change)
    for options in ([], ["--exact"], ["--tolerance", "1e300"], ["--tolerance", "inf"]):
        assert fairtrec_command("results", "replay", "a.json", *options).code == 1


NUMBERS = [
    # one, other, same within the tolerance, same bits
    (0.5, math.nextafter(0.5, 1.0), True, False),
    (0.3, 0.3 + 2e-13, True, False),
    (0.3, 0.3 + 4e-13, False, False),
    (1e9, 1e9 + 0.0005, True, False),
    (1e-9, 1.001e-9, False, False),
    (0.0, 5e-16, True, False),  # a sum that cancels
    (math.nan, math.nan, True, True),
    (math.nan, 0.0, False, False),
    (math.inf, math.inf, True, True),
    (math.inf, -math.inf, False, False),
    (math.inf, 1.7e308, False, False),
    (3.0, 4.0, False, False),
    (1e13, 1e13 + 1.0, False, False),  # whole numbers are counts
]


@pytest.mark.parametrize(("one", "other", "near", "exact"), NUMBERS)
def test_values_are_compared_within_the_tolerance_or_bit_by_bit(one, other, near, exact):
    for mine, yours in ((one, other), (other, one)):
        assert difference.compare_results(of_values([mine]), of_values([yours])).same == near
        assert (
            difference.compare_results(of_values([mine]), of_values([yours]), difference.Tolerance(exact=True)).same
            == exact
        )


def test_values_of_a_measure_that_counts_are_compared_exactly():
    counting = {"RR": {"better": "neither", "aggregate": "sum"}}
    one, other = (of_values([value], measures=counting) for value in (12.0, math.nextafter(12.0, 13.0)))
    (apart,) = difference.compare_results(one, other).values
    assert apart.differing == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda run: run.update(queries=2), "number of queries, a.run: 1 | 2"),
        (
            lambda run: run["means"]["RR"].update(defined=2),
            "values, a.run, RR: by 0 at most; mean 0.5000 | 0.5000; defined for 1 | 2 queries",
        ),
    ],
)
def test_numbers_of_queries_are_compared_without_queries_too(change, says):
    several = [json.loads(json.dumps({name: RUN[name] for name in ("run", "tag", "queries", "means")})) for _ in "ab"]
    change(several[1])
    one, other = (read(json.dumps(document(runs=[run]))) for run in several)
    found = difference.compare_results(one, other)
    assert not found.same
    assert says in DIFFERENCES("text", found, names=("a.json", "b.json"))


def test_a_baseline_with_other_last_digits_has_no_differences(folder, fairtrec_command):
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-q", "-f", "json", "-o", "a.json")
    written = json.loads((folder / "a.json").read_text())
    for row in written["runs"][0]["per_query"].values():
        row["nDCG@10"] = math.nextafter(row["nDCG@10"], 2.0)
    (folder / "a.json").write_text(json.dumps(written))
    asked = ["check", "qrels.txt", "bm25.run", "--require", "nDCG@10 >= baseline", "--baseline", "a.json"]
    ended = fairtrec_command(*asked, "-f", "json")
    (verdict,) = json.loads(ended.out)["verdicts"]
    assert (ended.code, verdict["status"], verdict["difference"]) == (0, "passed", 0)


def test_exact_and_a_tolerance_are_one_too_many(recorded, fairtrec_command):
    ended = fairtrec_command("results", "diff", "a.json", "one.json", "--exact", "--tolerance", "0.1")
    assert (ended.code, ended.complaints) == (2, ["--exact allows no difference; leave out --tolerance, or --exact"])


OTHER = "0" * 64  # the digest of no file


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda whole: whole["inputs"]["qrels"].update(path="none.txt", sha256=OTHER),
            "none.txt: there is no such file",
        ),
        (lambda whole: whole["inputs"]["qrels"].update(path="."), "is a stream or a folder"),
        (lambda whole: whole["inputs"]["qrels"].update(path="-", sha256=OTHER), "is a stream or a folder"),
        (lambda whole: whole["inputs"]["qrels"].update(path="/dev/zero"), "is a stream or a folder"),
        (lambda whole: whole["inputs"]["qrels"].update(path="bm25.run"), "has changed: its sha256 was"),
        (
            lambda whole: whole["inputs"].pop("run bm25.run"),
            "was no file; only a file can be replayed, so write it to one and evaluate that again",
        ),
        (lambda whole: whole.pop("options"), "has no options"),
        (lambda whole: whole["options"].update(shell="true"), "options that there are not: shell"),
        (lambda whole: whole["options"].update(order="random"), "cannot be replayed"),
        (lambda whole: whole["options"].update(depth=[]), "cannot be replayed"),
        (lambda whole: whole["options"].update(docs=True), "the docs were an object in Python"),
        (lambda whole: whole["options"].update(counts=0), "options.counts must be text or null"),
        (lambda whole: whole["options"].update(counts=[]), "options.counts must be text or null"),
        (
            lambda whole: whole["inputs"]["qrels"].update(path="a\n::error::b", sha256=OTHER),
            "a\\n::error::b: there is no such file",
        ),
    ],
)
def test_what_cannot_be_replayed_says_why(folder, fairtrec_command, change, says):
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", "a.json")
    written = json.loads((folder / "a.json").read_text())
    change(written)
    (folder / "a.json").write_text(json.dumps(written))
    ended = fairtrec_command("results", "replay", "a.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert says in ended.err


def test_an_input_of_a_replay_is_not_written_over(folder, fairtrec_command):
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", "a.json")
    before = (folder / "qrels.txt").read_text()
    ended = fairtrec_command("results", "replay", "a.json", "-o", "qrels.txt")
    assert (ended.code, "is also read" in ended.err) == (2, True)
    ended = fairtrec_command("results", "replay", "a.json", "--root", folder, "-o", folder / "qrels.txt")
    assert (ended.code, "is also read" in ended.err) == (2, True)
    assert (folder / "qrels.txt").read_text() == before


@pytest.mark.parametrize("command", [["results", "diff", "a.json", "a.json"], ["results", "replay", "a.json"]])
def test_no_difference_is_above_nan_so_that_is_no_tolerance(folder, fairtrec_command, command):
    fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", "a.json")
    ended = fairtrec_command(*command, "--tolerance", "nan")
    assert (ended.code, ended.complaints) == (2, ["the tolerance is nan; it is 0 or more, like 1e-6"])


def test_both_halves_of_a_character_are_one():
    assert of_values([0.5], name="\U0001f600").runs[0].name == "\U0001f600"


def test_the_last_of_many_keys_is_found_to_stand_twice():
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))  # in one pass; by pairs it would take minutes
    with pytest.raises(InputError, match="'99999' appears twice"):
        read(f'{{{keys}, "99999": 0}}')


def test_objects_of_python_are_told_from_files(folder):
    result = fairtrec.evaluate("RR", {"mine": {"q": {"d": 1.0}}}, qrels={"q": {"d": 1}})
    written = RESULTS("json", result, per_query=True)
    with pytest.raises(InputError, match="the qrels were an object in Python"):
        replay.evaluate(read(written))


@pytest.mark.parametrize("form", ["text", "json"])
def test_diff_ends_as_diff_does(folder, fairtrec_command, form):
    for name, level in (("a", 1), ("b", 2)):
        fairtrec_command(
            "eval", "qrels.txt", "bm25.run", "-m", "RR P@5", "-l", level, "-q", "-f", "json", "-o", f"{name}.json"
        )
    assert fairtrec_command("results", "diff", "a.json", "a.json", "-f", form).code == 0
    ended = fairtrec_command("results", "diff", "a.json", "b.json", "-f", form)
    assert ended.code == 1
    assert "level" in ended.out
    assert "P(rel=2)@5" in ended.out
    assert fairtrec_command("results", "diff", "a.json", "c.json", "-f", form).code == 3


def test_a_result_that_was_written_is_compared_and_correlated(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "nDCG@5 nDCG@10", "-f", "json", "-q")
    assert fairtrec_command(*arguments, "-o", "a.json").code == 0
    recorded = fairtrec.read_results("a.json")
    for use in (fairtrec.compare, fairtrec.correlate):
        assert str(use(recorded).signature) == str(use(recorded.result()).signature)
        with pytest.raises(UsageError, match="this is not a result; pass what evaluate or read_results returns"):
            use({})
    rows = [(row.run, row.difference) for row in fairtrec.compare(recorded).rows]
    assert rows == [(row.run, row.difference) for row in fairtrec.compare(recorded.result()).rows]


EDITS = {
    "low": (
        lambda whole: whole["runs"][0]["means"]["nDCG@10"].update(low=0.5),
        "runs.fair.run.means.nDCG@10.low: 0.5 | 0.9",
    ),
    "note": (
        lambda whole: whole["notes"][0].update(text="all is well"),
        "notes[0].text: all is well | verdict: ",
    ),
    "no note": (lambda whole: whole["notes"].pop(), "note only in the replay: "),
    "count": (lambda whole: whole["groups"]["f"].update(documents=30), "groups.f.documents: 30 | 25\n"),
    "direction": (
        lambda whole: whole["measures"]["nDCG@10"].update(better="lower"),
        "measures.nDCG@10.better: lower | higher\n",
    ),
    "slice": (
        lambda whole: whole["runs"][1]["slices"]["1"]["means"]["nDCG@10"].update(defined=9),
        "runs.bm25.run.slices.1.means.nDCG@10.defined: 9 | 6\n",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_replay_compares_all_that_the_file_has(folder, fairtrec_command, edit):
    change, says = EDITS[edit]
    (folder / "slices.tsv").write_text("".join(f"{qid}\t{qid % 2}\n" for qid in range(101, 113)))
    asked = ["eval", "qrels.txt", "bm25.run", "fair.run", "--labels", "labels.tsv", "-m", "nDCG@10 AWRF@10"]
    more = ["--missing", "neutral", "--confidence", "0.9", "--slice", "slices.tsv", "--sort", "AWRF@10"]
    assert fairtrec_command(*asked, *more, "-f", "json", "-o", "a.json").code == 0
    ended = fairtrec_command("results", "replay", "a.json")
    assert (ended.code, ended.out) == (0, "")
    assert "# the same in the mean, and in notes and all other numbers: nDCG@10, AWRF@10" in ended.err
    written = json.loads((folder / "a.json").read_text())
    change(written)
    (folder / "a.json").write_text(json.dumps(written))
    ended = fairtrec_command("results", "replay", "a.json")
    assert ended.code == 1
    assert says in ended.out


def test_runs_are_sorted_by_a_measure_of_the_file(folder, fairtrec_command):
    fairtrec_command(
        "eval", "qrels.txt", "bm25.run", "fair.run", "--sort", "RR", "-m", "RR", "-f", "json", "-o", "a.json"
    )
    written = json.loads((folder / "a.json").read_text())
    assert written["sort"] == "RR"
    (folder / "a.json").write_text(json.dumps(written | {"sort": "nDCG"}))
    ended = fairtrec_command("results", "replay", "a.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert "sort must be one of the measures" in ended.err


WAY_OUT = "or evaluate the changed run with -f json -o NEW.json and type: fairtrec results diff "


@pytest.mark.parametrize("move", [False, True])
def test_a_changed_run_is_refused_with_the_way_to_compare_it(recorded, folder, fairtrec_command, move):
    lines = (folder / "bm25.run").read_text().splitlines(keepends=True)
    (folder / "bm25.run").write_text("".join(lines[:2] + lines[3:]))
    if move:
        (folder / "qrels.txt").rename(folder / "q.txt")
    ended = fairtrec_command("results", "replay", "a.json")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert f"{WAY_OUT}a.json NEW.json" in ended.err
    qrels = "q.txt" if move else "qrels.txt"
    assert fairtrec_command("eval", qrels, "bm25.run", "-m", "RR", "-q", "-f", "json", "-o", "NEW.json").code == 0
    assert fairtrec_command("results", "diff", "a.json", "NEW.json").out.startswith("--- a.json\n+++ NEW.json\n")
