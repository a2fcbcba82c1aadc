"""What audits find and what they cost: `python benchmarks/audit.py [sessions] [people] [PICTURE]`.

Found: whole sessions of two shufflers, of which one replaces or drops d layers of the release; the
share in which nobody notices, with its 99 % interval, beside 2^-d. Crowds: what an audited round
tells everybody of where one person's layer has gone, from the posts of real sessions. A person's
layer is, behind a pair, among those that come from the chosen or from the others, as public coins
have it; in each of them it can be any. The crowd is 2 to the entropy of that, in the mean and at
least; with 2, 3, 4, .. shufflers, and without an audit. PICTURE: where both curves are drawn.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log2
from pathlib import Path
from statistics import mean

from harness import run
from scipy.stats import binomtest
from sessions import plain_cast
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.audit import chosen, layer_hash
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.parties import paired
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.session import play
from veilmix.scenarios.attacks.faults.shuffler import Act, Deed, cheat, drop, substitute
from veilmix.scenarios.lab.validation.load import change, load

ROUND = 2  # the release: one question
CHANGES = (1, 2, 4, 8)


def session(people: int, shufflers: int, seed: int) -> Cast:
    """People of titanic, audited; readers compare nothing, so that only audits find anything."""
    return plain_cast(
        change(load("titanic"), {"population.users": people}),
        title="audit",
        rules=Rules(min_dropout=1, audit=True),
        shufflers=shufflers,
        entropy=SeededEntropy(seed),
        guards=Guards(registered=people, sums=False, proves=False, signed=False),
    )


def missed(cast: Cast, by: str, what: Act, changes: int, seed: int) -> bool:
    """Whether a session is released although so many layers of it were changed."""
    deed = Deed(what, SeededEntropy(seed).fork("deed"), rounds=(ROUND,), users=changes)
    board = play(replace(cast, faults={by: cheat(deed)}, entropy=SeededEntropy(seed)))
    return board.burned is None


def crowds(board: Board) -> list[float]:
    """Per person whose envelope was accepted, the crowd that its layer is in at the reader."""
    told, call = board.announcement, board.calls[ROUND - 1]
    assert told is not None
    plan, shown = open_round(told, board.session, call), board.audited
    accepted, tosses = board.challenged.accepted[ROUND].people, shown.tosses[ROUND]
    hops = paired(len(plan.hops) - 1)
    many = len(accepted)
    groups = [chosen(plan, tosses, hop, many) for hop in range(1, hops + 1, 2)]  # by place
    odd = len(plan.hops) - 1 > hops  # a last shuffler that opens nothing mixes all of them
    opened = [
        {layer_hash(link.layer) for link in shown.opened[ROUND][hop].links}
        for hop in range(2, hops + 1, 2)
    ]
    assert all(len(group) + len(two) == many for group, two in zip(groups, opened, strict=True))
    return [float(many) if odd else _crowd(groups, many, person) for person in range(many)]


def _crowd(groups: Sequence[Sequence[int]], many: int, person: int) -> float:
    """2 to the entropy of where a person's layer is behind the last pair.

    Places behind a pair are numbered with the chosen first: which is which is public.
    """
    where = [float(place == person) for place in range(many)]
    for group in groups:
        size, inside = len(group), sum(where[place] for place in group)
        shares = [inside / size if size else 0.0] * size
        rest = many - size
        where = shares + [(1 - inside) / rest if rest else 0.0] * rest
        where = [where[(place * 7919) % many] for place in range(many)]  # by bytes: any order
    return 2 ** -sum(p * log2(p) for p in where if p)


def main(sessions: int = 200, people: int = 40, picture: str = "") -> None:
    """Play, count and print."""
    cast = session(people, 2, 0)
    print(f"{people} people, two shufflers, {sessions} sessions each; missed, 99 % interval")
    for changes in CHANGES:
        for by, what in (("shuffler-1", substitute), ("shuffler-2", drop)):
            count = sum(missed(cast, by, what, changes, seed) for seed in range(sessions))
            span = binomtest(count, sessions).proportion_ci(0.99)
            inside = "in" if span.low <= 2**-changes <= span.high else "OUTSIDE"
            print(
                f"  d = {changes}  {by} {what.__name__:10} {count:4} of {sessions}  "
                f"{span.low:.4f} to {span.high:.4f}; 2^-d = {2**-changes:.4f}, {inside}"
            )
    print("crowds, mean and smallest over people; 5 sessions each")
    shufflers, sizes = (1, 2, 3, 4, 5, 6), list[tuple[float, float]]()
    for hops in shufflers:
        plain = [float(people)] if hops < 2 else []
        seen = plain or [
            size for seed in range(5) for size in crowds(play(session(people, hops, seed)))
        ]
        sizes.append((mean(seen), min(seen)))
        print(f"  {hops} shufflers: {mean(seen):6.1f}, {min(seen):6.1f} of {people}")
    if picture:
        draw(shufflers, sizes, people, picture)


def draw(
    shufflers: Sequence[int], sizes: Sequence[tuple[float, float]], people: int, picture: str
) -> None:
    """Both curves: with and without audits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(shufflers, [people] * len(shufflers), label="without audits")
    axes.plot(shufflers, [average for average, _ in sizes], "o-", label="with audits, mean")
    axes.plot(shufflers, [smallest for _, smallest in sizes], "v:", label="with audits, smallest")
    axes.set(xlabel="shufflers", ylabel=f"crowd, of {people} people", ylim=(0, None))
    axes.legend()
    figure.savefig(Path(picture), dpi=120)


if __name__ == "__main__":
    run(main)
