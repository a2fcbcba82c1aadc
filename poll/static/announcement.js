// What the fields of an announcement (rows.js) have to do with each other, and what its texts are.
import { compared, required, sha256, utf8 } from "./sodium.js";

const ONCE = "two-round-once"; // people submit in round 1 alone
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

// What a row does not say of the rules that make values coarser.
const CHECK_RULE = {
  merge: (groups) => required(distinct(groups.flatMap(([, values]) => values))),
  bins: (whole, edges) => required(!whole || edges.every(Number.isInteger)),
};

function checkFeature({ width, values, rules = [] }) {
  required((values ?? []).every((value) => utf8(value).length <= width));
  rules.forEach(([kind, ...said]) => CHECK_RULE[kind]?.(...said));
}

function checkGuards(found) {
  const watched = found.challenge || found.audit;
  const careful = found.salted && found.padded && found.ordered && !found.flaws.length;
  required(found.lesson || !found.flaws.length);
  required(found.salted || !found.tokens);
  required(!(found.tokens && found.flaws.length));
  required(careful || !watched);
  required(!found.verified || (careful && !watched && !found.tokens));
  required(!found.verified || found.program !== "threshold");
  required(found.program !== ONCE || (found.verified && found.setting === "fixed"));
  const sealed = found.padded && found.salted && !found.flaws.length;
  required(found.program !== "threshold" || (sealed && !watched && !found.tokens));
  const plain = careful && !found.audit && !found.verified;
  required(!found.rows || (plain && found.program === "two-round" && found.setting === "fixed"));
}

function checkKeys(found) {
  const keys = [...found.shufflers, found.curator, found.analyst];
  required(distinct(keys) && new Set(keys.map((one) => one.slice(0, 2))).size === 1);
  const watched = found.challenge || found.audit;
  required(found.registry || !(watched || found.tokens || found.verified));
  required(found.curator.startsWith("01") || !watched);
  required(found.shufflers.length > 1 || !found.audit);
}

export function checkAnnouncement(found) {
  found.features.forEach(checkFeature);
  const { setting, delta } = found;
  required(setting === "fixed" ? delta === 0 : delta > 0 && delta < 1);
  checkGuards(found);
  checkKeys(found);
}

// The digest by which every later message names the session.
export const sessionOf = (encoded) => sha256("veilmix announcement 1\0", encoded);
