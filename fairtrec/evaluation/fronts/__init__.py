"""What orders of a query's documents there can be: the fairest at each utility, and the ends of one measure.

``headroom`` and the rerankers ``Optimal`` and ``Worst`` look for the front of two measures, ``--bounds orders`` for the
least and the greatest value of one.
"""
