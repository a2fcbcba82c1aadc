// What a phone sends to the computer of the class. It throws where there is no connection.
import { signerOf } from "./ballots.js";
import { keepSlip, phoneOf } from "./slip.js";
import { hex, unhex } from "./sodium.js";

export const code = document.body.dataset.code;

export async function ask(path, given = {}) {
  return fetch(`/${code}/${path}`, { cache: "no-store", credentials: "omit", ...given });
}

// Say a name; the answer's status, and why it cannot join, "" if it has.
export async function enter(state, facts, name, slip) {
  state.phone = (facts.slips && phoneOf(code, slip)) || state.phone;
  const key = facts.verified ? { key: hex(signerOf(unhex(state.seed)).publicKey) } : {};
  const body = JSON.stringify({ phone: state.phone, name, ...(facts.slips ? { slip } : {}), ...key });
  state.slip = slip;
  const answer = await ask("join", { method: "POST", body });
  const words = await answer.text();
  if (answer.ok) {
    const { name: known, answered: before } = JSON.parse(words);
    Object.assign(state, { name: known, before });
    if (facts.slips) keepSlip(code, slip, state.phone);
  }
  return [answer.status, answer.ok ? "" : words];
}

// In a session that is repeated: take part as before, without asking anybody.
export async function comeBack(state, facts) {
  if (!state.was || state.name || state.late || facts.ended) return;
  const [status, why] = await enter(state, facts, state.was, state.slip);
  if (status === 429) throw new Error(why);
  state.late = why;
}

// Hand in what was sealed in a round.
export async function handOver(state, made) {
  const headers = { "x-phone": state.phone };
  const answer = await ask("answer", { method: "POST", body: unhex(made.frame), headers });
  if (answer.ok) made.handed = true;
  else if (answer.status !== 429) made.problem = await answer.text();
}
