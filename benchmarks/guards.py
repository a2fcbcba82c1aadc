"""What guards cost in a census run: `python benchmarks/guards.py [people] [repeats] [VARIANT...]`.

Both rounds of the census scenario with real onions and system randomness, nothing recorded. In
every repeat each variant is played once, one after the other, on the threads of this process; the
best of the repeats counts. CPU seconds, and each as a ratio to the run it is compared with, so that
a machine that does other work besides matters little:

    plain         people are not registered, readers compare nothing, nothing is signed
    signed        posts and the board's heads are signed, and everybody repeats the last head
    sums          and curator and analyst compare what they read
    registered    as by default: and people sign what they send
    tokens        and every ballot carries one
    challenge     registered people look at what was accepted before anything is opened
    pair          registered, with two shufflers instead of one
    audit         and half of the layers of these two are opened before everybody

`defaults` is the ratio, over the repeats, of a run with signatures and sums to the one without that
was played beside it; on a machine that does other work that ratio is of more noise than guards. So
besides, the CPU seconds of the guards' own work are counted within the last run `sums`: signing and
checking posts and heads, comparing sums, hashing batches again.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness import CORES, Turns, run
from sessions import census
from veilmix.crypto import tokens
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.montgomery import POINT, base_multiples, multiples
from veilmix.crypto.signing import make_signers, sign_all, valid_signatures
from veilmix.crypto.tokens import Granted, TokenKey
from veilmix.errors import Reason
from veilmix.protocol.board import board
from veilmix.roles import analyst, curator, keyholder
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.network import memory_network as network
from veilmix.roles.session import play

SAMPLE = 200  # people whose tokens are made by themselves
SALT = 16  # bytes
AGAINST = {
    "signed": "plain",
    "sums": "plain",
    "registered": "sums",
    "tokens": "registered",
    "challenge": "registered",
    "pair": "registered",
    "audit": "pair",
}


def variants(cast: Cast) -> dict[str, Cast]:
    """The same session with more and more guards."""
    tokens = replace(cast.rules, tokens=True)
    signed = Guards(registered=cast.people)
    return {
        "plain": replace(cast, guards=Guards(sums=False, signed=False)),
        "signed": replace(cast, guards=Guards(sums=False)),
        "sums": cast,
        "registered": replace(cast, guards=signed),
        "tokens": replace(cast, guards=signed, rules=tokens),
        "challenge": replace(cast, guards=signed, rules=replace(cast.rules, challenge=True)),
        "pair": replace(cast, guards=signed, shufflers=2),
        "audit": replace(cast, guards=signed, shufflers=2, rules=replace(cast.rules, audit=True)),
    }


DEFAULTS = {  # what each guard that is on by default does, where it is called
    "posts and heads signed": [(network, "sealed_post"), (network, "sign_head")],
    "posts and heads checked": [(board, "check_post"), (board, "check_head")],
    "sums compared": [(analyst, "check_sums"), (curator, "check_sums")],
    "digests checked": [(keyholder, "check_accounted")],
}


class Spent:
    """Counts the CPU seconds that guards which are on by default take, each by itself."""

    def __init__(self) -> None:
        self.seconds = Counter[str]()
        for what, places in DEFAULTS.items():
            for module, name in places:
                setattr(module, name, self._timed(what, getattr(module, name)))

    def _timed(self, what: str, honest: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any) -> Any:
            start = time.thread_time()
            try:
                return honest(*given)
            finally:
                self.seconds[what] += time.thread_time() - start

        return timed


def bare_tokens(people: int, slots: Sequence[int]) -> tuple[float, float]:
    """Return CPU seconds of all tokens of some people, and of their multiplications alone.

    slots: tokens that a person asks for, in each round. Nothing but the operations themselves, for
    all of a sample together, without messages: signed requests, answers, tokens, spending them.
    """
    entropy, many = OSEntropy(), SAMPLE
    key, makers = TokenKey(entropy), make_signers([entropy] * many)
    start, multiplications = time.thread_time(), 0
    for each in slots:
        inputs = [[entropy.random(SALT) for _ in range(each)] for _ in range(many)]
        asked = tokens.ask(inputs, [entropy] * many)
        texts = [b"".join(one.elements) for one in asked]
        signed = sign_all(makers, texts)
        if not all(valid_signatures([maker.public for maker in makers], texts, signed)):
            sys.exit("a request is not signed")
        answers = tokens.grant(key, [one.elements for one in asked])
        given = tokens.tokens(
            asked, [one for one in answers if isinstance(one, Granted)], key.public
        )
        flat = [token for one in given if not isinstance(one, Reason) for token in one]
        if not all(tokens.accepts(key, [data for mine in inputs for data in mine], flat)):
            sys.exit("a token is not accepted")
        multiplications += 7 * each + 1
    whole = time.thread_time() - start
    factors = [entropy.random(POINT) for _ in range(multiplications * many)]
    points = base_multiples(factors)
    start = time.thread_time()
    multiples(factors, points)
    share = people / many
    return share * whole, share * (time.thread_time() - start)


def main(people: int = 4_000, repeats: int = 3, *names: str) -> None:
    """Measure and print."""
    cast, guards = census(people), Spent()

    def played(variant: Cast) -> tuple[Counter[str], list[int]]:
        """The seconds of guards, and the tokens that a person asks for in each round."""
        guards.seconds = Counter()
        end = play(variant)
        if end.burned:
            sys.exit(f"{end.burned}")
        return guards.seconds, [len(call.asks) for call in end.calls]

    chosen = {
        name: partial(played, variant)
        for name, variant in variants(cast).items()
        if not names or name in names
    }
    turns = Turns(repeats, chosen)
    best = {name: turns.least(name).cpu for name in chosen}
    print(f"{cast.people:,} people, {CORES} cores, best of {repeats}")
    for name, spent in best.items():
        base = AGAINST.get(name)
        ratio = f"  {spent / best[base]:.3f} x {base}" if base in best else ""
        print(f"  {name:12}{spent:8.2f} s CPU{ratio}")
    if {"plain", "sums"} <= best.keys():
        print(f"  defaults: {turns.ratio('sums', 'plain', 'cpu')} x plain")
    if "tokens" in best and "sums" in best:
        print(f"  tokens: {best['tokens'] / best['sums']:.2f} x a run with defaults")
    if "tokens" in best and "registered" in best:
        whole, alone = bare_tokens(cast.people, turns.results["tokens"][1])
        base = best["registered"]
        print(
            f"  tokens' operations alone: {whole:.2f} s, {(base + whole) / base:.2f} x registered"
        )
        print(f"  their multiplications alone: {alone:.2f} s, {(base + alone) / base:.2f} x")
    if "sums" not in best:
        return
    shares, last = turns.results["sums"][0], turns.runs["sums"][-1].cpu
    for what, seconds in shares.items():
        print(f"  {what}: {seconds * 1000:.1f} ms, {seconds / last:.2%} of that run")
    print(f"  defaults, counted so: {shares.total() / last:.2%} of that run")


if __name__ == "__main__":
    run(main)
