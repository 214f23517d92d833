"""What gold labels make of the values of a run: of which measures, by what estimate, and what is refused."""
