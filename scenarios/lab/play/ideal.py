"""Playing a scenario with central parties, without a message (protocol/ideal.py).

It loads no party and no message transport.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ....crypto.entropy import Entropy, entropy_of
from ....protocol.board.strategies import first_call
from ....protocol.ideal import Ideal, PeopleTable, count_cells, hide_table, randomized, run_through
from ....protocol.ideal_view import Answers, ideal_view
from ....protocol.knowledge.run_record import all_values, plain_rows
from ....protocol.knowledge.transcript import SUMMARY_ABOVE
from ....protocol.rounds.exclusion import domains_of
from ....protocol.wire.hiding_rules import COVERS, Redact, cover_draws
from ....protocol.wire.messages import Call
from ....protocol.wire.parties import user
from ...attacks.catalogue.strikes import Faults
from ...populations import Population
from ...populations.samples import Samples
from ...programs.capabilities import LocalNoise, ThresholdOpening
from ...programs.interface import Played
from ...programs.noisy_questions import ideal_reports
from ...programs.registry import (
    announced_schema,
    capability,
    noisy_questions,
    participation,
    strategy,
    wire,
)
from ...schema.model import Scenario
from .announcement import announced_policy, announced_rules
from .fault_schedule import present, struck_in
from .ideal_outcome import imagined

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ....protocol.knowledge.transcript import Row

SILENT = ("absent",)  # faults of users without a token request
UNSENT = ("absent", "malformed")  # faults of users without a submission


def play_ideal(
    scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None = None
) -> Played:
    """Answer the same queries without messages.

    seed: of the noise that users add and of the values that they suppress as covers.
    """
    scenario_answers = _ScenarioAnswers(scenario, crowd, faults, entropy_of(seed))
    ideal = _ideal(scenario, scenario_answers)
    single, opening = crowd.people.n <= SUMMARY_ABOVE, capability(scenario, ThresholdOpening)
    look = partial(
        ideal_view,
        crowd.people.n,
        ideal,
        announced_policy(scenario),
        scenario.mix.shufflers,
        uses_tokens=scenario.defence.tokens,
        public=announced_rules(scenario).names_people,
        once=scenario.mix.submit == "once",
        whole=scenario_answers.whole_rows(ideal.posted[0]) if opening else None,
        answers=scenario_answers.answers if single else None,
        domains=tuple(domains_of(crowd.people.schema)) if opening else (),
        verified=scenario.mix.kind == "verified",
    )
    truth = None
    if single and capability(scenario, LocalNoise) is None:
        truth = plain_rows([scenario_answers.answers(call).sealed_rows for call in ideal.posted])
    return imagined(ideal, lambda members: look(*members), truth=truth)


@dataclass(slots=True)
class _ScenarioAnswers:
    """The answers of the people of a scenario, per call: random ones are drawn once."""

    scenario: Scenario
    crowd: Samples
    faults: Faults
    entropy: Entropy
    tables: dict[int, PeopleTable] = field(default_factory=dict)
    answers_by_round: dict[int, Answers] = field(default_factory=dict)

    def submitted_table(self, call: Call) -> PeopleTable:
        """Return the table of submitted values of all users asked in a round."""
        if call.round not in self.tables:
            self.tables[call.round] = self._draw_table(call)
        return self.tables[call.round]

    def _draw_table(self, call: Call) -> PeopleTable:
        people, queried_indices = self.crowd.people, self.queried_people(call)
        if questions := noisy_questions(self.scenario, people):
            return ideal_reports(questions, people, queried_indices, self.entropy)
        if people.several is not None:
            return persons_table(people, queried_indices)
        table = PeopleTable(
            people.values,
            people.codes[queried_indices] if len(queried_indices) < people.n else people.codes,
        )
        if (participation_rule := participation(self.scenario)) is not None:
            return participation_rule.submitted_table(table, queried_indices, self.entropy)
        return hide_table(table, call.hidden, _covers(call, queried_indices, self.entropy))

    def queried_people(self, call: Call) -> "npt.NDArray[np.intp]":
        """Return the indices of the people that a call asks."""
        return present(self.crowd, self.faults, self._submitted(call), ())

    def _submitted(self, call: Call) -> int:
        """Return the round in which the answers to a call are submitted."""
        return 1 if self.scenario.mix.submit == "once" else call.round

    def counted(self, call: Call) -> PeopleTable:
        """Return the table of the counted users."""
        import numpy as np

        table, queried_indices = self.submitted_table(call), self.queried_people(call)
        present_people = present(self.crowd, self.faults, self._submitted(call))
        if len(present_people) == len(queried_indices):
            return table
        if self.crowd.people.several is not None:
            return persons_table(self.crowd.people, present_people)
        return PeopleTable(
            table.values, table.codes[np.searchsorted(queried_indices, present_people)]
        )

    def whole_rows(self, call: Call) -> dict[tuple[str, ...], int]:
        """Return the number of counted people per whole row."""
        table = self.counted(call)
        return count_cells(table, range(len(table.values)))

    def answers(self, call: Call) -> Answers:
        """Return the answers of a round, by person."""
        if call.round not in self.answers_by_round:
            self.answers_by_round[call.round] = self._answers(call)
        return self.answers_by_round[call.round]

    def _answers(self, call: Call) -> Answers:
        number = self._submitted(call)
        queried_indices, present_people = (
            self.queried_people(call),
            present(self.crowd, self.faults, number),
        )
        rows = rows_of(self.submitted_table(call), call, queried_indices)
        if number != call.round:  # the ballots that counted are mixed again
            listed = frozenset(present_people.tolist())
            return Answers({person: rows[person] for person in listed}, listed, listed)
        defence = self.scenario.defence
        if defence.tokens or capability(
            self.scenario, ThresholdOpening
        ):  # users first ask for tokens
            silent = present(self.crowd, self.faults, call.round, SILENT)
            rows = {person: rows[person] for person in silent.tolist()}
        unsent = struck_in(self.faults, call.round, UNSENT)
        return Answers(rows, frozenset(rows) - unsent, frozenset(present_people.tolist()))


def rows_of(table: PeopleTable, call: Call, people: "npt.NDArray[np.intp]") -> "dict[int, Row]":
    """Return per person the values in the columns of a call; equal rows are one object."""
    import numpy as np

    columns = sorted({column for ask in call.asks for column in ask})
    if table.owner is not None:
        return _rows_of_persons(table, columns, people.tolist())
    cells, places = np.unique(table.codes[:, columns], axis=0, return_inverse=True)
    shared: list[Row] = [
        {column: table.values[column][code] for column, code in zip(columns, cell, strict=True)}
        for cell in cells.tolist()
    ]
    return dict(zip(people.tolist(), map(shared.__getitem__, places.ravel().tolist()), strict=True))


def persons_table(people: Population, person_indices: "npt.NDArray[np.intp]") -> PeopleTable:
    """Return the table of these persons, of people with several rows each."""
    several = people.several
    assert several is not None  # noqa: S101 - the callers have looked
    selection, codes = several.take(person_indices), people.codes[several.places(person_indices)]
    return PeopleTable(people.values, codes, selection.owner, several.slots)


def _rows_of_persons(
    table: PeopleTable, columns: "Sequence[int]", people: "Sequence[int]"
) -> "dict[int, Row]":
    """Return per person all its values in these columns, each column's as one text."""
    import numpy as np

    assert table.owner is not None  # noqa: S101 - the caller has looked
    starts = np.searchsorted(table.owner, np.arange(len(people) + 1)).tolist()
    texts = [[table.values[column][code] for code in table.codes[:, column]] for column in columns]
    shared: dict[tuple[str, ...], Row] = {}
    rows: dict[int, Row] = {}
    for place, person in enumerate(people):
        person_slice = slice(starts[place], starts[place + 1])
        row_values = tuple(all_values(column[person_slice]) for column in texts)
        rows[person] = shared.setdefault(row_values, dict(zip(columns, row_values, strict=True)))
    return rows


