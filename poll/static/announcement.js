// What a session announces (docs/wire.md, "Announcement"), read strictly, byte by byte.
import { Reader } from "./bytes.js";
import { compared, hex, required, sha256, utf8 } from "./sodium.js";
import { readKey } from "./seal.js";

const ONCE = "two-round-once"; // people submit in round 1 alone
const PROGRAMS = ["two-round", "randomized", "hierarchical", "local-suppression", "threshold", ONCE];
const FLAWS = ["unbound", "repeats", "bundled", "one-salt", "one-key"];
const FOLDS = ["case", "spaces", "accents"];
const MOST = 2 ** 31 - 1;
// Python's white space, which is not quite JavaScript's.
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const EDGES = new RegExp(`^${SPACE}|${SPACE}$`, "u");
const BREAKS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

export const trimmed = (words) => words !== "" && !EDGES.test(words);

// A name or a value: not empty, no space around it, one line, not too long.
export const isName = (words, most) =>
  trimmed(words) && !BREAKS.test(words) && utf8(words).length <= most;

const distinct = (found) => new Set(found).size === found.length;

// Texts in strictly ascending order of their code points.
export function inOrder(texts) {
  const bytes = texts.map(utf8);
  return bytes.every((item, i) => i === 0 || compared(bytes[i - 1], item) < 0);
}

const READ_RULE = {
  1: (data) => {
    const parts = data.many(() => data.text());
    const known = FOLDS.filter((part) => parts.includes(part));
    required(parts.length > 0 && parts.join() === known.join());
    return ["fold", parts];
  },
  2: (data) => {
    const groups = data.many(() => [data.text(), data.many(() => data.text())]);
    required(distinct(groups.flatMap(([, values]) => values)));
    required(distinct(groups.map(([label]) => label)));
    return ["merge", groups];
  },
  3: (data) => {
    const [unit, dayFirst] = [data.text(), data.flag()];
    required(["month", "year", "decade"].includes(unit));
    return ["date", unit, dayFirst];
  },
  4: (data) => {
    const [length, keep] = [data.number(1), data.many(() => data.text())];
    required(length >= 1);
    return ["prefix", length, keep];
  },
  5: (data) => {
    const [whole, edges] = [data.flag(), data.many(() => data.double())];
    required(edges.length > 0 && edges.every((edge, i) => i === 0 || edges[i - 1] < edge));
    required(!whole || edges.every(Number.isInteger));
    return ["bins", whole, edges];
  },
};

function coarser(data) {
  const read = READ_RULE[data.number(1)];
  required(read !== undefined);
  return read(data);
}

function feature(data) {
  const [name, width, bits] = [data.text(), data.number(2), data.number(1)];
  required(bits <= 3);
  const values = bits & 1 ? data.many(() => data.text()) : null;
  const rules = bits & 2 ? data.many(() => coarser(data)) : [];
  required(rules.length > 0 === Boolean(bits & 2) && rules.length <= 8);
  required(isName(name, 255) && width >= 1 && width <= 1024);
  if (values !== null) {
    required(values.length > 0 && distinct(values));
    required(values.every((value) => isName(value, width)));
  }
  return { name, width, values, ...(rules.length ? { rules } : {}) };
}

function checkGuards(found) {
  const watched = found.challenge || found.audit;
  const careful = found.salted && found.padded && found.ordered && !found.flaws.length;
  required(found.flaws.join() === FLAWS.filter((flaw) => found.flaws.includes(flaw)).join());
  required(found.lesson || !found.flaws.length);
  required(found.salted || !found.tokens);
  required(!(found.tokens && found.flaws.length));
  required(careful || !watched);
  required(!found.verified || (careful && !watched && !found.tokens));
  required(!found.verified || found.program !== "threshold");
  required(found.program !== ONCE || (found.verified && found.setting === "fixed"));
  const sealed = found.padded && found.salted && !found.flaws.length;
  required(found.program !== "threshold" || (sealed && !watched && !found.tokens));
}

function readKeys(data, found) {
  const key = () => {
    const encoded = data.blob();
    readKey(encoded);
    return hex(encoded);
  };
  found.shufflers = data.many(key);
  found.curator = key();
  found.analyst = key();
  const keys = [...found.shufflers, found.curator, found.analyst];
  required(found.shufflers.length >= 1 && found.shufflers.length <= 64 && distinct(keys));
  required(new Set(keys.map((one) => one.slice(0, 2))).size === 1);
  const watched = found.challenge || found.audit;
  const registry = data.blob();
  required(registry.length === 32 || (registry.length === 0 && !watched && !found.tokens && !found.verified));
  required(found.curator.startsWith("01") || !watched);
  required(found.shufflers.length > 1 || !found.audit);
  found.registry = hex(registry);
}

export function readAnnouncement(encoded) {
  const data = new Reader(encoded);
  const found = { title: data.text(), program: data.text() };
  required(PROGRAMS.includes(found.program));
  found.nonce = hex(data.take(16));
  found.features = data.many(() => feature(data));
  required(found.features.length >= 1 && found.features.length <= 255);
  required(distinct(found.features.map((one) => one.name)));
  [found.k, found.max_exposure] = [data.number(4), data.double()];
  [found.rule, found.publish_marginals] = [data.text(), data.flag()];
  required(found.k >= 1 && found.k <= MOST);
  required(found.max_exposure >= 0 && found.max_exposure <= 1);
  [found.setting, found.delta] = [data.text(), data.double()];
  required(["fixed", "statistical"].includes(found.setting));
  const fixed = found.setting === "fixed";
  required(fixed ? found.delta === 0 : found.delta > 0 && found.delta < 1);
  for (const name of ["deadline", "min_batch", "min_dropout"]) {
    found[name] = data.number(4);
    required(found[name] >= 1 && found[name] <= MOST);
  }
  for (const name of ["padded", "salted", "ordered", "lesson"]) {
    found[name] = data.flag();
  }
  const guards = data.number(1);
  required(guards <= 15);
  found.tokens = Boolean(guards & 1);
  found.challenge = Boolean(guards & 2);
  found.audit = Boolean(guards & 4);
  found.verified = Boolean(guards & 8);
  found.flaws = data.many(() => data.text());
  checkGuards(found);
  readKeys(data, found);
  data.end();
  return found;
}

// The digest by which every later message names the session.
export const sessionOf = (encoded) => sha256("veilmix announcement 1\0", encoded);
