// What messages hold (docs/wire.md, "Frame"): the rows of rows.js, each read as strictly as the page says.
import { inOrder, isName, readAnnouncement, trimmed } from "./announcement.js";
import { compared, hex, required, utf8 } from "./sodium.js";
import { ROWS } from "./rows.js";
import { readKey } from "./seal.js";

const REASONS = ["malformed", "wrong-size", "does-not-open", "duplicate", "late", "unexpected"];
REASONS.push("outside-domain", "unregistered");
const MORE = 2 ** 15; // added to the number of a list where bytes follow it

const rising = (values) => values.every((one, i) => i === 0 || values[i - 1] < one);
const distinct = (found) => new Set(found).size === found.length;

// A list in its order: of numbers, of bytes in hexadecimal, of lists, or of records by their first field.
const ORDERS = {
  "": () => true,
  ascending: (list) => rising(list.map((one) => (Array.isArray(one) ? one[0] : one))),
  distinct: (list) => distinct(list.map(String)),
};

// What people do to the values of one column.
function hiding(data) {
  const [column, redacts, values] = [data.number(1), data.flag(), data.many(() => data.text())];
  required(values.length > 0 && inOrder(values) && column < 255 && values.every(trimmed));
  return redacts ? { column, redact: values, cover: data.number(4) } : { column, mask: values };
}

function checkRules(rules, asked) {
  const ruled = rules.map((rule) => rule.column);
  required(rising(ruled) && ruled.every((column) => asked.includes(column)));
  required(new Set(rules.map((rule) => "mask" in rule)).size < 2);
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

function key(data) {
  const encoded = data.blob();
  readKey(encoded);
  return hex(encoded);
}

const CODECS = {
  text: (data) => data.text(),
  f64: (data) => data.double(),
  rule: hiding,
  refusals: refused,
  counts,
  key,
};

// Whether the records of a list have bytes whose size the list says.
const hasAlike = ([type, fields]) => type === "nested" && fields.some(([, [inner]]) => inner === "alike");

// A value by its type; found: the fields before it.
const take = (data, [type, ...how], found) => TYPES[type](data, found, ...how);

const TYPES = {
  number(data, _found, size, least, most) {
    const value = data.number(size);
    required(value >= least && value <= most);
    return value;
  },
  fixed: (data, _found, size) => hex(data.take(size)),
  blob(data, _found, sizes) {
    const value = data.blob();
    required(!sizes.length || sizes.includes(value.length));
    return hex(value);
  },
  name(data, _found, names) {
    const value = data.text();
    required(names.includes(value));
    return value;
  },
  choice: (data, _found, unset, chosen) => (data.flag() ? chosen : unset),
  items(data, _found, width, least, order) {
    const list = data.items();
    required(list.length >= least && list.every((one) => !width || one.length === width));
    const found = list.map(hex);
    required(ORDERS[order](found));
    return found;
  },
  many(data, found, of, size, least, most, order) {
    const count = data.number(size);
    if (hasAlike(of)) {
      data.alike = data.number(4);
      required((count === 0) === (data.alike === 0));
    }
    const list = [];
    for (let i = 0; i < count; i += 1) list.push(take(data, of, found)); // ends where the bytes do
    const records = of[0] === "nested" ? list.map(Object.values) : list;
    required(count >= least && count <= most && ORDERS[order](records));
    return records;
  },
  alike: (data) => hex(data.take(data.alike)),
  matching: (data, found, of, field, more) =>
    [...found[field], ...Array(more)].map(() => take(data, of, found)),
  maybe(data, found, of, size, absent) {
    const many = data.number(size);
    required(many < 2);
    return many ? take(data, of, found) : absent;
  },
  nested: (data, _found, fields) => record(data, fields),
  codec: (data, _found, name) => CODECS[name](data),
};

// The fields of a record by name; of a record inside it the values, but for a certificate.
function record(data, fields) {
  const found = {};
  for (const [name, type] of fields) {
    const value = take(data, type, found);
    if (name === "certificate") Object.assign(found, value);
    else found[name] = type[0] === "nested" ? Object.values(value) : value;
  }
  return found;
}

function roster(data) {
  const [opening, board, curator, analyst] = [16, 32, 32, 32].map((size) => hex(data.take(size)));
  const many = data.number(2);
  const each = Array.from({ length: many % MORE }, () => hex(data.take(32)));
  const more = many >= MORE ? { randomness: hex(data.take(32)) } : {};
  required(distinct([board, curator, analyst, ...each, ...Object.values(more)]));
  return { opening, board, curator, analyst, shufflers: each, ...more };
}

// Bodies that are read otherwise, by kind.
const WHOLE = { announcement: (data) => readAnnouncement(data.blob()), roster };

// What the fields of a message have to do with each other, by kind.
const certified = ({ people, n }) => required(people <= n);
const CHECKS = {
  call: ({ hidden, asks }) => checkRules(hidden, asks.flat()),
  tally({ counts: cells, totals }) {
    const sums = cells?.map((one) => one.reduce((sum, [, people]) => sum + people, 0));
    required(cells === null || sums.join() === totals.join());
  },
  decision(found) {
    certified(found);
    checkRules(found.hidden, found.kept);
  },
  committed: ({ hidden, kept }) => checkRules(hidden, kept),
  certificate: certified,
  shuffled: ({ lists, proofs }) => required(lists.length === proofs.length),
};

// The name of a kind, and the content of a message of that kind.
export function readBody(kind, data) {
  required(kind in ROWS);
  const [name, fields] = ROWS[kind];
  const body = WHOLE[name]?.(data) ?? record(data, fields);
  CHECKS[name]?.(body);
  return [name, body];
}

// A head of the board as a message cites it: bytes in hexadecimal, or none.
export const witness = (data) => TYPES.blob(data, {}, [0, 1 + 32 + 64]);

// Whether a value may be said in a column, by its feature and the rule that a call has for it.
export function inDomain(feature, rule, value) {
  if (rule && "mask" in rule) return value === " other" || rule.mask.includes(value);
  const listed = feature.values?.includes(value) ?? isName(value, feature.width);
  if (rule && "redact" in rule) return value === " blank" || (listed && !rule.redact.includes(value));
  return listed;
}
