"""From texts to counts: how many tokens a document has, and how many of them mark each group."""
