"""The file system: open, name, replace."""
