"""Results out of fairtrec: frames, flat names, files, notebooks, and the page that tells of them."""

import csv
import html.parser
import json
import math
import re
import subprocess
import sys
from importlib import metadata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.compare import COMPARISONS
from fairtrec.evaluation.slices import Slices
from fairtrec.report import records
from fairtrec.report.records import flat_name
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import STEERING, ResourceError, UsageError
from fairtrec_made import texts
from fairtrec_made.written_json import drop_arguments

RUNS = ("bm25.run", "neural.run", "fair.run")
GRAMMAR = re.compile(r"^[_a-zA-Z]\w*$", re.ASCII)  # that by which Weights & Biases sorts
MLFLOW = re.compile(r"^[/\w.\- :]{1,250}$", re.ASCII)
EVIL = "<script>alert('x')<b> & \"q\" \x1b[2J"


@pytest.fixture(scope="module")
def result(example):
    runs = {name.removesuffix(".run"): example / name for name in RUNS}
    given_ = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    return fairtrec.evaluate("nDCG@10 ARaB(mag=tf)@10 TE@10 NumRet", runs, qrels=example / "qrels.txt", **given_)


@pytest.fixture(scope="module")
def comparison(result):
    return fairtrec.compare(result, "bm25", equivalence=0.05)


def of_names(*names, **options):
    """A result of runs that have these names."""
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    return fairtrec.evaluate("Groups@2 MaxShare@1", dict.fromkeys(names, run), labels={"d1": "f", "d2": "m"}, **options)


# --- frames ---


def test_a_frame_of_means_has_the_means(result):
    frame = result.to_frame()
    assert frame.to_dict("index") == result.means
    assert (frame.index.name, frame.attrs) == ("run", {"signature": str(result.signature)})


def test_a_frame_of_queries_has_the_values(result):
    frame = result.to_frame(per_query=True)
    assert frame.index.names == ["run", "qid"]
    for run, measures in result.per_query.items():
        pd.testing.assert_frame_equal(frame.loc[run], pd.DataFrame(measures), check_names=False)
    assert frame.groupby("run")["nDCG@10"].mean().to_dict() == pytest.approx(result.to_frame()["nDCG@10"].to_dict())


def test_a_frame_of_ties_has_their_ends_beside_the_values():
    result_ = of_names("a", bounds="ties")
    assert (
        [*result_.to_frame()]
        == [*result_.to_frame(per_query=True)]
        == [
            f"{measure}{end}"
            for measure in ("Groups@2", "MaxShare@1")
            for end in ("", ".least", ".greatest", ".expected")
        ]
    )


def test_a_frame_of_a_comparison_has_its_rows(result, comparison):
    frame = comparison.to_frame()
    assert frame["difference"].tolist() == [row.difference for row in comparison.rows]
    assert frame["verdict"].tolist() == [row.verdict for row in comparison.rows]
    together = fairtrec.correlate(result)
    np.testing.assert_array_equal(together.to_frame()["correlation"], [row.correlation for row in together.rows])
    with pytest.raises(UsageError, match="per_query"):
        comparison.to_frame(per_query=True)


def test_without_pandas_it_is_said_how_to_have_it(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ResourceError, match="a frame needs pandas; run: pip install pandas"):
        result.to_frame()


# --- flat names ---


