"""Lesson 5, lie a little, then shuffle: what noise costs, and what a crowd adds to it."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="5. Lie a little, then shuffle")


@app.cell
def _():
    from fractions import Fraction

    import marimo as mo
    import veilmix
    from veilmix import Frame
    from veilmix.analysis import drawing
    from veilmix.analysis.figures import guesses
    from veilmix.analysis.figures.noise import TASKS, point
    from veilmix.analysis.shuffled import epsilon_for, local_epsilon
    from veilmix.scenarios.lab.validation.load import change, load

    return (
        TASKS,
        Fraction,
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
    single_epsilon = float(local_epsilon(q.value))
    crowd = {n: float(epsilon_for(n, q.value, delta)) for n in sizes}
    with drawing.house_style():
        figure, (ax,) = drawing.new(7, 3.6)
        ax.axhline(single_epsilon, color=drawing.VERMILION, label="alone: log((1 - q) / q)")
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
                "suspicion can grow at most. Smaller is more private. "
                f"At q = {q.value:g}: alone {single_epsilon:.2f}; among {sizes[0]} people {crowd[sizes[0]]:.2f}, among "
                f"{sizes[-1]:,} {crowd[sizes[-1]]:.3f}."
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
        outcome = veilmix.run(scenario, 4, "ideal", worst_case_nodes=0)
        return outcome.findings.largest_error, len(outcome.schema.names)

    results = {(n, e): error(n, e) for n in (30, 3000) for e in (1.0, 9.0)}
    errors = {at: largest for at, (largest, _) in results.items()}
    question_counts = {questions for _, questions in results.values()}
    return question_counts, errors


@app.cell
def _(Frame, question_counts, errors, guessed, mo):
    guessed  # nothing is shown before
    rows = [
        {
            "people": f"{n:,}",
            **{
                f"epsilon {e:g} (of all answers)": f"{100 * errors[n, e]:.1f} %"
                for m, e in errors
                if m == n
            },
        }
        for n in sorted({n for n, _ in errors})
    ]
    mo.vstack(
        [
            mo.md(
                "## What is still learnt\nThe largest error of an estimated share, one run each, "
                f"{', '.join(map(str, question_counts))} questions (`randomized-class`)."
            ),
            Frame.from_rows(rows),
        ]
    )
    return


@app.cell
def _(TASKS, Frame, guessed, mo, point):
    guessed  # nothing is shown before
    kinds = {"shares": ("grr", "oue", "subset"), "mean": ("duchi", "piecewise")}
    person_epsilon = 2.0  # epsilon of each person alone
    spots = {
        (family, n): point(task, family, n, person_epsilon)
        for task, families in kinds.items()
        for family in families
        for n in (1_000, 10_000)
    }
    choices = [
        {
            "to estimate": task,
            "noise": family,
            **{
                f"{n:,} people": f"{100 * spot.error:.2g} % at {spot.shuffled:.2g}"
                for (kind, n), spot in spots.items()
                if kind == family
            },
        }
        for task, families in kinds.items()
        for family in families
    ]
    mo.vstack(
        [
            mo.md(
                f"## Which noise?\nThe standard error of a share (of {TASKS['shares'].values} answers) or of a mean, and "
                f"epsilon after shuffling, where each person alone has epsilon = {person_epsilon:g}; exact formulas. "
                "All kinds, in one picture: docs/noise.md."
            ),
            Frame.from_rows(choices),
        ]
    )
    return (spots,)


@app.cell
def _(Fraction, answers, delta, epsilon_for, errors, guessed, local_epsilon, mo, spots):
    guessed  # nothing is shown before
    crowd_size, quarter, budget = 10_000, Fraction(1, 4), 1.0
    target_epsilon = float(local_epsilon(float(quarter)))
    tried = {
        lie: float(epsilon_for(crowd_size, lie, delta)) for lie in (0.1, 0.03, 0.01, 0.003, 1e-6)
    }
    little = tried[0.1]
    enough = [lie for lie, level in tried.items() if level <= target_epsilon]
    truth = 0 if not enough else 2 if min(enough) == min(tried) else 1
    none = tried[min(tried)]
    tenfold = sorted({spots[kind, 10_000].error / spots[kind, 1_000].error for kind, _ in spots})
    small_size, lots = sorted({people for people, _ in errors})
    measured = errors[lots, budget] / errors[small_size, budget]
    steps = sorted({people for _, people in spots})
    mo.accordion(
        {
            "Answer": mo.md(
                f"""
                {answers[truth].capitalize()}. Alone, lying with q = {quarter} gives epsilon = {target_epsilon:.2f}.
                Among {crowd_size:,} shuffled people a lie in ten gives epsilon = {little:.3f} (at
                delta = {delta:g}), because your answer hides behind the lies of all others. Of the
                amounts tried, q = {min(enough, default=1):g} is the least that is enough. With q =
                {min(tried):g}, nearly no lie, epsilon is {none:.1f}: there is next to nothing
                to hide behind, and who knows what all others said can work out what you said.

                And the crowd also pays for the noise. By the formulas of the table above,
                {steps[1] // steps[0]} times as many people have at most {100 * tenfold[-1]:.0f} % of the
                standard error. In the runs above, {lots // small_size} times as many had
                {100 * measured:.0f} % of the largest error, at epsilon = {budget:g}; that is one run
                each, and chance.
                """
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
