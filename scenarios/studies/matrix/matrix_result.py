"""The results of an attack matrix: an outcome for each attack and defence, as in matrix.json.

A row of the matrix is an attack, and a column a defence (countermeasure).
"""

from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from .matrix_frames import MatrixFrames

SCHEMA = 1
Verdict = Literal["works", "reduced", "stopped", "idle", "unmet", "unplayed"]


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The results of one attack against one defence, over all runs in which it found an occasion.

    Attributes:
        row: the name of the attack.
        defence: the name of the defence; or `none`, or `all`.
        verdict: the result, in a word.
        runs: the number of runs in which the attack found an occasion.
        value: the success of the attack, in the unit of its row: mean over the runs.
        least: the smallest success of a run.
        most: the largest success of a run.
        of: the largest possible success.
        linked: people linked to their rows by the single party that learns most: mean.
        certain: values of people that a single party knows for certain, at most: mean.
        moved: the largest number of people by which a count of round 1 differs from an honest run:
            mean.
        released: runs with a release.
        burned: runs with an aborted round.
        alarmed: runs in which a party raised an alarm.
        low, high: 95 % confidence limits (Clopper-Pearson) of the probability of an alarm in a run.
        causes: cause of an alarm -> the number of runs with such an alarm.
        refused: messages refused: mean.
        same: whether the cell equals the cell `none`, as this defence is on in both.
        why: the reason why the cell was not played; empty: it was.
        unmet: runs, besides `runs`, in which the attack found no occasion.
    """

    row: str
    defence: str
    verdict: Verdict
    runs: int = 0
    value: float = 0.0
    least: float = 0.0
    most: float = 0.0
    of: float = 0.0
    linked: float = 0.0
    certain: float = 0.0
    moved: float = 0.0
    released: int = 0
    burned: int = 0
    alarmed: int = 0
    low: float = 0.0
    high: float = 1.0
    causes: dict[str, int] = {}
    refused: float = 0.0
    same: bool = False
    why: str = ""
    unmet: int = 0


Kind = Literal["", "watching", "cheating"]


class AttackRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of the matrix: an attack, its parties, and the defences declared to help against it.

    Attributes:
        name: the name of the attack.
        by: the party that commits it.
        kind: `cheating` if its parties break a rule of the protocol; `watching` if they keep the
            rules and use data that a design error shows; empty in matrices of older versions.
        does: the action of the attack, in words.
        unit: the unit of the attack's success.
        helping: names of the defences declared to stop or detect it.
        faults: the entries of [[fault]] in a scenario file that commit it.
    """

    name: str
    by: str
    kind: Kind = ""
    does: str
    unit: str
    helping: tuple[str, ...]
    faults: list[dict[str, Any]]


class DefenceCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The mean cost of a defence in an honest run: the difference to a run without the defence.

    Attributes:
        runs: pairs of honest runs, without and with the defence.
        cpu: CPU seconds that the defence adds.
        cpu_low: the lower 95 % confidence limit of `cpu`; None of a single pair.
        cpu_high: the upper 95 % confidence limit of `cpu`; None of a single pair.
        size: bytes that the defence adds.
        messages: messages that the defence adds.
        steps: steps that the defence adds; a step waits for the step before; 0 in older matrices.
        crowd: people added to the mean anonymity set of a person (negative: removed), for a
            coalition of curator, analyst and all shufflers but one; None among peers, and in older
            matrices.
        false_alarms: honest runs with the defence in which a party raised an alarm.
    """

    runs: int
    cpu: float
    cpu_low: float | None
    cpu_high: float | None
    size: float
    messages: float
    false_alarms: int
    steps: float = 0.0
    crowd: float | None = None


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A column of the matrix: a defence, whether the scenario has it on, and its cost.

    Attributes:
        name: the name of the defence.
        key: the scenario key that switches the defence.
        guards: the purpose of the defence, in words.
        on: whether the scenario under attack has the defence on.
        cost: the cost in an honest run; None if it was not measured.
    """

    name: str
    key: str
    guards: str
    on: bool
    cost: DefenceCost | None = None


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The attack matrix of a scenario, as in matrix.json: a row per attack, a column per defence.

    Attributes:
        schema: the number of this file format.
        version: the version of veilmix that wrote the file.
        scenario: the name of the scenario under attack.
        seed: the seed of the first run of every outcome.
        repeats: runs of every outcome.
        users: the number of participants.
        cells: values of all people: the number of people times the number of their columns.
        honest: mean CPU seconds, bytes and messages of an honest run.
        rows: the attacks.
        columns: the defences (countermeasures).
        outcomes: the results of each attack under each defence, without defences, and under all.
    """

    schema: int = SCHEMA
    version: str
    scenario: str
    seed: int
    repeats: int
    users: int
    cells: int
    honest: dict[str, float]
    rows: tuple[AttackRow, ...]
    columns: tuple[Column, ...]
    outcomes: tuple[Cell, ...]

    @property
    def frames(self) -> "MatrixFrames":
        """The outcomes, and the costs of defences, as tables of plain columns."""
        from .matrix_frames import matrix_frames

        return matrix_frames(self)

    def cell(self, row: str, defence: str) -> Cell:
        """Return the outcome of an attack (`row`) under a defence; KeyError if it is missing."""
        for outcome in self.outcomes:
            if (outcome.row, outcome.defence) == (row, defence):
                return outcome
        raise KeyError(f"{row} x {defence}")


class MatrixStopped(KeyboardInterrupt):
    """The interruption of an attack matrix by Ctrl-C. matrix: the rows of all finished attacks."""

    def __init__(self, matrix: Matrix) -> None:
        """Keep the matrix of the finished attacks."""
        super().__init__(f"{len(matrix.rows)} attacks played")
        self.matrix = matrix


def verdict(cell: Cell, without: Cell | None) -> Verdict:
    """Return the verdict on an attack under a defence.

    Args:
        cell: the results of the attack under the defence.
        without: the results of the attack without a defence; None if `cell` holds these.

    Returns:
        `idle`: the attack never succeeds, and not without a defence either. `stopped`: the defence
        leaves no run in which the attack succeeds. `reduced`: the mean success is less than half,
        and every run has less success than any run without the defence. `works`: otherwise.
    """
    if without is not None and (not without.runs or without.most == 0):
        return "idle" if cell.most == 0 else "works"
    if cell.most == 0:
        return "stopped" if without is not None else "idle"
    if without is not None and cell.most < without.least and 2 * cell.value < without.value:
        return "reduced"
    return "works"