def test_names_are_those_that_trackers_take(result, comparison):
    one = fairtrec.evaluate("RR", {"a": {"q": {"d": 1.0}}}, qrels={"q": {"d": 1}})
    assert one.flat() == {"RR": 1.0, "RR_queries": 1, "queries": 1}
    found = result.flat()
    assert found["bm25_nDCG_at_10"] == result.means["bm25"]["nDCG@10"]
    assert found["fair_ARaB_mag_tf_at_10"] == result.means["fair"]["ARaB(mag='tf')@10"]
    assert found["neural_TE_group_f_at_10"] == result.means["neural"]["TE(group='f')@10"]
    assert len(found) == 15 + 15 + 3  # means, their queries, the queries of the runs
    assert all(type(number) is int for name, number in found.items() if name.endswith("queries"))
    of_comparison = comparison.flat()
    assert of_comparison["fair_nDCG_at_10_p"] == next(
        row.p for row in comparison.rows if (row.run, row.measure) == ("fair", "nDCG@10")
    )
    of_pairs = fairtrec.compare(result, "all")
    assert of_pairs.flat()["neural_bm25_nDCG_at_10_p"] == next(
        row.p for row in of_pairs.rows if (row.run, row.against, row.measure) == ("neural", "bm25", "nDCG@10")
    )
    together = fairtrec.correlate(result, "queries", slices={"few": ["101", "102", "103"]})
    for names in (found, of_comparison, together.flat()):
        assert all(GRAMMAR.match(name) and MLFLOW.match(name) for name in names), names
    assert "bm25_nDCG_at_10_ARaB_mag_tf_at_10_kendall_slice_few_correlation" in together.flat()


def test_each_mean_has_its_number_of_queries():
    run = {"1": {"a": 2.0}, "2": {"x": 1.0}}
    result = fairtrec.evaluate(
        "AWRF@4 nDCG@4", run, qrels={"1": {"a": 1}, "2": {}}, labels={"a": "f", "b": "m"}, bounds="ties"
    )
    found = result.flat()
    assert (found["queries"], found["AWRF_at_4_queries"], found["nDCG_at_4_queries"]) == (2, 1, 1)
    assert sum(name.endswith("queries") for name in found) == 3  # and none of the ends of an interval
    parts = RESULTS("flat", of_names("a", "b"), slices=Slices({"few": ["q2"]}))
    assert json.loads(parts)["b_Groups_at_2_queries_slice_few"] == 1


def test_notes_are_what_the_table_shows_in_its_order():
    runs = {"a": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, "b": {"1": {"b": 1.0}}}
    qrels = {"1": {"a": 1}, "2": {"z": 1}, "3": {"z": 1}}
    result = fairtrec.evaluate("nDCG@2 AWRF@2", runs, qrels=qrels, labels={"a": "f", "b": "m"}, missing="neutral")
    *_, legend, signature = str(result).split("\n\n")[-1].splitlines()[0], str(result.signature)
    below = str(result).partition(f"{legend}\n")[2].partition(f"\n{signature}")[0].splitlines()
    assert len(below) > 4  # which is all that the command line prints
    assert [*texts(result.notes)] == below
    assert [*map(repr, result.notes)] == below
    assert {"undefined", "missing queries of runs"} <= {note.kind.name for note in result.notes}
    confident = of_names("a", "b").with_confidence()
    assert all(str(note) in str(confident) for note in confident.notes)


def test_a_session_names_its_measures_and_inputs(example):
    session = fairtrec.evaluator("nDCG@2 AWRF@2", example / "qrels.txt", labels={"a": "f", "b": "m"})
    assert repr(session) == f"<Evaluator nDCG@2 AWRF@2 | qrels:{example / 'qrels.txt'} | labels:given>"


WITHOUT_PANDAS = """
import sys



class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Blocker())
import duckdb
import fairtrec
import polars

run = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}
given = {"qrels": {"1": {"b": 1}, "2": {"a": 1}}, "labels": {"a": "f", "b": "m"}, "missing": "neutral"}
result = fairtrec.evaluate("nDCG@2 AWRF@2", {"one": run, "two": run}, **given)
for answer in (result, result.scores[0], fairtrec.compare(result)):
    frame, table = polars.DataFrame(answer), answer.to_arrow()
    rows = [tuple(row.values()) for row in table.to_pylist()]
    assert frame.columns == table.column_names
    assert frame.rows() == rows == duckdb.sql("SELECT * FROM answer").fetchall() == duckdb.from_arrow(table).fetchall()
print(polars.DataFrame(result).rows())
"""


