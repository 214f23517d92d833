"""The laboratory: commands that study an evaluation, a folder each, and rerankers.

Nothing outside imports it. It comes in by the door that other packages use, entry points ``fairtrec.commands``. Each
gives what a command says of itself, its ``CommandRow``.
"""
