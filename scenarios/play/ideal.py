"""Playing a scenario with central parties, without a message (protocol/ideal.py).

No party is loaded for it, and nothing that carries messages.
"""

from typing import TYPE_CHECKING

from ...crypto.entropy import Entropy, entropy_of
from ...protocol.hiding import COVERS, Redact, cover_draws
from ...protocol.ideal import (
    Ideal,
    Table,
    count_cells,
    hide_table,
    ideal_view,
    randomized,
    run_through,
)
from ...protocol.messages import Call
from ...protocol.parties import user
from ..populations.samples import Samples
from ..programs.interface import Played
from ..programs.randomized.questions import ideal_reports
from ..programs.registry import (
    announced_schema,
    noisy_questions,
    participation,
    program_of,
    strategy,
    wire,
)
from ..schema.model import Scenario
from .announcement import announced_policy, announced_rules
from .imagined import imagined
from .presence import Faults, present

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SILENT = ("absent",)  # faults of people who do not even ask for tokens


def play_ideal(
    scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None = None
) -> Played:
    """Answer the same questions without a message.

    seed: of the noise that people add and of the values that they leave blank to cover others.
    """
    policy = announced_policy(scenario)
    said = _said(scenario, crowd, faults, seed)
    ideal = _ideal(scenario, crowd, faults, seed, said)
    return imagined(
        ideal,
        lambda members: ideal_view(
            crowd.people.n,
            ideal,
            policy,
            scenario.mix.shufflers,
            *members,
            asked=scenario.defence.tokens,
            public=scenario.defence.challenge or scenario.defence.audit,
            whole=None if said is None else count_cells(said, range(len(said.values))),
        ),
    )


def _said(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> "Table | None":
    """What people say where only some of it is opened; else None."""
    if not program_of(scenario).opens:
        return None
    people, here = crowd.people, present(crowd, faults, 1)
    table = Table(people.values, people.codes[here])
    some = participation(scenario)
    return table if some is None else some.said(table, here, entropy_of(seed))


def _ideal(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    said: "Table | None",
) -> Ideal:
    people, rules = crowd.people, announced_rules(scenario)
    if questions := noisy_questions(scenario, people):
        reports = ideal_reports(questions, people, present(crowd, faults, 1), entropy_of(seed))
        given = len(present(crowd, faults, 1, SILENT)) if rules.tokens else None
        return randomized(announced_schema(scenario, people.schema), reports, rules, given)

    def answering(call: Call) -> Table:
        if said is not None:
            return said
        here = present(crowd, faults, call.round)
        everybody = len(here) == people.n
        table = Table(people.values, people.codes if everybody else people.codes[here])
        return hide_table(table, call.hidden, _covers(call, here, entropy_of(seed)))

    def asking(call: Call) -> int:
        return len(present(crowd, faults, call.round, SILENT))

    return run_through(
        wire(scenario),
        people.schema,
        answering,
        announced_policy(scenario),
        rules,
        strategy(scenario, crowd.others),
        proving=scenario.defence.promise,
        asking=asking if rules.tokens else None,
    )


def _covers(call: Call, here: "npt.NDArray[np.intp]", entropy: Entropy) -> "npt.ArrayLike":
    """What the people with these indices draw for a call's rules: seeded, as in a real run."""
    import numpy as np

    shape = len(here), len(call.hidden)
    if not any(isinstance(rule, Redact) for rule in call.hidden):
        return np.zeros(shape, dtype=np.uint64)
    if not entropy.seeded:
        return np.random.default_rng().integers(0, COVERS, shape, dtype=np.uint64)
    drawn = [
        cover_draws(call.hidden, entropy.fork(user(i)).fork(f"round-{call.round}"))
        for i in here.tolist()
    ]
    return np.array(drawn, dtype=np.uint64).reshape(shape)
