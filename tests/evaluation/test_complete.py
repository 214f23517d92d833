"""-c: what trec_eval counts of the queries that a run lacks."""

QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\nq2 0 b 2\nq2 0 c 1\nq2 0 d 0\n"


def test_relevant_documents_and_queries_are_counted_where_the_run_has_none(fairtrec_command, tmp_path):
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text("q1 Q0 a 1 2 t\nq1 Q0 x 2 1 t\n")
    asked = ("eval", tmp_path / "q", tmp_path / "r", "-f", "trec", "-m", "num_rel num_q num_ret num_rel_ret")
    complete = fairtrec_command(*asked, "-c").out
    assert [line.split()[0::2] for line in complete.splitlines()] == [
        ["num_rel", "5"], ["num_q", "2"], ["num_ret", "2"], ["num_rel_ret", "1"],
    ]  # fmt: skip
    assert [line.split()[2] for line in fairtrec_command(*asked).out.splitlines()] == ["2", "1", "2", "1"]
    of_level = fairtrec_command("eval", tmp_path / "q", tmp_path / "r", "-c", "-f", "trec", "-m", "NumRel(rel=2)").out
    assert of_level.split()[-1] == "1"
