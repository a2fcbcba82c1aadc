// The board as a phone checks it: who signed each post, and which heads the board itself signed.
import { blob } from "./bytes.js";
import { readMessage } from "./frames.js";
import { compared, hex, joined, required, sha256, unhex, verified } from "./sodium.js";

const SIGNATURE = 64; // bytes

export const runDigest = (posts) =>
  sha256("veilmix run 1\0", ...[...posts].sort(compared).map((post) => sha256(post)));

export const batchDigest = (layers) => sha256("veilmix batch 1\0", ...layers.map((layer) => blob(layer)));

// Posts as they come, one after the other. After the roster each has a seal, or is the head that is
// due; alarms of people have none. Refused: the board shows something that nobody signed.
export class SignedBoard {
  constructor() {
    this.head = new Uint8Array(32);
    this.posts = []; // round || kind || author || 00 || message
    this.stated = []; // those without alarms
    this.roster = null;
    this.due = null;
    this.cited = [""];
  }

  get digest() {
    return runDigest(this.posts);
  }

  // The head that a phone cites: the last that it was shown, or none.
  get witness() {
    return unhex(this.cited[this.cited.length - 1]);
  }

  take(author, data) {
    const said = readMessage(data);
    const name = joined(author, "\0");
    const post = joined(data.slice(36, 37), data.slice(3, 4), name, data);
    if (said.kind === "roster") {
      required(this.roster === null && !this.posts.length, "unexpected");
      this.learn(said.body);
    }
    if (this.roster !== null) this.check(author, data, said);
    this.head = sha256("veilmix board 1\0", this.head, name, data);
    this.posts.push(post);
    if (said.kind !== "alarm") this.stated.push(post);
    if (said.kind === "call" || said.kind === "closed") {
      this.due = said.kind === "call" ? said.round : 0;
    }
    return said;
  }

  learn(roster) {
    this.roster = roster;
    const { opening, board, curator, analyst, shufflers, randomness } = roster;
    this.keys = { board, curator, analyst, ...(randomness ? { randomness } : {}) };
    shufflers.forEach((key, i) => {
      this.keys[`shuffler-${i + 1}`] = key;
    });
    const all = [opening, board, curator, analyst, ...shufflers];
    this.opening = unhex(opening);
    this.people = sha256(...all.map(unhex));
  }

  check(author, data, said) {
    if (said.kind === "head") {
      required(author === "board", "unregistered");
      this.attest(said.body);
    } else if (!author.startsWith("user-")) {
      this.checkSeal(author, data, said.seal);
    } else {
      required(said.kind === "alarm", "unexpected");
    }
  }

  attest(head) {
    const state = sha256("veilmix state 1\0", runDigest(this.stated));
    required(head.place === this.due && head.state === hex(state), "unexpected");
    const place = joined(Uint8Array.of(head.place), state);
    const signature = unhex(head.signature);
    const told = joined("veilmix head 1\0", this.opening, place);
    required(verified(unhex(this.keys.board), told, signature), "unregistered");
    this.cited.push(hex(joined(place, signature)));
    this.due = null;
  }

  checkSeal(author, data, seal) {
    required(seal !== null && author in this.keys, "unregistered");
    required(this.due === null && this.mayCite(seal.witness), "unexpected");
    const about = [this.people, author, "\0", sha256(data.slice(0, -SIGNATURE))];
    const told = joined("veilmix post 1\0", ...about);
    required(verified(unhex(this.keys[author]), told, data.slice(-SIGNATURE)), "unregistered");
  }

  // A head that stands on this board; nothing only as long as there is none.
  mayCite(seen) {
    return this.cited.includes(seen) && (seen !== "" || this.cited.length === 1);
  }
}

// Refused unless a fork proves that the board has signed two states of one place.
export function checkFork(board, fork) {
  required(fork.length === 16 + 2 * 97, "malformed");
  const opening = fork.slice(0, 16);
  const [one, other] = [fork.slice(16, 113), fork.slice(113)];
  for (const seen of [one, other]) {
    const told = joined("veilmix head 1\0", opening, seen.slice(0, 33));
    required(verified(board, told, seen.slice(33)), "unregistered");
  }
  const same = one[0] === other[0];
  required(same && compared(one.slice(0, 33), other.slice(0, 33)) !== 0, "unregistered");
}
