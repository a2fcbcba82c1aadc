// The teacher's page: it shows the state of the session and sends the commands of its buttons.
//
// It asks for news all the time; an answer comes when something has changed, or after a second.
import { showEditor } from "./editor.js";
import { arrived, t } from "./sentences.js";

const RETRY = 1_000; // milliseconds
const part = (id) => document.getElementById(id);
let phase = "";
let drawn = ""; // the commands of the buttons
let admitted = 0;
let lost = false; // the program did not answer the last time

document.documentElement.dataset.began = ""; // else old.js says that this browser is too old

// What each part of a session shows: a title, a sentence, and buttons: command, words, whether it is possible.
const PHASES = {
  joining: (now) => ({
    title: t("teacher-people", { n: now.people }),
    sentences: [
      now.attempt > 1 ? t("teacher-back", { seconds: now.here }) : "",
      now.few ? t("teacher-few", { n: now.few }) : t("teacher-enough"),
      now.missing.length ? t("teacher-missing", { names: now.missing.join(", ") }) : "",
    ],
    buttons: [["begin", t("teacher-begin"), !now.few && !now.missing.length]],
  }),
  open: (now) => ({
    title: t("teacher-open", now),
    sentences: [t("teacher-awaited", { n: now.due - now.answered, left: now.left }), t("teacher-left-out")],
    buttons: [
      ["wait", t("teacher-wait", { seconds: now.more }), now.longer],
      ["close", t("teacher-close"), true],
    ],
  }),
  mixing: () => ({ title: t("teacher-mixing"), sentences: [t("teacher-nothing-to-do")], buttons: [] }),
  over: (now) => ({
    title: t("teacher-over"),
    sentences: [
      now.ended ? t("teacher-early", { why: now.ended }) : "",
      ...(now.final ? [now.final, t("teacher-stay")] : [t("teacher-repeatable", { seconds: now.here })]),
    ],
    buttons: [...(now.final ? [] : [["repeat", t("teacher-repeat"), true]]), ["end", t("teacher-end"), true]],
  }),
};

function complain(words) {
  part("problem").textContent = words;
  part("problem").hidden = !words;
}

async function send(command, body = "") {
  try {
    const answer = await fetch(`${location.pathname}/${command}`, { method: "POST", body, credentials: "omit" });
    complain(answer.ok ? "" : await answer.text());
  } catch {
    complain(t("teacher-gone"));
  }
}

// Buttons stay the same while a part of the session lasts, so that none loses its focus.
function drawButtons(buttons) {
  part("buttons").replaceChildren(
    ...buttons.map(([command], at) => {
      const button = document.createElement("button");
      button.id = command;
      if (at) button.className = "plain";
      button.addEventListener("click", () => send(command));
      return button;
    }),
  );
}

function draw(now) {
  const shown = PHASES[now.phase](now);
  const commands = shown.buttons.map(([command]) => command).join();
  if (commands !== drawn) drawButtons(shown.buttons);
  drawn = commands;
  if (now.phase !== phase) {
    complain("");
    part("said").textContent = shown.title;
  }
  phase = now.phase;
  part("title").textContent = shown.title;
  part("now").textContent = shown.sentences.filter(Boolean).join("\n\n");
  for (const [command, words, possible] of shown.buttons) {
    part(command).textContent = words;
    part(command).disabled = !possible;
  }
  part("slips").textContent = now.slips ? t("teacher-slips", { used: now.slips[0], n: now.slips[1] }) : "";
  const together = Math.max(1, now.address);
  part("address").textContent = now.slips ? "" : t("teacher-address", { n: together, most: now.admitted });
  part("let-in").hidden = now.slips !== null || phase !== "joining" || now.attempt > 1;
  if (now.admitted !== admitted) part("people").value = now.admitted;
  admitted = now.admitted;
  part("about").hidden = phase === "over";
  showEditor(now);
}

async function news(version) {
  const answer = await fetch(`${location.pathname}/news/${version}`, { cache: "no-store", credentials: "omit" });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function follow() {
  for (let version = 0; ; ) {
    try {
      const now = await news(version);
      if (lost) complain("");
      lost = false;
      draw(now);
      version = now.version;
    } catch {
      lost = true;
      complain(t("teacher-gone"));
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
}

part("let-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const people = Number(part("people").value);
  send("let-in", JSON.stringify({ people: Number.isInteger(people) ? people : 0 }));
});
arrived().then(follow, () => complain(document.body.dataset.lost));
