"""The knowledge of a coalition: all facts that follow from its members' observations and keys.

Terms are ciphertexts, identified by a hash (their name). The party that sealed a ciphertext knows
its content; a coalition learns the content only by the rules below. Ciphers are assumed perfect,
after Dolev and Yao:

    own       a member knows the ciphertexts that it sealed, and their contents
    key       a shuffler, the curator and the analyst have the key that opens their layers
    shown     an audit has opened a ciphertext in public; the user of an envelope is public too
    saw       a member saw a ciphertext on its way: sent it, received it, or listened
    sender    a party that saw the submission of an envelope knows its sender
    open      from a ciphertext and the key of its opener follows its content
    follow    the content of an opened ciphertext of a person belongs to that person
    order     if batches keep their order, the i-th input is the i-th output
    read      an opened answer of a person links its values to the person; if ballots are sealed
              to a joint key, all keys are needed

The closure is the set of all facts that the rules give. For every fact it keeps the first rule and
the premises, so that each fact has a proof that starts from observations and keys.

If batches are sorted, the links of people to values can be computed directly, by `sorted_links`.
`links` then does so, because a run has thousands of coalitions. If batches keep their order,
`links` uses the closure.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..wire import parties
from ..wire.messages import Kind
from .audit_paths import AuditedRecord
from .facts import Answer, Ciphertext, Fact, FactReason, FactRule, KeyFact, Origin, Term
from .transcript import Event, Row, SealedAnswers, split_names


class RunCiphertexts:
    """The ciphertexts of a run, by name (a hash), as the users that sealed them know them.

    The derivation rules read the content of a ciphertext here, after a rule has allowed it.
    """

    def __init__(self, record: AuditedRecord) -> None:
        """Collect all ciphertexts that users sealed."""
        self.record = record
        self.by_name: dict[bytes, Term] = {}
        for user_answers in record.transcript.sealed_answers:
            for term in _terms(user_answers, record.openers[user_answers.round]):
                self.by_name.setdefault(term.name, term)

    @cached_property
    def ordered(self) -> bool:
        """Whether the session's rules sort batches, so that their order reveals no sender."""
        announcement = self.record.board.announcement
        return announcement is None or announcement.rules.ordered

    @cached_property
    def passing(self) -> Mapping[tuple[int, str], tuple[dict[bytes, int], list[bytes]]]:
        """By round and shuffler: the index of each received ciphertext, and the list of outputs."""
        by_shuffler: dict[tuple[int, str], tuple[dict[bytes, int], list[bytes]]] = {}
        for event in self.record.transcript.events:
            names = split_names(event.names)
            if event.kind in (Kind.SUBMISSION, Kind.BATCH):
                input_places = by_shuffler.setdefault((event.round, event.receiver), ({}, []))[0]
                for name in names:
                    input_places.setdefault(name, len(input_places))
            if event.kind is Kind.BATCH:
                by_shuffler.setdefault((event.round, event.sender), ({}, []))[1].extend(names)
        return by_shuffler


def _terms(user_answers: SealedAnswers, openers: Sequence[str]) -> Iterator[Term]:
    """Yield the ciphertexts of a user in a round: the envelope, then the layers of each onion.

    openers: the party that opens each layer, outermost first.
    """
    names = split_names(user_answers.names)
    depth = len(openers) - 1
    onions = [names[at : at + depth] for at in range(1, len(names), depth)]
    firsts = tuple(onion[0] for onion in onions)
    yield Term(names[0], user_answers.user, user_answers.round, 1, openers[0], firsts)
    is_bundled = len(onions) != len(
        user_answers.answers
    )  # all answers are in one onion: a safeguard is switched off to show an attack
    for place, onion in enumerate(onions):
        answers = user_answers.answers if is_bundled else (user_answers.answers[place],)
        for at, name in enumerate(onion):
            last = at == depth - 1
            inside = () if last else (onion[at + 1],)
            layer_answers = tuple((ask, values) for ask, values in answers) if last else ()
            yield Term(
                name,
                user_answers.user,
                user_answers.round,
                at + 2,
                openers[at + 1],
                inside,
                layer_answers,
            )


