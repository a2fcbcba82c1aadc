// Messages whole: the frame around a body, and the one message that a phone sends.
import { Reader, blob } from "./bytes.js";
import { readBody, witness } from "./bodies.js";
import { hex, joined, required } from "./sodium.js";

const SUBMISSION = 5;
const SIGNATURE = 64; // bytes

// A message; Refused if the bytes are none.
export function readMessage(encoded) {
  const data = new Reader(encoded);
  const start = hex(data.take(3));
  required(start === "766d01" || start === "766d02");
  const [kind, session, round] = [data.number(1), data.take(32), data.number(1)];
  const [name, body] = readBody(kind, data);
  const found = { kind: name, session: hex(session), round, body, seal: null };
  if (start === "766d02") {
    found.seal = { witness: witness(data), signature: hex(data.take(64)) };
  }
  data.end();
  return found;
}

// A post without its seal, as a message of version 1: what contexts are derived from.
export function unsealed(encoded) {
  const { seal } = readMessage(encoded);
  if (seal === null) return encoded;
  const size = 4 + seal.witness.length / 2 + SIGNATURE;
  return joined(encoded.slice(0, 2), Uint8Array.of(1), encoded.slice(3, -size));
}

// The frame of an envelope. seen: the head of the board that this phone was shown (97 bytes or none).
// signature: of a registered person; empty where people are not registered.
export function frameSubmission(session, round, envelope, seen, signature = new Uint8Array(0)) {
  const place = joined("vm", Uint8Array.of(1, SUBMISSION), session, Uint8Array.of(round));
  return joined(place, blob(envelope), blob(signature), blob(seen));
}
