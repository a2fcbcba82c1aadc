// Ballots, onions and the envelope of one round: all that a phone makes.
//
// One question a column set of the call; for each an onion for shuffler 2, .., shuffler m and the
// reader; all of them in one envelope for shuffler 1. Sizes say nothing about answers.
import { sessionOf } from "./announcement.js";
import { inDomain, readAnnouncement } from "./bodies.js";
import { Reader, items, text } from "./bytes.js";
import { readMessage } from "./frames.js";
import { noiseOf, spoken } from "./noise.js";
import { OVERHEAD, openLayer, pad, sealLayer, unpad, usable, wrap } from "./seal.js";
import { t } from "./sentences.js";
import { Refused, ascending, compared, hex, joined, required, sha256, sodium, unhex } from "./sodium.js";
import { message, shapeOf } from "./threshold.js";

const SALT = 16; // bytes
const VERIFIED = ["two-round", "two-round-once"]; // what a verified mix asks phones for
const RULED = 6; // bytes: of " other" and " blank"

// All that follows from an announcement and a call, both as bytes.
export function openRound(announcement, call) {
  const told = readAnnouncement(announcement);
  const asked = readMessage(call).body;
  const session = sessionOf(announcement);
  const context = (hop) => contextOf(session, call, asked.round, hop);
  const shape = shapeOf(told);
  return { told, asked, session, context, shape, ...sizes(told, asked, shape) };
}

export const contextOf = (session, call, round, hop) =>
  sha256("veilmix layer 1\0", session, Uint8Array.of(round), sha256(call), Uint8Array.of(hop));

// Bytes of a ballot, of an inner onion with so many layers left, of an envelope; 0: any.
function sizes(told, asked, shape) {
  if (!told.padded) return { ballot: 0, onion: () => 0, envelope: 0 };
  const widths = told.features.map((feature) => feature.width);
  for (const { column } of asked.hidden) widths[column] = Math.max(widths[column], RULED);
  const wide = (ask) => ask.reduce((sum, column) => sum + 2 + widths[column], 0);
  const ballot = 1 + SALT + 1 + (shape?.size ?? Math.max(...asked.asks.map(wide)));
  const onion = (left) => ballot + left * OVERHEAD;
  const whole = OVERHEAD + 8 + asked.asks.length * onion(told.shufflers.length);
  return { ballot, onion, envelope: whole };
}

// Why this page takes no part in a session, in words; Refused with them.
export function checkAbilities(told) {
  const no = (what) => {
    throw new Refused("unexpected", t("unable", { what }));
  };
  usable(unhex(told.curator));
  if (told.flaws.length) no(t("unable-flaws"));
  if (told.tokens) no(t("unable-tokens"));
  if (told.challenge || told.audit) no(t("unable-audits"));
  if (told.verified && !VERIFIED.includes(told.program)) no(t("unable-verified"));
  if (told.registry && !told.verified) no(t("unable-registry"));
  if (!told.salted) no(t("unable-salt"));
  if (told.features.some((feature) => feature.values === null)) no(t("unable-open"));
  if (told.features.some((feature) => feature.rules)) no(t("unable-coarser"));
  if (told.rows) no(t("unable-rows"));
  noiseOf(told);
  shapeOf(told);
}

// What a person says in a column: its own answer, or what the call's rule makes of it.
export function saidAs(rule, value, draw = () => sodium.randombytes_random()) {
  if (!rule) return value;
  if ("mask" in rule) return rule.mask.includes(value) ? value : " other";
  return rule.redact.includes(value) || draw() < rule.cover ? " blank" : value;
}

// Make the envelope of a round. row: an answer to every feature, in the order of the announcement.
// Where the session asks for noise, it is added here: nothing is sealed as it was answered. Where
// only k people open a row, it is sealed once more, by seeds of its levels (threshold.js).
//
// Gives the envelope, and what is inside, from the outside inwards, for the person's own eyes: it never
// leaves the phone.
export function sealAnswers(plan, row, seeds = null) {
  const { told, asked, shape } = plan;
  if ((shape === null) !== (seeds === null)) throw new Error("seeds, where rows are opened, and only there");
  const rules = new Map(asked.hidden.map((rule) => [rule.column, rule]));
  const said = spoken(told, row).map((value, column) => saidAs(rules.get(column), value));
  for (const column of new Set(asked.asks.flat())) {
    required(inDomain(told.features[column], rules.get(column), said[column]), "outside-domain");
  }
  const reader = told[asked.reader];
  const hops = [...told.shufflers.slice(1), reader].map((key, i) => ({
    key: unhex(key),
    context: plan.context(i + 2),
  }));
  const answers = asked.asks.map((ask, number) => {
    const words = shape ? [message(shape, said, seeds)] : ask.map((column) => text(said[column]));
    const salt = sodium.randombytes_buf(SALT);
    const wrote = joined(Uint8Array.of(number), salt, ...words);
    const plain = plan.ballot ? pad(wrote, plan.ballot) : wrote;
    const values = ask.map((column) => said[column]);
    return { ask, values, onions: wrap(hops, plain) };
  });
  const slots = answers.map((answer) => answer.onions[0]).sort(compared);
  const envelope = sealLayer(unhex(told.shufflers[0]), items(slots), plan.context(1));
  required(!plan.envelope || envelope.length === plan.envelope, "wrong-size");
  return { envelope, answers };
}

// Open an envelope, as shuffler 1 does; the onions in it.
export function openEnvelope(plan, secret, envelope) {
  required(!plan.envelope || envelope.length === plan.envelope, "wrong-size");
  const data = new Reader(openLayer(secret, envelope, plan.context(1)));
  const onions = data.items();
  data.end();
  required(onions.length === plan.asked.asks.length && ascending(onions));
  const width = plan.onion(plan.told.shufflers.length);
  required(!width || onions.every((onion) => onion.length === width), "wrong-size");
  return onions;
}

// Open the innermost layer, as the reader does; where only k people open a row, it finds their message.
export function openBallot(plan, secret, layer) {
  required(!plan.ballot || layer.length === plan.onion(1), "wrong-size");
  const { told, asked } = plan;
  const plain = openLayer(secret, layer, plan.context(told.shufflers.length + 1));
  const data = new Reader(plan.ballot ? unpad(plain) : plain);
  const [ask, salt] = [data.number(1), hex(data.take(SALT))];
  required(ask < asked.asks.length);
  if (plan.shape) {
    const message = hex(data.take(plan.shape.size));
    data.end();
    return { ask, salt, message };
  }
  const values = asked.asks[ask].map(() => data.text());
  const rules = new Map(asked.hidden.map((rule) => [rule.column, rule]));
  asked.asks[ask].forEach((column, i) => {
    required(inDomain(told.features[column], rules.get(column), values[i]), "outside-domain");
  });
  data.end();
  return { ask, salt, values };
}
