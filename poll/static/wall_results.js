// The screens of the end: results, promise, eyes; where somebody has cheated that stands first, in red.
import { el, p } from "./draw.js";
import { noises } from "./wall_noise.js";
import { alike, excluded, exposed, saidIn } from "./opened.js";
import { people as peopleOf } from "./parties.js";
import { percent, t } from "./sentences.js";
import { bar, dots, eye } from "./wall_pieces.js";

const heading = (words, kind = null) => el("h1", { class: kind }, words);

const called = (cell) => (saidIn(cell).length < cell.length ? [...saidIn(cell), t("closed")] : cell).join(", ");

const listOf = (rows, most, k) =>
  el(
    "ol",
    { class: "bars" },
    rows.map(([cell, many]) => el("li", {}, el("span", {}, called(cell)), bar(many, most, many < k), el("b", {}, many))),
  );

function held({ held: names, chosen, most, people: n, k, certain }) {
  if (!names.length) return [];
  const why = chosen ? t("wall-held-why", { most, n, k, certain }) : t("wall-held-chosen");
  return [el("div", { class: "held" }, names.map((name) => el("h2", {}, `${t("wall-held")}: ${name}`)), p(why))];
}

const parts = (rows, size) => Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));

const said = (n, simulated) => (simulated ? t("wall-said-simulated", { n, simulated }) : t("wall-said", { n }));

function table({ release, simulated, happened }, size) {
  const { counts, names, people: n, k } = release;
  const most = Math.max(...counts.map(([, many]) => many));
  const pages = parts(counts, size);
  const title = happened ? t("wall-cheat-says") : said(n, simulated);
  return pages.map((rows, i) => [
    `results-${i + 1}`,
    title,
    [heading(title), p(t("wall-bars", { names: names.join(" · ") }), "soft"), listOf(rows, most, release.shape ? 0 : k), ...(i ? [] : held(release))],
  ]);
}

// The questions each by itself, where phones were missing in the second round.
function alone({ singles, simulated }, rows) {
  const title = t("singles-title", { n: singles.people });
  const sections = Object.entries(singles.counts).map(([name, cells]) =>
    el("section", {}, el("h2", {}, name), listOf(cells.map(([answer, many]) => [[answer], many]), singles.people, 0)),
  );
  const made = simulated ? [p(t("wall-simulated", { n: simulated }), "soft")] : [];
  return parts(sections, Math.max(1, Math.floor(rows / 3))).map((some, i) => [`results-${i + 1}`, title, [heading(title), el("div", { class: "tables" }, some), p(t("singles-why", { n: singles.missing })), ...made]]);
}

// People in a crowd smaller than was promised, and whether these are too many.
const smallOf = ({ counts, k }) => counts.reduce((sum, [, many]) => sum + (many < k ? many : 0), 0);
const isBroken = (release) => smallOf(release) > release.share * release.people;

// What became of the promise: [title, good or bad, sentence].
function kept(release) {
  const { counts, k, people: n, most, share, shape, domains } = release;
  if (shape) {
    const few = exposed(counts, k);
    const known = excluded(counts, k, domains, shape);
    const promise = t("wall-open-promise", { k });
    if (few) return [t("wall-open-broken", { n: few, k }), "bad", promise];
    if (known) return [t("wall-open-excluded", { n: known }), "bad", t("wall-open-excluded-why", { k })];
    return [t("wall-open-kept", { k }), "good", promise];
  }
  const small = smallOf(release);
  const broken = isBroken(release);
  const title = broken ? t("wall-broken-title", { small, n }) : t("wall-kept-title", { small, n });
  return [title, broken ? "bad" : "good", t("wall-promise", { share: percent(share), most, n, k, small, found: percent(small / n) })];
}

function promise({ release, verified, happened }) {
  const [title, kind, words] = kept(release);
  const shown = happened ? "bad" : kind;
  const lines = [...alike(release.names, release.counts), t("wall-not-found"), t("wall-not-learnt")];
  const not = el("div", { class: "card" }, el("h2", {}, t("wall-not-title")), el("ul", { class: "list" }, lines.map((line) => el("li", {}, line))));
  const name = happened ? t("wall-cheat-table") : title;
  return [["promise", name, [heading(name, shown), p(words), not, ...(verified ? [p(t("wall-sealed"), "soft")] : [])]]];
}

