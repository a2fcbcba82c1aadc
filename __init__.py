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
>>> [row["columns released"] for row in swept.frames.runs]  # a row for each run
[2.0, 0.0]
>>> table = {"age": [30, 31] * 20, "ward": ["east", "west", "west", "west"] * 10}
>>> veilmix.score(table, k=5).safe  # a table of your own: a path, or a frame
True
>>> veilmix.advise(table, k=15).best.people  # people exposed after the advised coarser values
0

A public name is imported at its first use (PEP 562), so `import veilmix` is fast. For the same
reason, a tool that imports this folder under another name does not load all modules a second time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import analysis as analysis
    from . import errors as errors
    from .analysis.frames import Frame as Frame
    from .own_data.api import advise as advise
    from .own_data.api import score as score
    from .report.api import write_report as write_report
    from .scenarios.lab.play.async_play import play as play
    from .scenarios.lab.play.run import run as run
    from .scenarios.lab.play.table_population import with_people as with_people
    from .scenarios.lab.scoring.outcome import Outcome as Outcome
    from .scenarios.lab.validation.gallery import shipped as shipped
    from .scenarios.lab.validation.load import change as change
    from .scenarios.lab.validation.load import load as load
    from .scenarios.lab.validation.load import loads as loads
    from .scenarios.records.run_folder import read as read
    from .scenarios.records.run_folder import save as save
    from .scenarios.records.verification.api import leak as leak
    from .scenarios.records.verification.api import verify as verify
    from .scenarios.schema.model import Scenario as Scenario
    from .scenarios.studies.api import attack as attack
    from .scenarios.studies.api import sweep as sweep
    from .scenarios.studies.comparison.compare import compare as compare
    from .scenarios.studies.comparison.result import read as read_comparison
    from .scenarios.studies.matrix.attack_matrix_file import read as read_matrix
    from .scenarios.studies.sweeps.sweep_runs import read_sweep as read_sweep
    from .version import __version__ as __version__

# For each public name, the module that defines it. After a colon stands the name in that module, if
# it differs. An empty text marks a subpackage.
_HOMES = {
    "Frame": "analysis.frames",
    "Outcome": "scenarios.lab.scoring.outcome",
    "Scenario": "scenarios.schema.model",
    "__version__": "version",
    "advise": "own_data.api",
    "analysis": "",
    "attack": "scenarios.studies.api",
    "change": "scenarios.lab.validation.load",
    "compare": "scenarios.studies.comparison.compare",
    "errors": "",
    "leak": "scenarios.records.verification.api",
    "load": "scenarios.lab.validation.load",
    "loads": "scenarios.lab.validation.load",
    "play": "scenarios.lab.play.async_play",
    "read": "scenarios.records.run_folder",
    "read_comparison": "scenarios.studies.comparison.result:read",
    "read_matrix": "scenarios.studies.matrix.attack_matrix_file:read",
    "read_sweep": "scenarios.studies.sweeps.sweep_runs",
    "run": "scenarios.lab.play.run",
    "save": "scenarios.records.run_folder",
    "score": "own_data.api",
    "shipped": "scenarios.lab.validation.gallery",
    "sweep": "scenarios.studies.api",
    "verify": "scenarios.records.verification.api",
    "with_people": "scenarios.lab.play.table_population",
    "write_report": "report.api",
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
    """Return a public name of the package, imported from its module at first use."""
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
