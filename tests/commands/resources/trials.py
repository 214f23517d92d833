"""What tests of all commands try of ``fairtrec resources``; fairtrec_made/command_trials.py lists what each name means."""

STRANGE_FOLDERS = ["resources list"]
LOOKED_UP = ["resources list", "resources show gender-en", "resources verify"]
MEASURED = {"resources list": ""}

WRITING = {
    "resources add": "resources add own.toml",
}
