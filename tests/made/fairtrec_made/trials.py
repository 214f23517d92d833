"""For every option of ``eval`` a value to try, on a small collection on which each must show.

A value is the text behind the option; options that choose from words, and those of the table of choices, need none
here. ``SITUATIONS`` are commands to which options are added, by the words that call them, each with the options that
it has already. ``UNCHANGED`` lists what changes no output, with the reason. tests/commands/NAME/trials.py has those of
other commands.
"""

import io

import numpy as np

TEXTS = {
    "a": "She said that her mother was a nurse and her sister a doctor.",
    "b": "He and his father are men; he met a woman.",
    "c": "The king and the queen went with their son, (he) and HER.",
    "d": "Nothing of the kind is told here.",
    "e": "His brother, her brother, his uncle: he, he and he.",
    "g": "A girl and a boy: she, he, she.",
}
RUN = """\
1 Q0 a 1 3 r
1 Q0 b 2 3 r
1 Q0 c 4 2.0000000001 r
1 Q0 e 3 2 r
1 Q0 d 5 1 r
2 Q0 d 3 4 r
2 Q0 e 1 5 r
2 Q0 c 2 5 r
2 Q0 g 4 1 r
3 Q0 g 1 9 r
3 Q0 a 2 8 r
3 Q0 e 4 7 r
3 Q0 b 5 6 r
"""
_OTHER = (
    "1 Q0 e 1 3 s\n1 Q0 a 2 2 s\n1 Q0 g 3 1 s\n2 Q0 g 1 2 s\n2 Q0 e 2 1 s\n3 Q0 b 1 2 s\n3 Q0 a 2 1 s\n3 Q0 d 3 1 s\n"
)
QRELS = "1 0 a 2\n1 0 b 1\n1 0 e 1\n1 0 d 0\n2 0 c 1\n2 0 e 2\n2 0 g 2\n3 0 g 2\n3 0 a 1\n3 0 b 2\n4 0 a 1\n"
COUNTS = "docno\ttokens\tf\tm\na\t12\t4\t0\nb\t9\t1\t4\nc\t12\t2\t3\nd\t6\t0\t0\ne\t9\t1\t7\ng\t8\t3\t2\n"
_TERMS = "she,f\nher,f\nwoman,f\ngirl,f\nqueen,f\nhe,m\nhis,m\nboy,m\nking,m\nfather,m\n"
_VECTORS = io.BytesIO()
np.save(_VECTORS, np.array([[(7 * row + 3 * column) % 5 for column in range(3)] for row in range(6)], np.float32))
_FAIR_TRUTH = "".join(
    f'{{"qid": {qid}, "query": "q", "documents": [{{"doc_id": "a", "relevance": 1}}, {{"doc_id": "b", "relevance": 0}}]}}\n'
    for qid in (1, 2)
)
_FAIR_RUN = "".join(f'{{"q_num": "0.{at}", "qid": {at + 1}, "ranking": ["b", "a"]}}\n' for at in (0, 1))

