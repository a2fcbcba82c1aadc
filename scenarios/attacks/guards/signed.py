"""`signed`: authors sign their posts, and the bulletin board signs digests of all posts."""

from dataclasses import replace

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.signed",
    on=True,
    off=False,
    held_in=("protocol/wire/signed_posts.py",),
    guards="posts are signed by identities known beforehand, and the board's heads by the board",
    setting="posts and the board's heads are signed",
    price="none: a signature a post and a call; 97 bytes a message",
    observe=lambda guards, setting: replace(guards, signed=setting.defence.signed),
)
