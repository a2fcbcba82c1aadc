// libsodium, and the few things around it that everything here is made of.
//
// The crypto is libsodium's (poll/vendor). Pages call this before anything else: `await ready`.
import sodium from "../vendor/libsodium-wrappers-sumo.mjs";

export { sodium };
export const ready = sodium.ready;

// What is refused: bytes of somebody else. `reason` is one of docs/wire.md.
export class Refused extends Error {
  constructor(reason, words = reason) {
    super(words);
    this.reason = reason;
  }
}

export function required(condition, reason = "malformed") {
  if (!condition) throw new Refused(reason);
}

export const hex = (bytes) => sodium.to_hex(bytes);
export const unhex = (text) => sodium.from_hex(text);
const encoder = new TextEncoder();
export const utf8 = (text) => encoder.encode(text);
export const sha256 = (...parts) => sodium.crypto_hash_sha256(joined(...parts));

// Byte strings and texts (in UTF-8), one after the other.
export function joined(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? utf8(part) : part));
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

// BLAKE2b with a personalisation (a text of at most 16 bytes), as docs/wire.md writes it. The
// wrapper of this function takes no data, so it is called as libsodium has it.
export function personal(size, data, person, key = new Uint8Array(0)) {
  const lib = sodium.libsodium;
  const name = new Uint8Array(16);
  name.set(utf8(person));
  const given = [new Uint8Array(size), data, key, new Uint8Array(16), name];
  const at = given.map((bytes) => lib._malloc(bytes.length || 1));
  given.forEach((bytes, i) => lib.HEAPU8.set(bytes, at[i]));
  const [out, from, by, salt, whose] = at;
  const length = [from, data.length, 0, by, key.length, salt, whose]; // 64 bits, in two halves
  const failed = lib._crypto_generichash_blake2b_salt_personal(out, size, ...length);
  const digest = lib.HEAPU8.slice(out, out + size);
  at.forEach((place) => lib._free(place));
  if (failed) throw new Error("libsodium: a hash of a size that there is not");
  return digest;
}

// -1, 0 or 1: the order of byte strings. Texts are put in order by their UTF-8: by code points.
export function compared(one, other) {
  const shorter = Math.min(one.length, other.length);
  for (let i = 0; i < shorter; i += 1) {
    if (one[i] !== other[i]) return one[i] < other[i] ? -1 : 1;
  }
  return Math.sign(one.length - other.length);
}

export const ascending = (items) =>
  items.every((item, i) => i === 0 || compared(items[i - 1], item) < 0);

// Whether a signature is that of a key. RFC 8032, as libsodium checks it.
export function verified(key, message, signature) {
  try {
    return sodium.crypto_sign_verify_detached(signature, message, key);
  } catch {
    return false; // of another size
  }
}
