"""The version of veilmix, which records, boards and reports name."""

__version__ = "0.1.0"
