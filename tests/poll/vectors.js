// The published vectors, read in a browser. Lies beside the tests; no page of veilmix has it.
import { sessionOf } from "/static/announcement.js";
import { readAnnouncement } from "/static/bodies.js";
import { readMessage } from "/static/frames.js";
import * as made from "/static/envelope.js";
import * as lies from "/static/noise.js";
import * as tree from "/static/merkle.js";
import * as oprf from "/oprf_vectors.js";
import { wayOf } from "/static/path.js";
import { arrived } from "/static/sentences.js";
import * as threshold from "/threshold_vectors.js";
import * as verifiedMix from "/verified_vectors.js";
import { SEALEDBOX, fingerprint, openLayer, pad, readKey, sealLayer, unpad, wrap } from "/static/seal.js";
import { SignedBoard, batchDigest, checkFork } from "/static/signed.js";
import { Refused, hex, joined, personal, ready, required, sha256, sodium, unhex, utf8, verified } from "/static/sodium.js";

// Seeded entropy is for simulations and vectors, so it is here alone.
function little(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number), true);
  return bytes;
}

function stream(seed, path, size) {
  let key = personal(32, little(seed), "veilmix.seed");
  for (const label of path) key = personal(32, utf8(label), "veilmix.fork", key);
  const blocks = [];
  for (let i = 0; i * 64 < size; i += 1) blocks.push(personal(64, little(i), "veilmix.stream", key));
  return joined(...blocks).slice(0, size);
}

const publicOf = (secret) => joined(Uint8Array.of(SEALEDBOX), sodium.crypto_scalarmult_base(secret));
const same = (one, other) => {
  if (one !== other) throw new Error(`made ${one}, not ${other}`);
};

const CRYPTO = {
  layer(given) {
    const [secret, context, layer] = [given.secret, given.context, given.layer].map(unhex);
    const plaintext = openLayer(secret, layer, context);
    if ("seed" in given) {
      const drawn = stream(given.seed, given.path, 32);
      same(hex(sealLayer(publicOf(secret), plaintext, context, drawn)), given.layer);
    }
    return { plaintext: hex(plaintext) };
  },
  onion(given) {
    const found = [unhex(given.onion)];
    for (const hop of given.hops) {
      found.push(openLayer(unhex(hop.secret), found[found.length - 1], unhex(hop.context)));
    }
    if ("seed" in given) {
      const hops = given.hops.map((hop) => ({
        key: publicOf(unhex(hop.secret)),
        context: unhex(hop.context),
      }));
      const many = stream(given.seed, given.path, 32 * hops.length);
      const drawn = hops.map((_, i) => many.slice(32 * i, 32 * (i + 1))).reverse();
      const onions = wrap(hops, found[found.length - 1], drawn);
      same(onions.map(hex).join(), found.slice(0, -1).map(hex).join());
    }
    return { peeled: found.slice(1).map(hex) };
  },
  padding(given) {
    const data = unpad(unhex(given.padded));
    same(hex(pad(data, given.size)), given.padded);
    return { data: hex(data) };
  },
  key(given) {
    const encoded = unhex(given.encoded);
    const key = readKey(encoded);
    return { suite: key.suite, raw: hex(key.raw), fingerprint: fingerprint(encoded) };
  },
  entropy: (given) => ({ stream: hex(stream(given.seed, given.path, given.size)) }),
};

function signed(given) {
  const sent = readMessage(unhex(given.data));
  const about = [unhex(sent.session), Uint8Array.of(sent.round)];
  about.push(sha256(unhex(sent.body.envelope)), unhex(sent.body.witness));
  const told = joined("veilmix submission 1\0", ...about);
  required(verified(unhex(given.key), told, unhex(sent.body.signature)), "unregistered");
  return {};
}

function board(given) {
  const found = new SignedBoard();
  for (const [author, data] of given.posts) found.take(author, unhex(data));
  return { head: hex(found.head), digest: hex(found.digest) };
}

