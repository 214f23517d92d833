"""What tests of several rooms share: where the repository is, and modules of what they make."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
EXAMPLE = REPOSITORY / "resources" / "example"
THOROUGH = "FAIRTREC_THOROUGH" in os.environ  # as `make slow` asks: every law is tried many more times
