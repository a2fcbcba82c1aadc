// Messages that open when k people have sent the same (program `threshold`): what a phone asks
// `randomness` for, and what it seals. The person's side of protocol/rounds/threshold.py and
// crypto/threshold.py; bytes as in docs/wire.md, "Thresholds".
//
//     phone         blinded inputs, one a level of its row      ->  randomness
//     phone         outputs, proved to be of the one key        <-  randomness
//     phone         each level: commitments, sealed text, its own share, and the next level, sealed
//
// A level is a longer and longer beginning of the row, or the row at once: the announced rule says
// which. What is made of a level is the same for all who have it, but for the share.
import { number, text } from "./bytes.js";
import { readMessage } from "./frames.js";
import { SCALAR, UNIFORM, baseTimes, plusScalar, scalar, timesScalar } from "./group.js";
import { pad } from "./seal.js";
import { t } from "./sentences.js";
import { Refused, hex, joined, required, sha256, sodium, unhex } from "./sodium.js";
import { blind, factor, finalize } from "./voprf.js";

const SEED = 32; // bytes of an output that a level is made from
const TAG = 16; // bytes that a sealed text is longer than the text
const SHARE = 2 * SCALAR;
const MOST = 255; // shares that are needed
const QUERY = 48;
const ONCE = new Uint8Array(12); // the nonce: each key seals one thing
const RULES = { threshold: false, "threshold prefixes": true, "threshold closed": false, "threshold prefixes closed": true };

// What everybody must agree on; null where a session opens by no threshold. ends: where the columns
// of each level end; widths: bytes of its text, padded.
export function shapeOf(told) {
  if (told.program !== "threshold") return null;
  const no = (what) => {
    throw new Refused("unexpected", t("unable-opens", { k: told.k, what }));
  };
  if (!(told.rule in RULES)) no(t("unable-rule", { rule: told.rule }));
  if (told.k > MOST) no(t("unable-most", { most: MOST }));
  const each = told.features.map(({ width }) => width + 2);
  const ends = RULES[told.rule] ? each.map((_, i) => i + 1) : [each.length];
  const widths = ends.map((end, at) => each.slice(ends[at - 1] ?? 0, end).reduce((sum, one) => sum + one, 1));
  const body = (level) => told.k * SCALAR + widths[level] + SEED + TAG;
  const nested = (widths.length - 1) * TAG; // each level but the first is sealed once more
  const size = widths.reduce((sum, _, level) => sum + body(level) + SHARE, nested);
  return { needed: told.k, prefixes: RULES[told.rule], closes: told.rule.endsWith(" closed"), ends, widths, body, size };
}

// The words of each level, as they are sealed: a column's value, or all of them.
export const levelsOf = (shape, row) => shape.ends.map((end, at) => row.slice(shape.ends[at - 1] ?? 0, end));

const inputsOf = ({ session, asked, shape }, row) =>
  shape.ends.map((end, level) => {
    const place = joined("veilmix threshold input 1\0", session, Uint8Array.of(asked.round, level));
    return joined(place, ...row.slice(0, end).map(text));
  });

// What a phone asks for a row: {factors, frame}, to be kept until it is answered, in hexadecimal.
export function question(plan, row, factors = plan.shape.ends.map(factor)) {
  const elements = blind(inputsOf(plan, row), factors);
  const head = joined("vm", Uint8Array.of(1, QUERY), plan.session, Uint8Array.of(plan.asked.round));
  const frame = joined(head, number(elements.length, 2), ...elements);
  return { factors: factors.map(hex), frame: hex(frame) };
}

// The seeds of a row's levels; Refused unless all are proved to be of the key on the board: who is
// answered with another one seals what nobody else seals, and stands out.
export function seedsOf(plan, row, factors, answer, known) {
  const said = readMessage(answer);
  const here = said.session === hex(plan.session) && said.round === plan.asked.round;
  required(said.kind === "evaluated" && said.seal === null && here, "unexpected");
  const { elements, proof } = said.body;
  const given = [elements.map(unhex), unhex(proof), known];
  return finalize(inputsOf(plan, row), factors.map(unhex), ...given).map((one) => one.slice(0, SEED));
}

const keyOf = (label, ...scalars) => sha256(`veilmix threshold ${label} 1\0`, ...scalars);
const sealed = (data, key) =>
  sodium.crypto_aead_chacha20poly1305_ietf_encrypt(data, null, null, ONCE, key);

// The coefficients of the polynomial of a seed; whoever has the seed has them all.
export const polynomial = (seed, needed) =>
  Array.from({ length: needed }, (_, i) =>
    scalar(sodium.crypto_hash_sha512(joined("veilmix polynomial 1\0", seed, Uint8Array.of(i)))),
  );

export const valueAt = (coefficients, x) =>
  coefficients.reduceRight((sum, one) => plusScalar(timesScalar(sum, x), one), new Uint8Array(SCALAR));

// Where a phone reads its polynomial: a scalar other than 0, at random.
export const place = () => {
  const x = scalar(sodium.randombytes_buf(UNIFORM));
  return x.some(Boolean) ? x : place();
};

// What all who have a seed and a text make of it: {coefficients, body}.
export function made(seed, padded, needed) {
  const coefficients = polynomial(seed, needed);
  const commitments = coefficients.map(baseTimes);
  const inside = sealed(joined(padded, seed), keyOf("text", coefficients[0]));
  return { coefficients, body: joined(...commitments, inside) };
}

export const insideKey = (coefficients, x) => keyOf("inside", coefficients[0], x);
export const textKey = (secret) => keyOf("text", secret);

// The message of a row, level in level. seeds: of its levels; places: where each is read.
export function message(shape, row, seeds, places = shape.ends.map(place)) {
  const words = levelsOf(shape, row);
  let inner = new Uint8Array(0);
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const { coefficients, body } = made(seeds[at], pad(joined(...words[at].map(text)), shape.widths[at]), shape.needed);
    const share = joined(places[at], valueAt(coefficients, places[at]));
    const inside = inner.length ? sealed(inner, insideKey(coefficients, places[at])) : inner;
    inner = joined(body, share, inside);
  }
  required(inner.length === shape.size, "wrong-size");
  return inner;
}
