"""The knowledge of a coalition: its transcript, the rules of derivation, and its view of people.

Here live the record of a run, the views that follow from it, and the exploits that attackers make
of views. May import `wire`, `rounds` and `board`. Must never know a true value that no member saw.
"""
