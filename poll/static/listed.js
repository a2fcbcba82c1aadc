// The list of ballots on the board: who is on it, and whether this phone's own stand there unchanged.
//
// Keyholders post, one after the other, what they were handed (protocol/board/verified_posts.py); then the list
// is closed, and each of them signs its digest before anything is mixed.
import { number } from "./bytes.js";
import { keyholdersOf, reusesBallots } from "./locks.js";
import { compared, hex, required, sha256, unhex } from "./sodium.js";

export const closedDigest = (session, round, closed) =>
  sha256(
    "veilmix closed list 1\0",
    session,
    Uint8Array.of(round),
    ...[...closed].flatMap(([person, ballots]) => [number(person, 4), sha256(ballots)]),
  );

// The ballots of each person that count: of two different ones those with the smaller hash. In the order
// of the registry. posts: of all doors, [person, ballots, signature] in hexadecimal.
export function closedList(posts) {
  const found = new Map();
  for (const [person, ballots] of posts.flat()) {
    const [mine, other] = [unhex(ballots), found.get(person)];
    if (other === undefined || compared(sha256(mine), sha256(other)) < 0) found.set(person, mine);
  }
  return new Map([...found].sort(([one], [other]) => one - other));
}

// The lists of a session, as the board shows them. Refused where a keyholder has signed another list than
// the one that stands there, or hops are out of turn.
export class Lists {
  constructor() {
    this.handed = {}; // round -> party -> people
    this.closed = {}; // round -> person -> ballots
    this.checked = {}; // round -> parties that have signed for the list
    this.hops = {}; // round -> hops that were posted
  }

  // A call has come: of a release whose people have submitted once the list is that of round 1.
  called(told, call) {
    if (reusesBallots(told, call)) this.closed[call.round] = this.closed[1];
  }

  hand(told, call, party, { people }) {
    const parties = keyholdersOf(told, call);
    const doors = [parties[parties.length - 1], ...parties.slice(0, -1)];
    const handed = (this.handed[call.round] ??= {});
    required(party === doors[Object.keys(handed).length], "unexpected");
    handed[party] = people;
    if (Object.keys(handed).length === doors.length) this.closed[call.round] = closedList(Object.values(handed));
  }

  check(session, told, call, party, { digest }) {
    const closed = this.closed[call.round];
    required(closed !== undefined && keyholdersOf(told, call).includes(party), "unexpected");
    required(digest === hex(closedDigest(session, call.round, closed)), "unexpected");
    (this.checked[call.round] ??= new Set()).add(party);
  }

  // The account of a hop, as it follows from its lists: nothing is lost, or its proof would not hold.
  account(told, call, party, { hop, lists }) {
    const due = (this.hops[call.round] ??= 0) + 1;
    const signed = this.checked[call.round]?.size === keyholdersOf(told, call).length;
    required(signed && hop === due && party === `shuffler-${hop}` && lists.length === call.asks.length, "unexpected");
    this.hops[call.round] = hop;
    const people = this.closed[call.round].size;
    const answers = people * lists.length;
    return { hop, people: hop === 1 ? people : 0, received: hop === 1 ? people : answers, forwarded: answers };
  }

  // What the list of a round says of this phone: "waits" before it is closed, "found", "other" where other
  // ballots count in its name, "missing". place: in the registry; made: its ballots, in hexadecimal.
  standing(round, place, made) {
    const closed = this.closed[round];
    if (closed === undefined) return "waits";
    const there = closed.get(place);
    if (there === undefined) return "missing";
    return hex(there) === made ? "found" : "other";
  }
}
