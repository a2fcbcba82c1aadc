"""Output of `veilmix check` for a file of questions for phones."""

from pathlib import Path

import click

from ...number_text import plural
from .class_opening import say_rules


def tell_questions(file: str, people: int | None, form: str) -> bool:
    """Print the settings of a file of questions for phones; return False if it is another file.

    people, form: values of the options --people and --format, which are for scenarios.
    """
    from ...poll.questions import asks_questions, read_questions

    path = Path(file)
    if not path.is_file() or not asks_questions(path):
        return False
    if people is not None or form != "table":
        raise click.UsageError(f"{file}: a file of questions; --people and --format are not for it")
    scenario = read_questions(path)
    click.echo(f"{scenario.scenario.title}: {plural(len(scenario.feature), 'question')}")
    for feature in scenario.feature:
        click.echo(f"  {feature.name} {', '.join(feature.values or ())}")
    say_rules(scenario)
    click.echo(f"right: veilmix poll {file} --host ADDRESS")
    return True
