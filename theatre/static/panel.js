// The side panel: what just happened, what these eyes can pin on a person, what they have read, and
// what the curator decided.

function html(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const PEOPLE_TOLD = 3;
const CELLS_TOLD = 8;
const CHOICES_TOLD = 7;

function drawPanel(bill, scene, choices, position) {
  const [went, ...others] = bill.deviated?.first ?? [];
  const more = others.length ? ` ${t("deviated-more", { n: others.length })}` : "";
  put("deviated", went ? `${capital(went)}.${more}` : "");
  const [first, second] = sentence(bill, scene);
  put("sentence", first);
  put("aside", second);
  const unseen = scene.known.unseen;
  if (bill.outside && !bill.watch) put("unseen", t("unseen-outside"));
  else put("unseen", unseen ? t("unseen-some", { unseen, n: unseen + scene.known.seen }) : t("unseen-none"));
  drawPinned(bill, scene.known);
  put("cheating", ifTheyCheat(bill, scene.eyes));
  drawReasons(scene.way);
  document.getElementById("read").replaceChildren(...readRows(bill, scene.known));
  document.getElementById("decision").replaceChildren(...decision(bill, scene, choices));
}

// A text that is the same is left alone: a screen reader would say it again.
function put(id, words) {
  const node = document.getElementById(id);
  words = words.replaceAll(" %", "\u00a0%").replaceAll(" = ", "\u00a0=\u00a0");
  if (node.textContent !== words) node.textContent = words;
}

function drawPinned(bill, known) {
  const unknown = bill.outside && !bill.people; // nobody has said yet how many there are
  put("linked", unknown ? digits(0) : t("some-of", { some: known.linked, all: bill.people }));
  put("linked-unit", t(bill.reports ? "people-linked" : "people-identified"));
  const meter = document.getElementById("meter");
  meter.style.setProperty("--share", `${(100 * known.linked) / Math.max(bill.people, 1)}%`);
  put("certain", unknown ? "" : t(known.sure || known.certain === known.cells ? "certain" : "certain-least", { certain: known.certain, n: known.cells }));
  put("who", unknown ? "" : known.linked ? whoIs(bill, known) : bill.deviated ? bill.deviated.instead : crowdSaid(bill, known));
}

// The worst that an attack of the catalogue has achieved whose coalition is among these eyes; the worst is first.
function ifTheyCheat(bill, eyes) {
  const { none, told, limit, nothing, found } = bill.cheating;
  if (none) return none;
  const people = [...eyes].filter((name) => name.startsWith(`${bill.person}-`)).length;
  const worst = found.find((one) => one.friends <= people && one.parties.every((name) => eyes.has(name)));
  if (!worst) return t("cheat-nothing", { nothing, told, limit });
  const { attack, read, ends, noticed } = worst;
  return t("cheat-worst", { attack, read, ends, noticed, told, limit });
}

// An audit opens half of the layers before everybody: what it leaves is less than all the people.
function crowdSaid(bill, known) {
  const smallest = known.hiding && known.hiding.size ? Math.min(...known.hiding.values()) : 0; // not among peers
  if (!smallest) return t("crowd-hides", { n: bill.people });
  return t("crowd-audited", { smallest, n: bill.people });
}

function whoIs(bill, known) {
  const told = [...known.pinned].sort((a, b) => a[0] - b[0]).slice(0, PEOPLE_TOLD);
  const words = told.map(([who, row]) => `${calledOf(bill, who)}: ${said(bill, row)}`);
  const more = known.pinned.size - told.length;
  return `${words.join("; ")}${more > 0 ? `; ${t("and-more", { n: more })}` : ""}`;
}

function readRows(bill, known) {
  if (!known.counted.length) return [html("p", { class: "nothing" }, t("read-nothing"))];
  return known.counted.map((one) => {
    const told = one.counts.slice(0, CELLS_TOLD).map(([values, people]) => `${values.map((value) => brief(value)).join(" ")}: ${digits(people)}`);
    const more = one.counts.length - told.length;
    const name = one.columns.map((column) => bill.columns[column]).join(" x ");
    const cells = told.join("   ") + (more > 0 ? `   ${t("and-more", { n: more })}` : "");
    return html("p", { class: "counts" }, html("b", {}, name), html("span", {}, cells));
  });
}

function decision(bill, scene, choices) {
  const told = html("p", {}, bill.rule);
  if (bill.reports) return [told];
  const decided = scene.state.decided;
  if (!decided) return [told, html("p", { class: "nothing" }, t("decision-not-yet"))];
  const kept = decided.kept.map((column) => bill.columns[column]);
  const proved = t("decision-proved", { promise: capital(decided.promise), rule: decided.rule }).replaceAll(" %", "\u00a0%");
  const follows = scene.state.follows ? ` ${scene.state.follows}` : "";
  const announced = html("p", {}, html("b", {}, `${kept.length ? t("decision-released", { columns: kept.join(", ") }) : t("decision-nothing")} `), kept.length ? proved + follows : "");
  announced.append(...scene.known.alike.map((line) => html("b", { class: "alike" }, ` ${line}`)));
  if (!scene.known.counted.some((one) => one.round === 1))
    return [announced, html("p", { class: "nothing" }, t("decision-hidden"))];
  if (!choices.length) return [announced];
  const near = nearest(bill, choices, kept);
  const rest = choices.filter((one) => !near.includes(one));
  if (!rest.length) return [announced, table(near, kept)];
  return [announced, table(near, kept), html("details", {}, html("summary", {}, t("decision-more", { n: rest.length })), table(rest, kept))];
}

// Of many sets of columns what was released, and those nearest to what is allowed; in their order.
function nearest(bill, choices, kept) {
  const far = (one) => (one.columns.join("\n") === kept.join("\n") ? -1 : Math.abs(one.promised - bill.share));
  const told = choices.length > CHOICES_TOLD ? [...choices].sort((a, b) => far(a) - far(b)).slice(0, CHOICES_TOLD - 1) : choices;
  return choices.filter((one) => told.includes(one));
}

function table(choices, kept) {
  const head = html("tr", {}, ...["table-columns", "table-most", "table-by"].map((key) => html("th", {}, t(key))), html("th", {}, ""));
  const rows = choices.map((one) => {
    const released = one.columns.join("\n") === kept.join("\n");
    const sign = released ? "table-released" : one.safe ? "table-safe" : "table-risky";
    return html(
      "tr",
      { class: released ? "released" : one.safe ? "safe" : "risky" },
      html("td", {}, one.columns.join(" x ")),
      html("td", { class: "number" }, percent(one.promised)),
      html("td", {}, one.rule),
      html("td", {}, badge(one.safe), t(sign)),
    );
  });
  return html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows));
}

function badge(safe) {
  const icon = el("svg", { viewBox: "-12 -12 24 24", class: "badge-icon", "aria-hidden": "true" });
  icon.append(safe ? tick(5) : warning(20));
  return icon;
}

// The panel: the steps as a list, where they end, and whose key would help.
function drawReasons(way) {
  const shown = Boolean(way);
  for (const id of ["certain", "who", "cheating", "unseen", "read-title", "read", "decision-title", "decision"]) document.getElementById(id).hidden = shown;
  document.getElementById("way").hidden = !shown;
  if (!shown) return;
  put("way-title", t("way-title", { name: way.name }));
  const items = way.steps.map((step) => html("li", {}, step.text));
  document.getElementById("way-steps").replaceChildren(...items);
  put("way-ending", way.shown || way.linked ? `${capital(way.ending)}.` : t("way-nothing"));
}
