"""Lesson 2, a crowd buys columns: the same promise, asked of more and more people."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="2. A crowd buys columns")


@app.cell
def _():
    from concurrent.futures import ThreadPoolExecutor
    from math import prod

    import marimo as mo
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.analysis.figures.sweep import draw
    from veilmix.number_text import plural
    from veilmix.scenarios.lab.validation.load import load
    from veilmix.scenarios.studies.sweeps.sweep import sweep
    from veilmix.scenarios.studies.sweeps.sweep_plan import plan
    from veilmix.scenarios.studies.sweeps.sweep_scores import panels_of

    return (
        Frame,
        ThreadPoolExecutor,
        draw,
        guesses,
        load,
        mo,
        panels_of,
        plan,
        plural,
        prod,
        sweep,
    )


@app.cell
def _(mo):
    mo.md("""
    # 2. A crowd buys columns

    A curator may release columns of a census table (sex, income, race, kind of work) if at most so
    many people end up in a crowd smaller than k. It sees each column by itself, and must promise
    something about all of them together, with a theorem.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-4 | what is a crowd of k? who in this room is alone in (month of birth, first letter)? |
    | 4-6 | guess |
    | 6-12 | the figure: more people, the same k, the same promise |
    | 12-17 | move k and the promise; predict before you look |
    | 17-20 | the answer |
    """)
    return


@app.cell
def _(mo):
    answers = [
        "at least one more, each time",
        "one more or several in some steps, none in others",
        "none, columns have no people",
    ]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** with four times as many people, and again, how many more columns may be released?",
    )
    k = mo.ui.slider(
        2, 30, value=10, label="k, people in the smallest crowd wanted", show_value=True
    )
    target = mo.ui.dropdown(
        {"1 %": 0.01, "5 %": 0.05, "10 %": 0.1},
        value="5 %",
        label="share who may be in a smaller one",
    )
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (the number of each one's answer, from 1)",
        rows=2,
    )
    mo.vstack([guess, group, k, target])
    return answers, group, guess, k, target


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(
    ThreadPoolExecutor,
    draw,
    guessed,
    k,
    load,
    mo,
    panels_of,
    plan,
    prod,
    sweep,
    target,
):
    guessed  # nothing is shown before
    people, rules = (200, 800, 3200, 12800), ("printed", "coverage")
    along = {
        "population.users": people,
        "policy.rule": rules,
        "policy.k": (k.value,),
        "policy.max_exposure": (target.value,),
    }
    jobs = plan(load("more-people"), along, seed=5, mode="ideal")
    lines = list(sweep(jobs, lambda: ThreadPoolExecutor(2), window=4))
    crashed = [line.error for line in lines if line.error]
    assert not crashed, crashed[0]
    columns, promised, true, cells = {}, {}, {}, {}
    for line in lines:
        at = line.key["population.users"], line.key["policy.rule"]
        released_columns, counts = line.result["decision"]["kept"], line.result["marginals"]
        columns[at], cells[at] = (
            len(released_columns),
            prod(len(counts[name]) for name in released_columns),
        )
        promised[at] = line.result["exposure"]["promised"]
        true[at] = line.result["exposure"]["true"]

    panel_scores = ("columns released", "promised exposure", "true exposure")
    figure = draw(
        "one draw of people",
        {"population.users": people, "policy.rule": rules},
        [panel for panel in panels_of(lines) if panel.score in panel_scores],
    )
    mo.vstack([mo.md("## The same promise, more people"), figure])
    return cells, columns, promised, true


@app.cell
def _(cells, columns, plural, promised, true):
    over = sum(true[at] > promised[at] for at in true)
    max_promised = max(promised.values())
    sizes = sorted({n for n, _ in columns})
    rows = [
        {
            "people": f"{n:,}",
            "by the theorems as printed": columns[n, "printed"],
            "by the coverage bound": columns[n, "coverage"],
            "its cells": cells[n, "coverage"],
        }
        for n in sizes
    ]
    gains = {
        rule: [
            columns[sizes[at], rule] - columns[sizes[at - 1], rule] for at in range(1, len(sizes))
        ]
        for rule in ("printed", "coverage")
    }
    steps = gains["coverage"]
    truth = 2 if not any(steps) else 0 if min(steps) >= 1 else 1
    grew = {rule: sum(gain > 0 for gain in gain_of) for rule, gain_of in gains.items()}
    better = sum(columns[n, "coverage"] > columns[n, "printed"] for n in sizes)
    worse = sum(columns[n, "coverage"] < columns[n, "printed"] for n in sizes)
    ahead_count = sum(
        columns[sizes[at - 1], "coverage"] >= columns[sizes[at], "printed"]
        for at in range(1, len(sizes))
    )
    bought = [
        f"{n:,} people {plural(columns[n, 'coverage'], 'column')} with "
        f"{plural(cells[n, 'coverage'], 'cell')} in all"
        for n in (sizes[0], sizes[-1])
    ]
    return (
        ahead_count,
        better,
        bought,
        gains,
        grew,
        max_promised,
        over,
        rows,
        sizes,
        steps,
        truth,
        worse,
    )


@app.cell
def _(
    Frame, ahead_count, better, bought, gains, grew, guessed, mo, max_promised, over, rows, sizes, steps, target,
    true, worse,
):  # fmt: skip
    guessed  # nothing is shown before
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    Frame.from_rows(rows),
                    mo.md(
                        f"""
                        Of {len(steps)} steps to four times as many people, {grew["coverage"]} released
                        more columns by the coverage bound ({", ".join(map(str, steps))} more) and
                        {grew["printed"]} by the theorems as printed
                        ({", ".join(map(str, gains["printed"]))} more).

                        A column multiplies the number of cells by that of its values, and each cell
                        wants people: a crowd *buys* columns. By the coverage bound these were bought: by
                        {bought[0]}, by {bought[1]}.

                        A better theorem can do what a larger crowd does. From the very same counts the
                        coverage bound released more columns than the printed theorems at {better} of
                        {len(sizes)} sizes and fewer at {worse}; at {ahead_count} of {len(sizes) - 1} it
                        released as many as they did with four times the people, or more.

                        At most {max_promised:.2%} of the people were promised to be exposed, where
                        {target.value:.0%} were allowed. More were exposed than promised in {over} of
                        {len(true)} runs.

                        With your own numbers: `veilmix sweep more-people --mode ideal`.
                        """
                    ),
                ]
            )
        }
    )
    return


@app.cell
def _(answers, group, guess, guesses, mo, truth):
    drawn = guesses.draw_choice(
        answers, truth, answers.index(guess.value) if guess.value else None, group.value
    )
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
