"""Lesson 7, bring your own table: how anonymous the people of a table are."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="7. Bring your own table")


@app.cell
def _():
    from pathlib import Path

    import marimo as mo
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.analysis.scoring.figure import figure
    from veilmix.analysis.scoring.table_score import score_table
    from veilmix.errors import VeilmixError
    from veilmix.own_data.read_table import Reading
    from veilmix.own_data.read_table import read as read_table
    from veilmix.scenarios.populations.tables import shipped

    return (
        Frame,
        Path,
        Reading,
        VeilmixError,
        figure,
        guesses,
        mo,
        read_table,
        score_table,
        shipped,
    )


@app.cell
def _(mo):
    mo.md("""
    # 7. Bring your own table

    A CSV or Parquet file with a header and one row a person. Nothing is sent anywhere: it is read
    here, and forgotten when this page closes.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-4 | which table? who is in it, and who would be harmed by being found? |
    | 4-6 | guess |
    | 6-12 | look: exposure at every k, the columns that do most harm |
    | 12-17 | what may be kept? in truth, and by what could be promised from single columns alone |
    | 17-20 | the answer for the shipped table; write down yours |
    """)
    return


@app.cell
def _(mo, shipped):
    guess = mo.ui.slider(
        0,
        100,
        show_value=True,
        label="**Guess first:** what percentage of the people is in a crowd smaller than k?",
    ).form(submit_button_label="This is my guess")
    aboard = len(shipped("titanic").codes)
    where = mo.ui.text(
        "", label=f"file (empty: the {aboard:,} people on the Titanic)", full_width=True
    )
    k = mo.ui.slider(2, 50, value=5, label="k", show_value=True)
    target = mo.ui.slider(0, 0.1, step=0.005, value=0.01, label="share allowed", show_value=True)
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (numbers)",
        rows=2,
    )
    mo.vstack([guess, group, where, k, target])
    return group, guess, k, target, where


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(Path, Reading, VeilmixError, guessed, mo, read_table, shipped, where):
    guessed  # nothing is shown before

    def read(path):
        if not path:
            return shipped("titanic")
        return read_table(Path(path), Reading())  # without what says who somebody is

    try:
        table, trouble = read(where.value.strip()), None
    except VeilmixError as wrong:
        table, trouble = shipped("titanic"), str(wrong)
    omitted_columns = [judged for judged in table.judged if judged.column not in table.columns]
    notes = [f"{trouble}; the shipped table is shown instead"] if trouble else []
    notes += [
        f"{judged.column} is left out: a {judged.shown} ({judged.reason})"
        for judged in omitted_columns
    ]
    mo.vstack([mo.callout(note, kind="warn") for note in notes]) if notes else None
    return (table,)


@app.cell
def _(Frame, figure, guessed, k, mo, score_table, table, target):
    guessed  # nothing is shown before
    score = score_table(table.codes, table.columns, k.value, target.value)
    below = score.joint.crowds.users_below(score.k)

    def named(columns):
        return ", ".join(table.columns[j] for j in columns) or "nothing"

    mo.vstack(
        [
            mo.md(
                f"## {score.n:,} people, {len(score.columns)} columns\n{below:,} people "
                f"({below / score.n:.2%}) are in a crowd smaller than {score.k}; {score.risk}."
            ),
            figure(score),
            Frame.from_rows(
                [
                    {
                        "column": scored.name,
                        "values": scored.values,
                        "people below k": scored.crowds.users_below(score.k),
                    }
                    for scored in score.columns
                ],
            ),
        ]
    )
    return below, named, score


@app.cell
def _(below, guessed, mo, named, score):
    guessed  # nothing is shown before
    bounds = score.bounds
    assert bounds.lower <= below <= bounds.coverage <= bounds.refined <= bounds.printed
    truth = 100 * below / score.n
    mo.accordion(
        {
            "Answer": mo.md(
                f"""
                In truth **{below:,} of {score.n:,}** people are below k = {score.k}. Who sees each
                column by itself can only say: at least {bounds.lower:,}, at most
                {bounds.coverage:,} (coverage), {bounds.refined:,} (refined), {bounds.printed:,}
                (the theorems as printed).

                With at most {score.people_limit:,} people exposed one may keep **{named(score.sets.truth.kept_columns)}**
                if the whole table is known, and **{named(score.sets.promised.kept_columns)}** if only single
                columns are: that is what the curator of the protocol has.

                More: `veilmix score FILE`; then write a scenario with this file (`veilmix new titanic`)
                and play it.
                """
            )
        }
    )
    return (truth,)


@app.cell
def _(group, guess, guesses, mo, truth):
    drawn = guesses.draw_number(
        0, 100, truth, guess.value, group.value, "per cent of the people in a crowd smaller than k"
    )
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