@dataclass(slots=True)
class Knowledge:
    """All facts that a coalition derives from observations and keys, each with its first reason.

    Attributes:
        members: the parties that pool their views.
        terms: the ciphertexts of the run.
        why: fact -> the reason by which the fact was first derived, in order of derivation.
    """

    members: frozenset[str]
    terms: RunCiphertexts
    why: dict[Fact, FactReason] = field(default_factory=dict)

    def linked(self) -> dict[int, dict[int, Row]]:
        """Return, by round and user, the values by column that the coalition links to the user."""
        calls = self.terms.record.calls
        by_round: dict[int, dict[int, dict[int, str]]] = {}
        for fact in self.why:
            if isinstance(fact, Answer):
                values = self._values(fact)
                row = by_round.setdefault(fact.round, {}).setdefault(fact.user, {})
                row.update(zip(calls[fact.round].asks[fact.ask], values, strict=True))
        return {
            number: {user: dict(sorted(row.items())) for user, row in sorted(rows.items())}
            for number, rows in sorted(by_round.items())
        }

    def _values(self, fact: Answer) -> tuple[str, ...]:
        """Return the submitted values of an answer that the coalition has read.

        fact: names the answer's round, user and query.
        """
        return self.terms.record.answers[fact.round, fact.user, fact.ask]

    def proof(self, goal: Fact) -> list[tuple[Fact, FactReason]]:
        """Return the steps that prove a fact; a step comes after the facts from which it follows.

        goal: the fact. Each step is a fact and its reason. KeyError if the fact does not follow.
        """
        steps: dict[Fact, FactReason] = {}
        open_ = [(goal, False)]
        while open_:
            fact, is_expanded = open_.pop()
            if is_expanded:
                steps.setdefault(fact, self.why[fact])
            elif fact not in steps:
                open_.append((fact, True))
                open_ += [(premise, False) for premise in reversed(self.why[fact].premises)]
        return list(steps.items())


def links(
    record: AuditedRecord,
    members: frozenset[str],
    derived: Callable[[frozenset[str]], Knowledge],
) -> Mapping[int, Mapping[int, Row]]:
    """Any party: return, by round and person, the values that a coalition links to the person.

    Args:
        record: the record of the run.
        members: the coalition.
        derived: returns all facts that a coalition derives; called only if batches keep their
            order.
    """
    announcement = record.board.announcement
    if announcement is not None and not announcement.rules.ordered:
        return derived(members).linked()
    return sorted_links(record, members)


def sorted_links(record: AuditedRecord, members: frozenset[str]) -> Mapping[int, Mapping[int, Row]]:
    """Any party: return the values that a coalition links to people, if batches are sorted.

    The result is computed directly, without deriving all facts. With the keys of all parties that
    open layers, a coalition links every submission of a round. With public counts in a verified
    mix, the shufflers' keys are enough. If a key is missing, a coalition links only two kinds of
    answers: its own, and answers with layers that an audit has opened at the missing party.
    """
    member_users = [
        parties.index(member) for member in members if parties.role(member) is parties.Role.USER
    ]
    linked: dict[int, Mapping[int, Row]] = {}
    for number, rows in record.rows_by_round.items():
        followed_rows = record.submitted[number]
        if not any(map(members.issuperset, record.linkers(number))):
            followed_rows = record.followed(number, members)
        mine = {user: rows[user] for user in member_users if user in rows}
        if mine or followed_rows:
            linked[number] = {**followed_rows, **mine} if mine else followed_rows
    return linked


def closure(terms: RunCiphertexts, members: Iterable[str]) -> Knowledge:
    """Any party: return all facts that a coalition derives by the rules of this module.

    terms: the ciphertexts of the run. members: the coalition.
    """
    knowledge = Knowledge(frozenset(members), terms)
    todo: deque[Fact] = deque()

    def learn(fact: Fact, rule: FactRule, *premises: Fact, event: Event | None = None) -> None:
        """Add a new fact with its reason, and queue it for the rules; ignore a known fact.

        rule, premises: the derivation rule, and the known facts from which it derives the new fact.
        event: the message in which a member observed the fact; None: it was not observed.
        """
        if fact not in knowledge.why:
            knowledge.why[fact] = FactReason(rule, premises, event)
            todo.append(fact)

    for fact, rule, event in _initial_facts(terms, knowledge.members):
        learn(fact, rule, event=event)
    while todo:
        for new, rule, premises in _next(terms, knowledge.why, todo.popleft()):
            learn(new, rule, *premises)
    return knowledge


_InitialFact = tuple[Fact, FactRule, Event | None]
_Step = tuple[Fact, FactRule, tuple[Fact, ...]]


def _initial_facts(terms: RunCiphertexts, members: frozenset[str]) -> Iterator[_InitialFact]:
    """Yield the facts without premises: members' keys, their own ciphertexts, and observations."""
    for party in sorted(members):
        if parties.role(party) not in (parties.Role.USER, parties.Role.NETWORK):
            yield KeyFact(party), FactRule.KEY, None
    for term in terms.by_name.values():
        if parties.user(term.user) in members:
            yield Ciphertext(term.name), FactRule.OWN, None
            yield Origin(term.name, term.user), FactRule.OWN, None
            for ask, _ in term.answers:
                yield Answer(term.user, term.round, ask), FactRule.OWN, None
    yield from _public_facts(terms)
    for event in terms.record.transcript.events:
        if not event.names or not any(event.seen_by(party) for party in members):
            continue
        for name in split_names(event.names):
            yield Ciphertext(name), FactRule.SAW, event
            if event.kind is Kind.SUBMISSION:
                yield Origin(name, parties.index(event.sender)), FactRule.SENDER, event


