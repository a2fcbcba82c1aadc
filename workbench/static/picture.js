// The choices as a picture: information kept to the right, people below k upwards, a point for each.
//
// A point is a radio button of its own: arrow keys go from point to point, from the one that keeps least.
// Positions are all that is worked out here; figures and their texts are the program's.
import { el, shape } from "./dom.js";
import { t } from "./words.js";

const WIDE = { left: 72, right: 552, top: 26, bottom: 250, width: 566, height: 330 };
const NARROW = { left: 58, right: 318, top: 44, bottom: 250, width: 326, height: 330 };
const SPACING = 70; // between two marks of the share, at least
const LETTER = 8; // width of a sign, about: keeps the advised point's name inside

const MARKS = {
  coarser: () => shape("circle", { class: "mark", r: 7.5 }),
  dropped: () => shape("rect", { class: "mark", x: -7, y: -7, width: 14, height: 14 }),
  rows: () => shape("path", { class: "mark", d: "M0 -9l9 15h-18z" }),
};

// Both scales. Roots of people: few of them lie apart, and thousands have room.
function scales({ points, axes }, box) {
  const kept = points.map((point) => point.kept);
  const [least, most] = [Math.min(...kept), Math.max(...kept)];
  const marks = axes.xticks.map(([share]) => share);
  const low = Math.max(...marks.filter((share) => share <= least), least > marks[0] ? 0 : least);
  const high = Math.min(...marks.filter((share) => share >= most), 1);
  const wide = high - low || 1;
  const top = Math.sqrt(Math.max(1, ...points.map((point) => point.people)));
  return {
    ...box,
    low,
    high,
    x: (share) => box.left + 14 + ((share - low) / wide) * (box.right - box.left - 28),
    y: (people) => box.bottom - (Math.sqrt(people) / top) * (box.bottom - box.top),
  };
}

const text = (x, y, words, given = {}) => shape("text", { x, y, ...given }, words);

function peopleAxis({ yticks }, { y, left, right, top }) {
  const inside = yticks.filter(([people]) => y(people) > top - 16);
  const apart = inside.filter(([people], at) => at === 0 || y(inside[at - 1][0]) - y(people) > 15);
  return apart.map(([people, words]) => [
    people ? shape("path", { class: "rail", d: `M${left} ${y(people)}H${right}` }) : null,
    text(left - 8, y(people) + 4, words, { "text-anchor": "end" }),
  ]);
}

// Marks stand far enough from each other to be read; on a phone every second or third is left.
function shareAxis({ xticks }, { x, bottom, low, high }) {
  const marks = xticks.filter(([share]) => share >= low && share <= high);
  const every = Math.max(1, Math.ceil((SPACING * (marks.length - 1)) / (x(high) - x(low) || 1)));
  return marks.filter((_, at) => at % every === 0).map(([share, words]) => text(x(share), bottom + 54, words, { "text-anchor": "middle" }));
}

// Where the target is met: up to so many people. Its text has room where the picture is wide.
function floor({ limit }, { y, left, right, top, bottom }, wide) {
  const upper = Math.max(top - 14, y(limit.people) - 13);
  return [
    shape("rect", { class: "floor", x: left, y: upper, width: right - left, height: bottom + 13 - upper, rx: 6 }),
    wide ? text(left + 6, bottom + 32, limit.text.text, { class: "asked", lang: limit.text.lang }) : null,
  ];
}

// Where words at a point hide the fewest points: [hidden points, x, y]; null where they have no room.
function room(words, point, points, scale) {
  const half = (words.length * LETTER) / 2;
  const [x, y] = [scale.x(point.kept), scale.y(point.people)];
  const middle = Math.min(scale.right - half, Math.max(scale.left + half, x));
  const places = [[middle, y - 24], [middle, y + 34], [x + 26 + half, y + 5], [x - 26 - half, y + 5]];
  const inside = places.filter(([at, line]) => at - half >= scale.left - 1 && at + half <= scale.right + 1 && line > 12 && line < scale.bottom + 8);
  const near = (one, at, line) => Math.abs(scale.x(one.kept) - at) < half + 10 && Math.abs(scale.y(one.people) - line + 5) < 17;
  const judged = inside.map(([at, line]) => [points.filter((one) => near(one, at, line)).length, at, line]);
  return judged.sort(([one], [other]) => one - other)[0] ?? null;
}

