"""From names to measures, and the pages of measures."""
