"""Lesson 3, who must collude: which groups of parties undo a mix network."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="3. Who must collude?")


@app.cell
def _():
    import marimo as mo
    import veilmix
    from msgspec.structs import replace
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.scenarios.studies.cheating import measure
    from veilmix.scenarios.studies.cheating_text import HEADINGS, successes_with_attacks, table
    from veilmix.scenarios.validation.load import change, load
    from veilmix.scenarios.verification.views import breaking
    from veilmix.scenarios.wording import OUTSIDE_CATALOGUE, sentence

    return (
        Frame,
        HEADINGS,
        OUTSIDE_CATALOGUE,
        breaking,
        change,
        guesses,
        load,
        measure,
        mo,
        replace,
        sentence,
        successes_with_attacks,
        table,
        veilmix,
    )


@app.cell
def _(mo):
    mo.md("""
    # 3. Who must collude?

    Two hundred people, some shufflers, a curator and an analyst. Parties may meet in secret, and
    show each other all they saw and all their keys. First they keep to the rules, and only watch;
    then they may cheat.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-3 | guess |
    | 3-8 | move the number of shufflers: which smallest groups link anybody? |
    | 8-10 | is linking all that can be learnt? the column "known for certain" |
    | 10-13 | in groups: whom would you trust with a shuffler, so that these groups never meet? |
    | 13-15 | the answer |
    | 15-20 | and if they cheat: guess, then look at what the attacks of the catalogue achieve |
    """)
    return


@app.cell
def _(mo):
    answers = [
        "the curator and one shuffler",
        "all shufflers, without a reader",
        "a reader and all shufflers",
    ]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** which is the smallest group that can say whose answer is whose?",
    )
    shufflers = mo.ui.slider(1, 5, value=3, label="shufflers", show_value=True)
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (the number of each one's answer, from 1)",
        rows=2,
    )
    mo.vstack([guess, group, shufflers])
    return answers, group, guess, shufflers


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(change, load, replace, veilmix):
    def played(m):
        base = replace(load("who-must-collude"), coalition=())
        scenario = change(base, {"mix.shufflers": m})
        return veilmix.run(scenario, mode="ideal", worst_case_nodes=0)

    return (played,)


@app.cell
def _(Frame, breaking, guessed, mo, played, shufflers):
    guessed  # nothing is shown before
    here = played(shufflers.value)
    smallest = breaking(here.coalitions)
    rows = [
        {
            "together": " + ".join(view.parties) or "nobody (the public board)",
            "people linked": view.linked,
            "answers known for certain": view.cells_certain,
            "bits per person": round(view.bits_per_person, 2),
        }
        for view in sorted(here.coalitions, key=lambda view: (-view.linked, len(view.parties)))
    ]
    mo.vstack(
        [
            mo.md(
                "## With so many shufflers\nSmallest groups that link anybody: "
                + "; ".join(f"**{' + '.join(group)}**" for group in smallest)
            ),
            Frame.of(rows),
        ]
    )
    return


@app.cell
def _(Frame, answers, breaking, guessed, mo, played):
    guessed  # nothing is shown before
    least = {m: min(map(len, breaking(played(m).coalitions))) for m in (1, 2, 3, 4)}
    assert all(size == m + 1 for m, size in least.items())
    truth = answers.index("a reader and all shufflers")  # of every number of shufflers
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    Frame.of(
                        [
                            {"shufflers": m, "parties that must collude": size}
                            for m, size in least.items()
                        ],
                    ),
                    mo.md(
                        """
                        A reader and **all** shufflers, while all keep to the rules. Then one honest
                        shuffler is enough: it is the only one who knows how it mixed. All shufflers together know who sent which slip
                        and cannot read one; the readers read all slips and know of none whose it is.

                        Linking is not the only leak. If all people gave the same answer, everybody who
                        reads the counts knows everybody's: "known for certain", with nobody linked.

                        See also `veilmix leak RUN`, and `veilmix run attack-tag` for shufflers who do
                        more than listen.
                        """
                    ),
                ]
            )
        }
    )
    return (truth,)


@app.cell
def _(guessed, mo):
    guessed  # one after the other
    by_cheating = [
        "all shufflers and a reader, as before",
        "any single shuffler",
        "the first shuffler alone",
        "the curator alone",
    ]
    cheating_guess = mo.ui.radio(
        by_cheating,
        label="**And if they cheat?** A party may lose messages, make some up, and lie. Which is the "
        "smallest group that reads somebody's row then, by an attack of the catalogue?",
    )
    cheating_guess
    return by_cheating, cheating_guess


@app.cell
def _(cheating_guess, guessed, mo):
    guessed  # one after the other
    ready = cheating_guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not ready, mo.callout("The lesson goes on when you have guessed again.", kind="info"))
    return (ready,)


@app.cell
def _(change, guessed, load, measure, ready):
    guessed, ready  # nothing is shown before
    few = change(load("blood-type"), {"population.users": 20, "policy.max_exposure": 0.6})
    study = measure(few, 7, 2)
    (_least,) = study.smallest
    assert _least.parties == ("shuffler-1",)
    return (study,)


@app.cell
def _(OUTSIDE_CATALOGUE, guessed, mo, sentence, study, successes_with_attacks):
    guessed  # nothing is shown before
    told = mo.md(
        f"""
        Twenty people, two shufflers, the guards that are on where nothing is said:
        {successes_with_attacks(study)}. So few runs leave a wide interval.

        The **first shuffler** decides whose answers are in a batch, and can make up people. It keeps
        one person's answers, puts rows of its own in the place of everybody else's, and what is
        released and is none of its own is that person's. No honest shuffler behind it helps. It is
        noticed, but afterwards.

        "None of the catalogue" is not "cannot". {sentence(OUTSIDE_CATALOGUE)} The analyst alone is
        enough for one of them. `veilmix run attack-surround` and `attack-single-out` show what a
        first shuffler does, `veilmix leak RUN --cheating` measures the catalogue for a run of yours.
        """
    )
    return (told,)


@app.cell
def _(
    Frame,
    HEADINGS,
    by_cheating,
    cheating_guess,
    guessed,
    guesses,
    mo,
    study,
    table,
    told,
):
    guessed  # nothing is shown before
    _mine = by_cheating.index(cheating_guess.value) if cheating_guess.value else None
    _right = by_cheating.index("the first shuffler alone")
    _table = Frame.of([dict(zip(HEADINGS, row, strict=True)) for row in table(study).rows])
    _drawn = guesses.of_choice(by_cheating, _right, _mine, "")
    mo.accordion({"What the attacks of the catalogue achieve": mo.vstack([_table, told, _drawn])})
    return


@app.cell
def _(answers, group, guess, guesses, mo, truth):
    drawn = guesses.of_choice(
        answers, truth, answers.index(guess.value) if guess.value else None, group.value
    )
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
