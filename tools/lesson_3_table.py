"""The numbers of lesson 3, who must collude: how many people each coalition of a run links.

Every coalition of a run is scored from the views of its members (`veilmix leak`): they keep to the
rules, and pool what they saw and their keys. Each run has a class of people; a cell is the most
over the draws. A coalition is written as the sum of its parties' bits: shuffler 1 has 1, shuffler 2
has 2, and so on, then the curator and the analyst.

What a shuffler does more if it cheats is one attack of the catalogue, `surround`, in the same
session. Of people who all answer alike, the counts tell everything: a run of their own.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace
from veilmix.protocol.wire.parties import ANALYST, CURATOR, shuffler
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.records.verification.views import breaking
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.cheating.coalition_study import (
    NOTICED_AFTER,
    AttemptTrial,
    attempts,
    play,
)

SCENARIO, PEOPLE, SHUFFLERS, ASKED = "who-must-collude", 30, (1, 2, 3, 4), 3
EXPOSURE, STRICT = 0.2, 0.05  # promises: of the session, and one that a cheating shuffler breaks
SEEDS = (11, 12, 13, 14, 15)
ATTACK = "surround"
QUIET = (0, 1)  # shufflers outside a coalition: rows of the hand-out
ALIKE, YES = 8, "yes"
CHOICES = (  # of the question: shufflers, readers
    (1, 1),
    (ASKED - 1, 1),
    (ASKED, 0),
    (ASKED, 1),
)


def session(shufflers: int, exposure: float = EXPOSURE) -> Scenario:
    """Return the scenario with so many shufflers, that promises a largest exposure."""
    base = replace(load(SCENARIO), coalition=())
    size = {"mix.shufflers": shufflers, "population.users": PEOPLE}
    return change(base, {**size, "policy.max_exposure": exposure})


def parties(shufflers: int) -> tuple[str, ...]:
    """Return the parties of a coalition in the order of their bits."""
    return (*(shuffler(at) for at in range(1, shufflers + 1)), CURATOR, ANALYST)


@cache
def linked(shufflers: int, seed: int) -> tuple[int, ...]:
    """Play a run: the number of people that each coalition links."""
    found = {frozenset(view.parties): view.linked for view in _played(shufflers, seed).coalitions}
    names = parties(shufflers)
    return tuple(
        found[frozenset(name for bit, name in enumerate(names) if mask >> bit & 1)]
        for mask in range(2 ** len(names))
    )


@cache
def _played(shufflers: int, seed: int) -> Any:
    return run(session(shufflers), seed, worst_case_nodes=0)


def most(shufflers: int) -> list[int]:
    """Return the most people that each coalition links in any draw."""
    draws = (linked(shufflers, seed) for seed in SEEDS)
    return [max(cells) for cells in zip(*draws, strict=True)]


def by_quiet(shufflers: int, many: int) -> int:
    """Return the most people linked by all parties but so many shufflers, whichever they are."""
    cells, mixers = most(shufflers), 2**shufflers - 1
    readers = len(cells) - 1 - mixers
    return max(
        cells[readers | mask] for mask in range(mixers + 1) if mask.bit_count() == shufflers - many
    )


def smallest(shufflers: int) -> list[int]:
    """Return the smallest coalitions that link a person in any draw."""
    names = parties(shufflers)
    found = {
        sum(1 << names.index(name) for name in members)
        for seed in SEEDS
        for members in breaking(_played(shufflers, seed).coalitions)
    }
    return sorted(mask for mask in found if not any(mask & one == one for one in found - {mask}))


def right() -> int:
    """Return the place of the answer that all smallest coalitions of the question are, from 1."""
    kinds = {
        ((mask & 2**ASKED - 1).bit_count(), (mask >> ASKED).bit_count()) for mask in smallest(ASKED)
    }
    (kind,) = kinds
    return CHOICES.index(kind) + 1


def cheating(exposure: float) -> tuple[int, int]:
    """Return the runs in which shuffler 1 reads a row by cheating, and those noticed afterwards."""
    (tried,) = (one for one in attempts(session(ASKED, exposure)) if one.row == ATTACK)
    assert (tried.party_names, tried.friends) == ((shuffler(1),), 0)  # noqa: S101 - nobody helps
    found = [play(AttemptTrial(tried, seed)) for seed in SEEDS]
    return sum(one.read for one in found), sum(one.noticed == NOTICED_AFTER for one in found)


@cache
def alike() -> tuple[int, int]:
    """Play a run of people who answer alike: people linked, and answers certain, to the analyst."""
    with TemporaryDirectory() as folder:
        Path(folder, "people.csv").write_text("answer\n" + f"{YES}\n" * ALIKE, "utf-8")
        text = (
            '[scenario]\nname = "alike"\n[population]\nsource = "people.csv"\n'
            f'[[feature]]\nname = "answer"\nvalues = ["{YES}", "no"]\n'
            "[policy]\nk = 2\n[mix]\nmin_batch = 2\n"
        )
        outcome = run(loads(text, base=Path(folder)), SEEDS[0], worst_case_nodes=0)
    view = outcome.coalition(ANALYST)
    return view.linked, view.cells_certain


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    cells = {shufflers: most(shufflers) for shufflers in SHUFFLERS}
    loose, strict = cheating(EXPOSURE), cheating(STRICT)
    quiet = [[by_quiet(shufflers, many) for shufflers in SHUFFLERS] for many in QUIET]
    everybody, all_mixers = 2 ** (ASKED + 2) - 1, 2**ASKED - 1
    return {
        "lesson": 3,
        "source": f"veilmix run {SCENARIO} with {PEOPLE} people; coalitions as veilmix leak",
        "seeds": SEEDS,
        "truth": right(),
        "facts": {
            "people": PEOPLE,
            "shufflers": ASKED,
            "all_but_one": max(
                cells[ASKED][mask] for mask in range(everybody) if mask & all_mixers != all_mixers
            ),
            "mixers": cells[ASKED][all_mixers],
            "with_reader": cells[ASKED][everybody],
            "coalitions": sum(map(len, cells.values())),
            "draws": len(SEEDS),
            "other": sum(
                linked(shufflers, seed) != tuple(cells[shufflers])
                for shufflers in SHUFFLERS
                for seed in SEEDS
            ),
            "cheat_runs": len(SEEDS),
            "cheat_read": loose[0],
            "cheat_after": loose[1],
            "loose_share": EXPOSURE,
            "strict_share": STRICT,
            "strict_read": strict[0],
            "behind": ASKED - 1,
            "alike": ALIKE,
            "alike_linked": alike()[0],
            "alike_certain": alike()[1],
        },
        "sheet": {"columns": SHUFFLERS, "rows": QUIET, "cells": quiet},
        "picture": {
            "people": PEOPLE,
            "shufflers": SHUFFLERS,
            "start": SHUFFLERS.index(ASKED),
            "linked": [cells[shufflers] for shufflers in SHUFFLERS],
            "smallest": [smallest(shufflers) for shufflers in SHUFFLERS],
        },
    }


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    picture = known["picture"]
    for shufflers in (1, ASKED):
        at = picture["shufflers"].index(shufflers)
        yield picture["linked"][at], list(linked(shufflers, SEEDS[0]))
    facts = known["facts"]
    yield (facts["cheat_read"], facts["cheat_after"]), cheating(EXPOSURE)
    yield facts["strict_read"], cheating(STRICT)[0]
    yield (facts["alike_linked"], facts["alike_certain"]), alike()
