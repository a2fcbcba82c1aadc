"""The base class of release programs' own findings in result.json, and the record of an epsilon.

Each program with findings of its own has a subclass with its own tag.
"""

from typing import TYPE_CHECKING

from ..serialization.record import Record

if TYPE_CHECKING:
    from ...protocol.wire.messages import Counts


class StatedEpsilon(Record, frozen=True):
    """An epsilon of a run, with the delta and the adjacency for which it holds.

    Attributes:
        of: the bounded view or report: "local", "one feature", "shuffled: class", ...
        nats: an upper bound in nats; infinite if there is no bound.
        at_least: a lower bound in nats; equal to `nats` if the value is exact.
        delta: the delta at which the epsilon holds; 0 for a pure epsilon.
        adjacency: the difference between neighbouring collections.
        reading: the meaning of (epsilon, delta): "hockey-stick", or "probabilistic", which holds
            except for unlikely outcomes of total probability delta.
        relied_on: people who are assumed to keep their reports secret; None: all people, or no such
            assumption is needed.
    """

    of: str
    nats: float
    at_least: float
    delta: float
    adjacency: str
    reading: str = "hockey-stick"
    relied_on: int | None = None


class Findings(Record, frozen=True, tag_field="program"):
    """The base class of the scores that only one release program computes (its findings).

    A subclass has its own tag. Its fields are part of an outcome and, under `findings`, of
    result.json.
    """

    @property
    def counted(self) -> tuple[int, ...]:
        """The number of people counted in each round except the release.

        () if the marginals in result.json already state these numbers.
        """
        return ()

    @property
    def short(self) -> str:
        """The main finding, in a clause; empty if the released columns are the main finding."""
        return ""

    @property
    def largest_error(self) -> float | None:
        """The largest absolute error of an estimate; None without estimated counts."""
        return None

    @property
    def bits(self) -> float | None:
        """The bits that a person's reports carry about its values; None without reports."""
        return None

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The estimated shares with a 95 % interval from 0 to 1, each as text `feature = value`.

        Such an estimate excludes no possible share.
        """
        return ()

    @property
    def epsilons(self) -> tuple[StatedEpsilon, ...]:
        """Every epsilon of the run; () without noise and without random participation."""
        return ()

    @property
    def by_exclusion(self) -> "tuple[int, int] | None":
        """The number of users known by exclusion: to all readers, and to the analyst.

        The release accounts for all people outside a small class. So the remaining users must be in
        this class, and their values are known. An analyst that opens (decrypts) rows also sees the
        sizes of the groups that stay closed. None if no value is certain to stay encrypted.
        """
        return None

    def scale_release(self, release: "Counts") -> "tuple[Counts, float] | None":  # noqa: ARG002
        """Return the release scaled to all people, and the share of all cells that the release has.

        A cell is the value of a person in a column. If people take part at random, the counts are
        divided by the rate of participation. None if all people took part, so that no scaling is
        needed.
        """
        return None
