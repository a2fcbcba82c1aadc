"""The types that a user's type checker finds behind `import veilmix`; nothing here is run.

tools/examples.py writes it among the examples, so that it is checked as a file of a user:
a name that is `Any` there fails, although the names of the package are imported at first use.
"""

from os import PathLike
from pathlib import Path
from typing import Any, assert_type

import veilmix
from veilmix.analysis.scoring import TableScore
from veilmix.own_data.advise import Advised
from veilmix.scenarios.records.result_file import Run
from veilmix.scenarios.studies.comparison.result import Comparison

Place = str | PathLike[str]


async def sessions(place: Place) -> None:
    """Scenarios in, outcomes out."""
    assert_type(veilmix.__version__, str)
    assert_type(veilmix.shipped(), tuple[str, ...])
    assert_type(veilmix.load(place), veilmix.Scenario)
    assert_type(veilmix.loads("", base=place), veilmix.Scenario)
    assert_type(veilmix.change(veilmix.load("titanic"), {"policy.k": 2}), veilmix.Scenario)
    assert_type(veilmix.with_people("", {"age": [30]}), veilmix.Scenario)
    assert_type(veilmix.compare(place, only=["exposure"]), Comparison)
    outcome = veilmix.run(place, seed=7)
    assert_type(outcome, veilmix.Outcome)
    assert_type(await veilmix.play(place, seed=7), veilmix.Outcome)
    assert_type(outcome.released_columns, tuple[str, ...])
    assert_type(veilmix.save(outcome, place), Path)
    assert_type(veilmix.read(place), Run)


def frames(outcome: veilmix.Outcome, heading: str) -> None:
    """Cells that are known by their heading, and cells that are not."""
    tables = outcome.frames
    assert_type(sum(tables.release["people"]), int)
    assert_type(sum(tables.marginals["people"]), int)
    assert_type(tables.marginals["value"], tuple[str, ...])
    assert_type(tables.coalitions["linked"], tuple[int, ...])
    assert_type(tables.coalitions["bits_per_person"], tuple[float, ...])
    assert_type(tables.coalitions["rows_guessed"], tuple[Any, ...])
    assert_type(tables.attacks["achieved"], tuple[float, ...])
    assert_type(tables.epsilons["nats"], tuple[float, ...])
    assert_type(tables.epsilons["adjacency"], tuple[str, ...])
    assert_type(tables.epsilons["relied_on"], tuple[Any, ...])
    assert_type(tables.release[heading], tuple[Any, ...])
    assert_type(veilmix.Frame.from_rows([{"n": 1}])["n"], tuple[Any, ...])
    assert_type(tables.release.columns["people"], tuple[Any, ...])
    assert_type(next(iter(tables.release)), dict[str, Any])
    frame: veilmix.Frame = tables.coalitions
    assert_type(len(frame), int)


def own_table(place: Place) -> None:
    """A table of one's own: a path or a frame."""
    score: TableScore = veilmix.score(place, k=5)
    advised: Advised = veilmix.advise(place, hierarchies={"zip": place})
    assert_type(score.n, int)
    assert_type(advised.best.people, int)
    frames = veilmix.score({"age": [30]}).frames
    assert_type(sum(frames.columns["people_below_k"]), int)
    assert_type(frames.questions["risk"], tuple[float, ...])
    assert_type(veilmix.advise(place).frames.choices["loss"], tuple[float, ...])
