"""Runs in other forms give what the same TREC file gives, in every command, and are refused where they are broken."""

import bz2
import gzip
import io
import json
import lzma
import random
import shlex
import shutil
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import fairtrec
from fairtrec.commands.validate import run_check
from fairtrec.data import Run
from fairtrec.formats import memory, named_columns, named_runs, run, run_forms
from fairtrec.formats.frames import Frame
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import DOCUMENT, QUERY, SCORE
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.pages import shell_commands

ROWS = [
    ("q2", "d1", 1, 3.5),
    ("q2", "ü-long-docno", 2, 3.25),
    ("q2", "d9", 3, -1.0),
    ("q1", "d1", 1, 2.0),
    ("q1", "7", 2, 0.5),
]
TREC = "".join(f"{q} Q0 {d} {r} {s!r} mine\n" for q, d, r, s in ROWS)
MARCO = "".join(f"{q}\t{d}\t{r}\n" for q, d, r, _ in ROWS)
KEYS = ("qid", "docno", "rank", "score")
TABLE = pa.table({name: list(column) for name, column in zip(KEYS, zip(*ROWS, strict=True), strict=True)})


def lines(rows=ROWS, keys=KEYS, **more):
    return "".join(json.dumps({**dict(zip(keys, row, strict=True)), **more}) + "\n" for row in rows)


def as_parquet(table, path, **how):
    parquet.write_table(table, path, **how)
    return path


