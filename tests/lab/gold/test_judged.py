"""``--queries judged`` needs judgments, and this command has none."""


def test_commands_without_qrels_refuse_the_word(copied, fairtrec_command):
    done = fairtrec_command("gold", "draw", "bm25.run", "--queries", "judged", "-o", "sheet.tsv")
    assert done.code == 2
    assert "--queries judged needs QRELS" in done.err
