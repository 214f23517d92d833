"""The page of an explanation lists queries that lose, and words only where there are texts."""

import re

import fairtrec

RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"a": 2.0, "b": 1.0}}
QRELS = {qid: {"a": 1} for qid in RUN}


def pages(explanation, tmp_path):
    explanation.write(tmp_path / "page.html")
    return (tmp_path / "page.html").read_text("utf-8")


def test_perfect_queries_are_not_among_the_worst(tmp_path):
    found = fairtrec.explain("nDCG@10", RUN, qrels=QRELS)
    assert [each.qid for each in found.runs[0].list_losing("higher")] == ["q2"]
    assert re.findall(r"query (q\d):", pages(found, tmp_path)) == ["q2"]


def test_where_none_loses_the_first_is_shown():
    found = fairtrec.explain("nDCG@10", {"q1": RUN["q1"], "q3": RUN["q3"]}, qrels=QRELS)
    assert [each.qid for each in found.runs[0].list_losing("higher")] == ["q1"]


def test_with_counts_there_is_no_column_of_words(tmp_path):
    (tmp_path / "counts.tsv").write_text("docno\ttokens\tf\tm\na\t9\t3\t0\nb\t9\t1\t1\n")
    given = {"counts": tmp_path / "counts.tsv", "background": RUN}
    page = pages(fairtrec.explain("NFaiRR@1", RUN, **given), tmp_path)
    assert '<th class="words">group</th>' in page
    assert ">word<" not in page
    (tmp_path / "docs.tsv").write_text("a\tshe she her\nb\tshe he\n")
    given = {"terms": "gender-en", "docs": tmp_path / "docs.tsv", "background": RUN}
    page = pages(fairtrec.explain("NFaiRR@1", RUN, **given), tmp_path)
    assert '<th class="words">word</th><th class="words">group</th>' in page


def test_what_a_query_asks_stands_beside_it(tmp_path):
    (tmp_path / "queries.tsv").write_text("q9\tnothing\nq2\twho is <she>?\n")
    found = fairtrec.explain("nDCG@10", RUN, qrels=QRELS, query="q2", query_texts=tmp_path / "queries.tsv")
    assert "query q2 (who is &lt;she&gt;?):" in pages(found, tmp_path)
    assert "query q2 (who is <she>?): nDCG@10" in str(found)
    held = fairtrec.explain("nDCG@10", RUN, qrels=QRELS, query="q2", query_texts={"q2": "who"})
    assert "query q2 (who): nDCG@10" in str(held)
