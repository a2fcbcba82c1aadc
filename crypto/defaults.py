"""The name of the default suite, the public-key encryption of onion layers; it is chosen only here.

It is a name and not an object, so that a scenario can be checked without loading any cryptography.
"""

from typing import Final

SUITE: Final = "sealedbox"