@pytest.mark.ecosystem
def test_polars_and_duckdb_take_answers_without_pandas():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    one = fairtrec.evaluate("nDCG@2", {"1": {"a": 2.0, "b": 1.0}}, qrels={"1": {"b": 1}}).means["run"]["nDCG@2"] / 2
    assert done.stdout == f"[('one', {one}, 1.0), ('two', {one}, 1.0)]\n"


@given(st.lists(st.text(max_size=300), min_size=1, max_size=3))
def test_any_name_becomes_one_that_trackers_take(words):
    name = flat_name(*words)
    assert GRAMMAR.match(name)
    assert MLFLOW.match(name)


def test_names_that_hold_other_letters_stay_apart():
    names = [
        flat_name(f"TE(group='{group}')@10") for group in ("男", "女", "männer", "m\u00e4nner", "a" * 300, "a" * 301)
    ]
    assert len({*names}) == 5  # the fourth is the third
    assert names[2].startswith("TE_group_m_nner_at_10_")


def test_two_numbers_of_one_name_are_refused():
    with pytest.raises(UsageError, match="a b Groups@2 and a_b Groups@2 would both be called a_b_Groups_at_2; give"):
        of_names("a b", "a_b").flat()


def test_flat_has_the_means_alone_whoever_writes_it():
    with pytest.raises(UsageError, match="format=flat has only means"):
        RESULTS("flat", of_names("a"), per_query=True)


def test_flat_is_one_object_in_which_undefined_is_null(fairtrec_command, tmp_path):
    (tmp_path / "r.run").write_text("q1 Q0 d1 1 2 t\nq2 Q0 x 1 1 t\n")
    (tmp_path / "slices").write_text("q1\tfirst\nq2\tnone known\n")
    (tmp_path / "labels").write_text("d1\tf\nd2\tm\n")
    asked = ["eval", "none", tmp_path / "r.run", "--labels", tmp_path / "labels", "-m", "Skew@1 Groups@1"]
    found = json.loads(fairtrec_command(*asked, "--slice", tmp_path / "slices", "-f", "flat").out)
    log2, none = math.log(2), "_slice_none_known"
    numbers = {name: many for name, many in found.items() if "queries" in name}
    assert numbers[f"Skew_group_f_at_1_queries{none}"] == 0
    assert numbers[f"Groups_at_1_queries{none}"] == numbers["Skew_group_m_at_1_queries"] == 1
    assert {name: value for name, value in found.items() if name not in numbers} == {
        "Skew_group_f_at_1": log2, "Skew_group_m_at_1": "-Infinity", "Groups_at_1": 0.5,
        "Skew_group_f_at_1_slice_first": log2, "Skew_group_m_at_1_slice_first": "-Infinity", "Groups_at_1_slice_first": 1,
        f"Skew_group_f_at_1{none}": None, f"Skew_group_m_at_1{none}": None, f"Groups_at_1{none}": 0,
        **{f"Skew_group_{group}_at_1_slice_{of}": None for group in "fm" for of in ("difference", "ratio")},
        "Groups_at_1_slice_difference": 1, "Groups_at_1_slice_ratio": 0,
    }  # fmt: skip


# --- files ---


