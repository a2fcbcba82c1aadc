// Step 5: each point is a release that can be made: what it keeps, against who is left in a small crowd.
import { button, card, el, grid, isWide, note, output, p, told } from "./dom.js";
import { moreOptions } from "./fields.js";
import { bar, key, picture } from "./picture.js";
import { t } from "./words.js";

export const title = () => t("choices-title");

const take = (tools) => (point) => (point.over ? tools.say(t("choices-over")) : tools.change({ levels: point.levels }, t("choices-taken", { name: point.short.text })));

// The same points as a table, each row with a button: for all who do not read a picture.
function asTable(part, tools) {
  const rows = part.points.map((point) =>
    button(`take-${point.id}`, point.chosen ? t("choices-chosen") : t("choices-take"), () => take(tools)(point), "button", { disabled: point.over, "aria-pressed": String(point.chosen), "aria-label": t("choices-take-named", { name: point.name.text }) }),
  );
  return el("details", { class: "card", id: "as-table" }, el("summary", {}, t("choices-as-table")), grid("choices-grid", t("choices-as-table"), part.grid), el("ol", { class: "stack" }, part.points.map((point, at) => el("li", { class: "row even" }, rows[at], told("span", point.name)))));
}

// What becomes of each column: the first two columns of the program's table.
const pairs = ({ rows, lang }) => el("dl", { class: "pairs", lang }, rows.map(([column, values]) => [el("dt", { class: "soft" }, column), el("dd", {}, values)]));

function chosen(part) {
  const one = part.chosen;
  if (!one) return null;
  return card(t("choices-chosen"), pairs(one.steps), told("p", one.rows_out, { class: "strong" }), one.takes === false ? el("p", { class: "wrong", lang: one.why?.lang }, one.why?.text ?? "") : null);
}

// The same in full, with what each column loses and what one step finer would cost.
const detail = ({ chosen: one }) =>
  one ? el("details", { class: "card", id: "detail" }, el("summary", {}, t("choices-detail")), grid("chosen-steps", t("choices-detail"), one.steps), (one.lines ?? []).map((words) => told("p", words))) : null;

function who(part) {
  const found = part.who;
  if (!found) return null;
  const most = Math.max(...found.bars.map(({ people }) => people), 1);
  const bars = found.bars.map(({ people, text }) => el("li", {}, told("span", text), bar(people, most)));
  return el("section", { class: "card" }, told("h2", found.headline), el("ul", { class: "bars" }, bars), told("p", found.text));
}

export function draw(state, part, tools) {
  const advised = part.points.find((point) => point.advised);
  const again = advised && !advised.chosen ? button("advised", t("choices-advised-again"), () => tools.change({ levels: null })) : null;
  return [
    told("p", part.headline, { class: part.meets ? "good strong" : "wrong" }),
    part.meets ? null : el("div", {}, button("other-goal", t("choices-other-goal"), () => tools.go("goal"))),
    el(
      "div",
      { class: "side" },
      el("div", { class: "stack" }, el("section", { class: "card" }, picture(part, take(tools), isWide()), isWide() ? null : told("p", part.axes.limit.text, { class: "good strong" }), key(), told("p", part.searched, { class: "soft" }), part.final ? null : p(t("choices-not-final"), "soft"), again && el("div", {}, again)), who(part)),
      chosen(part),
    ),
    (part.warnings ?? []).map((warning) => note(told("p", warning))),
    detail(part),
    asTable(part, tools),
    moreOptions(state, "choices", tools, ["levels"]),
    part.text ? output("advise", t("choices-output"), part.text) : null,
  ];
}

export const hint = () => el("span", { class: "soft" }, t("choices-keys"));
