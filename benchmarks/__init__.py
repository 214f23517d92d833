"""What is timed, always as a ratio against a peer in the same run: machines are noisy, ratios less so."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "made"))  # what tests of commands declare to measure
