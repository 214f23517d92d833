"""Files as BEIR, MTEB, ranx, pytrec_eval and PyTerrier write them give what TREC files with the same numbers give."""

import csv
import json
import shlex
from time import process_time

import pandas as pd
import pytest

import fairtrec
from fairtrec.formats import named_columns, qrels, run
from fairtrec.support.errors import InputError
from fairtrec_made import REPOSITORY, cbor, pages

PAGE = (REPOSITORY / "docs" / "convert.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("## Files of other programs") : PAGE.index("## Frames")]
COMMANDS = pages.shell_commands(SECTION)


def nested(rows):
    found = {}
    for qid, docno, number in rows:
        found.setdefault(qid, {})[docno] = number
    return found


@pytest.fixture
def desk(copied):
    """The example's run and qrels as other packages write them: the keys, heads and quotes are theirs."""
    lines = {name: (copied / name).read_text().splitlines() for name in ("bm25.run", "qrels.txt", "collection.tsv")}
    ranked = [(q, d, float(s)) for q, _, d, _, s, _ in map(str.split, lines["bm25.run"])]
    judged = [(q, d, int(g)) for q, _, d, g in map(str.split, lines["qrels.txt"])]
    (copied / "qrels").mkdir()
    with (copied / "qrels" / "test.tsv").open("w") as file:  # beir.util.write_to_tsv
        csv.writer(file, delimiter="\t").writerows([("query-id", "corpus-id", "score"), *judged])
    (copied / "qrels.json").write_text(json.dumps(nested(judged)))
    (copied / "run.json").write_text(json.dumps(nested(ranked), indent=2))  # as ranx
    (copied / "run.lz4").write_bytes(cbor.packed(nested(ranked)))
    predictions = {"mteb_model_meta": {"model_name": "m", "revision": "1"}, "default": {"test": nested(ranked)}}
    (copied / "Task_predictions.json").write_text(json.dumps(predictions))
    frame = pd.DataFrame(ranked, columns=["qid", "docno", "score"])
    frame["rank"] = frame.groupby("qid").cumcount()
    frame["query"] = 'nurses, "male"\nand others'
    frame.insert(0, "docid", range(len(frame)))
    frame.to_csv(copied / "results.csv")  # with an index, as PyTerrier's users do
    grades = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    grades.to_csv(copied / "qrels.csv", index=False)
    names = {"qid": "q_id", "docno": "doc_id"}
    frame.rename(columns=names)[["q_id", "doc_id", "score"]].to_parquet(copied / "run.parquet", index=False)
    grades.rename(columns={**names, "label": "score"}).to_parquet(copied / "qrels.parquet", index=False)
    texts = (line.split("\t") for line in lines["collection.tsv"])
    objects = (dict(zip(("_id", "title", "text"), (docno, *text.split(" ", 1)), strict=True)) for docno, text in texts)
    (copied / "corpus.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in objects))
    corpus = pd.DataFrame(map(json.loads, (copied / "corpus.jsonl").read_text().splitlines()))
    corpus.to_parquet(copied / "corpus.parquet", index=False)
    corpus.to_csv(copied / "corpus.csv", index=False)
    return copied


@pytest.mark.parametrize("line", COMMANDS)
def test_the_files_of_the_page_are_read(desk, fairtrec_command, line):
    words = shlex.split(line)[1:]
    done = fairtrec_command(*words)
    given = ["--docs", "collection.tsv", *words[words.index("--docs") + 2 :]] if "--docs" in words else []
    plain = fairtrec_command("eval", "qrels.txt", "bm25.run", *words[3 : words.index("-m") + 2], *given)
    assert done.code == plain.code == 0, done.err
    for measure in words[words.index("-m") + 1].split():
        values = [next(row for row in each.out.splitlines() if row.startswith(measure)) for each in (done, plain)]
        assert values[0].split() == values[1].split()
    checked = fairtrec_command("validate", words[2])
    assert checked.code == 0, checked.out


BROKEN = {
    "the number of a document": ('{"q1": {"d1": "x"}}', "the score 'x' of document 'd1' under query 'q1' is not a finite number"),
    "NaN": ('{"q1": {"d1": NaN}}', "the score 'nan' of document 'd1' under query 'q1' is not a finite number"),
    "a large number": ('{"q1": {"d1": 1' + "0" * 400 + "}}", "under query 'q1' is not a finite number"),
    "a truth": ('{"q1": {"d1": true}}', "the score 'True' of document 'd1'"),
    "no documents": ('{"q1": {"d1": 1}, "q2": 1}', "query 'q2' holds no object or list of documents; write {qid: {docno: score}}"),
    "a key twice": ('{"q1": {"d1": 1, "d1": 2}}', "the key 'd1' appears twice in one object; remove one"),
    "a query twice": ('{"q1": {"d1": 1}, "q1": {"d2": 2}}', "the key 'q1' appears twice"),
    "no end": ('{"q1": {\n"d1": 1', r"b:2: this is not JSON \(Expecting"),
    "half a character": ('{"q1": {"d\\ud800": 1}}', "half a character"),
    "deep": ('{"q1": {"d1": ' + "[" * 100_000, "this is not JSON"),
    "two splits": ('{"mteb_model_meta": {}, "en": {"dev": {"q1": {"d1": 1}}, "test": {"q1": {"d1": 1}}}}',
                   r"these predictions of MTEB hold 2 sets of rankings \(en dev, en test\); keep one"),
    "no split": ('{"mteb_model_meta": {}, "en": {}}', "hold 0 sets of rankings"),
    "a number of a table": ("qid,docno,score\nq1,d1,1\nq1,d2,1_0\n", "b:3: the score '1_0' is not a finite number"),
    "a cell too many": ("qid,docno,score\n\nq1,d1,1\nq1,d2,1,2\n", "b:4: 4 columns instead of the 3 of the first line; write: qid"),
    "a quotation mark": ('qid,docno,score\nq1,d1,1\nq1,"d2,2\n', "b:3: this line cannot be split into columns"),
    "a name twice": ("qid docno docno score\nq1 d1 d2 1\n", "b:1: two columns are called docno"),
    "no number": ("qid docno\nq1 d1\n", "this run has none of the columns score, sim, prediction, but qid, docno; name it with columns=score=COLUMN, or rank="),
    "no rows": ("qid docno score\n", "this run has no lines"),
    "a document twice": ("# a remark\nqid docno score\nq1 d1 1\nq1 d1 2\n", "b:4: document d1 appears twice under query q1"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_in_a_line(tmp_path, name):
    text, message = BROKEN[name]
    (tmp_path / "b").write_text(text)
    with pytest.raises(InputError, match=message):
        run.read(tmp_path / "b")


def test_a_grade_that_is_no_integer_and_a_judgment_that_stands_twice_are_refused_with_their_line(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0.5\n")
    with pytest.raises(InputError, match=r"test\.tsv:3: the column score of the qrels file is not an integer"):
        qrels.read(path)
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t0\n")
    with pytest.raises(InputError, match=r"test\.tsv:3: document d1 is judged twice for query q1"):
        qrels.read(path)


def test_an_object_that_is_too_large_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(named_columns, "LARGEST_OBJECT", 1000)
    (tmp_path / "b.json").write_text(json.dumps({"q1": {f"d{number}": 1 for number in range(1000)}}, indent=1))
    with pytest.raises(InputError, match=r"b\.json: one JSON object of more than 0 MiB; write JSON lines like"):
        run.read(tmp_path / "b.json")


def test_a_key_twice_among_very_many_is_found_at_once(tmp_path):
    keys = ",".join(f'"d{number}":1' for number in range(20_000))
    (tmp_path / "b.json").write_text(f'{{"q1":{{{keys},"d19999":2}}}}')
    before = process_time()
    with pytest.raises(InputError, match="the key 'd19999' appears twice"):
        run.read(tmp_path / "b.json")
    assert process_time() - before < 1


@pytest.mark.parametrize(
    "value", ["[" + "[]," * 1000 + "[]]", "{" + '"":{},' * 1000 + '"a":{}}', "[" + "1," * 1000 + "1]"]
)
def test_an_object_that_would_take_many_times_its_size_is_refused_before_it_is_parsed(tmp_path, monkeypatch, value):
    monkeypatch.setattr(named_columns, "MOST_VALUES", 1000)
    (tmp_path / "b.json").write_text(f'{{"q1": {{"d1": {value}}}}}')
    with pytest.raises(
        InputError, match=r"b\.json: one JSON object of more than 1,000 keys and values; write JSON lines"
    ):
        run.read(tmp_path / "b.json")


def test_json_lines_whose_first_value_is_an_object_stay_json_lines(tmp_path):
    (tmp_path / "b").write_text('{"meta": {"a": 1}, "qid": "q1", "docno": "d1", "score": 1}\n')
    assert run.read(tmp_path / "b").qids == ("q1",)


@pytest.mark.parametrize(("form", "name"), [("json", "run.json"), ("table", "results.csv")])
def test_a_stream_is_read_as_it_is_said_to_be(fairtrec_command, desk, form, name):
    given, stream = ("eval", "qrels.txt", "-", "-m", "nDCG@10"), (desk / name).read_bytes()
    done = fairtrec_command(*given, stdin=stream)
    assert (done.code, f"add --run-format {form}" in done.err) == (3, True)
    done = fairtrec_command(*given, "--run-format", form, stdin=stream)
    lines = 3 if form == "table" else 2  # a note, for a table its names, and the signature
    assert (done.code, done.err.count("\n")) == (0, lines), done.err


def test_lists_of_documents_and_titles_are_taken_in_memory():
    listed = {"q1": ["d2", "d1"], "q2": []}
    scored = {"q1": {"d2": 2.0, "d1": 1.0}}
    corpus = {"d1": {"title": "he", "text": "she said"}, "d2": {"title": "", "text": "him"}, "d3": {"text": "it"}}
    texts = {"d1": "he she said", "d2": "him", "d3": "it"}
    frame = pd.DataFrame([{"_id": name, "title": "", **each} for name, each in corpus.items()])
    results = [
        fairtrec.evaluate("nDCG@10 NFaiRR@10", one, qrels=judged, docs=docs, terms="gender-en", background=one)
        for one, judged, docs in (
            (listed, {"q1": ["d1"]}, corpus),
            (listed, {"q1": {"d1": 1}}, frame),
            (scored, {"q1": {"d1": 1}}, texts),
        )
    ]
    assert results[0].means == results[1].means == results[2].means
    signatures = {str(result.signature).split("docs:")[1].split(" ")[0] for result in results}
    assert len(signatures) == 1
    with pytest.raises(InputError, match="document d1 twice under query q1"):
        fairtrec.evaluate("nDCG@10", {"q1": ["d1", "d1"]}, qrels={"q1": ["d1"]})
    with pytest.raises(InputError, match="the text of document d1 is not a string"):
        fairtrec.evaluate("NFaiRR@10", listed, docs={**corpus, "d1": {"title": 1, "text": ""}}, terms="gender-en", background=listed)  # fmt: skip


PUBLISHED = [
    (("query-id", "corpus-id", "score"), ("query-id", "corpus-id", "score")),
    (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
    (("query_id", "corpus_id", "score"), ("qid", "docno", "score")),
    (("query-id", "doc-id", "label"), ("query-id", "doc-id", "score")),
]
GIVEN = {"docs": "collection.tsv", "terms": "gender-en", "background": "bm25.run"}
WANTED = "nDCG@10 NFaiRR@10"


def columns_of(name, names, places, kinds):
    rows = [line.split() for line in (REPOSITORY / "resources" / "example" / name).read_text().splitlines()]
    return {column: [kind(row[at]) for row in rows] for column, at, kind in zip(names, places, kinds, strict=True)}


def hold_published(make, names, write, fairtrec_command):
    """Qrels, a run and a corpus with the columns that people publish give what TREC files do, also as files."""
    expected = fairtrec.evaluate(WANTED, "bm25.run", qrels="qrels.txt", **GIVEN).means["bm25.run"]
    judged = make(columns_of("qrels.txt", names[0], (0, 2, 3), (str, str, float)))
    ranked = make(columns_of("bm25.run", names[1], (0, 2, 4), (str, str, float)))
    texts = pd.read_json("corpus.jsonl", lines=True)
    corpus = make({name: texts[name].tolist() for name in ("_id", "title", "text")})
    given = {**GIVEN, "docs": corpus, "background": ranked}
    assert fairtrec.evaluate(WANTED, ranked, qrels=judged, **given).means["run"] == expected
    for ending in ("parquet", "jsonl", "csv"):
        for name, thing in (("q", judged), ("r", ranked), ("c", corpus)):
            write(thing, f"{name}.{ending}")
        options = ["--docs", f"c.{ending}", "--terms", "gender-en", "--background", f"r.{ending}", "-f", "json"]
        done = fairtrec_command("eval", f"q.{ending}", f"r.{ending}", "-m", WANTED, *options)
        assert done.code == 0, done.err
        means = json.loads(done.out)["runs"][0]["means"]
        assert {name: mean["value"] for name, mean in means.items()} == expected
    return judged


@pytest.mark.parametrize("names", PUBLISHED)
def test_columns_that_people_publish_are_read(desk, fairtrec_command, names):
    def write(frame, name):
        if name.endswith("parquet"):
            frame.to_parquet(name, index=False)
        elif name.endswith("csv"):
            frame.to_csv(name, index=False)
        else:
            frame.to_json(name, orient="records", lines=True)

    hold_published(pd.DataFrame, names, write, fairtrec_command)


@pytest.mark.ecosystem
@pytest.mark.parametrize("names", PUBLISHED)
def test_datasets_of_hugging_face_and_their_files_are_read(desk, fairtrec_command, names):
    import datasets

    datasets.disable_progress_bars()

    def write(dataset, name):
        getattr(dataset, f"to_{name.rpartition('.')[2].removesuffix('l')}")(name)

    judged = hold_published(datasets.Dataset.from_dict, names, write, fairtrec_command)
    one = datasets.DatasetDict({"test": judged})
    found = fairtrec.evaluate("nDCG@10", "bm25.run", qrels=one).means
    assert found == fairtrec.evaluate("nDCG@10", "bm25.run", qrels="qrels.txt").means
    with pytest.raises(InputError, match=r"the \w+ frame has several splits or none \(\w+, \w+\); pass one of them"):
        fairtrec.evaluate("nDCG@10", "bm25.run", qrels=datasets.DatasetDict({"test": judged, "dev": judged}))


CORPORA = {
    "twice": ("_id,title,text\np001,a,b\np002,a,b\np001,c,d\n", "document p001 appears twice; keep one line"),
    "a cell too many": ("_id,title,text\np001,a,b,c\n", "c.csv:2: 4 columns instead of the 3 of the first line"),
    "no texts": ("_id,title,text\n", "this collection has no lines"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_a_broken_corpus_of_columns_is_refused_in_a_line(desk, fairtrec_command, name):
    text, message = CORPORA[name]
    (desk / "c.csv").write_text(text)
    given = ("--docs", "c.csv", "--terms", "gender-en", "--background", "bm25.run")
    done = fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "NFaiRR@10", *given)
    assert (done.code, done.err.count("\n")) == (3, 1), done.err
    assert message in done.err
