// What a release of the program `threshold` says: rows, or beginnings of rows, that k people share.
// Anybody can work this out from the counts on the board (protocol/rounds/opened_prefixes.py).
import { t } from "./sentences.js";

const BLANK = " blank"; // what stands in a cell for what did not open

// What a released cell says: its values up to the first that did not open.
export const saidIn = (cell) => cell.slice(0, cell.includes(BLANK) ? cell.indexOf(BLANK) : cell.length);

// How many people share each beginning that a release says, by its JSON.
function crowds(counts) {
  const found = new Map();
  for (const [cell, people] of counts) {
    const said = saidIn(cell);
    for (let end = 1; end <= said.length; end += 1) {
      const key = JSON.stringify(said.slice(0, end));
      found.set(key, (found.get(key) ?? 0) + people);
    }
  }
  return found;
}

// People of whom a release says something that fewer than k share: none, if the reader is honest.
export function exposed(counts, k) {
  const shared = crowds(counts);
  const few = (said) => said.some((_, i) => shared.get(JSON.stringify(said.slice(0, i + 1))) < k);
  return counts.reduce((sum, [cell, people]) => sum + (few(saidIn(cell)) ? people : 0), 0);
}

// People in a crowd smaller than k that everybody knows by exclusion: they have none of the open answers
// (protocol/rounds/exclusion.py). domains: answers to each question; shape: as the session has it.
export function excluded(counts, k, domains, { prefixes, closes }) {
  const stops = new Map();
  for (const [cell, people] of counts)
    if (cell.includes(BLANK)) {
      const key = JSON.stringify(prefixes ? saidIn(cell) : []);
      stops.set(key, (stops.get(key) ?? 0) + people);
    }
  const shared = [...crowds(counts).keys()].map((key) => JSON.parse(key));
  const rows = domains.reduce((product, size) => product * size, 1);
  const known = ([key, blank]) => {
    const before = JSON.parse(key);
    const behind = shared.filter((said) => said.length === before.length + 1 && before.every((one, i) => one === said[i])).length;
    const open = prefixes ? behind : counts.filter(([cell]) => !cell.includes(BLANK)).length;
    const left = (prefixes ? domains[before.length] : rows) - open;
    if (blank > 0 && blank < k && (open || before.length)) return true;
    if (left === 1 && !open && !before.length) return false;
    return closes ? !open && left === 2 && blank === k : blank > (k - 1) * (left - 1);
  };
  return [...stops].filter(known).reduce((sum, [, blank]) => sum + blank, 0);
}

// What is open of whoever has a row: [its values that are said, people who share them].
// ends: where it may end, as in the shape of a session.
export function openOf(counts, row, ends) {
  const shared = crowds(counts);
  for (const end of [...ends].reverse()) {
    const people = shared.get(JSON.stringify(row.slice(0, end)));
    if (people) return [row.slice(0, end), people];
  }
  return [[], 0];
}

// What a release tells of people who are alike, as lines (analysis/exposure/equal_people.py): a value that
// everybody has, and how many have one value that follows from another. names: of the columns.
export function alike(names, counts) {
  const total = counts.reduce((sum, [, people]) => sum + people, 0);
  const valuesOf = names.map((_, j) => new Set(counts.map(([cell]) => cell[j])));
  const same = names.flatMap((_, j) => (valuesOf[j].size === 1 && !valuesOf[j].has(BLANK) ? [j] : []));
  if (same.length && same.length === names.length) return [t("alike-all", { n: total })];
  const lines = same.map((j) => t("alike-value", { n: total, value: [...valuesOf[j]][0], name: names[j] }));
  const varied = [...names.keys()].filter((j) => valuesOf[j].size > 1);
  const plain = varied.filter((j) => !valuesOf[j].has(BLANK));
  const follows = (cell, a, b) => cell[b] !== BLANK && counts.every(([other]) => other[a] !== cell[a] || other[b] === cell[b]);
  const told = counts.filter(([cell]) => plain.some((a) => varied.some((b) => a !== b && follows(cell, a, b))));
  const followers = told.reduce((sum, [, people]) => sum + people, 0);
  if (followers) lines.push(t("alike-follows", { followers, n: total }));
  return lines;
}
