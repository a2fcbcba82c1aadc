"""Cheating in class: attacks of the catalogue that the teacher can switch on for a session.

The class learns of the attack only at the end. Then every phone, and the projected
page, show the acts of each party, and the posts on the board that reveal them. No phone
says that its own answer is missing, because a party that reads the other answers would
then know which user sent the missing answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from ..errors import ParameterError
from ..languages.language import Language, english
from ..protocol.wire import parties
from ..protocol.wire.announcement import Program
from ..roles.cast import Cast
from ..scenarios.attacks.catalogue.commit import commit
from ..scenarios.attacks.catalogue.settings import AttackSettings
from ..scenarios.populations import Population
from ..scenarios.populations.samples import Samples
from ..scenarios.programs.registry import wire
from ..scenarios.schema.model import Defence, Fault, Mix, Scenario

FIRST = parties.user(0)  # the target of the attacks below: the first user that answers


@dataclass(frozen=True, slots=True)
class ClassroomAttack:
    """An attack that a teacher can switch on, with its description for the class.

    Attributes:
        fault: the attack, as a section `[[fault]]` of a scenario.
        key: the key of the sentence that describes the attack at the end (language.py).
        mix, defence: settings for the scenario's sections `[mix]` and `[defence]`; they
            switch off countermeasures that would stop the attack.
    """

    fault: Fault
    key: str
    mix: Mapping[str, bool]
    defence: Mapping[str, bool]


LESSON = {"lesson": True}  # the scenario key that allows countermeasures to be switched off
UNCHECKED = {"sums": False, "promise": False}
CHEATS: Mapping[str, ClassroomAttack] = {
    "size": ClassroomAttack(Fault(attack="size"), "cheat-size", {"pad": False, **LESSON}, {}),
    "surround": ClassroomAttack(
        Fault(attack="surround", by=parties.shuffler(1), target=FIRST),
        "cheat-surround",
        LESSON,
        UNCHECKED,
    ),
    "lie-marginals": ClassroomAttack(
        Fault(attack="lie-marginals"), "cheat-lie-marginals", LESSON, UNCHECKED
    ),
    "drop": ClassroomAttack(
        Fault(attack="drop", by=parties.shuffler(2), rate=0.2), "cheat-drop", {}, {}
    ),
}


def with_cheat(scenario: Scenario, name: str) -> Scenario:
    """Return a session's scenario with an attack switched on; ParameterError if impossible.

    name: name of the attack in `CHEATS`.
    """
    if scenario.mix.kind == "verified":
        raise ParameterError(
            f"--cheat {name}: it is played with onions, and a verified mix refuses it; leave out "
            '--cheat, or kind = "verified" in [mix] (`veilmix theatre verified-exchange` shows one)'
        )
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


def committed(scenario: Scenario, cast: Cast, empty_people: Population) -> Cast:
    """Return the inputs of a session, with the attack in the scenario's `[[fault]]` tables.

    Without such a table, the inputs are unchanged. cast: the inputs with honest parties only.
    empty_people: the schema without rows, because the participants are not known before they join.
    """
    if not scenario.fault:
        return cast
    crowd = Samples(empty_people, 0, 0)
    return commit(AttackSettings.from_scenario(scenario, crowd), cast, crowd, {}, None)


def happened(scenario: Scenario, language: Language | None = None) -> dict[str, str] | None:
    """Return the attack of a session and its description; None if no party cheated.

    Phones show both at the end. language: language of the description; None: English.
    """
    for fault in scenario.fault:
        description = (language or english()).say(CHEATS[fault.attack].key)
        return {"attack": fault.attack, "told": description}
    return None
