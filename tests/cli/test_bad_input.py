"""Broken input and wrong usage: one line that says where and what to do, the promised exit code, nothing left behind."""

import gzip
import os
import re

import pytest
import zstandard

from fairtrec.support.files import opening

pytestmark = pytest.mark.fuzz

USAGE, INPUT, RESOURCE = 2, 3, 4

GOOD = {
    "qrels": b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "a.run": b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d3 1 1.0 tag\n",
    "back.run": b"q1 Q0 d1 1 2 back\nq1 Q0 d2 2 1 back\nq2 Q0 d3 1 1 back\n",
    "docs.tsv": b"d1\tshe and he\nd2\the\nd3\tnobody\n",
    "docs.jsonl": b'{"id": "d1", "text": "she"}\n{"id": "d2", "text": "he"}\n{"id": "d3", "text": ""}\n',
    "counts": b"docno tokens f m\nd1 3 1 1\nd2 1 0 1\nd3 1 0 0\n",
    "groups": b"# terms\nshe,f\nhe,m\n",
    "qids": b"q1\nq2\n",
    "short.run": b"q1 Q0 d1 1 2.5 tag\n",
}
TEXTS = "eval qrels a.run --terms groups --docs docs.tsv --background back.run"
JSONL = "eval qrels a.run --terms groups --docs docs.jsonl"
COUNTS = "eval qrels a.run --counts counts --background back.run --queries qids"

