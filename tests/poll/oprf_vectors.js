// The oblivious function as a phone has it, with its randomness put in by hand.
// Lies beside the tests; no page of veilmix has it.
import * as group from "/static/group.js";
import { Refused, hex, ready, unhex } from "/static/sodium.js";
import * as oprf from "/static/voprf.js";

// {result}, or {refused}; anything else is a fault of ours, and thrown.
async function tried(act) {
  await ready;
  try {
    return { result: act() };
  } catch (wrong) {
    if (!(wrong instanceof Refused)) throw wrong;
    return { refused: wrong.reason };
  }
}

const all = (texts) => texts.map(unhex);

export const blinded = (inputs, factors) =>
  tried(() => oprf.blind(all(inputs), all(factors)).map(hex));
export const evaluated = (secret, elements) =>
  tried(() => all(elements).map((one) => hex(group.times(unhex(secret), group.decoded(one)))));
export const finalized = (inputs, factors, elements, proof, known) =>
  tried(() => oprf.finalize(all(inputs), all(factors), all(elements), unhex(proof), unhex(known)).map(hex));
export const hashes = (inputs) => tried(() => all(inputs).map((one) => hex(oprf.hashed(one))));
export const factors = (many) => tried(() => Array.from({ length: many }, () => hex(oprf.factor())));
