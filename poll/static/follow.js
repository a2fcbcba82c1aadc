// The session as its board shows it, and what this phone does not put up with.
//
// Beyond signatures and heads (signed.js): one announcement; its keys are those that the parties
// have posted; every party has agreed to this one; calls are those of the program; `randomness` has
// one key a round; and what was shown before stays as it was, also after a reload.
import { sessionOf } from "./announcement.js";
import { Reader } from "./bytes.js";
import { unsealed } from "./frames.js";
import { Lists } from "./listed.js";
import { locksOf, reusesBallots } from "./locks.js";
import { root } from "./merkle.js";
import { t } from "./sentences.js";
import { Refused, hex, sha256, unhex } from "./sodium.js";
import { signerOf } from "./ballots.js";
import { SignedBoard } from "./signed.js";
import { checkAbilities } from "./envelope.js";

const HEADER = 37; // bytes

function refuse(words) {
  throw new Refused("unexpected", words);
}

export class Session {
  // kept: {session, mark} of an earlier look of this phone; nulls if there was none.
  constructor(kept) {
    this.board = new SignedBoard();
    this.kept = kept;
    this.keys = {};
    this.consents = new Set();
    this.told = null; // the announcement, and its bytes
    this.announced = null;
    this.session = null;
    this.calls = []; // {body, data}, the data without their seal
    this.mixed = 0;
    this.accounts = {}; // round -> what shufflers have said of it
    this.mints = {}; // round -> the key by which `randomness` answers everybody
    this.registry = null; // keys of people, where they are registered
    this.place = -1; // of this phone among them
    this.given = {}; // round -> party -> its keys for ballots, where the mix is verified
    this.locks = {}; // round -> what ballots are locked for, once all parties have posted
    this.lists = new Lists();
    this.decision = null;
    this.tallies = [];
    this.burned = "";
    this.closed = false;
  }

  get posts() {
    return this.board.posts.length;
  }

  // How much was seen: to be kept, so that a board that changes its past is found out.
  get mark() {
    return { posts: this.posts, head: hex(this.board.head) };
  }

  // Whether everybody has agreed, and the call that is open has its head.
  get ready() {
    const parties = this.told ? this.told.shufflers.length + 1 : Infinity;
    const called = this.consents.size === parties && this.calls.length > 0 && this.board.due === null;
    return called && this.lockable(this.calls[this.calls.length - 1].body);
  }

  // Whether the keys are there that answers of a call are sealed for.
  lockable(call) {
    return !this.told.verified || call.round in this.locks || reusesBallots(this.told, call);
  }

  // The digest of which people compare words. Answers for a verified mix are locked for keys that parties
  // post later and sign: so the words also stand for those by whose keys posts are signed.
  get compared() {
    return this.told.verified ? sha256("veilmix parties 1\0", this.session, this.board.people) : this.session;
  }

  // Whether people submit once for all rounds.
  get once() {
    return this.told?.program === "two-round-once";
  }

  take(author, data) {
    const said = this.board.take(author, data);
    if (this.board.roster === null) refuse(t("refused-unsigned"));
    if (this.session !== null && said.session !== hex(this.session)) {
      refuse(t("refused-session"));
    }
    this.learn(author, said, data);
    const mark = this.kept.mark;
    if (mark !== null && mark.posts === this.posts && mark.head !== hex(this.board.head)) {
      refuse(t("refused-changed"));
    }
  }

  learn(author, said, data) {
    const { body } = said;
    const by = (name) => author === name || refuse(t("refused-author", { author, name }));
    switch (said.kind) {
      case "key":
        this.keys[author] = body.key;
        break;
      case "announcement":
        by("curator");
        this.announce(body, new Reader(data.slice(HEADER)).blob());
        break;
      case "consent":
        if (body.session !== hex(this.session)) refuse(t("refused-consent"));
        this.consents.add(author);
        break;
      case "call":
        by("curator");
        this.check(body);
        this.calls.push({ body, data: unsealed(data) });
        this.lists.called(this.told, body);
        break;
      case "registry":
        by("curator");
        if (this.registry !== null || this.told !== null) refuse(t("refused-registry"));
        this.registry = body.keys;
        break;
      case "keys":
      case "handed":
      case "checked":
      case "shuffled":
      case "shared":
        this.mix(author, said);
        break;
      case "mint":
        by("randomness");
        if (this.told?.program !== "threshold" || said.round in this.mints) refuse(t("refused-key"));
        this.mints[said.round] = unhex(body.key);
        break;
      case "mixed":
        this.mixed += 1;
        (this.accounts[said.round] ??= []).push(body);
        break;
      case "tally":
        this.tallies.push(body);
        break;
      case "decision":
      case "committed":
        by("curator");
        this.decision = body;
        break;
      case "burned":
        this.burned = body.why;
        break;
      case "closed":
        this.closed = true;
        break;
      default:
    }
  }

