"""`veilmix leak`: every coalition of a run, and what it could have learnt."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .page import Grid, clean, format_option, lay_out, many, page, say, write_csv, write_json

if TYPE_CHECKING:
    from ..analysis.trust import Received
    from ..scenarios.model import Coalition

LINKED = (
    "linked here: a report, which the person had randomized, is pinned on the person. It is no\n"
    "value, so nothing is certain; bits: what such reports tell of the values (mutual information)."
)


@click.command("leak")
@click.argument("run")
@format_option
def command(run: str, form: str) -> None:
    """Tell what every coalition of RUN could have learnt, from what its members saw.

    Linked: a value is pinned on a person. Certain: a value is known for certain, also without
    linking, where all others agree. Bits: what was learnt about who has which row, per person.
    """
    from ..scenarios.eyes import learnt_in
    from ..scenarios.runs import read
    from .found import folder

    record = read(folder(run))
    found = sorted(learnt_in(record), key=lambda one: len(one.parties))
    if form == "json":
        write_json(_plain(found))
    elif form == "csv":
        write_csv(_csv(found))
    else:
        _tell(found, record.scenario.coalition)
        if any(one.reports for one in found):
            say(page(), LINKED)


def _tell(found: "Sequence[Received]", named: "Sequence[Coalition]") -> None:
    from ..scenarios.eyes import breaking
    from .story import smallest

    console = page()
    rows = [
        (
            " + ".join(one.parties) or "anybody (the board)",
            f"{one.linked:,} / {one.users:,}",
            f"{one.cells_certain:,} / {one.cells:,}",
            ("" if one.exact else ">= ") + f"{one.bits_per_person:.2f}",
            one.verdict,
        )
        for one in found
    ]
    headings = ("coalition", "people linked", "cells certain", "bits/person", "verdict")
    lay_out(console, Grid(headings, rows, (1, 2, 3)))
    say(console, smallest(breaking(found)))
    for one in named:
        linked = next(r.linked for r in found if r.parties == tuple(sorted(set(one.parties))))
        what = f"links {many(linked, 'person', 'people')}" if linked else "links nobody"
        say(console, f"{clean(one.name)} ({' + '.join(one.parties)}): {what}")


def _csv(found: "Sequence[Received]") -> Grid:
    headings = ("coalition", "linked", "users", "cells_certain", "cells", "bits_per_person")
    rows = [
        (
            "+".join(one.parties),
            one.linked,
            one.users,
            one.cells_certain,
            one.cells,
            one.bits_per_person,
        )
        for one in found
    ]
    return Grid(headings, rows)


def _plain(found: "Sequence[Received]") -> dict[str, Any]:
    from ..scenarios.eyes import breaking

    return {
        "coalitions": [
            {
                "parties": list(one.parties),
                "linked": one.linked,
                "users": one.users,
                "cells_certain": one.cells_certain,
                "cells": one.cells,
                "bits_per_person": one.bits_per_person,
                "exact": one.exact,
                "verdict": one.verdict,
            }
            for one in found
        ],
        "smallest": [list(parties) for parties in breaking(found)],
    }
