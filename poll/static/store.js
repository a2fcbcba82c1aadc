// What a phone keeps, for as long as its tab is open: it survives a reload, and nothing else.
import { newSeed } from "./ballots.js";
import { hex, sodium } from "./sodium.js";

const SECRET = 16; // bytes
const place = (code) => `veilmix ${code}`;

// name: "" before it has joined. before: whether it had handed in already when it joined, in a tab that
// was closed. slip: the code of its slip, where slips admit phones. row: answers,
// one a question. session: the digest that was agreed to. asked: {factors, frame, problem} of what
// `randomness` is asked, until it has answered; null if it is not. seed: of the key with which it signs
// ballots. rounds: by number, {frame, answers, levels, ballots, handed, problem} of what was sealed. attempt:
// the number of the session, from 1; 0 before it is known. was: the name in the attempt before; "" in the
// first. late: why it is not in this one.
const fresh = () => ({
  ...{ name: "", was: "", late: "", before: false, slip: "", row: [], agreed: false, session: "", mark: null, asked: null },
  ...{ attempt: 0, rounds: {}, seed: hex(newSeed()) },
});

export function recall(code) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(place(code)));
    if (kept !== null) return kept;
  } catch {
    // nothing that we have written
  }
  return { ...fresh(), phone: hex(sodium.randombytes_buf(SECRET)) };
}

// What a phone keeps when the session is repeated: which phone it is. Its answers and keys are new.
export function again(code, { phone, slip, name, was }, attempt) {
  forget(code);
  return { ...fresh(), phone, slip, was: name || was, attempt };
}

export function keep(code, state) {
  sessionStorage.setItem(place(code), JSON.stringify(state));
}

// The end: {posts, facts}, from which its page is made again, checked again, when the computer is gone.
// A phone without room for it asks the computer again.
export function keepEnd(code, end) {
  try {
    sessionStorage.setItem(`${place(code)} end`, JSON.stringify(end));
  } catch {
    sessionStorage.removeItem(`${place(code)} end`);
  }
}

export function recallEnd(code) {
  try {
    return JSON.parse(sessionStorage.getItem(`${place(code)} end`));
  } catch {
    return null;
  }
}

export function forget(code) {
  for (const name of [place(code), `${place(code)} end`]) sessionStorage.removeItem(name);
}
