// The wall of a lesson: how many have guessed; when the teacher closes the guesses, all of them.
const EVERY = 1000;
const find = (id) => document.getElementById(id);
let drawn = false;

// Each answer with its guesses as dots; the right one is marked by a sign too.
function drawAnswers(root, guesses) {
  const items = [...Array(data.guess.choices).keys()].map((at) => {
    const many = guesses.filter((guess) => guess === at + 1).length;
    const right = at + 1 === data.truth;
    const text = `${right ? "✓ " : ""}${own(`choice-${at + 1}`)}: ${figure(many)}`;
    return element("li", right ? { class: "true" } : {}, text, element("span", { "aria-hidden": "true" }, "●".repeat(many)));
  });
  root.replaceChildren(element("ul", { class: "bars" }, ...items));
}

function sum(guesses) {
  const sides = guesses.map(judged);
  const count = (side) => sides.filter((one) => one === side).length;
  if (data.kind === "choice") return t("sum-choice", { n: guesses.length, right: count(0) });
  return t("sum-number", { n: guesses.length, right: count(0), below: count(-1), above: count(1) });
}

function show({ n, most, closed, guesses }) {
  find("count").textContent = most > 1 ? t("guesses-from-one", { n, most }) : t("guesses", { n });
  if (!closed || drawn) return;
  drawn = true;
  find("join").hidden = find("reveal").hidden = true;
  find("shown").hidden = false;
  (data.kind === "choice" ? drawAnswers : drawGuesses)(find("axis"), guesses);
  find("sum").textContent = sum(guesses);
}

async function look() {
  try {
    const answer = await fetch(`guesses-${data.number}`, { credentials: "omit" });
    if (answer.ok) show(await answer.json());
  } catch {
    find("count").textContent = t("wall-lost");
  }
  if (!drawn) setTimeout(look, EVERY);
}

find("reveal").addEventListener("click", async () => {
  await fetch(`reveal-${data.number}`, { method: "POST", credentials: "omit" });
});
look();
