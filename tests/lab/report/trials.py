"""What tests of all commands try of ``fairtrec report``; fairtrec_made/command_trials.py lists what each name means."""

UNTRIED = {"report": "each of its parts is a command that is tried, and takes the options that this command has"}
NO_ANSWERS = ["study"]
EVALUATING = ["report"]
