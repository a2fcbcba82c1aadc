"""The two tables of the trust laboratory: every attack, and every defence.

An attack is something a party does (`[[fault]]` of a scenario), or a design error that somebody
uses (a switch). A defence is a switch. This file is data only: what a party does is in
`faults*.py`, what an attacker makes of it in `protocol/exploits.py`, the switches in the grammar of
scenarios.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

USER, SHUFFLER, NETWORK, CURATOR = "user", "shuffler", "network", "curator"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack of the catalogue.

    by: the role that commits it; empty: nobody does, it uses a design error. does: what is done.
    seen: what is measured. reads: the keys of `[[fault]]` that it reads besides `by`. switches: the
    settings that make the design error. stopped_by: defences that stop or detect it. scenario: the
    shipped scenario that shows it.
    """

    by: str
    does: str
    seen: str
    scenario: str
    reads: tuple[str, ...] = ()
    switches: Mapping[str, object] = field(default_factory=dict)
    stopped_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Defence:
    """One defence: its key in a scenario file, what switches it on and off, and what it guards.

    default: whether it is on where a file says nothing. needs: other settings without which it does
    nothing. To leave out one that is on by default may need `mix.lesson = true`.
    """

    key: str
    on: object
    off: object
    guards: str
    default: bool = True
    needs: Mapping[str, object] = field(default_factory=dict)


WHO = ("users", "share", "round")
SOME = ("rate", "users", "round")

ATTACKS: Mapping[str, Attack] = {
    # by users
    "absent": Attack(
        USER, "says nothing", "people not counted", "attack-leavers", WHO, stopped_by=("dropout",)
    ),
    "late": Attack(
        USER,
        "sends after the collection has closed",
        "people not counted; late ones are never flushed alone",
        "attack-late-batch",
        WHO,
    ),
    "malformed": Attack(
        USER,
        "sends an envelope that does not open",
        "messages refused, nobody named",
        "attack-poison",
        WHO,
    ),
    "duplicate": Attack(
        USER,
        "sends the same bytes twice",
        "messages refused",
        "attack-poison",
        WHO,
        stopped_by=("dedupe",),
    ),
    "poison": Attack(
        USER,
        "lies about itself",
        "people by whom a count is moved: at most one a liar",
        "attack-poison",
        ("users", "share"),
    ),
    "stuff": Attack(
        USER,
        "answers one question in every slot",
        "people by whom a count is moved: several a liar, and totals that differ",
        "attack-stuff",
        WHO,
        stopped_by=("balance",),
    ),
    # by shufflers
    "drop": Attack(
        SHUFFLER,
        "loses single answers and says that they did not open",
        "answers lost",
        "attack-drop",
        SOME,
        stopped_by=("balance", "receipts"),
    ),
    "drop-people": Attack(
        SHUFFLER,
        "loses all answers of some people",
        "people lost",
        "attack-drop-people",
        (*SOME, "target"),
        stopped_by=("receipts",),
    ),
    "substitute": Attack(
        SHUFFLER,
        "puts answers of its own in the place of people's",
        "people replaced",
        "attack-substitute",
        (*SOME, "target"),
        stopped_by=("receipts",),
    ),
    "copy": Attack(
        SHUFFLER,
        "sends some answers twice",
        "people by whom a count is moved",
        "attack-copy",
        SOME,
        {"mix.order": "kept"},
        ("dedupe", "order"),
    ),
    "tag": Attack(
        SHUFFLER,
        "turns over a bit of some answers, to know them again",
        "answers lost: what is tagged does not open",
        "attack-tag",
        (*SOME, "bit"),
        stopped_by=("balance",),
    ),
    "forward": Attack(
        SHUFFLER,
        "keeps the order of arrival",
        "people linked by the network and the reader",
        "attack-forward",
        ("round",),
        stopped_by=("order",),
    ),
    # by whoever holds the wires
    "replay": Attack(
        NETWORK,
        "sends a message of somebody a second time",
        "people by whom a count is moved",
        "attack-replay",
        ("target", "into"),
        stopped_by=("bind", "dedupe", "registered"),
    ),
    "block": Attack(
        NETWORK,
        "loses the messages of some people",
        "people lost",
        "attack-block",
        ("users", "share", "round", "target"),
        stopped_by=("receipts", "dropout"),
    ),
    "isolate": Attack(
        NETWORK,
        "loses everybody's messages but one person's, and fills the batch with people of its own",
        "bits of anonymity taken from the target",
        "attack-n-1",
        ("target", "users"),
        stopped_by=("registered",),
    ),
    "flood": Attack(
        NETWORK,
        "takes part under many names",
        "bits of anonymity taken from everybody else",
        "attack-flood",
        ("users",),
        stopped_by=("registered",),
    ),
    "delay": Attack(
        NETWORK,
        "holds back everybody's messages but one person's until the batch has left",
        "people linked: a batch of one",
        "attack-delay",
        ("target", "round"),
        stopped_by=("min_batch",),
    ),
    # by the curator
    "lie": Attack(
        CURATOR,
        "keeps columns that its rule forbids, and certifies them",
        "people exposed above the promise",
        "attack-lie",
        stopped_by=("recompute", "promise"),
    ),
    "equivocate": Attack(
        CURATOR,
        "tells one person of another session, in which ballots have no salt",
        "rows of the target that its reader picks out",
        "attack-equivocate",
        ("target",),
        stopped_by=("bind", "compare"),
    ),
    "rerun": Attack(
        CURATOR,
        "claims a crash after the count, and runs the session again without one person",
        "rows of the target told by subtraction",
        "attack-rerun",
        ("target",),
        stopped_by=("burn",),
    ),
    "overlap": Attack(
        CURATOR,
        "asks the same people again and releases other columns",
        "people unique on the columns of both releases",
        "attack-overlap",
        stopped_by=("union",),
    ),
    # design errors
    "collude": Attack(
        "",
        "show each other all they saw and all keys",
        "people linked by the first shuffler and the curator",
        "who-must-collude",
        stopped_by=("cascade",),
    ),
    "dropout": Attack(
        "",
        "subtract the round after somebody has left from the one before",
        "cells of who left that are certain",
        "attack-dropout",
        stopped_by=("dropout",),
    ),
    "order": Attack(
        "",
        "read who is who from the order of arrival",
        "people linked by the network and the reader",
        "attack-order",
        switches={"mix.order": "kept", "mix.lesson": True},
        stopped_by=("order",),
    ),
    "size": Attack(
        "",
        "read answers from their length",
        "cells certain to the first shuffler alone",
        "attack-size",
        switches={"mix.pad": False, "mix.lesson": True},
        stopped_by=("pad",),
    ),
    "dictionary": Attack(
        "",
        "seal every possible answer and compare",
        "answers read by the first shuffler alone",
        "attack-dictionary",
        switches={"mix.suite": "textbook", "mix.salt": False, "mix.lesson": True},
        stopped_by=("randomised", "salt"),
    ),
    "bundle": Attack(
        "",
        "read a person's answers side by side",
        "rows read whole by the curator alone",
        "attack-bundle",
        switches={"defence.unbundle": False, "mix.lesson": True},
        stopped_by=("unbundle",),
    ),
    "one-salt": Attack(
        "",
        "put answers with one salt together",
        "rows read whole by the curator alone",
        "attack-one-salt",
        switches={"defence.fresh_salt": False, "mix.lesson": True},
        stopped_by=("fresh_salt",),
    ),
    "one-key": Attack(
        "",
        "put answers sealed with one key together",
        "rows read whole by the curator alone",
        "attack-one-key",
        switches={"defence.fresh_key": False, "mix.lesson": True},
        stopped_by=("fresh_key",),
    ),
    "predictable": Attack(
        "",
        "know the seed, derive every key again, open everything",
        "people linked by who only listened",
        "attack-predictable",
        switches={"scenario.seed": 1},
        stopped_by=("random",),
    ),
}

