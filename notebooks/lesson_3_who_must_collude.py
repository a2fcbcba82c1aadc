"""Lesson 3, who must collude: which groups of parties undo a mix network."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="3. Who must collude?")


@app.cell
def _():
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import marimo as mo
    import veilmix
    from msgspec.structs import replace
    from veilmix import Frame
    from veilmix.analysis.figures import guesses
    from veilmix.number_text import sentence
    from veilmix.presentation.equal_people import alike_lines, released_alike
    from veilmix.presentation.presenters.cheating import (
        HEADINGS,
        successes_with_attacks,
        table,
    )
    from veilmix.presentation.wording import OUTSIDE_CATALOGUE
    from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
    from veilmix.scenarios.lab.validation.load import change, load, loads
    from veilmix.scenarios.records.verification.views import breaking
    from veilmix.scenarios.studies.cheating.coalition_study import measure
    from veilmix.scenarios.studies.matrix.attack_plan import rows_of

    return (
        ATTACKS,
        Frame,
        HEADINGS,
        OUTSIDE_CATALOGUE,
        Path,
        TemporaryDirectory,
        alike_lines,
        breaking,
        change,
        guesses,
        load,
        loads,
        measure,
        mo,
        released_alike,
        replace,
        rows_of,
        sentence,
        successes_with_attacks,
        table,
        veilmix,
    )


@app.cell
def _(load, mo):
    mo.md(f"""
    # 3. Who must collude?

    {load("who-must-collude").population.users} people, some shufflers, a curator and an analyst.
    Parties may meet in secret, and show each other all they saw and all their keys. First they keep to the rules, and only watch;
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
    chosen_outcome = played(shufflers.value)
    smallest = breaking(chosen_outcome.coalitions)
    rows = [
        {
            "together": " + ".join(view.parties) or "nobody (the public board)",
            "people linked": view.linked,
            "answers known for certain": view.cells_certain,
            "bits per person": round(view.bits_per_person, 2),
        }
        for view in sorted(
            chosen_outcome.coalitions, key=lambda view: (-view.linked, len(view.parties))
        )
    ]
    mo.vstack(
        [
            mo.md(
                "## With so many shufflers\nSmallest groups that link anybody: "
                + "; ".join(f"**{' + '.join(group)}**" for group in smallest)
            ),
            Frame.from_rows(rows),
        ]
    )
    return


@app.cell
def _(Path, TemporaryDirectory, alike_lines, guessed, loads, released_alike, veilmix):
    guessed  # nothing is shown before
    with TemporaryDirectory() as folder:
        Path(folder, "people.csv").write_text("answer\n" + "yes\n" * 8, "utf-8")
        agreeing = veilmix.run(
            loads(
                '[scenario]\nname = "alike"\n[population]\nsource = "people.csv"\n'
                '[[feature]]\nname = "answer"\nvalues = ["yes", "no"]\n'
                "[policy]\nk = 2\n[mix]\nmin_batch = 2\n",
                base=Path(folder),
            ),
            1,
            "ideal",
            worst_case_nodes=0,
        )
    reader = agreeing.coalition("analyst")
    agreed = " ".join(alike_lines(agreeing.released_columns, released_alike(agreeing.release)))
    return agreed, agreeing, reader


@app.cell
def _(answers, breaking, played):
    runs = {m: played(m) for m in (1, 2, 3, 4)}
    groups = {m: breaking(run.coalitions) for m, run in runs.items()}
    min_sizes = {m: min(map(len, breaking_groups)) for m, breaking_groups in groups.items()}
    whole = [
        sum(name.startswith("shuffler-") for name in group) == m
        for m, breaking_groups in groups.items()
        for group in breaking_groups
    ]
    readers = [
        sum(name in ("curator", "analyst") for name in group)
        for breaking_groups in groups.values()
        for group in breaking_groups
    ]
    right = answers[0] if not all(whole) else answers[2 if min(readers) else 1]
    truth = answers.index(right)
    largest = max(runs)
    mixers = [f"shuffler-{hop + 1}" for hop in range(largest)]
    honest = max(
        view.linked for view in runs[largest].coalitions if not set(mixers) <= set(view.parties)
    )
    separate_linked = [
        runs[largest].coalition(*group).linked for group in (mixers, ("analyst", "curator"))
    ]
    return separate_linked, groups, honest, largest, min_sizes, right, truth, whole


