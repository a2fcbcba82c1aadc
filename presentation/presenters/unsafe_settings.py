"""Warnings on settings of a scenario that are not safe outside a lesson."""

from ...scenarios.schema.model import Scenario


def warnings(scenario: Scenario) -> tuple[str, ...]:
    """Return a line for each disabled guard; empty if all guards are on."""
    mix, defence = scenario.mix, scenario.defence
    lessons = (
        (mix.suite == "textbook", "textbook encryption: equal answers look equal, anyone can read"),
        (not mix.pad, "no padding: the length of an answer shows through every layer"),
        (not mix.salt, "no salt: with a deterministic suite equal answers look equal"),
        (mix.order == "kept", "shufflers keep the order: they hide nothing from each other"),
        (not defence.bind, "layers are not bound to a session: they can be sent again elsewhere"),
        (not defence.dedupe, "repeats are counted: an answer can be sent twice"),
        (not defence.unbundle, "a person's answers travel as one: the curator reads whole rows"),
        (not defence.fresh_salt, "one salt a person: the curator puts a person's answers together"),
        (not defence.fresh_key, "one key a person: the curator puts a person's answers together"),
    )
    return tuple(f"NOT SECURE, for lessons only: {why}" for wrong, why in lessons if wrong)
