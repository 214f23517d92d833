"""Names of measures in other programs and papers, and which measure to use instead; `code font` names a measure."""

OTHER_NAMES = {
    "demographic_parity_ratio": "`DP`, the exposure of the least exposed group over that of the most exposed",
    "demographic_parity_difference": "`Exposure`, each group's share of exposure less its target",
    "statistical_parity_difference": "`Exposure`, each group's share of exposure less its target",
    "equalized_odds_ratio": "`DTR`, exposure in proportion to relevance",
    "equal_opportunity": "`DTR`, exposure in proportion to relevance",
    "MetricFrame": "`Exposure`, `TE` or `Skew`, which have a value for each group",
    "FaiRC": "`FaiRR`",
    "NFaiRC": "`NFaiRR`",
    "EUR": "`DTR`, the exposed utility ratio",
    "RUR": "`DIR`, the realized utility ratio",
    "attention_weighted_rank_fairness": "`AWRF`",
}


_SELECTION = "no measure compares selection rates; `DP` compares the exposure of whole rankings"
NOT_MEASURED = {  # names of what no measure here is, and what to know
    "disparate_impact": f"{_SELECTION}, and `DIR` compares clicks with relevance",
    "four-fifths": f"{_SELECTION}, so `DP >= 0.8` does not test the rule",
}


def find_answer(name: str) -> str:
    """Say what to use for a name of another program, in any case; "" for a name that is not known.

    >>> find_answer("FaiRC"), find_answer("Four_Fifths")[:42]
    ('use `FaiRR`', 'no measure compares selection rates; `DP` ')
    """
    wanted = _plain(name.partition("(")[0].partition("@")[0])
    answers = {other: f"use {answer}" for other, answer in OTHER_NAMES.items()} | NOT_MEASURED
    return next((answer for other, answer in answers.items() if _plain(other) == wanted), "")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
