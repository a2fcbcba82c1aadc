"""A ranking of release programs of sufficient utility by their leakage to a coalition.

The caller chooses the coalition and the measure of utility (cells, entropy or error). The first
program with a release, usually `exposure`, is the reference: a program is sufficient if its utility
is no worse. If a program lacks some parties of the coalition, its other members are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ....analysis.trust.side import Side
from ....deprecated import find_old
from ....errors import ParameterError, UnknownParty
from ....number_text import percent
from ....protocol.wire.parties import ANALYST, CURATOR, RANDOMNESS
from ...schema.parties import PartyNames
from .result import Compared, Comparison, Learnt, Utility

if not TYPE_CHECKING:
    __getattr__ = find_old(__name__, least_leakage="rank_programs")

Measure = Literal["cells", "entropy", "error"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
ALL_PARTIES = PartyNames(  # parties of all release programs, with any number of numbered parties
    (ANALYST, CURATOR, RANDOMNESS), {"aggregator": None, "peer": None, "shuffler": None}
)
NEAR = 1e-9  # smaller differences of utilities are rounding errors
# for each measure of utility, a function with larger values for more useful releases
UTILITY: dict[str, Callable[[Utility], float]] = {
    "cells": lambda worth: worth.cells,
    "entropy": lambda worth: worth.entropy,
    "error": lambda worth: -worth.mean,
}
WRITTEN: dict[str, Callable[[Utility], str]] = {
    "cells": lambda worth: percent(worth.cells),
    "entropy": lambda worth: f"{worth.entropy:.2f} bits",
    "error": lambda worth: f"{worth.mean:.3f}",
}


@dataclass(frozen=True, slots=True)
class ProgramLeakage:
    """The leakage of a release program to a coalition that the caller names.

    Attributes:
        program: the name of the program.
        parties: the members of the coalition that the program has.
        bits_per_person: leakage to these members, in bits a person.
        bits_are: whether the bits are exact, a lower or an upper bound.
        linked: the number of people linked to their values.
        utility: the utility of the program, as it is printed.
        as_useful: whether the utility is no worse than that of the reference, the first program
            with a release.
    """

    program: str
    parties: tuple[str, ...]
    bits_per_person: float
    bits_are: Side
    linked: int
    utility: str
    as_useful: bool


@dataclass(frozen=True, slots=True)
class ProgramRanking:
    """The release programs in order of leakage to a coalition; programs of lower utility come last.

    A program of lower utility is worse than the reference, the first program with a release.

    Attributes:
        coalition: the parties whose pooled views are scored.
        equal: the measure of utility.
        reference: the program that sets the least utility.
        leaks: the leakage of each program.
    """

    coalition: tuple[str, ...]
    equal: str
    reference: str
    leaks: tuple[ProgramLeakage, ...]

    @property
    def sentence(self) -> str:
        """The answer in words: the release program of sufficient utility with the least leakage.

        A program with only a lower bound on its leakage cannot be this program.
        """
        coalition_name = " + ".join(self.coalition)
        able = [leak for leak in self.leaks if leak.as_useful]
        bounded = [leak for leak in able if leak.bits_are is not Side.AT_LEAST]
        head = (
            f"least leakage to {coalition_name} at {self.equal} no worse than {self.reference}'s: "
        )
        if not bounded:
            return head + "not known, leakages are only bounded from below"
        best = bounded[0]
        best_text = f"{best.program}, {best.bits_are.mark}{best.bits_per_person:.2f} bits a person"
        open_ = [
            leak.program
            for leak in able
            if leak.bits_are is Side.AT_LEAST and leak.bits_per_person < best.bits_per_person
        ]
        return head + best_text + (f"; perhaps less: {', '.join(open_)}" if open_ else "")


def check_names(coalition: Sequence[str], accepted: PartyNames = ALL_PARTIES) -> None:
    """Raise an error for an empty coalition, or for an unknown name.

    Args:
        coalition: names of parties, such as `curator` and `shuffler-1`.
        accepted: the accepted names; the default accepts the parties of every release program.

    Raises:
        UnknownParty: a name is unknown. ParameterError: no name, or a text in place of names.
    """
    if isinstance(coalition, str) or not coalition:
        raise ParameterError(
            f"coalition: found {coalition!r}; a list of names is accepted, of {accepted}"
        )
    for name in coalition:
        if name not in accepted:
            raise UnknownParty(f"coalition: {accepted.refusal(name, 'the programs have')}")


def rank_programs(comparison: Comparison, coalition: Sequence[str], equal: str) -> ProgramRanking:
    """Return the programs of a comparison, ordered by leakage to a coalition.

    Programs with less utility than the first program with a release come last.

    Args:
        comparison: the comparison of any scenario.
        coalition: names of parties that pool their views.
        equal: the measure of utility: `cells`, `entropy` or `error`.

    Raises:
        UnknownParty: a party that no program has. ParameterError: no party, or no such measure.
    """
    if equal not in MEASURES:
        raise ParameterError(f"equal: found {equal!r}; {', '.join(MEASURES)} are accepted")
    names = {party for compared in comparison.programs for party in _parties(compared)}
    check_names(coalition, PartyNames.from_names(names))
    parties = tuple(dict.fromkeys(coalition))
    released = [compared for compared in comparison.programs if not compared.burned]
    if not released:
        raise ParameterError("coalition: no program made a release whose utility could be compared")
    least_utility, rows = UTILITY[equal](released[0].utility), list[ProgramLeakage]()
    for compared in released:
        members = tuple(sorted(set(parties) & _parties(compared)))
        learnt = _learnt(compared, members)
        if learnt is not None:
            useful = UTILITY[equal](compared.utility) >= least_utility - NEAR
            rows.append(_leak(compared, learnt, WRITTEN[equal](compared.utility), useful))
    rows.sort(key=lambda leak: (not leak.as_useful, leak.bits_per_person))
    return ProgramRanking(parties, equal, released[0].program, tuple(rows))


def _leak(compared: Compared, learnt: Learnt, utility: str, useful: bool) -> ProgramLeakage:  # noqa: FBT001
    """Return a release program's leakage to a coalition, as an entry of the ranking.

    utility: the utility in words. useful: whether the program's utility is no worse than the
    reference's.
    """
    return ProgramLeakage(
        program=compared.program,
        parties=learnt.parties,
        bits_per_person=learnt.bits_per_person,
        bits_are=learnt.bits_are,
        linked=learnt.linked,
        utility=utility,
        as_useful=useful,
    )


def _parties(compared: Compared) -> set[str]:
    """Return the parties of a release program that have a scored leakage."""
    return {party for learnt in compared.trust.coalitions for party in learnt.parties}


def _learnt(compared: Compared, members: tuple[str, ...]) -> Learnt | None:
    """Return the leakage of a release program to a coalition; None if it was not scored.

    members: the names of the coalition's parties, sorted; () gives None.
    """
    if not members:
        return None
    scored = {tuple(sorted(learnt.parties)): learnt for learnt in compared.trust.coalitions}
    return scored.get(members)
