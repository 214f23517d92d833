"""The core: from what a caller has to the scores of each run."""
