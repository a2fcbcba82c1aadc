// "Show me where I was": the way of this phone's own envelopes, worked out here from what the phone
// has kept and what stands on the board for everybody. It asks nobody, and tells nobody.
import { button, el, p } from "./draw.js";

const people = (many) => (many === 1 ? "1 person" : `${many} people`);
const STEP = 700; // milliseconds from one step to the next

// The steps of a round: [party, what happened there], as far as the board says so. That shufflers have
// passed this phone's answers on is known once its receipts are found, and not before.
export function wayOf(session, made, round) {
  const call = session.calls.find(({ body }) => body.round === round);
  const accounts = session.accounts[round] ?? [];
  const many = made.receipts.length;
  const onions = many === 1 ? "1 sealed answer" : `${many} sealed answers`;
  const steps = [["your phone", `You sealed ${onions} into one envelope of ${made.frame.length / 2} bytes.`]];
  if (round in session.mints) {
    steps.push(["randomness", "Your phone asked it blindly, and checked that it answered with the one key on the board. It saw that you asked, and not what you said."]);
  }
  const posted = session.receipts[round];
  const places = made.receipts.map((one) => (posted?.hashes.indexOf(one) ?? -1) + 1).sort((a, b) => a - b);
  const found = places.every((place) => place > 0);
  for (const { hop, people: came, received, forwarded } of accounts) {
    const first = found
      ? `Your envelope came with those of ${people(came)}. It was opened; your ${onions} went on among ${forwarded}, in an order that tells nobody's.`
      : `${people(came)} came, and ${forwarded} sealed answers went on: your ${onions} should be among them.`;
    const later = found ? "yours among them" : "yours should be among them";
    const what = `${received} sealed answers came, ${forwarded} went on: ${later}, with one layer less, and without you.`;
    steps.push([`shuffler ${hop}`, hop === 1 ? first : what]);
  }
  if (posted !== undefined) {
    const all = posted.hashes.length;
    const where = `${places.length === 1 ? "number" : "numbers"} ${places.join(", ")} of ${all}`;
    const good = `Opened the last layer and counted it. Your ${places.length === 1 ? "receipt is" : "receipts are"} ${where} on the board.`;
    steps.push([call.body.reader, found ? good : "Your receipts are not among those on the board: say so.", !found]);
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
