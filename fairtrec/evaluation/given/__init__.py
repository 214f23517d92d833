"""What may be given beside the runs: one file for each thing."""
