"""Writers of results: as lines, as objects, as tables."""
