"""Lesson 1, the envelope game: follow one onion from a person to the curator."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="1. The envelope game")


@app.cell
def _():
    import marimo as mo
    import veilmix
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.crypto.entropy import OSEntropy
    from veilmix.crypto.onion import Hop, peel, wrap
    from veilmix.crypto.suites import suite
    from veilmix.errors import Refused
    from veilmix.theatre.page import render
    from veilmix.theatre.show import outcome_data

    return (
        Frame,
        Hop,
        Refused,
        OSEntropy,
        guesses,
        mo,
        outcome_data,
        peel,
        render,
        suite,
        veilmix,
        wrap,
    )


@app.cell
def _(mo):
    mo.md("""
    # 1. The envelope game

    Anna answers a question of a curator through two shufflers. Who learns what she said?

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-3 | read the question below and guess, everybody for themselves |
    | 3-8 | follow Anna's onion: who gets it from whom, and what is in it |
    | 8-11 | open it with the wrong key |
    | 11-17 | the whole class in the theatre: look through one pair of eyes, then through several |
    | 17-20 | the answer, and what it rests on |

    Before or after: play it on paper, `veilmix new classroom --cards`.
    """)
    return


@app.cell
def _(mo):
    answers = ["shuffler 1", "shuffler 2", "the curator", "no single one of them"]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** who knows both that a slip is Anna's and what is written on it?",
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
def _(OSEntropy, guessed, mo, suite):
    guessed  # nothing is shown before
    text = mo.ui.text("A = Y", label="what Anna writes", max_length=16)
    sealing, chance = suite(), OSEntropy()
    names = ("shuffler-1", "shuffler-2", "curator")
    keys = {name: sealing.keypair(chance) for name in names}
    contexts = {name: bytes([i]) * 32 for i, name in enumerate(names)}
    text
    return chance, contexts, keys, names, sealing, text


@app.cell
def _(
    Frame,
    Hop,
    chance,
    contexts,
    guessed,
    keys,
    mo,
    names,
    peel,
    sealing,
    text,
    wrap,
):
    guessed  # nothing is shown before
    hops = [Hop(keys[name].public, contexts[name]) for name in names]
    slip = text.value.ljust(16).encode()
    onion, second_onion = (wrap(sealing, hops, slip, chance) for _ in range(2))
    differing_bytes = sum(byte != two for byte, two in zip(onion[0], second_onion[0], strict=True))
    carried, rows, origin = onion[0], [], "Anna"
    for name in names:
        inside = peel(keys[name].secret, carried, contexts[name])
        last = name == names[-1]
        rows.append(
            {
                "who": name,
                "gets it from": origin,
                "bytes": len(carried),
                "it begins": carried[:8].hex(" "),
                "and finds inside": inside.decode().strip()
                if last
                else f"{len(inside)} sealed bytes",
            }
        )
        carried, origin = inside, f"{name}, among everybody's" if not last else name
    mo.vstack(
        [
            mo.md(
                f"## Anna's onion\nReal encryption: the same words sealed a second time are "
                f"{differing_bytes} other bytes of {len(onion[0])}."
            ),
            Frame.from_rows(rows),
        ]
    )
    return onion, rows


@app.cell
def _(Frame, Refused, contexts, guessed, keys, mo, names, onion, peel):
    guessed  # nothing is shown before

    def tried(name):
        try:
            peel(keys[name].secret, onion[0], contexts[name])
        except Refused as wrong:
            return f"refused: {wrong.reason.value}"
        return "opens"

    wrong_keys = {name: tried(name) for name in names}
    mo.vstack(
        [
            mo.md("## Who can open the outermost layer?"),
            Frame.from_rows([{"who": k, "what happens": v} for k, v in wrong_keys.items()]),
        ]
    )
    return


@app.cell
def _(guessed, mo, outcome_data, render, veilmix):
    guessed  # nothing is shown before
    outcome = veilmix.run("classroom")
    mo.vstack(
        [
            mo.md(
                f"## The whole class\n{outcome.users} people, {len(outcome.schema.names)} questions "
                "each. Press play; then tick whose eyes you look through. What these eyes cannot see "
                "is not in the picture."
            ),
            mo.iframe(render(outcome_data(outcome)), height="640px"),
        ]
    )
    return (outcome,)


@app.cell
def _(Frame, answers, guessed, mo, outcome, rows, text):
    guessed  # nothing is shown before
    linked = {
        " + ".join(view.parties) or "nobody (the board)": view.linked for view in outcome.coalitions
    }
    spoken = {"shuffler-1": "shuffler 1", "shuffler-2": "shuffler 2", "curator": "the curator"}
    single = {party: outcome.coalition(party).linked for party in spoken}
    right = [spoken[party] for party, people in single.items() if people]
    right = right or ["no single one of them"]
    truth = answers.index(right[0])
    single_max = max(view.linked for view in outcome.coalitions if len(view.parties) == 1)
    all_linked = outcome.coalition(*spoken).linked
    first = [spoken[row["who"]] for row in rows if row["gets it from"] == "Anna"]
    read = text.value.ljust(16).strip()
    readers = [row for row in rows if row["and finds inside"] == read]
    handed = readers[0]["gets it from"]
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    mo.md(
                        f"{', '.join(right).capitalize()}. {', '.join(first).capitalize()} gets the "
                        f"onion from Anna and finds {rows[0]['and finds inside']} in it; "
                        f"{spoken[readers[0]['who']]} reads the slip, and gets it from {handed}. In the "
                        f"run above any party alone links at most **{single_max} of {outcome.users}** people "
                        f"to their slips; {', '.join(spoken.values())} together link "
                        f"**{all_linked} of {outcome.users}**."
                    ),
                    Frame.from_rows(
                        [{"who": party, "people linked": n} for party, n in linked.items()],
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
