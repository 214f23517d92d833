"""Columns of tables that have roles: those that --columns names, and those that are found by their names."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from fairtrec.formats.column_roles import parse_columns
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made.command_trials import gather_trials

VIEWS = """\
stamp;view;who;offer;slot;seller
1;v1;ann;x;1;f
1;v1;ann;y;2;m
1;v1;ann;z;3;
2;v2;ben;y;1;m
2;v2;ben;x;2;f
2;v2;ben;w;3;m
"""
ROLES = "qid=view,docno=offer,rank=slot"
RUN = {"v1": {"x": 3.0, "y": 2.0, "z": 1.0}, "v2": {"y": 3.0, "x": 2.0, "w": 1.0}}
LABELS = {"x": "f", "y": "m", "w": "m"}
PAGE = Path(__file__).parents[2] / "docs" / "convert.md"
AUDIT = Path(os.environ.get("FAIRTREC_SHARED", Path(__file__).parents[3] / "shared")) / "specs" / "audit"


@pytest.fixture
def views(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("views.csv").write_text(VIEWS)
    return Path("views.csv")


def value_of(*given, **keywords):
    return fairtrec.evaluate("AWRF@3", *given, **keywords).scores[0].values[0].tolist()


@pytest.fixture(scope="module")
def wanted():
    return value_of(RUN, labels=LABELS)


def test_columns_of_any_names_are_a_run(views, wanted):
    columns = parse_columns(f"{ROLES},group=seller")
    assert value_of("views.csv", columns=columns, order="rank") == wanted
    assert value_of("views.csv", columns=ROLES, order="rank", labels="views.csv:seller") == wanted


def rows():
    head, *lines = [line.split(";") for line in VIEWS.splitlines()]
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.mark.parametrize("form", ["jsonl", "array", "parquet", "tsv", "blocks"])
def test_every_table_has_the_same_roles(tmp_path, wanted, form):
    path = tmp_path / "views"
    several = [{**row, "slot": int(row["slot"])} for row in rows()]
    if form == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "views.parquet"
        pq.write_table(pa.Table.from_pylist(several), path)
    elif form == "tsv":
        path.write_text(VIEWS.replace(";", "\t"))
    elif form == "array":
        path.write_text(json.dumps(several))
    else:  # equal types in each line, and not
        lines = [json.dumps(row | ({"more": number} if form == "blocks" and number % 2 else {})) for number, row in
                 enumerate(several)]  # fmt: skip
        path.write_text("\n".join(lines))
    assert value_of(path, columns=f"{ROLES},group=seller", order="rank") == wanted


@pytest.mark.parametrize("maker", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_the_same_roles(wanted, maker):
    module = pytest.importorskip(maker)
    columns = {name: [row[name] for row in rows()] for name in rows()[0]} | {"slot": [int(r["slot"]) for r in rows()]}
    frame = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[maker]
    given = getattr(module, frame)(columns)
    assert value_of(given, columns=f"{ROLES},group=seller", order="rank") == wanted
    with pytest.raises(InputError, match=r"there is no column nosuch; there are stamp, view, who, offer, slot, seller"):
        value_of(given, columns="qid=nosuch,docno=offer", labels=LABELS)


def test_dotted_columns_go_into_objects(tmp_path, wanted):
    lines = [
        {"query": {"id": row["view"]}, "shown": {"offer": row["offer"], "by": row["seller"]}, "at": int(row["slot"])}
        for row in rows()
    ]
    path = tmp_path / "views.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    columns = "qid=query.id,docno=shown.offer,rank=at,group=shown.by"
    assert value_of(path, columns=columns, order="rank") == wanted
    with pytest.raises(InputError, match=r"jsonl:1: there is no column query\.nr; there are query, shown, at"):
        value_of(path, columns="qid=query.nr,docno=shown.offer,rank=at", order="rank", labels=LABELS)


def test_names_are_found_first_match_first(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user_id,request_id,position,product_id,score\nu,r1,1,x,5\nu,r2,1,y,6\n")
    scores = fairtrec.evaluate("AWRF@1", path, labels={"x": "f", "y": "m"}).scores[0]
    assert scores.qids == ("r1", "r2")
    path.write_text("user_id,request_id,impression_id,position,product_id\nu,r1,i1,1,x\nu,r1,i2,1,y\n")
    scores = fairtrec.evaluate("AWRF@1", path, labels={"x": "f", "y": "m"}, order="rank", samples=True).scores[0]
    assert (scores.qids, scores.sampled) == (("r1",), True)


def test_all_rows_may_be_one_query(views):
    Path("one.csv").write_text("item,points,sex\na,3,f\nb,2,m\n")
    scores = fairtrec.evaluate("AWRF@2", "one.csv", columns="qid=-,docno=item,score=points,group=sex").scores[0]
    assert (scores.qids, scores.values.tolist()) == (("-",), [[1.0]])


def test_samples_of_tables_are_averaged(views, wanted):
    one = value_of("views.csv", columns="qid=stamp,sample=view,docno=offer,rank=slot,group=seller", order="rank",
                   samples=True)  # fmt: skip
    assert one == wanted  # each stamp has one view
    Path("same.csv").write_text(VIEWS.replace("\n2;", "\n1;"))
    both = value_of("same.csv", columns="qid=stamp,sample=view,docno=offer,rank=slot,group=seller", order="rank",
                    samples=True)  # fmt: skip
    np.testing.assert_allclose(both, [np.mean(wanted)], rtol=1e-15)


def test_a_query_with_blanks_has_samples_too(tmp_path):
    path = tmp_path / "asked.csv"
    path.write_text("query,impression_id,docno,score\nred shoes,i 1,x,2\nred shoes,i 2,y,2\n")
    scores = fairtrec.evaluate("AWRF@1", path, labels={"x": "f", "y": "m"}, samples=True).scores[0]
    assert scores.qids == ("red shoes",)


def test_samples_of_a_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["q"] * 2, "sample": ["1", "2"], "docno": ["x", "y"], "score": [1.0, 1.0]})
    result = fairtrec.evaluate("EED@1", frame, samples=True, labels={"x": "f", "y": "m"})
    np.testing.assert_allclose(result.scores[0].values, [[0.5]], rtol=1e-15)  # each group has half of the exposure


def test_clusters_and_slices_are_columns(views):
    columns = f"{ROLES},group=seller,cluster=who,slice=stamp"
    result = fairtrec.evaluate("AWRF@3", "views.csv", columns=columns, order="rank")
    assert (result.clusters, result.slices) == ({"v1": "ann", "v2": "ben"}, {"1": ("v1",), "2": ("v2",)})
    assert result.signature["columns"] == columns


def test_several_runs_are_put_together(views, wanted):
    Path("more.csv").write_text("view;offer;slot;seller\nv1;q;1;f\n")
    result = fairtrec.evaluate("AWRF@3", ["views.csv", "more.csv"], columns=f"{ROLES},group=seller", order="rank")
    assert result.scores[0].values[0].tolist() == wanted
    assert "members" in result.signature
    Path("more.csv").write_text("view;offer;slot;seller\nv1;x;1;m\n")
    with pytest.raises(InputError, match=r"^more\.csv:2: document x has two labels, f and m; keep one"):
        fairtrec.evaluate("AWRF@3", ["views.csv", "more.csv"], columns=f"{ROLES},group=seller", order="rank")


@pytest.mark.parametrize("how", ["group=seller", "labels"])
def test_the_order_of_rows_and_repeated_labels_do_nothing(views, wanted, how):
    head, *lines = VIEWS.splitlines()
    Path("views.csv").write_text("\n".join([head, *lines[::-1]]))
    given = {"columns": f"{ROLES},{how}"} if how != "labels" else {"columns": ROLES, "labels": "views.csv:seller"}
    result = fairtrec.evaluate("AWRF@3", "views.csv", order="rank", **given)
    assert sorted(result.scores[0].values[0].tolist()) == sorted(wanted)
    assert not [note for note in result.notes if "repeated" in str(note)]


def test_a_list_in_a_cell_is_one_label(tmp_path):
    path = tmp_path / "log.jsonl"
    row = {"qid": "q", "docno": "x", "score": 2, "of": ["f", "m"]}
    path.write_text("\n".join(map(json.dumps, [row, row | {"qid": "r"}, row | {"docno": "y", "of": ["f"]}])))
    assert fairtrec.evaluate("AWRF@1", path, columns="group=of").groups["f"]["documents"] == 2
    path.write_text("\n".join(map(json.dumps, [row, row | {"qid": "r", "of": ["f"]}])))
    with pytest.raises(InputError, match=r"jsonl:2: document x has two labels, f\+m and f \(first on line 1\)"):
        fairtrec.evaluate("AWRF@1", path, columns="group=of")


FAULTS = [
    ("--columns quid=x", 2, "there is no role 'quid'; write ROLE=COLUMN, with a role of qid (query), docno (document), rank, score, sample, gro"),
    ("--columns qid=view,slice=view", 2, "the column view has two roles, qid and slice; choose one"),
    ("--columns qid", 2, "qid has no column; write qid=COLUMN"),
    ("--columns qid=view,qid=who", 2, "qid has two columns, view and who; choose one"),
    ("--columns qid=-,cluster=who", 2, "qid=- makes one query of all rows, which has no cluster"),
    (f"--columns {ROLES},group=seller --labels views.csv:seller", 2, "group= of --columns and --labels both give groups"),
    (f"--columns {ROLES},cluster=who,group=seller", 2, "cluster= is about intervals; add --confidence 0.95"),
    (f"--columns {ROLES},slice=who,group=seller --slice s.tsv", 2, "slice= of --columns and --slice both give slices"),
    ("--columns qid=nosuch,docno=offer --labels l.tsv", 3,
     "views.csv:1: there is no column nosuch; there are stamp, view, who, offer, slot, seller"),
    (f"--columns {ROLES},group=who", 3, "views.csv:5: document y has two labels, ann and ben (first on line 3); keep one"),
    (f"--columns {ROLES},slice=seller --labels l.tsv", 3, "query v1 has two slices, f and m (first on line 2); keep one"),
    (f"--columns {ROLES} --labels l.tsv", 3,
     "views.csv has ranks and no score; add --order position, which keeps them, or --order rank, which counts 1, 2, 3"),
    ("--columns qid=stamp,docno=offer,rank=slot --labels l.tsv --samples", 3,
     "sample_id, impression_id, session_id, request_id, but stamp, view, who, offer, slot, seller; name it with --columns s"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "code", "said"), FAULTS)
def test_what_does_not_fit_is_one_line_with_the_way_out(views, fairtrec_command, options, code, said):
    Path("l.tsv").write_text("x\tf\ny\tm\n")
    Path("s.tsv").write_text("v1\tone\nv2\tone\n")
    order = [] if "order position" in said or "nosuch" in options else ["--order", "rank"]
    done = fairtrec_command("eval", "none", "views.csv", "-m", "AWRF@3", *order, *options.split())
    assert (done.code, said in done.err, done.out) == (code, True, ""), done.err


NAMED = "but stamp, view, who, offer, slot, seller; name them with --columns qid=COLUMN,docno=COLUMN, or qid=- if all rows are one ranking\n"
UNKNOWN = {
    "semicolons": (VIEWS, "", NAMED),
    "commas": (VIEWS.replace(";", ","), "", NAMED),
    "tabs": (VIEWS.replace(";", "\t"), "", NAMED),
    "JSON lines": (json.dumps(dict(zip(VIEWS.partition("\n")[0].split(";"), "111111", strict=True))), "", NAMED),
    "said to be a table": (VIEWS, "--run-format table", NAMED),
    "one of two": (VIEWS.replace("offer", "docno"), "", "name it with --columns qid=COLUMN, or qid=- if all rows are one ranking\n"),
    "another of two": (VIEWS.replace("view", "qid"), "--run-format table", "name it with --columns docno=COLUMN\n"),
    "no score": (VIEWS, "--columns qid=view,docno=offer", "name it with --columns score=COLUMN, or rank=COLUMN and --order rank\n"),
    "six columns": ("a\tb\tc\td\te\tf\n1\t2\t3\t4\t\t6\n", "", "docno=COLUMN, or qid=- if all rows are one ranking\n"),
    "numbers": ("1;2;x\n", "", "semicolons between cells; write a first line with names, or separate by tabs\n"),
    "a name twice": ("a,a,b\n", "", "1 column instead of 6; write each line as: qid Q0 docno rank score tag\n"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_table_of_unknown_names_is_told_how_to_name_them(views, fairtrec_command, case):
    Path("l.tsv").write_text("x\tf\ny\tm\n")
    text, options, said = UNKNOWN[case]
    Path("views.csv").write_text(text)
    done = fairtrec_command("eval", "none", "views.csv", "-m", "AWRF@3", "--labels", "l.tsv", *options.split())
    place = "views.csv:1: " if case not in ("another of two", "no score") else "views.csv: "
    assert (done.code, done.err.startswith(place), done.err.endswith(said)) == (3, True, True), done.err


def test_what_needs_groups_is_told_of_the_columns_of_the_table(views, fairtrec_command):
    own = "or --columns group=COLUMN (views.csv has stamp, view, who, offer, slot, seller)\n"
    for measures, said in (((), "there is nothing to measure; pass"), (("-m", "AWRF@3"), "AWRF@3 needs group labels;")):
        done = fairtrec_command("eval", "none", "views.csv", *measures)
        assert (done.code, done.err.startswith(said), done.err.endswith(own)) == (2, True, True), done.err
        Path("a.jsonl").write_text('{"view": 1, "offer": "x"}\n')
        done = fairtrec_command("eval", "none", "a.jsonl", "views.csv", *measures)
        assert done.err.endswith("(a.jsonl has view, offer)\n")
        Path("x.run").write_text("q Q0 x 1 3 t\n")
        assert "--columns" not in fairtrec_command("eval", "none", "x.run", *measures).err


OWN_NAMES = {
    "an empty document": ("v1;x;1;3", "v1;;1;3", "rank", "views.csv:2: the column offer of the run has an empty id; fill it"),
    "an empty query": ("v1;x;1;3", ";x;1;3", "rank", "views.csv:2: the column view of the run has an empty id; fill it"),
    "a position of 1.5": ("y;2", "y;1.5", "position", "views.csv:3: the column slot of the run is not an integer everywhere"),
    "a rank that is a word": ("y;2", "y;two", "rank", "views.csv:3: the slot 'two' is not a finite number; correct it"),
    "a decimal comma": ("x;1;3", "x;1;0,83", "score", "views.csv:2: the points '0,83' has a comma; write numbers with a dec"),
    "an empty rank": ("y;2", "y;", "rank", "views.csv:3: the slot is empty; fill it, or leave out the row\n"),
    "thousands": ("x;1;3", "x;1;-1,200,000", "score", "views.csv:2: the points '-1,200,000' has a comma; write numbers wi"),
    "other commas": ("x;1;3", "x;1;1,,2", "score", "views.csv:2: the points '1,,2' is not a finite number; correct it"),
}  # fmt: skip


@pytest.mark.parametrize("case", OWN_NAMES)
def test_messages_name_columns_as_they_stand_in_the_file(views, fairtrec_command, case):
    one, other, order, said = OWN_NAMES[case]
    Path("views.csv").write_text("view;offer;slot;points\nv1;x;1;3\nv1;y;2;4\n".replace(one, other))
    Path("l.tsv").write_text("x\tf\ny\tm\n")
    given = ["-m", "AWRF@2", "--labels", "l.tsv", "--order", order, "--columns", f"{ROLES},score=points"]
    done = fairtrec_command("eval", "none", "views.csv", *given)
    assert (done.code, done.err.startswith(said), done.err.count("\n")) == (3, True, 1), done.err


def test_a_name_of_a_column_may_have_a_comma(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text('"item, shown";points;"Sex, self-reported"\na;3;f\nb;2;m\n')
    columns = "qid=-,docno=item, shown,score=points,group=Sex, self-reported"
    scores = fairtrec.evaluate("AWRF@2", path, columns=columns).scores[0]
    assert (scores.values.tolist(), parse_columns(columns)["docno"]) == ([[1.0]], "item, shown")


def test_messages_about_labels_name_the_column_of_documents(views, fairtrec_command):
    Path("people.csv").write_text("offer,sex,age\nx,f,2\n,m,3\n")
    given = ["eval", "none", "views.csv", "-m", "AWRF@3", "--columns", ROLES, "--order", "rank", "--labels"]
    said = "people.csv:3: this label has no offer; write it as text, or leave out the line\n"
    assert fairtrec_command(*given, "people.csv:sex").err == said
    Path("people.csv").write_text('offer,sex,age\nx,f,2\ny,m,"3,5"\n')
    assert "people.csv:3: the label '3,5' has a comma; write" in fairtrec_command(*given, "people.csv:age:1,2").err


def test_labels_of_other_names_are_told_how_to_name_them(views, fairtrec_command):
    Path("people.csv").write_text("offer,sex,race\nx,f,b\ny,m,w\n")
    given = ["eval", "none", "views.csv", "-m", "AWRF@3", "--order", "rank"]
    for labels, columns, said in (
        ("people.csv:sex", "rank=slot", "or the like, but offer, sex, race; name it with --columns docno=COLUMN\n"),
        ("people.csv:sex", "docno=offers", "people.csv:1: there is no column offers; there are offer, sex, race\n"),
        ("people.csv:sex,race", "docno=offer", "race; pass each column as --labels NAME=FILE:COLUMN\n"),
        ("people.csv:sex", "docno=1", "people.csv:1: there is no column 1; there are offer, sex, race\n"),
        ("people.csv", "docno=offer", "separate them by tabs, or, if these are names, choose one: people.csv:race\n"),
    ):
        done = fairtrec_command(*given, "--labels", labels, "--columns", columns)
        assert (done.code, done.err.startswith("people.csv:1: "), done.err.endswith(said)) == (3, True, True), done.err


def test_a_trec_file_is_no_table(views, fairtrec_command):
    Path("x.run").write_text("q Q0 x 1 3 t\nq Q0 y 2 2 t\n")
    Path("l.tsv").write_text("x\tf\ny\tm\n")
    for columns in ("qid=view", "group=seller"):
        more = [] if "group" in columns else ["--labels", "l.tsv"]
        done = fairtrec_command("eval", "none", "x.run", "-m", "AWRF@3", "--columns", columns, *more)
        assert (done.code, done.err) == (2, "--columns is for tables; x.run is a TREC run\n")
    with pytest.raises(UsageError, match="columns is for files and frames, and run is neither"):
        value_of(RUN, labels=LABELS, columns="qid=view")
    Path("one.json").write_text(json.dumps(RUN))
    with pytest.raises(UsageError, match=r"columns= is for tables; one\.json is one JSON object"):
        value_of("one.json", labels=LABELS, columns="qid=view", run_format="json")


def test_a_background_keeps_its_own_form(views):
    Path("bg.run").write_text("v1 Q0 x 1 3 t\nv1 Q0 y 2 2 t\nv2 Q0 y 1 3 t\nv2 Q0 x 2 2 t\n")
    result = fairtrec.evaluate("AWRF@3", "views.csv", columns=f"{ROLES},group=seller", order="rank", background="bg.run",
                               target="background")  # fmt: skip
    np.testing.assert_array_less(0.5, result.scores[0].values)


@pytest.mark.parametrize("line", re.findall(r"^fairtrec (.*views\.csv.*)$", PAGE.read_text(), re.MULTILINE))
def test_commands_of_the_page_run(views, fairtrec_command, line):
    Path("views.csv").write_text("view,query,offer,slot,seller\nv1,q,x,1,f\nv1,q,y,2,m\nv2,q,y,1,m\n")
    done = fairtrec_command(*line.split())
    assert done.code == 0, done.err


def test_the_log_of_the_study_has_its_figures(fairtrec_command):
    if not (AUDIT / "log.csv").is_file():
        pytest.skip("the study of audits is not beside this repository")
    given = ["--columns", "group=provider_group", "--order", "rank", "--pool", "even", "-m", "Exposure(group=local)@5"]
    done = fairtrec_command("eval", "none", AUDIT / "log.csv", *given)
    assert "Exposure(group='local')@5\tpooled\t-0.0559\n" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    gather_trials(
        "REFUSED_ROLES",
        [("validate views.csv --columns group=seller", "validate has no labels; leave out group= of --columns")],
    ),
)
def test_a_role_that_a_command_has_no_option_for_is_refused(views, fairtrec_command, words, said):
    done = fairtrec_command(*words.split())
    assert (done.code, said in done.err, done.out) == (2, True, ""), done.err


def test_slices_of_a_column_are_compared(views, fairtrec_command):
    Path("other.csv").write_text(VIEWS.replace(";1;f", ";9;f"))
    given = ["--columns", f"{ROLES},group=seller,slice=stamp", "--order", "rank", "-m", "AWRF@1"]
    for name, form in (("compare", "tsv"), ("correlate", "tsv")):
        more = ["AWRF@1 NDKL@2"] if name == "correlate" else []
        done = fairtrec_command(name, "none", "views.csv", "other.csv", *given[:-1], *(more or given[-1:]), "-f", form)
        assert (done.code, "slice" in done.out) == (0, True), done.err
    done = fairtrec_command("check", "none", "views.csv", *given[:-2], "--require", "worst slice AWRF@1 >= 0.9")
    assert (done.code, "in 1" in done.out or "in 2" in done.out) == (1, True), done.out + done.err


def test_slices_of_a_column_are_compared_with_the_first(shared, fairtrec_command):
    log = shared / "specs" / "audit" / "log.csv"
    if not log.is_file():
        pytest.skip(f"needs {log}")
    given = ["--columns", "group=provider_group,cluster=user_id,slice=day", "--order", "position", "--pool", "even",
             "--confidence", "0.95", "--against", "first", "-m", "Exposure(group=local)@5", "-f", "json"]  # fmt: skip
    done = fairtrec_command("eval", "none", log, *given)
    assert done.code == 0, done.err
    for digits in ("-0.305245462", "-0.485561813", "-0.124929112"):  # another program's
        assert digits in done.out
    done = fairtrec_command("eval", "none", log, *[word.replace(",slice=day", "") for word in given])
    assert (done.code, done.err) == (2, "--against needs --slice; add --slice FILE, or leave it out\n")
