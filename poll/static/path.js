// "Show me where I was": the way of this phone's own envelopes, worked out here from what the phone
// has kept and what stands on the board for everybody. It asks nobody, and tells nobody.
import { button, el, p } from "./draw.js";
import { reusesBallots } from "./locks.js";
import { partyName, people } from "./parties.js";
import { t } from "./sentences.js";

const STEP = 700; // milliseconds from one step to the next

// The steps of a round: [party, what happened there], as far as the board says so. Whether this phone's
// answers are among those that went on, it does not say: none but their sender could know, and whoever
// missed them would tell the reader whose they were.
export function wayOf(session, made, round) {
  if (made.ballots) return wayOnBoard(session, made, round);
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

// The same of locked answers. Of those that were submitted once the later round begins on the board.
function wayOnBoard(session, made, round) {
  const call = session.calls.find(({ body }) => body.round === round).body;
  const again = reusesBallots(session.told, call);
  const many = again ? call.asks[0].length : made.answers.length;
  const locked = t("locked-answers", { n: many });
  const steps = again
    ? [[t("your-phone"), t("way-again", { locked })]]
    : [[t("your-phone"), t("way-locked", { locked, bytes: made.ballots.length / 2, number: session.place + 1 })]];
  const closed = session.lists.closed[round];
  if (closed !== undefined) {
    const found = session.lists.standing(round, session.place, made.ballots) === "found";
    const words = { people: people(closed.size), number: session.place + 1 };
    steps.push([t("party-board"), found ? t("way-listed", words) : t("way-unlisted", words), !found]);
  }
  for (const { hop } of session.accounts[round] ?? []) {
    steps.push([partyName(`shuffler-${hop}`), hop === 1 ? t("way-shuffled") : t("way-shuffled-again")]);
  }
  const tally = session.tallies[round - 1];
  if (tally !== undefined) {
    const counted = tally.totals.reduce((sum, one) => sum + one, 0);
    steps.push([partyName(call.reader), t("way-opened", { n: counted })]);
  }
  return steps;
}

// The rounds in which this phone's answers were mixed.
function roundsOf(session, state) {
  const own = Object.keys(state.rounds).map(Number);
  const later = session.once && own.length ? session.calls.slice(1).map(({ body }) => body.round) : [];
  return [...own, ...later];
}

// The whole way, to be put on a page: it lights up step by step.
export function way(session, state) {
  return roundsOf(session, state).flatMap((round) => [
    el("h3", {}, t("round", { round })),
    el(
      "ol",
      { class: "way", "data-round": String(round) },
      wayOf(session, state.rounds[round] ?? state.rounds[1], round).map(([party, words, bad]) =>
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
