// Results with noise on the wall: intervals as bars, and what the noise promises.
import { el, p } from "./draw.js";
import { atMost } from "./noise.js";
import { number, percent, t } from "./sentences.js";
import { interval } from "./wall_pieces.js";

const TOO_WIDE = 0.25; // half of an interval, as a share of people: its estimate says nothing

const row = ({ answer, share, low, high }) => {
  const wide = (high - low) / 2 >= TOO_WIDE;
  const limits = t("from-to", { low: percent(low, 0), high: percent(high, 0) });
  const words = wide ? t("verdict-little") : percent(share, 0);
  return el("li", {}, el("span", {}, answer), interval(low, high), el("b", {}, `${words} (${limits})`));
};

// A screen for each question, so that its intervals are seen from the last row; and one for the promise.
export function noises({ noise }) {
  const shown = Object.entries(noise.shares).map(([name, shares], i) => [
    `results-${i + 1}`,
    t("noise-title"),
    [el("h1", {}, t("noise-title")), el("h2", {}, name), el("ol", { class: "bars-wide" }, shares.map(row))],
  ]);
  const said = [t("noise-local", { epsilon: number(noise.local) })];
  if (noise.shuffled) said.push(t("noise-shuffled", { epsilon: number(atMost(noise.shuffled)), delta: number(noise.delta), n: noise.people }));
  const title = t("wall-noise-title");
  return [...shown, ["promise", title, [el("h1", {}, title), ...said.map((words) => p(words))]]];
}
