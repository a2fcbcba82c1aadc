"""The section of a run's page on reproducing the run: command, seed, versions, scenario, digest."""

from typing import TYPE_CHECKING

from ...scenarios.schema.dump import dump
from ..blocks import Block, Listing, Section
from ..text_blocks import Grid, Line

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts


def section(facts: "PageFacts") -> Section:
    """Return the section that says how to reproduce a run: command, seed, versions and scenario."""
    result, versions = facts.result, facts.run.versions
    seed, mode, name = result.seed, result.mode, result.scenario
    file = f"{name}.toml"
    options = ("" if seed is None else f" --seed {seed}") + (
        "" if mode == "real" else " --mode ideal"
    )
    lines = [f"veilmix run {file}{options}"]
    if facts.run.scenario.population.builtin:
        rerun_effect = (
            "gives the same digest, byte for byte" if seed is not None else "plays it anew"
        )
        note = f"The scenario below, saved as {file}, {rerun_effect}."
    else:
        source = facts.run.scenario.population.source
        note = f"The scenario below, saved as {file}, needs the table {source}."
    if seed is None:
        note += (
            " It used the system's randomness: nobody can repeat it exactly, and `veilmix verify` "
            "on its run folder checks all that was recorded."
        )
    rows = [
        ("digest", result.digest),
        ("seed", "none (system randomness)" if seed is None else str(seed)),
        ("mode", mode),
        ("veilmix", str(versions.get("veilmix", "-"))),
        ("python", str(versions.get("python", "-"))),
        ("platform", str(versions.get("platform", "-"))),
        *((name, str(version)) for name, version in (versions.get("dependencies") or {}).items()),
    ]
    blocks: tuple[Block, ...] = (
        Listing("Command", "\n".join(lines) + "\n", "command.txt"),
        Line(note),
        Grid(("what", "value"), rows, caption="What it was made with"),
        Listing("The scenario, as resolved", dump(facts.run.scenario), file),
    )
    lead = "Everything that is needed to have this run again, or to check it."
    return Section("repeat", "How to reproduce it", lead, blocks)