@pytest.mark.parametrize("form", RESULTS.forms)
def test_a_file_is_what_the_command_writes(fairtrec_command, example, tmp_path, monkeypatch, form):
    monkeypatch.chdir(example)
    per_query = form not in ("flat", "html")
    result_ = fairtrec.evaluate("nDCG@10 RR", ["bm25.run", "fair.run"], qrels="qrels.txt")
    result_.write(tmp_path / "python", form, places=3, per_query=per_query, sort="RR")
    asked = ["eval", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10 RR", "--sort", "RR"]
    asked += [] if form in ("json", "jsonl", "flat", "parquet") else ["--places", 3]
    done = fairtrec_command(*asked, "-f", form, "-o", tmp_path / "shell", *["-q"] * per_query)
    assert done.code == 0, done.err
    assert (tmp_path / "python").read_bytes() == drop_arguments((tmp_path / "shell").read_bytes())


@pytest.mark.parametrize("form", COMPARISONS.forms)
def test_a_file_of_a_comparison_is_what_the_command_writes(fairtrec_command, example, tmp_path, monkeypatch, form):
    monkeypatch.chdir(example)
    fairtrec.compare(fairtrec.evaluate("RR", ["bm25.run", "fair.run"], qrels="qrels.txt")).write(
        tmp_path / "python", form
    )
    done = fairtrec_command(
        "compare", "qrels.txt", "bm25.run", "fair.run", "-m", "RR", "-f", form, "-o", tmp_path / "shell"
    )
    assert done.code == 0, done.err
    assert (tmp_path / "python").read_bytes() == drop_arguments((tmp_path / "shell").read_bytes())


def test_the_ending_of_a_name_tells_the_format(result, comparison, tmp_path):
    result.write(tmp_path / "a.CSV")
    with (tmp_path / "a.CSV").open(newline="") as file:
        assert [row["run"] for row in csv.DictReader(file)] == ["bm25", "neural", "fair"]
    result.write(tmp_path / "a.html", title="Ours")
    assert "<title>Ours</title>" in (tmp_path / "a.html").read_text("utf-8")
    comparison.write(tmp_path / "a.tex", paper=True)
    assert r"\begin{table}" in (tmp_path / "a.tex").read_text("utf-8")
    result.write(tmp_path / "a.prototext", slices={"few": ["101"]})
    assert 'key: "bm25 nDCG@10 slice few"' in (tmp_path / "a.prototext").read_text("utf-8")
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["a.CSV", "a.html", "a.prototext", "a.tex"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"path": "a.xlsx"}, "the ending of a.xlsx is that of no format; name one of trec, table"),
        ({"path": "a", "format": "yaml"}, "there is no format 'yaml'; choose from trec"),
        ({"path": "a.csv", "places": -1}, "-1 places behind the point were asked for; 0 to 17 are possible"),
        ({"path": "a.csv", "places": "four"}, "'four' places behind the point"),
        ({"path": "a.csv", "digits": 3}, "there is no option digits"),
        ({"path": "nowhere/a.csv"}, "the folder of nowhere/a.csv is not there"),
        ({"path": "a.csv", "title": "x"}, "title= is the heading of a page"),
        ({"path": "a.csv", "sort": "AP"}, "cannot sort by AP"),
        ({"path": "a", "format": "flat", "per_query": True}, "format=flat has only means"),
        ({"path": "bm25.run", "format": "csv"}, "is also read"),
    ],
)
def test_what_cannot_be_written_is_refused(example, tmp_path, monkeypatch, asked, words):
    (tmp_path / "bm25.run").write_bytes((example / "bm25.run").read_bytes())
    monkeypatch.chdir(tmp_path)
    result_ = fairtrec.evaluate("RR", "bm25.run", qrels=example / "qrels.txt")
    with pytest.raises(UsageError, match=re.escape(words)):
        result_.write(**asked)
    assert [each.name for each in tmp_path.iterdir()] == ["bm25.run"]


# --- TIRA ---


def blocks(text):
    """Read the text format of protocol buffers: blocks of names and texts, which may hold octal escapes."""
    for block in re.findall(r"^measure\{\n(.*?)^\}$", text, re.MULTILINE | re.DOTALL):
        pairs = re.findall(r'^  (\w+): "((?:[^"\\\n]|\\.)*)"$', block, re.MULTILINE)
        yield {name: re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), text) for name, text in pairs}


def test_tira_reads_each_value(example, fairtrec_command):
    asked = ["eval", example / "qrels.txt", example / "bm25.run", "-m", "nDCG@10 RR", "-q"]
    found = [*blocks(fairtrec_command(*asked, "-f", "tira").out)]
    rows = [line.split("\t") for line in fairtrec_command(*asked).out.splitlines()]
    right = [(name.strip(), qid, value) for name, qid, value in rows if name.strip() not in ("runid", "num_q")]
    assert [(each["key"], each.get("query_id", "all"), each["value"]) for each in found] == right