// Of how many people a pair of eyes knows the answers, where it was reckoned.
const known = (found, i) =>
  found ? el("div", { class: "row" }, el("span", { class: found.linked[i] ? "big-bad" : "big-good" }, found.linked[i]), el("b", {}, t("wall-eyes-known", { n: found.people }))) : "";

// Whose eyes could know what, while they only watch: by what each receives, or as it was reckoned.
function eyes(now) {
  const apart = now.others !== null && now.others.some(({ here }) => !here);
  const linked = now.once ? t("wall-eyes-hops-once") : t("wall-eyes-hops-linked");
  const hops = now.verified ? linked : t("wall-eyes-hops-what");
  const reader = now.opens !== null ? t("wall-eyes-reader-opens", { k: now.opens }) : now.noisy ? t("wall-eyes-reader-noisy") : t("wall-eyes-reader-what");
  const all = [apart ? t("wall-eyes-all-apart") : t("wall-eyes-all-here"), now.noisy ? t("wall-eyes-noisy") : ""].filter(Boolean).join(" ");
  const who = now.opens !== null || now.noisy ? t("wall-eyes-reader") : t("wall-eyes-readers");
  const boxes = [
    [t("wall-eyes-hops", { n: now.shufflers }), true, false, hops],
    [who, false, true, reader],
    [t("wall-eyes-all"), true, true, all],
  ].map(([name, left, right, words], i) =>
    el("div", { class: left && right ? "card-eye-all" : "card-eye" }, el("h2", {}, name), eye(left, right), known(now.eyes, i), p(words)),
  );
  const basis = now.eyes ? t("wall-eyes-measured") : t("wall-eyes-watch");
  const title = t("wall-eyes");
  return ["eyes", title, [heading(title), el("div", { class: "cards" }, boxes), p(`${basis} ${t("wall-eyes-cheat")}`, "soft")]];
}

export function results(now, rows) {
  if (now.noise) return [...noises(now), eyes(now)];
  if (now.singles) return [...alone(now, rows), eyes(now)];
  if (now.release) return [...table(now, rows), ...promise(now), eyes(now)];
  return [];
}

// Of each attack: what its two numbers count, and how one can tell.
const ATTACKS = {
  size: () => [t("wall-cheat-size"), t("wall-cheat-tell-size")],
  surround: () => [t("wall-cheat-surround"), t("wall-cheat-tell-surround")],
  drop: () => [t("wall-cheat-drop"), t("wall-cheat-tell-drop")],
  "lie-marginals": ({ release }) => [
    t("wall-cheat-lie-marginals"),
    release && isBroken(release) ? t("wall-cheat-tell-lie-marginals") : t("wall-cheat-tell-lie-none"),
  ],
};

const whole = (value) => Math.round(value * 100) / 100;

// What the cheating has got, as it was measured.
function got({ attack, kept: record }, counts) {
  if (attack) {
    const value = t("wall-cheat-got", { value: whole(attack[0]), n: whole(attack[1]) });
    return el("div", { class: "row" }, el("span", { class: "big-bad" }, value), el("h2", {}, counts));
  }
  return p(record ? t("wall-cheat-waits") : t("wall-cheat-unmeasured"));
}

// The cheating first, in red, and a red line above every screen that follows. Whose eyes could know what
// while they only watch is not said: they have not only watched.
export function cheated(now, screens) {
  const title = t("wall-cheat-title");
  const { attack, told } = now.happened;
  const [counts, tell] = ATTACKS[attack](now);
  const card = (name, words) => el("div", { class: "card" }, el("h2", {}, name), p(words));
  const first = [
    el("div", { class: "red" }, heading(title, "bad"), got(now, counts), p(told)),
    el("div", { class: "two" }, card(t("wall-cheat-tell"), tell), card(t("wall-cheat-table"), t("wall-cheat-worthless"))),
  ];
  const warned = () => el("div", { class: "red-short" }, p(t("wall-cheat-short")));
  const rest = screens.filter(([name]) => name !== "eyes").map(([name, words, pieces]) => [name, words, [warned(), ...pieces]]);
  return [["cheated", title, first], ...rest];
}
