"""The search for attacks that no catalogue names: its trials, its file and its tables.

The search tries deviations from the protocol, and compares a coalition's views of sessions. May
import `lab`, `attacks` and the search of `protocol`. Must never treat an attack specially by its
name.
"""