# name: the file that is broken (or None), what stands in it, the arguments, the exit code, the start of the message
RUN = GOOD["a.run"]
FILES = {
    "run: too few columns": ("a.run", RUN + b"q2 Q0 d9 2 0.5\n", TEXTS, "a.run:4: 5 columns instead of 6; write"),
    "run: too many columns": ("a.run", RUN + b"q2 Q0 d9 2 0.5 my tag\n", TEXTS, "a.run:4: 7 columns"),
    "run: commas": ("a.run", b"q1,Q0,d1,1,2.5,tag\n", TEXTS, "a.run:1: 1 column instead of 6"),
    "run: score is a word": ("a.run", RUN + b"q2 Q0 d9 2 high t\n", TEXTS, "a.run:4: the score 'high' is not"),
    "run: score is nan": ("a.run", RUN + b"q2 Q0 d9 2 nan t\n", TEXTS, "a.run:4: the score 'nan' is not a finite"),
    "run: score is inf": ("a.run", RUN + b"q2 Q0 d9 2 -inf t\n", TEXTS, "a.run:4: the score '-inf' is not a finite"),
    "run: score overflows": ("a.run", RUN + b"q2 Q0 d9 2 1e999 t\n", TEXTS, "a.run:4: the score '1e999' is not"),
    "run: score 1_000": ("a.run", RUN + b"q2 Q0 d9 2 1_000 t\n", TEXTS, "a.run:4: the score '1_000' is not"),
    "run: score 1,5": ("a.run", RUN + b"q2 Q0 d9 2 1,5 t\n", TEXTS, "a.run:4: the score '1,5' has a comma; write numbers with a decimal point"),
    "run: duplicate": ("a.run", RUN + b"q2 Q0 d3 2 0.5 t\n", TEXTS, "a.run:4: document d3 appears twice under query q2"),
    "run: duplicate, not adjacent": ("a.run", RUN + b"q1 Q0 d2 3 0.5 t\n", TEXTS, "a.run:4: document d2 appears twice under query q1 (first on line 2)"),
    "run: rank is a word": ("a.run", RUN + b"q2 Q0 d9 x 0.5 t\n", TEXTS + " --order rank", "a.run:4: the rank 'x' is not an integer"),
    "run: empty": ("a.run", b"", TEXTS, "a.run: this run has no lines"),
    "run: blank lines only": ("a.run", b"\n \n", TEXTS, "a.run: this run has no lines"),
    "run: comments only": ("a.run", b"# nothing\n", TEXTS, "a.run: this run has no lines"),
    "run: not UTF-8": ("a.run", RUN + b"q2 Q0 d\xe9 2 0.5 t\n", TEXTS, "a.run:4: bytes that are not UTF-8"),
    "run: UTF-16": ("a.run", RUN.decode().encode("utf-16"), TEXTS, "a.run: this is UTF-16; save it as UTF-8"),
    "run: NUL": ("a.run", RUN + b"q2 Q0 d\0 2 0.5 t\n", TEXTS, "a.run:4: a NUL byte"),
    "run: a docno of 5,000 bytes": ("a.run", RUN + b"q2 Q0 " + b"d" * 5000 + b" 2 0.5 t\n", TEXTS, "a.run:4: a docno of more than 1024 bytes"),
    "run: an endless line": ("a.run", RUN + b"x" * (1 << 22), TEXTS, "a.run:4: a line of more than 1 MiB; break it up"),
    "run: gz cut off": ("a.run", gzip.compress(RUN)[:-9], TEXTS, "a.run: the compressed data is cut off"),
    "run: gz damaged": ("a.run", gzip.compress(RUN)[:-8] + b"12345678", TEXTS, "a.run: the compressed data is cut off or damaged"),
    "run: zst cut off": ("a.run", zstandard.compress(RUN)[:-3], TEXTS, "a.run: reading failed"),
    "run: not there": ("a.run", None, TEXTS, "a.run: there is no such file"),
    "run: no query of the qrels": ("a.run", b"q8 Q0 d1 1 2.5 t\n", "eval qrels a.run", "a.run: the run and the qrels have no query in common"),
    "run: none of the wanted queries": ("qids", b"q8\n", COUNTS, "a.run: the run has none of the wanted queries"),
    "run: documents without a text": ("a.run", b"q1 Q0 x7 1 2.5 t\n", TEXTS, "a.run: 1 of 3 documents that the measures look at have no text or counts, such as x7 at rank 1 of query q1"),
    "run: documents without counts": ("a.run", b"q1 Q0 x7 1 2.5 t\n", COUNTS, "a.run: 1 of 3 documents that the measures look at have no text or counts, "),
    "background: too few columns": ("back.run", b"q1 Q0 d1 1 2\n", TEXTS, "back.run:1: 5 columns instead of 6"),
    "background: not there": ("back.run", None, TEXTS, "back.run: there is no such file"),
    "background: documents without a text": ("back.run", b"q1 Q0 x7 1 2.5 t\n", TEXTS, "1 of 4 documents that the measures look at have no text or counts, such as x7"),
    "qrels: empty": ("qrels", b"", TEXTS, "qrels: this qrels file has no lines"),
    "qrels: 3 columns": ("qrels", b"q1 0 d1 1\nq1 d2 1\n", TEXTS, "qrels:2: 3 columns instead of 4"),
    "qrels: grade 1.0": ("qrels", b"q1 0 d1 1\nq1 0 d2 1.0\n", TEXTS, "qrels:2: the grade '1.0' is not an integer"),
    "qrels: grade is a word": ("qrels", b"q1 0 d1 relevant\n", TEXTS, "qrels:1: the grade 'relevant' is not an integer"),
    "qrels: grade too large": ("qrels", b"q1 0 d1 99999999999999999999\n", TEXTS, "qrels:1: the grade '9999"),
    "qrels: duplicate": ("qrels", b"q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 0\n", TEXTS, "qrels:3: document d1 is judged twice for query q1"),
    "qrels: not UTF-8": ("qrels", b"q1 0 d\xff 1\n", TEXTS, "qrels:1: bytes that are not UTF-8"),
    "qrels: a table": (
        "qrels", b"search;docno\ns1;a\n", TEXTS,
        "qrels: this table has none of the columns query_id, qid, q_id, queryid, topic_id, request_id or the like, but search,",
    ),
    "qrels: a run": ("qrels", RUN, TEXTS, "qrels: this looks like a run, not like qrels; the order is QRELS RUN"),
    "qrels: neither file nor dataset": ("qrels", None, TEXTS, "qrels: there is no such file or ir_datasets id"),
    "qrels: gz cut off": ("qrels", gzip.compress(GOOD["qrels"])[:-9], TEXTS, "qrels: the compressed data is cut off"),
    "groups: empty": ("groups", b"", TEXTS, "groups: this term list has fewer than two groups"),
    "groups: one group": ("groups", b"she,f\nher,f\n", TEXTS, "groups: this term list has fewer than two groups"),
    "groups: no group": ("groups", b"she,f\nhe\n", TEXTS, "groups:2: this line has no group; write it as: term,group"),
    "groups: empty term": ("groups", b"she,f\nhe,m\n,m\n", TEXTS, "groups:3: this line has no term"),
    "groups: empty group": ("groups", b"she,f\nhe,\n", TEXTS, "groups:2: this line has no group"),
    "groups: three columns": ("groups", b"she\tf\nhe\tm\t1\n", TEXTS, "groups:2: this line has more than two columns"),
    "groups: a term without a token": ("groups", b"she,f\n--,m\n", TEXTS, "groups: the tokenizer strip finds no token in the term '--'"),
    "groups: not UTF-8": ("groups", b"she,f\nh\xe9,m\n", TEXTS, "groups:2: bytes that are not UTF-8"),
    "queries: empty": ("qids", b"# none\n", COUNTS, "qids: this query set is empty"),
    "queries: duplicate": ("qids", b"q1\nq2\nq1\n", COUNTS, "qids:3: query q1 appears twice"),
    "queries: nothing in the first column": ("qids", b"q1\n\tq2\n", COUNTS, "qids:2: this line has no query id"),
    "docs: empty": ("docs.tsv", b"", TEXTS, "a.run: 3 of 3 documents that the measures look at have no text or counts, "),
    "docs: no tab": ("docs.tsv", b"d1\tshe\nd2 he\n", TEXTS, "docs.tsv:2: this line has no tab after the docno"),
    "docs: duplicate": ("docs.tsv", GOOD["docs.tsv"] + b"d1\tagain\n", TEXTS, "docs.tsv:4: document d1 appears twice"),
    "docs: not UTF-8": ("docs.tsv", b"d1\tsh\xe9\n", TEXTS, "docs.tsv:1: bytes that are not UTF-8"),
    "docs: NUL": ("docs.tsv", b"d1\tshe\nd2\t\0\n", TEXTS, "docs.tsv:2: a NUL byte"),
    "docs: neither file nor dataset": ("docs.tsv", None, TEXTS, "docs.tsv: there is no such file; check the name"),
    "docs: gz cut off": ("docs.tsv", gzip.compress(GOOD["docs.tsv"])[:-9], TEXTS, "docs.tsv: the compressed data is cut off"),
    "docs: not JSON": ("docs.jsonl", b'{"id": "d1", "text": "she"}\n{"id": "d2", "text"}\n', JSONL, "docs.jsonl:2: this line is not JSON"),
    "docs: JSON without id": ("docs.jsonl", b'{"name": "d1", "text": "she"}\n', JSONL, "docs.jsonl:1: this line has no docno"),
    "docs: JSON without text": ("docs.jsonl", b'{"id": "d1", "body": "she"}\n', JSONL, "docs.jsonl:1: this line has no text"),
    "docs: JSON duplicate": ("docs.jsonl", GOOD["docs.jsonl"] * 2, JSONL, "docs.jsonl:4: document d1 appears twice"),
    "counts: empty": ("counts", b"", COUNTS, "counts: this file has no lines"),
    "counts: no header": ("counts", b"d1 3 1 1\n", COUNTS, "counts:1: the first line is not the header of a table of counts"),
    "counts: one group": ("counts", b"docno tokens f\nd1 3 1\n", COUNTS, "counts:1: the first line is not the header"),
    "counts: a group twice": ("counts", b"docno tokens f f\nd1 3 1 1\n", COUNTS, "counts:1: the first line is not the header"),
    "counts: negative": ("counts", GOOD["counts"] + b"d4 1 -1 0\n", COUNTS, "counts:5: a negative count"),
    "counts: not whole": ("counts", GOOD["counts"] + b"d4 1 .5 0\n", COUNTS, "counts:5: the f '.5' is not an integer"),
    "counts: too few columns": ("counts", GOOD["counts"] + b"d4 1 0\n", COUNTS, "counts:5: 3 columns instead of 4"),
    "counts: duplicate": ("counts", GOOD["counts"] + b"d1 1 0 0\n", COUNTS, "counts:5: document d1 appears twice"),
    "counts: other groups than the list": ("groups", b"x,a\ny,b\n", COUNTS + " --terms groups", "counts: the counts are of the groups f, m, the list groups has a, b"),
    "counts: not there": ("counts", None, COUNTS, "counts: there is no such file"),
}  # fmt: skip

