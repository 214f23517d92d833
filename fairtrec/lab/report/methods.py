"""The methods paragraph of a study: what was computed, with which settings, and where it is described."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fairtrec.cli.performing import CommandAnswer, StudyPart
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.inputs.documents import TAKEN
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import docstrings
from fairtrec.measures.utility import split_relevance
from fairtrec.report.markup import begin_sentence
from fairtrec.report.row_answers import name_corrected_p
from fairtrec.report.run_names import map_names
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.notes import write_queries
from fairtrec.support.version import __version__

OF_UNLABELED = ("group", "even")  # which documents without a label count as
OF_LABELS = ("known groups", "known groups of few queries")  # notes of eval
OF_COMPARISON = ("difference", "pooled", "means")  # how its lines begin that describe test and interval


def describe_methods(
    done: Mapping[str, CommandAnswer], about: Mapping[str, StudyPart], measures: Sequence[Measure]
) -> Iterator[str]:
    """Describe what was done, one sentence or source at a time."""
    main = done["eval"].record
    runs = len(main["runs"])
    what = f"{runs} {'run was' if runs == 1 else 'runs were'} evaluated over {count_queries(main)}"
    yield f"{what} with {', '.join(_list_versions(main['signature']))}."
    for name, answer in done.items():
        yield about[name].method
        if name == "compare":
            yield from _describe_comparison(answer)
    yield from describe_missing(main)
    settings = Signature.read(main["signature"])
    shown = "; ".join(f"{name} {value}" for name, value in settings.items() if name != "fairtrec")
    yield f"Settings and contents: {shown}."
    relevance, others = split_relevance(measures)
    for kind in dict.fromkeys(map(type, others)):
        source = docstrings.part(kind, "Source")
        yield f"{kind.__name__}: {docstrings.read_question(kind)}" + (f" Source: {source}." if source else "")
    if relevance:
        names = ", ".join(map(str, relevance))
        yield f"{names}: relevance, as ir-measures and trec_eval define it."


def count_queries(record: Mapping[str, Any]) -> str:
    """Count the queries of the runs of a record, in words."""
    return write_queries({run["queries"] for run in record["runs"]})


def _list_versions(signature: str) -> Iterator[str]:
    """List the programs that computed the values, with their versions."""
    yield f"fairtrec {__version__}"
    if theirs := Signature.read(signature).get("ir-measures"):
        yield f"ir-measures {theirs}"
    yield f"Python {platform.python_version()}"
    yield f"numpy {np.__version__}"


def _describe_comparison(answer: CommandAnswer) -> Iterator[str]:
    """Name the baseline, the test, the intervals, the correction and the number of queries."""
    record, document = answer.record, answer.lay_out(4)
    how, names = Procedure(**record["procedure"]), map_names(run["run"] for run in record["runs"])
    baselines = [record["baseline"]] if isinstance(record["baseline"], str) else record["baseline"]
    over = write_queries({row["queries"] for row in record["rows"]})
    of = "baseline is" if len(baselines) == 1 else "baselines are"
    yield f"The {of} {', '.join(names[run] for run in baselines)}; a comparison is over {over}."
    for line in document.signs if document is not None else ():
        if line.startswith(OF_COMPARISON):
            yield f"{begin_sentence(line)}."
    yield f"A difference is shown if {name_corrected_p(how)} is at most {how.alpha:g} ({record['family']})."


def describe_missing(record: Mapping[str, Any]) -> Iterator[str]:
    """Say what documents without a text, counts or labels count as."""
    policy, _, many = Signature.read(record["signature"]).get("missing", "").partition("(")
    if policy in OF_UNLABELED:
        yield f"Documents without a label {TAKEN[policy]}."
    elif many and policy in TAKEN:
        yield f"Documents without text or counts ({int(many.removesuffix(')')):,}) {TAKEN[policy]}."
    elif policy:
        yield "Every document that a measure looks at has a text or counts."
    for note in record["notes"]:
        if note["kind"] in OF_LABELS:
            yield f"Labels: {note['text']}."
