"""Files of a few lines, of each kind, and the scores of one run of them."""

import fairtrec

FILES = {
    "run": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq2 Q0 d3 1 2 t\nq2 Q0 d1 2 1 t\n",
    "other": "q1 Q0 d2 1 3 t\nq1 Q0 d1 2 2 t\nq2 Q0 d1 1 2 t\nq2 Q0 d3 2 1 t\n",
    "broken": "q1 Q0 d1 1 x t\n",
    "qrels": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n",
    "docs.tsv": "d1\tshe and he\nd2\the said\nd3\tthey said\n",
    "terms.csv": "she,f\nthey,f\nhe,m\nthey,m\n",
    "labels.tsv": "d1\tf\nd2\tm\nd3\tm\n",
    "per-query.tsv": "q1\td1\tf\nq1\td2\tm\nq2\td3\tm\nq2\td1\tf\n",
    "regions.tsv": "d1\tnorth\nd2\tsouth\nd3\tnorth\n",
    "other-labels.tsv": "q1\td1\tx\nq2\td3\ty\n",
    "targets.tsv": "q1\tf\t0.25\nq1\tm\t0.75\n",
    "nobody.tsv": "q9\tf\t1\n",
}
TEXTS = {"terms": "terms.csv", "docs": "docs.tsv"}


THREE, PARTIAL = ("bm25.run", "neural.run", "fair.run"), ("few.run", "less.run")


def write_partial_runs(folder):
    """Write two runs over the first four queries of the example next to it, the best and the worst, and these queries."""
    judged = {}
    for qid, _, docno, grade in map(str.split, (folder / "qrels.txt").read_text().splitlines()):
        judged.setdefault(qid, []).append((int(grade), docno))
    four = sorted(judged)[:4]
    for name, sign in zip(PARTIAL, (-1, 1), strict=True):
        ranked = {qid: sorted(judged[qid], key=lambda pair: sign * pair[0]) for qid in four}
        lines = (f"{qid} Q0 {docno} 1 {-at} {name}\n" for qid in four for at, (_, docno) in enumerate(ranked[qid]))
        (folder / name).write_text("".join(lines))
    (folder / "four.txt").write_text("".join(f"{qid}\n" for qid in four))
    return folder


def value(measure, run="run", **given):
    return fairtrec.evaluate(measure, run, qrels=given.pop("qrels", None), **given).scores[0]
