"""The one ranking: order, ties, and how deep it is looked at."""
