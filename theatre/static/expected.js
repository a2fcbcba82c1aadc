// How precise shares will be, in words and in a picture, before a class is asked anything.

const RULER = { left: 18, right: 302, y: 52 };

const onRuler = (share) => RULER.left + share * (RULER.right - RULER.left);
const wholePercent = (share) => `${Math.round(100 * share)} %`;
const stroke = (x1, y1, x2, y2, kind) => el("line", { x1, y1, x2, y2, class: kind });

// An end of the limits says its number above its mark, so that no two numbers meet.
function limitsPicture({ low, high, picture }) {
  const { left, right, y } = RULER;
  const [from, to] = [onRuler(low), onRuler(high)];
  const ticks = [["start", 0], ["middle", 0.5], ["end", 1]].flatMap(([anchor, share]) => [stroke(onRuler(share), y, onRuler(share), y + 8, "scale"), text(onRuler(share), y + 26, wholePercent(share), "", anchor)]);
  return el(
    "svg",
    { viewBox: "0 0 320 84", role: "img", "aria-label": picture },
    stroke(left, y, right, y, "scale"),
    ...ticks,
    stroke(from, y, to, y, "limits"),
    stroke(from, y - 12, from, y + 12, "end"),
    stroke(to, y - 12, to, y + 12, "end"),
    el("circle", { cx: onRuler(0.5), cy: y, r: 7, class: "half" }),
    text(Math.max(from, left + 8), y - 22, wholePercent(low), "", low < 0.1 ? "start" : "end"),
    text(Math.min(to, right - 8), y - 22, wholePercent(high), "", high > 0.9 ? "end" : "start"),
  );
}

const expectedBox = html("section", { id: "expected", hidden: "" });
find("told").before(expectedBox);

// All its sentences come with it.
function expectPrecision(forecast) {
  const { title, sentence, explains, least } = forecast;
  expectedBox.replaceChildren(
    html("h2", {}, title),
    html("p", { class: "forecast" }, `${sentence}.`),
    limitsPicture(forecast),
    html("p", {}, explains),
    html("p", {}, least ? `${least[0].toUpperCase()}${least.slice(1)}.` : ""),
  );
  expectedBox.hidden = false;
}
