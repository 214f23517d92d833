"""What tests of all commands try of ``fairtrec measures``; fairtrec_made/command_trials.py lists what each name means."""

SITUATIONS = [("measures", {})]

STRANGE_FOLDERS = ["measures RR"]
LOOKED_UP = ["measures", "measures NFaiRR", "measures DetCons"]
NEEDED_LIBRARY = {"measures": ""}
MEASURED = {"measures": ""}
