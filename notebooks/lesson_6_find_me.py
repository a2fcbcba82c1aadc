"""Lesson 6, find me: who can be named in a released table, and by whom."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="6. Find me")


@app.cell
def _():
    import marimo as mo
    import veilmix
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.scenarios.lab.validation.load import change, load

    return Frame, change, guesses, load, mo, veilmix


@app.cell
def _(mo):
    mo.md("""
    # 6. Find me

    A table without names is released. Somebody has a list of names with a few of the columns: a
    neighbour, an employer, a friend. How many rows can they put a name to?

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-5 | find each other: who in this room is the only one with (eye colour, shoe size)? |
    | 5-7 | guess |
    | 7-13 | the table: everything released, attackers who know more and more |
    | 13-17 | the same attackers against what the curator would release |
    | 17-20 | the answer |
    """)
    return


@app.cell
def _(mo):
    guess = mo.ui.slider(
        0,
        300,
        step=10,
        show_value=True,
        label="**Guess first:** of 300 people of a census, with sex, income, race and kind of work "
        "released, how many can be named for certain by somebody who knows all four?",
    ).form(submit_button_label="This is my guess")
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (numbers)",
        rows=2,
    )
    mo.vstack([guess, group])
    return group, guess


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(Frame, change, guessed, load, mo, veilmix):
    guessed  # nothing is shown before
    k = 5

    def run_census(kind):
        scenario = change(
            load("census"), {"population.users": 300, "policy.kind": kind, "policy.k": k}
        )
        return veilmix.run(scenario, 2, "ideal", worst_case_nodes=0)

    whole = run_census("all")
    careful = run_census("exposure")

    def attack_rows(outcome):
        return [
            {
                "attacker knows": ", ".join(attack.knows),
                "named rightly, at best": round(attack.found, 1),
                "named for certain": attack.certain,
                "bits learnt per row": round(attack.bits, 2),
            }
            for attack in outcome.reidentification.attacks
        ]

    mo.vstack(
        [
            mo.md(
                f"## Everything is released\n{', '.join(whole.released_columns)}, {whole.users} people"
            ),
            Frame.from_rows(attack_rows(whole)),
            mo.md(f"## The curator decides\nreleased: {', '.join(careful.released_columns)}"),
            Frame.from_rows(attack_rows(careful)),
        ]
    )
    return careful, k, whole


@app.cell
def _(careful, guessed, k, mo, whole):
    guessed  # nothing is shown before

    def worst(outcome):
        return max(attack.certain for attack in outcome.reidentification.attacks)

    certain = worst(whole), worst(careful)
    truth = certain[0]
    crowds = list(whole.release.values())
    unique_people = sum(people == 1 for people in crowds)
    mean_others = sum(people * (people - 1) for people in crowds) / whole.users
    mo.accordion(
        {
            "Answer": mo.md(
                f"""
                **{certain[0]}** of {whole.users} when all columns are released, **{certain[1]}** when
                the curator decides, who releases {len(careful.released_columns)} of {len(whole.released_columns)} columns. In
                truth {whole.exposure.true:.1%} of the people were in a crowd smaller than {k}, against
                {careful.exposure.true:.1%}.

                The usual attackers, where everything is released: {whole.reidentification.risk}. Where the
                curator decides: {careful.reidentification.risk}.

                Nobody needed names in the table to find people; it took a list with the same columns.
                And note who is found: the {unique_people} people whose row nobody else has. On average a person
                of the {whole.users} shares its row with {mean_others:.1f} others.
                """
            )
        }
    )
    return (truth,)


@app.cell
def _(group, guess, guesses, mo, truth):
    drawn = guesses.draw_number(0, 300, truth, guess.value, group.value, "people named for certain")
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
