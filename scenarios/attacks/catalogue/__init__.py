"""The record types of attacks and guards, the tables of all records, and their use in a session.

May import `programs`, `populations`, `schema` and the parties of `roles`. Must never know an attack
or guard by its name: its particulars are in its own file.
"""