def written(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def alike(one: Run, other: Run):
    assert one.qids == other.qids
    assert (one.starts.tolist(), one.docnos.tolist()) == (other.starts.tolist(), other.docnos.tolist())
    return one.scores.tolist() == other.scores.tolist()


@pytest.fixture
def trec(tmp_path):
    return run.read(written(tmp_path / "a.run", TREC))


JSON = {
    "plain": lines(),
    "other keys": lines(keys=("query_id", "doc_id", "rank", "sim")),
    "more keys": lines(text='a {"b": [1]}', vector=[1, {}]),
    "blank lines": "\n" + lines().replace("\n", "\n\n"),
    "CR LF": lines().replace("\n", "\r\n"),
    "no end": lines().rstrip(),
    "a byte-order mark": "\ufeff" + lines(),
    "ids of several types": lines().replace('"7"', "7"),
    "whole scores": lines().replace("2.0", "2"),
    "another order of keys": "".join(json.dumps(dict(reversed([*zip(KEYS, row, strict=True)]))) + "\n" for row in ROWS),
    "without blanks": "".join(
        json.dumps(dict(zip(KEYS, row, strict=True)), separators=(",", ":")) + "\n" for row in ROWS
    ),
}


@pytest.mark.parametrize("text", JSON.values(), ids=JSON)
@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_json_lines_are_told_by_their_content(tmp_path, text, order):
    path, plain = written(tmp_path / "b", text), written(tmp_path / "a.run", TREC)
    got = run.read(path, order)
    assert alike(got, run.read(plain, order))
    assert (got.tag, alike(run.read(path, order, form="jsonl"), got)) == ("b", True)


PARQUETS = {
    "plain": (TABLE, {}),
    "dictionaries": (TABLE.set_column(0, "qid", TABLE["qid"].dictionary_encode()), {}),
    "no dictionaries": (TABLE, {"use_dictionary": False, "compression": "zstd"}),
    "row groups": (TABLE, {"row_group_size": 2}),
    "large strings": (TABLE.set_column(1, "docno", TABLE["docno"].cast(pa.large_string())), {}),
    "binary": (TABLE.set_column(1, "docno", TABLE["docno"].cast(pa.binary())), {}),
    "float32, and more columns": (TABLE.set_column(3, "score", TABLE["score"].cast(pa.float32())).append_column("v", [[[1]] * 5]), {}),
    "names of ranx": (TABLE.rename_columns(["q_id", "doc_id", "rank", "score"]), {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", PARQUETS)
def test_parquet_is_told_by_its_content(tmp_path, trec, kind):
    table, how = PARQUETS[kind]
    path = as_parquet(table, tmp_path / "b.run", **how)
    for form in ("auto", "parquet", "msmarco"):
        assert alike(run.read(path, form=form), trec)
    assert run.read(as_parquet(table.append_column("tag", [["my run"] * 5]), path)).tag == "my_run"


@pytest.mark.parametrize("text", [MARCO, MARCO.replace("\t", " "), MARCO.replace("\n", "\r\n")])
@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_ms_marco_is_read_where_it_is_said(tmp_path, trec, text, order):
    path = written(tmp_path / "b.tsv", text)
    got = run.read(path, order, form="msmarco")
    alike(got, trec)
    assert got.scores.tolist() == [-1, -2, -3, -1, -2]
    for form in ("auto", "trec"):
        with pytest.raises(InputError, match=r"b\.tsv:1: .*(run_format=msmarco|instead of 6)"):
            run.read(path, form=form)


FOUR = "".join(f"{q}\t{d}\t{r}\t{s!r}\n" for q, d, r, s in ROWS)


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_four_columns_are_read_where_it_is_said(tmp_path, trec, order):
    path = written(tmp_path / "b.tsv", FOUR)
    plain = run.read(tmp_path / "a.run", order)
    assert alike(run.read(path, order, form="4-columns"), plain)
    assert alike(run.read(tmp_path / "a.run", order, form="4-columns"), plain)  # of six is told by its content
    hint = r"b\.tsv:1: 4 columns instead of 6; if they are qid docno rank score, add run_format=4-columns"
    with pytest.raises(InputError, match=hint):
        run.read(path, order)
    with pytest.raises(InputError, match=r"b\.tsv:1: 4 columns instead of 6; write each line as"):
        run.read(written(path, "q1 0 d1 1\n"), order)  # of qrels nothing is guessed
    with pytest.raises(InputError, match=r"b\.tsv:2: 3 columns instead of 4"):
        run.read(written(path, "q1 d1 1 0.5\nq1 d2 2\n"), form="4-columns")


def test_a_large_run_of_ms_marco_goes_through_pyarrow(tmp_path):
    rows = [(f"q{query}", f"d{rank * 7}", rank) for query in range(40) for rank in range(1, 101)]
    path = written(tmp_path / "b.tsv", "".join(f"{q}\t{d}\t{r}\n" for q, d, r in rows))
    plain = written(tmp_path / "a.run", "".join(f"{q} Q0 {d} {r} {-r} t\n" for q, d, r in rows))
    assert alike(run.read(path, form="msmarco"), run.read(plain))


PACKED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "lz4": lambda data: pa.compress(data, "lz4", asbytes=True),
}


@pytest.mark.parametrize("kind", PACKED)
def test_other_forms_may_be_packed(tmp_path, trec, kind):
    assert alike(run.read(written(tmp_path / f"a.jsonl.{kind}", PACKED[kind](lines().encode()))), trec)
    got = run.read(written(tmp_path / f"a.tsv.{kind}", PACKED[kind](MARCO.encode())), form="msmarco")
    assert (got.tag, got.docnos.tolist()) == ("a.tsv", trec.docnos.tolist())


def test_a_trec_run_beside_one_of_ms_marco_needs_no_word(tmp_path, trec):
    plain = tmp_path / "a.run"
    assert alike(run.read(plain, form="msmarco"), trec)
    assert alike(run.read(written(tmp_path / "b.jsonl", lines()), form="msmarco"), trec)
    with pytest.raises(InputError, match=r"6 columns instead of 3|there is no such file"):
        run.read(tmp_path / "none", form="msmarco")


cells = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30)


@given(st.lists(st.tuples(st.sampled_from(["1", "q"]), cells | st.integers(0, 99), numbers), min_size=1, max_size=8,
                unique_by=lambda row: (row[0], str(row[1]))))  # fmt: skip
def test_laws_json_says_what_a_dict_says(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "laws.jsonl"
    path.write_text(lines(rows, ("qid", "docno", "score")), "utf-8")
    by_query = {}
    for qid, docno, score in rows:
        by_query.setdefault(qid, {})[str(docno)] = float(score)
    assert alike(run.read(path), memory.run(by_query, "r"))


@pytest.mark.long
@pytest.mark.parametrize("roles", [{}, {"qid": "query.id"}], ids=["by names", "by roles"])
def test_what_keys_hold_that_nobody_reads_is_let_go_line_by_line(tmp_path, roles):
    deep = json.loads("[" * 60 + "]" * 60)
    query = {"query": {"id": "q"}} if roles else {"qid": "q"}
    rows = [{**query, "docno": f"d{n}", "score": -n, "more": deep} for n in range(8000)]
    (tmp_path / "deep.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run.read(tmp_path / "deep.jsonl", roles=roles)  # what is imported is no part of it
    tracemalloc.start()
    try:
        found = run.read(tmp_path / "deep.jsonl", roles=roles)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.qids, len(found.docnos)) == (("q",), 8000)
    assert peak < 15 * (tmp_path / "deep.jsonl").stat().st_size  # to hold it all takes twice as much


def test_json_lines_in_many_blocks_may_differ_in_keys_and_types(tmp_path, monkeypatch):
    rows = [{"qid": query, "docno": f"d{rank}" if rank % 2 else rank, "score": -rank / 2 if rank % 3 else -rank}
            for query in range(1, 9) for rank in range(1, 31)]  # fmt: skip
    text = "".join(json.dumps({**row, "tag": "late"} if row["qid"] > 4 else row) + "\n" for row in rows)
    plain = "".join(f"{row['qid']} Q0 {row['docno']} 1 {row['score']} t\n" for row in rows)
    expected = run.read(written(tmp_path / "a.run", plain))
    whole = run.read(written(tmp_path / "b", text))
    monkeypatch.setattr(opening, "BLOCK", 500)
    parts = run.read(tmp_path / "b")
    assert alike(parts, expected)
    assert alike(whole, expected)
    wanted = named_columns.WantedColumns("run", (*QUERY, *DOCUMENT, *named_runs.TAG), SCORE, "score")
    with pytest.raises(InputError, match="the column tag of the run is null in 120 of 240 rows"):
        named_columns.read(tmp_path / "b", "jsonl", wanted)[0].ids(["tag"])
    assert (whole.tag, parts.tag) == ("b", "b")
    bad = text.replace('"score": -7.0', '"score": null', 1)
    with pytest.raises(InputError, match="b:14: the column score of the run is not a finite number"):
        run.read(written(tmp_path / "b", bad))


BAD = {
    "no object": (lines() + "[1]\n", r"b:6: the line is not an object; write it like"),
    "cut off": (lines() + '{"qid": "q1", "doc', r"b:6: this line is not JSON"),
    "no score": (lines() + '{"qid": "q1", "docno": "x"}\n', r"b:6: the column score of the run is not a finite number everywhere: 1 of 6"),
    "no docno": (lines() + '\n{"qid": "q1", "score": 1}\n', r"b:7: the column docno of the run is null in 1 of 6 rows"),
    "a word": (lines() + '{"qid": "q1", "docno": "x", "score": "high"}\n', r"b:6: the score 'high' is not a finite number"),
    "true": (lines() + '{"qid": "q1", "docno": "x", "score": true}\n', r"b:6: the score True is not a finite number"),
    "infinite": (lines() + '{"qid": "q1", "docno": "x", "score": Infinity}\n', r"b:6: the column score of the run is not a finite number"),
    "large": (lines() + '{"qid": "q1", "docno": "x", "score": 1%s}\n' % ("0" * 400), r"b:6: the column score of the run is not a finite number"),
    "a list": (lines() + '{"qid": "q1", "docno": ["x"], "score": 1}\n', r"b:6: the docno \['x'\] is neither text nor a whole number"),
    "NUL": (lines() + '{"qid": "q1", "docno": "\\u0000", "score": 1}\n', r"the column docno of the run has an id that is empty"),
    "twice": (lines() + lines(ROWS[:1]), r"b:6: document d1 appears twice under query q2 \(first on line 1\)"),
    "none of the columns": ('{"a": 1, "b": 2}\n', r"b:1: this run has none of the columns query_id, qid, q_id or the like, nor doc_id, .*, but a, b; name them"),
    "results of ours": ('{"run": "a", "measures": {"x": 1}}\n', r"b:1: this run has none of the columns query_id, .*, but run, measures; name them"),
    "a comment": ("# made today\n" + lines(), r"b:1: this line is not JSON"),
    "UTF-8": (lines().encode() + b'{"qid": "\xff"}', r"b:6: bytes that are not UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_json_lines_are_one_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        run.read(written(tmp_path / "b", text))


def test_bad_parquet_is_one_line(tmp_path):
    path = as_parquet(TABLE, tmp_path / "b")
    whole = path.read_bytes()
    for data in (whole[:-9], whole[:40], b"PAR1", b"PAR1" + b"\0" * 40 + b"PAR1"):
        with pytest.raises(InputError, match="not a Parquet file of a run"):
            run.read(written(path, data))
    as_parquet(TABLE.slice(0, 0), path)
    with pytest.raises(InputError, match="this run has no lines"):
        run.read(path)
    as_parquet(TABLE.drop_columns("score"), path)
    with pytest.raises(
        InputError, match="b has ranks and no score; add order=position, which keeps them, or order=rank"
    ):
        run.read(path)
    as_parquet(pa.concat_tables([TABLE, TABLE]), path)
    with pytest.raises(InputError, match=r"b:6: document d1 appears twice under query q2 \(first on line 1\)"):
        run.read(path)
    as_parquet(TABLE.set_column(3, "score", pa.array([1.0, None, 2, 3, 4])), path)
    with pytest.raises(InputError, match=r"b:2: the column score of the run is not a finite number"):
        run.read(path)


def test_what_else_could_rank_is_said(tmp_path):
    ranks = as_parquet(TABLE.drop_columns(["score"]), tmp_path / "ranks")
    with pytest.raises(
        InputError, match="ranks has ranks and no score; add order=position, which keeps them, or order=rank"
    ):
        run.read(ranks)
    assert run.read(ranks, "rank").qids == ("q2", "q1")
    texts = TABLE.set_column(3, "score", pa.array(["high"] * len(TABLE)))
    with pytest.raises(InputError, match=r"is not a finite number everywhere; correct it"):
        run.read(as_parquet(texts, tmp_path / "texts"))


def test_a_bomb_of_parquet_is_refused_before_it_goes_off(tmp_path):
    many = 2_200_000  # rows that are all alike take a few bytes
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(many, np.int8)), pa.array(["q"]))
    table = pa.table({"qid": column, "docno": column, "score": pa.array(np.zeros(many))})
    path = as_parquet(table, tmp_path / "bomb.parquet", row_group_size=many)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="more than 200 times as large when it is unpacked"):
        run.read(path)
    wide = pa.table({"qid": ["q"], "docno": ["x" * (1 << 24)], "score": [1.0]})
    with pytest.raises(InputError, match=r"200 times as large|exceeds 1024 bytes"):
        run.read(as_parquet(wide, path, compression="zstd"))


def test_ranks_that_nobody_asks_for_may_be_anything(tmp_path, fairtrec_command):
    path = written(tmp_path / "b", lines().replace('"rank": 2', '"rank": null'))
    assert alike(run.read(path), run.read(written(tmp_path / "a.run", TREC)))
    with pytest.raises(InputError, match="b:2: the column rank of the run is not a finite number everywhere: 2 of 5"):
        run.read(path, "rank")
    done = fairtrec_command("validate", path)
    assert (done.code, f"{path}:2: W605 the column rank of the run" in done.out) == (0, True)


def test_parquet_that_is_damaged_anywhere_is_refused_or_read(tmp_path):
    """A few of 12,000 corruptions, none of which ended in anything else."""
    draw = random.Random(5)
    path = as_parquet(pa.concat_tables([TABLE] * 9), tmp_path / "whole", row_group_size=20)
    whole = path.read_bytes()
    refused = []
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 2, 5])):
            data[draw.randrange(4, len(data))] = draw.randrange(256)
        try:
            run.read(written(tmp_path / "b", bytes(data)))
        except InputError as fault:
            refused.append(str(fault))
    assert len(refused) > 100
    assert "\n" not in "".join(refused)