  // A post of a verified mix.
  mix(author, { kind, round, body }) {
    const call = this.calls[round - 1]?.body;
    if (!this.told?.verified || round !== this.calls.length) refuse(t("refused-else"));
    switch (kind) {
      case "keys":
        this.giveKeys(author, call, body.keys);
        break;
      case "handed":
        this.lists.hand(this.told, call, author, body);
        break;
      case "checked":
        this.lists.check(this.session, this.told, call, author, body);
        break;
      case "shuffled":
        this.mixed += 1;
        (this.accounts[round] ??= []).push(this.lists.account(this.told, call, author, body));
        break;
      default: // shares: what they open is checked by keyholders
    }
  }

  giveKeys(author, call, keys) {
    const given = (this.given[call.round] ??= {});
    if (author in given) refuse(t("refused-locks", { author }));
    given[author] = keys;
    try {
      const locks = locksOf(this.session, this.told, call, given);
      if (locks !== null) this.locks[call.round] = locks;
    } catch (wrong) {
      if (!(wrong instanceof Refused)) throw wrong;
      refuse(t("refused-locks", { author }));
    }
  }

  // The list of people that may answer, and where on it this phone stands.
  enroll(told) {
    const keys = this.registry?.map(unhex) ?? [];
    if (told.registry !== (keys.length ? hex(root(keys)) : "")) refuse(t("refused-registry"));
    if (!told.verified || !this.kept.name || this.kept.before) return; // it only looks
    this.place = this.registry.indexOf(hex(signerOf(unhex(this.kept.seed)).publicKey));
    if (this.place < 0) refuse(t("refused-unlisted"));
  }

  announce(told, encoded) {
    if (this.told !== null) refuse(t("refused-two"));
    checkAbilities(told);
    const posted = told.shufflers.map((_, i) => this.keys[`shuffler-${i + 1}`]);
    const same = posted.join() === told.shufflers.join() && this.keys.analyst === told.analyst;
    if (!same) refuse(t("refused-keys"));
    this.enroll(told);
    this.session = sessionOf(encoded);
    if (this.kept.session && this.kept.session !== hex(this.session)) {
      refuse(t("refused-other"));
    }
    this.told = told;
    this.announced = encoded;
  }

  // Whether a call is one of the program: where people add noise, every question by itself for the
  // analyst, and nothing else; else first every question by itself, for the curator; at the
  // end what was decided, for the analyst; in between, of the hierarchical program, small sets.
  check(call) {
    if (this.consents.size !== this.told.shufflers.length + 1) refuse(t("refused-early"));
    const first = call.round === 1;
    if (call.round !== this.calls.length + 1) refuse(t("refused-round"));
    if (this.told.program === "threshold") {
      this.checkOpening(call);
      return;
    }
    const singles = call.asks.every((ask, i) => ask.length === 1 && ask[0] === i);
    if (first) {
      const all = singles && call.asks.length === this.told.features.length && !call.hidden.length;
      const reader = this.told.program === "randomized" ? "analyst" : "curator";
      if (!all || call.reader !== reader) refuse(t("refused-first"));
    } else if (this.told.program === "randomized") {
      refuse(t("refused-twice"));
    } else if (call.reader === "analyst") {
      const kept = this.decision?.kept.join();
      const hidden = JSON.stringify(this.decision?.hidden);
      const due = call.asks.length === 1 && call.asks[0].join() === kept;
      if (!due || JSON.stringify(call.hidden) !== hidden) refuse(t("refused-release"));
    } else {
      const small = call.asks.every((ask) => ask.length <= call.round) || call.asks.length === 1;
      if (this.told.program !== "hierarchical" || this.decision || !small) {
        refuse(t("refused-program"));
      }
    }
  }

  // Where only k people open a row: all columns at once, for the analyst, decided before anything is
  // counted, and asked once.
  checkOpening(call) {
    const { decision, told } = this;
    const all = told.features.map((_, column) => column).join();
    const one = call.asks.length === 1 && call.asks[0].join() === all && !call.hidden.length;
    if (call.round > 1 || call.reader !== "analyst" || !one) refuse(t("refused-else"));
    const same = decision && [decision.k, decision.n, decision.rule].join() === [told.k, 0, told.rule].join();
    if (!same || decision.kept.join() !== all) refuse(t("refused-decision"));
  }

  // How many people shuffler 1 let in, and how many of them were counted at least, as the board says
  // of a round to everybody alike; null while nobody has counted.
  counted(round) {
    const tally = this.tallies[round - 1];
    if (tally === undefined) return null;
    return { people: this.accounts[round][0].people, least: Math.min(...tally.totals) };
  }

  // The parties that open an envelope of a call, in their order.
  openers(call) {
    const shufflers = this.told.shufflers.map((_, i) => `shuffler ${i + 1}`);
    return [...shufflers, call.reader];
  }

  encodedKey(party) {
    const at = /^shuffler (\d+)$/.exec(party);
    return unhex(at ? this.told.shufflers[at[1] - 1] : this.told[party]);
  }
}