def _ideal(scenario: Scenario, scenario_answers: _ScenarioAnswers) -> Ideal:
    crowd, faults = scenario_answers.crowd, scenario_answers.faults
    people, rules = crowd.people, announced_rules(scenario)

    def asking(call: Call) -> int:
        return len(present(crowd, faults, call.round, SILENT))

    if noisy_questions(scenario, people):
        schema = announced_schema(scenario, people.schema)
        call = first_call(wire(scenario), schema)
        token_count = asking(call) if rules.tokens else None
        return randomized(schema, scenario_answers.counted(call), rules, token_count)
    return run_through(
        wire(scenario),
        people.schema,
        scenario_answers.counted,
        announced_policy(scenario),
        rules,
        strategy(scenario, crowd.round2_people),
        proving=scenario.defence.promise,
        asking=asking if rules.tokens else None,
    )


def _covers(
    call: Call, person_indices: "npt.NDArray[np.intp]", entropy: Entropy
) -> "npt.ArrayLike":
    """Return the draws of the people with these indices for a call's rules.

    With a seed they equal the draws of a real run. Shape: people, rules.
    """
    import numpy as np

    shape = len(person_indices), len(call.hidden)
    if not any(isinstance(rule, Redact) for rule in call.hidden):
        return np.zeros(shape, dtype=np.uint64)
    if not entropy.seeded:
        return np.random.default_rng().integers(0, COVERS, shape, dtype=np.uint64)
    drawn = [
        cover_draws(call.hidden, entropy.fork(user(i)).fork(f"round-{call.round}"))
        for i in person_indices.tolist()
    ]
    return np.array(drawn, dtype=np.uint64).reshape(shape)
