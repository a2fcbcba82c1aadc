"""The generators of shuffle proofs: group elements without known logarithms to each other.

    H, H_1, H_2, ..   hash_to_element(SHA-512 of the transcript "generator": group, number u64)

H blinds commitments, and H_i stands for row i of a shuffled list. The generators are the same for
all sessions, so each is computed once in a process.
"""

from functools import cache
from threading import Lock

from .group import RISTRETTO255, PrimeGroup
from .transcript import ProofTranscript


class Generators:
    """The generators H, H_1, H_2, ... of a group, computed as far as proofs need them.

    They are group elements without known logarithms to each other. Shuffle proofs commit with them.
    """

    def __init__(self, group: PrimeGroup) -> None:
        """Compute H, the generator that blinds commitments; each H_i is computed at first use.

        H_i stands for row i of a shuffled list. group: the group of all generators.
        """
        self._group, self._lock = group, Lock()
        self.base = self._generator(0)
        self._rows = list[bytes]()
        self._sums = [group.identity]

    def rows(self, count: int) -> list[bytes]:
        """Return the first `count` generators H_1, H_2, ..: one for each row of a shuffled list."""
        self._extend(count)
        return self._rows[:count]

    def row_sum(self, count: int) -> bytes:
        """Return the sum of the first `count` generators H_1, H_2, .. for the check of a proof."""
        self._extend(count)
        return self._sums[count]

    def _extend(self, count: int) -> None:
        """Compute the generators H_1 .. H_count and their running sums, where they are missing."""
        with self._lock:
            for number in range(len(self._rows) + 1, count + 1):
                generator = self._generator(number)
                self._sums += self._group.sums([self._sums[-1]], [generator])
                self._rows.append(generator)

    def _generator(self, number: int) -> bytes:
        """Return the generator with this number; 0 is H."""
        transcript = ProofTranscript(b"generator")
        transcript.absorb(self._group.name.encode(), number.to_bytes(8, "big"))
        return self._group.hash_to_element(transcript.digest(b"element"))


@cache
def generators(group: PrimeGroup = RISTRETTO255) -> Generators:
    """Return the generators of a group, one object for each group in a process."""
    return Generators(group)
