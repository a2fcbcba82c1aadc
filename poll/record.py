"""The run folder of a session of phones, with the answers of all participants.

A run folder holds the ground truth of a laboratory: each user's answers. Phones did not disclose
their answers. But this computer had the keys of all parties, and so it can open every envelope at
the end. The page says so before people answer: the lesson is that a computer with all keys
must be trusted. With `--no-save` no run folder is written. Then only the parties open
envelopes, one layer each.
"""

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np
from msgspec.structs import replace

from ..protocol.knowledge.transcript import SealedAnswers
from ..protocol.wire import parties
from ..protocol.wire.hiding_rules import BLANK
from ..scenarios.attacks.catalogue.effects import measure
from ..scenarios.attacks.catalogue.scene import Scene
from ..scenarios.attacks.catalogue.settings import AttackSettings
from ..scenarios.attacks.catalogue.strikes import UNPLANNED, Strike
from ..scenarios.lab.play.fault_schedule import present
from ..scenarios.lab.play.outcomes import Achieved, outcome_of, played_of
from ..scenarios.lab.scoring.outcome import Outcome, ScenarioRun
from ..scenarios.lab.scoring.policy import expectations
from ..scenarios.lab.validation.load import resolve
from ..scenarios.populations import Population
from ..scenarios.populations.samples import Samples
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.interface import Session
from ..scenarios.programs.registry import answers_in
from ..scenarios.programs.scoring_settings import scoring_settings
from ..scenarios.schema.model import PHONES, About, Scenario
from .envelopes import opened
from .questions import schema_of
from .session_result import FinishedSession

NOTE = "people who answered on their own phones"
NOISY = "their true answers are unknown: phones added noise, and these rows are the noisy reports"
UNREADABLE, SILENT = "sent a message that cannot be opened", "asked for a seed, and sent nothing"
PARTLY = "gave no announced answer to"
STANDS = "the questions' first answers stand in its row"


def outcome_of_phones(scenario: Scenario, finished_session: FinishedSession) -> Outcome | None:
    """Return the outcome of a session for its run folder; None if the session did not begin.

    None, too, if no submission arrived. Every envelope is opened with the keys that this computer
    had.
    """
    if finished_session.board is None or not finished_session.room.letters:
        return None
    transcript = finished_session.transcript
    sealed_answers = opened(finished_session)
    users = finished_session.room.numbered
    submitters = {index for _, index in finished_session.room.letters}
    transcript.users = users
    transcript.sealed(sealed_answers)
    people = population(
        scenario, sealed_answers, users, finished_session.room.simulated, submitters
    )
    silent = silences(sealed_answers, users, len(finished_session.board.tallies), submitters)
    labelled = replace(
        scenario, scenario=_labelled(scenario, len(finished_session.room.simulated), users)
    )
    played_scenario = resolve(labelled, users, people.schema.names)
    crowd = Samples(people, users, users)
    achieved = Achieved()
    if finished_session.adversary is not None:
        scene = Scene(
            AttackSettings.from_scenario(played_scenario, crowd),
            people,
            finished_session.board,
            transcript,
            finished_session.adversary,
            None,
            (),
            {},
        )
        achieved = Achieved(measure(scene))
    played = played_of(transcript, finished_session.board, achieved)
    settings = scoring_settings(played_scenario, crowd)
    played_session = Session(settings, crowd, played, partial(present, crowd, silent))
    scenario_run = ScenarioRun(played_scenario, None, "real", finished_session.seconds)
    return expectations(outcome_of(played_session, scenario_run, None), settings)


def _labelled(scenario: Scenario, simulated: int, users: int) -> About:
    """Return the title and name of the run; the title says how many people are simulated.

    simulated: number of simulated people. users: number of all people.
    """
    about = scenario.scenario
    if not simulated:
        return about
    return replace(about, title=f"{about.title} ({simulated} of {users} people are simulated)")


def population(
    scenario: Scenario,
    sealed_answers: list[SealedAnswers],
    users: int,
    simulated: Sequence[int],
    submitters: Collection[int],
) -> Population:
    """Return the participants as a population, in the order of their numbers.

    A person's row is the answers of round 1. If a message did not open, or leaves some answers
    blank, these answers are unknown. The question's first answer then stands in the row. That
    answer is not the counted value, and a warning says so. Another warning names simulated people.

    Args:
        scenario: the questions.
        sealed_answers: the answers in the opened envelopes.
        users: the number of participants.
        simulated: the numbers of simulated participants, from 0.
        submitters: the numbers of participants that have submitted, from 0.
    """
    schema = schema_of(scenario)
    values = tuple(feature.values or () for feature in schema.features)
    codes = np.zeros((users, len(values)), dtype=np.int32)
    unknown = dict.fromkeys(range(users), schema.names)
    for sealed in sealed_answers:
        if sealed.round == 1:
            # the values of all ballots of a submission, in the order of the columns
            answer_values = [value for _, values in sealed.answers for value in values]
            named = dict(zip(schema.names, answer_values, strict=True))
            unknown[sealed.user] = tuple(name for name in named if named[name] == BLANK)
            for column, value in enumerate(answer_values):
                codes[sealed.user, column] = values[column].index(value) if value != BLANK else 0
    noisy = (NOISY,) if answers_in(scenario) is AnswerKind.REPORTS else ()
    warnings = noisy + tuple(
        f"{parties.user(index)} {_missing(names, schema.names, index in submitters)}: {STANDS}"
        for index, names in unknown.items()
        if names
    )
    if simulated:
        names = ", ".join(parties.user(index) for index in simulated)
        warnings = (f"{len(simulated)} of {users} are simulated, and no people: {names}", *warnings)
    return Population(PHONES, schema, codes, values, NOTE, warnings)


def _missing(names: Sequence[str], columns: Sequence[str], has_submitted: bool) -> str:  # noqa: FBT001 - private
    """Return the reason why some answers of a participant are unknown, in words.

    names: the questions with unknown answers. columns: all questions. has_submitted: whether the
    participant submitted a message.
    """
    if not has_submitted:
        return SILENT
    return UNREADABLE if len(names) == len(columns) else f"{PARTLY} {', '.join(names)}"


def silences(
    sealed_answers: list[SealedAnswers], users: int, rounds: int, submitters: Collection[int]
) -> dict[int, dict[int, Strike]]:
    """Return the missing submissions of participants as faults of a scenario, by number and round.

    A fault is `malformed` if a submission did not open, and `absent` if none arrived. The scenario
    of the run folder does not name these faults, because they were not planned.

    Args:
        sealed_answers: the answers in the opened envelopes.
        users: the number of participants.
        rounds: the number of rounds with counts on the board.
        submitters: the numbers of participants that have submitted, from 0.
    """
    submissions = {(sealed.user, sealed.round) for sealed in sealed_answers}
    silent: dict[int, dict[int, Strike]] = {}
    for index in range(users):
        if (index, 1) not in submissions:
            how = "malformed" if index in submitters else "absent"
            silent[index] = dict.fromkeys(range(1, rounds + 1), Strike(how, UNPLANNED))
            continue
        missing = [number for number in range(2, rounds + 1) if (index, number) not in submissions]
        if missing:
            silent[index] = dict.fromkeys(missing, Strike("absent", UNPLANNED))
    return silent
