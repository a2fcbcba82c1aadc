"""The program that leaks least to a coalition among equally useful programs, as an answer in rows.

The utility is a measure of the comparison (cells, entropy, error), and the reference is its first
program with a release: `exposure`, or the scenario's own kind. For a program without some of the
parties the coalition is the parties that it has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ...analysis.trust.side import Side
from ...errors import ParameterError
from ...protocol.parties import ANALYST, CURATOR, RANDOMNESS, Role
from ..schema.problems import did_you_mean
from ..wording import percent
from .result import Compared, Comparison, Learnt, Utility

Measure = Literal["cells", "entropy", "error"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
SINGLE = (ANALYST, CURATOR, RANDOMNESS)  # of which a program has one
NUMBERED = ("aggregator", Role.PEER.value, Role.SHUFFLER.value)
NAME = re.compile(rf"(?:{'|'.join(SINGLE)})|(?:{'|'.join(NUMBERED)})-[1-9][0-9]*", re.ASCII)
NEAR = 1e-9  # a difference of utilities that is rounding
UTILITY: dict[str, Callable[[Utility], float]] = {  # higher is better
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
class Leak:
    """The leakage of one program to the coalition.

    Attributes:
        program: its name.
        parties: members of the coalition that the program has.
        bits_per_person: leakage to them.
        bits_are: exact, at least or at most so many.
        linked: people linked to their values.
        utility: the measure asked for, as it is printed.
        as_useful: whether the utility is no worse than that of the reference.
    """

    program: str
    parties: tuple[str, ...]
    bits_per_person: float
    bits_are: Side
    linked: int
    utility: str
    as_useful: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The programs in order: as useful programs first, of these the least leakage first.

    Attributes:
        coalition: the parties of the question.
        equal: the measure of utility.
        reference: the program that sets the utility to be reached.
        leaks: a row a program.
    """

    coalition: tuple[str, ...]
    equal: str
    reference: str
    leaks: tuple[Leak, ...]

    @property
    def sentence(self) -> str:
        """The answer in words; a leakage that is only bounded from below wins nothing."""
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


def check_names(coalition: Sequence[str]) -> None:
    """Raise an error for a coalition without members, or with a name outside `NAME`.

    Args:
        coalition: names of parties, such as `curator` and `shuffler-1`.

    Raises:
        ParameterError: the coalition is empty, or a name is unknown.
    """
    wrong = [name for name in coalition if not NAME.fullmatch(name)]
    if coalition and not wrong:
        return
    found, hint = "no party", ""
    if wrong:
        number = wrong[0].rpartition("-")[2]
        numbered = [f"{kind}-{number}" for kind in NUMBERED if number.isdecimal()]
        found, hint = repr(wrong[0]), did_you_mean(wrong[0], (*SINGLE, *numbered))
    raise ParameterError(
        f"coalition: found {found}{hint}; the parties are {', '.join(SINGLE)}, "
        f"{', '.join(f'{kind}-1, ...' for kind in NUMBERED)}"
    )


def least_leakage(comparison: Comparison, coalition: Sequence[str], equal: str) -> Answer:
    """Order the programs of a comparison by their leakage to a coalition, at equal utility.

    Args:
        comparison: of any scenario.
        coalition: names of parties that pool their views.
        equal: `cells`, `entropy` or `error`.

    Raises:
        ParameterError: a party that no program has, no party, or no such measure.
    """
    if equal not in MEASURES:
        raise ParameterError(f"equal: found {equal!r}; {', '.join(MEASURES)} are accepted")
    parties = tuple(dict.fromkeys(coalition))
    check_names(parties)
    all_parties = {p for compared in comparison.programs for p in _parties(compared)}
    if unknown := [party for party in parties if party not in all_parties]:
        raise ParameterError(
            f"coalition: found {unknown[0]!r}; the parties are {_name_ranges(all_parties)}"
        )
    released = [compared for compared in comparison.programs if not compared.burned]
    if not released:
        raise ParameterError("coalition: no program released anything, so none is as useful")
    least_utility, rows = UTILITY[equal](released[0].utility), list[Leak]()
    for compared in released:
        members = tuple(sorted(set(parties) & _parties(compared)))
        learnt = _learnt(compared, members)
        if learnt is not None:
            useful = UTILITY[equal](compared.utility) >= least_utility - NEAR
            rows.append(_leak(compared, learnt, WRITTEN[equal](compared.utility), useful))
    rows.sort(key=lambda leak: (not leak.as_useful, leak.bits_per_person))
    return Answer(parties, equal, released[0].program, tuple(rows))


def _name_ranges(parties: set[str]) -> str:
    """Return the names of parties; of numbered parties, the first and the last of each kind."""
    names = [name for name in SINGLE if name in parties]
    for kind in NUMBERED:
        numbers = [int(name.rpartition("-")[2]) for name in parties if name.startswith(f"{kind}-")]
        if numbers:
            ends = dict.fromkeys((min(numbers), max(numbers)))
            names.append(" to ".join(f"{kind}-{number}" for number in ends))
    return ", ".join(names)


def _leak(compared: Compared, learnt: Learnt, utility: str, useful: bool) -> Leak:  # noqa: FBT001
    return Leak(
        *(compared.program, learnt.parties, learnt.bits_per_person, learnt.bits_are),
        *(learnt.linked, utility, useful),
    )


def _parties(compared: Compared) -> set[str]:
    return {party for learnt in compared.trust.coalitions for party in learnt.parties}


def _learnt(compared: Compared, members: tuple[str, ...]) -> Learnt | None:
    """Return the leakage to these members; None if the program lacks them or has no score."""
    if not members:
        return None
    scored = {tuple(sorted(learnt.parties)): learnt for learnt in compared.trust.coalitions}
    return scored.get(members)
