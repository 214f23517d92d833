"""Measures of relevance: judgements in arrays, and what gives the values that trec_eval and ir-measures give."""
