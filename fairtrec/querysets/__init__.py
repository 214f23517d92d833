"""Query sets of one's own: what annotators vote on queries, how well they agree, and files that evaluations take."""
