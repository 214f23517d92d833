"""Answers as runs: the three forms, the classes of citations, what is refused with its line, and corrupted files."""

import json
import pickle
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formats import run as run_format
from fairtrec.support.errors import FairtrecError, InputError, UsageError
from fairtrec.support.files.answer_files import AnswerRun, detect_answers, split_answers
from fairtrec.support.files.arguments import is_same

OF_2024 = [
    {"run_id": "mine", "topic_id": "101", "references": ["p002", "p001", "p004", "p003"], "answer": [
        {"text": "Two of them were nurses.", "citations": [0, 2]}, {"text": "Others came later.", "citations": [2, 1]}]},
    {"run_id": "mine", "topic_id": 102, "references": ["p007", "p008", "p009"], "answer": [
        {"text": "Nothing.", "citations": []}, {"text": "He left.", "citations": [2, 0]}]},
    {"run_id": "mine", "topic_id": "103", "references": ["p007"], "answer": [{"text": "Who knows?", "citations": []}]},
]  # fmt: skip
OF_2025 = [
    {"metadata": {"run_id": "ours", "narrative_id": 101}, "references": ["p002", "p001", "p004", "p003"], "answer": [
        {"text": "Two of them.", "citations": ["p004", "p002"]}, {"text": "Others.", "citations": ["p002", "p001"]}]},
    {"metadata": {"narrative_id": "102"}, "references": ["p007", "p008"], "answer": [{"text": "x", "citations": [1, 0]}]},
]  # fmt: skip
SHARED = [
    {"metadata": {"run_id": "theirs", "topic_id": "101"}, "references": ["p002", "p001", "p004", "p003"], "responses": [
        {"text": "Two.", "citations": {"p004": 0.3, "p002": 0.7, "p001": 0.3}}, {"text": "x", "citations": {}},
        {"text": "Others.", "citations": ["p002", "p003"]}]},
    {"metadata": {"request_id": "102"}, "references": [12], "responses": [{"text": "x", "citations": ["12"]}]},
]  # fmt: skip
FORMS = {"2024": OF_2024, "2025": OF_2025, "shared": SHARED}
LABELS = {"p001": "f", "p002": "m", "p003": "f", "p004": "f", "p007": "m", "p008": "f", "p009": "m", "12": "m"}


def write(folder, answers, name="rag.jsonl"):
    path = folder / name
    path.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    return str(path)


def read(path, part):
    """Give the scores of each document by topic, in order."""
    run = run_format.read(AnswerRun(path, part))
    found = {}
    for number, qid in enumerate(run.qids):
        lines = slice(run.starts[number], run.starts[number + 1])
        found[qid] = dict(zip(map(bytes.decode, run.docnos[lines]), run.scores[lines].tolist(), strict=True))
    return found


@pytest.mark.parametrize("references", [None, [], ["z"], ["p001", "p002"]])
def test_references_beside_responses_are_not_compared(tmp_path, references, fairtrec_command):
    """A citation counts by itself, as in RAGTIME and DRAGUN; an answer that cites nothing is an empty ranking."""
    beside = {} if references is None else {"references": references}
    path = write(tmp_path, [
        {"metadata": {"run_id": "r", "topic_id": "101"}, "responses": [{"citations": {"p002": 0.2, "p001": 0.9}}], **beside},
        {"metadata": {"run_id": "r", "topic_id": "102"}, "responses": [{"citations": ["p007", "p003"]}], **beside},
        {"metadata": {"run_id": "r", "topic_id": "103"}, "responses": [{"text": "x", "citations": {}}], **beside},
    ])  # fmt: skip
    assert read(path, "cited") == {"101": {"p001": 2, "p002": 1}, "102": {"p007": 2, "p003": 1}, "103": {}}
    (scores,) = fairtrec.evaluate("AWRF@2", path, labels=LABELS).scores
    assert scores.run.endswith(":cited")
    assert any("not ranked" in str(note) for note in scores.notes) == (references is not None)
    done = fairtrec_command("validate", path)
    assert (done.code, "3 documents" in done.out or "4 documents" in done.out) == (0, True)


