"""The version of veilmix, as records, bulletin boards and reports state it."""

__version__ = "0.1.0"
