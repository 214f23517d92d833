"""Commands that make an input of later ones: positions, query sets, collections of other words, rankers."""
