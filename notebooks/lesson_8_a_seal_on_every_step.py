"""Lesson 8, a verified mix: a shuffler exchanges a ballot, and anybody can see it."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="8. A seal on every step")


@app.cell
def _():
    from collections import Counter
    from dataclasses import replace

    import marimo as mo
    import veilmix
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.crypto.entropy import OSEntropy
    from veilmix.crypto.verified.ballots import make_ballot
    from veilmix.crypto.verified.group import RISTRETTO255
    from veilmix.crypto.verified.keys import OwnedKey, joint_key, make_key
    from veilmix.crypto.verified.rows import CiphertextRows, ballot_rows, remix
    from veilmix.crypto.verified.shares import make_shares, opened_elements
    from veilmix.crypto.verified.shuffle import ShuffleStatement
    from veilmix.crypto.verified.shuffle_checker import equations
    from veilmix.crypto.verified.shuffle_prover import prove_shuffle
    from veilmix.crypto.verified.transcript import ProofContext
    from veilmix.crypto.verified.values import ValueElements

    return (
        CiphertextRows,
        Counter,
        Frame,
        OwnedKey,
        ProofContext,
        RISTRETTO255,
        ShuffleStatement,
        OSEntropy,
        ValueElements,
        ballot_rows,
        equations,
        guesses,
        joint_key,
        make_ballot,
        make_key,
        make_shares,
        mo,
        opened_elements,
        prove_shuffle,
        remix,
        replace,
        veilmix,
    )


@app.cell
def _(mo):
    mo.md("""
    # 8. A seal on every step

    Twelve people answer yes or no, each in a locked box on a public board. A shuffler puts the boxes in
    another order, with other locks. It could put in a box of its own.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-3 | read the question below and guess, everybody for themselves |
    | 3-7 | the boxes before and after: can you say which is which? |
    | 7-12 | let the shuffler cheat, and check its seal |
    | 12-16 | open the boxes: with all keys, and without one |
    | 16-20 | the answer, and what a seal does not show |

    Before: lesson 1, in which nothing is proved. After: `veilmix theatre verified-class`.
    """)
    return


@app.cell
def _(mo):
    answers = [
        "nobody",
        "only the person whose box is gone",
        "only who has a key",
        "anybody who looks at the board",
    ]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** a shuffler exchanges a box for one of its own. Who can notice?",
    )
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (the number of each one's answer, from 1)",
        rows=2,
    )
    mo.vstack([guess, group])
    return answers, group, guess


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(
    OwnedKey,
    ProofContext,
    RISTRETTO255,
    OSEntropy,
    ValueElements,
    ballot_rows,
    guessed,
    joint_key,
    make_ballot,
    make_key,
):
    guessed  # nothing is shown before
    chance = OSEntropy()
    place = ProofContext(RISTRETTO255, chance.random(32), 1, 0, b"shuffler-1")
    holders = ("shuffler-1", "shuffler-2", "curator")
    contexts = [place.at(name.encode()) for name in holders]
    secrets = [make_key(context, chance) for context in contexts]
    owned = [OwnedKey(secret.public, secret.proof) for secret in secrets]
    joint = joint_key(contexts, owned)
    values = ValueElements(RISTRETTO255)
    names = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "Jun", "Kim", "Lea")
    ballot_words = ["yes" if at % 3 else "no" for at in range(len(names))]
    ballots = [
        make_ballot(place.at(name.encode()), joint, values.encode(word.encode()), chance).ballot
        for name, word in zip(names, ballot_words, strict=True)
    ]
    listed = ballot_rows([[(ballot.first, ballot.second)] for ballot in ballots])
    return chance, contexts, holders, joint, listed, names, place, ballot_words, secrets, values


@app.cell
def _(Frame, chance, guessed, joint, listed, mo, names, place, remix):
    guessed  # nothing is shown before
    mixed = remix(place, joint, listed, chance)

    def begins(rows, at):
        return " ... ".join(column[at][:4].hex(" ") for column in rows.columns)

    unchanged_boxes = {*listed.columns[0]} & {*mixed.rows.columns[0]}
    size = sum(len(column[0]) for column in listed.columns)
    mo.vstack(
        [
            mo.md(
                f"## The board\nEach box has {size} bytes. Of the {listed.count} boxes after the "
                f"shuffler, {len(unchanged_boxes)} are among the boxes before: each has another lock."
            ),
            Frame.from_rows(
                [
                    {
                        "box of": name,
                        "before": begins(listed, at),
                        "after, in another order": begins(mixed.rows, at),
                    }
                    for at, name in enumerate(names)
                ]
            ),
        ]
    )
    return (mixed,)


@app.cell
def _(guessed, mo):
    guessed  # nothing is shown before
    honest = "it puts them in another order, with other locks"
    own_box = "it puts in a box of its own"
    twice = "it puts a box in twice, and leaves another out"
    no_seal = "it is honest, and posts a seal for another list"
    cheat = mo.ui.dropdown(
        [honest, own_box, twice, no_seal], value=own_box, label="what the shuffler does"
    )
    cheat
    return cheat, no_seal, own_box, twice


@app.cell
def _(
    CiphertextRows,
    Frame,
    RISTRETTO255,
    ShuffleStatement,
    OSEntropy,
    chance,
    cheat,
    equations,
    guessed,
    joint,
    listed,
    make_ballot,
    mixed,
    mo,
    no_seal,
    own_box,
    place,
    prove_shuffle,
    remix,
    replace,
    twice,
    values,
):
    guessed  # nothing is shown before

    def with_first(rows, pair):
        return CiphertextRows(
            tuple((new, *column[1:]) for new, column in zip(pair, rows.columns, strict=True))
        )

    posted = mixed
    if cheat.value == own_box:
        mine = make_ballot(place, joint, values.encode(b"no"), chance).ballot
        posted = replace(mixed, rows=with_first(mixed.rows, (mine.first, mine.second)))
    elif cheat.value == twice:
        last = [column[-1] for column in mixed.rows.columns]
        blind = RISTRETTO255.base_multiples([5])[0], RISTRETTO255.multiples([5], [joint])[0]
        reencrypted_pair = [
            RISTRETTO255.sums([a], [b])[0] for a, b in zip(last, blind, strict=True)
        ]
        posted = replace(mixed, rows=with_first(mixed.rows, reencrypted_pair))
    proved = remix(place, joint, listed, chance) if cheat.value == no_seal else posted
    seal = prove_shuffle(place, joint, listed, proved, chance)
    # What follows reads the board alone: the key, the lists and the seal are public.
    statement = ShuffleStatement(place, joint, listed, posted.rows)
    meaning = {
        "t1": "in the order that was fixed first, each box stands for a single box in all",
        "t2": "no box is a blend of several",
        "t3": "the seal belongs to that order",
        "t4": "the new boxes are the old ones in that order",
        "T": "the product in t2 is computed in small steps, each of them right",
    }
    looked = [
        {
            "equation": name,
            "it shows": meaning[name.partition(" ")[0]],
            "it holds": "yes" if left_side == right else "no",
        }
        for name, left_side, right in equations(statement, seal, OSEntropy())
    ]
    fails = [row["equation"] for row in looked if row["it holds"] == "no"]
    verdict = f"broken at {', '.join(fails)}" if fails else "whole"
    mo.vstack(
        [
            mo.md(f"## The seal is {verdict}\nThe shuffler: {cheat.value}."),
            Frame.from_rows(looked),
        ]
    )
    return fails, posted


@app.cell
def _(
    Counter,
    Frame,
    RISTRETTO255,
    chance,
    contexts,
    guessed,
    holders,
    make_shares,
    mo,
    opened_elements,
    posted,
    ballot_words,
    secrets,
    values,
):
    guessed  # nothing is shown before
    shares = {
        name: make_shares(context, secret, posted.rows.firsts, chance).elements
        for name, context, secret in zip(holders, contexts, secrets, strict=True)
    }

    def opened(keyholders):
        elements = opened_elements(
            RISTRETTO255, posted.rows.seconds, [shares[name] for name in keyholders]
        )
        read = Counter(
            "unreadable" if value is None else value.decode()
            for value in values.decode_all(elements)
        )
        return ", ".join(f"{word}: {count}" for word, count in sorted(read.items()))

    without = [name for name in holders if name != holders[0]]
    answer_counts = Counter(ballot_words)
    mo.vstack(
        [
            mo.md(
                "## The boxes are opened\nIf nobody had looked at the seal, this would have been "
                f"counted. The people said {', '.join(f'{w}: {n}' for w, n in sorted(answer_counts.items()))}."
            ),
            Frame.from_rows(
                [
                    {"shares of": " + ".join(keyholders), "in the boxes": opened(keyholders)}
                    for keyholders in (holders, without)
                ]
            ),
        ]
    )
    return


@app.cell
def _(Frame, answers, fails, guessed, mo, veilmix):
    guessed  # nothing is shown before
    truth = len(answers) - 1 if fails else 0
    outcome = veilmix.run("verified-class")
    shufflers = [f"shuffler-{hop + 1}" for hop in range(outcome.scenario.mix.shufflers)]
    groups = [("curator",), ("analyst",), *((name,) for name in shufflers), tuple(shufflers)]
    linked = {members: outcome.coalition(*members) for members in groups}
    joint_view = linked[tuple(shufflers)]
    single_max = max(view.linked for members, view in linked.items() if len(members) == 1)
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    mo.md(
                        f"{answers[truth].capitalize()}. The check above has used the board alone: "
                        "no key, and no box of its own. A seal does not show **who put what in a "
                        f"box**, and it does not keep secrets: in a run of {outcome.users} people a "
                        f"party alone links at most **{single_max} of {joint_view.users}** people to their "
                        f"answers, and {' and '.join(shufflers)} together link **{joint_view.linked} of "
                        f"{joint_view.users}**, since the keys of a public result are used in public. "
                        "That the seal cannot be forged is a theorem with assumptions, whose proof "
                        "no machine has checked."
                    ),
                    Frame.from_rows(
                        [
                            {"who": " + ".join(members), "people linked": view.linked}
                            for members, view in linked.items()
                        ]
                    ),
                ]
            )
        }
    )
    return (truth,)


@app.cell
def _(answers, group, guess, guesses, mo, truth):
    drawn = guesses.draw_choice(
        answers, truth, answers.index(guess.value) if guess.value else None, group.value
    )
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
