"""The row `verified`: the program of the row `exposure`, with a verified mix.

The same people, the same release; another mix (docs/verified.md). Leakage to coalitions that watch
is measured; the proof of secrecy against malicious coalitions is a sketch, and is only cited.
"""

from collections.abc import Iterator
from dataclasses import replace

from msgspec.structs import replace as changed

from ...lab.validation.load import check
from ...schema.model import Submit
from .case import Case
from .mixed import exposure_kind, play_variant, variant
from .result import Compared

NAME = "verified"
NOTE = "the release of the row before, by mix.kind = verified; CPU: each proof is checked once"
ONCE = (
    "; mix.submit = once: users submit once, and all shufflers with the analyst hold keys to "
    "unreleased columns"
)
PROOF = "all shufflers but one, both readers, board, network, any people"


def proved(case: Case) -> Iterator[Compared]:
    """Yield the scenario's own program, or `exposure`, with a verified mix.

    Raises ScenarioError if the program or a guard of the scenario is of onions.
    """
    scenario = variant(case.scenario, exposure_kind(case.scenario))
    submit: Submit = "once" if case.once else "each-round"
    scenario = changed(scenario, mix=changed(scenario.mix, kind="verified", submit=submit))
    check(scenario)
    row = play_variant(case, NAME, scenario, None)
    note = NOTE + ONCE * case.once
    yield replace(row, note=note, trust=replace(row.trust, proof=PROOF))
