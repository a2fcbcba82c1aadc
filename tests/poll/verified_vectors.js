// A verified mix in a browser: keys, ballots and lists as a phone reads and makes them, with its randomness
// put in by hand. Lies beside the tests; no page of veilmix has it.
import { readAnnouncement } from "/static/bodies.js";
import * as ballots from "/static/ballots.js";
import { openRound } from "/static/envelope.js";
import { Session } from "/static/follow.js";
import { scalar } from "/static/group.js";
import { readMessage } from "/static/frames.js";
import { Lists, closedDigest } from "/static/listed.js";
import { jointKey, locksOf, ownedKey } from "/static/locks.js";
import { Refused, hex, ready, unhex, utf8 } from "/static/sodium.js";

// {result}, or {refused}; anything else is a fault of ours, and thrown.
async function tried(act) {
  await ready;
  try {
    return { result: act() };
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong;
    return { refused: wrong.reason, words: wrong.message };
  }
}

const contextOf = ({ announcement, round, question }, place) => ({
  session: unhex(announcement),
  round,
  question,
  place: typeof place === "string" ? place : unhex(place.place),
});

// The joint key of a record (tests/crypto/verified/vectors), and whether all its ballots hold; where they
// are for two readers, with the key of the curator.
export const recorded = (record) =>
  tried(() => {
    const key = jointKey(record.keys.map((one) => ownedKey(contextOf(record, one), unhex(one.record))));
    const seen = new Set();
    for (const { person, records } of record.ballots) {
      if (seen.has(person)) throw new Refused("duplicate");
      seen.add(person);
      for (const one of records) {
        const context = contextOf(record, { place: person });
        if (record.curator_key === null) ballots.checkBallot(context, key, unhex(one));
        else ballots.checkOnce(context, { curator: unhex(record.curator_key), analyst: key }, unhex(one));
      }
    }
    return hex(key);
  });

// A ballot, where the salt and the nonce are drawn of these 64 bytes each.
export const balloted = (context, keys, element, drawn) =>
  tried(() => {
    const [salt, nonce] = drawn.map((bytes) => scalar(unhex(bytes)));
    const [curator, analyst] = keys.map(unhex);
    const place = contextOf(context, context.place);
    if (analyst === undefined) return hex(ballots.makeBallot(place, curator, unhex(element), salt, nonce));
    return hex(ballots.makeOnce(place, { curator, analyst }, unhex(element), salt, nonce));
  });

export const elements = (announcement, columns, rows) =>
  tried(() => {
    const told = readAnnouncement(unhex(announcement));
    return rows.map((values) => hex(ballots.answerElement(told, columns, values)));
  });

const hexed = (locks) => locks && { joint: locks.joint.map(hex), release: locks.release && hex(locks.release) };

export const locked = (announcement, call, posted) =>
  tried(() => {
    const plan = openRound(unhex(announcement), unhex(call));
    return hexed(locksOf(plan.session, plan.told, plan.asked, posted));
  });

// The message that a phone hands in.
export const framed = (announcement, call, posted, person, row, seen, seed) =>
  tried(() => {
    const plan = openRound(unhex(announcement), unhex(call));
    const locks = locksOf(plan.session, plan.told, plan.asked, posted);
    const made = ballots.lockAnswers(plan, locks, person, row);
    return hex(ballots.frameBallots(plan, made.ballots, unhex(seen), unhex(seed)));
  });

export const publicOf = (seed) => tried(() => hex(ballots.signerOf(unhex(seed)).publicKey));

// What a phone makes of a board. kept: what it remembers.
export const followed = (posts, kept) =>
  tried(() => {
    const session = new Session({ session: "", mark: null, name: "", before: false, ...kept });
    for (const [author, data] of posts) session.take(author, unhex(data));
    const rounds = Object.entries(session.lists.closed);
    return {
      closed: Object.fromEntries(rounds.map(([round, list]) => [round, hex(closedDigest(session.session, round, list))])),
      signed: Object.fromEntries(Object.entries(session.lists.checked).map(([round, who]) => [round, [...who].sort()])),
      locks: Object.fromEntries(Object.entries(session.locks).map(([round, locks]) => [round, hexed(locks)])),
      place: session.place,
      counted: session.tallies.map((_, i) => session.counted(i + 1)),
      accounts: session.accounts,
    };
  });

// The same of the lists alone: posts about one round, [author, message], as if they were signed.
export const listed = (announcement, call, posts, place, made) =>
  tried(() => {
    const plan = openRound(unhex(announcement), unhex(call));
    const lists = new Lists();
    const take = {
      handed: (author, body) => lists.hand(plan.told, plan.asked, author, body),
      checked: (author, body) => lists.check(plan.session, plan.told, plan.asked, author, body),
      shuffled: (author, body) => lists.account(plan.told, plan.asked, author, body),
    };
    for (const [author, data] of posts) {
      const { kind, body } = readMessage(unhex(data));
      take[kind](author, body);
    }
    return lists.standing(plan.asked.round, place, made);
  });

export const payload = (text, place) => tried(() => hex(ballots.elementOf(utf8(text), place)));
