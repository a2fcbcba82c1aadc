"""The facts for a run's page, read and computed once from its folder."""

from ...scenarios.records.result_file import Run
from ...scenarios.records.traffic import traffic
from ...scenarios.studies.cheating.cheating_file import read_study
from ...scenarios.studies.exposure.column_sets import choices
from ...scenarios.studies.exposure.exposure_curves import curves
from ..presenters.page_facts import PageFacts, learners


def gather(run: Run, nodes: int | None) -> PageFacts:
    """Return all facts that the page of a run shows.

    nodes: the largest number of nodes of each search tree for a worst case at some k; 0: no search;
    None: the default.
    """
    sets = choices(run)
    message_traffic, curve = traffic(run.transcript), curves(run, sets, nodes)
    return PageFacts(run, sets, curve, message_traffic, learners(run), read_study(run))
