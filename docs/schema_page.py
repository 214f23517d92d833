"""The page docs/schema.md: the keys of the results file from its schema, those of reports from small examples."""

import json
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from measure_pages import MADE
from pyarrow import parquet

import fairtrec
from fairtrec.commands import list_names
from fairtrec.report.writers import all_formats, find_formats

TESTS = Path(__file__).parent.parent / "tests"
sys.path.append(str(TESTS / "made"))

from fairtrec_made.command_trials import gather_trials  # noqa: E402 - small answers of commands

ABOUT = """Which keys do the JSON files of fairtrec have? Most reports of `-f json` have `fairtrec` (its version),
`signature`, `inputs`, `arguments` and `notes` of the results file. Numbers have full precision; undefined is `null`,
and infinite is `"Infinity"`. Ignore keys that you do not know. [What stays stable](stability.md) says how keys change.
"""
RESULTS = """## The results file

`fairtrec eval -f json` writes it. `check --baseline`, `results diff`, `results replay` and `fairtrec.read_results` read
it. Its JSON schema is in the package:

    python -c "import importlib.resources as r; print(r.files('fairtrec').joinpath('results.schema.json').read_text())"
"""
REPORTS = """## Reports

Capital letters are names: RUN is the name of a run, MEASURE a measure in the notation of `-m`. `[]` is each element of
a list.
"""
KINDS = ("Run", "Mean", "Ranking", "Pooled", "Slice", "Measure", "Note", "Input", "Ends", "Next")
SHARED = ("fairtrec", "signature", "inputs", "arguments", "notes")  # as in the results file
ORDERS = {
    "run1": ("abcd", "bcad", "acbd", "dabc", "cbda", "bdca"),
    "run2": ("bacd", "abcd", "cabd", "adbc", "bcda", "dbca"),
    "run3": ("cbda", "cadb", "dbca", "dcba", "abcd", "acbd"),
}
QIDS = ("q1", "q2", "q3", "q4", "q5", "q6")
RUNS = {
    name: {qid: dict(zip(order, (4.0, 3.0, 2.0, 1.0), strict=True)) for qid, order in zip(QIDS, orders, strict=True)}
    for name, orders in ORDERS.items()
}
GRADES = ((2, 1, 0, 0), (1, 2, 0, 1), (2, 0, 1, 0), (0, 1, 0, 2), (1, 0, 2, 1), (0, 2, 1, 0))
QRELS = {qid: dict(zip("abcd", grades, strict=True)) for qid, grades in zip(QIDS, GRADES, strict=True)}
LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
WORDS = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "she she", "b": "he", "c": "she he he", "d": "he he"}}
BOTH = "nDCG@2 AWRF@2"
NAMES = {
    **dict.fromkeys(RUNS, "RUN"),
    **dict.fromkeys(QRELS, "QID"),
    **dict.fromkeys(LABELS, "DOCNO"),
    **dict.fromkeys("fm", "GROUP"),
    **dict.fromkeys(("nDCG@2", "AWRF@2"), "MEASURE"),
}


def write_schema(schema: str) -> str:
    """Write the page."""
    whole = json.loads(schema)
    parts = [f"# The JSON of results files and reports\n\n{MADE}{ABOUT}"]
    parts.append(RESULTS)
    kinds = {f"{name}Entry": whole["$defs"][f"{name}Entry"] for name in KINDS}
    assert {*kinds} == {*whole["$defs"]}
    for name, each in {"": whole, **kinds}.items():
        title = f"### {name.removesuffix('Entry')}\n\n{each['description']}\n\n" if name else ""
        rows = [
            (f"`{key}`{'' if key in each['required'] else ', optional'}", _type(told), told["description"])
            for key, told in each["properties"].items()
        ]
        parts.append(f"{title}{_table(('Key', 'Type', 'Meaning'), rows)}")
    parts.append(REPORTS)
    for of, record in (*reports(), *recorded()):
        shapes: dict[str, set[str]] = {}
        for key, value in record.items():
            if key not in SHARED or of == "results diff":  # whose signature has what differs
                _read(key, value, shapes)
        rows = [(f"`{path}`", _named(kinds), _mean(of, path)) for path, kinds in shapes.items()]
        also = ", ".join(f"`{key}`" for key in SHARED if key in record and of != "results diff")
        also = f"With {also} and:\n\n" if also else ""
        parts.append(f"### `{of}`\n\n{also}{_table(('Key', 'Type', 'Meaning'), rows)}")
    rows = [(f"`{of}`", form, ", ".join(f"`{name}`" for name in names)) for of, form, names in columns()]
    parts.append(f"## Columns\n\n{_table(('Command', 'Format', 'Columns or keys'), rows)}")
    return "\n".join(parts)


