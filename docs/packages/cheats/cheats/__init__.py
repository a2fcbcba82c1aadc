"""Attacks by a shuffler, by the curator and by the network."""
