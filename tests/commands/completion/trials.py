"""What tests of all commands try of ``fairtrec completion``; fairtrec_made/command_trials.py lists what each name means."""

OTHER_FILES = ["completion"]
MEASURED = {"completion": "bash"}
