// The tree of RFC 6962, section 2.1: its root, and proofs that lead to one.
import { compared, joined, required, sha256 } from "./sodium.js";

const leaf = (entry) => sha256(Uint8Array.of(0), entry);
const node = (left, right) => sha256(Uint8Array.of(1), left, right);

// The largest power of two that is smaller than a size.
function split(size) {
  let k = 1;
  while (2 * k < size) k *= 2;
  return k;
}

export function root(entries) {
  if (!entries.length) return sha256(joined());
  if (entries.length === 1) return leaf(entries[0]);
  const k = split(entries.length);
  return node(root(entries.slice(0, k)), root(entries.slice(k)));
}

function reached(from, index, size, path) {
  if (size === 1) {
    required(!path.length, "verification");
    return from;
  }
  required(path.length > 0, "verification");
  const k = split(size);
  const [rest, last] = [path.slice(0, -1), path[path.length - 1]];
  return index < k
    ? node(reached(from, index, k, rest), last)
    : node(last, reached(from, index - k, size - k, rest));
}

// Refused unless an entry stands at an index of the tree of that size with that root.
export function included(entry, index, size, path, known) {
  required(index < size, "verification");
  required(!compared(reached(leaf(entry), index, size, path), known), "verification");
}
