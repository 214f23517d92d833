"""``python -m fairtrec`` is ``fairtrec``."""

from fairtrec.cli import main

main()