@app.cell
def _(
    Frame, agreed, agreeing, separate_linked, groups, guessed, honest, largest, min_sizes, mo, reader, right,
    whole,
):  # fmt: skip
    guessed  # nothing is shown before
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    Frame.from_rows(
                        [
                            {"shufflers": m, "parties that must collude": size}
                            for m, size in min_sizes.items()
                        ],
                    ),
                    mo.md(
                        f"""
                        {right.capitalize()}, while all keep to the rules: so are all
                        {len(whole)} smallest groups of {len(groups)} sessions. With {largest} shufflers
                        every group without one of them links at most {honest} people: an honest one is
                        the only one who knows how it mixed. All shufflers together, who see who sent
                        what, link {separate_linked[0]}; both readers, who read all slips, {separate_linked[1]}.

                        Linking is not the only leak. Of {agreeing.users} people who gave the same answer
                        the analyst links {reader.linked} and knows {reader.cells_certain} answers for
                        certain. {agreed}

                        See also `veilmix leak RUN`, and `veilmix run attack-tag` for shufflers who do
                        more than listen.
                        """
                    ),
                ]
            )
        }
    )
    return


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
    small_scenario = change(
        load("blood-type"), {"population.users": 20, "policy.max_exposure": 0.6}
    )
    study = measure(small_scenario, 7, 2)
    return small_scenario, study


@app.cell
def _(
    ATTACKS,
    OUTSIDE_CATALOGUE,
    by_cheating,
    small_scenario,
    guessed,
    mo,
    rows_of,
    sentence,
    study,
    successes_with_attacks,
):
    guessed  # nothing is shown before
    worst_of = {coalition.parties: coalition for coalition in study.smallest}
    by_name = {
        ("shuffler-1",): "the first shuffler alone",
        ("curator",): "the curator alone",
    }
    named = [by_name[parties] for parties in worst_of if parties in by_name]
    if ("shuffler-2",) in worst_of and ("shuffler-1",) in worst_of:
        named = ["any single shuffler"]
    cheaters = by_cheating.index(named[0] if named else by_cheating[0])
    how = sorted({entry.worst.attack for entry in worst_of.values() if entry.worst is not None})
    tried = rows_of(small_scenario)
    does = "; ".join(f"`{name}`: {ATTACKS[tried[name].attack].does}" for name in how)
    behind = small_scenario.mix.shufflers - max(
        sum(name.startswith("shuffler-") for name in parties) for parties in worst_of
    )
    attack_text = mo.md(
        f"""
        {small_scenario.population.users} people, {small_scenario.mix.shufflers} shufflers, the guards that are on where
        nothing is said: {successes_with_attacks(study)}. {study.runs} runs of each attack leave a
        wide interval.

        What was done: {does}. Honest shufflers behind it that did not help: {behind}.

        "None of the catalogue" is not "cannot". {sentence(OUTSIDE_CATALOGUE)} `veilmix run
        attack-surround` and `attack-single-out` show what a first shuffler does, `veilmix leak RUN
        --cheating` measures the catalogue for a run of yours.
        """
    )
    return cheaters, attack_text


@app.cell
def _(
    Frame,
    HEADINGS,
    by_cheating,
    cheaters,
    cheating_guess,
    guessed,
    guesses,
    mo,
    study,
    table,
    attack_text,
):
    guessed  # nothing is shown before
    _mine = by_cheating.index(cheating_guess.value) if cheating_guess.value else None
    _table = Frame.from_rows([dict(zip(HEADINGS, row, strict=True)) for row in table(study).rows])
    _drawn = guesses.draw_choice(by_cheating, cheaters, _mine, "")
    mo.accordion(
        {"What the attacks of the catalogue achieve": mo.vstack([_table, attack_text, _drawn])}
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
