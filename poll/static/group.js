// The prime-order group ristretto255 (RFC 9496), as libsodium has it: elements and scalars of 32 bytes.
//
// The same as crypto/ristretto.py. What comes from another party is `decoded` first: an element in its
// only spelling, and not the identity; a scalar below the order.
import { hex, joined, required, sodium } from "./sodium.js";

export const ELEMENT = 32; // bytes
export const SCALAR = 32; // bytes, little-endian
export const UNIFORM = 64; // bytes from which an element or a scalar is made without bias
const NOTHING = "00".repeat(ELEMENT); // the identity, and the scalar 0
export const isNothing = (data) => hex(data) === NOTHING;
const HALF = new Uint8Array(UNIFORM - SCALAR);

export function decoded(data) {
  required(data.length === ELEMENT && !isNothing(data));
  required(sodium.crypto_core_ristretto255_is_valid_point(data));
  return data;
}

export function decodedScalar(data) {
  required(data.length === SCALAR && hex(scalar(joined(data, HALF))) === hex(data));
  return data;
}

// Of 64 uniform bytes: an element of which nobody knows the logarithm; a scalar.
export const element = (uniform) => sodium.crypto_core_ristretto255_from_hash(uniform);
export const scalar = (uniform) => sodium.crypto_core_ristretto255_scalar_reduce(uniform);

// Multiples; those by 0, and of the identity, are the identity, which libsodium would not give.
export function times(factor, point) {
  if (isNothing(factor) || isNothing(point)) return new Uint8Array(ELEMENT);
  return sodium.crypto_scalarmult_ristretto255(factor, point);
}

export function baseTimes(factor) {
  if (isNothing(factor)) return new Uint8Array(ELEMENT);
  return sodium.crypto_scalarmult_ristretto255_base(factor);
}

// Whether bytes are an element in its only spelling.
export const isElement = (data) => data.length === ELEMENT && sodium.crypto_core_ristretto255_is_valid_point(data);

export const minus = (point, other) => sodium.crypto_core_ristretto255_sub(point, other);
export const plus = (point, other) => sodium.crypto_core_ristretto255_add(point, other);
export const inverse = (factor) => sodium.crypto_core_ristretto255_scalar_invert(factor);
export const plusScalar = (one, other) => sodium.crypto_core_ristretto255_scalar_add(one, other);
export const timesScalar = (one, other) => sodium.crypto_core_ristretto255_scalar_mul(one, other);
