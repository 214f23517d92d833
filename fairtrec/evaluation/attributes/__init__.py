"""The groups of documents: labels by attribute, crossed ones, which groups count, and the share that each should."""
