"""The output of `veilmix check` for a file of questions of `veilmix poll`."""

from pathlib import Path

import click

from ...number_text import plural
from .class_opening import say_rules


def tell_questions(file: str, people: int | None, form: str) -> bool:
    """Print the questions and rules of a poll's file; return False if it is no file of questions.

    people, form: values of the options --people and --format, which are refused for such a file.
    """
    from ...poll.questions import asks_questions, read_questions

    path = Path(file)
    if not path.is_file() or not asks_questions(path):
        return False
    if people is not None or form != "table":
        raise click.UsageError(
            f"{file} is a file of questions, for which --people and --format are not accepted"
        )
    scenario = read_questions(path)
    click.echo(f"{scenario.scenario.title}: {plural(len(scenario.feature), 'question')}")
    for feature in scenario.feature:
        click.echo(f"  {feature.name} {', '.join(feature.values or ())}")
    say_rules(scenario)
    click.echo(f"the file is valid   next: veilmix poll {file} --host ADDRESS")
    return True
