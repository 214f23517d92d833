"""From runs and the vectors of their documents, or a model that makes vectors of texts, to positions on axes."""
