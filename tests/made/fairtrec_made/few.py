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


def value(measure, run="run", **given):
    return fairtrec.evaluate(measure, run, given.pop("qrels", None), **given).scores[0]
