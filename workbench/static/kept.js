// What a drawing leaves alone: the focus, what was typed and not yet sent, what is unfolded, how far a table
// is scrolled. Controls are found again by their id.
const main = () => document.getElementById("step");
const by = (id) => document.getElementById(id);

// A line of text that was left has been sent: what the program says of it counts from then on.
let left = null; // the control that was changed last
document.addEventListener(
  "change",
  (event) => {
    left = event.target.id;
    event.target.dataset.sent = "yes";
  },
  true,
);
document.addEventListener("input", (event) => delete event.target.dataset.sent, true);

// A line that was drawn again with what was typed: its browser does not know that a person changed it.
let drawing = false;
function tellChange({ target }) {
  if (drawing || !target.dataset?.restored || !isTyped(target)) return;
  delete target.dataset.restored;
  target.dispatchEvent(new Event("change", { bubbles: true }));
}
document.addEventListener("focusout", tellChange);
document.addEventListener("keydown", (event) => event.key === "Enter" && tellChange(event));

// A control with data-own is no option: the program never says what it holds.
const isTyped = (line) => line.value !== line.defaultValue && (!line.dataset.sent || "own" in line.dataset);

// Draw. fresh: another step, of which nothing is kept.
export function kept(fresh, draw) {
  if (fresh) return draw();
  const active = document.activeElement;
  const isTitle = active?.matches?.("h1");
  const focus = active?.id;
  const range = active?.matches?.("input[type=text]") ? [active.selectionStart, active.selectionEnd] : null;
  const typed = [...main().querySelectorAll("input[type=text]")].filter(isTyped).map((line) => [line.id, line.value]);
  const ticked = [...main().querySelectorAll("input[type=checkbox][data-own]:checked")].map((one) => one.id);
  const folds = [...main().querySelectorAll("details[id]")].map((one) => [one.id, one.open]);
  const scrolled = [...main().querySelectorAll(".scroll[id]")].map((one) => [one.id, one.scrollLeft]);
  drawing = true;
  draw();
  drawing = false;
  for (const [id, value] of typed) {
    const line = by(id);
    if (line) Object.assign(line, { value }).dataset.restored = "yes";
  }
  for (const id of ticked) if (by(id)) by(id).checked = true;
  for (const [id, open] of folds) if (by(id)) by(id).open = open;
  for (const [id, at] of scrolled) if (by(id)) by(id).scrollLeft = at;
  const again = isTitle ? main().querySelector("h1") : focus && by(focus);
  if (!again || again === document.activeElement) return;
  again.focus({ preventScroll: true });
  if (range && again.setSelectionRange) again.setSelectionRange(...range);
}

// What was typed last was refused: it stays as it was typed. Returns the id of its control.
export function keepTyped() {
  delete by(left)?.dataset.sent;
  return left;
}

// A control whose value was refused. why: the id of the sentence.
export function markWrong(id, why) {
  const control = id && by(id);
  if (!control) return;
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), why].filter(Boolean).join(" "));
}
