// What messages hold (docs/wire.md, "Frame"): one reader a kind, each as strict as the page says.
import { inOrder, isName, readAnnouncement, trimmed } from "./announcement.js";
import { ascending, compared, hex, required, utf8 } from "./sodium.js";
import { readKey } from "./seal.js";

const WITNESS = 1 + 32 + 64; // bytes: place, state, signature
const REASONS = ["malformed", "wrong-size", "does-not-open", "duplicate", "late", "unexpected"];
REASONS.push("outside-domain", "unregistered");
const CAUSES = ["balance", "accounts", "order", "decision", "announcement", "split"];
CAUSES.push("changed");
const PEERS_OF = 2 ** 15; // added to the number of shufflers where `randomness` follows

const rising = (numbers) => numbers.every((one, i) => i === 0 || numbers[i - 1] < one);
const distinct = (found) => new Set(found).size === found.length;
const hexed = (list) => list.map(hex);
const of32 = (list) => list.every((one) => one.length === 32);

function columns(data) {
  const found = data.many(() => data.number(1));
  required(rising(found) && found.length <= 255);
  return found;
}

// What people do to the values of one column.
function hiding(data) {
  const [column, redacts, values] = [data.number(1), data.flag(), data.many(() => data.text())];
  required(values.length > 0 && inOrder(values) && column < 255 && values.every(trimmed));
  return redacts ? { column, redact: values, cover: data.number(4) } : { column, mask: values };
}

function hidden(data, asked) {
  const found = data.many(() => hiding(data));
  const ruled = found.map((rule) => rule.column);
  required(rising(ruled) && ruled.every((column) => asked.has(column)));
  required(new Set(found.map((rule) => "mask" in rule)).size < 2);
  return found;
}

function call(data) {
  const [round, analyst, asks] = [data.number(1), data.flag(), data.many(() => columns(data))];
  required(round >= 1 && asks.length >= 1 && asks.length <= 255);
  required(asks.every((ask) => ask.length > 0) && distinct(asks.map((ask) => ask.join())));
  const rules = hidden(data, new Set(asks.flat()));
  return { round, reader: analyst ? "analyst" : "curator", asks, hidden: rules };
}

function refused(data) {
  const pairs = data.many(() => [data.number(1), data.number(4)]);
  required(rising(pairs.map(([code]) => code)));
  required(pairs.every(([code, count]) => code < REASONS.length && count > 0));
  return Object.fromEntries(pairs.map(([code, count]) => [REASONS[code], count]));
}

// The order of cells: by the first text in which they differ.
function before(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i += 1) {
    const order = compared(utf8(one[i]), utf8(other[i]));
    if (order) return order < 0;
  }
  return one.length < other.length;
}

function counts(data) {
  const found = data.many(() => [data.many(() => data.text()), data.number(4)], 4);
  required(found.every(([, people]) => people >= 1));
  required(found.every(([cell], i) => i === 0 || before(found[i - 1][0], cell)));
  return found;
}

function mixed(data) {
  const found = { hop: data.number(1) };
  for (const name of ["people", "received", "forwarded"]) found[name] = data.number(4);
  return { ...found, refused: refused(data), digest: hex(data.take(32)) };
}

function tally(data) {
  const [totals, wrong] = [data.many(() => data.number(4)), refused(data)];
  const cells = data.flag() ? data.many(() => counts(data)) : null;
  const sums = cells?.map((one) => one.reduce((sum, [, people]) => sum + people, 0));
  required(cells === null || sums.join() === totals.join());
  return { totals, refused: wrong, counts: cells };
}

function certificate(data) {
  const found = { rule: data.text() };
  for (const name of ["k", "n", "people"]) found[name] = data.number(4);
  found.thresholds = data.many(() => data.double());
  const [pivot, slack] = [data.many(() => data.number(1)), data.many(() => data.double())];
  required(found.people <= found.n && pivot.length <= 1 && slack.length <= 1);
  [found.pivot, found.slack] = [pivot[0] ?? null, slack[0] ?? null];
  return { ...found, proof: hex(data.blob()) };
}