def test_an_answer_without_references_is_read_as_responses(tmp_path):
    """AutoJudge writes answers of RAG 2025 with the support of each docno, with or without references."""
    sentences = [{"text": "x", "citations": {"p001": 1.0, "p003": 3.0}}, {"text": "y", "citations": ["p002", "p003"]}]
    plain = [{"metadata": {"narrative_id": 7}, "answer": sentences}]
    assert read(write(tmp_path, plain), "cited") == {"7": {"p003": 3, "p001": 2, "p002": 1}}
    beside = [{"metadata": {"topic_id": "7"}, "references": ["p002"], "answer": sentences[:1]}]
    assert read(write(tmp_path, beside), "cited") == {"7": {"p003": 2, "p001": 1}}
    assert read(write(tmp_path, beside), "retrieved") == {"7": {"p002": 1}}


@pytest.mark.parametrize(
    ("references", "cited"),
    [
        (["p002", "p001"], {"p001": 2, "p002": 1}),  # numbers of references, as AutoJudge reads them
        (None, {"1": 2, "0": 1}),  # there are none, so that the numbers are docnos
        ([1, 0, 5], {"1": 2, "0": 1}),  # the docnos are numbers
        (["p002"], {"1": 2, "p002": 1}),  # no second reference
    ],
)
def test_what_a_number_in_responses_is(tmp_path, references, cited):
    beside = {} if references is None else {"references": references}
    answers = [{"metadata": {"topic_id": "7"}, "responses": [{"text": "x", "citations": [1, 0]}], **beside}]
    assert read(write(tmp_path, answers), "cited") == {"7": cited}


def test_references_are_ranked_in_their_order(tmp_path):
    path = write(tmp_path, OF_2024)
    assert read(path, "retrieved") == {
        "101": {"p002": 4, "p001": 3, "p004": 2, "p003": 1}, "102": {"p007": 3, "p008": 2, "p009": 1}, "103": {"p007": 1},
    }  # fmt: skip
    assert read(write(tmp_path, OF_2025), "retrieved")["102"] == {"p007": 2, "p008": 1}


def test_a_sentence_is_a_class_whose_order_means_nothing_in_2024(tmp_path):
    cited = read(write(tmp_path, OF_2024), "cited")
    # 101: the first sentence brings p002 and p004, the second p001; 102: the first brings none, the second both
    assert cited == {"101": {"p004": 2, "p002": 2, "p001": 1}, "102": {"p009": 1, "p007": 1}, "103": {}}


def test_each_place_is_a_class_in_2025(tmp_path):
    assert read(write(tmp_path, OF_2025), "cited") == {
        "101": {"p004": 3, "p002": 2, "p001": 1},
        "102": {"p008": 2, "p007": 1},
    }


def test_equal_support_is_a_class_in_the_shared_form(tmp_path):
    cited = read(write(tmp_path, SHARED), "cited")
    assert cited == {"101": {"p002": 3, "p004": 2, "p001": 2, "p003": 1}, "102": {"12": 1}}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_two_runs_with_the_tag_of_the_first_answer(tmp_path, form):
    path = write(tmp_path, FORMS[form])
    result = fairtrec.evaluate("AWRF@5", path, labels=LABELS)
    parts = ["cited"] if form == "shared" else ["retrieved", "cited"]
    assert [scores.run for scores in result.scores] == [f"{path}:{part}" for part in parts]
    assert {scores.tag for scores in result.scores} == {{"2024": "mine", "2025": "ours", "shared": "theirs"}[form]}
    assert fairtrec.evaluate("AWRF@5", path, labels=LABELS, run_format="rag").means == result.means
    assert {file.sha256 for part, file in result.files.items() if part.of == "run"} == {
        fairtrec.evaluate("AWRF@5", f"{path}:cited", labels=LABELS).files[next(iter(result.files))].sha256
        if parts == ["cited"] else next(iter(result.files.values())).sha256
    }  # fmt: skip


