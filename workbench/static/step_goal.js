// Step 4: how safe is safe enough. Each preset says whose number it is; each sensitive column has limits of its own.
import { card, el, field, p, selection, told } from "./dom.js";
import { drawOption, line, moreOptions, optionOf, withColumn } from "./fields.js";
import { t } from "./words.js";

const MOST = 60; // dots: a larger crowd is a number
const OWN = ["k", "max_exposure", "suppress", "known", "l", "t", "entropy_l", "like"]; // have a place of their own
const LIMITS = ["l", "t", "entropy_l"];

export const title = () => t("goal-title");

function preset(one, at, tools) {
  const id = `preset-${at}`;
  const radio = el("input", { type: "radio", name: "preset", id, checked: one.chosen, "aria-describedby": `${id}-whose`, onchange: () => tools.change(one.set) });
  return el("div", { class: "pick" }, el("label", { class: "head", for: id }, radio, el("span", { lang: one.headline.lang }, one.headline.text)), told("p", one.text, { class: "soft", id: `${id}-whose` }));
}

// Presets with a number of an authority's, or the others.
const presets = (part, authority, tools) => part.presets.map((one, at) => (one.authority === authority ? preset(one, at, tools) : null));

function own(state, part, tools) {
  const chosen = !part.presets.some((one) => one.chosen);
  const radio = el("input", { type: "radio", name: "preset", id: "preset-own", checked: chosen, onchange: () => document.getElementById("option-k").focus() });
  const fields = ["k", "max_exposure"].map((name) => optionOf(state, name)).filter(Boolean);
  return el("div", { class: "pick" }, el("label", { class: "head", for: "preset-own" }, radio, t("goal-own")), el("div", { class: "row" }, fields.map((option) => drawOption(option, tools, { brief: true }))), told("p", part.allowed, { class: "soft" }), p(t("goal-whose"), "soft"));
}

const crowd = (part) =>
  el(
    "section",
    { class: "card" },
    el("h2", {}, t("goal-crowd", { n: part.crowd })),
    part.crowd <= MOST ? el("div", { class: "dots", "aria-hidden": "true" }, Array.from({ length: part.crowd }, () => el("i"))) : null,
    told("p", part.sentence, { class: "soft" }),
  );

// Limits of a sensitive column. at: its place, for ids.
function limits(state, column, at, tools) {
  const fields = LIMITS.map((name) => optionOf(state, name)).filter(Boolean).map((option) => {
    const { name } = option;
    const kind = name === "l" ? "whole" : "number";
    const given = { placeholder: t("goal-not-asked") };
    return field(t(`option-${name.replace("_", "-")}`), line(`option-${name}-${at}`, kind, column[name], (value) => tools.change(withColumn(option, column.column, value)), given));
  });
  return el("fieldset", { class: "stack tight" }, el("legend", {}, t("goal-sensitive", { column: column.column })), el("div", { class: "row" }, fields), told("p", column.text, { class: "soft" }));
}

function leftOut(state, part, tools) {
  const option = optionOf(state, "suppress");
  if (!option) return null;
  const options = part.suppress_steps.map(([value, label]) => [JSON.stringify(value), label.text ?? label]);
  if (!part.suppress_steps.some(([value]) => value === option.value)) options.push([JSON.stringify(option.value), `${option.value}`]);
  return field(t("option-suppress"), selection("option-suppress", options, JSON.stringify(option.value), (value) => tools.change({ suppress: JSON.parse(value) })));
}

function known(state, part, tools) {
  const option = optionOf(state, "known");
  const before = part.before ?? {};
  return card(
    t("goal-known"),
    option ? drawOption(option, tools, { brief: true }) : null,
    el("dl", {}, ["quasi", "all"].filter((name) => before[name]).map((name) => [el("dt", {}, t(`goal-before-${name}`)), told("dd", before[name])])),
  );
}

// The same advice again, for next month's file.
const like = (state, tools) => card(t("goal-like"), p(t("goal-like-why"), "soft"), drawOption(optionOf(state, "like"), tools, { brief: true }));

export function draw(state, part, tools) {
  return [
    p(t("goal-why")),
    el(
      "fieldset",
      { class: "stack" },
      el("legend", { class: "heard" }, t("goal-title")),
      el("div", { class: "three" }, presets(part, false, tools), own(state, part, tools)),
      part.presets.some(({ authority }) => authority) ? card(t("goal-authorities"), el("div", { class: "two list" }, presets(part, true, tools))) : null,
    ),
    el(
      "div",
      { class: "two" },
      el("div", { class: "stack" }, crowd(part), known(state, part, tools), card(t("goal-rows"), leftOut(state, part, tools), p(t("goal-rows-why"), "soft"))),
      el("div", { class: "stack" }, part.sensitive?.length ? card(t("goal-sensitive-title"), part.sensitive.map((column, at) => limits(state, column, at, tools)), p(t("goal-sensitive-why"), "soft")) : null, like(state, tools)),
    ),
    moreOptions(state, "goal", tools, OWN),
  ];
}
