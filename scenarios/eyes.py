"""A recorded run through the eyes of parties: what they saw, opened, read and can pin on people."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ..analysis.trust import Received, minimal, received, received_reports
from ..errors import ParameterError
from ..protocol import parties
from ..protocol.board import Board, replay
from ..protocol.transcript import Transcript
from ..protocol.view import Record, View, view
from .cast import exists
from .coalitions import learnt, party_names
from .local import RANDOMIZED, announced_names
from .problems import did_you_mean
from .runs import Run

UNIFORM, MARGINALS = PRIORS = ("uniform", "marginals")


def present(run: Run) -> tuple[str, ...]:
    """Name the parties of a run, but for its users, who are `user-1` to `user-n`."""
    return (*party_names(run.scenario), parties.NETWORK)


def look(run: Run, members: Iterable[str]) -> View:
    """Give what these parties know together. ParameterError for one the run has not."""
    chosen = tuple(members)
    for party in chosen:
        if not exists(party, run.scenario.mix.shufflers, run.result["users"]):
            hint = did_you_mean(party, present(run))
            raise ParameterError(
                f"no party is called {party!r}{hint}; this run has {', '.join(present(run))} "
                f"and user-1 to user-{run.result['users']}"
            )
    return view(recorded(run), chosen, board(run))


def learnt_in(run: Run, prior: str = UNIFORM) -> tuple[Received, ...]:
    """Score every coalition of a run from what its members saw.

    prior: `uniform`, all labelled tables equally likely, or `marginals`, where the shares of every
    value among the people of the run are common knowledge.
    """
    seen = Record(recorded(run), board(run))
    told = information(run)
    known = shares(seen, run) if prior == MARGINALS else None
    return learnt(run.scenario, seen.view, run.sizes, told, seen.truth, known)


def scored(run: Run, seen: View) -> Received:
    """Score one view of a run, as `learnt_in` does."""
    if run.scenario.policy.kind in RANDOMIZED:
        return received_reports(seen, run.sizes, information(run) or 0.0)
    return received(seen, run.sizes, Record(recorded(run), board(run)).truth)


def shares(seen: Record, run: Run) -> list[dict[str, float]]:
    """The share of each value of each column among the people of a run, as if it were public.

    From what people said; in the summary form from the counts of the first round.
    """
    counts: list[Counter[str]] = [Counter() for _ in run.result["features"]]
    for row in seen.truth.values():
        for column, value in row.items():
            counts[column][value] += 1
    if not seen.truth:
        counts = [Counter(run.result["marginals"][name]) for name in run.result["features"]]
    return [
        {value: people / one.total() for value, people in sorted(one.items())} for one in counts
    ]


def information(run: Run) -> float | None:
    """In the program `randomized`: bits that a person's reports carry about its values."""
    local, sets = run.result.get("local"), run.result.get("incidence")
    told: float | None = local["privacy"]["information"] if local else None
    return sets["information"] if sets else told


def columns(run: Run) -> tuple[str, ...]:
    """Name the columns that people were asked for: features, or reports about them."""
    return announced_names(run.scenario, run.result["features"])


def breaking(found: Sequence[Received]) -> list[tuple[str, ...]]:
    """The smallest coalitions without users that link anybody: a user knows its own values."""
    users = parties.Role.USER
    return minimal(
        {
            one.parties: one.linked
            for one in found
            if not any(parties.role(party) is users for party in one.parties)
        }
    )


def recorded(run: Run) -> Transcript:
    """Give the transcript; ParameterError for an ideal run, in which nobody saw a message."""
    if run.transcript is None:
        raise ParameterError(
            f"{run.folder}: an ideal run, in which nobody sends or sees a message; play the "
            "scenario with --mode real"
        )
    return run.transcript


def board(run: Run) -> Board:
    """Replay the board. Refused if one of its posts is not legal."""
    return replay(recorded(run).posts)
