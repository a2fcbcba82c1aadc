// Messages that k people open, in a browser: what a phone makes, with its randomness put in by hand, and
// a reader of whole rounds, for the published vectors. Lies beside the tests; no page of veilmix has it.
import { openRound } from "/static/envelope.js";
import { ELEMENT, SCALAR, baseTimes, decoded, decodedScalar, inverse, plus, plusScalar, times, timesScalar } from "/static/group.js";
import { alike, excluded, exposed, openOf } from "/static/opened.js";
import { Refused, hex, joined, ready, required, sodium, unhex } from "/static/sodium.js";
import * as sealing from "/static/threshold.js";

const SEED = 32;
const ONCE = new Uint8Array(12);
const ZERO = "00".repeat(SCALAR);
const difference = (one, other) => sodium.crypto_core_ristretto255_scalar_sub(one, other);

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

const roundOf = (announcement, call) => openRound(unhex(announcement), unhex(call));

export const questioned = (announcement, call, row, factors) =>
  tried(() => {
    const plan = roundOf(announcement, call);
    return sealing.question(plan, row, factors?.map(unhex)).frame;
  });

export const question = async (announcement, call, row) => {
  await ready;
  return sealing.question(roundOf(announcement, call), row);
};

export const seeded = (announcement, call, row, factors, answer, known) =>
  tried(() => {
    const plan = roundOf(announcement, call);
    return sealing.seedsOf(plan, row, factors, unhex(answer), unhex(known)).map(hex);
  });

// shape: {needed, ends, widths, size}, as the page works it out.
export const shaped = (announcement, call) => tried(() => roundOf(announcement, call).shape);
export const messaged = (announcement, call, row, seeds, places) =>
  tried(() => {
    const { shape } = roundOf(announcement, call);
    return hex(sealing.message(shape, row, seeds.map(unhex), places.map(unhex)));
  });
export const places = (many) => tried(() => Array.from({ length: many }, () => hex(sealing.place())));
export const released = (counts, k, row, ends) => tried(() => [exposed(counts, k), openOf(counts, row, ends)]);

export const excludedIn = (counts, k, domains, shape) => tried(() => excluded(counts, k, domains, shape));
export const alikeIn = (names, counts) => tried(() => alike(names, counts));

function unsealed(data, key) {
  try {
    return sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, data, null, ONCE, key);
  } catch {
    throw new Refused("does-not-open");
  }
}

function readShare(data) {
  const [x, y] = [data.slice(0, SCALAR), data.slice(SCALAR)].map(decodedScalar);
  required(hex(x) !== ZERO);
  return { x, y };
}

// f(0) of the polynomial of least degree through these points.
function secretOf(shares) {
  return shares.reduce((sum, { x, y }, i) => {
    const factor = shares.reduce(
      (all, other, j) => (i === j ? all : timesScalar(all, timesScalar(other.x, inverse(difference(other.x, x))))),
      y,
    );
    return plusScalar(sum, factor);
  }, unhex(ZERO));
}

// Whether a share is on the polynomial that was committed to, by the commitments alone.
function isRight({ x, y }, commitments) {
  let [expected, power] = [null, null];
  for (const one of commitments) {
    const part = power === null ? decoded(one) : times(power, decoded(one));
    expected = expected === null ? part : plus(expected, part);
    power = power === null ? x : timesScalar(power, x);
  }
  return hex(baseTimes(y)) === hex(expected);
}

// Opens a round level by level: texts of each message, {number: [level, reason]}, and how many are closed.
class Opening {
  constructor({ needed, widths, messages }) {
    Object.assign(this, { needed, widths, refused: {}, closed: [] });
    this.texts = messages.map(() => []);
    this.level(0, [], messages.map((data, number) => ({ number, data: unhex(data) })));
  }

  refuse(number, level, reason) {
    this.refused[number] ??= [level, reason];
  }

  bodyAt = (level) => this.needed * ELEMENT + this.widths[level] + SEED + 16;
  sizeAt = (level) => this.bodyAt(level) + 64 + (level + 1 < this.widths.length ? 16 + this.sizeAt(level + 1) : 0);

  level(level, around, parts) {
    const groups = new Map();
    const end = this.bodyAt(level);
    for (const { number, data } of parts) {
      try {
        required(data.length === this.sizeAt(level));
        const share = readShare(data.slice(end, end + 64));
        const body = hex(data.slice(0, end));
        const group = groups.get(body) ?? groups.set(body, []).get(body);
        const twice = group.some((one) => hex(one.share.x) === hex(share.x) && hex(one.share.y) === hex(share.y));
        required(!twice, "duplicate");
        group.push({ number, share, inside: data.slice(end + 64) });
      } catch (wrong) {
        if (!(wrong instanceof Refused)) throw wrong;
        this.refuse(number, level, wrong.reason);
      }
    }
    const deeper = [...groups].map(([body, group]) => this.group(level, around, unhex(body), group));
    for (const [texts, inner] of deeper.filter(Boolean)) {
      if (level + 1 < this.widths.length) this.level(level + 1, texts, inner);
    }
  }

  group(level, around, body, group) {
    const commitments = Array.from({ length: this.needed }, (_, i) => body.slice(i * ELEMENT, (i + 1) * ELEMENT));
    const stays = (many) => void (many && this.closed.push([around, many]));
    if (group.length < this.needed) return stays(group.length);
    const right = group.filter((one) => isRight(one.share, commitments) || this.refuse(one.number, level, "does-not-open"));
    if (right.length < this.needed) return stays(right.length);
    const plain = unsealed(body.slice(this.needed * ELEMENT), sealing.textKey(secretOf(right.slice(0, this.needed).map((one) => one.share))));
    const [text, seed] = [plain.slice(0, -SEED), plain.slice(-SEED)];
    const { coefficients, body: again } = sealing.made(seed, text, this.needed);
    if (hex(again) !== hex(body)) throw new Error("a vector of another kind");
    const texts = [...around, hex(text)];
    const inner = right.map(({ number, share, inside }) => {
      this.texts[number] = texts;
      try {
        return { number, data: inside.length ? unsealed(inside, sealing.insideKey(coefficients, share.x)) : inside };
      } catch {
        this.refuse(number, level + 1, "does-not-open");
        return null;
      }
    });
    return [texts, inner.filter(Boolean)];
  }
}

export const openedRound = (given) =>
  tried(() => {
    const { texts, refused, closed } = new Opening(given);
    return { texts, refused, closed };
  });
