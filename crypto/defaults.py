"""The name of the default suite, the public-key encryption of onion layers, set only in this file.

The name is a text and not an object, so that a scenario can be checked without loading any
cryptographic library.
"""

from typing import Final

SUITE: Final = "sealedbox"
