// The screens of the wall, from the state alone (poll/wall_page.py): [name, title, pieces].
import { el, p } from "./draw.js";
import { cheated, results } from "./wall_results.js";
import { partyName } from "./parties.js";
import { t } from "./sentences.js";
import { dots, drawn } from "./wall_pieces.js";

const MOST = 10; // envelopes that are drawn
const PLACES = 4; // shufflers that are drawn side by side

const heading = (words) => el("h1", {}, words);
const card = (title, words) => el("div", { class: "card" }, el("b", {}, title), p(words));
const number = (words) => el("span", { class: "big" }, words);

// What leaves the phone, in one sentence.
function leaves(now) {
  if (now.verified) return t("wall-leaves-locked");
  if (now.opens !== null) return t("wall-leaves-opens");
  if (now.noisy) return t("wall-leaves-noisy");
  return now.slips ? t("wall-leaves-slip") : t("wall-leaves-name");
}

// Whether people are enough, and shufflers; and what to do where no phone has come.
function enough(now) {
  const mixing = now.others === null ? 0 : now.shufflers - now.others.length;
  const few = now.needed - now.people;
  return [
    few > 0 ? t("wall-few", { n: few, needed: now.needed }) : t("wall-enough", { needed: now.needed }),
    now.simulated ? t("wall-simulated", { n: now.simulated }) : "",
    mixing > 0 ? t("wall-waits", { n: mixing }) : "",
    now.people > now.simulated ? "" : t("wall-none-yet"),
  ].filter(Boolean);
}

function more({ used, together, expected, attempt }) {
  const lines = [
    attempt > 1 ? t("wall-attempt", { n: attempt }) : "",
    used ? t("wall-used", { used: used[0], n: used[1] }) : "",
    !used && together > 1 ? t("wall-together", { n: together }) : "",
    expected ? `${expected.sentence}.` : "",
  ].filter(Boolean);
  return lines.length ? [p(lines.join(" "), "soft")] : [];
}

function join(now) {
  if (now.started) return [["begins", t("wall-begins"), [heading(t("wall-begins")), p(t("wall-keys"))]]];
  const cut = now.address.lastIndexOf("/");
  const picture = document.getElementById("qr").content.firstElementChild?.cloneNode(true);
  picture?.setAttribute("role", "img");
  picture?.setAttribute("aria-label", t("wall-qr", { address: now.address }));
  const pieces = [
    el(
      "div",
      { class: picture ? "join" : "join-plain" },
      picture ? el("div", { class: "qr" }, picture) : "",
      el(
        "div",
        {},
        heading(t("wall-join")),
        p(picture ? t("wall-same-network") : t("wall-type"), "soft"),
        el("p", { class: "host" }, now.address.slice(0, cut)),
        el("p", { class: "code" }, now.address.slice(cut + 1)),
        el("div", { class: "row" }, number(now.people), el("div", {}, el("h2", {}, t("wall-people", { n: now.people })), dots(now.people), p(enough(now).join(" "), "soft"))),
      ),
    ),
    el("div", { class: "cards" }, card(t("wall-leaves"), leaves(now)), card(t("wall-please"), now.once ? t("wall-keep-on-once") : t("wall-keep-on"))),
    ...more(now),
  ];
  return [["join", t("wall-join"), pieces]];
}

const listed = (words) => el("ol", { class: "words" }, words.map((word, i) => el("li", { lang: "en" }, el("i", {}, i + 1), word)));
const inRow = (now) => el("p", {}, `${t("wall-words-small")} `, el("b", { lang: "en" }, now.words.join(" ")));

// How many have answered, and the time that is left.
function counted(now) {
  const words = t("wall-of", { answered: now.answered, n: now.due });
  return el(
    "div",
    { class: "top" },
    el("div", {}, p(t("wall-round", { n: now.round }), "soft"), el("div", { class: "row" }, number(words), el("h1", { class: "less" }, t("wall-in", { n: now.answered })))),
    el("div", { class: "clock", role: "timer" }, el("span", { class: "left" }), p(t("wall-left"), "soft")),
  );
}

function words(now) {
  return [["words", t("wall-words"), [heading(t("wall-words")), listed(now.words), p(t("wall-words-do")), counted(now)]]];
}

function answering(now) {
  const missing = now.due - now.answered;
  const second = now.round > 1;
  const pieces = [
    counted(now),
    p(missing ? t("wall-missing", { n: missing }) : t("wall-none-missing")),
    p(second ? t("wall-then-again") : t("wall-then-out"), "soft"),
    way(now, true),
    second ? null : inRow(now),
  ];
  return [["answering", t("wall-round", { n: now.round }), pieces.filter((one) => one !== null)]];
}

