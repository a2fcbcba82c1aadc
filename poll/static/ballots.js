// Ballots of a verified mix: locked for all keyholders, each with a proof that its sender knows what is
// in it. The same as crypto/verified/ballots.py, submit_once.py, values.py and protocol/rounds/verified_answers.py.
import { number } from "./bytes.js";
import { inDomain } from "./bodies.js";
import { UNIFORM, baseTimes, decoded, decodedScalar, isElement, minus, plus, plusScalar, scalar, times, timesScalar } from "./group.js";
import { frameSubmission } from "./frames.js";
import { joined, required, sha256, sodium, utf8 } from "./sodium.js";
import { Transcript } from "./transcript.js";

const LONGEST = 29; // bytes that an element carries
const INDEX = 0xff; // in place of a length: the place of the value in its domain follows
const SECRET = 32; // bytes from which a signing key is made
export const BALLOT = 128; // bytes
export const ONCE = 160; // bytes, for two readers

const drawn = () => scalar(sodium.randombytes_buf(UNIFORM));

// The element that carries up to 30 bytes: the first of those that are elements.
function embedded(payload) {
  const candidate = joined(Uint8Array.of(0), payload, new Uint8Array(31 - payload.length));
  for (let first = 2; first < 256; first += 2) {
    candidate[0] = first;
    if (isElement(candidate)) return candidate;
  }
  throw new Error("no element");
}

// The element of bytes; longer ones are carried by their place among those that were announced.
export function elementOf(bytes, place = -1) {
  if (bytes.length <= LONGEST) return embedded(joined(number(bytes.length, 1), bytes));
  required(place >= 0, "outside-domain");
  return embedded(joined(Uint8Array.of(INDEX), number(place, 4)));
}

// The place of a combination of answers among all, the last question counting fastest, in as few bytes
// as all places need.
export function placeOf(domains, values) {
  const place = domains.reduce((sum, domain, i) => sum * BigInt(domain.length) + BigInt(domain.indexOf(values[i])), 0n);
  const last = domains.reduce((product, domain) => product * BigInt(domain.length), 1n) - 1n;
  const size = last === 0n ? 0 : Math.ceil(last.toString(16).length / 2);
  return Uint8Array.from({ length: size }, (_, i) => Number((place >> BigInt(8 * (size - 1 - i))) & 255n));
}

// The element of an answer to one query of a call.
export function answerElement(told, columns, values) {
  const domains = columns.map((column) => told.features[column].values);
  domains.forEach((domain, i) => required(domain.includes(values[i]), "outside-domain"));
  if (columns.length === 1) return elementOf(utf8(values[0]), domains[0].indexOf(values[0]));
  return elementOf(placeOf(domains, values));
}

// A proof of knowing the secret of `base` times G, and of whatever else it was used for: c || z.
function proved(transcript, secret, nonce, ...points) {
  transcript.absorb(joined(baseTimes(nonce), ...points));
  const challenge = transcript.challenge();
  return joined(challenge, plusScalar(nonce, timesScalar(challenge, secret)));
}

// A ballot for one reader. salt, nonce: fresh, if not given.
export function makeBallot(context, key, element, salt = drawn(), nonce = drawn()) {
  const [first, second] = [baseTimes(salt), plus(times(salt, key), element)];
  const transcript = new Transcript("ballot", context);
  transcript.absorb(key, first, second);
  return joined(first, second, proved(transcript, salt, nonce));
}

// A ballot for two readers: the proof shows that both read the same.
export function makeOnce(context, { curator, analyst }, element, salt = drawn(), nonce = drawn()) {
  const first = baseTimes(salt);
  const seconds = [curator, analyst].map((key) => plus(times(salt, key), element));
  const transcript = new Transcript("once", context);
  transcript.absorb(curator, analyst, first, ...seconds);
  const other = times(nonce, minus(curator, analyst));
  return joined(first, ...seconds, proved(transcript, salt, nonce, other));
}

// Refused unless a proof is one of its transcript, images: [base or null for G, its multiple].
function check(transcript, proof, ...images) {
  const [challenge, response] = [proof.slice(0, 32), proof.slice(32)].map(decodedScalar);
  const points = images.map(([base, image]) =>
    minus(base === null ? baseTimes(response) : times(response, base), times(challenge, image)),
  );
  transcript.absorb(joined(...points));
  required(sodium.memcmp(challenge, transcript.challenge()), "malformed");
}

export function checkBallot(context, key, record) {
  required(record.length === BALLOT);
  const [first, second] = [record.slice(0, 32), record.slice(32, 64)].map(decoded);
  const transcript = new Transcript("ballot", context);
  transcript.absorb(key, first, second);
  check(transcript, record.slice(64), [null, first]);
}

export function checkOnce(context, { curator, analyst }, record) {
  required(record.length === ONCE);
  const [first, ...seconds] = [0, 32, 64].map((at) => decoded(record.slice(at, at + 32)));
  const transcript = new Transcript("once", context);
  transcript.absorb(curator, analyst, first, ...seconds);
  check(transcript, record.slice(96), [null, first], [minus(curator, analyst), minus(...seconds)]);
}

// The key pair with which a phone signs what it hands in. seed: 32 bytes, kept as long as its tab.
export const newSeed = () => sodium.randombytes_buf(SECRET);
export const signerOf = (seed) => sodium.crypto_sign_seed_keypair(seed);

// Make the ballots of a round, one a query. locks: locks.js; person: the place of this phone in the
// registry, from 0. Gives what is handed in, and what is inside, for the person's own eyes.
export function lockAnswers(plan, locks, person, row) {
  const { told, asked, session } = plan;
  required(asked.hidden.length === 0 && locks.joint.length === asked.asks.length, "unexpected");
  const answers = asked.asks.map((ask) => ({ ask, values: ask.map((column) => row[column]) }));
  for (const { ask, values } of answers) {
    ask.forEach((column, i) => required(inDomain(told.features[column], undefined, values[i]), "outside-domain"));
  }
  const made = answers.map(({ ask, values }, question) => {
    const context = { session, round: asked.round, question, place: `user-${person + 1}` };
    const element = answerElement(told, ask, values);
    const curator = locks.joint[question];
    return locks.release === null
      ? makeBallot(context, curator, element)
      : makeOnce(context, { curator, analyst: locks.release }, element);
  });
  return { ballots: joined(...made), answers };
}

// The message with which ballots are handed in, signed by the phone of this seed.
export function frameBallots({ session, asked }, ballots, seen, seed) {
  const about = joined("veilmix submission 1\0", session, Uint8Array.of(asked.round), sha256(ballots), seen);
  const signature = sodium.crypto_sign_detached(about, signerOf(seed).privateKey);
  return frameSubmission(session, asked.round, ballots, seen, signature);
}