def test_names_end_no_text_of_tira():
    odd = 'a:"b"\\c'
    text = RESULTS("tira", of_names(odd, "other"))
    assert all(len(line.split(":")) < 3 for line in text.splitlines())  # a reader of TIRA cuts there
    assert next(blocks(text))["key"] == f"{odd} Groups@2"


# --- tables ---


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_a_notebook_shows_a_table_in_which_names_are_text(result, comparison):
    for of in (of_names(EVIL, "b"), fairtrec.compare(of_names(EVIL, "b"), "b"), result, comparison):
        page, parser = of._repr_html_(), Tags()
        parser.feed(page)
        assert {*parser.tags} <= {
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "b",
            "i",
            "span",
            "ul",
            "li",
            "p",
            "code",
        }
        assert "\x1b" not in page
        assert str(of.signature) in "".join(parser.texts)
    assert "<script>alert('x')<b> & \"q\" \ufffd[2J" in "".join(_texts(of_names(EVIL, "b")))
    assert "0.9742" in _texts(result)
    assert "<b>0.9742</b>" in result._repr_html_()  # the best


def _texts(of):
    parser = Tags()
    parser.feed(of._repr_html_())
    return parser.texts


def test_a_result_prints_the_table_of_the_command(result, comparison, fairtrec_command, example):
    done = fairtrec_command(
        "eval", example / "qrels.txt", *(example / name for name in RUNS), "-m", "nDCG@10 RR", "-f", "table"
    )
    result_ = fairtrec.evaluate("nDCG@10 RR", [example / name for name in RUNS], qrels=example / "qrels.txt")
    assert f"{result_}\n" == done.out
    assert "against bm25" in str(comparison)


def test_a_result_without_a_run_says_so(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0\n")
    result_ = fairtrec.evaluate("RR", tmp_path / "a.run", qrels={"q1": {"d1": 1}}, keep_going=True)
    assert str(result_) == "no run was evaluated; 1 could not be read, see .failed"
    assert str(result_) in result_._repr_html_()
    assert result_.to_frame().empty
    assert result_.flat() == {}
    with pytest.raises(UsageError, match=r"no run was evaluated; 1 could not be read, .* so there is nothing"):
        result_.write(tmp_path / "a.csv")


# --- intervals of means ---


DIGITS = 1e-12 if metadata.version("scipy") >= "1.17" else 1e-10  # the critical values of scipy itself, before


def interval(values, confidence):
    """Student's t interval, by scipy.stats."""
    from scipy import stats

    return stats.t.interval(confidence, len(values) - 1, np.mean(values), stats.sem(values))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_each_mean_has_the_interval_of_scipy(result, confidence):
    confident = result.with_confidence(confidence)
    assert confident.means == result.means
    frame = confident.to_frame()
    bounds = {str(measure): measure.bounds for measure in result.scores[0].measures}
    for run, measures in result.per_query.items():
        for measure, of_queries in measures.items():
            if measure == "NumRet":
                assert "NumRet.low" not in frame
                continue
            ends = frame.loc[run, [f"{measure}.low", f"{measure}.high"]].tolist()
            least, most = bounds[measure]
            low, high = interval([*of_queries.values()], confidence)
            low, high = low if least is None else max(low, least), high if most is None else min(high, most)
            assert ends == pytest.approx([low, high], abs=DIGITS)
    assert confident.signature["interval"] == f"t/{confidence:g}"
    notes = [
        f"[low, high]: {100 * confidence:g}% t interval of each mean over queries",
        "?: fewer than 10 values differ from the most frequent one, so the interval is too narrow",
        "an interval over fewer than 30 queries (here 12) assumes that values are about normally distributed",
    ]
    assert [note for note in texts(confident.notes) if note in notes] == notes


def ranked(queries, misses=()):
    """A run whose reciprocal ranks are 1, 1/2, 1/3, 1/4 in turn, and undefined where labels miss."""
    return {f"q{at:02}": {f"d{rank}": -float(rank) for rank in range(at % 4 + 1)} for at in range(queries)}


def test_undefined_and_infinite_values_and_few_queries():
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"x": 1.0}, "q4": {"a": 2.0, "b": 1.0}}  # of x nobody knows
    result_ = fairtrec.evaluate("MaxShare@2 Skew(group=f)@2", {"r": run}, labels={"a": "f", "b": "m"}).with_confidence(
        0.9
    )
    frame = result_.to_frame()
    assert frame.loc["r", ["MaxShare@2.low", "MaxShare@2.high"]].tolist() == pytest.approx(
        [interval([1, 1, 0.5], 0.9)[0], 1.0]
    )
    assert frame.filter(regex="Skew.*(low|high)").isna().all(axis=None)  # minus infinity
    assert "here 3 to 3" not in "".join(texts(result_.notes))
    alone = of_names("a", queries=["q1"]).with_confidence()
    assert math.isnan(alone.to_frame().loc["a", "Groups@2.low"])
    assert "[" not in str(alone).splitlines()[3]
    assert texts(alone.notes)[1:3] == (
        "[low, high]: 95% t interval of each mean over queries",
        "a mean over one query has no interval",
    )


