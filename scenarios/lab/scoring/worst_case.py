"""The search for the worst table with the marginals of a release: its limits and its result.

The worst table exposes most people among all tables with these marginals.

    Search              the limits of a search, which are recorded with its result
    WorstCaseBracket    bounds on the number of people that the worst table exposes
    search_of           the search for the number of nodes that a caller gives
    is_sought           whether a search makes sense for a release
    seek                run a search

The result depends on the counts, the limits and the versions of libraries, but not on the machine's
speed (docs/adr/0081). So `verify --replay` can repeat the search.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....deprecated import keeps_old
from ....protocol.rounds.tallying import marginals, summed
from ....protocol.wire.messages import Counts, Decision
from ...programs.capabilities import ColumnDecision, DeeperQueries
from ...serialization.record import Record

if TYPE_CHECKING:
    from ...programs.interface import ReleaseProgram


class Search(Record, frozen=True):
    """The limits of a search for the table that exposes most people, given the released marginals.

    Attributes:
        nodes: the maximum number of nodes of every search tree.
        cells: tables with more cells are not searched (counted after rare values are merged); None:
            no limit.
        enough: a share of the people. Cheap bounds on the worst case are computed first; the search
            runs only if they differ by more than this share.
    """

    nodes: int
    cells: int | None = None
    enough: float = 0.0


# The search if the caller gives no number of nodes. It has at most 100 nodes in each search tree,
# and does not search tables of more than 100 cells. It is left out if cheap bounds differ by at
# most 0.2 % of the people. It takes 0 to 5 s of processor time.
DEFAULT = Search(nodes=100, cells=100, enough=0.002)


@keeps_old(found="attained_people")
@dataclass(frozen=True, slots=True)
class WorstCaseBracket:
    """Bounds on the largest number of people that a table with the released marginals exposes.

    Attributes:
        attained_people: a lower bound: people exposed by a table that was found.
        proven: an upper bound: no table exposes more people.
        search: the limits of the search for the worst case.
        why: the reason why the search stopped before the bounds met; "" if they are equal.
    """

    attained_people: int
    proven: int
    search: Search
    # ignored by ==, because a saved run lacks this text and would else differ from the played run
    why: str = field(default="", compare=False)

    def shares(self, people: int) -> tuple[float, float]:
        """Return the lower and the upper bound on the largest exposure, as shares of people.

        Both shares are equal if the worst case is proved. people: the number of released people.
        """
        return self.attained_people / people, self.proven / people


def search_of(nodes: int | None) -> Search | None:
    """Return the limits of a search with this many nodes: no search for 0, `DEFAULT` for None."""
    if nodes == 0:
        return None
    return DEFAULT if nodes is None else Search(nodes)


def is_sought(decision: Decision, program: "ReleaseProgram", *, fixed: bool) -> bool:
    """Whether a search for the worst table with the released marginals makes sense for a decision.

    It does if the curator decides from the marginals of the released table alone. It makes no sense
    in three cases: round 2 asks other people (not `fixed`); people suppress values; or the curator
    also knows joint counts of columns, which rule out most tables.
    """
    has_groups = program.capability(DeeperQueries) or not program.capability(ColumnDecision)
    return fixed and not decision.hidden and not has_groups


def seek(release: Counts, decision: Decision, search: Search) -> WorstCaseBracket:
    """Return bounds on the most people that a table with the release's marginals exposes."""
    from ....analysis.composition import worst_case

    certificate, people = decision.certificate, sum(release.values())
    columns = [summed(release, (place,)) for place in range(len(decision.kept))]
    limits: dict[str, Any] = {} if search.cells is None else {"most_cells": search.cells}
    worst = worst_case(
        marginals(columns)[0], certificate.k, nodes=search.nodes, enough=search.enough, **limits
    )
    # The decision's bound holds for the released people only if round 1 counted the same number.
    # Otherwise the number of released people is the upper bound.
    bound = certificate.people if certificate.n == people else people
    proven = max(min(worst.upper, bound), worst.people)
    return WorstCaseBracket(
        worst.people, proven, search, worst.why if proven > worst.people else ""
    )
