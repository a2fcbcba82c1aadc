"""The work of a machine in a session: it runs the bulletin board, a party, or users.

A machine with its name, address and identity in the session file is called a place.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...crypto.entropy import Entropy
from ...crypto.identity import Identity
from ...crypto.signing import Signer
from ...errors import DataError, ParameterError, UnknownParty
from ...machines.gauge import Log
from ...machines.journal import Durable, memory_folder
from ...machines.remote import RemoteNetwork
from ...machines.service import Site, run_board, run_party
from ...protocol.board.board import Board
from ...protocol.history.shuffler_history import History
from ...protocol.wire import parties
from ...roles.cast import Cast, Guards
from ...roles.compute.backend import LOCAL_WORKPLACE, Workplace
from ...roles.compute.event_loop import run_loop
from ...roles.session import PEOPLE, make_key, perform
from ..lab.play.announcement import announced_policy, announced_rules
from ..populations.file_options import DEFAULT_OPTIONS, FileOptions
from ..populations.files import source_of
from ..populations.values import composed
from ..programs.capability import AnswerKind
from ..programs.noisy_questions import Question, questions, randomization
from ..programs.randomized.score import estimates
from ..programs.registry import (
    announced_schema,
    answers_in,
    participation,
    strategy,
    wire,
)
from ..schema.model import PopulationSection
from ..schema.parties import PartyNames
from .people_keys import signers_of
from .session_file import SessionFile

Rows = Sequence[Sequence[str]]


def site(
    session: SessionFile, name: str, identity: Identity, log: Log, durable: Durable, folder: Path
) -> Site:
    """Return a machine with its role in a session, ready to run.

    Args:
        session: the session file.
        name: the name of the machine in the session file.
        identity: the identity from the machine's key file.
        log: receives each event.
        durable: whether a journal is kept, and whether on disk or in memory.
        folder: the folder of a journal on disk.

    Raises:
        UnknownParty: the session file has no machine of this name.
        ParameterError: the session file lists another identity for this machine.
    """
    if name not in session.identities:
        names = PartyNames(tuple(session.identities))
        raise UnknownParty(names.refusal(name, "this session has", "place"))
    if identity.public != session.identities[name]:
        raise ParameterError(
            f"the key file does not fit the session file: it holds {identity.public.name} with the "
            f"fingerprint {identity.public.fingerprint}; the session file lists {name} with the "
            f"fingerprint {session.identities[name].fingerprint}"
        )
    where = memory_folder() if durable is Durable.TMPFS else folder
    journal = where / f"veilmix-{name}-{session.roster.opening.hex()[:12]}.journal"
    return Site(name, identity, session.directory, session.roster, log, durable, journal)


def keep_board(place: Site, linger: float) -> Board:
    """Keep the bulletin board until the session is over, and return it.

    place: the machine that keeps the board. linger: seconds for which the board still answers
    afterwards.
    """
    return run_loop(run_board, place, linger)


def take_part(
    session: SessionFile,
    place: Site,
    rows: Rows = (),
    workplace: Workplace = LOCAL_WORKPLACE,
    history: History | None = None,
) -> Board:
    """Run a party, or the users that a machine answers for, to the session's end; return the board.

    Args:
        session: the session file.
        place: the machine.
        rows: the users' answers, a row each; empty on the machine of a party.
        workplace: runs long computations, such as opening a batch, here or in other processes.
        history: a first shuffler's or a curator's memory of earlier sessions.

    Raises:
        ParameterError: the number of answers is not the number of users.
    """
    users = session.directory.places[place.name].users
    if len(rows) != len(users):
        raise ParameterError(
            f"{place.name} answers for {len(users)} people; found {len(rows)} answers"
        )
    local_parties = {PEOPLE} if users else {place.name}

    signing = _signing(session, place.identity, users)

    async def role(network: RemoteNetwork, entropy: Entropy) -> None:
        """Perform over the network the party, or the users, that this machine runs."""
        cast = _cast(session, entropy, users, rows)
        cast = replace(cast, identities={place.name: place.identity.signer}, workplace=workplace)
        curators = history if place.name == parties.CURATOR else None
        cast = replace(cast, guards=replace(cast.guards, history=history, curators=curators))
        network.terms = cast.terms
        await perform(cast, network, local_parties, signing, partial(make_key, cast))

    return run_loop(run_party, place, role)


def _cast(session: SessionFile, entropy: Entropy, users: range, rows: Rows) -> Cast:
    """Return the session's inputs for a machine.

    users: the users that the machine answers for, by index. rows: their answers. entropy: the
    randomness of the parties that the machine runs.
    """
    scenario = session.scenario
    questions = noise(session)
    return Cast(
        scenario.scenario.name,
        announced_schema(scenario, session.schema),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        users.stop,
        lambda index: rows[index - users.start],
        strategy(scenario),
        entropy,
        program=wire(scenario),
        randomize=(
            randomization(questions, session.schema) if questions else participation(scenario)
        ),
        guards=_guards(session, entropy),
        first=users.start,
        registry=session.registry,
    )


def _guards(session: SessionFile, entropy: Entropy) -> Guards:
    """Return the parties' checks; a user checks its ballots with the probability `receipts`.

    entropy: the source of the draw for each user.
    """
    defence = session.scenario.defence
    registry = session.registry

    def looks(index: int) -> bool:
        """Whether the user with an index looks for its ballots, by a random draw."""
        drawn = entropy.fork(f"looks of {parties.user(index)}").random(8)
        return int.from_bytes(drawn, "big") < defence.receipts * 2**64

    return Guards(
        registered=len(registry.keys) if registry else None,
        looks=None if defence.challenge else looks,
        balance=defence.balance,
        recompute=defence.recompute,
    )


def _signing(session: SessionFile, identity: Identity, users: range) -> Mapping[int, Signer]:
    """Return the signing keys of the users that a machine answers for, by index.

    identity: the identity of the machine. users: their indices. Empty if users are not registered.
    """
    if session.registry is None or not users:
        return {}
    return dict(zip(users, signers_of(identity, len(users)), strict=True))


def noise(session: SessionFile) -> Sequence[Question]:
    """Return the questions that users answer with noise; () if users answer without noise."""
    if answers_in(session.scenario) is not AnswerKind.REPORTS:
        return ()
    values = [feature.values or () for feature in session.schema.features]
    return questions(session.scenario, session.schema.names, values)


def read_answers(path: Path, session: SessionFile, options: FileOptions = DEFAULT_OPTIONS) -> Rows:
    """Return the answers of people, a row each, from a table file, as `veilmix score` reads it.

    path: the table file. session: the session file, with the features and their domains. options:
    known options of the file's format; other options are detected. Spaces around a value are left
    out. An empty cell is no answer, unless the feature has an empty value.

    Raises:
        DataError: the file cannot be read, has no column for a feature, or has a value outside the
            feature's domain.
    """
    source, feature_names = (
        source_of(path, options),
        [feature.name for feature in session.schema.features],
    )
    if lacking := [name for name in feature_names if composed(name) not in source.columns]:
        column_list = ", ".join(source.columns)
        raise DataError(f"{path}: column {lacking[0]!r} is needed; found {column_list}")
    choices = [(name, composed(name)) for name in feature_names]
    table = source.table(choices, PopulationSection(source=str(path), missing=""))
    columns = zip(table.values, table.codes.T, strict=True)
    rows = zip(*([values[code] for code in codes] for values, codes in columns), strict=True)
    return [
        check_answer(
            dict(zip(feature_names, row, strict=True)), session, partial(source.where, index)
        )
        for index, row in enumerate(rows)
    ]


def check_answer(
    answer: Mapping[str, Any], session: SessionFile, where: Callable[[], str]
) -> Sequence[str]:
    """Return a person's values in the order of the features.

    Raises DataError for a value outside its domain. The message shows no other value of the person.

    answer: feature -> value. where: returns the position of the answer in its file, for the
    message. A value may be finer than its domain, because the person's own machine makes it
    coarser.
    """
    row = []
    for feature in session.schema.features:
        value, domain = answer.get(feature.name), feature.values or ()
        # A letter with an accent may be two code points in the domain, so composed forms are
        # compared.
        if isinstance(value, str):
            value = {composed(text): text for text in domain}.get(composed(value), value)
        if not isinstance(value, str) or not feature.admits(feature.coarsen(value)):
            finer = "values that its rules turn into one of " if feature.rules else ""
            raise DataError(
                f"{where()}: {feature.name}: found {value!r:.60}; {finer}{', '.join(domain)} are "
                "accepted"
            )
        row.append(value)
    return row


def released(board: Board, names: Collection[str]) -> Mapping[tuple[str, ...], int] | None:
    """Return the counts that a session has released, by combination; None without a release.

    There is no release if the session was aborted (`burned`), if no column was to be released, or
    if the last round has no published counts. The last round queries a single set of columns, the
    released columns, so the first of its counts is the release.

    names: the announced features, which are compared with the released columns.
    """
    if board.burned is not None or board.decision is None or not board.decision.kept:
        return None
    if len(board.tallies) < len(board.calls) or board.tallies[-1].counts is None:
        return None
    assert len(names) > max(board.decision.kept)  # noqa: S101 - the board checked the columns
    return board.tallies[-1].counts[0]


Share = tuple[str, str, float, float, float, float]


def estimated(board: Board, session: SessionFile) -> Sequence[Share] | None:
    """Return the estimates from noisy reports; None if no answers were counted.

    An estimate is (feature, value, share of people, standard error of the share, lower and upper 95
    % confidence limit of the share).
    """
    counts = board.tallies[-1].counts if board.tallies and board.burned is None else None
    if counts is None:
        return None
    rates: list[Share] = []
    for question, count in zip(noise(session), counts, strict=True):
        for read in estimates(question, count, session.schema.names):
            shares, errors = read.estimate.shares.tolist(), read.estimate.errors.tolist()
            low, high = (ends.tolist() for ends in read.estimate.interval())
            rows = zip(read.values, shares, errors, low, high, strict=True)
            rates += ((read.feature, *row) for row in rows)
    return rates
