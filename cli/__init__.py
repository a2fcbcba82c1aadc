"""The command line `veilmix COMMAND`: tables for people, JSON and CSV for programs.

Each command is a file of `cli/commands`. May import everything. Must never know protocol details:
it calls `scenarios` and prints. Heavy libraries are imported inside the commands, so that `--help`
answers at once.
"""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `veilmix` with these arguments; None: the arguments of the process. Return its exit code.

    0 done; 1 a bug; 2 wrong usage, scenario or data; 3 an expectation of the scenario failed, no
    data could be released, or a run does not verify; 130 Ctrl-C.
    """
    try:
        from .app import start
    except KeyboardInterrupt:  # the text is INTERRUPTED of app.py, which is not imported yet
        import sys

        sys.stderr.write("stopped; what was not finished was not written\n")
        return 130
    except (ImportError, AttributeError) as wrong:  # click is missing or too old
        import sys

        from ..installation import unusable

        if (library := unusable(wrong)) is None:
            raise
        sys.stderr.write(f"{library}\n")
        return 2
    return start(arguments)
