"""Lesson 4, why the slack is needed: Theorem 4 and the example of section 6.2 of paper 000."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="4. Why the slack is needed")


@app.cell
def _():
    from fractions import Fraction

    import marimo as mo
    import numpy as np
    from veilmix import Frame
    from veilmix.analysis.composition import best_bound, theorem3
    from veilmix.analysis.composition.tightness_examples import strict_example, tightness_example
    from veilmix.analysis.figures import guesses

    return (
        Fraction,
        Frame,
        best_bound,
        guesses,
        mo,
        np,
        strict_example,
        theorem3,
        tightness_example,
    )


@app.cell
def _(mo):
    mo.md(r"""
    # 4. Why the slack is needed

    A column in which nobody is rare, and another in which nobody is rare. Then, surely, nobody is
    rare in both together, if only "rare" is meant a little more strictly?

    Write $Q_j(t)$ for the share of people whose value in column $j$ has a share below $t$, and
    $Q_J$ for the same of all columns together. The wish:

    $$Q_J(c\,t_1 t_2) \le Q_1(t_1) + Q_2(t_2) \quad\text{for some small } c.$$

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-4 | read the wish aloud, in your own words |
    | 4-6 | guess |
    | 6-12 | draw a table with two columns that breaks it for c = 1; then compare with the one below |
    | 12-16 | make c smaller: does it help? |
    | 16-20 | the answer: what has to be paid instead |
    """)
    return


@app.cell
def _(mo):
    answers = ["c = 1/2 is enough", "c = 1/100 is enough", "no c is enough"]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** how small must c be for the wish to come true, whatever the table?",
    )
    inverse = mo.ui.slider(1, 40, value=1, label="1 / c", show_value=True)
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (the number of each one's answer, from 1)",
        rows=2,
    )
    mo.vstack([guess, group, inverse])
    return answers, group, guess, inverse


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(Fraction, Frame, guessed, inverse, mo, strict_example):
    guessed  # nothing is shown before
    example = strict_example(Fraction(1, inverse.value))
    rows = [
        {"row": i + 1, "column 1": int(first), "column 2": int(two)}
        for i, (first, two) in enumerate(example.table)
    ]
    values = [len(set(column)) for column in example.table.T.tolist()]
    both = [tuple(row) for row in example.table.tolist()]
    unique_rows = [i + 1 for i, row in enumerate(both) if both.count(row) == 1]
    mo.vstack(
        [
            mo.md(
                f"## A table against c = {example.c}\n{len(rows)} people; the columns have "
                f"{' and '.join(map(str, values))} values. By themselves {example.columns} of the people "
                f"have a value with a share below t = {example.thresholds[0]}: the right side is "
                f"**{example.columns}**. Together, row {', '.join(map(str, unique_rows))} is alone with its "
                f"values: the left side is **{example.joint}**."
            ),
            Frame.from_rows(rows),
        ]
    )
    return


@app.cell
def _(
    Fraction,
    best_bound,
    guessed,
    np,
    strict_example,
    theorem3,
    tightness_example,
):
    guessed  # nothing is shown before
    cs = [Fraction(1, i) for i in (1, 2, 4, 10, 100)]
    cases = [strict_example(c) for c in cs]
    table, refuted, valid_tables = [], [], 0
    for case in cases:
        counts = [np.bincount(column) for column in case.table.T]
        promise = theorem3(counts, case.thresholds, case.c)
        proof = best_bound(counts, 2)
        refuted += [case.c] * (case.joint > case.columns)
        valid_tables += case.joint <= min(promise.value, proof.value)
        table.append(
            {
                "c": str(case.c),
                "people": len(case.table),
                "the wish promises": str(case.columns),
                "the truth": str(case.joint),
                "Theorem 3 promises (+ c)": f"{promise.value:.4g}",
            }
        )
    equal = tightness_example(Fraction(1, 2))
    return cases, equal, valid_tables, refuted, table


@app.cell
def _(Fraction, Frame, answers, cases, equal, guessed, valid_tables, mo, refuted, table):
    guessed  # nothing is shown before
    offered = (Fraction(1, 2), Fraction(1, 100))
    truth = next((at for at, c in enumerate(offered) if c not in refuted), 2)
    people = [len(case.table) for case in cases]
    relation = "equal" if equal.joint == equal.columns else "different"
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    mo.md(
                        f"""
                        {answers[truth].capitalize()}: of {len(cases)} values of c, the tables below
                        refute {len(refuted)}, with {min(people)} to {max(people)} people. (The
                        construction of section 6.2 gives one for every 1/c that is a whole number.) So
                        something must be *added* on the right. Theorem 3 adds c itself:

                        $$Q_J(c\\,t_1 t_2) \\le Q_1(t_1) + Q_2(t_2) + c.$$

                        With it the promise holds in {valid_tables} of the {len(cases)} tables.

                        Theorem 4 of the paper wants to show this with another table: that for
                        c = {equal.c} has {len(equal.table)} people, {equal.joint} on the left and
                        {equal.columns} on the right, which is {relation}. The wish allows equality, and
                        only a left side above the right one refutes it.
                        """
                    ),
                    Frame.from_rows(table),
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
