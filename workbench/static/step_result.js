// Step 6: the table before and after, what was asked and what was found, and all that can be taken away.
import { button, card, el, field, grid, note, output, p, preview, selection, told } from "./dom.js";
import { moreOptions } from "./fields.js";
import { further } from "./further.js";
import { t } from "./words.js";

let format = null; // of the download, once it was chosen
const SAVED = ["table", "sign", "session", "score", "advice", "figure", "scenario"];
const DRAWN = ["advice", "figure", "scenario"]; // links by the name of their file

export const title = (part) => (part.headline && part.after ? part.headline : t("result-title"));

const beside = (id, name, found) => el("section", { class: "stack" }, el("h2", {}, `${name} `, told("span", found.caption, { class: "soft" })), preview(id, name, found.preview));

const VERDICTS = { met: "good", unmet: "bad", unasked: "bad" };

const measure = (one) =>
  el(
    "section",
    { class: "card" },
    told("h3", one.label),
    told("p", one.headline, { class: `big ${VERDICTS[one.verdict]}` }),
    told("p", one.meaning, { class: "soft" }),
    el("p", { class: VERDICTS[one.verdict] }, one.verdict === "unasked" ? null : [el("b", {}, t(`verdict-${one.verdict}`)), " "], told("span", one.asked)),
  );

function download(part) {
  const possible = part.formats.filter(([, , there]) => there);
  const chosen = possible.find(([name]) => name === format)?.[0] ?? possible[0]?.[0];
  const link = el("a", { id: "download", class: "button main", href: `released/${chosen}`, download: true }, t("download"));
  const options = possible.map(([name, label]) => [name, label]);
  const select = selection("format", options, chosen, (name) => {
    format = name;
    link.setAttribute("href", `released/${name}`);
  });
  return [link, field(t("format"), select)];
}

const takeAway = (part) =>
  el(
    "section",
    { class: "card" },
    el("h2", {}, t("take-away")),
    el("div", { class: "row end" }, download(part), el("a", { id: "sign", class: "button", href: "sign", target: "_blank", rel: "noopener" }, t("sign")), el("a", { id: "session", class: "button", href: "session", download: true }, t("session"))),
    el("div", { class: "row end" }, DRAWN.filter((what) => part.names[what]).map((what) => el("a", { id: what, class: "button", href: what, download: true }, t(`save-${what}`)))),
    el("p", { class: "soft" }, told("span", part.hash_note), " ", el("code", { class: "code", dir: "ltr" }, part.sha256)),
    el("p", { class: "soft" }, `${t("hash-input")}: `, el("code", { class: "code", dir: "ltr" }, part.input_sha256)),
  );

function command(state, tools) {
  const text = state.command.join("\n");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      tools.say(t("copied"));
    } catch {
      getSelection().selectAllChildren(document.getElementById("command-text")); // to be copied by hand
    }
  };
  return el("details", { class: "card", id: "command" }, el("summary", {}, t("command")), el("pre", { class: "scroll code", id: "command-text", tabindex: "0", dir: "ltr", lang: "en" }, text), el("div", {}, button("copy", t("copy"), copy)));
}

// Save where the person says, on this computer. A file that is there is replaced only if they say so.
function save(state, part, tools) {
  const folder = `${state.own.folder.replace(/[\\/]$/, "")}${state.own.system === "nt" ? "\\" : "/"}`;
  const line = (what, label, name) => {
    const id = what.replaceAll("/", "-");
    const path = el("input", { id: `save-${id}`, type: "text", "data-own": true, dir: "ltr", autocomplete: "off", spellcheck: "false", value: name ? `${folder}${name}` : folder });
    const replace = el("input", { id: `replace-${id}`, type: "checkbox", "data-own": true });
    const submit = (event) => {
      event.preventDefault();
      tools.save({ what, path: path.value.trim(), replace: replace.checked });
    };
    return el("form", { class: "row end", onsubmit: submit }, field(label, path), el("label", { class: "check", for: replace.id }, replace, t("replace")), el("button", { class: "button", id: `save-go-${id}` }, t("save")));
  };
  const own = SAVED.filter((what) => what === "score" || part.names[what]).map((what) => line(what, t(`save-${what}`), part.names[what]));
  const made = Object.entries(state.further).flatMap(([place, { files }]) => (files ?? []).map((file) => line(`further/${place}/${file.option}`, file.name, file.name)));
  return el("details", { class: "card", id: "save" }, el("summary", {}, t("save-title")), own, made);
}

export function draw(state, part, tools) {
  return [
    el("div", { class: "two" }, beside("before", t("before"), part.before), beside("after", t("after"), part.after)),
    el("div", { class: "measures" }, part.measures.map(measure)),
    part.final ? takeAway(part) : note(p(state.choices.final ? t("result-not-final") : t("result-of-first-look"))),
    (part.warnings ?? []).map((warning) => note(told("p", warning))),
    command(state, tools),
    part.final ? save(state, part, tools) : null,
    part.risks ? card(t("risks"), grid("risks", t("risks"), part.risks)) : null,
    moreOptions(state, "result", tools),
    part.score ? output("score", t("score-output"), part.score) : null,
    further(state, tools),
  ];
}
