"""Numerical analysis: exposure of people, certified bounds, and the knowledge of a coalition.

Modules of this package compute with counts and tables, never with messages. They may import
`errors` and the plain data types of `protocol`, but not trio, cryptographic keys or `roles` (the
code of the parties). Each theorem is a function. Its docstring names the paper, the units, and any
correction of the printed text.
"""

from typing import TYPE_CHECKING

from ..deferred import deferred_rooms

if TYPE_CHECKING:
    from . import composition as composition
    from . import estimation as estimation
    from . import exposure as exposure
    from . import figures as figures
    from . import incidence as incidence
    from . import information as information
    from . import randomizers as randomizers
    from . import reidentification as reidentification
    from . import release_risks as release_risks
    from . import shuffled as shuffled
    from . import suppression as suppression
    from . import trust as trust
else:
    __getattr__, __dir__ = deferred_rooms(
        __name__,
        (
            "composition",
            "estimation",
            "exposure",
            "figures",
            "incidence",
            "information",
            "randomizers",
            "reidentification",
            "release_risks",
            "shuffled",
            "suppression",
            "trust",
        ),
    )
