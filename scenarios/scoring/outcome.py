"""What a run gives back: everything a report, a table or a test may ask for, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...analysis.trust.received_view import Received
from ...protocol.messages import Counts, Decision
from ...protocol.schema import Schema
from ...protocol.transcript import Transcript
from ..programs.hierarchical.rounds import Asked
from ..programs.interface import Considered, Dropped, Effect, Raised
from ..schema.model import Scenario
from ..serialization.decisions import plain_blanks, plain_proof

if TYPE_CHECKING:
    from ..ledger.keep import Account
    from ..programs.incidence.score import Incidence
    from ..programs.interface import Effect
    from ..programs.local_suppression.score import Blanks
    from ..programs.peers.score import PeersFound
    from ..programs.randomized.score import Randomized
    from .frames import Frames
    from .reidentification import Reidentified

SCHEMA = 1  # of result.json
REPORTED = ("feature", "report")  # columns of a release of randomized reports


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The most people any table with the same marginals exposes: between `found` and `proven`.

    why: why the search gave up; empty where both are the same.
    """

    found: int
    proven: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Shares of people in a crowd smaller than k: what is true of the release, promised, possible.

    true and promised are 0.0 where nothing is released. worst_case is None where it was not asked.
    """

    true: float
    promised: float
    worst_case: WorstCase | None
    people: int

    @property
    def worst_share(self) -> float | None:
        """The largest possible exposure: proven from above, as a share of people."""
        return self.worst_case.proven / self.people if self.worst_case and self.people else None


NOTHING = Exposure(0.0, 0.0, None, 0)  # where no table is released


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a scenario.

    seed: None where system randomness was used. mode: real or ideal. users: people in the scenario.
    marginals: counts per feature, as the curator read them; None if round 1 was burned. decision:
    None then too. release: the joint counts of the kept columns; None if there is none. In the
    program `randomized` marginals and decision are None, the release holds the people by (feature,
    report) if these are not too many, and local is what the reports say. found: who is found in
    what is released; None where nothing is. incidence: what flipped sets say. burned: why
    a round was not completed, or None. missing: people absent from round 2. digest: names the run;
    equal for equal seeds. failed: the lines of [expect] that do not hold. rounds: of the program
    `hierarchical`, what the curator was given. blanks: of the program `local-suppression`, what
    they hide and what they cost. attacks: what each attack of the scenario has achieved; alarms:
    who has noticed anything. peers: where there is no central party, who was named, and what
    coalitions of peers follow. ledger: what was released about these people in earlier runs.
    """

    scenario: Scenario
    seed: int | None
    mode: str
    users: int
    schema: Schema
    sizes: tuple[int, ...]
    decision: Decision | None
    burned: str | None
    coalitions: tuple[Received, ...]
    refused: Mapping[str, int]
    digest: str
    seconds: float
    marginals: tuple[Counts, ...] | None = None
    considered: tuple[Considered, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    release: Counts | None = None
    exposure: Exposure = NOTHING
    notes: tuple[str, ...] = ()
    transcript: Transcript | None = field(default=None, repr=False)
    failed: tuple[str, ...] = ()
    local: "Randomized | None" = None
    found: "Reidentified | None" = None
    incidence: "Incidence | None" = None
    rounds: tuple[Asked, ...] = ()
    blanks: "Blanks | None" = None
    attacks: "tuple[Effect, ...]" = ()
    peers: "PeersFound | None" = None
    alarms: tuple[Raised, ...] = ()
    ledger: "Account | None" = None

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the columns of the release."""
        columns = self.decision.kept if self.decision else ()
        return tuple(self.schema.names[column] for column in columns)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The names of the columns that are not released."""
        return tuple(name for name in self.schema.names if name not in self.kept)

    @property
    def released(self) -> bool:
        """Whether anything was released: a table, or estimates from randomized reports."""
        what = (self.release, self.local, self.incidence)
        return any(one is not None for one in what)

    def coalition(self, *members: str) -> Received:
        """What these parties learnt together; KeyError if they were not looked at."""
        wanted = tuple(sorted(members))
        for received in self.coalitions:
            if received.parties == wanted:
                return received
        raise KeyError(" + ".join(wanted))

    def result(self) -> dict[str, Any]:
        """The content of `result.json`, schema 1."""
        names = self.schema.names
        return {
            "schema": SCHEMA,
            "scenario": self.scenario.scenario.name,
            "seed": self.seed,
            "mode": self.mode,
            "users": self.users,
            "features": list(names),
            "marginals": {
                name: {values[0]: people for values, people in sorted(counts.items())}
                for name, counts in zip(names, self.marginals or (), strict=False)
            },
            "decision": self._decision(),
            "release": self._release(),
            "exposure": {
                "true": self.exposure.true,
                "promised": self.exposure.promised,
                "worst_case": self.exposure.worst_share,
            },
            "coalitions": [
                {
                    "parties": list(one.parties),
                    "linked": one.linked,
                    "cells_certain": one.cells_certain,
                    "bits_per_person": one.bits_per_person,
                    **one.guesses(),
                }
                for one in self.coalitions
            ],
            "refused": dict(self.refused),
            "burned": self.burned,
            "digest": self.digest,
            "attacks": [one.plain() for one in self.attacks],
            "alarms": [
                {"party": one.party, "round": one.round, "cause": one.cause} for one in self.alarms
            ],
            **({"rounds": [one.plain() for one in self.rounds]} if self.rounds else {}),
            **({"blanks": self.blanks.plain()} if self.blanks else {}),
            **({"peers": self.peers.plain()} if self.peers else {}),
            **({"ledger": self.ledger.plain()} if self.ledger else {}),
            **({"local": self.local.plain()} if self.local else {}),
            **({"incidence": self.incidence.plain()} if self.incidence else {}),
            **({"reidentification": self.found.plain()} if self.found else {}),
        }

    def _decision(self) -> dict[str, Any] | None:
        if self.decision is None:
            return None
        proof = self.decision.certificate
        return {
            "k": proof.k,
            "max_exposure": self.scenario.policy.max_exposure,
            "kept": list(self.kept),
            "suppressed": list(self.suppressed),
            "bound": proof.value,
            **plain_blanks(self.decision.hidden, self.schema.names),
            "certificate": {
                "rule": proof.rule,
                "k": proof.k,
                "n": proof.n,
                "people": proof.people,
                "thresholds": list(proof.thresholds),
                "pivot": proof.pivot,
                "c": proof.slack,
                **plain_proof(proof.proof),
            },
        }

    def _release(self) -> dict[str, Any] | None:
        if self.release is None:
            return None
        rows = [[*values, people] for values, people in sorted(self.release.items())]
        columns = REPORTED if self.local or self.incidence else self.kept
        return {"columns": list(columns), "counts": rows}

    @property
    def frames(self) -> "Frames":
        """Release, marginals, coalitions and attacks as tables of plain columns."""
        from .frames import frames

        return frames(self)

    def _repr_html_(self) -> str:
        """Show the run in a notebook."""
        from .notebook import html

        return html(self)

    def __repr__(self) -> str:
        what = f"released {', '.join(self.kept)}" if self.released else "nothing released"
        if self.local:
            what = f"{self.local.rule}, largest error {self.local.largest_error:.2g}"
        if self.incidence:
            what = f"{self.incidence.rule}, in any set {self.incidence.union}"
        return f"<Outcome of {self.scenario.scenario.name}: {self.users:,} people, {what}>"
