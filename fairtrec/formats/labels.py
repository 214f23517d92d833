"""What groups documents belong to: labels, as lines of cells or in any other table.

Labels are ``docno group [weight]``, or per query ``qid docno group [weight]``. A first line that names columns settles
which they are, in any order. Without one, cells stand between tabs: two columns are docno and group, four are all, and
of three the last is a weight if it is a number, else a group. Four cells of which the last is no number are in the form
of qrels: ``qid 0 docno group``, between tabs or white space. A column that a first line calls ``count`` holds numbers
of 0 or more instead of weights. A group that is missing, or ``?``, is unknown; ``-`` says that the document is of none
of the groups. JSON lines have the same names as keys, Parquet files as columns; ``label_files.py`` reads them, and the
fields of any other table.
"""

from collections.abc import Iterator
from dataclasses import replace
from os import fspath

import numpy as np

from fairtrec.data import Labels, Qrels, encode_ids
from fairtrec.formats import label_files
from fairtrec.formats.label_rules import LabelRules
from fairtrec.formats.label_table import LabelTable
from fairtrec.support.errors import FilePath
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import LabelSource, is_same

Label = tuple[int | None, str, str, str, float]  # line, qid ("" for any), docno, group, weight


def read(given: FilePath | LabelSource, how: LabelRules | None = None) -> Labels:
    """Read labels, or a field of another table; ``how`` says how they are taken.

    Raises InputError for a bad line, a weight outside 0..1, a label that appears twice, and a field that is not there.
    """
    source = given if isinstance(given, LabelSource) else LabelSource(fspath(given))
    how = how or LabelRules()
    is_own = bool(source.field) and any(is_same(source.name, fspath(run)) for run in how.tables)
    how = replace(how, single="document") if is_own else how
    found = label_files.read_table(LabelTable(source.name, source.cuts, how), source.field)
    if is_own:
        found.settle_single("label")
    return found.labels(str(source._replace(name=opening.name(source.name))), opening.sha256(source.name))


def rows(path: FilePath) -> Iterator[Label]:
    """Read labels one after the other. Raises InputError for a bad line."""
    return label_files.read_table(LabelTable(path)).rows()


def read_subtopics(qrels: Qrels, how: LabelRules | None = None) -> Labels:
    """Take the subtopics of diversity judgments as groups: a document belongs to those it is relevant to."""
    found, relevant = LabelTable("qrels", (), how), np.flatnonzero(qrels.grades > 0)
    qids = encode_ids(qrels.qids)[qrels.query[relevant]]
    found.add(qrels.docnos[relevant], found.code_groups(qrels.iterations[relevant].tolist()), qids=qids)
    return replace(found.labels("qrels"), own=True, order=())