@pytest.mark.parametrize("confidence", ["0.95", None, 95, math.nan])
def test_a_confidence_that_there_is_not_is_refused(result, confidence):
    with pytest.raises(UsageError, match=f"the confidence is {confidence!r}; it lies between 0 and 1"):
        result.with_confidence(confidence)


def test_thirty_queries_are_not_few_but_a_slice_of_them_may_be():
    run = {f"q{at:02}": {f"d{at % 2}": 2.0, "d2": 1.0} for at in range(30)}
    result_ = fairtrec.evaluate("MaxShare@2", {"r": run}, labels={"d0": "f", "d1": "m", "d2": "m"})
    assert "fewer" not in "".join(texts(result_.with_confidence().notes))
    assert "here 20" in "".join(texts(result_.with_confidence(slices={"few": [*run][:20]}).notes))


@pytest.mark.parametrize(
    "form", ["json", "jsonl", "parquet", "csv", "tsv", "trec", "tira", "flat", "md", "latex", "html", "table"]
)
def test_every_format_has_the_interval(result, tmp_path, form):
    few = result.with_confidence(0.9)
    low, high = interval([*result.per_query["fair"]["nDCG@10"].values()], 0.9)
    few.write(tmp_path / "out", form)
    text = (tmp_path / "out").read_bytes()
    if form == "parquet":
        table = pd.read_parquet(tmp_path / "out").set_index(["run", "measure"]).loc[("fair", "nDCG@10")]
        assert [table["low"].item(), table["high"].item()] == pytest.approx([low, high])
    elif form in ("json", "jsonl", "flat"):
        assert f"{low:.9f}"[:-1] in text.decode()
        assert f"{high:.9f}"[:-1] in text.decode()
    else:
        assert f"{low:.4f}" in text.decode()
        assert f"{high:.4f}" in text.decode()
    if form in ("md", "latex", "html", "table", "json"):
        assert "90% t interval of each mean over queries" in text.decode().replace("\\%", "%")


def test_values_of_queries_have_no_interval(result, tmp_path):
    few = result.with_confidence()
    few.write(tmp_path / "out", "trec", per_query=True)
    lines = [line.split("\t") for line in (tmp_path / "out").read_text().splitlines()]
    assert {qid for name, qid, _ in lines if ".low" in name} == {"all"}
    few.write(tmp_path / "out.csv", per_query=True, summary=False)
    assert (pd.read_csv(tmp_path / "out.csv")["nDCG@10.low"].isna()).all()
    few.write(tmp_path / "out.parquet", per_query=True)
    assert pd.read_parquet(tmp_path / "out.parquet").groupby(lambda _: True)["low"].count().item() == 3 * 4
    assert [*few.to_frame(per_query=True)] == [*result.to_frame(per_query=True)]