// The name of a point, beside it; less of it where that would hide points.
function label(point, points, scale) {
  const { text: short } = point.short;
  const tried = point.advised ? [t("choices-advised", { name: short }), t("point-advised")] : [short];
  for (const words of tried) {
    const found = room(words, point, points, scale);
    if (found && !found[0]) return text(found[1], found[2], words, { class: "name", "text-anchor": "middle" });
  }
  return null;
}

// found: the choices of the state. A point over a limit can be looked at and not taken.
// choose(point) is called as a point is taken; wide: room for it.
export function picture(found, choose, wide) {
  const box = wide ? WIDE : NARROW;
  const scale = scales(found, box);
  const { axes } = found;
  const title = { class: "title", "text-anchor": "middle" };
  const chosen = found.points.find((point) => point.chosen) ?? found.points[0];
  const made = found.points.map((point) => drawn(point, point === chosen, scale, choose));
  const behind = shape(
    "g",
    { "aria-hidden": "true" },
    floor(axes, scale, wide),
    peopleAxis(axes, scale),
    shareAxis(axes, scale),
    text((box.left + box.right) / 2, box.height - 8, `${axes.x.text} →`, { ...title, lang: axes.x.lang }),
    wide ? text(14, 138, `${axes.y.text} →`, { ...title, transform: "rotate(-90 14 138)", lang: axes.y.lang }) : text(2, 14, `↑ ${axes.y.text}`, { class: "title", lang: axes.y.lang }),
  );
  const named = shape("g", { "aria-hidden": "true", class: "above" }, chosen ? label(chosen, found.points, scale) : null);
  const given = { id: "picture", class: "picture", viewBox: `0 0 ${box.width} ${box.height}`, role: "radiogroup", "aria-label": t("choices-picture") };
  return shape("svg", { ...given, onkeydown: (event) => walk(event, made) }, behind, made, named);
}

function drawn(point, reached, scale, choose) {
  const given = {
    id: `point-${point.id}`,
    class: `point ${point.kind}${point.over ? " over" : ""}`,
    role: "radio",
    "aria-checked": String(point.chosen),
    "aria-disabled": point.over ? "true" : null,
    "aria-label": [point.name.text, point.advised && t("point-advised"), point.over && t("point-over")].filter(Boolean).join(". "),
    lang: point.name.lang,
    tabindex: reached ? "0" : "-1",
    transform: `translate(${scale.x(point.kept)} ${scale.y(point.people)})`,
    onclick: () => choose(point),
    onkeydown: (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      choose(point);
    },
  };
  const ring = [shape("circle", { class: "ring", r: 15 }), shape("circle", { class: "focus", r: 19 })];
  return shape("g", given, shape("title", {}, point.name.text), shape("circle", { class: "touch", r: 14 }), MARKS[point.kind](), ring);
}

// Arrow keys move between points without taking one: a space or Enter takes it.
function walk(event, made) {
  const at = made.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: made.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const next = made[(to + made.length) % made.length];
  for (const one of made) one.setAttribute("tabindex", one === next ? "0" : "-1");
  next.focus();
}

const sign = (kind, inside) => shape("svg", { viewBox: "-10 -10 20 20", class: kind, "aria-hidden": "true" }, inside);

// The key below the picture.
export const key = () =>
  el(
    "ul",
    { class: "key soft" },
    Object.keys(MARKS).map((kind) => el("li", {}, sign(kind, MARKS[kind]()), t(`kind-${kind}`))),
    el("li", {}, sign("over", shape("path", { d: "M0 -8l8 13h-16z" })), t("kind-over")),
  );

// A bar: people of all with the value, as wide as the most among the bars.
export const bar = (people, most) =>
  shape("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, shape("rect", { x: 0, y: 0, width: most ? (100 * people) / most : 0, height: 10 }));
