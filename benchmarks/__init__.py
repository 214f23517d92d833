"""What is timed, always as a ratio against a peer in the same run: machines are noisy, ratios less so."""
