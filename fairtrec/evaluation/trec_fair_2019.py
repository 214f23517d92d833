"""The TREC 2019 Fair Ranking track: runs beside the ground truth to a result."""

from collections.abc import Sequence
from dataclasses import replace
from os import fspath
from typing import Any

import numpy as np

from fairtrec.errors import FilePath, UsageError
from fairtrec.evaluation.answer import Signature
from fairtrec.evaluation.loading import short
from fairtrec.evaluation.result import InputFile, Part, Result
from fairtrec.evaluation.scores import Scores
from fairtrec.formats import trec_fair
from fairtrec.formats.trec_fair import Authors
from fairtrec.literals import Amortisation, UnfairnessVariant
from fairtrec.measures.trec_fair_2019 import TREC19Share, TREC19Unfairness, TREC19Utility
from fairtrec.version import __version__


def evaluate(
    runs: Sequence[FilePath],
    sequences: FilePath,
    truth: FilePath,
    labels: Sequence[FilePath],
    *,
    variant: UnfairnessVariant = "track",
    amortisation: Amortisation = "micro",
    shares: bool = False,
) -> Result:
    """Evaluate each run over its sequences; the parts are sequences, as queries are elsewhere.

    ``sequences``  CSV lines seq.num,qid; ``truth``: JSON lines with qid and documents.
    ``labels``     the authors' groups: CSV lines docid,label,label,... of each way to group them.
    ``shares``     adds each group's share of exposure and of relevance.

    Raises InputError for what cannot be read, UsageError for two files of groups that go by one name.
    """
    wanted = trec_fair.truth(truth)
    requests = trec_fair.requests(sequences, wanted)
    utility = TREC19Utility(amortisation=amortisation)
    of_groups: list[tuple[Any, Authors]] = []
    for each in [trec_fair.authors(path, wanted) for path in dict.fromkeys(labels)]:
        if any(each.name == other.name for _, other in of_groups):
            raise UsageError(f"two group files are called {each.name}, and measures go by these names; rename one")
        own: dict[str, Any] = {"variant": variant, "amortisation": amortisation, "labels": each.name}
        of_groups.append((TREC19Unfairness(**own), each))
        for of in ("exposure", "relevance") if shares else ():
            of_groups += [(share, each) for share in TREC19Share(of=of, **own).expanded(each.groups)]
    measures = (utility, *(measure for measure, _ in of_groups))
    scores = []
    for path in runs:
        placed = trec_fair.placed(trec_fair.rankings(path), requests, wanted)
        values = [utility(placed), *(measure(placed, each) for measure, each in of_groups)]
        remarks = [
            replace(measure.remark(placed, each), measure=measure)
            for measure, each in of_groups
            if isinstance(measure, TREC19Unfairness)
        ]
        scores.append(
            Scores(fspath(path), trec_fair.stem(path), measures, requests.names, np.stack(values), tuple(remarks))
        )
    parts = {Part("sequences"): sequences, Part("truth"): truth}
    parts |= {Part("labels", fspath(path)): path for path in dict.fromkeys(labels)}
    files = {part: InputFile(fspath(path), path) for part, path in parts.items()}
    names = {part: short(trec_fair.stem(file.place), file.sha256) for part, file in files.items()}
    choices = {
        "fairtrec": __version__,
        "sequences": names[Part("sequences")],
        "truth": names[Part("truth")],
        "labels": ",".join(name for part, name in names.items() if part.of == "labels"),
        "stop": str(utility.stop),
        "gamma": str(utility.gamma),
        "variant": variant,
        "amortisation": amortisation,
    }
    files |= {Part("run", fspath(path)): InputFile(fspath(path), path) for path in runs}
    return Result(tuple(scores), Signature(choices), (), files)
