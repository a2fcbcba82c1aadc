// How precise shares will be, in words and in a picture, before anything is asked.
import { el, p } from "./draw.js";

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
const whole = (share) => `${Math.round(100 * share)} %`;
const line = (x, from, y, to, kind) => drawn("line", { x1: x, x2: from, y1: y, y2: to, class: kind });
const text = (x, y, words, where = "middle") => drawn("text", { x, y, "text-anchor": where }, words);

// An end of the limits says its number above its mark, so that no two numbers meet.
function picture({ low, high }) {
  const about = `Of an answer that half of the people give, the estimate has limits from ${whole(low)} to ${whole(high)}.`;
  const ticks = [0, 0.5, 1].flatMap((share) => [line(at(share), at(share), LINE, LINE + 8, "scale"), text(at(share), LINE + 26, whole(share), share === 0 ? "start" : share === 1 ? "end" : "middle")]);
  return drawn(
    "svg",
    { viewBox: "0 0 320 84", class: "expected", role: "img", "aria-label": about },
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
    el("h2", {}, "What so many people can say"),
    p(`${expected.sentence}.`),
    picture(expected),
    p("If half of the people give an answer (circle), its estimate will have limits about as wide as the bar, 95 of 100 times around the truth.", "small"),
    p(`${expected.least[0].toUpperCase()}${expected.least.slice(1)}.`, "small"),
  ];
}
