"""The attack catalogue, what it sets up in a session, and what was achieved and noticed.

May import `programs`, `populations`, `schema` and the parties of `roles`. Must never know the truth
where an attacker would not: what is achieved is measured from what attackers saw.
"""
