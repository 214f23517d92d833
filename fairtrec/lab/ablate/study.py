"""The part of a study that varies settings: parameters of a measure, and how texts are split."""

from collections.abc import Iterator, Mapping
from typing import Any

from fairtrec.cli.performing import NO_FAIRNESS, PartLeftOut, StudyPart
from fairtrec.measure import Measure

TAUS = "tau=0,1,2"
TOKENIZERS = "tokenizer=strip,space,word"
NO_ORDER = "there is one run, which has no order"
NO_TABLES = "there is one table of counts; `fairtrec ablate --vary counts=A.tsv,B.tsv` compares several"
NO_TEXTS = "there are no group terms with texts (--terms, --docs), so no tokenizer can be varied"


def list_parts(
    fairness: Measure | None, inputs: Mapping[str, Any], *, is_several: bool
) -> Iterator[StudyPart | PartLeftOut]:
    """List the part of a study with this fairness measure and inputs, and what they do not allow."""
    if not is_several or fairness is None:
        yield PartLeftOut("ablate", NO_ORDER if not is_several else NO_FAIRNESS)
        return
    factors = list(list_factors(fairness, inputs))
    if TOKENIZERS not in factors:
        is_counted = inputs.get("counts") is not None
        yield PartLeftOut("ablate counts", NO_TABLES) if is_counted else PartLeftOut("ablate tokenizer", NO_TEXTS)
    if factors:
        yield StudyPart(
            "ablate",
            "ablate",
            ["-m", str(fairness), *(word for factor in factors for word in ("--vary", factor))],
            "Does the order of the runs survive other settings?",
            "The order of the runs was computed again with other settings.",
        )


def list_factors(fairness: Measure, inputs: Mapping[str, Any]) -> Iterator[str]:
    """List what is varied."""
    parameters = vars(fairness)
    if "tau" in parameters:
        yield TAUS
    cutoff = parameters.get("cutoff")
    if isinstance(cutoff, int):
        several = dict.fromkeys([max(1, cutoff // 2), cutoff, 2 * cutoff])
        yield f"cutoff={','.join(map(str, several))}"
    if inputs.get("docs") is not None and inputs.get("terms") is not None:
        yield TOKENIZERS
