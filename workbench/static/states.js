// What stands above a step, or in its place: work with progress and cancel, refusals, a program that is gone.
import { button, el, p, told as says, wrong } from "./dom.js";
import { moreOptions, optionOf } from "./fields.js";
import { further } from "./further.js";
import { t } from "./words.js";

// Work that goes on: the program says at which stage.
const progress = (work, tools) =>
  el(
    "div",
    { class: "card", id: "work" },
    el("label", { for: "progress" }, t("working")),
    el("progress", { id: "progress" }),
    el("div", { class: "row even" }, work.stage ? el("span", { class: "soft", lang: "en" }, work.stage) : null, work.cancellable ? button("cancel", t("cancel"), tools.cancel) : null),
  );

const sending = ({ name, share, stop }) =>
  el(
    "div",
    { class: "card", id: "sending" },
    el("label", { for: "sent" }, t("sending", { name })),
    el("progress", { id: "sent", max: 1, value: share }),
    el("div", {}, button("stop", t("cancel"), stop)),
  );

// Above every step. told: what this tab knows besides the state.
export function notices(state, told, tools) {
  return [
    told.lost ? el("div", { class: "wrong" }, el("p", {}, el("b", {}, t("lost-title")), " ", t("lost"))) : null,
    told.elsewhere ? el("div", { class: "note" }, p(t("elsewhere"))) : null,
    told.refused ? el("div", { class: "wrong" }, says("p", told.refused, { id: "refused" })) : null,
    told.saved ? el("div", { class: "note" }, says("p", told.saved.sentence, { id: "saved" })) : null,
    told.upload ? sending(told.upload) : null,
    state.work && !told.upload ? progress(state.work, tools) : null,
  ].filter(Boolean);
}

const DRAWN = { file: "preview", persons: "ways", columns: "columns", goal: "presets", choices: "points", result: "before" };

// What a person can do where a choice or the result was refused.
function ways(at, state, tools) {
  if (!["choices", "result"].includes(at)) return el("div", {}, tools.undo);
  const taken = optionOf(state, "levels")?.value;
  const advised = button("advised", t("choices-advised-again"), () => tools.change({ levels: null }), "button main");
  return el("div", { class: "row" }, tools.undo, taken ? advised : null, button("other-goal", t("choices-other-goal"), () => tools.go("goal"), taken ? "button" : "button main"));
}

// An option may be the reason: its field is at hand.
function opened(details) {
  if (details) details.open = true;
  return details;
}

// What stands in the place of a step that has nothing to show; null: it has.
export function unready(at, part, state, tools) {
  const again = () => el("div", {}, button("again", t("again"), tools.again, "button main"));
  const failed = part.error ? wrong(part.error) : null;
  if (part.status === "cancelled") return [el("div", { class: "note" }, p(t("cancelled"))), again()];
  if (at === "file") return null;
  if (part.status === "error") return [failed, ways(at, state, tools), opened(moreOptions(state, at, tools)), ["choices", "result"].includes(at) ? further(state, tools) : null];
  if (!(DRAWN[at] in part)) return [p(state.work ? t("wait") : t("step-first"), "soft")];
  return null;
}
