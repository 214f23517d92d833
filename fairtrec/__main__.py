"""``python -m fairtrec`` is ``fairtrec``."""

from fairtrec.cli import run

run()
