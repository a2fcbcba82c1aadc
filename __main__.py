"""`python -m veilmix ...` is the command `veilmix ...`."""

import sys

from veilmix.cli import main

sys.exit(main())