def test_means_of_slices_have_their_own(result, tmp_path):
    qids = ["101", "102", "103", "104"]
    result.with_confidence(0.9).write(tmp_path / "out.csv", slices={"few": qids}, places=9)
    table = pd.read_csv(tmp_path / "out.csv").set_index(["run", "slice"]).loc[("bm25", "few")]
    values = [result.per_query["bm25"]["nDCG@10"][qid] for qid in qids]
    low, high = interval(values, 0.9)
    assert [table["nDCG@10.low"], table["nDCG@10.high"]] == pytest.approx([low, min(high, 1.0)], abs=1e-8)


def test_nothing_changes_where_it_is_not_given(example, fairtrec_command):
    """What the interval adds can be taken away again, and nothing else is another."""
    asked = ["eval", example / "qrels.txt", example / "bm25.run", "-m", "nDCG@10", "-f", "json", "-q"]
    plain, confident = (json.loads(fairtrec_command(*asked, *more).out) for more in ([], ["--confidence", 0.95]))
    assert "interval" not in str(plain)
    for name in ("low", "high", "doubtful"):
        del confident["runs"][0]["means"]["nDCG@10"][name]
    confident |= {
        "signature": confident["signature"].removesuffix(" | interval:t/0.95"),
        "notes": [note for note in confident["notes"] if "interval" not in note["text"]],
    }
    assert len(plain["notes"]) == 1
    assert confident["arguments"] == [*plain["arguments"][:-2], "--confidence", "0.95", *plain["arguments"][-2:]]
    assert {**confident, "arguments": plain["arguments"]} == plain


def test_what_is_written_with_intervals_is_replayed_and_a_baseline(example, fairtrec_command, tmp_path, monkeypatch):
    monkeypatch.chdir(example)
    asked = ["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "-q", "-f", "json", "--confidence", 0.95]
    assert fairtrec_command(*asked, "-o", tmp_path / "r.json").code == 0
    assert fairtrec_command("results", "replay", tmp_path / "r.json").code == 0
    done = fairtrec_command(
        "check", "qrels.txt", "fair.run", "--baseline", tmp_path / "r.json", "--require", "nDCG@10 >= baseline"
    )
    assert done.code == 0, done.err
    odd = (tmp_path / "r.json").read_text().replace("interval:t/0.95", "interval:t/x")
    (tmp_path / "odd.json").write_text(odd)
    assert fairtrec_command("results", "replay", tmp_path / "odd.json").code == 1


def test_one_interval_at_a_time():
    with pytest.raises(UsageError, match="leave out one of them"):
        of_names("a", bounds="ties").with_confidence()
    with pytest.raises(UsageError, match="call with_confidence on the result without them"):
        of_names("a").with_confidence(0.9).with_confidence()
    for confidence in (0, 1, 95, math.nan):
        with pytest.raises(UsageError, match="it lies between 0 and 1"):
            of_names("a").with_confidence(confidence)


# --- docs/results.md ---


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@pytest.mark.long
@given(st.dictionaries(st.text(), st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text(), each))))
def test_json_is_written_part_by_part_as_the_standard_library_writes_it(record):
    def hold(value):
        if isinstance(value, dict):
            return {name: hold(each) for name, each in value.items()}
        if isinstance(value, list):
            return [hold(each) for each in value]
        if not isinstance(value, float) or math.isfinite(value):
            return 0.0 if isinstance(value, float) and not value else value
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

    expected = json.dumps(hold(record), ensure_ascii=False, allow_nan=False, indent=1)
    expected = re.sub(STEERING, lambda letter: f"\\u{ord(letter.group()):04x}", expected)
    assert records.json(record) == expected + "\n"


def test_a_value_that_json_cannot_hold_is_no_text():
    with pytest.raises(TypeError, match="not JSON serializable"):
        records.json({"set": {1}})
    assert (
        records.json({"empty": [{}, (), ""], 1: (2, True)})
        == """{
 "empty": [
  {},
  [],
  ""
 ],
 "1": [
  2,
  true
 ]
}
"""
    )
