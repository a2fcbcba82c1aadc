"""veilmix: a laboratory for releasing data about people without a trusted party.

>>> import trio, veilmix
>>> outcome = veilmix.run("blood-type", seed=7)  # play a scenario: a shipped name or a file
>>> again = trio.run(veilmix.play, "blood-type", 7)  # the same inside a running trio program
>>> outcome.frames.release  # the results as tables of plain columns
<Frame of 3 rows: A, B, people>
>>> sum(outcome.frames.release["people"])
30
>>> veilmix.save(outcome, "runs").name  # store the run as the command line does
'blood-type-0007'
>>> swept = veilmix.sweep("blood-type", {"policy.k": [2, 20]}, seed=7, mode="ideal")
>>> [row["columns released"] for row in swept.frames.runs]  # a row a run
[2.0, 0.0]
>>> table = {"age": [30, 31] * 20, "ward": ["east", "west", "west", "west"] * 10}
>>> veilmix.score(table, k=5).safe  # a table of your own: a path, or a frame
True
>>> veilmix.advise(table, k=15).best.people  # the coarser values that make it safe
0

A name is imported at its first use (PEP 562), so that `import veilmix` costs little and no tool
that imports this folder under another name makes a second copy of anything.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import analysis as analysis
    from . import errors as errors
    from .analysis.frames import Frame as Frame
    from .report.door import write_report as write_report
    from .scenarios.comparison.compare import compare as compare
    from .scenarios.comparison.result import read as read_comparison
    from .scenarios.play.awaited import play as play
    from .scenarios.play.run import run as run
    from .scenarios.play.with_people import with_people as with_people
    from .scenarios.records.run_folder import read as read
    from .scenarios.records.run_folder import save as save
    from .scenarios.schema.model import Scenario as Scenario
    from .scenarios.scoring.outcome import Outcome as Outcome
    from .scenarios.studies.attack_matrix_file import read as read_matrix
    from .scenarios.studies.doors import attack as attack
    from .scenarios.studies.doors import sweep as sweep
    from .scenarios.studies.swept import read_sweep as read_sweep
    from .scenarios.tables.doors import advise as advise
    from .scenarios.tables.doors import score as score
    from .scenarios.validation.gallery import shipped as shipped
    from .scenarios.validation.load import change as change
    from .scenarios.validation.load import load as load
    from .scenarios.validation.load import loads as loads
    from .scenarios.verification.doors import leak as leak
    from .scenarios.verification.doors import verify as verify
    from .version import __version__ as __version__

# public name -> its home, and after a colon its name there; a room is its own
_HOMES = {
    "Frame": "analysis.frames",
    "Outcome": "scenarios.scoring.outcome",
    "Scenario": "scenarios.schema.model",
    "__version__": "version",
    "advise": "scenarios.tables.doors",
    "analysis": "",
    "attack": "scenarios.studies.doors",
    "change": "scenarios.validation.load",
    "compare": "scenarios.comparison.compare",
    "errors": "",
    "leak": "scenarios.verification.doors",
    "load": "scenarios.validation.load",
    "loads": "scenarios.validation.load",
    "play": "scenarios.play.awaited",
    "read": "scenarios.records.run_folder",
    "read_comparison": "scenarios.comparison.result:read",
    "read_matrix": "scenarios.studies.attack_matrix_file:read",
    "read_sweep": "scenarios.studies.swept",
    "run": "scenarios.play.run",
    "save": "scenarios.records.run_folder",
    "score": "scenarios.tables.doors",
    "shipped": "scenarios.validation.gallery",
    "sweep": "scenarios.studies.doors",
    "verify": "scenarios.verification.doors",
    "with_people": "scenarios.play.with_people",
    "write_report": "report.door",
}
__all__ = [
    "Frame",
    "Outcome",
    "Scenario",
    "__version__",
    "advise",
    "analysis",
    "attack",
    "change",
    "compare",
    "errors",
    "leak",
    "load",
    "loads",
    "play",
    "read",
    "read_comparison",
    "read_matrix",
    "read_sweep",
    "run",
    "save",
    "score",
    "shipped",
    "sweep",
    "verify",
    "with_people",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'veilmix' has no attribute {name!r}")
    from importlib import import_module

    home, _, attribute = _HOMES[name].partition(":")
    if not home:
        return import_module(f"veilmix.{name}")
    return getattr(import_module(f"veilmix.{home}"), attribute or name)


def __dir__() -> list[str]:
    """Return the public names, for completion with Tab."""
    return sorted(__all__)
