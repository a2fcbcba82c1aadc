// Keys, layers, padding: the sealed bytes of docs/wire.md, of suite 01 alone.
//
// The other suites are not in libsodium. A session that has one of them is refused, in words.
import { t } from "./sentences.js";
import { Refused, compared, hex, joined, personal, required, sodium, unhex } from "./sodium.js";

export const SEALEDBOX = 0x01;
export const OVERHEAD = 81; // bytes that a layer adds
export const SUITES = {
  0x01: { name: "sealedbox", key: 32 },
  0x02: { name: "hpke-x25519", key: 32 },
  0x03: { name: "hpke-pq", key: 1184 + 32 },
  0xff: { name: "textbook", key: 32 },
};
const CONTEXT = 32; // bytes
const BOX = 32 + 16; // bytes that a sealed box adds
// Points of low order, as libsodium's bytes (little endian), and the modulus 2^255 - 19.
const LOW = [
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
];
const MODULUS = `ed${"ff".repeat(30)}7f`;

// Whether 32 bytes are a point in the one spelling that is accepted.
export function isPoint(bytes) {
  if (bytes.length !== 32 || LOW.includes(hex(bytes))) return false;
  const big = Uint8Array.from(bytes).reverse();
  return compared(big, unhex(MODULUS).reverse()) < 0;
}

// A public key as it is sent; Refused if it is none. Of suites that are not here too: they are
// told apart by name, and `usable` refuses them.
export function readKey(encoded) {
  const suite = SUITES[encoded[0]];
  required(suite !== undefined && encoded.length === 1 + suite.key);
  required(isPoint(encoded.slice(-32)));
  for (let i = 1; i < encoded.length - 64; i += 3) {
    // Two coefficients of 12 bits each (FIPS 203, 7.2); then rho, and the point.
    const both = encoded[i] + encoded[i + 1] * 256 + encoded[i + 2] * 65536;
    required(both % 4096 < 3329 && Math.floor(both / 4096) < 3329);
  }
  return { code: encoded[0], suite: suite.name, raw: encoded.slice(1) };
}

export const fingerprint = (encoded) =>
  `${SUITES[encoded[0]].name}:${hex(personal(8, encoded, "veilmix.print"))}`;

export function usable(encoded) {
  const key = readKey(encoded);
  if (key.code !== SEALEDBOX) {
    throw new Refused("unexpected", t("unable-suite", { suite: key.suite }));
  }
  return key;
}

// Seal for a key (as it is sent) in a context. drawn: the ephemeral secret, fresh if not given.
export function sealLayer(encoded, plaintext, context, drawn = sodium.randombytes_buf(32)) {
  const { raw } = usable(encoded);
  required(context.length === CONTEXT);
  const point = sodium.crypto_scalarmult_base(drawn);
  const nonce = sodium.crypto_generichash(24, joined(point, raw));
  const box = sodium.crypto_box_easy(joined(context, plaintext), nonce, raw, drawn);
  return joined(Uint8Array.of(SEALEDBOX), point, box);
}

// Open a layer; whatever is wrong, the reason is one.
export function openLayer(secret, layer, context) {
  try {
    required(layer[0] === SEALEDBOX && layer.length >= 1 + BOX + CONTEXT);
    required(isPoint(layer.slice(1, 33)));
    const own = sodium.crypto_scalarmult_base(secret);
    const opened = sodium.crypto_box_seal_open(layer.slice(1), own, secret);
    required(sodium.memcmp(opened.slice(0, CONTEXT), context));
    return opened.slice(CONTEXT);
  } catch {
    throw new Refused("does-not-open");
  }
}

// Layers within layers. hops: {key, context}, the first opened first; gives all onions, the
// outermost first. drawn: an ephemeral secret a hop, in the order of hops.
export function wrap(hops, payload, drawn = hops.map(() => sodium.randombytes_buf(32))) {
  const onions = [];
  let inside = payload;
  for (let i = hops.length - 1; i >= 0; i -= 1) {
    inside = sealLayer(hops[i].key, inside, hops[i].context, drawn[i]);
    onions.unshift(inside);
  }
  return onions;
}

// ISO/IEC 7816-4.
export function pad(data, size) {
  required(data.length < size, "wrong-size");
  const padded = new Uint8Array(size);
  padded.set(data);
  padded[data.length] = 0x80;
  return padded;
}

export function unpad(padded) {
  let end = padded.length;
  while (end && padded[end - 1] === 0) end -= 1;
  required(end > 0 && padded[end - 1] === 0x80);
  return padded.slice(0, end - 1);
}
