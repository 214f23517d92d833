"""Reports: one result, written as people and programs like to read it."""
