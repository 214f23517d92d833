"""Word lists and query sets by name."""
