"""What may be given beside the runs for single measures: a module reads each, and computes their inputs of it."""
