"""What an attack and a guard are, the tables of them all, and how they come into a session.

May import `programs`, `populations`, `schema` and the parties of `roles`. Must never know one
attack or guard by its name: what is particular to one stands in its file.
"""