OPTIONS = {
    "unknown measure": (TEXTS + " -m nDGC@10", USAGE, "there is no measure nDGC; did you mean nDCG?"),
    "unknown measure, no near name": (TEXTS + " -m xyzzy", USAGE, "there is no measure xyzzy; `fairtrec measures`"),
    "unknown parameter": (TEXTS + " -m NFaiRR(tua=1)", USAGE, "NFaiRR(tua=1): NFaiRR has no parameter tua; did you mean tau?"),
    "value of a parameter": (TEXTS + " -m ARaB(mag=tf-paper)", USAGE, "ARaB(mag=tf-paper): the parameter mag cannot be 'tf-paper'; did you mean tf_paper?"),
    "type of a parameter": (TEXTS + " -m NFaiRR(tau=x)", USAGE, "NFaiRR(tau=x): the parameter tau is 'x'"),
    "cutoff 0": (TEXTS + " -m NFaiRR@0", USAGE, "NFaiRR"),
    "notation": (TEXTS + " -m NFaiRR(tau=1", USAGE, "cannot read the measure 'NFaiRR(tau=1'"),
    "no background": ("eval qrels a.run --counts counts -m NFaiRR@10", USAGE, "NFaiRR@10 needs a background set; add --background"),
    "no texts": ("eval qrels a.run -m TExFAIR@10", USAGE, "TExFAIR@10 needs "),
    "no qrels": ("eval none a.run --counts counts -m nDCG@10", USAGE, "nDCG@10 needs relevance judgments; add a qrels file"),
    "nothing to measure": ("eval none a.run", USAGE, "there is nothing to measure; pass a qrels file"),
    "texts without groups": ("eval qrels a.run --docs docs.tsv", USAGE, "texts were given, but no words to look for; add --terms"),
    "texts and counts": (TEXTS + " --counts counts", USAGE, "both texts and counts were given; leave out --docs or"),
    "collection of texts": ("eval qrels a.run --terms groups --docs docs.tsv --background collection", USAGE, "--background collection needs the counts"),
    "target does not sum to 1": (TEXTS + " --target f=0.4,m=0.4", USAGE, "the target's shares sum to 0.8"),
    "negative target": (TEXTS + " --target f=-0.5,m=1.5", USAGE, "the target's shares sum to 1"),
    "target nan": (TEXTS + " --target f=nan,m=1", USAGE, "the target's shares sum to nan"),
    "target of other groups": (TEXTS + " --target f=0.4,x=0.6", USAGE, "the target has the groups f, x; write a share for each: f, m"),
    "target is no number": (TEXTS + " --target f=half,m=0.5", USAGE, "cannot read the target 'f=half,m=0.5'"),
    "target is a word": (TEXTS + " --target fair", USAGE, "the target 'fair' is not known"),
    "target without its input": ("eval none a.run --counts counts --target qrels", USAGE, "the target qrels needs relevance judgments"),
    "depth 0": (TEXTS + " -M 0", USAGE, "--depth is 0; it must be 1 or more"),
    "background depth 0": (TEXTS + " --background-depth 0", USAGE, "--background-depth is 0; it must be 1 or more"),
    "nothing to print": (TEXTS + " -n", USAGE, "-n leaves out the means"),
    "output in no folder": (TEXTS + " -o no/such/out.txt", USAGE, "the folder of no/such/out.txt is not there"),
    "unknown word list": ("eval qrels a.run --docs docs.tsv --terms gender-enn", RESOURCE, "there is no file gender-enn, and no resource is called 'gender-enn'; did you mean gender-en?"),
    "unknown query set": (TEXTS + " --queries no-such-set", RESOURCE, "there is no file no-such-set, and no resource"),
    "word list as a query set": (TEXTS + " --queries gender-en", RESOURCE, "gender-en is a wordlist, not a query set"),
    "query set that is not here": (TEXTS + " --queries msmarco-fair", RESOURCE, "msmarco-fair is not on this machine; run: fairtrec resources fetch msmarco-fair"),
    "a pattern that matches nothing": ("eval qrels ./z*.run", INPUT, "no file matches ./z*.run; check the pattern"),
    "a folder as qrels": ("eval . a.run", INPUT, ".: this is a folder; pass a file in it"),
    "a folder as texts": ("eval qrels a.run --terms groups --docs .", INPUT, ".: this is a folder; pass a file in it"),
    "a folder as groups": ("eval qrels a.run --terms . --docs docs.tsv", INPUT, ".: this is a folder"),
    "a folder as counts": ("eval qrels a.run --counts .", INPUT, ".: this is a folder; pass a file in it"),
    "a folder as queries": ("eval qrels a.run --counts counts --queries .", INPUT, ".: this is a folder; pass a file in it"),
    "empty standard input": ("eval qrels -", INPUT, "-: this run has no lines"),
    "standard input twice": ("eval - -", INPUT, "-: "),
    "counts on standard input": ("eval qrels a.run --counts -", INPUT, "-: this kind of file is read twice"),
    "a name too long for a file": ("eval qrels " + "x" * 5000, INPUT, "x" * 150 + "…" + "x" * 149 + ": "),
}  # fmt: skip

