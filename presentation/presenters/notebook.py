"""A run as a notebook shows it: its release, its certified bound, and the leakage to coalitions.

The output is HTML without script or style sheet; every text in it is escaped.
"""

from collections.abc import Iterator
from html import escape
from typing import Any

from ...analysis.frames import plain_frame
from ...number_text import percent, plural
from ..equal_people import alike_lines, released_alike
from ..wording import UNSAFE
from .coalitions import HEADINGS, coalition_name, figures
from .topology import run_facts


def html(outcome: Any) -> str:
    """Show a run as HTML: its facts, the release, and the coalitions that link people to values.

    outcome: an `Outcome`. Its class imports this module, so it cannot be imported here for the
    type.
    """
    return f"<div>{''.join(_parts(outcome))}</div>"


def _parts(outcome: Any) -> Iterator[str]:
    """Yield the parts of the HTML: facts, release, and coalitions that link people to values."""
    scenario = outcome.scenario
    about = ", ".join((*run_facts(outcome), f"{outcome.mode} run"))
    yield f"<p><b>{escape(scenario.scenario.name)}</b> {escape(about)}</p>"
    tables = outcome.frames
    yield f"<p>{escape(_release_text(outcome))}</p>"
    if outcome.released:
        yield tables.release._repr_html_()
    linking = [view for view in outcome.coalitions if view.linked]
    yield f"<p>{escape(_linked_text(len(linking), len(outcome.coalitions)))}</p>"
    if linking:
        rows = [(coalition_name(view), *figures(view)) for view in linking]
        yield plain_frame(("coalition", *HEADINGS), rows)._repr_html_()


def _linked_text(linking: int, looked_at: int) -> str:
    """Return a sentence on the number of coalitions that link people to values.

    linking: number of these coalitions. looked_at: number of coalitions that were scored.
    """
    if not linking:
        return f"None of the {looked_at:,} coalitions that were looked at links anybody."
    return f"{linking:,} of {plural(looked_at, 'coalition')} link people:"


def _release_text(outcome: Any) -> str:
    """Return the released columns and the certified bound, or the reason for no release."""
    if not outcome.released:
        return f"Nothing was released: {outcome.burned or UNSAFE}."
    if outcome.decision is None:
        return repr(outcome).strip("<>") + "."
    suppressed = f"; suppressed: {', '.join(outcome.suppressed)}" if outcome.suppressed else ""
    exposure, k = outcome.exposure, outcome.scenario.policy.k
    promised = (
        f"Released: {', '.join(outcome.released_columns)}{suppressed}. "
        f"In a crowd smaller than k = {k}: "
        f"{percent(exposure.true)} of people, promised at most {percent(exposure.promised)}."
    )
    persons = outcome.several.people if outcome.several else None
    shared = released_alike(outcome.release, persons)
    return " ".join([promised, *alike_lines(outcome.released_columns, shared)])