def _public_facts(terms: RunCiphertexts) -> Iterator[_InitialFact]:
    """Yield the facts that audits have made public: layers, their contents, users of envelopes."""
    for number, names in terms.record.opened_layers.items():
        for name in sorted(names & terms.by_name.keys()):
            term = terms.by_name[name]
            yield Ciphertext(name), FactRule.SHOWN, None
            yield Ciphertext(name, opened=True), FactRule.SHOWN, None
            for inside in term.inside:
                yield Ciphertext(inside), FactRule.SHOWN, None
            if term.layer == 1 and term.user in terms.record.submitted[number]:
                yield Origin(name, term.user), FactRule.SHOWN, None


def _next(terms: RunCiphertexts, reasons: Mapping[Fact, FactReason], fact: Fact) -> Iterator[_Step]:
    """Yield the facts that follow from a new fact together with earlier facts, by the rules.

    reasons: the earlier facts, each with its reason.
    """
    match fact:
        case KeyFact(party):
            for term in terms.by_name.values():
                if term.opener == party and Ciphertext(term.name) in reasons:
                    yield from _opened(terms, term, reasons)
        case Ciphertext(name) if name in terms.by_name:
            term = terms.by_name[name]
            if fact.opened:
                yield from _followed(terms, term, reasons)
            elif KeyFact(term.opener) in reasons:
                yield from _opened(terms, term, reasons)
        case Origin(name) if name in terms.by_name:
            term = terms.by_name[name]
            if Ciphertext(name, opened=True) in reasons:
                yield from _followed(terms, term, reasons)
            yield from _ordered(terms, term, fact, reasons)
        case _:
            pass


def _opened(
    terms: RunCiphertexts, term: Term, reasons: Mapping[Fact, FactReason]
) -> Iterator[_Step]:
    """Apply the rule `open`: a ciphertext and the key of its opener reveal the content.

    term: the ciphertext. reasons: the facts known so far, with their reasons.
    """
    premises = (Ciphertext(term.name), KeyFact(term.opener))
    yield Ciphertext(term.name, opened=True), FactRule.OPEN, premises
    for inside in term.inside:
        yield Ciphertext(inside), FactRule.OPEN, premises
    if Origin(term.name, term.user) in reasons:
        yield from _followed(terms, term, reasons)


def _followed(
    terms: RunCiphertexts, term: Term, reasons: Mapping[Fact, FactReason]
) -> Iterator[_Step]:
    """Yield the facts that follow if a ciphertext is opened, and its sender is known.

    The ciphertexts in its content belong to the same person (rule `follow`). If the content is an
    answer, the coalition links its values to the person (rule `read`). term: the ciphertext.
    reasons: the facts known so far.
    """
    mine, opened = Origin(term.name, term.user), Ciphertext(term.name, opened=True)
    if mine not in reasons or opened not in reasons:
        return
    for inside in term.inside:
        yield Origin(inside, term.user), FactRule.FOLLOW, (mine, opened)
    for ask, _ in term.answers if _unlocked(terms, term, reasons) else ():
        yield Answer(term.user, term.round, ask), FactRule.READ, (mine, opened)


def _unlocked(terms: RunCiphertexts, term: Term, reasons: Mapping[Fact, FactReason]) -> bool:
    """Whether the ballot in an innermost layer can be read.

    It can if it is not sealed to a joint key, if the joint key was revealed, or if the coalition
    has the keys of all parties. term: the layer's ciphertext. reasons: the facts known so far.
    """
    keys = (KeyFact(party) in reasons for party in terms.record.openers[term.round])
    return terms.record.readable(term.round) or all(keys)


def _ordered(
    terms: RunCiphertexts, term: Term, fact: Origin, reasons: Mapping[Fact, FactReason]
) -> Iterator[_Step]:
    """Apply the rule `order`: in a batch that keeps its order, outputs follow their inputs.

    The sender of the i-th input is then known to be the sender of its outputs. The rule applies
    only if no message was lost: the number of outputs must be a multiple of the number of inputs.
    term, fact: an input and its sender.
    """
    if terms.ordered:
        return
    input_places, outputs = terms.passing.get((term.round, term.opener), ({}, []))
    slots = len(outputs) // len(input_places) if input_places else 0
    if not slots or slots * len(input_places) != len(outputs) or term.name not in input_places:
        return
    at = input_places[term.name]
    for name in outputs[slots * at : slots * (at + 1)]:
        if Ciphertext(name) in reasons:
            yield Origin(name, fact.user), FactRule.ORDER, (fact, Ciphertext(name))