CASES = [
    *(pytest.param({name: text}, args, INPUT, start, id=case) for case, (name, text, args, start) in FILES.items()),
    *(pytest.param({}, args, code, start, id=case) for case, (args, code, start) in OPTIONS.items()),
]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with a small evaluation in which all is well."""
    for name, text in GOOD.items():
        (tmp_path / name).write_bytes(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))
    monkeypatch.delenv("FAIRTREC_DEBUG", raising=False)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    monkeypatch.setattr(opening, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(opening, "BLOCK", 1 << 16)
    return tmp_path


@pytest.mark.parametrize("arguments", [TEXTS, JSONL, COUNTS, "eval none short.run --counts counts", "eval qrels -"])
def test_without_the_fault_all_is_well(workplace, fairtrec_command, arguments):
    ended = fairtrec_command(*arguments.split(), "-o", "out.txt", stdin=GOOD["a.run"])
    assert (ended.code, ended.out, ended.complaints) == (0, "", [])
    assert "num_q" in (workplace / "out.txt").read_text()


@pytest.mark.parametrize(("files", "arguments", "code", "start"), CASES)
def test_one_line_says_what_is_wrong(workplace, fairtrec_command, files, arguments, code, start):
    for name, text in files.items():
        (workplace / name).unlink() if text is None else (workplace / name).write_bytes(text)
    before = sorted(workplace.iterdir())
    output = [] if " -o " in arguments else ["-o", "out.txt"]
    ended = fairtrec_command(*arguments.split(), *output)
    assert ended.code == code, ended.err
    assert ended.out == ""
    assert len(ended.complaints) == 1, ended.err
    assert ended.complaints[0].startswith(start)
    assert re.search(r"[;:?,] ", ended.complaints[0].removeprefix(start.split(" ")[0])), "what is wrong; what to do"
    assert "Traceback" not in ended.err
    assert "fault" not in ended.complaints[0]
    created = {path.name for path in set(workplace.iterdir()) - set(before)}
    assert created <= {"ir_datasets"}  # its own folder; no report, whole or half


@pytest.mark.parametrize(
    "arguments",
    [
        "eval qrels",
        "eval qrels a.run -f xml",
        "eval qrels a.run --nope",
        "evl",
        "eval qrels a.run -l x",
    ],
)
def test_what_is_no_option_is_told_with_the_usage(workplace, fairtrec_command, arguments):
    ended = fairtrec_command(*arguments.split())
    assert (ended.code, ended.out) == (USAGE, "")
    assert ended.complaints[0].startswith("Usage: fairtrec")
    assert ended.complaints[-1].startswith("Error: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(workplace, fairtrec_command):
    (workplace / "a.run").chmod(0)
    ended = fairtrec_command("eval", "qrels", "a.run")
    assert (ended.code, ended.complaints) == (INPUT, ["a.run: this file may not be read; change its permissions"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every folder")
def test_a_folder_that_may_not_be_written(workplace, fairtrec_command):
    (workplace / "closed").mkdir(mode=0o500)
    ended = fairtrec_command("eval", "qrels", "a.run", "-o", "closed/out.txt")
    assert ended.code == USAGE
    assert len(ended.complaints) == 1


def test_an_old_report_survives_a_failure(workplace, fairtrec_command):
    (workplace / "out.txt").write_text("old")
    (workplace / "a.run").write_bytes(b"broken\n")
    assert fairtrec_command(*TEXTS.split(), "-o", "out.txt").code == INPUT
    assert (workplace / "out.txt").read_text() == "old"


def test_a_query_that_the_background_lacks_is_undefined_and_told(workplace, fairtrec_command):
    (workplace / "back.run").write_bytes(b"q1 Q0 d1 1 2 back\n")
    ended = fairtrec_command(*TEXTS.split(), "-m", "NFaiRR@10", "-q")
    assert ended.code == 0
    assert "undefined: NFaiRR@10 in 1 of 2 queries" in ended.err
    assert re.search(r"NFaiRR@10\s+q2\s+nan", ended.out)