const WIRE = {
  message: (given) => readMessage(unhex(given.data)),
  session(given) {
    readAnnouncement(unhex(given.announcement));
    return { digest: hex(sessionOf(unhex(given.announcement))) };
  },
  context(given) {
    const call = unhex(given.call);
    const { round } = readMessage(call).body;
    return { context: hex(made.contextOf(unhex(given.session), call, round, given.hop)) };
  },
  envelope(given) {
    const plan = made.openRound(unhex(given.announcement), unhex(given.call));
    const onions = made.openEnvelope(plan, unhex(given.secret), unhex(given.envelope));
    return { onions: onions.map(hex) };
  },
  ballot(given) {
    const plan = made.openRound(unhex(given.announcement), unhex(given.call));
    return made.openBallot(plan, unhex(given.secret), unhex(given.layer));
  },
  batch: (given) => ({ digest: hex(batchDigest(given.layers.map(unhex))) }),
  root: (given) => ({ root: hex(tree.root(given.entries.map(unhex))) }),
  signed,
  board,
  fork(given) {
    checkFork(unhex(given.board), unhex(given.fork));
    return {};
  },
};

const READERS = { ...CRYPTO, ...WIRE };

// What a vector gives here: {result}, or {refused}; anything else is a fault of ours, and thrown.
export async function read(kind, given) {
  await ready;
  try {
    return { result: READERS[kind](given) };
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong;
    return { refused: wrong.reason };
  }
}

// Make an envelope; what leaves the phone, and what it keeps, as text.
export async function seal(announcement, call, row, seeds = null) {
  await ready;
  const plan = made.openRound(unhex(announcement), unhex(call));
  const { envelope } = made.sealAnswers(plan, row, seeds?.map(unhex) ?? null);
  return { envelope: hex(envelope) };
}

// Open an envelope of one shuffler and its ballots; what they say, by question.
export async function open(announcement, call, secrets, envelope) {
  await ready;
  const plan = made.openRound(unhex(announcement), unhex(call));
  let onions = made.openEnvelope(plan, unhex(secrets[0]), unhex(envelope));
  for (let hop = 1; hop < secrets.length - 1; hop += 1) {
    onions = onions.map((onion) => openLayer(unhex(secrets[hop]), onion, plan.context(hop + 1)));
  }
  const last = unhex(secrets[secrets.length - 1]);
  return onions.map((onion) => made.openBallot(plan, last, onion));
}

// What the page says of a session that it cannot take part in; "" if it can.
export async function unable(announcement) {
  await ready;
  try {
    made.checkAbilities(readAnnouncement(unhex(announcement)));
    return "";
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong;
    return wrong.message;
  }
}

// Chances, and what is said where the words that are drawn are these: [unit, below] by turns.
export async function noise(answers, own, each, drawn) {
  await ready;
  const said = drawn.map(([unit, below]) => {
    const draw = { unit: () => unit, below: (n) => (n === answers - 1 ? below : NaN) };
    return lies.reported(answers, own, each, draw);
  });
  return { ...lies.chances(answers, each), said };
}

// The ends of what two words of 32 bits make of a number from 0 to 1, and what comes after 0.
export const units = () => [[0, 0], [0, 2 ** 6], [2 ** 32 - 1, 2 ** 32 - 1]].map(([high, low]) => lies.unitOf(high, low));

// How often each answer was said, by the phone's own randomness.
export async function draws(answers, own, each, many) {
  await ready;
  const found = Array(answers).fill(0);
  for (let i = 0; i < many; i += 1) found[lies.reported(answers, own, each)] += 1;
  return found;
}

// The way of one answer through two shufflers, of which the second lost so many, to a reader that has
// counted so many; null: none yet.
export const wayThrough = (lost, counted) => {
  const accounts = [0, lost].map((gone, at) => ({ hop: at + 1, people: 8, received: 8, forwarded: 8 - gone }));
  const call = { body: { round: 1, reader: "curator" } };
  const tallies = counted === null ? [] : [{ totals: [counted] }];
  return wayOf({ calls: [call], accounts: { 1: accounts }, tallies, mints: {} }, { answers: ["yes"], frame: "00" }, 1);
};

export const estimated = (values, counts, each) => lies.estimated(values, counts, each);
await arrived();
globalThis.vectors = { draws, estimated, noise, open, read, seal, unable, units, wayThrough, ...oprf, ...threshold, ...verifiedMix };