ORDER = ("true or false", "integer", "number", "string", "list", "object", "null")


# What a key means, by its last name, in all reports or in one of them; a command declares those that only it has.
MEANINGS = gather_trials("KEY_MEANINGS") | {
    "absolute": "how reliable a mean is by itself",
    "adds": "what it adds to the value",
    "against": "the baseline",
    "agreement": "the share of pairs of votes that agree",
    "agreements": "by measure and cutoff",
    "alpha": "the reliability before it is cut at 0",
    "headroom alpha": "the share of the length of the front",
    "annotators": "the number of annotators",
    "baseline": "the mean of the baseline",
    "check baseline": "the mean of the baseline; at the top its name",
    "behind": "NFaiRR: what the rank loses against the ideal",
    "better": "which values are good",
    "bound": "the value to compare with",
    "headroom bound": "no order is fairer; null if unknown",
    "ceiling": "the value without any loss",
    "change": "the change of the value",
    "cliff": "Cliff's delta",
    "compared": "what is compared: values, or their absolute values",
    "confidence": "the level of intervals",
    "correction": "the correction for several comparisons",
    "correlation": "the correlation",
    "cutoff": "the cutoff",
    "deciding": "the differences that differ from the most frequent one",
    "defined": "the number of queries with a value",
    "detectable": "the smallest difference that the queries show with a power of 80 %",
    "difference": "the run minus the baseline",
    "distance": "DPFR: the distance from the point of the front",
    "docno": "the document; null after the end of the ranking",
    "docnos[]": "the two documents",
    "domains": "the domains of a query",
    "doubtful": "whether fewer than ten values or queries decide (`?`); in a summary, how many of its parts are so",
    "effect": "Cohen's d_z",
    "equivalence": "the margin of --equivalence",
    "exact": "whether the value is proven",
    "fail_on": "--fail-on",
    "failed": "the runs that could not be read",
    "fairness": "the fairness",
    "family": "what the correction is over",
    "front[][]": "the points of the front: utility and fairness",
    "gain": "the gain of the document",
    "explain baseline": "the name of the baseline; in `exposure` its share",
    "baseline_rank": "the rank in the baseline; null if it is not there",
    "baseline_value": "the mean of the baseline; in `per_query` its value",
    "came": "what documents add that only the run has",
    "went": "what documents add that only the baseline has",
    "moved": "what documents add that both have",
    "part": "came, went or moved",
    "lean": "the group of most of its terms; `-` for none",
    "explain GROUP": "what documents that lean to the group add",
    "explain rest": "the part of the value, or of the difference, that no document adds",
    "explain exposure": "by group, for measures that are no sum",
    "explain gain": "the gain of the document; at the top its name",
    "group": "the group",
    "groups[]": "the groups",
    "halves": "tau of halves",
    "high": "the upper end of the interval",
    "ideal": "NFaiRR: the gain that the best order of the background has at this rank",
    "interval": "the kind of the interval",
    "kept[]": "the queries of the set",
    "kind": "pearson, spearman or kendall",
    "explain kind": "how the value is split",
    "known": "whether the document has counts or a text",
    "left_out": "the queries left out",
    "like": "names of domains that may be the same",
    "loses": "what it loses; null if nothing can be lost",
    "losses": "queries in which the run is worse",
    "loss": "the share of utility that may be lost; null if the point is no loss",
    "low": "the lower end of the interval",
    "mean": "the mean of the run",
    "measure": "the measure",
    "n": "the number of values",
    "make queryset n": "queries with this label",
    "GROUP": "queries with this label",
    "name": "the coefficient",
    "needed": "the queries for the wanted reliability",
    "needed_high": "the upper end of its interval",
    "needed_low": "the lower end of its interval",
    "no_majority[]": "queries without a label",
    "other": "the other measure",
    "over": "queries or runs",
    "p": "the p-value",
    "p_corrected": "the corrected p-value",
    "p_equivalent": "the p-value that the difference is within the margin",
    "p_not_worse": "the p-value that the run is not worse by the margin",
    "passed": "whether every requirement passes",
    "places": "the number of ranks with the word",
    "point": "run, same grades, loss, most or dpfr",
    "prove": "--prove",
    "qid": "the query",
    "queries": "the number of queries",
    "rank": "the rank",
    "ranks[]": "the ranks",
    "reason": "why, if it is not plain",
    "reliability": "the reliability",
    "requirement": "the requirement",
    "resamples": "--resamples",
    "rest": "the part of the value that no rank adds",
    "rough": "whether words share by their number instead of exactly",
    "rule": "how votes become a label",
    "run": "the name of the run",
    "runs": "the number of runs",
    "seed": "--seed",
    "size": "whether absolute values are used",
    "slice": "the slice of queries",
    "status": "passed, warning or failed",
    "strict": "--strict",
    "tag": "the tag in its file",
    "tau": "Kendall's tau-b with the order by the deepest cutoff",
    "tau_ap": "the same with more weight at the top",
    "term": "the word",
    "test": "the test",
    "ties": "queries in which both are the same",
    "times": "how often it occurs",
    "tolerance": "how far below the baseline passes",
    "undefined": "values left out",
    "utility": "the utility",
    "value": "the value",
    "variance_query": "the share of the variance of single values due to queries",
    "variance_residual": "the rest of it",
    "variance_run": "the share due to runs",
    "verdict": "what the test shows",
    "votes": "the number of votes",
    "wanted": "--wanted",
    "what_if": "the value without a term (--what-if)",
    "why": "why the value is undefined",
    "wins": "queries in which the run is better",
    "without": "the value without the document",
    "word": "the word",
    "words": "queries with a group term, and their terms",
    "worst_slice": "whether it is the slice with the worst mean",
    "by": "what the shares refer to: the plain labels, the documents that could be drawn, or what runs expose",
    "documents": "the number of documents",
    "kappa": "Cohen's kappa",
    "kappa_low": "the lower end of its interval",
    "kappa_high": "the upper end of its interval",
    "kappa_doubtful": "whether fewer than ten queries or documents decide it (`?`)",
    "gold agree agreement": "the share of documents with the same groups",
    "gold agree alpha": "Krippendorff's alpha",
    "labeled": "documents that people put into the group",
    "several": "documents of several groups",
    "gold agree GROUP": "of these, what the instrument found",
    "recall": "the share of these that the instrument finds",
    "recall_low": "the lower end of its interval",
    "recall_high": "the upper end of its interval",
    "recall_doubtful": "whether fewer than ten queries or documents decide it (`?`)",
    "precision": "the share of documents found for the group that people put into it",
    "precision_low": "the lower end of its interval",
    "precision_high": "the upper end of its interval",
    "precision_doubtful": "whether it is over few documents (`?`)",
    "share_gold": "the group's share by gold labels",
    "share_instrument": "the group's share by the instrument",
    "judge": "the name of the judge",
    "gold judges pairs": "pairs of query and document that people and the judge judged",
    "only_human": "pairs that only people judged",
    "only_judge": "pairs that only the judge judged",
    "gold judges queries": "queries that the numbers are over",
    "gold judges relevant": "pairs that people call relevant",
    "judged_relevant": "pairs that the judge calls relevant",
    "gold judges recall": "the share of the relevant pairs that the judge finds",
    "recall_queries": "queries that the recall is over",
    "false_positive": "the share of the other pairs that the judge calls relevant",
    "false_positive_low": "the lower end of its interval",
    "false_positive_high": "the upper end of its interval",
    "false_positive_doubtful": "whether fewer than ten queries decide it",
    "false_positive_queries": "queries that it is over",
    "gold judges of[]": "the two groups: the first minus the second",
    "rate": "recall or false_positive",
    "overall": "the difference over all queries",
    "overall_low": "the lower end of its interval",
    "overall_high": "the upper end of its interval",
    "overall_doubtful": "whether fewer than ten queries decide it",
    "gold judges difference": "the difference within queries; of a family, to all other runs",
    "gold judges low": "the lower end of the interval",
    "gold judges high": "the upper end of the interval",
    "gold judges verdict": "higher, lower, not shown or not tested, within queries",
    "gold judges runs": "the number of runs",
    "gold judges tau_b": "Kendall's tau-b between the orders by people and by the judge",
    "gold judges tau_ap": "tau_ap between them",
    "gold judges reliability": "the reliability of people's order",
    "judge_reliability": "the reliability of the judge's order",
    "gold judges halves": "the mean of Kendall's tau-b between people's orders by two halves of the queries",
    "files[]": "the two files",
    "same": "whether the files agree",
    "versions": "versions that differ",
    "changed": "measures whose values changed between the versions",
    "depth[]": "the two values of a field of the signature that differs; so for each such field",
    "inputs": "files whose sha256 differs",
    "results diff runs": "runs in only one file",
    "measures[][]": "measures in only one file, with null for the other",
    "qids": "queries in only one file, by run",
    "results diff queries": "numbers of queries that differ; in `values`, the queries compared",
    "results diff exact": "--exact",
    "results diff tolerance": "--tolerance",
    "results diff compared": "the number of values compared",
    "near": "values that differ within the tolerance",
    "others": "of a replay, the other entries of the file that differ: `key`, `recorded` and `now`",
    "renamed": "runs of two names in the two files, matched by sha256",
    "means[]": "the two means",
    "defined[]": "the two numbers of queries with a value",
    "differing": "queries whose values differ",
    "largest": "the largest difference",
    "values[]": "the two values",
    "errors": "the number of errors",
    "warnings": "the number of warnings",
    "lines": "the number of lines",
    "validate depth[]": "documents per query: least, median and greatest",
    "E401": "findings of this code",
    "W501": "findings of this code",
    "W601": "findings of this code",
    "line": "the line; null for the whole file",
    "code": "the code",
    "validate name": "the name of the code",
    "severity": "error or warning",
    "message": "the message",
    "count": "of findings about queries, how many queries",
    "validate qids": "these queries",
    "validate qids[]": "these queries",
    "fixed": "the repairs of --fix",
    "all_runs": "the front of the documents of all runs; null if it is not exact",
}


