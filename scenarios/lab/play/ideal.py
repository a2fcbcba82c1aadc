"""The play of a scenario with central parties by the ideal functionality, without messages.

The ideal functionality (protocol/ideal.py) computes the results of a session directly from the
table of people. No code of parties or message transport is loaded.
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
from ...populations import Population
from ...programs.capability import AnswerKind
from ...programs.interface import Played
from ...programs.noisy_questions import ideal_reports
from ...programs.registry import answers_for
from .fault_schedule import present, struck_in
from .ideal_outcome import imagined
from .session_plan import SessionPlan

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ....protocol.knowledge.transcript import Row

SILENT = ("absent",)  # faults of users that request no token (credential for one submission)
UNSENT = ("absent", "malformed")  # faults of users that submit no valid message


def play_ideal(plan: SessionPlan, seed: int | None = None) -> Played:
    """Return the outcome of a session without messages, from the table of people.

    seed: seeds the noise that users add, and the values that they suppress at random as decoys.
    """
    plan_answers, people = _PlanAnswers(plan, entropy_of(seed)), plan.crowd.people
    ideal = _ideal(plan, plan_answers)
    single = people.n <= SUMMARY_ABOVE
    opening = answers_for(plan.program) is AnswerKind.OPENED
    look = partial(
        ideal_view,
        people.n,
        ideal,
        plan.policy,
        plan.mix.shufflers,
        uses_tokens=plan.rules.tokens,
        public=plan.rules.names_people,
        once=plan.mix.submit == "once",
        whole=plan_answers.whole_rows(ideal.posted[0]) if opening else None,
        answers=plan_answers.answers if single else None,
        domains=tuple(domains_of(people.schema)) if opening else (),
        verified=plan.rules.verified,
    )
    truth = None
    if single and not plan.questions:
        truth = plain_rows([plan_answers.answers(call).sealed_rows for call in ideal.posted])
    return imagined(ideal, lambda members: look(*members), truth=truth)


@dataclass(slots=True)
class _PlanAnswers:
    """The answers of the people of a session, for each call (query of a round); drawn once.

    Attributes:
        plan: the plan of the session.
        entropy: the randomness of the noise, and of covers (values suppressed at random, to hide
            which suppressed values are sensitive).
        tables: the submitted values, by round.
        answers_by_round: the answers by person, by round.
    """

    plan: SessionPlan
    entropy: Entropy
    tables: dict[int, PeopleTable] = field(default_factory=dict)
    answers_by_round: dict[int, Answers] = field(default_factory=dict)

    def submitted_table(self, call: Call) -> PeopleTable:
        """Return the table of submitted values of all users asked in a round."""
        if call.round not in self.tables:
            self.tables[call.round] = self._draw_table(call)
        return self.tables[call.round]

    def _draw_table(self, call: Call) -> PeopleTable:
        """Return the table of values that the queried people submit: noisy, suppressed or exact."""
        people, queried_indices = self.plan.crowd.people, self.queried_people(call)
        if self.plan.questions:
            return ideal_reports(self.plan.questions, people, queried_indices, self.entropy)
        if people.several is not None:
            return persons_table(people, queried_indices)
        table = PeopleTable(
            people.values,
            people.codes[queried_indices] if len(queried_indices) < people.n else people.codes,
        )
        if self.plan.participation is not None:
            return self.plan.participation.submitted_table(table, queried_indices, self.entropy)
        return hide_table(table, call.hidden, _covers(call, queried_indices, self.entropy))

    def queried_people(self, call: Call) -> "npt.NDArray[np.intp]":
        """Return the indices of the people that a call (query) asks."""
        return present(self.plan.crowd, self.plan.faults, self._submitted(call), ())

    def _submitted(self, call: Call) -> int:
        """Return the round in which people submit the answers to a call (query of a round).

        With `submit = "once"` people submit all answers in round 1.
        """
        return 1 if self.plan.mix.submit == "once" else call.round

    def counted(self, call: Call) -> PeopleTable:
        """Return the submitted values of the users that are counted for a call (query)."""
        import numpy as np

        table, queried_indices = self.submitted_table(call), self.queried_people(call)
        present_people = present(self.plan.crowd, self.plan.faults, self._submitted(call))
        if len(present_people) == len(queried_indices):
            return table
        if self.plan.crowd.people.several is not None:
            return persons_table(self.plan.crowd.people, present_people)
        return PeopleTable(
            table.values, table.codes[np.searchsorted(queried_indices, present_people)]
        )

    def whole_rows(self, call: Call) -> dict[tuple[str, ...], int]:
        """Return the number of counted people with each row (values in all columns)."""
        table = self.counted(call)
        return count_cells(table, range(len(table.values)))

    def answers(self, call: Call) -> Answers:
        """Return the answers to a call (query) by person; drawn at the first request, then kept."""
        if call.round not in self.answers_by_round:
            self.answers_by_round[call.round] = self._answers(call)
        return self.answers_by_round[call.round]

    def _answers(self, call: Call) -> Answers:
        """Return the answers to a call (query): sealed rows, and submitted and counted people."""
        number = self._submitted(call)
        queried_indices, present_people = (
            self.queried_people(call),
            present(self.plan.crowd, self.plan.faults, number),
        )
        rows = rows_of(self.submitted_table(call), call, queried_indices)
        if number != call.round:  # `submit = "once"`: round 2 mixes the ballots of round 1 again
            listed = frozenset(present_people.tolist())
            return Answers({person: rows[person] for person in listed}, listed, listed)
        opening = answers_for(self.plan.program) is AnswerKind.OPENED
        if self.plan.rules.tokens or opening:  # absent users request no token, so they seal no row
            silent = present(self.plan.crowd, self.plan.faults, call.round, SILENT)
            rows = {person: rows[person] for person in silent.tolist()}
        unsent = struck_in(self.plan.faults, call.round, UNSENT)
        return Answers(rows, frozenset(rows) - unsent, frozenset(present_people.tolist()))


def rows_of(table: PeopleTable, call: Call, people: "npt.NDArray[np.intp]") -> "dict[int, Row]":
    """Return, per person, the values in the columns of a call (query of a round).

    People with equal values share one dict, to save memory. table: the submitted values. people:
    the indices of the persons, in the order of the table.
    """
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
    """Return the table of some persons, from a population in which persons have several rows.

    person_indices: the indices of these persons.
    """
    several = people.several
    assert several is not None  # noqa: S101 - the callers have looked
    selection, codes = (
        several.select_persons(person_indices),
        people.codes[several.places(person_indices)],
    )
    return PeopleTable(people.values, codes, selection.owner, several.slots)


def _rows_of_persons(
    table: PeopleTable, columns: "Sequence[int]", people: "Sequence[int]"
) -> "dict[int, Row]":
    """Return, per person and column, one text that joins the values of the person's rows.

    columns: the indices of the columns. people: the indices of the persons, in the table's order.
    """
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


def _ideal(plan: SessionPlan, plan_answers: _PlanAnswers) -> Ideal:
    """Return the results of the ideal functionality (no messages) for a session."""
    rules = plan.rules

    def asking(call: Call) -> int:
        """Return the number of users that ask for tokens (credentials) in the round of a call."""
        return len(present(plan.crowd, plan.faults, call.round, SILENT))

    if plan.questions:
        call = first_call(plan.queries, plan.schema)
        token_count = asking(call) if rules.tokens else None
        return randomized(plan.schema, plan_answers.counted(call), rules, token_count)
    return run_through(
        plan.queries,
        plan.crowd.people.schema,
        plan_answers.counted,
        plan.policy,
        rules,
        plan.strategy,
        proving=plan.attacks.defence.promise,
        asking=asking if rules.tokens else None,
    )


def _covers(
    call: Call, person_indices: "npt.NDArray[np.intp]", entropy: Entropy
) -> "npt.ArrayLike":
    """Return the random draws by which people decide to suppress values as covers.

    A cover is a value suppressed at random, which hides which suppressed values are sensitive. With
    a seed the draws equal the draws of a real run. Shape: people, suppression rules of the call.
    person_indices: the people that the call (query) asks.
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
