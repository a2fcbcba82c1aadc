// "Show me where I was": the way of this phone's own envelopes, worked out here from what the phone
// has kept and what stands on the board for everybody. It asks nobody, and tells nobody.
import { button, el, p } from "./draw.js";
import { partyName, people } from "./parties.js";
import { t } from "./sentences.js";

const STEP = 700; // milliseconds from one step to the next

// The steps of a round: [party, what happened there], as far as the board says so. Whether this phone's
// answers are among those that went on, it does not say: none but their sender could know, and whoever
// missed them would tell the reader whose they were.
export function wayOf(session, made, round) {
  const call = session.calls.find(({ body }) => body.round === round);
  const accounts = session.accounts[round] ?? [];
  const many = made.answers.length;
  const onions = t("onions", { n: many });
  const steps = [[t("your-phone"), t("way-sealed", { onions, bytes: made.frame.length / 2 })]];
  if (round in session.mints) {
    steps.push([partyName("randomness"), t("way-asked")]);
  }
  for (const { hop, people: came, received, forwarded } of accounts) {
    const due = hop === 1 ? came * many : received;
    const first = t("way-first", { people: people(came), forwarded, onions });
    const later = t("way-later", { received, forwarded });
    const lost = forwarded < due ? t("way-lost", { n: due - forwarded }) : "";
    steps.push([partyName(`shuffler-${hop}`), (hop === 1 ? first : later) + lost, forwarded < due]);
  }
  const tally = session.tallies[round - 1];
  if (tally !== undefined) {
    const counted = tally.totals.reduce((sum, one) => sum + one, 0);
    const last = accounts[accounts.length - 1].forwarded;
    steps.push([partyName(call.body.reader), t("way-counted", { last, counted }), counted < last]);
  }
  return steps;
}

// The whole way, to be put on a page: it lights up step by step.
export function way(session, state) {
  const rounds = Object.keys(state.rounds).map(Number);
  return rounds.flatMap((round) => [
    el("h3", {}, t("round", { round })),
    el(
      "ol",
      { class: "way", "data-round": String(round) },
      wayOf(session, state.rounds[round], round).map(([party, words, bad]) =>
        el("li", { class: bad ? "bad" : null }, el("strong", {}, party), p(words)),
      ),
    ),
  ]);
}

// Light the steps of what is on the page, one after the other.
function light(place) {
  [...place.querySelectorAll(".way li")].forEach((step, at) =>
    setTimeout(() => step.classList.add("lit"), at * STEP),
  );
}

const shown = { place: null };

// What a page ends with: a button, and below it the way, once it was asked for.
export function showsWay(session, state) {
  if (shown.place === null) {
    const inside = el("div", { id: "way", "aria-live": "polite" });
    const open = () => {
      inside.replaceChildren(
        ...way(session, state),
        p(t("way-explains"), "small"),
      );
      light(inside);
    };
    shown.place = el("section", {}, button(t("way-button"), open, "plain"), inside);
  }
  return shown.place;
}
