"""What orders of a run's documents there are: the fairest, or the least fair, for so much utility."""
