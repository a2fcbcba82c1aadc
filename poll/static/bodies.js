// What messages hold (docs/wire.md, "Frame"): the rows of rows.js, each read as strictly as the page says.
import { checkAnnouncement, inOrder, isName, trimmed } from "./announcement.js";
import { Reader } from "./bytes.js";
import { compared, hex, required, utf8 } from "./sodium.js";
import { ROWS } from "./rows.js";
import { readKey } from "./seal.js";

const REASONS = ["malformed", "wrong-size", "does-not-open", "duplicate", "late", "unexpected"];
REASONS.push("outside-domain", "unregistered");

const rising = (values) => values.every((one, i) => i === 0 || values[i - 1] < one);
const distinct = (found) => new Set(found).size === found.length;

// A list in its order: of numbers, of bytes in hexadecimal, of lists, or of the first fields of records.
const ORDERS = {
  "": () => true,
  ascending: rising,
  distinct: (list) => distinct(list.map(String)),
  listed: (list, [, names]) => list.join() === names.filter((name) => list.includes(name)).join(),
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
  rule: hiding,
  refusals: refused,
  counts,
  key,
};

// Whether the records of a list have bytes whose size the list says.
const hasAlike = ([type, fields]) => type === "nested" && fields.some(([, [inner]]) => inner === "alike");

// Whether the entries of a list are given by the names of their fields, as one may be left out.
const isNamed = ([, fields]) => fields.some(([, [type, of]]) => type === "bit" && of);

// A value by its type; found: the fields before it.
const take = (data, [type, ...how], found) => TYPES[type](data, found, ...how);

const TYPES = {
  number(data, _found, size, least, most) {
    const value = data.number(size);
    required(value >= least && value <= most);
    return value;
  },
  double(data, _found, least = -Infinity, most = Infinity) {
    const value = data.double();
    required(value >= least && value <= most);
    return value;
  },
  line(data, _found, most) {
    const value = data.text();
    required(isName(value, most));
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
  many(data, found, of, size, least, most, order, announces = false) {
    let count = data.number(size);
    if (announces) {
      const flag = 2 ** (8 * size - 1);
      data.more = count >= flag; // bytes follow the list
      count %= flag;
    }
    if (hasAlike(of)) {
      data.alike = data.number(4);
      required((count === 0) === (data.alike === 0));
    }
    const list = [];
    for (let i = 0; i < count; i += 1) list.push(take(data, of, found)); // ends where the bytes do
    const records = of[0] === "nested";
    const keys = records ? list.map((one) => Object.values(one)[0]) : list;
    required(count >= least && count <= most && ORDERS[order](keys, of));
    return records && !isNamed(of) ? list.map(Object.values) : list;
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
  one(data, _found, records) {
    const place = data.number(1);
    required(place >= 1 && place <= records.length);
    const [name, fields] = records[place - 1];
    return [name, ...Object.values(record(data, fields))];
  },
  codec: (data, _found, name) => CODECS[name](data),
};

// The byte of neighbours of the type `bit`, the first of which is field `at`: a flag for each, the lowest first.
function bits(data, fields, at) {
  const end = fields.findIndex(([, [type]], i) => i > at && type !== "bit");
  const many = (end < 0 ? fields.length : end) - at;
  const byte = data.number(1);
  required(byte < 2 ** many);
  return Array.from({ length: many }, (_, bit) => Boolean((byte >> bit) & 1));
}

// The fields of a record by name; of a record inside it the values, unless they are spread.
function record(data, fields) {
  const found = {};
  let flags = [];
  const takers = {
    bit(name, at, of, leftOut) {
      if (!flags.length) flags = bits(data, fields, at);
      const there = flags.shift();
      if (!of) found[name] = there;
      else if (there) found[name] = take(data, of, found);
      else if (!leftOut) found[name] = null;
    },
    trailing(name, _at, size) {
      if (data.more) found[name] = hex(data.take(size));
    },
    spread: (_name, _at, inside) => Object.assign(found, record(data, inside)),
    nested(name, _at, inside) {
      found[name] = Object.values(record(data, inside));
    },
  };
  fields.forEach(([name, type], at) => {
    const [kind, ...how] = type;
    if (kind in takers) takers[kind](name, at, ...how);
    else found[name] = take(data, type, found);
  });
  return found;
}

// What the fields of a message have to do with each other, by kind.
const certified = ({ people, n }) => required(people <= n);
const CHECKS = {
  announcement: checkAnnouncement,
  roster({ shufflers, board, curator, analyst, randomness = [] }) {
    required(distinct([board, curator, analyst].concat(shufflers, randomness)));
  },
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
  const [name, fields, measured] = ROWS[kind];
  const body = measured ? whole(data.blob(), fields) : record(data, fields);
  CHECKS[name]?.(body);
  return [name, body];
}

// A record that takes all of its bytes.
function whole(encoded, fields) {
  const data = new Reader(encoded);
  const found = record(data, fields);
  data.end();
  return found;
}

// An announcement without the length before it.
export function readAnnouncement(encoded) {
  const found = whole(encoded, ROWS[2][1]);
  checkAnnouncement(found);
  return found;
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
