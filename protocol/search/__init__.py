"""The search for attacks: the space of deviations, the view of a coalition, the test for leaks.

The code here knows no attack by name and plays no session. It derives deviations of malicious
parties from the messages of an honest session, the table of legal moves and the fields of the
message classes. It may import the rest of `protocol`, but no roles, networks or scenarios.
"""