def test_places_of_texts_that_are_not_there_are_refused():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), pa.array(["a"]), safe=False)
    with pytest.raises(InputError, match="the column docno of the run is damaged, or is not UTF-8"):
        Frame("run", pa.table({"docno": column})).ids(["docno"])


def test_several_rankings_come_from_trec_files_and_tables_with_their_column(tmp_path):
    for text, form, said in (
        (lines(), "auto", "but qid, docno, rank, score; name it with columns=sample=COLUMN"),
        (MARCO, "msmarco", "leave out samples="),
    ):
        with pytest.raises(InputError, match=said):
            run.read(written(tmp_path / "b", text), sampled=True, form=form)


def test_of_a_stream_the_form_must_be_said(tmp_path, monkeypatch, trec):
    for text, form in ((lines(), "jsonl"), (MARCO, "msmarco"), (TREC, "auto")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        alike(run.read("-", form=form), trec)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines().encode())))
    with pytest.raises(InputError, match="-:1: "):
        run.read("-")
    with pytest.raises(InputError, match=r"-: Parquet cannot be read from a stream; pass a file"):
        run.read("-", form="parquet")


# -- every command


@pytest.fixture
def desk(tmp_path, example, monkeypatch):
    """The example's runs, each in another form, under the names of the TREC files and with a letter before."""
    for name in ("qrels.txt", "collection.tsv", "background.run", "labels.tsv", "bm25.run", "neural.run", "fair.run"):
        shutil.copy(example / name, tmp_path)
    rows = {
        name: [line.split() for line in (tmp_path / f"{name}.run").read_text().splitlines()]
        for name in ("bm25", "neural", "fair")
    }
    (tmp_path / "marco").mkdir()
    (tmp_path / "forms").mkdir()
    for name, of in rows.items():
        (tmp_path / "marco" / f"{name}.run").write_text("".join(f"{q}\t{d}\t{r}\n" for q, _, d, r, _, _ in of))
    table = {name: [*zip(*rows["bm25"], strict=True)][at] for at, name in ((0, "qid"), (2, "docno"), (4, "score"))}
    as_parquet(pa.table({**table, "score": [*map(float, table["score"])]}), tmp_path / "forms" / "bm25.run")
    text = lines([(q, d, int(r), float(s)) for q, _, d, r, s, _ in rows["neural"]])
    (tmp_path / "forms" / "neural.run").write_bytes(lzma.compress(text.encode()))
    shutil.copy(tmp_path / "fair.run", tmp_path / "forms")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = gather_trials(
    "OTHER_FORMS",
    {
        "eval": "eval qrels.txt bm25.run neural.run -m nDCG@10 -m NFaiRR@10 -q "
        "--terms gender-en --docs collection.tsv --background background.run",
    },
)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("kind", ["forms", "marco"])
def test_every_command_reads_them(desk, fairtrec_command, name, kind):
    """The rankings of MS MARCO's form are those of --order rank; all forms print what the TREC files print."""
    given = COMMANDS[name].split()
    has_order = "--order" in fairtrec_command(name, "--help").out
    ranked = ["--order", "rank"] if kind == "marco" and has_order else []
    plain = fairtrec_command(*given, *ranked)
    others = [f"{kind}/{each}" if each in ("bm25.run", "neural.run") else each for each in given]
    done = fairtrec_command(*others, *ranked, *(["--run-format", "msmarco"] if kind == "marco" else []))
    assert done.code == plain.code == 0, done.err
    got = done.out.replace(f"{kind}/", "")
    if name in ("eval", "rerank"):  # which print the tag
        got, plain = ([line for line in text.splitlines() if "runid" not in line] for text in (got, plain.out))
        if name == "rerank":
            got, plain = ([line.split()[:4] for line in text] for text in (got, plain))
        assert got == plain
    else:
        assert got.split() == plain.out.split()


