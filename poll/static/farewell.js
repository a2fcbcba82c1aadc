// What a phone shows when its session was stopped, or the computer does not answer any more.
import { button, el, p, show } from "./draw.js";

const LONG = 60; // seconds without an answer, after which the session may be over

// What left this phone, and who could have opened it: of this session, and no more than is known.
function became({ rounds }, { others }) {
  const left = Object.values(rounds).filter(({ handed }) => handed).length;
  if (!left) return "Nothing of your answers has left this phone.";
  const what = left === 1 ? "One sealed envelope" : `${left} sealed envelopes`;
  const who = others === null
    ? "All keys were in the memory of the computer that ran this: whoever runs it could have opened it while the session lasted."
    : "Each party could have opened its own layer while the session lasted; all of them together, everything.";
  return `${what} had left this phone. ${who}`;
}

// forget: what the button does, which clears this phone's memory of the session.
export function stopped(state, facts, forget) {
  show(
    "stopped",
    "This session was stopped",
    p("Whoever runs it has stopped it. Nothing was published, and no record of it is written."),
    el("h2", {}, "What became of your answers"),
    p(became(state, facts), "note"),
    button("Forget everything on this phone", forget, "plain"),
  );
}

// The computer answers, and has no such session. said: what it says.
export function gone(state, said) {
  const left = Object.values(state.rounds).some(({ handed }) => handed);
  show(
    "gone",
    left ? "This session is gone" : "No such session",
    p(said, "note"),
    left ? p("What this phone had handed in will not be counted any more.") : null,
  );
}

export const forgotten = () => show("forgotten", "Forgotten", p("This phone keeps nothing of this session."));

// Below the screen, while the computer does not answer. since: seconds; what is not handed in is not lost yet.
export function unanswered({ rounds }, since) {
  const all = Object.values(rounds);
  const waiting = all.some(({ handed, problem }) => !handed && !problem);
  const kept = waiting ? " What is sealed stays on this phone, and is handed in if it answers in time." : "";
  if (since < LONG) return `No connection to the computer; trying again.${kept}`;
  const after = all.length ? "; then what was not counted by now is lost" : "";
  return `The computer has not answered for ${Math.floor(since / 60)} min: the session may be over${after}. This page goes on trying.`;
}
