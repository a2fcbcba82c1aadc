// Challenges of the proofs of a verified mix: a hash of all that they could depend on.
//
// The same as crypto/verified/transcript.py: each item stands behind its length in 8 bytes; first the
// place of the proof (its session, round, question and party), then the statement.
import { number } from "./bytes.js";
import { scalar } from "./group.js";
import { joined, sodium, utf8 } from "./sodium.js";

const DOMAIN = "veilmix verified 1";
const GROUP = "ristretto255";

export class Transcript {
  // context: {session, round, question, place}, the place as bytes or as a name.
  constructor(label, { session, round, question, place }) {
    this.items = [];
    this.absorb(DOMAIN, label, GROUP, session, number(round, 4), number(question, 4), place);
  }

  absorb(...items) {
    for (const item of items) {
      const bytes = typeof item === "string" ? utf8(item) : item;
      this.items.push(number(bytes.length, 8), bytes);
    }
  }

  // 64 bytes that depend on every item so far; the label is one more.
  digest(label) {
    this.absorb(label);
    return sodium.crypto_hash_sha512(joined(...this.items));
  }

  // A scalar that depends on every item so far.
  challenge() {
    return scalar(this.digest("challenge"));
  }
}
