"""Responses of search engines as runs: by query, of _rank_eval, and JSON lines; what has no query is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.support.errors import InputError, UsageError

RUN = {"1": {"a": 3.5, "b": 1.0}, "2": {}, "3": {"d1": 2.0}}
QRELS = {"1": {"b": 1}, "2": {"a": 1}, "3": {"d1": 1}}


def list_hits(docs):
    return [{"_index": "i", "_id": docno, "_score": score} for docno, score in docs.items()]


def respond(docs):
    return {"took": 3, "_shards": {"total": 1}, "hits": {"total": {"value": 2}, "hits": list_hits(docs)}}


def write_object(run):
    return json.dumps({qid: respond(docs) for qid, docs in run.items()}, indent=1)


def write_lines(run):
    return "\n".join(json.dumps({"qid": qid, **respond(docs)}) for qid, docs in run.items())


def write_bare_lines(run):
    return "\n".join(json.dumps({"query_id": qid, "hits": list_hits(docs)}) for qid, docs in run.items())


def write_rank_eval(run):
    details = {
        qid: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [{"hit": hit, "rating": None} for hit in list_hits(docs)],
        }
        for qid, docs in run.items()
    }
    return json.dumps({"metric_score": 0.5, "details": details, "failures": {}})


WRITERS = [write_object, write_lines, write_bare_lines, write_rank_eval]


def evaluate(text, folder, name="hits.json", **given_):
    (folder / name).write_text(text)
    (scores,) = fairtrec.evaluate("nDCG@2 NumRet", folder / name, qrels=QRELS, **given_).scores
    return scores.qids, scores.values.tolist()


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("name", ["hits.json", "hits.jsonl", "hits"])
def test_a_response_is_the_run_of_its_hits(tmp_path, write, name):
    (expected,) = fairtrec.evaluate("nDCG@2 NumRet", RUN, qrels=QRELS).scores
    assert evaluate(write(RUN), tmp_path, name) == (expected.qids, expected.values.tolist())
    (checked,) = fairtrec.validate(tmp_path / name)
    assert (checked.queries, checked.documents) == (2, 3)


@pytest.mark.parametrize("write", WRITERS)
def test_hits_without_scores_are_ranked_by_their_order(tmp_path, write):
    sorted_ = {"1": {"b": None, "a": None}, "2": {"a": 1.0, "c": None}, "3": {"d1": 2.0}}
    assert evaluate(write(sorted_), tmp_path)[1][0] == [1, 1, 1]
    assert evaluate(write(RUN), tmp_path, order="rank") == evaluate(write(RUN), tmp_path)


@given(st.dictionaries(st.sampled_from("123"), st.dictionaries(st.sampled_from("abcd"), st.floats(-9, 9)), min_size=1))
def test_all_forms_of_a_run_have_the_same_values(tmp_path_factory, run):
    folder = tmp_path_factory.mktemp("responses")
    (expected,) = fairtrec.evaluate("nDCG@2 NumRet", run, qrels=QRELS).scores
    for write in WRITERS:
        assert evaluate(write(run), folder) == (expected.qids, expected.values.tolist())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (json.dumps(respond(RUN["1"])), "hits.json: a response has no query; write {qid: response}"),
        (json.dumps({"took": 1, "responses": [respond(RUN["1"])]}), "hits.json: a response has no query; write"),
        (json.dumps({"1": respond(RUN["1"]), "2": {"error": 1}}), "a response has no list of hits; write {qid: "),
        (json.dumps({"1": {"hits": [{"_score": 1}]}}), "a hit of query 1 has no _id; write {qid: response}"),
        (json.dumps({"1": {"hits": [{"_id": "a", "_score": "x"}]}}), "a _score of query 1 is not a finite number"),
        (json.dumps({"1": {"hits": [{"_id": None}]}}), "an id is neither text nor a whole number; correct it"),
        (f'{write_lines(RUN)}\n{{"qid": 7}}', "hits.json:4: this line has no query, or no hits; write {qid: "),
        (json.dumps({"1": respond({"a": 1.0}), "2": {"hits": list_hits({"b": 1.0}) * 2}}), "document b appears twice"),
    ],
)
def test_what_is_no_response_by_query_is_refused(tmp_path, text, says):
    with pytest.raises(InputError) as fault:
        evaluate(text, tmp_path)
    assert says in str(fault.value)


def test_other_objects_are_what_they_were(tmp_path):
    """Queries called hits, with documents and scores, are no responses."""
    for run in ({"hits": {"d1": 0.5}}, {"hits": ["d1"]}, {"1": {"hits": 2.0}}):
        (tmp_path / "r.json").write_text(json.dumps(run))
        (qid,) = run
        (scores,) = fairtrec.evaluate("NumRet", tmp_path / "r.json", qrels={qid: {"d1": 1}}).scores
        assert scores.values.tolist() == [[1]]


def test_a_stream_is_refused(fairtrec_command, example):
    done = fairtrec_command(
        "eval", example / "qrels.txt", "-", "--run-format", "search", stdin=write_object(RUN).encode()
    )
    assert (done.code, "responses of a search engine are read twice" in done.err) == (UsageError.exit_code, True)
