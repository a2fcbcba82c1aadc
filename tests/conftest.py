"""Property tests look for new examples at a developer's, and for the same ones in CI.

A new failing example is worth finding, but not on somebody else's change: CI (where CI is set)
derives its examples from the test itself.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
