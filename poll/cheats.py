"""Cheating in class: attacks of the catalogue that whoever runs a session can switch on.

Nobody is told before the end. Then every phone, and the wall, say who did what, and by what on the
board it can be seen. No phone says that its own answer is missing: whoever read the others would
know whose it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from ..errors import ParameterError
from ..protocol import parties
from ..protocol.announcement import Program
from ..roles.cast import Cast
from ..scenarios.catalogue.commit import commit
from ..scenarios.populations import Population
from ..scenarios.populations.samples import Samples
from ..scenarios.programs.registry import wire
from ..scenarios.schema.model import Defence, Fault, Mix, Scenario

FIRST = parties.user(0)  # whoever answers first is the one who is aimed at


@dataclass(frozen=True, slots=True)
class Cheat:
    """An attack as a class plays it.

    Attributes:
        fault: as in a scenario.
        told: what happened, in the words that everybody is shown at the end.
        mix, defence: the guards that are missing, by the keys of their sections.
    """

    fault: Fault
    told: str
    mix: Mapping[str, bool]
    defence: Mapping[str, bool]


LESSON = {"lesson": True}  # without it no guard can be switched off
UNCHECKED = {"sums": False, "promise": False}
CHEATS: Mapping[str, Cheat] = {
    "size": Cheat(
        Fault(attack="size"),
        "Answers were sealed as long as they are: the guard pad was off. Shuffler 1 opened "
        "nothing but its own layer, and reads answers from their length alone.",
        {"pad": False, **LESSON},
        {},
    ),
    "surround": Cheat(
        Fault(attack="surround", by=parties.shuffler(1), target=FIRST),
        "Shuffler 1 put made-up answers in the place of everybody's but one, so that what is "
        "counted and is none of its own belongs to that one: to whoever answered first. The "
        "guards sums and promise, which stop it in this form, were off.",
        LESSON,
        UNCHECKED,
    ),
    "lie-marginals": Cheat(
        Fault(attack="lie-marginals"),
        "The curator counted everybody in a small crowd to the largest one, and decided from that "
        "what is safe. The guards sums and promise, which stop it, were off.",
        LESSON,
        UNCHECKED,
    ),
    "drop": Cheat(
        Fault(attack="drop", by=parties.shuffler(2), rate=0.2),
        "The last shuffler lost one answer in five, and said that they did not open. It could not "
        "choose whose.",
        {},
        {},
    ),
}


def with_cheat(scenario: Scenario, name: str) -> Scenario:
    """The session in which one of `CHEATS` is played; ParameterError where it cannot be."""
    if wire(scenario) is not Program.TWO_ROUND:
        raise ParameterError(
            f"--cheat {name}: found policy.kind {scenario.policy.kind!r}; exposure, fixed and all "
            "are accepted"
        )
    cheat, last = CHEATS[name], parties.shuffler(scenario.mix.shufflers)
    fault = replace(cheat.fault, by=last) if name == "drop" else cheat.fault
    mix: Mix = replace(scenario.mix, **cheat.mix)
    defence: Defence = replace(scenario.defence, **cheat.defence)
    return replace(scenario, fault=(fault,), mix=mix, defence=defence)


def committed(scenario: Scenario, cast: Cast, nobody: Population) -> Cast:
    """The parties as they are, or with what the scenario has one of them do wrong.

    nobody: the questions, and no people: who comes is not known yet.
    """
    if not scenario.fault:
        return cast
    return commit(scenario, cast, Samples(nobody, 0, 0), {}, None)


def happened(scenario: Scenario) -> dict[str, str] | None:
    """What phones are told at the end: the attack, and what it did; None if nobody cheated."""
    for fault in scenario.fault:
        return {"attack": fault.attack, "told": CHEATS[fault.attack].told}
    return None