def test_the_python_functions_take_the_word_too(desk):
    means = fairtrec.evaluate("nDCG@10", "marco/bm25.run", qrels="qrels.txt", run_format="msmarco").means
    assert (
        means["marco/bm25.run"]
        == fairtrec.evaluate("nDCG@10", "bm25.run", qrels="qrels.txt", order="rank").means["bm25.run"]
    )
    session = fairtrec.evaluator("nDCG@10", "qrels.txt", run_format="msmarco")
    assert session.scores("marco/bm25.run").means == [*means["marco/bm25.run"].values()]
    with pytest.raises(fairtrec.UsageError, match="run_format='marco' is not known; choose one of auto, trec"):
        fairtrec.evaluate("RR", "bm25.run", qrels="qrels.txt", run_format="marco")
    with pytest.raises(fairtrec.UsageError, match="run_format='marco' is not known; choose one of auto, trec"):
        fairtrec.validate("bm25.run", run_format="marco")
    (checked,) = fairtrec.validate("marco/bm25.run", run_format="msmarco")
    assert checked.found.total(errors=True) == 0


def test_eval_says_what_ms_marco_looks_like(desk, fairtrec_command):
    done = fairtrec_command("eval", "qrels.txt", "marco/bm25.run", "-m", "RR")
    assert done.code == 3
    assert done.complaints == [f"marco/bm25.run:1: {run_forms.FORMS['msmarco'].hint}"]
    written(desk / "b.run", "q1 d7 high\n")
    assert (
        fairtrec_command("eval", "qrels.txt", "b.run", "-m", "RR")
        .complaints[0]
        .startswith("b.run:1: 3 columns instead of 6")
    )


