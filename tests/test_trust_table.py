"""docs/attacks.md says who learns a row, watching and cheating, for each set of guards."""

import make_trust_table as TOOL
import pytest
from veilmix.scenarios.studies.cheating import measure, smallest


def lines() -> list[list[str]]:
    page = TOOL.PAGE.read_text("utf-8")
    found = TOOL.BLOCK.search(page)
    assert found is not None
    told = [line.strip("|").split("|") for line in found[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in told[2:]]


def test_every_set_of_guards_is_there_with_watching_and_cheating() -> None:
    named = [line for line in lines() if line[0]]
    assert [line[0] for line in named] == list(TOOL.SETS)
    assert all(line[1] and line[2] for line in named)


@pytest.mark.slow
def test_a_line_is_what_is_played() -> None:
    """If this fails, the page is to be written again: python tools/make_trust_table.py."""
    name = "these, marginals public"
    (line,) = [line for line in lines() if line[0] == name]
    made = TOOL.scenario(TOOL.SETS[name])
    (found,) = smallest(measure(made, TOOL.SEED, 1))
    assert [found.coalition, f"`{found.attack}`"] == line[2:4]
