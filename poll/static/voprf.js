// A pseudorandom function of a key holder who does not see of what: RFC 9497, mode VOPRF, suite
// ristretto255-SHA512. The person's side of crypto/voprf.py.
//
//     phone         P = H(input), r random          ->  B = r P
//     key holder    E = key B, proof                <-  E, proof that log_G(public) = log_B(E)
//     phone         checks, N = E / r = key P           output = SHA-512(input, N, "Finalize")
import { number } from "./bytes.js";
import { ELEMENT, SCALAR, UNIFORM, baseTimes, decoded, decodedScalar } from "./group.js";
import { element, inverse, plus, scalar, times } from "./group.js";
import { joined, required, sodium } from "./sodium.js";

export const PROOF = 2 * SCALAR; // bytes: the challenge and the response
const CONTEXT = "OPRFV1-\x01-ristretto255-SHA512"; // RFC 9497, 3.1: version, mode, suite
const BLOCK = new Uint8Array(128); // of SHA-512

const sha512 = (...parts) => sodium.crypto_hash_sha512(joined(...parts));
const sized = (data) => joined(number(data.length, 2), data);

// expand_message_xmd of RFC 9380, 5.3.1, for SHA-512 and 64 bytes: one block of output.
function expanded(data, label) {
  const tail = joined(label, Uint8Array.of(label.length));
  const first = sha512(BLOCK, data, number(UNIFORM, 2), Uint8Array.of(0), tail);
  return sha512(first, Uint8Array.of(1), tail);
}

// The element of an input, of which nobody knows the logarithm.
export const hashed = (data) => element(expanded(data, `HashToGroup-${CONTEXT}`));
const hashedScalar = (...parts) => scalar(expanded(joined(...parts), `HashToScalar-${CONTEXT}`));

// What blinds one input: a scalar without bias, other than 0 but for a chance of 1 in 2^252.
export const factor = () => scalar(sodium.randombytes_buf(UNIFORM));

// Blind inputs, each by its factor: what is sent, and says nothing of them.
export const blind = (inputs, factors) => inputs.map((data, i) => times(factors[i], hashed(data)));

// The random weight of each pair, which depends on all before it could be chosen (2.2.1).
function weights(known, blinded, evaluated) {
  const seed = sha512(sized(known), sized(joined("Seed-", CONTEXT)));
  return blinded.map((asked, i) =>
    hashedScalar(sized(seed), number(i, 2), sized(asked), sized(evaluated[i]), "Composite"),
  );
}

const mixed = (elements, by) =>
  elements.reduce((all, one, i) => plus(all, times(by[i], one)), new Uint8Array(ELEMENT));

// Refused unless a batch was evaluated with the key that is `known` (RFC 9497, 2.2.2).
export function verify(blinded, evaluated, proof, known) {
  required(evaluated.length === blinded.length && blinded.length > 0 && proof.length === PROOF);
  const [challenge, response] = [proof.slice(0, SCALAR), proof.slice(SCALAR)].map(decodedScalar);
  for (const one of [known, ...blinded, ...evaluated]) decoded(one);
  const by = weights(known, blinded, evaluated);
  const [asked, given] = [mixed(blinded, by), mixed(evaluated, by)];
  const first = plus(baseTimes(response), times(challenge, known));
  const second = plus(times(response, asked), times(challenge, given));
  const due = hashedScalar(...[known, asked, given, first, second].map(sized), "Challenge");
  required(sodium.memcmp(challenge, due), "does-not-open");
}

// The outputs of inputs, 64 bytes each, once the answer is proved to be of the one key.
export function finalize(inputs, factors, evaluated, proof, known) {
  verify(blind(inputs, factors), evaluated, proof, known);
  return inputs.map((data, i) => {
    const point = times(inverse(factors[i]), evaluated[i]);
    return sha512(sized(data), sized(point), "Finalize");
  });
}
