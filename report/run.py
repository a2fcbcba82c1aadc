"""The page of a run: alerts, answers, and a section for each part of the recorded results."""

from collections.abc import Callable, Iterable, Iterator

from ..errors import StorageError
from ..presentation.blocks import Page, Section
from ..presentation.presenters import ledger, reidentification
from ..presentation.presenters.page_facts import PageFacts
from ..presentation.presenters.registry import presenter_of
from ..presentation.presenters.topology import run_facts
from ..presentation.sections import attacks, crowds, decision, repeat, trust
from ..presentation.sections import figure_plugins as own_figures
from ..presentation.sections import traffic as wires
from ..presentation.sections.alerts import alerts
from ..presentation.sections.run_facts import gather
from ..presentation.sections.verdict import verdict
from ..presentation.text_blocks import score_grid
from ..scenarios.records.result_file import Run
from ..scenarios.records.verification.damaged_record import diagnose_record
from ..scenarios.studies.matrix.matrix_result import Matrix
from . import matrix as attack_matrix

KNOWS = (
    "This page knows more than any party of the protocol: the truth beside every promise, and the "
    "counts that only the curator read. Made from a recorded run by veilmix; nothing on it is "
    "loaded from anywhere."
)


def _program(facts: PageFacts) -> Iterable[Section]:
    """Return the sections on the run's release program (its rule of release), if any."""
    scenario = facts.run.scenario
    return presenter_of(scenario).section(scenario, facts.result)


def _topology(facts: PageFacts) -> Iterable[Section]:
    """Return the sections on the topology, which says how messages travel (shufflers or peers)."""
    return facts.topology_words.section(facts.run.scenario, facts.result, facts.run.transcript)


def _ledger(facts: PageFacts) -> Iterable[Section]:
    """Return the section on earlier releases about these people, if the run has a ledger.

    A ledger lists the releases about the same people.
    """
    if account := facts.run.ledger:
        lead = "Releases about the same people add up; the ledger holds those that it was told of."
        yield Section("ledger", "Earlier releases", lead, (score_grid(ledger.scores(account)),))


SECTIONS: tuple[Callable[[PageFacts], Section | Iterable[Section] | None], ...] = (
    crowds.section,
    decision.section,
    _program,
    lambda facts: reidentification.section(facts.run),
    trust.section,
    _topology,
    attacks.section,
    _ledger,
    wires.section,
    own_figures.section,
    repeat.section,
)


def page(run: Run, nodes: int | None = None, matrix: Matrix | None = None) -> Page:
    """Make the page of a run.

    nodes: the largest number of nodes of each search for a worst case of exposure; None: the
        default.
    matrix: an attack matrix (attacks x defences) of the same scenario, to be shown as a section.

    Raises:
        StorageError: the matrix is of another scenario.
    """
    with diagnose_record(run):
        facts = gather(run, nodes)
        sections = tuple(_sections(facts))
    if matrix is not None:
        if matrix.scenario != run.result.scenario:
            raise StorageError(
                f"the matrix is of the scenario {matrix.scenario}; this run is of "
                f"{run.result.scenario}"
            )
        anchor_places = [
            place
            for place, section in enumerate(sections, 1)
            if section.key in ("attacks", "trust")
        ]
        at = max(anchor_places, default=len(sections))
        sections = (*sections[:at], attack_matrix.section(matrix), *sections[at:])
    return Page(
        run.scenario.scenario.title or run.result.scenario,
        _about(facts),
        alerts(facts),
        verdict(facts),
        sections,
        KNOWS,
    )


def _sections(facts: PageFacts) -> Iterator[Section]:
    """Yield the sections of a run's page in order; a part without content is left out."""
    for make in SECTIONS:
        content = make(facts)
        yield from (content,) if isinstance(content, Section) else content or ()


def _about(facts: PageFacts) -> tuple[str, ...]:
    """Return the facts under the title: scenario, people, mode, and digest of the result."""
    result = facts.result
    return (
        result.scenario,
        *run_facts(facts.run),
        f"{result.mode} run",
        f"digest {result.digest[:16]}",
        *((result.executor,) if result.executor else ()),
    )
