"""What tests of several rooms share: where the repository is, and modules of what they make."""

from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
EXAMPLE = REPOSITORY / "resources" / "example"
