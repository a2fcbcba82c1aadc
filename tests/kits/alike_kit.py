"""Small scenarios of every program that counts values, for people who are alike or not.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Sequence
from pathlib import Path

from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.capabilities import LocalNoise
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.schema.model import Scenario

KINDS = [kind for kind, program in PROGRAMS.items() if not program.capability(LocalNoise)]


def scenario_of(
    folder: Path, kind: str, rows: Sequence[str], *, features: str = "", mix: str = ""
) -> Scenario:
    """Return a scenario of people with these rows of two columns, A and B; k = 2.

    features: tables of `[[feature]]`. mix: more lines of `[mix]`.
    """
    (folder / "people.csv").write_text("A,B\n" + "\n".join(rows) + "\n", "utf-8")
    keep = 'keep = ["A", "B"]' if kind == "fixed" else ""
    text = f"""[scenario]
name = "alike"
seed = 1
[population]
source = "people.csv"
{features}
[policy]
kind = "{kind}"
k = 2
max_exposure = 0.9
{keep}
[mix]
min_batch = 2
{mix}"""
    return loads(text, base=folder)
