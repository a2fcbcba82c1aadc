"""Lesson 3, who must collude: which groups of parties undo a mix network."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="3. Who must collude?")


@app.cell
def _():
    import marimo as mo
    import veilmix
    from msgspec.structs import replace
    from veilmix.scenarios.validation.load import change, load
    from veilmix.scenarios.verification.views import breaking

    return breaking, change, load, mo, replace, veilmix


@app.cell
def _(mo):
    mo.md("""
    # 3. Who must collude?

    Two hundred people, some shufflers, a curator and an analyst. Parties may meet in secret, and
    show each other all they saw and all their keys.

    | minutes | plan, 20 in all |
    |:--|:--|
    | 0-3 | guess |
    | 3-9 | move the number of shufflers: which smallest groups link anybody? |
    | 9-13 | is linking all that can be learnt? the column "known for certain" |
    | 13-17 | in groups: whom would you trust with a shuffler, so that these groups never meet? |
    | 17-20 | the answer |
    """)
    return


@app.cell
def _(mo):
    guess = mo.ui.radio(
        [
            "the curator and one shuffler",
            "all shufflers, without a reader",
            "a reader and all shufflers",
        ],
        label="**Guess first:** which is the smallest group that can say whose answer is whose?",
    )
    shufflers = mo.ui.slider(1, 5, value=3, label="shufflers", show_value=True)
    mo.vstack([guess, shufflers])
    return (shufflers,)


@app.cell
def _(change, load, replace, veilmix):
    def played(m):
        base = replace(load("who-must-collude"), coalition=())
        scenario = change(base, {"mix.shufflers": m})
        return veilmix.run(scenario, mode="ideal", worst_case_seconds=0)

    return (played,)


@app.cell
def _(breaking, mo, played, shufflers):
    here = played(shufflers.value)
    smallest = breaking(here.coalitions)
    rows = [
        {
            "together": " + ".join(one.parties) or "nobody (the public board)",
            "people linked": one.linked,
            "answers known for certain": one.cells_certain,
            "bits per person": round(one.bits_per_person, 2),
        }
        for one in sorted(here.coalitions, key=lambda one: (-one.linked, len(one.parties)))
    ]
    mo.vstack(
        [
            mo.md(
                "## With so many shufflers\nSmallest groups that link anybody: "
                + "; ".join(f"**{' + '.join(group)}**" for group in smallest)
            ),
            mo.ui.table(rows, selection=None, page_size=16),
        ]
    )
    return


@app.cell
def _(breaking, mo, played):
    least = {m: min(map(len, breaking(played(m).coalitions))) for m in (1, 2, 3, 4)}
    assert all(size == m + 1 for m, size in least.items())
    mo.accordion(
        {
            "Answer": mo.vstack(
                [
                    mo.ui.table(
                        [
                            {"shufflers": m, "parties that must collude": size}
                            for m, size in least.items()
                        ],
                        selection=None,
                        show_download=False,
                    ),
                    mo.md(
                        """
                        A reader and **all** shufflers. One honest shuffler is enough: it is the only
                        one who knows how it mixed. All shufflers together know who sent which slip
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
    return


if __name__ == "__main__":
    app.run()
