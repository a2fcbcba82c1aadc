"""The public tables that veilmix ships, as counts of rows with their provenance.

Scenarios draw people from them; figures use them as default data. May import no module of the
package. Must never read a table of the user.
"""

from .rows import ShippedRows as ShippedRows
from .rows import shipped_rows as shipped_rows

__all__ = ["ShippedRows", "shipped_rows"]
