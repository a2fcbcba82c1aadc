"""Lesson 5, lie a little, then shuffle: what noise costs, and what a crowd adds to it."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="5. Lie a little, then shuffle")


@app.cell
def _():
    import marimo as mo
    import veilmix
    from veilmix import Frame
    from veilmix.analysis import drawing
    from veilmix.analysis.figures import guesses
    from veilmix.analysis.figures.noise import point
    from veilmix.analysis.shuffled import epsilon_for, local_epsilon
    from veilmix.scenarios.validation.load import change, load

    return (
        Frame,
        change,
        drawing,
        epsilon_for,
        guesses,
        load,
        local_epsilon,
        mo,
        point,
        veilmix,
    )


@app.cell
def _(mo):
    mo.md("""
    # 5. Lie a little, then shuffle

    Everybody answers yes or no, and lies with probability q: toss coins before you answer. Nobody
    can be held to an answer. Then all answers are shuffled.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-5 | do it: everybody throws a die, and lies at a 6 (q = 1/6); count the yeses |
    | 5-7 | guess |
    | 7-12 | the figure: what a person's answer gives away, alone and in a crowd |
    | 12-17 | the table: how well the class can still count |
    | 17-20 | the answer |
    """)
    return


@app.cell
def _(mo):
    answers = ["nothing changes", "a lie in ten is enough", "they need not lie at all"]
    guess = mo.ui.radio(
        answers,
        label="**Guess first:** ten thousand people lie with q = 1/4. If they shuffle as well, how much "
        "less would they have to lie for the same protection?",
    )
    q = mo.ui.slider(
        0.05, 0.45, value=0.25, step=0.05, label="q, probability of a lie", show_value=True
    )
    group = mo.ui.text_area(
        label="The class, if you like: paste its guesses, one a line or with commas (the number of each one's answer, from 1)",
        rows=2,
    )
    mo.vstack([guess, group, q])
    return answers, group, guess, q


@app.cell
def _(guess, mo):
    guessed = guess.value is not None or mo.app_meta().mode == "script"
    mo.stop(not guessed, mo.callout("The lesson goes on when you have guessed.", kind="info"))
    return (guessed,)


@app.cell
def _(drawing, epsilon_for, guessed, local_epsilon, mo, q):
    guessed  # nothing is shown before
    delta = 1e-6
    sizes = (10, 30, 100, 300, 1000, 3000, 10000)
    alone = float(local_epsilon(q.value))
    crowd = {n: float(epsilon_for(n, q.value, delta)) for n in sizes}
    assert all(level <= alone * (1 + 1e-9) for level in crowd.values())
    with drawing.house_style():
        figure, (ax,) = drawing.new(7, 3.6)
        ax.axhline(alone, color=drawing.VERMILION, label="alone: log((1 - q) / q)")
        ax.plot(
            sizes,
            list(crowd.values()),
            "o-",
            color=drawing.BLUE,
            label=f"shuffled, delta {delta:g}",
        )
        ax.set(xscale="log", yscale="log", xlabel="people", ylabel="epsilon (nats)")
        ax.legend()
    mo.vstack(
        [
            mo.md(
                "## What one answer gives away\nEpsilon, in nats: by which factor e^epsilon somebody's "
                "suspicion can grow at most. Smaller is more private."
            ),
            figure,
        ]
    )
    return (delta,)


@app.cell
def _(change, load, veilmix):
    def error(people, epsilon):
        """The largest error of a share, estimated from what people said."""
        scenario = change(
            load("randomized-class"), {"population.users": people, "local.epsilon": epsilon}
        )
        return veilmix.run(scenario, 4, "ideal", worst_case_nodes=0).findings.largest_error

    errors = {(n, e): error(n, e) for n in (30, 3000) for e in (1.0, 9.0)}
    return (errors,)


@app.cell
def _(Frame, errors, guessed, mo):
    guessed  # nothing is shown before
    rows = [
        {
            "people": f"{n:,}",
            **{
                f"epsilon {e:g} (three answers)": f"{100 * errors[n, e]:.1f} %"
                for m, e in errors
                if m == n
            },
        }
        for n in sorted({n for n, _ in errors})
    ]
    mo.vstack(
        [
            mo.md(
                "## What is still learnt\nThe largest error of an estimated share, one run each, three "
                "questions (`randomized-class`)."
            ),
            Frame.of(rows),
        ]
    )
    return


@app.cell
def _(Frame, guessed, mo, point):
    guessed  # nothing is shown before
    kinds = {"shares": ("grr", "oue", "subset"), "mean": ("duchi", "piecewise")}
    choices = [
        {
            "to estimate": task,
            "noise": family,
            **{
                f"{n:,} people": f"{100 * spot.error:.2g} % at {spot.shuffled:.2g}"
                for n in (1_000, 10_000)
                for spot in [point(task, family, n, 2.0)]
            },
        }
        for task, families in kinds.items()
        for family in families
    ]
    mo.vstack(
        [
            mo.md(
                "## Which noise?\nThe standard error of a share (of 32 answers) or of a mean, and epsilon "
                "after shuffling, where each person alone has epsilon = 2; exact formulas. All kinds, in one "
                "picture: docs/noise.md."
            ),
            Frame.of(choices),
        ]
    )
    return


@app.cell
def _(answers, delta, epsilon_for, errors, guessed, local_epsilon, mo):
    guessed  # nothing is shown before
    many = 10_000
    wanted = float(local_epsilon(0.25))
    little = float(epsilon_for(many, 0.1, delta))
    assert little < wanted
    assert errors[3000, 1.0] < errors[30, 1.0]
    truth = answers.index("a lie in ten is enough")  # little < wanted
    mo.accordion(
        {
            "Answer": mo.md(
                f"""
                Alone, lying with q = 1/4 gives epsilon = {wanted:.2f}. Among {many:,} shuffled people
                a lie in ten already gives epsilon = {little:.3f} (at delta = {delta:g}): *more*
                protection from fewer lies, because your answer hides behind the lies of all others.
                So the second answer is right, and still modest. Without any lie there is nothing to
                hide behind: who knows what all others said can work out what you said.

                And the crowd also pays for the noise: errors shrink like one over the square root of the
                people. With 100 times as many, expect a tenth, give or take chance.
                """
            )
        }
    )
    return (truth,)


@app.cell
def _(answers, group, guess, guesses, mo, truth):
    drawn = guesses.of_choice(
        answers, truth, answers.index(guess.value) if guess.value else None, group.value
    )
    mo.accordion({"The guesses beside the truth": drawn})
    return


if __name__ == "__main__":
    app.run()
