"""What is given back: scores, what they are over queries, results, and the base of every answer."""
