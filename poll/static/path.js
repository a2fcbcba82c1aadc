// "Show me where I was": the way of this phone's own envelopes, worked out here from what the phone
// has kept and what stands on the board for everybody. It asks nobody, and tells nobody.
import { button, el, p } from "./draw.js";

const people = (many) => (many === 1 ? "1 person" : `${many} people`);
const STEP = 700; // milliseconds from one step to the next

// The steps of a round: [party, what happened there], as far as the board says so. Whether this phone's
// answers are among those that went on, it does not say: none but their sender could know, and whoever
// missed them would tell the reader whose they were.
export function wayOf(session, made, round) {
  const call = session.calls.find(({ body }) => body.round === round);
  const accounts = session.accounts[round] ?? [];
  const many = made.answers.length;
  const onions = many === 1 ? "1 sealed answer" : `${many} sealed answers`;
  const steps = [["your phone", `You sealed ${onions} into one envelope of ${made.frame.length / 2} bytes.`]];
  if (round in session.mints) {
    steps.push(["randomness", "Your phone asked it blindly, and checked that it answered with the one key on the board. It saw that you asked, and not what you said."]);
  }
  for (const { hop, people: came, received, forwarded } of accounts) {
    const due = hop === 1 ? came * many : received;
    const first = `${people(came)} came, and ${forwarded} sealed answers went on: your ${onions} should be among them, in an order that tells nobody's.`;
    const later = `${received} sealed answers came, ${forwarded} went on: yours should be among them, with one layer less, and without you.`;
    const lost = forwarded < due ? ` ${due - forwarded} did not go on.` : "";
    steps.push([`shuffler ${hop}`, (hop === 1 ? first : later) + lost, forwarded < due]);
  }
  const tally = session.tallies[round - 1];
  if (tally !== undefined) {
    const counted = tally.totals.reduce((sum, one) => sum + one, 0);
    const last = accounts[accounts.length - 1].forwarded;
    steps.push([call.body.reader, `Opened the last layer of ${last} sealed answers, and counted ${counted}.`, counted < last]);
  }
  return steps;
}

// The whole way, to be put on a page: it lights up step by step.
export function way(session, state) {
  const rounds = Object.keys(state.rounds).map(Number);
  return rounds.flatMap((round) => [
    el("h3", {}, `Round ${round}`),
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
        p("This is worked out on your phone, from what it kept and from the board. Nobody else can see it.", "small"),
      );
      light(inside);
    };
    shown.place = el("section", {}, button("Show me where I was", open, "plain"), inside);
  }
  return shown.place;
}
