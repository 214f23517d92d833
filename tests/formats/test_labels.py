"""Labels, stances and targets from files and objects, and what measures see of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given as law
from hypothesis import strategies as st
from pyarrow import parquet

import fairtrec
from fairtrec.data import Docnos, Labels, look_up, product
from fairtrec.formats import labels, stance_table, tsv
from fairtrec.formulas.neutrality import membership
from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts

NAN = float("nan")


def table(read: Labels) -> dict[str, list[float]]:
    return {name.decode(): row for name, row in zip(read.rows.names, read.weights.tolist(), strict=True)}


def same(found: dict, wanted: dict) -> None:
    assert found.keys() == wanted.keys()
    for name, row in wanted.items():
        np.testing.assert_array_equal(found[name], row)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("d1\tb\nd2\ta\n", {"d1": [0, 1], "d2": [1, 0]}),
        ("d1\tb\t.25\nd1\ta\t.75\nd2\t?\t1\n", {"d1": [0.75, 0.25], "d2": [NAN, NAN]}),
        ("q\td1\tb\nq\td2\ta\n", {"q d1": [0, 1], "q d2": [1, 0]}),
        ("q\td1\tb\t.5\nr\td1\ta\t1\n", {"q d1": [0, 0.5], "r d1": [1, 0]}),
        ("# what\ngroup\tdocno\nb\td1\na\td2\n", {"d1": [0, 1], "d2": [1, 0]}),
        ("qid\tdocno\tgroup\n7\td1\t2\n7\td2\t1\n", {"7 d1": [0, 1], "7 d2": [1, 0]}),
        (
            '{"docno": "d1", "group": "b"}\n{"docno": "d2", "group": "a", "weight": 0.5}\n',
            {"d1": [0, 1], "d2": [0.5, 0]},
        ),
        ("d1\tnorth east\nd2\ta\n", {"d1": [0, 1], "d2": [1, 0]}),
    ],
)
def test_a_file_of_labels(tmp_path, text, wanted):
    (tmp_path / "l.tsv").write_text(text)
    same(table(labels.read(tmp_path / "l.tsv")), wanted)


def test_a_parquet_file_of_labels(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(
        pa.table({"docno": ["d1", "d2"], "group": ["b", "a"], "weight": [1.0, None]}), tmp_path / "l.parquet"
    )
    same(table(labels.read(tmp_path / "l.parquet")), {"d1": [0, 1], "d2": [1, 0]})


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("d1\ta\t1\nd1\tb\t1.5\n", 2, "the weight 1.5 of d1 is not between 0 and 1"),
        ("d1\ta\t1\nd2\tb\t-0.5\n", 2, "the weight -0.5 of d2 is not between 0 and 1"),
        ("d1\ta\t1\nd2\tb\tnan\n", 2, "the weight 'nan' is not a number"),
        ("d1\ta\t1\nd1\ta\t.5\n", 2, "document d1 has the label a twice, with other weights"),
        ("d1\ta\nd2\n", 2, "1 column instead of the 2 of the first line"),
        ("d1 a\n", 1, "1 column instead of docno and group"),
        ("d1\ta\n\tb\n", 2, "this label has no docno"),
        ("d1\ta\nd2\tb\nd3\tb\t.5\n", 3, "weights need a column in every line; write: docno group weight"),
        ("q1\t0\td1\t1\n", 1, "qid 0 docno group, or qid docno group weight? write a first line with names"),
        ("d1;a\nd2;b\n", 1, "semicolons between cells; write a first line with names, or separate by tabs"),
        ('{"docno": "d1", "group": "b"}\n{"docno"\n', 2, "this line is not JSON"),
        ('{"docno": "d1", "group": "b"}\n[1]\n', 2, "the line is not an object"),
        ("d1\ta\nd2\ta\n", None, "these labels have fewer than two groups"),
    ],
)
def test_bad_labels_name_the_line(tmp_path, text, line, what):
    (tmp_path / "l.tsv").write_text(text)
    with pytest.raises(InputError) as fault:
        labels.read(tmp_path / "l.tsv")
    place = f"{tmp_path / 'l.tsv'}: " if line is None else f"{tmp_path / 'l.tsv'}:{line}: "
    assert str(fault.value).startswith(place + what)


@pytest.mark.parametrize(
    ("text", "wanted", "per_query"),
    [
        ("d1\t.5\nd2\t-1\n", {"d1": [0.5], "d2": [-1]}, False),
        ("q\td1\t.5\nq\td2\t0\n", {"q d1": [0.5], "q d2": [0]}, True),
        ("qid\tdocno\tx\n1\t7\t.5\n", {"1 7": [0.5]}, True),
        ("docno\tx\ty\n7\t.5\t1\n", {"7": [0.5, 1]}, False),
    ],
)
def test_a_file_of_stances(tmp_path, text, wanted, per_query):
    (tmp_path / "p.tsv").write_text(text)
    read = stance_table.read(tmp_path / "p.tsv")
    assert read.per_query is per_query
    same({name.decode(): row for name, row in zip(read.rows.names, read.values.tolist(), strict=True)}, wanted)


CELLS = ["d1", "d2", "7", "8.5", "-.5", "1e2", "+3", "nan", "1_0", "", " d1", "#b", "é", "１", "d\x1f", "a\v"]
CELLS += ['"d"', "q 1", "\x85", "\xa0d1", "d\u3000", "d\u2028e"]
ENDS = ["\n", "\n", "\n", "\r\n", "\n\n", "\n# a note\n", "\n# made | sign:arbitrary\n", "\n#\td9\n"]
HEADS = [
    "",
    "docno\tx\n",
    "x\tdocno\n",
    "qid\tdocno\tx\ty\n",
    "docno,x\n",
    "# note\ttab | sign:arbitrary\n",
    "docno\tx\n# b\n",
]


@law(st.data())
def test_large_tables_of_stances_are_read_as_small_ones(tmp_path_factory, data):
    """By columns what is plain, and row by row; an error is the same, too."""
    width = data.draw(st.integers(2, 4))
    usual = [f"d{n}\t{n / 7}" if width == 2 else f"q\td{n}" + f"\t{n / 7}" * (width - 2) for n in range(9)]
    odd = st.lists(st.sampled_from(CELLS), min_size=width, max_size=width).map("\t".join)
    rows = data.draw(st.lists(st.one_of(st.sampled_from(usual), st.sampled_from(usual), odd), max_size=6, unique=True))
    ends = [data.draw(st.sampled_from(ENDS)) for _ in rows] if data.draw(st.booleans()) else ["\n"] * len(rows)
    path = tmp_path_factory.mktemp("stances") / "p.tsv"
    path.write_text(data.draw(st.sampled_from(HEADS)) + "".join(map("".join, zip(rows, ends, strict=True))), newline="")

    def read(large):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stance_table, "LARGE_FILE", large)
            try:
                found = stance_table.read(path)
            except InputError as fault:
                return str(fault)
        return found.rows.names.tolist(), found.values.tobytes(), found.values.shape, found.per_query, found.pointed

    assert read(0) == read(1 << 30)


@pytest.mark.skipif(extension is None, reason="this package was built without a compiler")
@pytest.mark.parametrize("keys", ["d{}", "q{}\td"])
def test_a_plain_table_of_stances_is_not_read_by_rows(tmp_path, monkeypatch, keys):
    rows = "".join(f"{keys.format(n)}\t{n / 7}\n" for n in range(99))
    (tmp_path / "p.tsv").write_text(f"# a note\n{rows}\n\n{keys.format('é')}\t1.5\n# made | sign:arbitrary\n\n")
    monkeypatch.setattr(stance_table, "LARGE_FILE", 0)
    monkeypatch.setattr(stance_table.named_tables, "refuse_widths", None)
    read = stance_table.read(tmp_path / "p.tsv")
    assert sorted(read.values.ravel()) == sorted([*(n / 7 for n in range(99)), 1.5])
    assert not read.pointed


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("d1\t.5\nd2\tnan\n", 2, "a stance of d2 is not a finite number"),
        ("d1\t.5\nd2\tinf\n", 2, "a stance of d2 is not a finite number"),
        ("d1\t.5\nd2\n", 2, "1 column; write docno"),
        ("d1\t.5\nd1\t.5\n", 2, "document d1 has two stances"),
        ("7\t8\t.5\n", 1, "is column 2 a docno or a stance?"),
        ("docno\tx\n", None, "this file has no stances"),
    ],
)
def test_bad_stances_name_the_line(tmp_path, text, line, what):
    (tmp_path / "p.tsv").write_text(text)
    with pytest.raises(InputError) as fault:
        stance_table.read(tmp_path / "p.tsv")
    place = f"{tmp_path / 'p.tsv'}: " if line is None else f"{tmp_path / 'p.tsv'}:{line}: "
    assert str(fault.value).startswith(place + what)


def test_targets_per_query(tmp_path):
    (tmp_path / "t.tsv").write_text("q1\tm\t.25\nq1\tf\t.75\nq2\tm\t1\n")
    read = tsv.targets(tmp_path / "t.tsv", ("f", "m"))
    assert {qid: shares.tolist() for qid, shares in read.items()} == {"q1": [0.75, 0.25], "q2": [0, 1]}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("q1\tm\t.5\n", 1, "the shares of query q1 sum to 0.5"),
        ("q1\tx\t1\n", 1, "there is no group 'x'; the groups are f, m"),
        ("q1\tm\tmany\n", 1, "the share 'many' is not a number"),
        ("q1\tm\t.5\nq1\tm\t.5\n", 2, "query q1 has the group m twice"),
        ("q1\tm\t.5\nm\t.5\n", 2, "2 columns instead of two or three"),
        (
            "m\t.5\nf\t.49998\n",
            1,
            "the shares sum to 0.99998; .*; if these are counts, add a first line: group count",
        ),
        ("group\tcount\nm\t3\nf\t-1\n", 2, "the shares sum to 2; they must be 0 or more"),
        ("group\tshare\n", None, "this target has no group"),
    ],
)
def test_bad_targets_name_the_line(tmp_path, text, line, what):
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(InputError, match=f"t.tsv:{line}: {what}" if line else what):
        tsv.targets(tmp_path / "t.tsv", ("f", "m"))


def test_rules_that_make_members_of_counts():
    counts = np.array([[3.0, 1.0], [2.0, 2.0], [0.0, 0.0], [NAN, NAN]])
    np.testing.assert_array_equal(membership(counts, "share"), [[0.75, 0.25], [0.5, 0.5], [0, 0], [NAN, NAN]])
    np.testing.assert_array_equal(membership(counts, "majority"), [[1, 0], [0, 0], [0, 0], [NAN, NAN]])
    np.testing.assert_array_equal(membership(counts, "any"), [[1, 1], [1, 1], [0, 0], [NAN, NAN]])


def labeled(rows: dict[str, list[float]], groups: tuple[str, ...], *, per_query: bool = False) -> Labels:
    names = np.array([name.encode() for name in rows])
    docnos = Docnos.collect(names)
    weights = np.empty((len(rows), len(groups)))
    weights[docnos.rows(names)] = list(rows.values())
    return Labels("made", groups, docnos, weights, per_query)


def test_labels_per_query_are_looked_up_for_their_query():
    given = labeled({"q d": [1, 0], "r d": [0, 1]}, ("a", "b"), per_query=True)
    found = look_up(given, ["r", "q", "s"], np.array([b"d"]), np.array([[0, -1], [0, -1], [0, -1]]))
    np.testing.assert_array_equal(found[:, 0], [[0, 1], [1, 0], [NAN, NAN]])
    assert np.isnan(found[:, 1]).all()


def test_crossing_two_attributes_multiplies_the_weights():
    gender = labeled({"d1": [1, 0], "d2": [0.5, 0.5]}, ("f", "m"))
    place = labeled({"d1": [0, 1], "d2": [1, 0], "d3": [1, 0]}, ("n", "s"))
    crossed = product(gender, place)
    assert crossed.groups == ("f*n", "f*s", "m*n", "m*s")
    same(table(crossed), {"d1": [0, 1, 0, 0], "d2": [0.5, 0, 0.5, 0], "d3": [NAN] * 4})


RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}


def value(measure: str, **given) -> float:
    return fairtrec.evaluate(measure, RUN, **given).means["run"][measure]


def test_hard_labels_stand_for_counts():
    # omega(tau=0): 0 0 1; FaiRR@3 = 1 / log2(4) = .5
    assert value("FaiRR(tau=0)@3", labels={"d1": "a", "d2": "b", "d3": ["a", "b"]}) == pytest.approx(0.5)


def test_soft_labels_do_not():
    with pytest.raises(UsageError, match="whole labels"):
        value("FaiRR(tau=0)@3", labels={"d1": {"a": 0.5}, "d2": "b"})


def test_labels_and_words_exclude_each_other():
    with pytest.raises(UsageError, match="both labels and words"):
        value("KL@3", labels={"d1": "a", "d2": "b"}, terms={"f": ["she"], "m": ["he"]}, docs={})


def test_subtopics_of_the_qrels_are_labels(tmp_path):
    qrels = tmp_path / "q.txt"
    qrels.write_text("q1 1 d1 1\nq1 2 d2 1\nq1 1 d3 0\n")
    # d1 is of topic 1, d2 of topic 2, d3 of neither: shares even, KL 0
    assert value("KL@3", qrels=str(qrels), labels="qrels") == pytest.approx(0)


def test_even_is_over_the_subtopics_of_the_query(tmp_path):
    """Two of the file's eight subtopics are the query's; its ranking alternates between them perfectly."""
    qrels = tmp_path / "q.txt"
    others = "".join(f"q2 {topic} e{topic} 1\n" for topic in range(1, 9))
    qrels.write_text("q1 7 d1 1\nq1 8 d2 1\nq1 7 d3 1\nq1 8 d4 1\n" + others)
    run = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}
    own = tmp_path / "own.txt"
    own.write_text("q1 7 d1 1\nq1 8 d2 1\nq1 7 d3 1\nq1 8 d4 1\n")
    measures = ["FAIR@4", "KL@4", "DP@4", "ABR@4", "MinSkew@4", "AWRF@4"]
    result = fairtrec.evaluate(measures, run, qrels=str(qrels), labels="qrels")
    alone = fairtrec.evaluate(measures, run, qrels=str(own), labels="qrels")
    assert result.means["run"] == pytest.approx(alone.means["run"], nan_ok=False)
    assert result.means["run"]["FAIR@4"] == pytest.approx(0.798, abs=5e-4)
    assert result.means["run"]["KL@4"] == 0
    assert any("each query has its own subtopics" in note for note in texts(result.notes))


def test_groups_of_a_label_file_mean_the_same_in_every_query(tmp_path):
    labels = tmp_path / "l.tsv"
    labels.write_text("".join(f"q1\td{i}\t{'ab'[i % 2]}\t1\n" for i in range(4)) + "q2\td9\tc\t1\n")
    run = {"q1": {f"d{i}": 9.0 - i for i in range(4)}}
    result = fairtrec.evaluate(["KL@4"], run, labels=str(labels))
    assert result.means["run"]["KL@4"] == pytest.approx(np.log(3 / 2))  # shares 1/2, 1/2, 0 where 1/3 each is wanted
    assert "in 2 of 2 queries some group has no label; the target is even over all groups" in texts(result.notes)


@pytest.mark.parametrize(
    ("target", "kl"),
    [
        ("even", np.log(2)),  # shares (1, 0) against (.5, .5)
        ("collection", np.log(2)),  # d1 d2 a, d4 d5 b: (.5, .5)
        ("background", np.log(3 / 2)),  # d1 d2 d4: (2/3, 1/3)
        ("qrels", np.log(2)),  # d1 d4 are relevant: (.5, .5)
        ("relevance", np.log(4)),  # d1 of grade 1, d4 of grade 3: (1/4, 3/4)
        ({"a": 0.25, "b": 0.75}, np.log(4)),
    ],
)
def test_targets_of_labels(target, kl):
    found = value(
        "KL@2",
        qrels={"q1": {"d1": 1, "d4": 3, "d5": 0}},
        labels={"d1": "a", "d2": "a", "d4": "b", "d5": "b"},
        background={"q1": {"d1": 3.0, "d2": 2.0, "d4": 1.0}},
        target=target,
    )
    assert found == pytest.approx(kl)


@pytest.mark.parametrize(
    "given",
    [
        {"labels": {"d1": object(), "d2": "a"}},
        {"labels": {"d1": None, "d2": "a"}},
        {"labels": ["d1"]},
        {"labels": {"": "a", "d2": "b"}},
        {"stances": {"d1": [1, 2], "d2": [1]}},
        {"stances": {"d1": "left"}},
        {"stances": ["d1"]},
        {"terms": {"f": "she", "m": "he"}, "docs": {}},
        {"terms": ["she"], "docs": {}},
        {"terms": {"f": ["she"], "m": ["he"]}, "docs": 3},
        {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"d1": "", "d2": "", "d3": ""}, "queries": 3},
    ],
)
def test_objects_of_another_kind_are_refused_in_one_line(given):
    with pytest.raises(InputError) as fault:
        fairtrec.evaluate(None, RUN, **given)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("text", ["", "# nobody\n", "docno\tgroup\n"])
def test_a_file_without_labels_is_refused(text, tmp_path):
    (tmp_path / "none.tsv").write_text(text)
    with pytest.raises(InputError, match=r"none\.tsv: no document has a label; check that this is the right file"):
        labels.read(tmp_path / "none.tsv")


def test_labels_with_and_without_qid_do_not_mix(tmp_path):
    (tmp_path / "l.tsv").write_text("qid\tdocno\tgroup\nq\td1\ta\n\td2\tb\n")
    with pytest.raises(InputError, match="some labels have a qid"):
        labels.read(tmp_path / "l.tsv")


def test_a_target_s_group_stands_once_even_with_the_share_0(tmp_path):
    (tmp_path / "t.tsv").write_text("q1\tf\t0\nq1\tf\t.5\nq1\tm\t.5\n")
    with pytest.raises(InputError, match=r"t\.tsv:2: query q1 has the group f twice"):
        tsv.targets(tmp_path / "t.tsv", ("f", "m"))


def test_the_background_as_target_may_be_the_collection():
    found = value("KL@1", labels={"d1": "a", "d2": "a", "d4": "b"}, background="collection", target="background")
    assert found == pytest.approx(np.log(3 / 2))


def test_stances_of_another_collection_are_refused():
    with pytest.raises(InputError, match="the stances have none of its documents"):
        fairtrec.evaluate("DUO", RUN, stances={"x": 1, "y": 2})


def test_a_measure_for_each_group_without_groups_says_what_it_needs():
    with pytest.raises(UsageError, match="needs group labels"):
        value("Skew@2")


def test_there_is_no_worst_member_of_a_group(tmp_path):
    (tmp_path / "counts.tsv").write_text("docno\ttokens\tf\tm\nd1\t9\t1\t0\n")
    words = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"d1": "she"}}
    for given in (words, {"counts": tmp_path / "counts.tsv"}):
        with pytest.raises(UsageError, match="AWRF@2 has no worst document"):
            value("AWRF@2", **given, missing="worst")
        with pytest.raises(UsageError, match="AWRF@2 has no bounds for missing texts"):
            value("AWRF@2", **given, bounds="texts")


def test_what_is_known_of_the_ranks_is_said():
    result = fairtrec.evaluate("KL@2", RUN, labels={"d1": "a", "d9": "b"})
    assert tuple(map(str, result.scores[0].notes)) == ("of 2 documents in the measured ranks, 1 has a label",)


def test_labels_of_no_document_of_the_run_are_refused():
    with pytest.raises(InputError, match="none of its documents"):
        fairtrec.evaluate("KL@2", RUN, labels={"x1": "a", "x2": "b"})


def test_stances_of_objects():
    # two sides one after the other: as far apart as can be
    stances = {"d1": -1, "d2": -1, "d3": 1, "d4": 1}
    run = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}
    assert fairtrec.evaluate("DUO", run, stances=stances).means["run"]["DUO"] == pytest.approx(1)
    with pytest.raises(InputError, match="finite"):
        fairtrec.evaluate("DUO", run, stances={"d1": NAN})


def test_every_measure_runs_on_the_example(example, fairtrec_command):
    measures = (
        "FAIR@10 FAIR(gain=ndcg)@10 FAIR(gain=rbp)@10 FAIR(gain=err_ia)@10 FAIR(gain=nrbp)@10 FAIR(gain=ap)@10 KL@10 "
        "NDKL@10 nDRKL@10 Skew@10 MinSkew@10 MaxSkew@10 InfeasibleIndex@10 InfeasibleCount@10 rND rKL rRD DUO SignedDUO "
        "DUO_random AWRF@10 AWRFxnDCG@10 EED@10 EER@10 EEL@10 GFR@10 MaxShare@10 Groups@10 DP DTR DIR ABR InputBias OutputBias@10 "
        "RankingBias@10 MeanBias@10 MeanAbsoluteBias@10 nDCG@10"
    )
    given = ["--labels", f"{example}/labels.tsv", "--stances", f"{example}/stances.tsv"]
    runs = [f"{example}/{name}.run" for name in ("bm25", "neural", "fair")]
    ended = fairtrec_command(
        "eval", f"{example}/qrels.txt", *runs, *given, "--background", f"{example}/background.run", "-m", measures
    )
    assert ended.code == 0, ended.err
    lines = [line for line in ended.out.splitlines() if "\tall\t" in line]
    values = [line.split("\t") for line in lines if ".defined" not in line]
    assert len(values) == 3 * (3 + len(measures.split()) + 1)  # run, runid and num_q; and Skew of two groups
    assert not [row for row in values if row[2].strip() == "nan"]


def slip(tmp_path):
    """Labels of which one document of 301 has a group of its own by a slip."""
    path = tmp_path / "labels.tsv"
    lines = [f"d{i}\t{'FMN'[i % 3]}\n" for i in range(300)]
    path.write_text("".join(lines) + "d300\tbotrh\n")
    return path


def test_groups_are_named_with_their_sizes_and_targets(tmp_path):
    run = {"q1": {f"d{i}": 400.0 - i for i in range(301)}}
    result = fairtrec.evaluate("AWRF@10", run, labels=str(slip(tmp_path)))
    assert result.groups == {
        "F": {"documents": 100, "target": 0.25}, "M": {"documents": 100, "target": 0.25},
        "N": {"documents": 100, "target": 0.25}, "botrh": {"documents": 1, "target": 0.25},
    }  # fmt: skip
    assert "groups: F 100, M 100, N 100, botrh 1; target 0.25 each" in texts(result.notes)
    assert any(note.startswith("botrh has less than 1 % of the labels") for note in texts(result.notes))
    assert result.signature["members"] == "F 100, M 100, N 100, botrh 1"


def test_only_the_groups_that_are_asked_for(tmp_path):
    """The others are unknown, as if their labels were a question mark."""
    run = {"q1": {f"d{i}": 400.0 - i for i in range(301)}}
    path = slip(tmp_path)
    result = fairtrec.evaluate(["AWRF@10", "KL@10"], run, labels=str(path), groups="F,M")
    unknown = tmp_path / "unknown.tsv"
    unknown.write_text(path.read_text().replace("\tN\n", "\t?\n").replace("botrh", "?"))
    expected = fairtrec.evaluate(["AWRF@10", "KL@10"], run, labels=str(unknown))
    assert result.means == expected.means
    assert list(result.groups) == ["F", "M"]
    assert result.options["groups"] == "F,M"


@pytest.mark.parametrize(
    ("group", "message"),
    [("F,X", "has no group X; there are F, M, N, botrh"), ("F", "fewer than two"), ("F,F", "fewer than two different")],
)
def test_groups_that_there_are_not(group, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        fairtrec.evaluate("AWRF@10", {"q1": {"d1": 1.0}}, labels=str(slip(tmp_path)), groups=group)


def test_groups_are_of_labels():
    with pytest.raises(UsageError, match="groups= chooses groups of labels"):
        value("KL@3", groups="f,m", terms={"f": ["she"], "m": ["he"]}, docs={})


@pytest.mark.usefixtures("few_files")
def test_labels_of_a_parquet_file():
    parquet.write_table(pa.table({"docno": [b"d1", b"d2"], "group": ["b", "a"]}), "labels.parquet")
    assert labels.read("labels.parquet").groups == ("a", "b")
    Path("labels.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not a Parquet file"):
        labels.read("labels.parquet")


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "doc_id,year,age\n1,M,2\n": "the columns are doc_id, year, age; choose the one with the groups, like {}:year",
        'docno,title,all,gender,year\n1,"A, a",x,F,9\n2,B,x,M,8\n3,C,x,F,7\n': "the columns are docno, title, all, gender, year; "
        "choose the one with the groups, like {}:gender",
        "docno\ttitle\tgender\n1\tA\tF\n2\tB\tF\n3\tC\tM\n": "the columns are docno, title, gender; choose the one with "
        "the groups, like {}:gender",
        "docno\nd1\n": "the columns are docno; name them docno group",
        "docno\ttokens\tf\tm\nd1\t7\t0\t1\n": "this is a table of counts; add counts=",
    }.items(),
)
def test_a_table_of_other_columns_says_how_it_is_given(tmp_path, text, told):
    path = tmp_path / "l.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=f"l.csv:1: {told.format('.*l.csv')}"):
        labels.read(path)
