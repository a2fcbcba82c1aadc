"""The attacks, one file each: what is done, by whom, what it achieves, its trial, its scenario.

A file is called like its attack, `-` written `_`, and holds one `ATTACK`; nothing else has to know
of it. May import `catalogue`, `programs`, `populations`, `schema` and the parties of `roles`. Must
never know the truth where an attacker would not: what is achieved is measured from what was seen.
"""
