"""The search for the worst table with the marginals of a release: its limits and its result.

The worst table is the table that exposes most people.

    Search        the limits of a search, which are recorded with its result
    WorstCase     bounds of the most people that such a table exposes
    search_of     the search for the number of nodes that a caller gives
    is_sought     whether the search is of any use for a release
    seek          run a search

The result depends on the counts, the limits and the versions of libraries, not on the machine's
speed (docs/adr/0081), so `verify --replay` runs the search again.
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
    """The limits of a search for the worst table.

    Attributes:
        nodes: the maximum number of nodes of every search tree.
        cells: a larger table is not searched, after rare values are merged; None: the size of the
            table is no limit.
        enough: share of the people; a search begins only if the bounds without a search leave more
            open.
    """

    nodes: int
    cells: int | None = None
    enough: float = 0.0


# The search if the caller gives no number of nodes: it takes 0 to 5 s of processor time.
DEFAULT = Search(nodes=100, cells=100, enough=0.002)


@keeps_old(found="attained_people")
@dataclass(frozen=True, slots=True)
class WorstCaseBracket:
    """Bounds on the most people that a table with these marginals exposes.

    The number is between `attained_people` and `proven`.

    Attributes:
        attained_people: people that a table which was found exposes, a lower bound.
        proven: people that any table exposes at most, an upper bound.
        search: the limits of the search for the worst case.
        why: the reason why the search gave up; empty where both are the same.
    """

    attained_people: int
    proven: int
    search: Search
    why: str = field(default="", compare=False)  # not stored in a run folder

    def shares(self, people: int) -> tuple[float, float]:
        """Return bounds on the largest possible exposure, as shares of these people.

        Equal if proven.
        """
        return self.attained_people / people, self.proven / people


def search_of(nodes: int | None) -> Search | None:
    """Return the search with this many nodes: no search for 0, `DEFAULT` for None."""
    if nodes == 0:
        return None
    return DEFAULT if nodes is None else Search(nodes)


def is_sought(decision: Decision, program: "ReleaseProgram", *, fixed: bool) -> bool:
    """Whether a search for the worst table makes sense: the curator knows the marginals only.

    In the statistical setting (not `fixed`) the marginals of the release are not the curator's; if
    values are suppressed, another table is released; and known groups of columns rule out most
    tables with these marginals.
    """
    has_groups = program.capability(DeeperQueries) or not program.capability(ColumnDecision)
    return fixed and not decision.hidden and not has_groups


def seek(release: Counts, decision: Decision, search: Search) -> WorstCaseBracket:
    """Return bounds on the most people exposed by any table with the release's marginals."""
    from ....analysis.composition import worst_case

    certificate, people = decision.certificate, sum(release.values())
    columns = [summed(release, (place,)) for place in range(len(decision.kept))]
    limits: dict[str, Any] = {} if search.cells is None else {"most_cells": search.cells}
    worst = worst_case(
        marginals(columns)[0], certificate.k, nodes=search.nodes, enough=search.enough, **limits
    )
    # The decision's bound holds for the released people only if round 1 counted as many.
    bound = certificate.people if certificate.n == people else people
    proven = max(min(worst.upper, bound), worst.people)
    return WorstCaseBracket(
        worst.people, proven, search, worst.why if proven > worst.people else ""
    )