def _mean(of: str, path: str) -> str:
    """Give the meaning of a key of a report."""
    last = path.rpartition(".")[2]
    if last.startswith("lemma "):
        return "queries solved in this way; other ways are other keys"
    return MEANINGS.get(f"{of.partition(' -')[0]} {last}") or MEANINGS[last]


def _named(kinds: set[str]) -> str:
    """Name the types of a key; whole numbers among others are numbers."""
    return " or ".join(sorted(kinds - {"integer"} if "number" in kinds else kinds, key=ORDER.index))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"|{'|'.join(cells)}|\n" if cells[0] == "---" else f"| {' | '.join(cells)} |\n" for cells in lines)


def _type(told: dict[str, Any]) -> str:
    """Name the type of a key of the schema."""
    if "$ref" in told:
        return told["$ref"].rpartition("/")[2].removesuffix("Entry")
    if "anyOf" in told:
        several = list(dict.fromkeys(map(_type, told["anyOf"])))
        return "number" if "number" in several else " or ".join(several)
    if "const" in told or "enum" in told:
        return " or ".join(f"`{json.dumps(each)}`" for each in told.get("enum", [told.get("const")]))
    inner = {"array": "items", "object": "additionalProperties"}.get(told.get("type", ""))
    name = {"array": "list"}.get(told.get("type", "any"), told.get("type", "any"))
    return f"{name} of {_type(told[inner])}" if inner else name


