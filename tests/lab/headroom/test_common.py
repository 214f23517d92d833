"""``--queries common`` counts all runs of which the fronts are, and rerank does not have it."""

RUNS = "bm25.run", "neural.run", "fair.run"


def test_the_front_of_all_runs_is_over_common_queries(copied, fairtrec_command):
    every = sorted({line.split()[0] for line in (copied / "bm25.run").read_text().splitlines()})
    for name, lacks in (("neural", every[:2]), ("fair", every[2:3])):
        lines = (copied / f"{name}.run").read_text().splitlines()
        (copied / f"{name}.run").write_text("".join(f"{line}\n" for line in lines if line.split()[0] not in lacks))
    (copied / "nine.txt").write_text("".join(f"{qid}\n" for qid in every[3:]))
    words = "--terms", "gender-en", "--docs", "collection.tsv", "--background", "background.run"
    asked = "headroom", "qrels.txt", *RUNS, *words, "--utility", "RR@5", "--fairness", "NFaiRR@5", "-f", "csv"
    assert fairtrec_command(*asked, "--queries", "common").out == fairtrec_command(*asked, "--queries", "nine.txt").out


def test_one_run_has_no_common_queries(copied, fairtrec_command):
    done = fairtrec_command("rerank", "qrels.txt", "bm25.run", "--by", "Random@3", "--queries", "common", "-o", "x.run")
    assert done.code == 2