FILES = {
    "qrels": QRELS,
    "judge.qrels": "1 0 a 1\n1 0 b 1\n1 0 e 0\n1 0 d 1\n2 0 c 2\n2 0 e 2\n2 0 g 0\n3 0 g 2\n3 0 a 0\n3 0 b 2\n4 0 a 1\n",
    "three.txt": "a.run\nb.run\nbg.run\n",
    "a.run": RUN,
    "b.run": _OTHER,
    "none.run": "1 Q0 d 1 2 n\n2 Q0 d 1 2 n\n3 Q0 d 1 2 n\n",  # whose values are the least
    "cf/none.run": _OTHER,
    "cf/a.run": _OTHER,
    "cf/b.run": RUN,
    "bg.run": "".join(f"{qid} Q0 {docno} 1 {-ord(docno)} b\n" for qid in "1234" for docno in TEXTS),
    "docs.tsv": "".join(f"{docno}\t{text}\n" for docno, text in TEXTS.items()),
    "more.tsv": "a\tShe met her and her friend, mary.\nz\tHe went.\n",
    "few.tsv": "a\tShe\n",
    "counts.tsv": COUNTS,
    "terms.csv": _TERMS,
    "pairs.csv": "she,he\nher,his\nher,him\nqueen,king\nHunter,Rose\n",
    "gold.tsv": "docno\tgroup\na\tm\nb\tf\nc\t-\nd\t-\ne\tm\ng\tf\n",
    "drawn.tsv": "docno\tgroup\tprobability\na\tf\t0.5\nb\tf\t0.25\nc\t-\t1\nd\tm\t0.8\ne\tm\t0.4\n",
    "labels.tsv": "a\tf\nb\tm\nc\tf\nc\tm\nd\tx\ne\tm\ng\tf\n",
    "stances.tsv": "docno\tx\na\t-1\nb\t0.5\nc\t0.2\nd\t0\ne\t1\ng\t-0.3\n",
    "views.csv": "qid,docno,score,slot\n1,a,3,1\n1,b,2,3\n1,e,1,4\n2,e,5,2\n2,c,4,5\n3,g,2,1\n3,d,1,9\n",
    "queries.txt": "1\n3\n",
    "weights.tsv": "1\t1\n2\t0.5\n3\t0.2\n4\t0.1\n5\t0.1\n",
    "slices.tsv": "1\tshort\n2\tlong\n3\tlong\n",
    "clusters.tsv": "1\tann\n2\tben\n3\tben\n4\tcat\n5\tdan\n",
    "vectors.npy": _VECTORS.getvalue(),
    "ids.txt": "a\nb\nc\nd\ne\ng\n",
    "fit.tsv": "1 b\n1 e\n2 d\n2 g\n3 a\n3 b\n",
    "votes.tsv": "1\tx\tn\n1\ty\tn\n1\tz\tf\n2\tx\tf\n2\ty\tf\n2\tz\tf\n3\tx\tn\n3\ty\tn\n3\tz\tn\n",
    "asked.tsv": "qid\tquery\tKind\n1\twho is she\tWork\n2\twho is he\tHome\n3\twho are they\tWork, Home\n",
    "texts.tsv": "1\twho is she\n2\twho is he\n3\twho are they\n",
    "sides.tsv": "1 a x\n1 b y\n2 c x\n2 e y\n3 g x\n3 a y\n",
    "values.csv": "run,qid,RR\na,1,0.5\na,2,1\nb,1,1\nb,2,0.25\n",
    "pages.jsonl": '{"page_id": 1, "qual_cat": "B", "gender": [], "page_subcont_regions": [], "source_subcont_regions": {}}\n',
    "reldocs.jsonl": '{"id": 1, "rel_docs": [1]}\n',
    "world.csv": "Name,Population\nOceania,1\n",
    "sequences.csv": "0.0,1\n0.1,2\n",
    "truth.jsonl": _FAIR_TRUTH,
    "fair.jsonl": _FAIR_RUN,
    "authors.csv": "a,x,y\nb,y\n",
    "options.toml": "[tool.fairtrec.check]\nplaces = 3\nconfidence = 0.8\n",
}  # fmt: skip

VALUES = {
    "--measure": "P@2 RR",
    "--terms": "terms.csv",
    "--docs": "docs.tsv",
    "--counts": "counts.tsv",
    "--labels": "labels.tsv",
    "--stances": "stances.tsv",
    "--discount": "weights.tsv",
    "--counterfactual": "cf",
    "--queries": "queries.txt",
    "--background": "bg.run",
    "--target": "qrels",
    "--jobs": "1",
    "--limit": "lines=1000",
    "--sort": "nDCG@3",
    "--slice": "slices.tsv",
    "--cluster": "clusters.tsv",
    "--confidence": "0.9",
    "--title": "Ours",
    "--output": "new.out",
    "--places": "2",
    "--query-texts": "texts.tsv",
    "--depth": "3",
    "--gold": "gold.tsv",
}
MAYBE_DROPPED = {"--verbose": "it shows remarks that are folded, where there are so many"}
UNCHANGED = {
    "--jobs": "it says how fast, not what",
    "--keep-going": "no run here is broken",
    "--force": "there is no file to replace",
    "--untrusted": "no run is refused",
    "--limit": "no run is so long",
    "--no-links": "no run is a link",
    "--run-format": "the runs are of the format that auto finds",
}

_LABELS = {"--labels": "labels.tsv"}
_WORDS = {"--terms": "terms.csv", "--docs": "docs.tsv", "--background": "bg.run"}
_COUNTED = {"--counts": "counts.tsv", "--background": "bg.run"}


def list_situations(command, own, of_labels, of_words, bare=None):
    """List situations of a command that evaluates: by judgments only, if it can, with labels, with texts, with counts."""
    given = [] if bare is None else [(command, {**own, **bare})]
    return [
        *given,
        *(
            (command, {**own, **more})
            for more in ({**_LABELS, **of_labels}, {**_WORDS, **of_words}, {**_COUNTED, **of_words})
        ),
    ]


SITUATIONS = [
    *list_situations(
        "eval qrels none.run a.run b.run",
        {},
        {"-m": "nDCG@3 AWRF@3 NDKL@3"},
        {"-m": "nDCG@3 NFaiRR@3 AWRF@3"},
        bare={"-m": "nDCG@3 RR"},
    ),
    ("eval qrels none.run views.csv", {"-m": "nDCG@3 RR"}),
]