def _read(path: str, value: Any, shapes: dict[str, set[str]]) -> None:
    """Add the paths of a value, and of what it holds, with their types."""
    if isinstance(value, dict) and value:
        for key, each in value.items():
            _read(f"{path}.{NAMES.get(key, 'FOLD' if key.isdigit() else key)}", each, shapes)
    elif isinstance(value, list) and value:
        for each in value:
            _read(f"{path}[]", each, shapes)
    else:
        kinds = {bool: "true or false", int: "integer", float: "number", str: "string", list: "list", dict: "object"}
        shapes.setdefault(path, set()).add(kinds.get(type(value), "null"))


def recorded() -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the JSON of commands that read files, as tests have recorded it, with the command."""
    for of in _sorted(gather_trials("RECORDED_JSON")):
        (path,) = TESTS.rglob(f"golden/{of.replace(' ', '-')}-json.txt")
        text = path.read_text("utf-8")
        yield of, json.JSONDecoder().raw_decode(text, text.index("\n{") + 1)[0]


def reports() -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the JSON of a small answer of each command, with the command."""
    for of, answer in _answers():
        yield of, json.loads(all_formats()[type(answer).__name__]("json", answer, places=4))


def _answers() -> Iterator[tuple[str, Any]]:
    result = fairtrec.evaluate(BOTH, RUNS, qrels=QRELS, labels=LABELS)
    small = SimpleNamespace(runs=RUNS, qrels=QRELS, labels=LABELS, words=WORDS, result=result)
    return ((of, make(small)) for of, make in _sorted(gather_trials("SMALL_ANSWERS").items()))


