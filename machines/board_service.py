"""The bulletin board as an HTTP service: append posts, read entries, wait for later entries.

    POST /posts          a post (inputs.py) of a party that holds a certificate
                         200: u32, its number on the board; 409: u32 number of entries, and reason
                         426: the sender runs another version of veilmix; the board's version
    GET  /posts/N        entries from number N (from 0) on, and those to come, as they come
    entry                u32 length || f64 time || author || blob data; length 0 every `BEAT`

No shuffler runs the board. The board has the posts in the order of their arrival, and knows no
secret. No party trusts it to show all parties the same entries, because signed tree heads of the
board can be compared.
"""

from collections.abc import Callable
from functools import partial

import trio

from ..crypto.signing import Signer
from ..errors import Reason, Refused
from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import BOARD
from ..protocol.wire.frames import Message
from ..protocol.wire.messages import Roster
from ..protocol.wire.signed_posts import sign_head
from ..protocol.wire.wire import Writer
from ..version import __version__
from .http import BYTES, HttpResponse, Request, Say
from .inputs import PostInput

# header with the version of veilmix that the sender runs; HTTP status if versions differ
VERSION, OTHER_VERSION = "veilmix-version", 426
BEAT = 5.0  # seconds of real time between empty frames, which show that a silent connection lives
MOST_POST = 1 << 24  # bytes of the largest post: hashes of 500,000 ballots fit


class BoardService:
    """The HTTP service of the board: it accepts posts, and streams entries to waiting parties.

    A place is a process of the session. Attribute `write` is called with a place's name and its
    post, before the post is accepted or refused.

    Args:
        known_roster: the keys of the parties that sign posts; None: posts are not signed.
        notary: the signer of the board's tree heads; None: heads are not signed.
        speaks: whether a place (first argument) may post in a party's name.
        entry_handler: called with every new entry and its time.
        refused: called with the reason why a post is refused.
    """

    def __init__(
        self,
        known_roster: Roster | None = None,
        notary: Signer | None = None,
        *,
        speaks: Callable[[str, str], bool],
        entry_handler: Callable[[float, Entry], None] = lambda _time, _entry: None,
        refused: Callable[[Reason], None] = lambda _: None,
    ) -> None:
        """Start with an empty board.

        known_roster: the keys of the parties that sign posts. notary: signs the board's tree heads.
        speaks: whether a place (a process) may post in a party's name. entry_handler: called with
        the time and every new entry. refused: called with the reason of each refusal.
        """
        self.board = Board(known_roster=known_roster)
        self._notary = notary
        self._speaks = speaks
        self.time = 0.0
        # name of a place (a process of the session) -> number of posts from it, accepted or refused
        self.posts: dict[str, int] = {}
        self._entry_handler = entry_handler
        self._refused = refused
        self.write: Callable[[str, bytes], None] = lambda _peer, _post: None
        self._frames: list[bytes] = []
        self._answers: dict[tuple[str, bytes], HttpResponse] = {}
        self._more = trio.Event()

    async def answer(self, request: Request) -> HttpResponse:
        """Return the response to a request: to append a post, or to read entries."""
        await trio.lowlevel.checkpoint()
        if request.peer and request.headers.get(VERSION, __version__) != __version__:
            return HttpResponse(OTHER_VERSION, __version__.encode())
        if request.method == "POST" and request.path == "/posts":
            return self._append(request)
        kind, _, number = request.path.lstrip("/").partition("/")
        if request.method == "GET" and kind == "posts" and number.isdecimal() and len(number) < 9:
            return HttpResponse(200, partial(self._stream, int(number)), (BYTES,))
        return HttpResponse(404, b"there is nothing here\n")

    def _append(self, request: Request) -> HttpResponse:
        """Return the response to a request to post: the post's number on the board, or a refusal.

        A post that is sent again gets the same response.
        """
        if not request.peer:
            return HttpResponse(403, b"only a party of this session may post\n")
        try:
            post = PostInput.decode(request.body)
            if not self._speaks(request.peer, post.author):
                raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out
        except Refused:
            self._refused(Reason.MALFORMED)
            return HttpResponse(400, b"no post of this party\n")
        post_key = request.peer, post.id
        if post_key not in self._answers:
            self.write(request.peer, request.body)
            self.receive(request.peer, post)
        return self._answers[post_key]

    def receive(self, peer: str, post: PostInput) -> None:
        """Accept or refuse a post, and keep the response in case that the post is sent again.

        peer: the place (a process of the session) that sent it.
        """
        self.posts[peer] = self.posts.get(peer, 0) + 1
        self._answers[peer, post.id] = self._judged(post)

    def _judged(self, post: PostInput) -> HttpResponse:
        """Return the response to a post: its number on the board, or the reason of its refusal."""
        self.time = max(self.time, post.time)
        try:
            place = self._add(post.author, post.data)
        except Refused as refusal:
            self._refused(refusal.reason)
            refusal_body = Writer().u32(len(self.board.entries)).text(refusal.reason).finish()
            return HttpResponse(409, refusal_body, (BYTES,))
        return HttpResponse(200, Writer().u32(place).finish(), (BYTES,))

    def _add(self, author: str, data: bytes) -> int:
        """Append a post, and the board's signed tree head if that is due; return its number."""
        board = self.board
        entry = board.post(author, data)
        place = len(board.entries) - 1
        self.show(entry)
        if self._notary is not None and board.roster is not None and board.due is not None:
            head = sign_head(board.roster, board.due, board.state, self._notary)
            self._add(BOARD, Message(board.session, entry.message.round, head).encode())
        return place

    def show(self, entry: Entry) -> None:
        """Send an entry to all parties that wait for more."""
        frame = Writer().f64(self.time).text(entry.author).blob(entry.data).finish()
        self._frames.append(Writer().blob(frame).finish())
        self._entry_handler(self.time, entry)
        self._more.set()
        self._more = trio.Event()

    async def _stream(self, number: int, say: Say) -> None:
        """Send the board's entries from a number on, and later entries as they come.

        number: number of the first entry, from 0. say: sends bytes. Empty frames show that the
        connection lives.
        """
        while True:
            while number >= len(self._frames):
                with trio.move_on_after(BEAT) as silent:
                    await self._more.wait()
                if silent.cancelled_caught:
                    await say(bytes(4))
            frames = self._frames[number:]
            number += len(frames)
            await say(b"".join(frames))
