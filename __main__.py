"""Run the command `veilmix ...` as `python -m veilmix ...`."""

import sys

from veilmix.cli import main

sys.exit(main())
