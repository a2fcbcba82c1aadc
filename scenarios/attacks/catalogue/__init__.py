"""The record types of attacks and guards, the tables of all records, and their use in a session.

A guard is a countermeasure against attacks. Each attack and each guard has its own file, in
`entries` or `guards`; no module of this folder may name it.

May import `programs`, `populations`, `schema` and the parties of `roles`.
"""