def test_runs_are_called_by_the_callers_names(tmp_path):
    path = write(tmp_path, OF_2024)
    names = [scores.run for scores in fairtrec.evaluate("AWRF@5", {"mine": path}, labels=LABELS).scores]
    assert names == ["mine:retrieved", "mine:cited"]
    one = fairtrec.evaluate("AWRF@5", {"mine:cited": path}, labels=LABELS)
    two = fairtrec.evaluate("AWRF@5", f"{path}:cited", labels=LABELS)
    assert [*one.means["mine:cited"].values()] == [*two.means[f"{path}:cited"].values()]
    with pytest.raises(UsageError, match="two runs are called mine:cited"):
        fairtrec.evaluate("AWRF@5", {"mine": path, "mine:cited": path}, labels=LABELS)


def test_ties_of_a_class_have_bounds_and_a_comparison_is_paired(tmp_path):
    path = write(tmp_path, OF_2024)
    tied = fairtrec.evaluate("AWRF@1", f"{path}:cited", labels=LABELS, bounds="ties").scores[0]
    assert tied.columns["ties"].least[0, 0] == tied.columns["ties"].greatest[0, 0]  # one document has one group
    both = fairtrec.evaluate("Exposure(group=f)@1", f"{path}:cited", labels=LABELS, bounds="ties").scores[0]
    assert [end.values[0, 0] for end in both.ends.values()] == [-0.5, 0.5, 0]  # p002 is m, p004 f
    result = fairtrec.evaluate("AWRF@5", path, labels=LABELS)
    explained = fairtrec.explain("FaiRR@5", f"{path}:cited", terms={"f": ["she"], "m": ["he"]}, baseline=f"{path}:retrieved",
                                 docs={docno: "she" if group == "f" else "he" for docno, group in LABELS.items()})  # fmt: skip
    assert explained is not None
    compared = fairtrec.compare(result, f"{path}:retrieved")
    assert (compared.rows[0].run, compared.rows[0].queries) == (f"{path}:cited", 2)


def test_values_are_those_of_runs_made_in_a_loop(tmp_path, example):
    """The figures of two answers, as ten lines of Python made runs of them before there was a reader."""
    path = write(tmp_path, [
        {"topic_id": "101", "references": ["p002", "p001", "p004", "p003"], "answer": [
            {"text": "Two of them were nurses.", "citations": [0, 2]}, {"text": "Others came later.", "citations": [1]}]},
        {"topic_id": "102", "references": ["p007", "p008", "p009"], "answer": [{"text": "He left.", "citations": [2, 0]}]},
    ])  # fmt: skip
    runs = {f"{path}:retrieved": {"101": {"p002": 4, "p001": 3, "p004": 2, "p003": 1}, "102": {"p007": 3, "p008": 2, "p009": 1}},
            f"{path}:cited": {"101": {"p002": 2, "p004": 2, "p001": 1}, "102": {"p009": 1, "p007": 1}}}  # fmt: skip
    given = {"labels": str(example / "labels.tsv"), "bounds": "ties"}
    result, made = (fairtrec.evaluate("AWRF@5 NDKL@5", each, **given) for each in (path, runs))
    assert result.means == made.means
    assert [round(value, 4) for means in result.means.values() for value in means.values()] == [
        0.8393,
        0.2821,
        0.8302,
        0.3619,
    ]
    cited = result.scores[1].ends
    assert [round(float(cited[end].means[1]), 4) for end in ("least", "greatest", "expected")] == [
        0.1494,
        0.3619,
        0.2557,
    ]
    compared = fairtrec.compare(fairtrec.evaluate("AWRF@5", path, labels=given["labels"]))
    assert compared.rows[0].difference == pytest.approx(-0.009079755471355644)


def test_notes_say_what_is_not_ranked(tmp_path):
    (run, cited) = fairtrec.evaluate("AWRF@5", write(tmp_path, OF_2024), labels=LABELS).scores
    empty = "1 of 3 queries has no document (103); it counts as an empty ranking"
    assert empty in map(str, cited.notes)
    assert empty not in map(str, run.notes)
    (shared,) = fairtrec.evaluate("AWRF@5", write(tmp_path, SHARED), labels=LABELS).scores
    assert [str(note) for note in shared.notes if "references" in str(note)] == [
        "references of this form are not ranked, so the cited documents are the only run"
    ]


