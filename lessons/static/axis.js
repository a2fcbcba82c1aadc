// The axis of a guess, in SVG: one unit is one pixel at any width, so that texts keep their size.
const EDGE = 34;
const SQUARE = 8;
const PILES = 0.22; // of a wall's height, at most, for the tallest pile of guesses

// Where values stand on an axis of a width, and which value a place has, rounded as a guess is.
function scaleOf({ low, high, scale, digits }, width) {
  const log = scale === "logarithmic";
  const along = log ? Math.log : (value) => value;
  const back = log ? Math.exp : (value) => value;
  const span = along(high) - along(low);
  return {
    place: (value) => EDGE + ((along(value) - along(low)) / span) * (width - 2 * EDGE),
    value: (x) => {
      const share = Math.min(1, Math.max(0, (x - EDGE) / (width - 2 * EDGE)));
      return rounded(back(along(low) + share * span), log, digits, low, high);
    },
  };
}

function rounded(value, log, digits, low, high) {
  const near = Number(log ? value.toPrecision(digits) : value.toFixed(digits));
  return Math.min(high, Math.max(low, near));
}

const label = (x, y, text, size, width, given = {}) => {
  const half = (text.length * size * 0.58) / 2;
  const inside = Math.min(Math.max(x, half + 1), Math.max(half + 1, width - half - 1));
  return shape("text", { x: inside, y, "font-size": size, "text-anchor": "middle", ...given }, text);
};
const axisText = (value) => (data.guess.share ? percent(value) : figure(value));
const blank = (width, height) => shape("svg", { viewBox: `0 0 ${width} ${height}` });
const rail = (svg, width, y) => svg.append(shape("line", { x1: EDGE, x2: width - EDGE, y1: y, y2: y, class: "rail" }));

// Draws now, and again when the width of the root changes.
function fitted(root, draw) {
  let width = 0;
  const again = () => {
    if (root.clientWidth && root.clientWidth !== width) draw((width = root.clientWidth));
  };
  new ResizeObserver(again).observe(root);
  again();
}

// The truth with its range over the draws, and the marks beside it, below the rail.
function drawTruth(svg, at, width, y, size) {
  const { truth, range, marks } = data;
  if (range) svg.append(shape("line", { x1: at.place(range[0]), x2: at.place(range[1]), y1: y, y2: y, class: "range" }));
  const below = (value, given) => {
    const x = at.place(value);
    svg.append(shape("rect", { x: x - SQUARE, y: y - SQUARE, width: 2 * SQUARE, height: 2 * SQUARE, class: "truth" }));
    svg.append(label(x, y + 2 * size, axisText(value), size, width, { class: "right" }));
    svg.append(label(x, y + 3.2 * size, given, size * 0.85, width, { class: "soft" }));
  };
  for (const mark of marks) below(mark.at, t(mark.key));
  below(truth, t("the-truth"));
}

// A guess and the truth on one axis.
function drawVerdict(root, guess) {
  fitted(root, (width) => {
    const at = scaleOf(data.guess, width);
    const size = 17;
    const svg = blank(width, 124);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t("axis", { guess: valueText(guess) }));
    rail(svg, width, 50);
    drawTruth(svg, at, width, 50, size);
    svg.append(shape("circle", { cx: at.place(guess), cy: 50, r: 9, class: "guess" }));
    svg.append(label(at.place(guess), 26, t("you", { guess: axisText(guess) }), size, width, { class: "right" }));
    root.replaceChildren(svg);
  });
}

// All guesses of a class as dots on the axis, each on top of those that stand where it would.
function drawGuesses(root, guesses) {
  fitted(root, (width) => {
    const size = Math.max(20, width / 38);
    const wide = size * 0.8;
    const at = scaleOf(data.guess, width);
    const piles = new Map();
    const dots = guesses.map((guess) => {
      const pile = Math.round(at.place(guess) / wide);
      const height = piles.get(pile) ?? 0;
      piles.set(pile, height + 1);
      return [pile * wide, height];
    });
    const tallest = Math.max(1, ...piles.values());
    const step = Math.min(wide, (innerHeight * PILES) / tallest);
    const y = (tallest + 1) * step + 2 * SQUARE;
    const svg = blank(width, y + 3.6 * size);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t("guesses-shown", { n: guesses.length }));
    rail(svg, width, y);
    for (const [x, height] of dots) svg.append(shape("circle", { cx: x, cy: y - 2 * SQUARE - (height + 0.5) * step, r: step * 0.46, class: "guess" }));
    drawTruth(svg, at, width, y, size);
    root.replaceChildren(svg);
  });
}

// A marker to drag along the axis, with a finger, a mouse or the arrow keys. moved(value).
function drawSlider(root, start, name, moved) {
  let value = start;
  let at;
  const svg = blank(1, 1);
  const marker = shape("g", { role: "slider", tabindex: 0, "aria-label": name, "aria-valuemin": data.guess.low, "aria-valuemax": data.guess.high });
  const show = () => {
    marker.setAttribute("transform", `translate(${at.place(value)} 34)`);
    marker.setAttribute("aria-valuenow", value);
    marker.setAttribute("aria-valuetext", valueText(value));
    moved(value);
  };
  const step = (by) => {
    const before = at.place(value);
    let place = before;
    let next = value;
    do next = at.value((place += by));
    while (next === value && place > 0 && place < 2e4);
    value = next;
    show();
  };
  const keys = { ArrowRight: 3, ArrowUp: 3, ArrowLeft: -3, ArrowDown: -3, PageUp: 40, PageDown: -40, Home: -1e4, End: 1e4 };
  marker.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    step(keys[event.key]);
  });
  const follow = (event) => {
    value = at.value(event.clientX - svg.getBoundingClientRect().left);
    show();
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    marker.focus();
    follow(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (svg.hasPointerCapture(event.pointerId)) follow(event);
  });
  fitted(root, (width) => {
    at = scaleOf(data.guess, width);
    svg.setAttribute("viewBox", `0 0 ${width} 84`);
    svg.replaceChildren();
    rail(svg, width, 34);
    for (const end of [data.guess.low, data.guess.high]) svg.append(label(at.place(end), 76, axisText(end), 15, width, { class: "soft" }));
    marker.replaceChildren(shape("circle", { r: 24, class: "halo" }), shape("circle", { r: 13, class: "guess" }));
    svg.append(marker);
    show();
  });
  root.replaceChildren(svg);
  return () => value;
}
