"""The results of a matrix attack x defence: its cells, rows and columns, as in matrix.json."""

from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from .matrix_frames import MatrixFrames

SCHEMA = 1
Verdict = Literal["works", "reduced", "stopped", "idle", "unmet", "unplayed"]


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The results of one attack against one defence, over all runs in which it found an occasion.

    Attributes:
        row: the attack.
        defence: the column.
        verdict: the result, in a word.
        runs: their number.
        value: the success of the attack, in the row's unit: mean over the runs.
        least: the smallest of `value`.
        most: the largest of `value`.
        of: the largest possible success.
        linked, certain: people linked to their rows, and cells certain, by the single party that
            learns most.
        moved: the largest number of people by which a count of round 1 differs from an honest run.
        released, burned, alarmed: runs with a release, with an aborted round, with an alarm.
        low, high: 95 % confidence limits (Clopper-Pearson) of the probability of an alarm in a run.
        causes: runs by cause of alarm.
        refused: messages refused, mean.
        same: the cell equals the cell `none`, as this defence is on in both.
        why: the reason why it could not be played.
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
        kind: whether its parties break a rule (`cheating`), or keep to the rules and use data that
            a design error shows (`watching`); empty in matrices of older versions.
        does: the action of the attack, in words.
        unit: the unit of the attack's success.
        helping: names of defences.
        faults: the entries of [[fault]].
    """

    name: str
    by: str
    kind: Kind = ""
    does: str
    unit: str
    helping: tuple[str, ...]
    faults: list[dict[str, Any]]


class DefenceCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cost of a defence in an honest run: CPU seconds with 95 % limits, bytes, messages, steps.

    A single run has no limits. A defence may also cost anonymity: `crowd` is the mean size of a
    person's anonymity set, for both readers and all shufflers but one.

    Attributes:
        runs: their number.
        cpu: seconds that it adds.
        cpu_low: the lower 95 % confidence limit of `cpu`; None of one run.
        cpu_high: the upper 95 % confidence limit of `cpu`; None of one run.
        size: bytes that it adds.
        messages: messages that it adds.
        steps: steps that it adds, each of which waits for the step before; 0 in older matrices.
        crowd: people that it adds to an anonymity set, or removes; None among peers, in older
            matrices.
        false_alarms: honest runs in which a party raised an alarm.
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
    """A column of the matrix: a defence, whether the scenario has it, and its cost.

    Attributes:
        name: the name of the defence.
        key: the scenario key that switches it.
        guards: the purpose of the defence, in words.
        on: whether the scenario has it.
        cost: None if it was not measured.
    """

    name: str
    key: str
    guards: str
    on: bool
    cost: DefenceCost | None = None


class Matrix(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The attack matrix of a scenario, as matrix.json holds it.

    Attributes:
        schema: the number of this format.
        version: the version of veilmix that wrote it.
        scenario: the name of the scenario.
        seed: the seed of the first run of every cell.
        repeats: runs of every cell.
        users: the number of people who take part.
        cells: the number of cells of the people's table: people times columns.
        honest: CPU seconds, bytes and messages of an honest run.
        rows: attacks.
        columns: defences.
        outcomes: one for each attack and defence.
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
        """The cells, and the costs of defences, as tables of plain columns."""
        from .matrix_frames import matrix_frames

        return matrix_frames(self)

    def cell(self, row: str, defence: str) -> Cell:
        """Return the outcome of an attack and a defence; KeyError without such an outcome."""
        for outcome in self.outcomes:
            if (outcome.row, outcome.defence) == (row, defence):
                return outcome
        raise KeyError(f"{row} x {defence}")


class MatrixStopped(KeyboardInterrupt):
    """The interruption of a matrix by Ctrl-C. matrix: the rows of all finished attacks."""

    def __init__(self, matrix: Matrix) -> None:
        """Keep the matrix of the finished attacks."""
        super().__init__(f"{len(matrix.rows)} attacks played")
        self.matrix = matrix


def verdict(cell: Cell, without: Cell | None) -> Verdict:
    """Return the verdict on an attack. without: its cell without a defence; None for that cell.

    idle: without any defence it achieves no success in this scenario. stopped: it succeeds in no
    run. reduced: less than half of the success, and in every run less than in any without the
    defence.
    """
    if without is not None and (not without.runs or without.most == 0):
        return "idle" if cell.most == 0 else "works"
    if cell.most == 0:
        return "stopped" if without is not None else "idle"
    if without is not None and cell.most < without.least and 2 * cell.value < without.value:
        return "reduced"
    return "works"