@pytest.mark.parametrize("rank", ["1.5", "first", "99999999999999999999"])
def test_where_ms_marco_is_said_a_rank_that_is_none_is_called_so(desk, fairtrec_command, rank):
    written(desk / "b.tsv", f"q1\td7\t{rank}\n")
    done = fairtrec_command("eval", "qrels.txt", "b.tsv", "-m", "RR", "--run-format", "msmarco")
    assert (done.code, done.complaints) == (3, [f"b.tsv:1: the rank '{rank}' is not an integer; correct it"])


@pytest.mark.usefixtures("copied")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_lines_on_a_stream_are_told_which_option_reads_them(fairtrec_command, pack):
    asked = "eval", "qrels.txt", "-", "-m", "P@5"
    (said,) = fairtrec_command(*asked, stdin=pack(b"\xef\xbb\xbf" + lines().encode())).complaints
    assert said.startswith("-:1: this looks like JSON lines")
    assert "add --run-format jsonl" in said
    (said,) = fairtrec_command(*asked, stdin=pack(b"{101} Q0 d1 1 2.0\n")).complaints
    assert said.startswith("-:1: 5 columns instead of 6")


def test_no_other_form_is_advised_to_take_column_2(tmp_path):
    with pytest.raises(InputError, match=r"remove one of the two, or, .*add samples=True columns=sample=COLUMN$"):
        run.read(written(tmp_path / "b", lines() + lines(ROWS[:1])))
    with pytest.raises(InputError, match="or add samples=True"):
        run.read(written(tmp_path / "b", TREC + TREC))


