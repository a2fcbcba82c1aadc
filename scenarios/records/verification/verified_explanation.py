"""Explanations of a coalition's knowledge in a verified mix, as sentences.

Ballots stand on the board under the names of their users. A coalition links opened answers to these
names only if it holds the keys and permutations of certain parties (`RunRecord.linkers`), mostly of
all shufflers. protocol/knowledge/view.py counts linked people by the same rule.
"""

from collections.abc import Collection, Iterator, Sequence

from ....protocol.knowledge.facts import FactRule
from ....protocol.knowledge.run_record import nearest
from ....protocol.knowledge.transcript import SealedAnswers
from ....protocol.knowledge.view import ViewedRun
from ....protocol.wire import parties
from ....protocol.wire.messages import Kind
from .reasons import DerivationStep, Explanation


class _Steps(list[DerivationStep]):
    """The steps of a derivation, numbered in order."""

    def add(self, rule: FactRule, text: str, *premises: int) -> int:
        """Add a step, unless its text is there already; return the step's number.

        rule: the inference rule. text: the conclusion. premises: the numbers of the steps that it
        needs.
        """
        for step in self:
            if step.text == text:
                return step.number
        self.append(DerivationStep(len(self) + 1, rule.value, text, premises))
        return len(self)


class VerifiedExplainer:
    """An explainer of a coalition's knowledge in a run with a verified mix.

    record: the run. members: the parties of the coalition. columns: the names of all columns.
    """

    def __init__(self, record: ViewedRun, members: Sequence[str], columns: Sequence[str]) -> None:
        """Compute the coalition's view of the run.

        record: the run. members: the parties of the coalition. columns: the names of all columns.
        """
        self.record, self.columns = record, columns
        self.members = frozenset(members)
        self.linked = record.view(members).by_round
        self.coalition_name = " + ".join(sorted(members)) or "anybody"
        self._sealed_answers = {
            sealed_answers.envelope: sealed_answers
            for sealed_answers in record.transcript.sealed_answers
        }
        # names (beginnings of hashes) of each user's ballots
        self.names: Collection[bytes] = self._sealed_answers

    def person(self, person: int) -> Explanation:
        """Return an explanation of the coalition's knowledge about a person, given by index.

        If the coalition does not link the person, the explanation names the parties that it would
        need.
        """
        about, steps, missing = parties.user(person), _Steps(), list[str]()
        for number in self.record.calls:
            if (place := self._add_place(steps, number, person)) and not self._reads(
                steps, number, person, place
            ):
                missing += self._missing(number)
        if any(person in rows for rows in self.linked.values()):
            return Explanation(about, tuple(steps), f"{about} is linked by {self.coalition_name}")
        if not steps:
            ending = f"{self.coalition_name} has nothing that it could know to be from {about}"
            return Explanation(about, (), ending)
        lacking = tuple(dict.fromkeys(missing))
        ending = (
            f"there the trail ends: {_takes(lacking)}; until then {about} is one of all whose "
            "ballots are mixed with its own"
        )
        return Explanation(about, tuple(steps), ending, lacking)

    def message(self, name: bytes) -> Explanation:
        """Return an explanation of the coalition's knowledge about a user's ballots of a round.

        The explanation says whether the coalition saw the ballots, and can link their answers to
        the user. name: the beginning of the hash of the ballots' envelope.
        """
        sealed_answers, about, steps = self._sealed_answers[name], name.hex(), _Steps()
        sighting = self._add_sighting(steps, sealed_answers) or self._add_place(
            steps, sealed_answers.round, sealed_answers.user
        )
        if not sighting:
            ending = (
                f"{about} was never seen by {self.coalition_name}, not even inside an opened "
                "message"
            )
            return Explanation(about, (), ending)
        if self._reads(steps, sealed_answers.round, sealed_answers.user, sighting):
            ending = f"its sender and its content are known to {self.coalition_name}"
            return Explanation(about, tuple(steps), ending)
        lacking = self._missing(sealed_answers.round)
        return Explanation(about, tuple(steps), f"it stays closed: {_takes(lacking)}", lacking)

    def _add_sighting(self, steps: _Steps, sealed_answers: SealedAnswers) -> int:
        """Add the step in which a member sees ballots in transit; return its number, else 0."""
        user, name = parties.user(sealed_answers.user), sealed_answers.envelope
        for event in self.record.transcript.events:
            if event.kind is Kind.SUBMISSION and event.names == name and event.sender == user:
                for member in sorted(self.members):
                    if event.seen_by(member):
                        way = f"from {user} to {event.receiver}, round {sealed_answers.round}"
                        return steps.add(FactRule.SENDER, f"{member} saw {name.hex()} {way}")
        return 0

    def _add_place(self, steps: _Steps, number: int, person: int) -> int:
        """Add the step that locates a person's ballots in a round; return its number, 0 if unseen.

        number: the round. person: the index of the person.
        """
        user = parties.user(person)
        if person in self.record.board.verified.closed.get(number, ()):
            if not self.record.board.verified.handed.get(number):
                first = self._add_place(steps, 1, person)
                return steps.add(FactRule.SHOWN, f"they are mixed again in round {number}", first)
            text = f"the ballots of {user} stand on the board under its name, round {number}"
            return steps.add(FactRule.SHOWN, text)
        for sealed_answers in self.record.transcript.sealed_answers:
            if (sealed_answers.user, sealed_answers.round) == (person, number):
                return self._add_sighting(steps, sealed_answers)
        return 0

    def _reads(self, steps: _Steps, number: int, person: int, place: int) -> bool:
        """Whether the coalition links a person's answers in a round; adds the steps that show why.

        number: the round. place: the number of the step that locates the person's ballots.
        """
        row = self.linked.get(number, {}).get(person)
        if row is None:
            return False
        answer_text = " ".join(
            f"{self.columns[column]}={value.strip()}" for column, value in row.items()
        )
        user = parties.user(person)
        if user in self.members:
            steps.add(FactRule.OWN, f"{user} said {answer_text} itself in round {number}")
            return True
        premises = [steps.add(rule, text) for rule, text in self._premises(number)]
        steps.add(
            FactRule.READ, f"so {user} said {answer_text} in round {number}", place, *premises
        )
        return True

    def _premises(self, number: int) -> Iterator[tuple[FactRule, str]]:
        """Yield the premises for linking a round's answers to users, as (rule, sentence).

        The premises are the keys and permutations of parties that can link answers, and in a public
        round also the decryption shares on the board. number: the round.
        """
        *shufflers, reader = self.record.openers[number]
        linkers = self._linkers(number)
        is_open = linkers == shufflers
        for party in linkers:
            order = "its order" if is_open else "its order and its key"
            has = order if party in shufflers else "its key"
            round_name = (
                f"round {number}" if party in self.record.openers[number] else "the release"
            )
            yield FactRule.KEY, f"{party} has {has} of {round_name}"
        if is_open:
            text = f"all decryption shares of round {number} stand on the board, of {reader} too"
            yield FactRule.SHOWN, text

    def _linkers(self, number: int) -> list[str]:
        """Return the keyholders, in order, that together can link a round's answers to users.

        If there are several such sets, the set that needs the fewest parties outside the coalition
        is returned. number: the round.
        """
        linkers = nearest(self.record.linkers(number), self.members)
        hops = self.record.openers[number][:-1]
        return [*(party for party in hops if party in linkers), *sorted(linkers - {*hops})]

    def _missing(self, number: int) -> tuple[str, ...]:
        """Return the keyholders outside the coalition that are needed to link a round's answers.

        number: the round.
        """
        return tuple(party for party in self._linkers(number) if party not in self.members)


def _takes(missing: Sequence[str]) -> str:
    """Return a clause that names the parties with keys or permutations that the coalition lacks.

    missing: the names of these parties.
    """
    return f"it takes what {' and '.join(missing)} {'hold' if len(missing) > 1 else 'holds'} too"