def test_an_answer_without_citations_is_an_empty_ranking(tmp_path):
    path = write(tmp_path, OF_2024)
    qrels = {qid: {"p001": 1, "p007": 1} for qid in ("101", "102", "103")}
    cited = fairtrec.evaluate("RR", f"{path}:cited", qrels=qrels).scores[0]
    complete = fairtrec.evaluate("RR", f"{path}:cited", qrels=qrels, complete=True).scores[0]
    assert cited.qids == complete.qids == ("101", "102", "103")
    assert cited.values.tolist() == complete.values.tolist()
    assert cited.values[0, 2] == 0


def test_answers_are_recognized_by_their_first_object(tmp_path):
    for form, answers in FORMS.items():
        assert detect_answers(write(tmp_path, answers)) == form
        assert detect_answers(write(tmp_path, answers, "no-ending")) == form
    (tmp_path / "run.jsonl").write_text('{"qid": "1", "docno": "references", "score": 1}\n')
    (tmp_path / "other.jsonl").write_text('{"references": [], "answers": []}\n{"answer": []}\n')
    (tmp_path / "plain").write_text("101 Q0 p001 1 1 t\n")
    for name in ("run.jsonl", "other.jsonl", "plain", "nowhere", "."):
        assert detect_answers(str(tmp_path / name)) is None
        assert split_answers("name", str(tmp_path / name)) == [("name", str(tmp_path / name))]
    (tmp_path / "plain:cited").write_text("101 Q0 p001 1 1 t\n")
    assert split_answers("n", str(tmp_path / "plain:cited")) == [("n", str(tmp_path / "plain:cited"))]


def test_packed_answers_comments_and_blank_lines_are_read(tmp_path):
    import gzip

    path = write(tmp_path, OF_2024)
    text = Path(path).read_text().replace("\n", "\r\n\n# a comment\n")
    with gzip.open(tmp_path / "packed.jsonl.gz", "wb") as file:
        file.write(b"\xef\xbb\xbf# by us\n" + text.encode())
    assert read(str(tmp_path / "packed.jsonl.gz"), "cited") == read(path, "cited")


def test_the_path_of_a_run_is_text_that_knows_its_part(tmp_path):
    one, other = (AnswerRun("a.jsonl", part) for part in ("cited", "retrieved"))
    assert one != other
    assert not one == other  # noqa: SIM201
    assert one == AnswerRun("a.jsonl", "cited") == pickle.loads(pickle.dumps(one))
    assert len({one, other, AnswerRun("a.jsonl", "cited")}) == 2
    assert not is_same(AnswerRun(__file__, "cited"), AnswerRun(__file__, "retrieved"))
    assert is_same(AnswerRun(__file__, "cited"), AnswerRun(__file__, "cited"))
    assert (str(one), one.part, f"{one}") == ("a.jsonl", "cited", "a.jsonl")


def answer(**changed):
    return {**OF_2024[0], "topic_id": "9", **changed}


def cites(*citations, **changed):
    return answer(answer=[{"text": "x", "citations": each} for each in citations], **changed)