def test_what_is_blank_for_long_is_not_looked_through_line_by_line(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "LARGEST_BLANK", 100)
    path = written(tmp_path / "b", b"\n" * 101 + TREC.encode())
    with pytest.raises(InputError, match="of blank lines"):
        opening.first_line(path, b"#")


# -- a form that is new


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """A run of a form that is nothing but a row."""
    form = run_forms.RunForm("pairs3", "docno qid score", ("docno qid score",))
    monkeypatch.setitem(run_forms.FORMS, "pairs3", form)
    return written(tmp_path / "pairs.run", "d1 q 0.5\nd2 q 2.5\n")


def test_a_form_of_columns_is_a_row(pairs):
    read = run.read(pairs, form="pairs3")
    assert (read.docnos.tolist(), read.scores.tolist(), read.tag) == ([b"d2", b"d1"], [2.5, 0.5], "pairs.run")
    with pytest.raises(
        InputError, match=r"run:1: 3 columns instead of 6; if they are docno qid score, add run_format=pairs3"
    ):
        run.read(pairs)
    with pytest.raises(InputError, match=r"only TREC files and tables can have several rankings .* leave out samples="):
        run.read(pairs, form="pairs3", sampled=True)


def test_a_form_without_ranks_is_refused_by_its_row(pairs):
    with pytest.raises(InputError, match=r"pairs\.run: a run of docno qid score has no ranks; leave out order=rank"):
        run.read(pairs, "rank", form="pairs3")
    assert run.read(pairs, "file", form="pairs3").docnos.tolist() == [b"d1", b"d2"]


def test_validate_calls_a_form_as_its_row_does(pairs, fairtrec_command):
    done = fairtrec_command("validate", pairs)
    assert "this looks like docno qid score in each of 2 lines; add --run-format pairs3, and --fix OUT" in done.out
    checked = run_check.examine(pairs, form="pairs3")
    assert (checked.rows.ranks.tolist(), checked.rows.form, checked.found.total(errors=True)) == ([2, 1], "pairs3", 0)


def test_lines_without_ranks_and_scores_are_ranked_by_their_order(tmp_path, monkeypatch):
    monkeypatch.setitem(run_forms.FORMS, "list2", run_forms.RunForm("list2", "docno qid", ("docno qid",)))
    path = written(tmp_path / "b", "d1 q\nd2 q\n")
    for order in ("score", "rank", "file"):
        assert run.read(path, order, form="list2").docnos.tolist() == [b"d1", b"d2"]


# -- validate


