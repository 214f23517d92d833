"""Names of measures in other programs and papers, and which measure to use instead; `code font` names a measure."""

OTHER_NAMES = {
    "disparate_impact": "`Impact@k`; `check --pool even --require 'Impact@10 >= 0.8'`",
    "four-fifths": "`Impact@k`; `check --pool even --require 'Impact@10 >= 0.8'`",
    "demographic_parity_ratio": "`Impact(min_share=0)` of selections, pooled `DP` of exposure",
    "demographic_parity_difference": "`Selected(group=each)`; the difference is the greatest rate less the least",
    "statistical_parity_difference": "`Selected(group=each)`; the difference is the greatest rate less the least",
    "equalized_odds_ratio": "`DTR`, exposure in proportion to relevance",
    "equal_opportunity": "`DTR`, exposure in proportion to relevance",
    "MetricFrame": "`Selected`, `Exposure`, `TE` or `Skew`, which have a value for each group",
    "FaiRC": "`FaiRR`",
    "NFaiRC": "`NFaiRR`",
    "EUR": "`DTR`, the exposed utility ratio",
    "RUR": "`DIR`, the realized utility ratio",
    "attention_weighted_rank_fairness": "`AWRF`",
}


def find_answer(name: str) -> str:
    """Say what to use for a name of another program, in any case; "" for a name that is not known.

    >>> find_answer("FaiRC"), find_answer("Four_Fifths")[:14]
    ('use `FaiRR`', 'use `Impact@k`')
    """
    wanted = _plain(name.partition("(")[0].partition("@")[0])
    return next((f"use {answer}" for other, answer in OTHER_NAMES.items() if _plain(other) == wanted), "")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
