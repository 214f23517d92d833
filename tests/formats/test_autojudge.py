"""Answers are read as autojudge-base reads them, the program by which the tracks of 2025 and 2026 check and judge them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.formats import run as run_format
from fairtrec.support.files.answer_files import CITED, AnswerRun

pytestmark = pytest.mark.ecosystem


@pytest.fixture(scope="module")
def load_report(tmp_path_factory):
    """Import the oracle. It loads a list of stop words, which no reading of answers uses: here it has one word."""
    import nltk

    folder = tmp_path_factory.mktemp("nltk")
    (folder / "tokenizers" / "punkt").mkdir(parents=True)
    (folder / "corpora" / "stopwords").mkdir(parents=True)
    (folder / "corpora" / "stopwords" / "english").write_text("the\n")
    nltk.data.path.insert(0, str(folder))
    from autojudge_base import load_report

    yield load_report
    nltk.data.path.remove(str(folder))


DOCNOS = [f"shard_00001_{number}" for number in range(6)]
SUPPORT = st.sampled_from([0.0, 0.25, 1.0, 50.0, 100.0])
LISTS = st.lists(st.sampled_from(DOCNOS), max_size=4)
NUMBERS = st.lists(st.integers(0, len(DOCNOS) - 1), max_size=4)
SUPPORTED = st.dictionaries(st.sampled_from(DOCNOS), SUPPORT, max_size=4)
FORMS = {  # by track: the key of the topic, that of the sentences, what citations are, and whether there are references
    "RAG 2025 of numbers": ("narrative_id", "answer", NUMBERS, True),
    "RAG 2025 of docnos": ("narrative_id", "answer", LISTS, True),
    "RAG 2025 by AutoJudge": ("narrative_id", "answer", SUPPORTED, True),
    "RAG 2025 by AutoJudge, no references": ("topic_id", "answer", SUPPORTED, False),
    "RAGTIME of support": ("topic_id", "responses", SUPPORTED, False),
    "RAGTIME of support and references": ("topic_id", "responses", SUPPORTED, True),
    "RAGTIME and DRAGUN of docnos": ("topic_id", "responses", LISTS, False),
    "AutoJudge of numbers": ("topic_id", "responses", NUMBERS, True),
}


@pytest.mark.parametrize("form", FORMS)
@given(st.data())
def test_citations_and_their_order(load_report, tmp_path_factory, form, data):
    """fairtrec ranks documents by their first citation, and ties those of one sentence with the same support."""
    topic, key, citations, has_references = FORMS[form]
    answers = [
        {
            "metadata": {"team_id": "t", "run_id": "r", topic: f"{number}"},
            key: [
                {"text": "x", "citations": cited} for cited in data.draw(st.lists(citations, min_size=1, max_size=4))
            ],
            **({"references": data.draw(st.permutations(DOCNOS))} if has_references else {}),
        }
        for number in range(data.draw(st.integers(1, 3)))
    ]
    path = tmp_path_factory.mktemp("answers") / "a.jsonl"
    path.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    run = run_format.read(AnswerRun(str(path), CITED))
    theirs = load_report(path)
    assert sorted(run.qids) == [report.metadata.topic_id for report in theirs]
    for report in theirs:
        at = run.qids.index(report.metadata.topic_id)
        cited = [docno for sentence in report.get_sentences_with_citations() for docno in sentence.citations]
        lines = slice(run.starts[at], run.starts[at + 1])
        ours = dict(zip(map(bytes.decode, run.docnos[lines]), run.scores[lines].tolist(), strict=True))
        assert sorted(ours) == sorted({*cited})
        assert [ours[docno] for docno in dict.fromkeys(cited)] == sorted(ours.values(), reverse=True)
        assert len({*ours.values()}) == count_steps(report)


def count_steps(report):
    """Count the steps in which a reader of the oracle's report meets documents that are new."""
    seen, steps = set(), 0
    for sentence in report.get_sentences_with_citation_confidences():
        support = sentence.citations or {}
        for value in sorted({*support.values()}, reverse=True):
            fresh = {docno for docno, of in support.items() if of == value} - seen
            seen |= fresh
            steps += bool(fresh)
    return steps
