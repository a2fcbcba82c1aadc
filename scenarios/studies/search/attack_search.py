"""The search for attacks: every deviation of every coalition, played with the real roles.

    coalitions  each party alone, each with a person, and pairs of parties
    strategies  the single deviations of the members; with `pairs`, pairs of deviations too
    a find      a strategy by which the coalition reads the row of its target, or joint counts
                (protocol/search/crowds.py)

No attack is named here. A session has the guards (countermeasures) of a scenario, at a small size
(search_session.py). The search of a coalition ends at its first find. A larger coalition that
contains this coalition can do the same, and is not played.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

from msgspec.structs import replace

from ....errors import DataError, ParameterError
from ....protocol.search.space import kinds_of
from ....protocol.wire import parties
from ....version import __version__
from ...programs.topology import further_parties, onions_only
from ...schema.model import Scenario
from ..cheating.trust_table import guards_on
from .search_result import CoalitionResult, SearchResult
from .search_session import PEOPLE, program_name, small, unsearched
from .search_trial import FINDS, Strategy, Trial, Verdict

# Seeds of the sessions by which the search confirms that a coalition's view differs between two
# assignments of rows to people: over all these seeds, no view occurs with both assignments.
SEEDS = (1, 2, 3, 4, 5, 6)
Progress = Callable[[str, int, int], None]


class SearchStopped(KeyboardInterrupt):
    """The interruption of a search for attacks by Ctrl-C. search_result: the results so far."""

    def __init__(self, search_result: SearchResult) -> None:
        """Keep the results of the search so far."""
        super().__init__(f"{search_result.played} strategies played")
        self.search_result = search_result


def coalitions_of(scenario: Scenario) -> tuple[tuple[str, ...], ...]:
    """Return the coalitions of a search: single parties, a party with a user, pairs of parties."""
    hops = tuple(map(parties.shuffler, range(1, scenario.mix.shufflers + 1)))
    single = (parties.CURATOR, parties.ANALYST, *hops, parties.NETWORK, *further_parties(scenario))
    friend = parties.user(PEOPLE - 1)
    return (
        *((party,) for party in single),
        *((party, friend) for party in single),
        *combinations(single, 2),
    )


def begin(
    scenario: Scenario, *, pairs: bool = False, times: bool = False, strategies: int = 0
) -> SearchResult:
    """Return the record of a search before its first strategy (a set of deviations) is played.

    Args:
        scenario: the scenario with the countermeasures that are searched.
        pairs: whether pairs of deviations are played too.
        times: whether a coalition's view has the exact times of posts on the board.
        strategies: the most strategies of each coalition; 0: all.

    Raises:
        DataError: a scenario that the small session of the search cannot stand for.
    """
    onions_only(scenario, "the search for deviations")
    if strategies < 0:
        raise ParameterError(f"strategies: found {strategies}; at least 0 is accepted")
    if obstacle := unsearched(scenario):
        raise DataError(obstacle)
    searched = small(scenario)
    return SearchResult(
        version=__version__,
        scenario=scenario.scenario.name,
        guards=guards_on(searched),
        public=searched.policy.publish_marginals,
        program=program_name(searched),
        people=PEOPLE,
        shufflers=searched.mix.shufflers,
        seeds=SEEDS,
        pairs=pairs,
        times=times,
        strategies=strategies,
        whole=False,
    )


def search(
    scenario: Scenario,
    begun: SearchResult,
    coalitions: Sequence[tuple[str, ...]] | None = None,
    progress: Progress = lambda _name, _completed, _due: None,
) -> SearchResult:
    """Play the coalitions that have no result yet; return the search with all results.

    Args:
        scenario: the scenario whose countermeasures the coalitions try to defeat.
        begun: the search so far.
        coalitions: only these; None: all of `coalitions_of`.
        progress: called with the coalition, and the numbers of strategies that are played and due.

    Raises:
        SearchStopped: Ctrl-C; it has all complete results.
    """
    results = {result.members: result for result in begun.coalitions}
    searched = small(scenario)
    try:
        for members in coalitions or coalitions_of(searched):
            if members not in results:
                results[members] = _searched(searched, members, begun, results, progress)
    except KeyboardInterrupt as stop:
        raise SearchStopped(replace(begun, coalitions=tuple(results.values()))) from stop
    return replace(begun, coalitions=tuple(results.values()), whole=True)


def _searched(
    scenario: Scenario,
    members: tuple[str, ...],
    started: SearchResult,
    results: dict[tuple[str, ...], CoalitionResult],
    progress: Progress,
) -> CoalitionResult:
    """Return the result of one coalition, after playing its strategies up to the first find.

    No strategy is played if a smaller coalition of some of its members already reads data of
    people: the larger coalition can do the same.

    scenario: the small session's scenario. started: the search, with its parameters. results: the
    results of coalitions so far.
    """
    for part, result in results.items():
        if set(part) < set(members) and (result.find is not None or result.watching):
            watched = result.watched
            return CoalitionResult(
                members=members, part=part, watching=result.watching, watched=watched
            )
    trial = Trial(scenario, members, started.seeds, started.times)
    if (watched_verdict := trial.watched()) is not None:
        return CoalitionResult(members=members, watching=True, watched=watched_verdict)
    strategies = tuple(trial.strategies(with_pairs=started.pairs))
    due = spread(strategies, started.strategies)
    told_strategies = place = 0
    find = None
    for place, strategy in enumerate(due, start=1):
        progress(" + ".join(members), place, len(due))
        verdict = trial.verdict(strategy)
        told_strategies += verdict is Verdict.DISTINGUISHED
        if verdict in FINDS:
            find = trial.find(strategy, place, verdict)
            break
    return CoalitionResult(
        members=members,
        played=place,
        due=len(strategies),
        told=told_strategies,
        kinds=kinds_of(due[:place]),
        find=find,
        errors=trial.errors,
    )


def spread(strategies: Sequence[Strategy], limit: int) -> Sequence[Strategy]:
    """Return at most `limit` strategies, evenly spread over all; all if `limit` is 0."""
    if not limit or limit >= len(strategies):
        return strategies
    return [strategies[at * len(strategies) // limit] for at in range(limit)]