REFUSED = {
    "an index outside": (cites([0], [4]), "sentence 2 cites reference 4, and there are 4, numbered from 0"),
    "a negative index": (cites([-1]), "sentence 1 cites reference -1, and there are 4, numbered from 0"),
    "an index of no references": (cites([0], references=[]), "sentence 1 cites reference 0, and there are none"),
    "a docno in 2024": (cites(["p001"]), "the citation 'p001' of sentence 1 is no number of a reference"),
    "yes": (cites([True]), "the citation True of sentence 1 is no number of a reference"),
    "half": (cites([0.5]), "the citation 0.5 of sentence 1 is no number of a reference"),
    "a reference twice": (answer(references=["a", "b", "a"]), "document a appears twice among the references"),
    "references twice, one a number": (answer(references=["12", 12]), "document 12 appears twice among the references"),
    "a topic twice": (answer(topic_id="101"), "topic 101 has an answer on line 1 already; keep one"),
    "a topic twice, as a number": (answer(topic_id=101), "topic 101 has an answer on line 1 already; keep one"),
    "another form": (OF_2025[1], "this answer has another form than the first, with topic_id and answer; keep one form"),
    "shared": (SHARED[1], "this answer has another form than the first, with topic_id and answer; keep one form"),
    "no object": ([1, 2], "this line is no object; write topic_id"),
    "a number": (7, "this line is no object"),
    "nothing": (None, "this line is no object"),
    "no references": ({"topic_id": "9", "answer": []}, "this is no answer with references; write topic_id"),
    "no answer": ({"topic_id": "9", "references": []}, "this is no answer with references; write topic_id"),
    "no list of references": (answer(references={"a": 1}), "references is no list; write it like"),
    "an odd reference": (answer(references=[["a"]]), "the reference [...] is neither text nor a whole number"),
    "a float": (answer(references=[1.5]), "the reference 1.5 is neither text nor a whole number"),
    "an empty reference": (answer(references=[""]), "the reference '' is empty, has a NUL"),
    "NUL": (answer(references=["a\0"]), "the reference 'a\\x00' is empty, has a NUL"),
    "a line end": (answer(references=["a\nb"]), "the reference 'a\\nb' is empty, has a NUL"),
    "half a letter": (answer(references=["a\ud800"]), "the reference 'a\\ud800' is empty"),
    "a long id": (answer(references=["a" * 2000]), f"the reference '{'a' * 40}' is empty, has a NUL"),
    "a null topic": (answer(topic_id=None), "the topic_id None is neither text nor a whole number"),
    "a deep topic": (answer(topic_id=[[[]]]), "the topic_id [...] is neither text nor a whole number"),
    "no list of sentences": (answer(answer="x"), "answer is no list of sentences; write it like"),
    "no sentence": (answer(answer=["x"]), 'sentence 1 has no citations; write "citations": [] if it cites nothing'),
    "no citations": (answer(answer=[{"text": "x"}]), "sentence 1 has no citations"),
    "no list of citations": (cites({"a": 1}), "the citations of sentence 1 are no list; write it like [0, 2]"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("part", ["retrieved", "cited"])
def test_what_is_wrong_is_refused_with_its_line(tmp_path, name, part):
    wrong, what = REFUSED[name]
    path = write(tmp_path, [OF_2024[0], wrong])
    with pytest.raises(InputError) as fault:
        read(path, part)
    assert str(fault.value).startswith(f"{path}:2: {what}"), str(fault.value)
    assert ";" in str(fault.value)
    assert "\n" not in str(fault.value)


OTHERS = {
    "numbers and docnos": (OF_2025, {"answer": [{"citations": [1]}, {"citations": ["p007"]}]}, "the citations of this answer are numbers and docnos mixed"),
    "a stranger": (OF_2025, {"answer": [{"citations": ["x"]}]}, "sentence 1 cites x, which is not among the references"),
    "an object": (OF_2024, {"answer": [{"citations": {"p007": 1}}]}, "the citations of sentence 1 are no list"),
    "no topic": (OF_2025, {"metadata": {"run_id": "x"}}, "this answer has no narrative_id or topic_id; write topic_id"),
    "no metadata": (OF_2025, {"metadata": 7}, "metadata is no object"),
    "a support": (SHARED, {"responses": [{"citations": {"12": "much"}}]}, "the support 'much' of 12 in sentence 1"),
    "a support of nan": (SHARED, {"responses": [{"citations": {"12": float("nan")}}]}, "the support nan of 12"),
    "a huge support": (SHARED, {"responses": [{"citations": {"12": 10**400}}]}, "the support 1000000000"),
    "a support of yes": (SHARED, {"responses": [{"citations": {"12": True}}]}, "the support True of 12"),
    "no shared topic": (SHARED, {"metadata": {"run_id": "x"}}, "this answer has no topic_id or request_id or narrative_id; write"),
    "an odd citation": (SHARED, {"responses": [{"citations": [None]}]}, "the citation None is neither text nor a whole"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_so_is_what_is_wrong_in_the_other_forms(tmp_path, name):
    answers, changed, what = OTHERS[name]
    path = write(tmp_path, [answers[0], {**answers[1], **changed}])
    with pytest.raises(InputError) as fault:
        read(path, "cited")
    assert str(fault.value).startswith(f"{path}:2: {what}"), str(fault.value)


def test_what_is_no_json_or_holds_a_key_twice_is_refused_with_its_line(tmp_path):
    for text, what in {
        "{": "this line is not JSON",
        '{"topic_id": "9", "topic_id": "8"}': "the key 'topic_id' appears twice in one object",
        "[" * 100_000: "this line is not JSON",
        '{"topic_id": ' + "9" * 5000 + "}": "this line is not JSON",
    }.items():
        path = write(tmp_path, OF_2024[:1])
        Path(path).write_text(f"{Path(path).read_text()}\n{text}\n")
        with pytest.raises(InputError, match=f"rag.jsonl:3: {what}"):
            read(path, "cited")


def test_files_without_any_answer_are_refused(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match="this file has no answers"):
        read(str(tmp_path / "empty.jsonl"), "cited")
    assert read(write(tmp_path, OF_2024[2:]), "cited") == {"103": {}}
    with pytest.raises(InputError, match=r"references of this form are not ranked; take the run .*rag\.jsonl:cited"):
        read(write(tmp_path, SHARED), "retrieved")


def test_other_ways_to_read_answers_are_refused(tmp_path, fairtrec_command):
    path = write(tmp_path, OF_2024)
    labels = tmp_path / "labels.tsv"
    labels.write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    ask = ("--labels", labels, "-m", "AWRF@5")
    for form in ([], ["--run-format", "rag"]):
        piped = fairtrec_command("eval", "none", "-", *form, *ask, stdin=Path(path).read_bytes())
        assert (piped.code, piped.complaints) == (
            2, ["answers are two runs, so they are read twice, and a stream can be read once; give a file"],
        )  # fmt: skip
    plain = write(tmp_path, [{"qid": "1", "docno": "p001", "score": 1}], "plain.jsonl")
    said = fairtrec_command("eval", "none", plain, "--run-format", "rag", *ask)
    assert said.code == 3
    (complaint,) = said.complaints
    assert complaint.startswith(f"{plain}:1: this is no answer with references; write topic_id (or ")


SEVERAL = [
    *OF_2024,
    {"topic_id": "101", "references": ["p001", "p004"], "answer": [{"text": "Again.", "citations": [1]}]},
    {"topic_id": "103", "references": ["p008", "p001"], "answer": [{"text": "Some.", "citations": [0, 1]}]},
    {"topic_id": "101", "references": ["p003"], "answer": [{"text": "Nothing.", "citations": []}]},
]


def test_the_answers_of_a_topic_are_its_rankings(tmp_path):
    """A value of a topic is the mean over its answers that have one, as if each stood in a file of its own."""
    path = write(tmp_path, SEVERAL)
    files = [
        write(tmp_path, [each], f"answer{number}.jsonl") for number, each in enumerate(SEVERAL)
    ]  # fmt: skip
    for measure in ("AWRF@5", "Exposure(group=f)@3"):
        found = fairtrec.evaluate(measure, path, labels=LABELS, samples=True)
        for part, scores in zip(("retrieved", "cited"), found.scores, strict=True):
            alone = {}
            for answer, file in zip(SEVERAL, files, strict=True):
                one = fairtrec.evaluate(measure, f"{file}:{part}", labels=LABELS).scores[0].values.item()
                alone.setdefault(str(answer["topic_id"]), []).append(one)
            expected = [np.nanmean(values) if not np.isnan(values).all() else np.nan for values in alone.values()]
            assert scores.qids == ("101", "102", "103")
            assert scores.values[0].tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_an_answer_without_citations_is_an_empty_ranking_among_others(tmp_path):
    path, qrels = write(tmp_path, SEVERAL), {"101": {"p004": 1, "p002": 1}, "103": {"p008": 1}}
    found = fairtrec.evaluate("P@1", f"{path}:cited", qrels=qrels, samples=True).scores[0]
    # 101: its answers cite p002 (with p004), p004, and nothing: 1, 1, 0; 103: nothing, and p008 (with p001)
    assert found.values[0].tolist() == pytest.approx([2 / 3, 1 / 2])


def test_expected_exposure_looks_at_all_answers_of_a_topic(tmp_path):
    path = write(tmp_path, SEVERAL)
    lines = [
        f"{each['topic_id']} {number} {docno} 1 {-rank} t"
        for number, each in enumerate(SEVERAL) for rank, docno in enumerate(each["references"])
    ]  # fmt: skip
    (tmp_path / "same.run").write_text("\n".join(lines))
    given = {"labels": LABELS, "samples": True}
    for measure in ("EED@5", "EEL@5", "EER@5"):
        one = fairtrec.evaluate(measure, f"{path}:retrieved", **given).scores[0]
        other = fairtrec.evaluate(measure, tmp_path / "same.run", **given).scores[0]
        assert one.values.tolist() == other.values.tolist()


def test_topics_may_hold_blanks_and_ten_answers(tmp_path):
    answers = [
        {"topic_id": topic, "references": [f"p00{1 + at % 4}"], "answer": []}
        for at in range(12)
        for topic in ("a b", "a")
    ]
    found = fairtrec.evaluate("AWRF@1", f"{write(tmp_path, answers)}:retrieved", labels=LABELS, samples=True)
    assert found.scores[0].qids == ("a", "a b")
    assert found.scores[0].values[0, 0] == found.scores[0].values[0, 1]


def test_several_answers_of_a_topic_ask_for_samples(tmp_path, fairtrec_command):
    path = write(tmp_path, SEVERAL)
    labels = tmp_path / "labels.tsv"
    labels.write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    ask = ("eval", "none", path, "--run-format", "rag", "--labels", labels, "-m", "AWRF@5")
    done = fairtrec_command(*ask)
    said = f"{path}:4: topic 101 has an answer on line 1 already; keep one, or add --samples to read several answers of a topic"
    assert (done.code, done.complaints) == (3, [said])
    assert fairtrec_command(*ask, "--samples").code == 0


def test_the_command_line_names_both_runs_and_takes_one_as_baseline(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, OF_2024)
    (tmp_path / "labels.tsv").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    ask = ("--run-format", "rag", "--labels", "labels.tsv", "-m", "AWRF@5")
    found = fairtrec_command("eval", "none", "rag.jsonl", *ask, "-f", "csv")
    assert [line.split(",")[0] for line in found.out.splitlines()[1:]] == ["rag.jsonl:retrieved", "rag.jsonl:cited"]
    compared = fairtrec_command("compare", "none", "rag.jsonl", *ask, "--baseline", "rag.jsonl:retrieved", "-f", "csv")
    assert compared.code == 0
    assert [line.split(",")[1] for line in compared.out.splitlines()[1:]] == ["rag.jsonl:cited"]
    alone = fairtrec_command(
        "compare", "none", "rag.jsonl:cited", *ask, "--baseline", "rag.jsonl:retrieved", "-f", "csv"
    )
    assert alone.out == compared.out
    kept = fairtrec_command("eval", "none", "rag.jsonl", *ask, "-f", "json", "-o", "r.json")
    assert kept.code == 0
    assert fairtrec_command("results", "replay", "r.json").code == 0


def test_validate_makes_the_same_checks(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, OF_2024)
    write(tmp_path, [OF_2024[0], cites([9])], "wrong.jsonl")
    write(tmp_path, SHARED, "shared.jsonl")
    for form in ([], ["--run-format", "rag"]):
        assert fairtrec_command("validate", "rag.jsonl", "shared.jsonl", *form).code == 0
        wrong = fairtrec_command("validate", "wrong.jsonl", *form)
        assert (wrong.code, wrong.out.splitlines()[0]) == (
            3, "wrong.jsonl:2: E101 sentence 1 cites reference 9, and there are 4, numbered from 0; correct the citation",
        )  # fmt: skip
    fixed = fairtrec_command("validate", "rag.jsonl", "--fix", "out.run")
    assert (fixed.code, fixed.complaints[-1]) == (2, "--fix writes runs, and rag.jsonl has answers; leave it out")
    assert not (tmp_path / "out.run").exists()


def refuse(path):
    """Give what a file is refused with, if it is."""
    try:
        run_format.read(path)
    except FairtrecError as fault:
        return fault
    return None


def test_corrupted_files_end_in_one_line(tmp_path):
    """Bytes changed, cut, doubled and put in; whatever comes of it is a run, or one line that says what is wrong."""
    draw = random.Random(2025)
    pieces = [
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b",",
        b"\n",
        b"\0",
        b"\xff",
        b"-1",
        b"1e999",
        b"null",
        b"\\ud800",
        b"citations",
    ]
    ended = 0
    for number in range(600):
        text = bytearray(b"".join(json.dumps(each).encode() + b"\n" for each in draw.choice([*FORMS.values()])))
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(text))
            kind = draw.randrange(4)
            if kind == 0:
                text[at] = draw.randrange(256)
            elif kind == 1:
                del text[at : at + draw.randint(1, 30)]
            elif kind == 2:
                text[at:at] = draw.choice(pieces)
            else:
                text[at:at] = text[at : at + draw.randint(1, 200)]
            text = text or bytearray(b"\n")
        path = tmp_path / f"{number % 7}.jsonl"
        path.write_bytes(text)
        for part in ("retrieved", "cited"):
            fault = refuse(AnswerRun(str(path), part))
            ended += fault is not None
            assert fault is None or (fault.exit_code, "\n" in str(fault)) == (3, False)
        detect_answers(str(path))
    assert ended > 300


def test_the_memory_does_not_grow_with_the_texts(tmp_path):
    many = 300
    with (tmp_path / "long.jsonl").open("w") as file:
        file.writelines(
            json.dumps(answer(topic_id=topic, answer=[{"text": "word " * 20_000, "citations": [0]}])) + "\n"
            for topic in range(many)
        )
    assert (tmp_path / "long.jsonl").stat().st_size > 30e6
    tracemalloc.start()
    run = run_format.read(AnswerRun(str(tmp_path / "long.jsonl"), "cited"))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(run.docnos) == many
    assert most < 25e6


documents = st.lists(st.sampled_from([f"d{at}" for at in range(9)]), unique=True, min_size=1)


@given(documents, st.lists(st.lists(st.integers(0, 8), max_size=4), max_size=5))
def test_cited_documents_are_ranked_by_their_first_citation(tmp_path_factory, references, sentences):
    """Against a loop that asks of each pair of documents which one a reader meets first."""
    inside = [[at % len(references) for at in cited] for cited in sentences]
    by_number = [{"topic_id": "1", "references": references, "answer": [{"citations": each} for each in inside]}]
    by_docno = [{"metadata": {"narrative_id": "1"}, "references": references,
                 "answer": [{"citations": [references[at] for at in each]} for each in inside]}]  # fmt: skip
    flat = [references[at] for cited in inside for at in cited]
    sentence = {
        references[at]: min(n for n, cited in enumerate(inside) if at in cited) for cited in inside for at in cited
    }
    folder = tmp_path_factory.mktemp("answers")
    for answers, first in ((by_number, sentence), (by_docno, {docno: flat.index(docno) for docno in flat})):
        path = write(folder, answers)
        found = read(path, "cited")["1"]
        assert found.keys() == first.keys()
        for one in found:
            for other in found:
                assert (found[one] > found[other]) == (first[one] < first[other])
        assert sorted({*found.values()}) == list(range(1, len({*found.values()}) + 1))
