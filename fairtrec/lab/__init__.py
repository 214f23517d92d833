"""The laboratory: commands that study an evaluation, a folder each, and rerankers.

Nothing outside imports it. It comes in by the door that packages of others use: entry points ``fairtrec.commands``, each
of which gives what a command says of itself, its ``CommandRow``.
"""
