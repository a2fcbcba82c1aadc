// How precise shares will be, in words and in a picture, before anything is asked.
import { el, p } from "./draw.js";
import { percent } from "./sentences.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 18;
const RIGHT = 302;
const LINE = 52;

function drawn(name, given, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

const at = (share) => LEFT + share * (RIGHT - LEFT);
const whole = (share) => percent(share, 0);
const line = (x, from, y, to, kind) => drawn("line", { x1: x, x2: from, y1: y, y2: to, class: kind });
const text = (x, y, words, where = "middle") => drawn("text", { x, y, "text-anchor": where }, words);

// An end of the limits says its number above its mark, so that no two numbers meet.
function drawing({ low, high, picture }) {
  const ticks = [0, 0.5, 1].flatMap((share) => [line(at(share), at(share), LINE, LINE + 8, "scale"), text(at(share), LINE + 26, whole(share), share === 0 ? "start" : share === 1 ? "end" : "middle")]);
  return drawn(
    "svg",
    { viewBox: "0 0 320 84", class: "expected", role: "img", "aria-label": picture },
    line(at(0), at(1), LINE, LINE, "scale"),
    ...ticks,
    line(at(low), at(high), LINE, LINE, "limits"),
    line(at(low), at(low), LINE - 12, LINE + 12, "end"),
    line(at(high), at(high), LINE - 12, LINE + 12, "end"),
    drawn("circle", { cx: at(0.5), cy: LINE, r: 7, class: "half" }),
    text(Math.max(at(low), LEFT + 8), LINE - 22, whole(low), low < 0.1 ? "start" : "end"),
    text(Math.min(at(high), RIGHT - 8), LINE - 22, whole(high), high > 0.9 ? "end" : "start"),
  );
}

export function expects({ expected }) {
  if (!expected) return [];
  return [
    el("h2", {}, expected.title),
    p(`${expected.sentence}.`),
    drawing(expected),
    p(expected.explains, "small"),
    p(`${expected.least[0].toUpperCase()}${expected.least.slice(1)}.`, "small"),
  ];
}
