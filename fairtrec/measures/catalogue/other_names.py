"""Names of measures in other programs and papers, and which measure to use instead; `code font` names a measure."""

OTHER_NAMES = {
    "demographic_parity_ratio": "`DP`, the exposure of the least exposed group over that of the most exposed",
    "demographic_parity_difference": "`Exposure`, each group's share of exposure less its target",
    "statistical_parity_difference": "`Exposure`, each group's share of exposure less its target",
    "disparate_impact": "`DP`; `DIR` compares clicks with relevance",
    "four-fifths": "`DP`; `fairtrec check --require 'DP >= 0.8'` tests the rule",
    "equalized_odds_ratio": "`DTR`, exposure in proportion to relevance",
    "equal_opportunity": "`DTR`, exposure in proportion to relevance",
    "MetricFrame": "`Exposure`, `TE` or `Skew`, which have a value for each group",
    "FaiRC": "`FaiRR`",
    "NFaiRC": "`NFaiRR`",
    "EUR": "`DTR`, the exposed utility ratio",
    "RUR": "`DIR`, the realized utility ratio",
    "attention_weighted_rank_fairness": "`AWRF`",
}


def find_answer(name: str) -> str:
    """Say which measure to use for a name of another program, in any case; "" for a name that is not known.

    >>> find_answer("Four_Fifths")
    "`DP`; `fairtrec check --require 'DP >= 0.8'` tests the rule"
    """
    wanted = _plain(name.partition("(")[0].partition("@")[0])
    return next((answer for other, answer in OTHER_NAMES.items() if _plain(other) == wanted), "")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