def test_validate_reads_what_eval_reads(desk, fairtrec_command):
    for path, more in (
        ("forms/bm25.run", ()),
        ("forms/neural.run", ()),
        ("marco/bm25.run", ("--run-format", "msmarco")),
    ):
        done = fairtrec_command("validate", path, "--qrels", "qrels.txt", *more)
        assert (done.code, ": clean; " in done.out or ": 0 errors" in done.out) == (0, True), done.out
    done = fairtrec_command("validate", "marco/bm25.run")
    assert (done.code, done.out.count("E201"), "; add --run-format msmarco" in done.out) == (3, 1, True)


def test_validate_finds_what_eval_refuses_on_the_same_line(tmp_path, fairtrec_command):
    for name, (text, _) in BAD.items():
        path = written(tmp_path / "b", text)
        with pytest.raises(InputError) as raised:
            run.read(path)
        done = fairtrec_command("validate", path)
        assert done.code == 3, name
        assert done.out.startswith(f"{path}:" if raised.value.line is None else f"{path}:{raised.value.line}: "), name


def test_validate_writes_a_trec_run_of_any(desk, fairtrec_command):
    for path, form, order in (
        ("forms/bm25.run", "auto", "score"),
        ("forms/neural.run", "auto", "score"),
        ("marco/bm25.run", "msmarco", "rank"),
    ):
        done = fairtrec_command("validate", path, "--run-format", form, "--fix", "out.run", "--force")
        assert done.code == 0, done.out
        alike(run.read(desk / "out.run"), run.read(desk / path.split("/")[1], order))
    written(desk / "b.jsonl", '{"qid": "a b", "docno": "c", "score": 1}\n{"qid": "a", "docno": "c", "score": 1}\n')
    done = fairtrec_command("validate", "b.jsonl", "--fix", "out2.run")
    assert done.code == 3
    assert "E101 a qid with a blank, which TREC files cannot have" in done.out
    assert not (desk / "out2.run").exists()


# -- docs/convert.md


PAGE = (REPOSITORY / "docs" / "convert.md").read_text("utf-8")
COMMANDS_OF_THE_PAGE = shell_commands(
    PAGE[: PAGE.index("## Name the columns")]
)  # tests/formats/test_column_roles.py and test_named_columns.py


@pytest.mark.parametrize("command", COMMANDS_OF_THE_PAGE)
def test_the_commands_of_the_page_work(desk, fairtrec_command, command):
    shutil.copy("marco/neural.run", "marco.tsv")
    (desk / "repllama.txt").write_text(FOUR)
    (desk / "list.txt").write_text("101 d9\n101 d2\n102 d2\n")
    shutil.copy("forms/bm25.run", "run.parquet")
    written(desk / "run.jsonl", lzma.decompress((desk / "forms" / "neural.run").read_bytes()))
    written(desk / "packed.run.xz", lzma.compress((desk / "fair.run").read_bytes()))
    done = fairtrec_command(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    assert len(COMMANDS_OF_THE_PAGE) == 5


def test_a_query_id_of_braces_makes_no_json(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("{} Q0 d8 1 19.5 tag\n{} Q0 d9 2\n")
    with pytest.raises(InputError, match=r"a.run:2: 4 columns instead of 6"):
        run.read(path)


@pytest.mark.parametrize("key", ["qid", "docno"])
def test_half_a_character_is_no_other_id(tmp_path, key):
    rows = [{"qid": "q1", "docno": "?", "score": 2.0}, {"qid": "q1", "docno": "d1", "score": 1.0}]
    rows[1][key] = "\ud800"  # which stood for ?, and so twice
    path = written(tmp_path / "r.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    with pytest.raises(InputError, match=rf"r\.jsonl:2: the {key} '\\ud800' holds half a character"):
        run.read(path)


@pytest.mark.parametrize("given", [{"q1": {"?": 2.0, "\ud800": 1.0}}, {"q1\udc00": {"d1": 1.0}}])
def test_half_a_character_is_no_id_in_python(given):
    with pytest.raises(InputError, match="the run holds an id with half a character"):
        fairtrec.evaluate("RR", given, qrels={"q1": {"?": 1}})


def test_a_tab_in_an_entry_makes_no_header_of_it(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 \t d1 1 19.5 t\nq1 Q0 d2 2 x t\n")
    with pytest.raises(fairtrec.InputError, match=r"a\.run:2: the score 'x' is not a finite number"):
        run.read(path)