def _sorted(several: Iterable[Any]) -> list[Any]:
    """Sort by the order of the help, what is or begins with words of a command."""
    order = list_names()
    words = ((each if isinstance(each, str) else each[0]).split() for each in several)
    places = [order.index(" ".join(each[:2]) if " ".join(each[:2]) in order else each[0]) for each in words]
    return [each for _, each in sorted(zip(places, several, strict=True), key=lambda pair: pair[0])]


def columns() -> Iterator[tuple[str, str, list[str]]]:
    """Name the columns and keys of reports, as a small evaluation writes them: command, formats, names."""
    result = fairtrec.evaluate("P@1 R@1", RUNS, qrels=QRELS)
    slices = {"all": result, "s": result}
    own = [str(measure) for measure in result.scores[0].measures]

    def head(of: Any, form: str, **view: Any) -> list[str]:
        text = find_formats(type(of))(form, of, places=4, **view)
        if form == "parquet":
            return list(parquet.read_table(BytesIO(text)).column_names)
        line, *_ = text.splitlines() if form == "jsonl" else [text]
        names = text.partition("\n")[0].split("\t") if form == "tsv" else list(json.loads(line))
        return [each for each in names if each not in own]

    yield "eval", "tsv, csv; a column for each measure follows", head(result, "tsv", parts=slices)
    yield "eval", "jsonl", head(result, "jsonl", parts=slices)
    yield "eval", "parquet", head(result, "parquet", parts=slices)
    yield "compare", "tsv, csv, jsonl; objects of json", head(fairtrec.compare(result, "run1"), "tsv")
    yield "correlate", "tsv, csv, jsonl; objects of json", head(fairtrec.correlate(result, "queries"), "tsv")
    yield "reliability", "tsv, csv, jsonl; objects of json", head(fairtrec.reliability(result), "tsv")
