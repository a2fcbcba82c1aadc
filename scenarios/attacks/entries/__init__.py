"""The attacks, one file each: the deviation, its attacker, outcome, trial and scenario.

A file is called like its attack, with `-` written `_`, and holds a single record `ATTACK`; no other
file names the attack. May import `catalogue`, `programs`, `populations`, `schema` and the parties
of `roles`. Each outcome is computed from the attackers' views; only its success is compared with
the true rows.
"""
