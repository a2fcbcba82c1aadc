"""The part of the grammar that this version can run. A later version adds to this table only."""

from collections.abc import Iterator

from msgspec.structs import asdict

from ...schema.kinds import kinds
from ...schema.model import Scenario
from ...schema.problems import Problem, as_found, listed, problem

AVAILABLE: dict[str, tuple[object, ...]] = {
    "population.setting": ("fixed", "statistical"),
    "policy.kind": tuple(kinds()),
}


def unavailable(scenario: Scenario) -> Iterator[Problem]:
    """Report every key with a value that this version does not run."""
    for name in AVAILABLE:
        table, key = name.split(".")
        part = getattr(scenario, table)
        if not isinstance(part, tuple):
            yield from _judge((table, key), name, asdict(part)[key])
        else:
            for i, entry in enumerate(part):
                yield from _judge((table, i, key), name, asdict(entry)[key])


def _judge(path: tuple[str | int, ...], name: str, value: object) -> Iterator[Problem]:
    accepted = AVAILABLE[name]
    if value not in accepted:
        yield problem(path, f"{as_found(value)} is not available in this version; {runs(name)}")


def runs(name: str) -> str:
    """Return a clause: the values of a key that this version runs."""
    words = [value if isinstance(value, str) else as_found(value) for value in AVAILABLE[name]]
    return f"it runs {listed(words)}"
