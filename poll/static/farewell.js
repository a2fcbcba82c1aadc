// What a phone shows when its session was stopped, or the computer does not answer any more.
import { button, el, p, show } from "./draw.js";
import { t } from "./sentences.js";

const LONG = 60; // seconds without an answer, after which the session may be over

// What a reason of docs/wire.md means to whoever holds the phone.
const WHY = {
  malformed: () => t("refused-malformed"),
  unexpected: () => t("refused-unexpected"),
  unregistered: () => t("refused-unregistered"),
};

// What left this phone, and who could have opened it: of this session, and no more than is known.
function became({ rounds }, { others }) {
  const n = Object.values(rounds).filter(({ handed }) => handed).length;
  if (!n) return t("became-nothing");
  return others === null ? t("became-one-computer", { n }) : t("became-others", { n });
}

// forget: what the button does, which clears this phone's memory of the session.
export function stopped(state, facts, forget) {
  show(
    "stopped",
    t("stopped-title"),
    p(t("stopped")),
    el("h2", {}, t("became-title")),
    p(became(state, facts), "note"),
    button(t("forget"), forget, "plain"),
  );
}

// The computer answers, and has no such session. said: what it says.
export function gone(state, said) {
  const left = Object.values(state.rounds).some(({ handed }) => handed);
  show("gone", left ? t("gone-title") : t("gone-none"), p(said, "note"), left ? p(t("gone")) : null);
}

export const forgotten = () => show("forgotten", t("forgotten-title"), p(t("forgotten")));

export const reasonOf = (refused) => WHY[refused.message]?.() ?? refused.message;

// Below the screen, while the computer does not answer. since: seconds; what is not handed in is not lost yet.
export function unanswered({ rounds }, since) {
  const all = Object.values(rounds);
  const waiting = all.some(({ handed, problem }) => !handed && !problem);
  if (since < LONG) return waiting ? t("unanswered-sealed") : t("unanswered");
  const n = Math.floor(since / 60);
  return all.length ? t("unanswered-long-lost", { n }) : t("unanswered-long", { n });
}