function mixing(now) {
  const { passed, hops } = now.way;
  const title = passed === hops ? t("wall-counting") : now.verified ? t("wall-mixing-locked") : t("wall-mixing");
  return [["mixing", title, [p(t("wall-round", { n: now.round }), "soft"), heading(title), way(now, false), ...(now.verified ? [p(t("wall-sealed"))] : [])]]];
}

const reads = ({ reader }, now) => {
  if (now.verified) return t("wall-does-reader-locked");
  if (now.opens !== null) return t("wall-does-opens", { k: now.opens });
  if (now.noisy) return t("wall-does-noisy");
  return reader === "curator" ? t("wall-does-curator") : t("wall-does-analyst");
};
const mixes = (hop, now) =>
  now.verified ? t("wall-does-hop-locked") : hop === 1 ? t("wall-does-first") : t("wall-does-later");

const envelope = (kind) =>
  drawn("svg", { viewBox: "0 0 20 14", class: kind, "aria-hidden": "true" }, drawn("rect", { x: 1, y: 1, width: 18, height: 12, rx: 2 }), drawn("path", { d: "M1 2l9 6 9-6", fill: "none" }));

// What lies at a place: envelopes from phones, or sealed answers.
function pile(now) {
  const { passed, answers } = now.way;
  const many = passed ? answers : now.answered;
  const words = passed || now.verified ? t("wall-answers", { n: many }) : t("wall-envelopes", { n: many });
  const kind = passed ? "inner" : "outer";
  return [el("b", {}, words), el("div", { class: "pile" }, Array.from({ length: Math.min(many, MOST) }, () => envelope(kind)))];
}

// The places on the way: [number, name, what it does]. Of many shufflers the first, the present and the last.
function places(now) {
  const { hops, passed, reader } = now.way;
  const every = Array.from({ length: hops }, (_, i) => [i, t("party-shuffler", { number: i + 1 }), mixes(i + 1, now)]);
  const some = hops < PLACES ? every : every.filter(([i]) => [0, passed, hops - 1].includes(i));
  const phones = [-1, t("wall-phones"), now.verified ? t("wall-does-phones-locked") : t("wall-does-phones")];
  return [phones, ...some, [hops, partyName(reader), reads(now.way, now)]];
}

function way(now, open) {
  const { passed } = now.way;
  const marked = (i) => (i === passed ? el("span", { class: "mark" }, t("wall-now")) : i < passed && !(open && i < 0) ? el("span", { class: "mark-past" }, `\u2713 ${t("wall-past")}`) : "");
  return el(
    "ol",
    { class: "way" },
    places(now).map(([i, name, does]) => el("li", { class: i === passed ? "place-now" : "place" }, marked(i), el("h2", {}, name), i === passed ? pile(now) : "", p(does))),
  );
}

// Why nothing was published, where nothing was: [title, sentence, more pieces].
function nothing(now) {
  if (now.stopped) return [t("wall-stopped-title"), now.ended];
  if (!now.started) return [t("wall-too-few"), now.ended];
  if (now.ended === "over") return [t("wall-nothing"), t("published-unsafe")];
  if (now.answered < now.needed) return [t("wall-nothing"), t("wall-few-answered", { n: now.answered, needed: now.needed })];
  const silent = now.due - now.answered;
  if (now.round > 1 && silent) return [t("wall-nothing"), t("wall-silent", { n: silent })];
  return [t("wall-nothing"), t("wall-ended-why"), el("p", { class: "soft", lang: "en" }, now.ended)];
}

function over(now, rows) {
  const found = results(now, rows);
  const [title, why, ...rest] = nothing(now);
  const screens = found.length ? found : [["ended", title, [heading(title), p(why), ...rest, ...(now.again ? [p(t("again-maybe"), "soft")] : [])]]];
  return now.happened ? cheated(now, screens) : screens;
}

const SCREENS = { join, words, answering, mixing, over };

// rows: how many bars stand on a screen.
export const screensOf = (now, rows) => SCREENS[now.screen](now, rows);

// Let the clock run. since: seconds since the state came.
export function tick(now, since) {
  const place = document.querySelector(".left");
  const left = Math.max(0, Math.ceil(now.left - since));
  if (place) place.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

// Who could read everything: always on the wall.
export function footing(now) {
  if (now.others === null) {
    const kept = now.kept ? t("wall-foot-kept") : "";
    return [t("wall-foot-here"), kept, now.verified ? t("wall-foot-linked") : ""].filter(Boolean).join(" ");
  }
  if (!now.others.some(({ here }) => !here)) return now.others.length ? t("wall-foot-here") : t("wall-foot-nobody");
  const who = now.others.map(({ party, who: name, host }) => t("mixes-one", { party: partyName(party), who: name, host }));
  return t("wall-foot-apart", { who: who.join("; ") });
}
