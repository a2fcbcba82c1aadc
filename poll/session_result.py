"""The result of a session of phones, for the run folder and the figures at its end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..crypto.voprf import OprfKey
from ..protocol.board.board import Board
from ..protocol.knowledge.transcript import Transcript
from ..roles.adversary_record import AdversaryRecord
from ..roles.keyholder import Keyholder
from ..roles.network.memory_network import Network
from .classroom import Classroom


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """The result of a session of phones, for the run folder and the figures at the end.

    Attributes:
        board: all posts; None: too few people came, and the session did not begin.
        transcript: the messages on the network.
        network: the network of the session, which describes its rounds.
        keys: the keys of the parties that ran on this computer, by name.
        room: the phones and their submissions.
        seconds: the time from the beginning of the rounds to their end.
        adversary: the attackers' record; None: no party cheats.
        functions: by round, the secret key of the party `randomness`, which helps phones to seal
            rows; empty unless a run folder is written.
    """

    board: Board | None
    transcript: Transcript
    network: Network
    keys: dict[str, Keyholder]
    room: Classroom
    seconds: float
    adversary: AdversaryRecord | None = None
    functions: Mapping[int, OprfKey] = field(default_factory=dict)


Finished = Callable[[FinishedSession], None]
