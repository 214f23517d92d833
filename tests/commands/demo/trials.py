"""What tests of all commands try of ``fairtrec demo``; fairtrec_made/command_trials.py lists what each name means."""

SITUATIONS = [("demo", {})]
SLOW_SITUATIONS = ["demo"]
VALUES = {"--copy": "new"}

NEEDED_LIBRARY = {"demo": ""}

WRITING = {
    "demo": "demo --copy new",
}
