"""The kit of the attacks by its path, for tests that are run from it (`runpy`)."""

from attack_kit import *  # noqa: F403
