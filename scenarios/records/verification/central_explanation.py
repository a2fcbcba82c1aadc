"""Explanations of a coalition's knowledge in an onion mix, as sentences.

The sentences translate proofs, made of facts and inference rules, that
protocol/knowledge/derivation.py finds.
"""

from collections.abc import Collection, Sequence

from ....protocol.knowledge.derivation import RunCiphertexts, closure
from ....protocol.knowledge.facts import (
    Answer,
    Ciphertext,
    Fact,
    FactReason,
    FactRule,
    KeyFact,
    Origin,
    Term,
)
from ....protocol.knowledge.view import ViewedRun
from ....protocol.wire import parties
from .reasons import DerivationStep, Explanation

# end of a sentence on a person's anonymity set, after an audit: the layers that the audit opened
# show that some people are not in the set
AUDITED = ", less those whom audits tell from it"


class Explainer:
    """A translator of derivations about one coalition of a run into sentences.

    record: the run. members: the parties of the coalition. columns: the names of all columns.
    """

    def __init__(self, record: ViewedRun, members: Sequence[str], columns: Sequence[str]) -> None:
        """Derive all facts that the coalition can know.

        record: the run. members: the parties of the coalition. columns: the names of all columns.
        """
        self.knowledge = closure(RunCiphertexts(record), members)
        self.terms = self.knowledge.terms
        self.columns = columns
        self.coalition_name = " + ".join(sorted(self.knowledge.members)) or "anybody"
        # the names (beginnings of hashes) of all ciphertexts
        self.names: Collection[bytes] = self.terms.by_name

    def person(self, person: int) -> Explanation:
        """Return an explanation of the coalition's knowledge about a person, given by index.

        Without a link from the person to an answer, the explanation ends at the last ciphertext
        that the coalition can still trace to the person.
        """
        calls = self.terms.record.calls
        goals: list[Fact] = [
            fact
            for number in sorted(calls)
            for ask in range(len(calls[number].asks))
            if (fact := Answer(person, number, ask)) in self.knowledge.why
        ]
        about = parties.user(person)
        if goals:
            note = f"{about} is linked by {self.coalition_name}"
            return Explanation(about, self._steps(goals), note)
        mine = [term for term in self.terms.by_name.values() if term.user == person]
        trail: list[Fact] = [
            Origin(term.name, person)
            for term in mine
            if Origin(term.name, person) in self.knowledge.why
        ]
        last = [
            term
            for term in mine
            if Origin(term.name, person) in self.knowledge.why
            and Ciphertext(term.name, opened=True) not in self.knowledge.why
        ]
        missing = tuple(dict.fromkeys(term.opener for term in last))
        return Explanation(about, self._steps(trail), self._end(person, last), missing)

    def _end(self, user: int, last: Sequence[Term]) -> str:
        """Return the sentence that says where the trace of a user's messages ends.

        user: index of the user. last: the ciphertexts known to be from the user, which the
        coalition cannot open.
        """
        about = parties.user(user)
        if not last:
            return f"{self.coalition_name} has nothing that it could know to be from {about}"
        keys = " and ".join(dict.fromkeys(term.opener for term in last))
        return (
            f"there the trail ends: the next layer opens with the key of {keys}, which is not "
            f"among theirs; behind it {about} is one of all whose messages leave in that batch"
            f"{AUDITED if self.terms.record.opened_layers else ''}"
        )

    def message(self, name: bytes) -> Explanation:
        """Return an explanation of the coalition's knowledge about a ciphertext.

        The explanation says whether the coalition saw the ciphertext, knows its sender, and can
        open it. name: the beginning of the ciphertext's hash.
        """
        term = self.terms.by_name[name]
        mine, opened = Origin(term.name, term.user), Ciphertext(term.name, opened=True)
        steps_due: list[Fact] = [Ciphertext(term.name), mine, opened]
        steps_due += [Answer(term.user, term.round, ask) for ask, _ in term.answers]
        goals = [fact for fact in steps_due if fact in self.knowledge.why]
        about, ends = term.name.hex(), []
        if not goals:
            ending = (
                f"{about} was never seen by {self.coalition_name}, not even inside an opened layer"
            )
            return Explanation(about, (), ending)
        missing: tuple[str, ...] = ()
        if opened not in self.knowledge.why:
            ends.append(f"it does not open without the key of {term.opener}")
            missing = (term.opener,)
        if mine not in self.knowledge.why:
            ends.append("its sender is not known")
        ending = "; ".join(ends) or f"its sender and its content are known to {self.coalition_name}"
        return Explanation(about, self._steps(goals), ending, missing)

    def _steps(self, goals: Sequence[Fact]) -> tuple[DerivationStep, ...]:
        """Return the numbered steps that prove the facts `goals`, premises before conclusions."""
        numbers: dict[Fact, int] = {}
        steps: list[DerivationStep] = []
        for goal in goals:
            for fact, reason in self.knowledge.proof(goal):
                if fact in numbers:
                    continue
                numbers[fact] = len(numbers) + 1
                premises = tuple(sorted(numbers[premise] for premise in reason.premises))
                text = self._text(fact, reason)
                steps.append(DerivationStep(numbers[fact], reason.rule.value, text, premises))
        return tuple(steps)

    def _text(self, fact: Fact, reason: FactReason) -> str:
        """Return a fact of a derivation as a sentence.

        reason: the rule and the premises from which the fact follows.
        """
        match fact:
            case KeyFact(party):
                return f"{party} has its own key"
            case Ciphertext(name, opened=True):
                term = self.terms.by_name[name]
                inside = ", ".join(layer.hex() for layer in term.inside) or self._answer(term)
                opening = (
                    "so {} opens" if reason.rule is not FactRule.SHOWN else "an audit has opened {}"
                )
                return f"{opening.format(_short(name))} (its layer is for {term.opener}): {inside}"
            case Ciphertext(name):
                return self._has(name, reason)
            case Origin(name, user):
                return self._from(name, user, reason)
            case Answer(user, number, ask):
                row_text = self._row(number, ask, self.terms.record.answers[number, user, ask])
                if reason.rule is FactRule.OWN:
                    return f"{parties.user(user)} said {row_text} itself in round {number}"
                return f"so {parties.user(user)} said {row_text} in round {number}"

    def _has(self, name: bytes, reason: FactReason) -> str:
        """Return the sentence that explains how the coalition obtained a ciphertext.

        name: the ciphertext's name. reason: the rule by which the coalition has the ciphertext.
        """
        if reason.rule is FactRule.OWN:
            return f"{_short(name)} was sealed by a member"
        if reason.rule is FactRule.SHOWN:
            return f"{_short(name)} was shown on the board by an audit"
        if reason.event is None:
            return f"so {_short(name)} is known to the coalition"
        event = reason.event
        witnesses = [member for member in sorted(self.knowledge.members) if event.seen_by(member)]
        kind = event.kind.name.lower() if event.kind else "message"
        place = f"the {kind} from {event.sender} to {event.receiver}, round {event.round}"
        return f"{' and '.join(witnesses)} saw {_short(name)} in {place}"

    def _from(self, name: bytes, user: int, reason: FactReason) -> str:
        """Return the sentence that explains how the coalition knows the sender of a ciphertext.

        name: the ciphertext's name. user: the sender. reason: the rule by which the sender is
        known.
        """
        owner = parties.user(user)
        match reason.rule:
            case FactRule.SENDER:
                return f"{_short(name)} was handed in by {owner}, who is seen to send it"
            case FactRule.SHOWN:
                return f"{_short(name)} was accepted from {owner}, as the board shows"
            case FactRule.ORDER:
                return f"so {_short(name)} is {owner}'s: batches keep their order, and places match"
            case FactRule.OWN:
                return f"{_short(name)} was sealed by {owner}, a member"
            case _:
                parent = reason.premises[0]
                origin = _short(parent.name) if isinstance(parent, Origin) else "it"
                return f"so {_short(name)} is {owner}'s: it came out of {origin}"

    def _answer(self, term: Term) -> str:
        """Return the answers inside a ciphertext as text."""
        return "; ".join(self._row(term.round, ask, values) for ask, values in term.answers)

    def _row(self, number: int, ask: int, values: Sequence[str]) -> str:
        """Return an answer as text, such as "age=30 sex=f".

        number: the round. ask: the number of the question. values: the answered values.
        """
        columns = self.terms.record.calls[number].asks[ask]
        return " ".join(
            f"{self.columns[column]}={value.strip()}"
            for column, value in zip(columns, values, strict=True)
        )


def _short(name: bytes) -> str:
    """Return the name of a ciphertext in hexadecimal."""
    return name.hex()