DEFENCES: Mapping[str, Defence] = {
    "bind": Defence(
        "defence.bind",
        True,
        False,
        "every layer opens in one session, round, question and hop only",
    ),
    "order": Defence(
        "mix.order",
        "sorted",
        "kept",
        "a batch leaves in the order of its bytes; all who get it look",
    ),
    "dedupe": Defence("defence.dedupe", True, False, "repeats of a layer are dropped"),
    "pad": Defence("mix.pad", True, False, "all plaintexts of a round have one size"),
    "salt": Defence("mix.salt", True, False, "equal answers are different plaintexts"),
    "randomised": Defence(
        "mix.suite", "sealedbox", "textbook", "equal plaintexts are different layers"
    ),
    "unbundle": Defence(
        "defence.unbundle", True, False, "the first shuffler takes a person's answers apart"
    ),
    "fresh_salt": Defence("defence.fresh_salt", True, False, "a salt for every answer"),
    "fresh_key": Defence("defence.fresh_key", True, False, "an ephemeral key for every answer"),
    "min_batch": Defence("mix.min_batch", 2, 1, "a round of fewer people is burned"),
    "dropout": Defence(
        "defence.min_dropout", 10, 1, "a second round that fewer people have left is burned"
    ),
    "promise": Defence(
        "defence.promise",
        True,
        False,
        "the analyst releases only what it can prove again of those who came",
    ),
    "burn": Defence(
        "defence.burn", True, False, "a session is not run again on the same people less a few"
    ),
    "union": Defence(
        "defence.union", True, False, "a second release adds no columns to the first", default=False
    ),
    "registered": Defence(
        "defence.registered", True, False, "users sign what they send, by a list made before", False
    ),
    "balance": Defence(
        "defence.balance", True, False, "totals and accounts on the board are added up", False
    ),
    "receipts": Defence(
        "defence.receipts",
        0.05,
        0.0,
        "readers show salted hashes of ballots; some users look",
        False,
    ),
    "recompute": Defence(
        "defence.recompute",
        True,
        False,
        "the analyst decides again from the published marginals",
        False,
        {"policy.publish_marginals": True},
    ),
    "compare": Defence(
        "defence.compare", True, False, "users compare what they were told with the board"
    ),
    "cascade": Defence("mix.shufflers", 3, 1, "one honest shuffler is enough to link nobody"),
    "random": Defence("scenario.seed", None, 1, "keys and salts that nobody can derive again"),
}
