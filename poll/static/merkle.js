// The root of a tree of RFC 6962, section 2.1.
import { joined, sha256 } from "./sodium.js";

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
