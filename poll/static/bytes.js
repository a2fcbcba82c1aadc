// The primitives of docs/wire.md: bytes that are read from the front, strictly, and written.
import { Refused, joined, required, utf8 } from "./sodium.js";

const MOST_ITEMS = 2 ** 27;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Reader {
  constructor(data) {
    this.data = data;
    this.at = 0;
  }

  take(size) {
    required(size <= this.data.length - this.at);
    this.at += size;
    return this.data.slice(this.at - size, this.at);
  }

  number(size) {
    return this.take(size).reduce((number, byte) => number * 256 + byte, 0);
  }

  double() {
    const value = new DataView(this.take(8).buffer).getFloat64(0);
    required(Number.isFinite(value) && !Object.is(value, -0));
    return value;
  }

  flag() {
    const value = this.number(1);
    required(value < 2);
    return value === 1;
  }

  text() {
    const data = this.take(this.number(2));
    try {
      return decoder.decode(data);
    } catch {
      throw new Refused("malformed");
    }
  }

  blob() {
    return this.take(this.number(4));
  }

  // So many structures; `size` says in how many bytes their number is.
  many(read, size = 2) {
    const count = this.number(size);
    const found = [];
    for (let i = 0; i < count; i += 1) found.push(read()); // ends where the bytes do
    return found;
  }

  items() {
    const count = this.number(4);
    const width = this.number(4);
    required(count <= MOST_ITEMS);
    if (width) {
      required(count > 0);
      const data = this.take(count * width);
      return Array.from({ length: count }, (_, i) => data.slice(i * width, (i + 1) * width));
    }
    const found = [];
    for (let i = 0; i < count; i += 1) found.push(this.blob());
    const alike = new Set(found.map((item) => item.length)).size === 1;
    required(!alike || !found[0].length);
    return found;
  }

  end() {
    required(this.at === this.data.length);
  }
}

export function number(value, size) {
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = value; i >= 0; i -= 1, rest = Math.floor(rest / 256)) {
    bytes[i] = rest % 256;
  }
  return bytes;
}

export const text = (words) => joined(number(utf8(words).length, 2), utf8(words));
export const blob = (data) => joined(number(data.length, 4), data);

// Byte strings, with one width where all have the same length.
export const items = (strings) => {
  const width = strings[0].length;
  const alike = width > 0 && strings.every((one) => one.length === width);
  const rest = alike ? strings : strings.map(blob);
  return joined(number(strings.length, 4), number(alike ? width : 0, 4), ...rest);
};
