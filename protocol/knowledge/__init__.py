"""The knowledge of a coalition: its transcript, the rules of derivation, and its view of people.

Here live the record of a run, the views that follow from the record, and the exploits of attackers
on views. May import `wire`, `rounds` and `board`. Must not know a true value that no member saw.
"""