function decision(data) {
  const found = { kept: columns(data), ...certificate(data) };
  return { ...found, hidden: hidden(data, new Set(found.kept)) };
}

function committed(data) {
  const [kept, n, delta] = [columns(data), data.number(4), data.many(() => data.double())];
  required(delta.length <= 1);
  const rules = hidden(data, new Set(kept));
  const [digest, sealed] = [hex(data.take(32)), hex(data.blob())];
  return { kept, n, delta: delta[0] ?? null, hidden: rules, digest, sealed };
}

function registry(data) {
  const keys = data.items();
  required(of32(keys) && distinct(hexed(keys)));
  return { keys: hexed(keys) };
}

function alarm(data) {
  const [round, cause, evidence] = [data.number(1), data.text(), hex(data.blob())];
  required(CAUSES.includes(cause));
  return { round, cause, evidence };
}

export function witness(data) {
  const found = data.blob();
  required(found.length === 0 || found.length === WITNESS);
  return hex(found);
}

function submission(data) {
  const [envelope, signature] = [hex(data.blob()), hex(data.blob())];
  return { envelope, signature, witness: witness(data) };
}

function roster(data) {
  const [opening, board, curator, analyst] = [16, 32, 32, 32].map((size) => hex(data.take(size)));
  const many = data.number(2);
  const each = Array.from({ length: many % PEERS_OF }, () => hex(data.take(32)));
  const more = many >= PEERS_OF ? { randomness: hex(data.take(32)) } : {};
  required(distinct([board, curator, analyst, ...each, ...Object.values(more)]));
  return { opening, board, curator, analyst, shufflers: each, ...more };
}

const head = (data) => ({
  place: data.number(1),
  state: hex(data.take(32)),
  signature: hex(data.take(64)),
});

function step(data) {
  const found = data.number(1);
  required(found >= 1);
  return found;
}

function relay(data) {
  const at = step(data);
  const bags = data.many(() => [data.number(2), data.items()]);
  required(rising(bags.map(([to]) => to)) && bags.every(([to]) => to > 0));
  required(bags.every(([, layers]) => layers.length > 0 && ascending(layers)));
  return { step: at, bags: bags.map(([to, layers]) => [to, hexed(layers)]), refused: refused(data) };
}

function found(data) {
  const [at, plains] = [step(data), data.items()];
  required(ascending(plains));
  return { step: at, sealed: hexed(plains), refused: refused(data) };
}

function accusation(data) {
  const [at, against] = [step(data), data.number(2)];
  required(against >= 1);
  return { step: at, against, inside: hex(data.blob()), draw: hex(data.take(32)) };
}

function roll(data) {
  const people = data.many(() => data.number(4), 4);
  required(rising(people));
  return { people };
}

function elements(data, least, most) {
  const list = data.many(() => hex(data.take(32)));
  required(list.length >= least && list.length <= most);
  return list;
}

function grant(data) {
  const evaluated = elements(data, 1, 1024);
  const commitments = [...evaluated, ""].map(() => hex(data.take(32)));
  return { elements: evaluated, commitments, response: hex(data.take(32)) };
}

function accepted(data) {
  const people = data.many(() => [data.number(4), hex(data.take(32)), hex(data.take(64))], 4);
  required(rising(people.map(([place]) => place)));
  return { people };
}

function heard(data) {
  const hashes = data.items();
  required(of32(hashes) && ascending(hashes));
  return { hashes: hexed(hashes) };
}

function traced(data) {
  const [hop, hashes] = [data.number(1), data.items()];
  required(of32(hashes) && distinct(hexed(hashes)));
  return { hop, hashes: hexed(hashes) };
}

