"""The records of attacks and guards, the tables of them all, and their way into a session.

May import `programs`, `populations`, `schema` and the parties of `roles`. Must never know an attack
or guard by its name: its particulars are in its own file.
"""
