"""The engine of one machine."""
