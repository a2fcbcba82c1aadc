// The keys that ballots of a verified mix are locked for, from what keyholders have posted.
//
// A keyholder posts a key for each question, with a proof that it owns the secret; a joint key is the sum
// of the keys of all (crypto/verified/keys.py). Without the proofs the last keyholder could choose its
// key so that it alone opens what is locked for the sum.
import { ELEMENT, SCALAR, baseTimes, decoded, decodedScalar, isNothing, plus, scalar, times } from "./group.js";
import { hex, joined, required, sodium, unhex } from "./sodium.js";
import { Transcript } from "./transcript.js";

export const KEY = ELEMENT + 2 * SCALAR; // bytes
const LABEL = "veilmix key share 1\0";

// The public key of a record; Refused unless the party of this context owns it.
export function ownedKey(context, record) {
  required(record.length === KEY);
  const key = decoded(record.slice(0, ELEMENT));
  const [challenge, response] = [record.slice(ELEMENT, ELEMENT + SCALAR), record.slice(-SCALAR)].map(decodedScalar);
  const owner = new Transcript("key", context).digest("owner");
  const point = plus(baseTimes(response), times(challenge, key));
  const due = scalar(sodium.crypto_hash_sha512(joined(LABEL, owner, key, point)));
  required(sodium.memcmp(challenge, due), "unregistered");
  return key;
}

// The sum of keys; Refused where they cancel out.
export function jointKey(keys) {
  const sum = keys.reduce(plus, new Uint8Array(ELEMENT));
  required(!isNothing(sum), "unregistered");
  return sum;
}

// The shufflers of a session, in their order.
const hopsOf = (told) => told.shufflers.map((_, i) => `shuffler-${i + 1}`);

// The keyholders of a round: all shufflers, then its reader.
export const keyholdersOf = (told, call) => [...hopsOf(told), call.reader];

// Whether a round mixes the ballots of the first one again: it has neither keys nor ballots of its own.
export const reusesBallots = (told, call) => told.program === "two-round-once" && call.reader === "analyst";

// The parties that post keys in a round, each with the numbers of its keys: of the questions, and behind
// them, where people submit once, of the release.
export function keysDue(told, call) {
  if (reusesBallots(told, call)) return new Map();
  const questions = call.asks.map((_, i) => i);
  if (told.program !== "two-round-once") return new Map(keyholdersOf(told, call).map((party) => [party, questions]));
  const release = questions.length;
  const both = hopsOf(told).map((party) => [party, [...questions, release]]);
  return new Map([...both, [call.reader, questions], ["analyst", [release]]]);
}

// The locks of a round: {joint: a key a question, release: the key of the release or null}, once all
// parties have posted; null before. Refused where a key is not its owner's, or keys cancel out.
// posted: party -> records, in hexadecimal.
export function locksOf(session, told, call, posted) {
  const due = keysDue(told, call);
  if (!due.size || [...due.keys()].some((party) => !(party in posted))) return null;
  const owned = new Map();
  for (const [party, numbers] of due) {
    required(posted[party].length === numbers.length);
    numbers.forEach((question, i) => {
      const context = { session, round: call.round, question, place: party };
      owned.set(`${question} ${party}`, ownedKey(context, unhex(posted[party][i])));
    });
  }
  const sum = (question, parties) => jointKey(parties.map((party) => owned.get(`${question} ${party}`)));
  const joint = call.asks.map((_, question) => sum(question, keyholdersOf(told, call)));
  const once = due.has("analyst") && call.reader !== "analyst";
  const release = once ? sum(call.asks.length, [...hopsOf(told), "analyst"]) : null;
  required(release === null || joint.every((key) => hex(key) !== hex(release)), "unregistered");
  return { joint, release };
}
