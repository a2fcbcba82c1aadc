"""What a program alone finds: the base of one record a program, which a tagged union holds."""

from typing import TYPE_CHECKING

from ..serialization.record import Record

if TYPE_CHECKING:
    from ...protocol.messages import Counts


class StatedEpsilon(Record, frozen=True):
    """An epsilon of a run, with the delta and the adjacency for which it holds.

    Attributes:
        of: what it bounds: "local", "one feature", "shuffled: class", ...
        nats: never too small; infinite where nothing is promised.
        at_least: never too large; the same where it is exact.
        delta: at which it holds; 0 for a pure epsilon.
        adjacency: how neighbouring collections differ.
        reading: of (epsilon, delta): "hockey-stick", or "probabilistic": except for outcomes that
            are so unlikely.
        relied_on: people who are assumed to tell nobody their reports; None: all, or not needed.
    """

    of: str
    nats: float
    at_least: float
    delta: float
    adjacency: str
    reading: str = "hockey-stick"
    relied_on: int | None = None


class Findings(Record, frozen=True, tag_field="program"):
    """What a program alone finds in a session: the base of one record a program, with its own tag.

    It is part of an outcome and, under `findings`, of result.json.
    """

    @property
    def counted(self) -> tuple[int, ...]:
        """People who were counted, in each round but the release; () where marginals tell it."""
        return ()

    @property
    def short(self) -> str:
        """What was found, in a clause; empty where the columns kept say it."""
        return ""

    @property
    def largest_error(self) -> float | None:
        """How far the worst estimate is from the truth; None where nothing is estimated."""
        return None

    @property
    def bits(self) -> float | None:
        """Bits that a person's reports carry about its values; None where none are made."""
        return None

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Shares of which the 95 % interval is from 0 to 1, `feature = value` each."""
        return ()

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """Every epsilon of the run; () where no noise is added, and nobody takes part at random."""
        return ()

    @property
    def by_exclusion(self) -> "tuple[int, int] | None":
        """Users known by exclusion: to all who see the release, and to its reader.

        None if no value is suppressed for certain.
        """
        return None

    def of_everybody(self, release: "Counts") -> "tuple[Counts, float] | None":  # noqa: ARG002
        """A release of those who took part, as one of all people, and the share of all values said.

        None where all took part.
        """
        return None
