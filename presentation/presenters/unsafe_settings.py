"""Settings that are safe only in a lesson (a scenario that shows an attack), with consequences.

The terminal prints a warning for each of these settings; the page of a run shows alerts.
"""

from collections.abc import Mapping

from ...scenarios.schema.model import Scenario

TEXTBOOK, PADDING, ORDER = "suite", "pad", "order"  # keys of [mix] with an alert of their own

# setting in [mix] or [defence] -> the countermeasure that is off, and the consequence
_CONSEQUENCES = {
    TEXTBOOK: "textbook encryption: equal answers have equal ciphertexts, anyone can read them",
    PADDING: "no padding: the length of an answer shows through every layer",
    "salt": "no salt: with a deterministic suite equal answers look equal",
    ORDER: "shufflers keep the order: they hide nothing from each other",
    "bind": "layers are not bound to a session: they can be sent again elsewhere",
    "dedupe": "repeats are counted: an answer can be sent twice",
    "unbundle": "a person's answers travel as one: the curator reads whole rows",
    "fresh_salt": "one salt a person: the curator puts a person's answers together",
    "fresh_key": "one key a person: the curator puts a person's answers together",
}


def unsafe_settings(scenario: Scenario) -> Mapping[str, str]:
    """Return the consequence of each unsafe setting of a scenario, by the name of the setting."""
    mix, defence = scenario.mix, scenario.defence
    is_off = {
        TEXTBOOK: mix.suite == "textbook",
        PADDING: not mix.pad,
        "salt": not mix.salt,
        ORDER: mix.order == "kept",
        "bind": not defence.bind,
        "dedupe": not defence.dedupe,
        "unbundle": not defence.unbundle,
        "fresh_salt": not defence.fresh_salt,
        "fresh_key": not defence.fresh_key,
    }
    return {name: text for name, text in _CONSEQUENCES.items() if is_off[name]}


def warnings(scenario: Scenario) -> tuple[str, ...]:
    """Return a line for each unsafe setting; empty if all countermeasures are on."""
    consequences = unsafe_settings(scenario).values()
    return tuple(f"NOT SECURE, for lessons only: {text}" for text in consequences)
