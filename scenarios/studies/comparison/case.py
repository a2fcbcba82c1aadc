"""A scenario as every compared release program gets it, and the costs of comparators.

A comparator is a program without a mix (local, shares or trusted), which sends its own messages.
Its cost is measured on all people, or estimated from samples of them. Seconds of CPU of a sample
are then scaled up to all people, with Student's 95 % interval over the samples. Bytes a person need
no scaling, because a person's message is as long in a sample as in the whole.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any

import numpy as np
from msgspec.structs import replace as changed

from ....crypto.entropy import Entropy, entropy_of
from ....errors import Reason
from ...lab.play.fault_schedule import SILENCING, Faults, struck_in
from ...populations import Population
from ...schema.model import Scenario
from .result import ProgramCost

# largest number of people that all send messages, unless the caller wants all messages; of more
# people only samples send
MESSAGE_LIMIT = 2_500
SAMPLE = 400  # number of people in each sample, if the population is too large to send messages
SAMPLES = 4
# 97.5 % point of Student's t with SAMPLES - 1 = 3 degrees of freedom, for the 95 % interval of CPU
# seconds
STUDENT = 3.182


@dataclass(slots=True)
class RivalExpenses:
    """Sums over a comparator's messages: bytes that people send, and refused messages by reason.

    Attributes:
        bytes: the size in bytes of the messages that people send.
        refused: reason -> number of refused messages.
    """

    bytes: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def refuse(self, refused: Mapping[Reason, int]) -> None:
        """Add numbers of refused messages to the sums. refused: reason -> number of messages."""
        for reason, messages in refused.items():
            self.refused[reason.value] += messages


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario and its people, as every compared release program gets them (fixed setting).

    Attributes:
        scenario: the scenario that every program answers.
        people: the people who take part.
        faults: user -> round -> attack.
        seed: the seed of all randomness; None: system randomness.
        messages: whether the messages of all people are sent.
        cheating: the number of runs of every known attack by malicious coalitions; 0: not measured.
        once: whether users of a verified mix submit once, for both rounds.
    """

    scenario: Scenario
    people: Population
    faults: Faults
    seed: int | None
    messages: bool
    cheating: int = 0
    once: bool = False

    @property
    def n(self) -> int:
        """The number of people in the scenario, dropouts included."""
        return self.people.n

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each column."""
        return tuple(len(texts) for texts in self.people.values)

    @property
    def k(self) -> int:
        """The threshold: people in the smallest equivalence class that counts as safe."""
        return self.scenario.policy.k

    def silent(self, number: int) -> set[int]:
        """Return the users of whom no ballot is counted in a round, by their index.

        A fault silences them in this round or an earlier round. number: the round.
        """
        rounds = range(1, number + 1)
        return {user for r in rounds for user in struck_in(self.faults, r, SILENCING)}

    def codes(self, number: int = 1) -> Any:
        """Return the rows of the people that are counted in a round, as codes: people by columns.

        number: the round; a person silenced in an earlier round is left out, too.
        """
        codes = self.people.codes
        silent = sorted(self.silent(number))
        return np.delete(codes, silent, axis=0) if silent else codes

    def entropy(self, label: str) -> Entropy:
        """Return a source of secret randomness for a comparator: from the seed, or from the system.

        label: separates different uses of the seed.
        """
        source = entropy_of(self.seed)
        return source.fork(label)

    def rng(self, stream: int) -> np.random.Generator:
        """Return a generator of random numbers, for noise and samples.

        stream: separates different uses of the seed.
        """
        return np.random.default_rng(None if self.seed is None else [self.seed, stream])

    def sample(self, number: int) -> "Case":
        """Return a case with a sample of the people, all honest, for measuring costs.

        number: the number of the sample, from 0. The minimum batch is 1, so that a small sample is
        not aborted.
        """
        people = self.people.sample(min(SAMPLE, self.n), number)
        mix = changed(self.scenario.mix, min_batch=1)
        return replace(
            self, scenario=changed(self.scenario, mix=mix), people=people, faults={}, messages=True
        )


def delivered(
    case: Case, number: int, user: int, data: bytes, purse: RivalExpenses
) -> Iterator[bytes]:
    """Yield the messages that arrive from a user in a round, changed by the user's fault.

    number: the round. data: the bytes that the user sends. purse: counts late messages as refused;
    they do not arrive.
    """
    strike = case.faults.get(user, {}).get(number)
    match strike and strike.attack:
        case "absent":
            return
        case "late":
            purse.refused[Reason.LATE.value] += 1
        case "malformed":
            yield data[:-1] + bytes([data[-1] ^ 1])
        case "duplicate":
            yield data
            yield data
        case _:
            yield data


def measured(case: Case, seconds: float, purse: RivalExpenses, rounds: int) -> ProgramCost:
    """Return the cost of a release program, measured with the messages of all people.

    seconds: seconds of CPU. purse: the bytes that were sent. rounds: rounds in which people answer.
    """
    return ProgramCost(seconds, None, case.n, 1, purse.bytes / case.n, rounds)


def sampled(
    case: Case, work: Callable[[Case], RivalExpenses], rounds: int, decided: float = 0.0
) -> ProgramCost:
    """Return a release program's cost for all people, estimated from samples of them.

    work: sends the messages of a sample, and returns its sums of bytes. rounds: rounds in which
    people answer. decided: further seconds of CPU, spent on all people together, such as for a
    decision.
    """
    seconds, bytes_sent = [], []
    for number in range(SAMPLES):
        part = case.sample(number)
        started = time.process_time()
        purse = work(part)
        seconds.append((time.process_time() - started) * case.n / part.n)
        bytes_sent.append(purse.bytes / part.n)
    return scaled(seconds, bytes_sent, min(SAMPLE, case.n), rounds, decided)


def scaled(
    seconds: list[float], user_bytes: list[float], people: int, rounds: int, decided: float = 0.0
) -> ProgramCost:
    """Return a release program's cost for all people, from its costs in samples of them.

    Args:
        seconds: for each sample, the seconds of CPU, already scaled up to all people.
        user_bytes: for each sample, the mean bytes that a person sends.
        people: the number of people in a sample.
        rounds: the number of rounds in which people answer.
        decided: further seconds of CPU, spent on all people together, such as for a decision.
    """
    mean = float(np.mean(seconds)) + decided
    reach = STUDENT * float(np.std(seconds, ddof=1)) / sqrt(len(seconds))
    limits = (max(0.0, mean - reach), mean + reach)
    return ProgramCost(mean, limits, people, len(seconds), float(np.mean(user_bytes)), rounds)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of CPU that this process spends on a function, and its result."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result