function opened(data) {
  const hop = data.number(1);
  const link = () => {
    const [place, layer, key] = [data.number(4), hex(data.blob()), hex(data.take(32))];
    return [place, layer, key, data.flag() ? hex(data.take(96)) : ""];
  };
  const links = data.many(link, 4);
  required(rising(links.map(([place]) => place)));
  return { hop, links };
}

function ballotKeys(data) {
  const keys = data.many(() => hex(data.take(96)));
  required(keys.length > 0);
  return { keys };
}

// Ballots that were handed to a keyholder: [place in the registry, records, signature].
function handed(data) {
  const [count, size] = [data.number(4), data.number(4)];
  required((count === 0) === (size === 0));
  const people = [];
  for (let i = 0; i < count; i += 1) {
    people.push([data.number(4), hex(data.take(size)), hex(data.take(64))]);
  }
  required(people.every(([place], i) => i === 0 || people[i - 1][0] < place));
  return { people };
}

function shuffled(data) {
  const found = { hop: data.number(1), lists: data.many(() => hex(data.blob())) };
  found.proofs = data.many(() => hex(data.blob()));
  required(found.lists.length > 0 && found.lists.length === found.proofs.length);
  return found;
}

function shared(data) {
  const shares = data.many(() => hex(data.blob()));
  required(shares.length > 0);
  return { shares };
}

function key(data) {
  const encoded = data.blob();
  readKey(encoded);
  return { key: hex(encoded) };
}

export const BODIES = {
  1: ["key", key],
  2: ["announcement", (data) => readAnnouncement(data.blob())],
  3: ["consent", (data) => ({ session: hex(data.take(32)) })],
  4: ["call", call],
  5: ["submission", submission],
  6: ["batch", (data) => ({ layers: hexed(data.items()) })],
  7: ["mixed", mixed],
  8: ["tally", tally],
  9: ["decision", decision],
  10: ["burned", (data) => ({ why: data.text() })],
  11: ["closed", () => ({})],
  12: ["registry", registry],
  14: ["alarm", alarm],
  15: ["relay", relay],
  16: ["found", found],
  17: ["agreed", (data) => ({ step: step(data), digest: hex(data.take(32)) })],
  18: ["accusation", accusation],
  19: ["roster", roster],
  20: ["head", head],
  21: ["share", (data) => ({ public: hex(data.take(32)), proof: hex(data.take(64)) })],
  22: ["shown", (data) => ({ step: step(data), secret: hex(data.take(32)) })],
  23: ["committed", committed],
  24: ["certificate", (data) => ({ blind: hex(data.take(32)), ...certificate(data) })],
  32: ["mint", (data) => ({ key: hex(data.take(32)) })],
  33: ["ask", (data) => ({ elements: elements(data, 1, 1024), signature: hex(data.take(64)) })],
  34: ["grant", grant],
  35: ["issued", (data) => ({ people: data.number(4) })],
  36: ["roll", roll],
  37: ["accepted", accepted],
  38: ["heard", heard],
  39: ["coin", (data) => ({ digest: hex(data.take(32)) })],
  40: ["traced", traced],
  41: ["toss", (data) => ({ value: hex(data.take(32)) })],
  42: ["opened", opened],
  43: ["granted", (data) => ({ person: data.number(4), grant: Object.values(grant(data)) })],
  48: ["query", (data) => ({ elements: elements(data, 1, 1024) })],
  49: ["evaluated", (data) => ({ elements: elements(data, 1, 1024), proof: hex(data.take(64)) })],
  50: ["keys", ballotKeys],
  51: ["handed", handed],
  52: ["checked", (data) => ({ digest: hex(data.take(32)) })],
  53: ["shuffled", shuffled],
  54: ["shared", shared],
};

// Whether a value may be said in a column, by its feature and the rule that a call has for it.
export function inDomain(feature, rule, value) {
  if (rule && "mask" in rule) return value === " other" || rule.mask.includes(value);
  const listed = feature.values?.includes(value) ?? isName(value, feature.width);
  if (rule && "redact" in rule) return value === " blank" || (listed && !rule.redact.includes(value));
  return listed;
}
