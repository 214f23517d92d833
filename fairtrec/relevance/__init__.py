"""Measures of relevance, from judgements: by formulas of our own, or as their programs compute them."""
