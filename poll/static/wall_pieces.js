// Drawings for the wall: dots for people, bars for counts and intervals, eyes.
import { el } from "./draw.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST = 60; // dots

export function drawn(name, given, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

// A dot for each person; none for a crowd too large to be looked at.
export const dots = (n) =>
  el("div", { class: "dots", "aria-hidden": "true" }, n > MOST ? "" : Array.from({ length: n }, () => el("i", { class: "dot" })));

// A bar from 0 to its share of the widest. few: whether it is below the promised crowd.
export function bar(many, most, few) {
  const width = most ? (100 * many) / most : 0;
  return drawn(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "scale", x: 0, y: 0, width: 100, height: 10 }),
    drawn("rect", { class: few ? "few" : "many", x: 0, y: 0, width, height: 10 }),
  );
}

// An interval of shares, 0 to 1.
export const interval = (low, high) =>
  drawn(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "scale", x: 0, y: 4, width: 100, height: 2 }),
    drawn("rect", { class: "many", x: 100 * low, y: 1, width: Math.max(1, 100 * (high - low)), height: 8 }),
  );

// Who sees people (left), answers (right), and which belong together.
export function eye(people, answers) {
  const rows = [0, 1, 2, 3];
  const left = rows.map((i) => drawn("circle", { cx: 16, cy: 12 + i * 17, r: 6.5, class: people ? "seen" : "" }));
  const right = rows.map((i) => drawn("rect", { x: 102, y: 5.5 + i * 17, width: 20, height: 13, rx: 2, class: answers ? "seen" : "" }));
  const links = [2, 0, 3, 1].map((to, i) => drawn("line", { x1: 23, y1: 12 + i * 17, x2: 101, y2: 12 + to * 17, class: "link" }));
  const between = people && answers ? links : [drawn("text", { x: 62, y: 46, "text-anchor": "middle" }, "?")];
  return drawn("svg", { viewBox: "0 0 130 74", "aria-hidden": "true" }, ...left, ...right, ...between);
}
